"""Document frequencies that other tools pickled, read by a loader that admits plain types only.

A pickle can name any code to run when it is read. This loader knows a few names of plain data (dictionaries, numbers)
and refuses every other one.
"""

from __future__ import annotations

import pickle
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caplens.errors import InputError, reason_of

SUFFIXES = (".p", ".pkl", ".pickle")


def _scalar(dtype: np.dtype[Any], data: bytes | str) -> float:
    """Make a number of numpy's; other kinds of values are refused."""
    if dtype.kind not in "fiu":
        raise pickle.UnpicklingError(f"it contains a value of the type {dtype}")
    raw = data.encode("latin1") if isinstance(data, str) else data
    number: float = np.frombuffer(raw, dtype, 1)[0].item()
    return number


def _dtype(name: str, *_: object) -> np.dtype[Any]:
    return np.dtype(name)


def _encoded(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"it contains bytes as {encoding}")
    return text.encode("latin1")


_ADMITTED: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "defaultdict"): defaultdict,
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    ("numpy", "dtype"): _dtype,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("_codecs", "encode"): _encoded,
    **{
        (module, kind.__name__): kind
        for module in ("builtins", "__builtin__")
        for kind in (int, float, str, dict, list, tuple)
    },
    ("__builtin__", "long"): int,
    ("__builtin__", "unicode"): str,
}


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain data."""

    def find_class(self, module_name: str, global_name: str) -> Any:  # noqa: ANN401 (as in the standard library)
        try:
            return _ADMITTED[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(
                f"it refers to {module_name}.{global_name}, which is not plain data; nothing was executed"
            ) from None


@dataclass(frozen=True, eq=False)
class PickledFrequencies:
    """What a file says.

    Attributes
    ----------
    document_frequency : dict
        In how many documents each n-gram (a tuple of words) occurs.
    documents : float
        How many documents there are.
    """

    document_frequency: Mapping[tuple[str, ...], float]
    documents: float


def read(path: Path) -> PickledFrequencies:
    """Read a file ``{"document_frequency": {("a", "dog"): 12.0, ...}, "ref_len": 113287}``.

    Raises
    ------
    InputError
        If there is no such file, or it holds something else.
    """
    try:
        with path.open("rb") as file:
            found = _PlainUnpickler(file, encoding="latin1").load()
    except FileNotFoundError as error:
        raise InputError(f"There is no file of document frequencies at {path}: check the path.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {reason_of(error)}.") from error
    except Exception as error:  # a damaged pickle raises whatever its bytes lead to
        why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InputError(f"{path} is not a pickle of document frequencies ({why}).") from error
    if not isinstance(found, dict) or not {"document_frequency", "ref_len"} <= found.keys():
        raise InputError(f"{path} is not a pickle of document frequencies: it lacks document_frequency or ref_len.")
    frequencies, documents = found["document_frequency"], found["ref_len"]
    if not isinstance(frequencies, dict) or not isinstance(documents, int | float) or not documents >= 1:
        raise InputError(f"{path} is not a pickle of document frequencies: its numbers are not valid counts.")
    return PickledFrequencies(frequencies, float(documents))
