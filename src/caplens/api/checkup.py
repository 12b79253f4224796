"""What is installed and ready on this machine."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from caplens._version import __version__
from caplens.files.threads import available_cpus
from caplens.metrics.registry import metric_class, names

# Package, whether caplens cannot do without it, what it is for, how to get it.
PACKAGES = (
    ("numpy", True, "arrays", ""),
    ("pyarrow", True, "Parquet files and tables", ""),
    ("msgspec", True, "JSON", ""),
    ("PyStemmer", True, "stems", ""),
    ("typer", True, "the command line", ""),
    ("rich", True, "tables on the screen", ""),
    ("platformdirs", True, "the place of the cache", ""),
    ("filelock", True, "one process at a time to fill the cache", ""),
    ("pandas", False, "Result.to_pandas()", "pip install pandas"),
    ("pycocoevalcap", False, "data files of METEOR", 'pip install "caplens[meteor]"'),
    ("torch", False, "training of learned metrics", 'pip install "caplens[train]"'),
)


def checkup() -> list[tuple[str, str, str]]:
    """Return one line for each thing that matters: what, its state, details or the command that mends it."""
    lines = [
        ("caplens", "ok", __version__),
        ("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"),
        ("cpus", "ok", f"{available_cpus()} usable by this process"),
    ]
    for package, required, purpose, remedy in PACKAGES:
        try:
            lines.append((package, "ok", f"{version(package)}, for {purpose}"))
        except PackageNotFoundError:
            mend = f"for {purpose}; {remedy or 'pip install --force-reinstall caplens'}"
            lines.append((package, "MISSING" if required else "not installed", mend))
    for name in names():
        obstacle = metric_class(name).obstacle()
        lines.append((f"metric {name}", "ok" if obstacle is None else "not ready", obstacle or ""))
    return lines
