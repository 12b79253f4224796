"""Named columns into captions: what rows of JSON and tables have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard

from caplens.corpus import CaptionTable, Column, PairedTable, is_scene_graph, take_columns
from caplens.errors import InputError
from caplens.files.telling import said
from caplens.readers.base import GRAPH_ROLES, ROLES, ReadOptions, Table, naming
from caplens.readers.decoding import parse_cell

Values: TypeAlias = list[Any]
"""A column of captions, ids and the like."""


def wanted_names(options: ReadOptions) -> list[str]:
    """Return all column names that `table_of_columns` can use, so that a reader skips the others.

    Examples
    --------
    >>> wanted_names(ReadOptions(columns={"id": "image", "candidate": "hyp", "references": "gold"}))
    ['image', 'hyp', 'caption', 'gold', 'candidate_graph', 'reference_graphs', 'image_id']
    """
    return list(dict.fromkeys([*(name for role in ROLES for name in options.names(role)), *_image_names(options)]))


def further_names(offered: Sequence[str], options: ReadOptions, is_plain: Callable[[str], bool]) -> list[str]:
    """Return the columns that are kept beside those of `wanted_names`; a name that occurs twice is passed over.

    Parameters
    ----------
    offered : sequence of str
        All columns of the file.
    options : ReadOptions
        Names some to keep whatever they hold.
    is_plain : callable
        Tells whether a column holds plain values.

    Examples
    --------
    >>> further_names(["id", "caption", "url", "image_bytes"], ReadOptions(), lambda name: name != "image_bytes")
    ['url']
    """
    if options.further_columns is None:
        return []
    wanted = set(wanted_names(options))
    named = options.further_columns
    return [
        name
        for name in dict.fromkeys(offered)
        if name not in wanted and offered.count(name) == 1 and (name in named or is_plain(name))
    ]


def has_captions(names: Iterable[str], options: ReadOptions) -> bool:
    """Tell whether one of the columns holds candidates, captions or references, or scene graphs in their place."""
    roles = ("candidate", "caption", "references", *GRAPH_ROLES)
    known = {name for role in roles for name in options.names(role)}
    return not known.isdisjoint(names)


def is_header(names: Collection[str]) -> bool:
    """Tell whether cells are the names of columns: one of several is a usual name, in whatever case.

    Examples
    --------
    >>> is_header(["ID", "text"]), is_header(["a man", "a dog"]), is_header(["id"])
    (True, False, False)
    """
    usual = {name for names in ROLES.values() for name in names}
    return len(names) > 1 and not usual.isdisjoint(name.lower() for name in names)


def table_of_columns(
    columns: Mapping[str, Values],
    offered: Sequence[str],
    options: ReadOptions,
    source: str,
    further: Mapping[str, Column] | None = None,
) -> Table:
    """Make a table of columns of equal length.

    Parameters
    ----------
    columns : mapping of str to list
        The columns of `wanted_names` and `further_names` that the file has; None where a row has no value.
    offered : sequence of str
        All columns of the file, for messages.
    options : ReadOptions
        May name columns.
    source : str
        The input, for messages.
    further : mapping of str to sequence, optional
        Columns of `further_names` that are not among ``columns``.

    Returns
    -------
    PairedTable
        If there are candidates and references.
    CaptionTable
        If there is only one of them; a list gives several captions with the same id.

    Examples
    --------
    >>> table_of_columns({"id": [1], "refs": [["a dog", "one dog"]]}, ["id", "refs"], ReadOptions(), "file")
    CaptionTable(2 captions of 1 id from file: 'a dog', ...)
    """
    for name in columns:
        if list(offered).count(name) > 1:
            raise InputError(f"{source} has {list(offered).count(name)} columns {name!r}: give each a unique name.")
    for role, name in options.required_columns.items():
        if name not in columns:
            raise InputError(
                f"{source} has no column {name!r} ({naming(role, name)}): it has {', '.join(offered) or 'none'}."
            )
    further = {**_further(columns, options), **(further or {})}
    columns = _with_graphs(columns, options, source)
    texts = _candidates(columns, options, source)
    references = _references(columns, options)
    if texts is not None and references is not None:
        return _paired(columns, texts, references, options, source, further)
    owners = _identifiers(columns, _owner_names(options), source)
    if texts is not None:
        return _captions(owners, texts, source, further)
    if references is not None:
        return _captions(owners, [[] if value is None else value for value in references], source)
    raise InputError(
        f"{source} has no column of captions that can be recognised: expected caption, candidate or references, "
        f"found {', '.join(offered) or 'none'}; specify them, for example "
        f"{said('--columns id=NAME,candidate=NAME', 'columns={...}')}."
    )


def merge_repeated_rows(table: PairedTable) -> PairedTable:
    """Join rows of the same id and candidate that carry one reference each, as tables without lists write them.

    Examples
    --------
    >>> merge_repeated_rows(PairedTable([1, 1, 2], ["x", "x", "y"], ["a", "b", "c"], "file")).references
    [['a', 'b'], ['c']]
    """
    kept: list[int] = []
    lists: list[Any] = []
    first_rows: dict[tuple[str, str], int] = {}
    for row, references in enumerate(table.references):
        if isinstance(references, list) and not (len(references) == 1 and is_scene_graph(references[0])):
            kept.append(row)
            lists.append(references)
            continue
        found = [] if references is None else _listed(references)
        place = first_rows.setdefault((str(table.ids[row]), str(table.candidates[row])), len(kept))
        if place < len(kept):
            lists[place].extend(found)
        else:
            kept.append(row)
            lists.append(found)
    return replace(table.take(kept), references=lists)


def _with_graphs(columns: Mapping[str, Values], options: ReadOptions, source: str) -> dict[str, Values]:
    """Turn the cells of columns of scene graphs, which are JSON in tables without lists, into lists."""
    found = dict(columns)
    for role in GRAPH_ROLES:
        for name in options.names(role):
            cells = enumerate(columns.get(name, ()), 1)
            if name in columns:
                found[name] = [_graph_cell(cell, f"Row {row:,} of {source}", name, role) for row, cell in cells]
    return found


def _graph_cell(cell: object, where: str, name: str, role: str) -> object:
    """Return the scene graph of a cell, or a list of them; None if it is empty."""
    if cell is None or cell == "":
        return None
    try:
        value = parse_cell(cell) if isinstance(cell, str) else cell
    except (ValueError, RecursionError):
        value = None
    several = role == "reference_graphs" and isinstance(value, list) and all(map(is_scene_graph, value))
    if not several and not is_scene_graph(value):
        shown = " ".join(str(cell).split())[:40]
        raise InputError(
            f"{where} has no scene graph in {name!r} ({shown}): write it as a list of tuples, such as "
            '[["man"], ["man", "ride", "horse"]].'
        )
    return value


def _paired(
    columns: Mapping[str, Values],
    texts: Values,
    references: Values,
    options: ReadOptions,
    source: str,
    further: dict[str, Column],
) -> PairedTable:
    id_names = [name for name in options.names("id") if name in columns][:1]
    image_names = [name for name in _image_names(options) if name not in id_names]
    ids = _identifiers(columns, id_names, source)
    images = _identifiers(columns, image_names, source)
    lists = [value if value is None or type(value) is str or _is_several(value) else [value] for value in references]
    numbered = list(range(len(texts))) if ids is None else ids
    return PairedTable(numbered, texts, lists, source, images, columns=further, by_position=ids is None)


def _further(columns: Mapping[str, Values], options: ReadOptions) -> dict[str, Values]:
    """Return what metrics may read beside captions: all columns but those of captions; an image's may be its file."""
    if options.further_columns is None:
        return {}
    roles = ("id", "candidate", "caption", "references", *GRAPH_ROLES)
    taken = {name for role in roles for name in options.names(role)}
    return {name: column for name, column in columns.items() if name not in taken}


