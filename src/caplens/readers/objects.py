"""Captions as Python programs hold them: arrays, series, frames, Arrow columns, generators, records of COCO."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from caplens.corpus import CaptionTable, Corpus, PairedTable, ReferenceSets
from caplens.errors import InputError
from caplens.readers.base import ReadOptions
from caplens.readers.fields import further_names, merge_repeated_rows, table_of_columns, wanted_names

Side = Literal["candidates", "references"]

_READY = (CaptionTable, PairedTable, Corpus, ReferenceSets)
_PLAIN = {str, list, tuple}
_TENSORS = {"torch", "tensorflow", "jax", "jaxlib", "cupy"}
_ACCEPTED = (
    "a list, a mapping from id to {one}, a NumPy array, a pandas or polars Series or DataFrame, an Arrow column or a "
    'list of {{"image_id": ..., "caption": ...}}'
)


def plain_captions(given: object, side: Side) -> Any:  # noqa: ANN401 (whatever `table_of` and its like take)
    """Turn what a caller passed into lists, mappings or tables; lists and mappings of text are returned as they are.

    Parameters
    ----------
    given : object
        A list, mapping, array, series, frame, Arrow column, generator, or records of the COCO tools.
    side : {"candidates", "references"}
        What it is meant to be.

    Returns
    -------
    list, dict, CaptionTable or PairedTable
        A `PairedTable` for frames and records that carry candidates and references.

    Examples
    --------
    >>> plain_captions((f"{number} dogs" for number in ("two", "three")), "candidates")
    ['two dogs', 'three dogs']
    >>> plain_captions([{"image_id": 7, "caption": "a dog"}, {"image_id": 8, "caption": "a cat"}], "candidates").ids
    [7, 8]
    """
    kind = type(given)
    if kind is list or kind is tuple:
        return _plain_list(given, side)  # type: ignore[arg-type]
    if isinstance(given, Mapping):
        return _plain_mapping(given, side)
    if isinstance(given, _READY) or given is None:
        return given
    if isinstance(given, str | bytes | os.PathLike):
        raise InputError(_single_text(given, side))
    library = kind.__module__.partition(".")[0]
    if library in _TENSORS:
        raise InputError(
            f"The {side} are a {library} {kind.__name__}, but captions are text: decode the token ids first, for "
            "example with tokenizer.batch_decode(ids, skip_special_tokens=True)."
        )
    convert = _CONVERTERS.get((library, kind.__name__))
    if convert is not None:
        return convert(given, side)
    if isinstance(given, np.ndarray):
        return _plain_list(_array(given, side), side)
    if isinstance(given, set | frozenset):
        raise InputError(f"The {side} are a set, which has no order: pass a list, or a mapping from id to caption.")
    if isinstance(given, Sequence | Iterator) or (isinstance(given, Iterable) and hasattr(given, "__len__")):
        return _plain_list(list(given), side)
    one = "caption" if side == "candidates" else "captions"
    raise InputError(f"The {side} must be {_ACCEPTED.format(one=one)}, not {kind.__name__}.")


def plain_labels(given: Any) -> Any:  # noqa: ANN401 (any column)
    """Turn a column of ids, groups or values into a list; arrays stay, since features of images may be large.

    Examples
    --------
    >>> plain_labels(label for label in "ab")
    ['a', 'b']
    """
    if given is None or isinstance(given, list | tuple | np.ndarray | str):
        return given
    kind = type(given)
    if (kind.__module__.partition(".")[0], kind.__name__) in _CONVERTERS:
        return _listed(given)
    return list(given) if isinstance(given, Iterable) else given


def plain_systems(systems: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the candidates of several systems into lists, mappings or tables; a `Corpus` stays."""
    found = {}
    for name, captions in systems.items():
        try:
            found[name] = candidates_alone(captions)
        except InputError as error:
            raise InputError(f"System {name!r}: {error}") from error
    return found


def candidates_alone(given: object) -> Any:  # noqa: ANN401
    """Turn candidates into lists, mappings or tables, without references that stand beside them."""
    found = plain_captions(given, "candidates")
    return found.captions() if isinstance(found, PairedTable) else found


def _single_text(given: object, side: Side) -> str:
    if isinstance(given, os.PathLike) or (isinstance(given, str) and _is_file(given)):
        return f"The {side} are a file name: read it with caplens.load_{side}({os.fspath(given)!r})."
    shown = given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
    inner = f"[{shown[:40]!r}]"
    wanted = inner if side == "candidates" else f"[{inner}]"
    return f"The {side} are a single string: write a list, {wanted}, even for one caption."


def _is_file(text: str) -> bool:
    try:
        return os.path.isfile(text)  # noqa: PTH113 (a caption may be too long for a path)
    except ValueError:
        return False


def _plain_list(values: Sequence[Any], side: Side) -> Any:  # noqa: ANN401
    kinds = set(map(type, values))
    if kinds <= _PLAIN:
        holds_records = list in kinds and _holds_records(values)
        return [_captions_of(value) for value in values] if holds_records else values
    if kinds and all(issubclass(kind, Mapping) for kind in kinds):
        return _records(values, side)
    return [_plain_value(value) for value in values]


def _plain_mapping(given: Mapping[Any, Any], side: Side) -> Any:  # noqa: ANN401
    annotations = given.get("annotations")
    if isinstance(annotations, list) and annotations and isinstance(annotations[0], Mapping):
        return _records(annotations, side)  # COCO annotations, as json.load returns them
    if set(map(type, given.values())) <= _PLAIN and not _holds_records(given.values()):
        return given
    return {key: _plain_value(value) for key, value in given.items()}


