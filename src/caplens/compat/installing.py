"""Make the names of other tools mean caplens: ``import pycocoevalcap`` without an edit.

A finder in front of all others answers for the names, so nothing is imported before a script asks for it, and the
modules are those of `caplens.compat`: an object pickled in one process can be read in another that installed nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_ALWAYS = {"pycocoevalcap": "caplens.compat.pycocoevalcap", "pyciderevalcap": "caplens.compat.pyciderevalcap"}
_DISTRIBUTION, _VERSION = "pycocoevalcap", "1.2"
"""The package whose calls are those of `caplens.compat.pycocoevalcap`, for scripts that ask whether it is installed."""


@dataclass(eq=False)
class _Undo:
    """What `uninstall` puts back."""

    modules: dict[str, ModuleType] = field(default_factory=dict)
    attributes: list[tuple[dict[str, Any], str, Any]] = field(default_factory=list)


class _Alias(Loader):
    """Gives a module of caplens another name."""

    def __init__(self, target: str) -> None:
        self.target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return caplens' own module, not a copy: what a script sets in it counts."""
        module = import_module(self.target)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing; give the module its own spec back, which the import system has just replaced."""
        module.__spec__ = self.own_spec


class _FaceDistribution(Distribution):
    """What `importlib.metadata` says where the original is not installed."""

    def read_text(self, filename: str) -> str | None:
        """Return the metadata; there are no other files."""
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: {_DISTRIBUTION}\nVersion: {_VERSION}\nSummary: as caplens.compat has it\n"

    def locate_file(self, path: Any) -> Any:  # noqa: ANN401 (types of importlib.metadata, which differ by version)
        """Return where a file would be."""
        return Path(__file__).parent / path


class Faces(MetaPathFinder):
    """Finds the names of other tools in caplens.

    Parameters
    ----------
    names : dict of str to str
        The packages of caplens by the names that they answer to.
    copies : bool
        Answer also for ``pycocoevalcap`` and ``pyciderevalcap`` inside other packages.
    """

    def __init__(self, names: dict[str, str], copies: bool = False) -> None:
        self.names = names
        self.copies = copies
        self.undo = _Undo()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module if caplens has one of that name."""
        target_name = self.target_of(fullname)
        own = None if target_name is None else find_spec(target_name)
        if own is None:
            return None
        return ModuleSpec(
            fullname, _Alias(own.name), origin=own.origin, is_package=own.submodule_search_locations is not None
        )

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """Say that pycocoevalcap is installed, unless it is: METEOR's data are read from the real one."""
        if context is None or context.name != _DISTRIBUTION:
            return
        if not any(True for _ in MetadataPathFinder.find_distributions(context)):
            yield _FaceDistribution()

    def owns(self, module: str) -> bool:
        """Tell whether a name of a module is one of those that the finder answers for."""
        return self.target_of(module) is not None

    def target_of(self, fullname: str) -> str | None:
        """Return the module of caplens that a name means; none has to exist."""
        parts = fullname.split(".")
        if parts[0] in self.names:
            return ".".join([self.names[parts[0]], *parts[1:]])
        if self.copies and parts[0] != "caplens":
            for place, part in enumerate(parts[1:], 1):
                if part in _ALWAYS:
                    return ".".join([_ALWAYS[part], *parts[place + 1 :]])
        return None


def install(*, aimagelab: bool = False, aac_metrics: bool = False, copies: bool = False) -> None:
    """Replace ``pycocoevalcap`` and ``pyciderevalcap`` by caplens in this process.

    The originals may be installed or already imported: names that other modules imported from them are replaced as
    well. Existing objects are unchanged. Call it again to replace further names.

    Parameters
    ----------
    aimagelab : bool
        Also replace ``evaluation``, the package of aimagelab's projects (meshed-memory transformer and others). Other
        projects use this name too, so it is not replaced by default.
    aac_metrics : bool
        Also replace ``aac_metrics``.
    copies : bool
        Also replace copies that projects keep inside their own packages (``utils.cider.pyciderevalcap``,
        ``coco_caption.pycocoevalcap``). They may have been modified, so they are not replaced by default.

    See Also
    --------
    uninstall : undoes it.

    Examples
    --------
    >>> import caplens.compat
    >>> caplens.compat.install()
    >>> from pycocoevalcap.rouge.rouge import Rouge
    >>> Rouge.__module__
    'caplens.compat.pycocoevalcap.rouge.rouge'
    >>> caplens.compat.uninstall()
    """
    names = dict(_ALWAYS)
    before = _installed()
    if aimagelab or (before is not None and "evaluation" in before.names):
        names["evaluation"] = "caplens.compat.aimagelab.evaluation"
    if aac_metrics or (before is not None and "aac_metrics" in before.names):
        names["aac_metrics"] = "caplens.compat.aac_metrics"
    copies = copies or (before is not None and before.copies)
    if before is not None and before.names == names and before.copies == copies:
        return
    uninstall()
    faces = Faces(names, copies)
    originals = {name: sys.modules.pop(name) for name in list(sys.modules) if faces.owns(name)}
    sys.meta_path.insert(0, faces)
    faces.undo.modules = originals
    _replace(_replacements(originals), faces.undo)


def uninstall() -> None:
    """Undo `install`; names that modules imported from the drop-ins in the meantime stay.

    Examples
    --------
    >>> uninstall()
    """
    faces = _installed()
    if faces is None:
        return
    sys.meta_path.remove(faces)
    for name in [name for name in sys.modules if faces.owns(name)]:
        del sys.modules[name]
    sys.modules.update(faces.undo.modules)
    for namespace, name, value in faces.undo.attributes:
        namespace[name] = value


def _installed() -> Faces | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, Faces)), None)


def _replacements(originals: dict[str, ModuleType]) -> dict[int, Any]:
    """Return what stands for modules, classes and functions of the original, by their identity."""
    found: dict[int, Any] = {}
    for name, original in originals.items():
        try:
            ours = import_module(name)
        except ImportError:
            continue
        found[id(original)] = ours
        for attribute, value in vars(original).items():
            if getattr(value, "__module__", None) == name and hasattr(ours, attribute):
                found[id(value)] = getattr(ours, attribute)
    return found


def _replace(replacements: dict[int, Any], undo: _Undo) -> None:
    """Replace what modules have imported from the originals."""
    if not replacements:
        return
    for namespace in _namespaces(sys.modules.values()):
        for name, value in list(namespace.items()):
            if id(value) in replacements:
                undo.attributes.append((namespace, name, value))
                namespace[name] = replacements[id(value)]


def _namespaces(modules: Iterable[ModuleType]) -> list[dict[str, Any]]:
    """Return the names of modules, each once; some entries of `sys.modules` are no modules."""
    found = {id(vars(module)): vars(module) for module in list(modules) if isinstance(module, ModuleType)}
    return list(found.values())