def _candidates(columns: Mapping[str, Values], options: ReadOptions, source: str) -> Values | None:
    """Return the candidates, row by row a caption or the scene graph in its place."""
    texts = _first_values(columns, (*options.names("candidate"), *options.names("caption")))
    graphs = _first_values(columns, options.names("candidate_graph"))
    if texts is None or graphs is None:
        return graphs if texts is None else texts
    for row, (text, graph) in enumerate(zip(texts, graphs, strict=True), 1):
        if text and graph is not None:
            raise InputError(f"Row {row:,} of {source} has both a candidate and a candidate_graph: leave one empty.")
    return [text if graph is None else graph for text, graph in zip(texts, graphs, strict=True)]


def _references(columns: Mapping[str, Values], options: ReadOptions) -> Values | None:
    """Return the references, row by row captions and scene graphs together."""
    texts = _first_values(columns, options.names("references"))
    graphs = _first_values(columns, options.names("reference_graphs"))
    if texts is None or graphs is None:
        return graphs if texts is None else texts
    return [
        text if graph is None else graph if text is None else [*_listed(text), *_listed(graph)]
        for text, graph in zip(texts, graphs, strict=True)
    ]


def _listed(value: object) -> list[Any]:
    """Return captions or scene graphs as a list."""
    return list(value) if _is_several(value) else [value]


def _is_several(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a value is a list of captions or graphs; a list of tuples is one graph."""
    return type(value) is list and not is_scene_graph(value)


def _captions(
    ids: Values | None, values: Values, source: str, further: dict[str, Column] | None = None
) -> CaptionTable:
    by_position = ids is None
    positions = len(values) if by_position else None
    owners = list(range(len(values))) if ids is None else ids
    if any(type(value) is list for value in values):
        lists = [_listed(value) for value in values]
        rows = [row for row, texts in enumerate(lists) for _ in texts]
        further = take_columns(further or {}, rows)
        owners = [owner for owner, texts in zip(owners, lists, strict=True) for _ in texts]
        values = [text for texts in lists for text in texts]
    return CaptionTable(owners, values, source, by_position, positions, columns=further or {})


def _image_names(options: ReadOptions) -> tuple[str, ...]:
    """Return the columns that can group rows; ``image_id`` does where the rows have an ``id`` besides."""
    return (*options.names("image"), *(name for name in ("image_id",) if "image" not in options.columns))


def _owner_names(options: ReadOptions) -> list[str]:
    """Return the columns that can own a caption, ``id`` late: in COCO's rows it numbers the caption, not the image."""
    named = options.columns.get("id")
    usual = sorted(options.names("id"), key=lambda name: (name != named, name == "id"))
    return [*usual, *options.names("image")]


def _first_values(columns: Mapping[str, Values], names: Sequence[str]) -> Values | None:
    """Return, row by row, the value of the first of several synonymous columns that has one."""
    found = [columns[name] for name in names if name in columns]
    if len(found) < 2:
        return found[0] if found else None
    return [next((value for value in values if value is not None), None) for values in zip(*found, strict=True)]


def _identifiers(columns: Mapping[str, Values], names: Sequence[str], source: str) -> Values | None:
    """Return the ids in the first of several columns, None if there is no such column."""
    name = next((name for name in names if name in columns), None)
    if name is None:
        return None
    ids = columns[name]
    for absent in (None, ""):
        if absent in ids:
            raise InputError(
                f"Row {ids.index(absent) + 1:,} of {source} has no {name}: provide one for every row, or for none."
            )
    return ids