def _holds_records(values: Iterable[Any]) -> bool:
    """Tell whether one of several lists begins with a record, as the COCO tools hand captions over."""
    firsts = {type(value[0]) for value in values if type(value) is list and value}
    return any(issubclass(kind, Mapping) for kind in firsts)


def _plain_value(value: Any) -> Any:  # noqa: ANN401
    """Return the captions of one item as a list, or its one caption."""
    kind = type(value)
    if kind in _PLAIN:
        return _captions_of(value)
    library = kind.__module__.partition(".")[0]
    if isinstance(value, np.ndarray) or (library, kind.__name__) in _CONVERTERS:
        return _listed(value)
    if library == "pyarrow" and hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, Mapping):
        return value.get("caption", value)
    if isinstance(value, Iterator):
        return list(value)
    return value


def _captions_of(value: Any) -> Any:  # noqa: ANN401
    """Take the captions out of a list of ``{"caption": ...}``."""
    if type(value) is list and value and isinstance(value[0], Mapping):
        return [each.get("caption", each) if isinstance(each, Mapping) else each for each in value]
    return value


def _records(rows: Sequence[Mapping[str, Any]], side: Side) -> CaptionTable | PairedTable:
    names = list(dict.fromkeys(name for row in rows for name in row))
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise InputError(
            f"The {side} are a list of mappings whose keys are not names ({odd!r}): write one mapping from id to "
            f"caption{'' if side == 'candidates' else 's'}, not a list of them."
        )
    return _table({name: [row.get(name) for row in rows] for name in names}, side)


def _table(columns: Mapping[str, list[Any]], side: Side, index: list[Any] | None = None) -> CaptionTable | PairedTable:
    """Make a table of named columns as readers do; ``index`` are ids that stand beside them."""
    roles = frozenset({"references", "reference_graphs"} if side == "candidates" else {"candidate", "candidate_graph"})
    options = ReadOptions(optional_columns=roles, further_columns=None if side == "references" else frozenset())
    further = further_names(list(columns), options, lambda name: not _is_nested(columns[name]))
    wanted = {*wanted_names(options), *further}
    chosen = {name: list(map(_plain_value, values)) for name, values in columns.items() if name in wanted}
    if index is not None and not {"id", "image_id"} & chosen.keys():
        chosen["id"] = index
    if side == "references" and "references" not in chosen and "caption" not in chosen and "candidate" in chosen:
        raise InputError(f"The references have no column 'references' or 'caption', only {', '.join(columns)}.")
    found = table_of_columns(chosen, list(columns), options, f"The {side}")
    if isinstance(found, CaptionTable):
        return replace(found, source="", keeps_ids=True)
    found = replace(merge_repeated_rows(found), source="", keeps_ids=True)
    if side == "candidates":
        return found
    rows = [(owner, text) for owner, texts in zip(found.ids, found.references, strict=True) for text in texts or ()]
    return CaptionTable([owner for owner, _ in rows], [text for _, text in rows], "")


def _is_nested(column: Sequence[Any]) -> bool:
    return any(isinstance(value, list | dict) for value in column[:1])


def _array(given: np.ndarray[Any, Any], side: Side) -> list[Any]:
    if given.ndim == 0:
        raise InputError(f"The {side} are an array with a single value: write a list, even for one caption.")
    if side == "candidates" and given.ndim > 1:
        raise InputError(f"The candidates are an array of {given.ndim} dimensions: pass one caption per row.")
    values: list[Any] = given.tolist()
    return values


def _listed(given: Any) -> list[Any]:  # noqa: ANN401
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(given, method):
            values: list[Any] = getattr(given, method)()
            return values
    return list(given)


def _series(given: Any, side: Side) -> Any:  # noqa: ANN401
    """Return a pandas series: by position, or by its index if that is not simply 0, 1, 2."""
    values = [_plain_value(value) for value in given.tolist()]
    index = given.index.tolist()
    if index == list(range(len(index))):
        return _plain_list(values, side)
    rows = [
        (owner, text)
        for owner, value in zip(index, values, strict=True)
        for text in (value if isinstance(value, list | tuple) and side == "references" else [value])
    ]
    if side == "references" and len(set(index)) == len(index):
        return _plain_mapping(dict(zip(index, values, strict=True)), side)
    return CaptionTable([owner for owner, _ in rows], [text for _, text in rows], "", keeps_ids=True)


def _column(given: Any, side: Side) -> Any:  # noqa: ANN401
    return _plain_list(_listed(given), side)


def _pandas_frame(given: Any, side: Side) -> CaptionTable | PairedTable:  # noqa: ANN401
    index = given.index.tolist()
    columns = {str(name): given[name].tolist() for name in given.columns}
    return _table(columns, side, None if index == list(range(len(index))) else index)


def _polars_frame(given: Any, side: Side) -> CaptionTable | PairedTable:  # noqa: ANN401
    return _table(given.to_dict(as_series=False), side)


def _arrow_table(given: Any, side: Side) -> CaptionTable | PairedTable:  # noqa: ANN401
    return _table(given.to_pydict(), side)


# By name, so that none of these libraries has to be imported.
_CONVERTERS: dict[tuple[str, str], Callable[[Any, Side], Any]] = {
    ("pandas", "Series"): _series,
    ("pandas", "DataFrame"): _pandas_frame,
    ("polars", "Series"): _column,
    ("polars", "DataFrame"): _polars_frame,
    ("polars", "LazyFrame"): lambda given, side: _polars_frame(given.collect(), side),
    ("pyarrow", "Table"): _arrow_table,
    ("pyarrow", "RecordBatch"): _arrow_table,
    ("pyarrow", "ChunkedArray"): _column,
    **{("pyarrow", f"{kind}Array"): _column for kind in ("String", "LargeString", "StringView", "List", "LargeList")},
    ("pyarrow", "DictionaryArray"): _column,
}
