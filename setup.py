"""Only what pyproject.toml cannot say: every .pyx beside its module becomes an extension."""

import os
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = sorted(Path("src").rglob("*.pyx"))
# Without debug symbols: they are most of a kernel's size, and of the time that compiling it takes.
OPTIMISE = [] if sys.platform == "win32" else ["-O2", "-g0"]
# `make sanitize`: every access of the kernels is checked, by Cython and by the compiler.
SANITIZE = os.environ.get("CAPLENS_SANITIZE") == "1"
CHECKS = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
# A wheel serves Python 3.11 and all later versions; the cost is in docs/benchmarks.md. What is built in place is for
# one version, whose kernels Python prefers. Free-threaded Python has no limited API.
LIMITED = "bdist_wheel" in sys.argv and not SANITIZE and not sysconfig.get_config_var("Py_GIL_DISABLED")
CPUS = os.cpu_count() or 1


def module_name(source: Path) -> str:
    return ".".join(source.relative_to("src").with_suffix("").parts)


extensions = [
    Extension(
        module_name(path),
        [path.as_posix()],
        depends=[header.as_posix() for header in sorted(path.parent.glob("*.h"))],
        define_macros=[("Py_LIMITED_API", "0x030B0000")] if LIMITED else [],
        py_limited_api=LIMITED,
        extra_compile_args=CHECKS if SANITIZE else OPTIMISE,
        extra_link_args=["-fsanitize=address,undefined"] if SANITIZE else [],
    )
    for path in SOURCES
]
directives = {
    "language_level": 3,
    "boundscheck": SANITIZE,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": SANITIZE,
    "embedsignature": True,
}

setup(
    ext_modules=cythonize(extensions, include_path=["src"], compiler_directives=directives),
    options={"build_ext": {"parallel": CPUS}} | ({"bdist_wheel": {"py_limited_api": "cp311"}} if LIMITED else {}),
)
