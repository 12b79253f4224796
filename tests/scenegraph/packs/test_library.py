"""Packs in force: the shipped one, imported ones, and what is said of those that cannot be used."""

from __future__ import annotations

import pytest

from caplens.errors import CaplensError, InputError, UsageError
from caplens.scenegraph.packs.library import SHIPPED, entries, import_pack, known_graphs, remove_pack
from caplens.scenegraph.packs.pack import Pack

GIRAFFE = ("a", "purple", "giraffe", "juggles")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPLENS_PACKS", str(tmp_path / "packs"))
    return tmp_path / "packs"


def written(tmp_path, tuples, name="mine"):
    path = tmp_path / f"{name}.pack.safetensors"
    Pack.build({GIRAFFE: tuples}, "made up").write(path)
    return path


def test_the_shipped_pack_knows_captions_of_coco(folder):
    assert [(entry.name, entry.captions, entry.fault) for entry in entries()] == [(SHIPPED, 242_213, None)]
    known, unknown = known_graphs().find(
        [tuple("a skateboarder pulling tricks on top of a picnic table".split()), GIRAFFE]  # noqa: SIM905
    )
    assert known == (("table", "picnic"), ("skateboarder",), ("top",), ("trick",))
    assert unknown is None


def test_an_imported_pack_is_in_force_first_and_changes_the_signature(folder, tmp_path):
    before = known_graphs().signature
    import_pack(written(tmp_path, [("giraffe", "purple")]))
    assert known_graphs().find([GIRAFFE]) == [(("giraffe", "purple"),)]
    with_it = known_graphs().signature
    assert with_it != before
    import_pack(written(tmp_path, [("giraffe",)]))
    assert known_graphs().find([GIRAFFE]) == [(("giraffe",),)]
    remove_pack("mine")
    assert known_graphs().signature == before


def test_a_damaged_pack_is_listed_with_its_fault_and_refused_in_use(folder, tmp_path):
    import_pack(written(tmp_path, [("giraffe",)]))
    (folder / "mine.pack.safetensors").write_bytes(b"nothing")
    assert entries()[0].fault is not None
    with pytest.raises(CaplensError, match=r"mine\.pack\.safetensors .*: remove it \(caplens packs remove mine\)\.$"):
        known_graphs()


@pytest.mark.parametrize("name", [SHIPPED, "../up", "", ".hidden"])
def test_names_that_cannot_be(folder, tmp_path, name):
    with pytest.raises(UsageError):
        remove_pack(name)
    if name:
        with pytest.raises(UsageError):
            import_pack(written(tmp_path, []), name)


def test_what_is_not_there(folder, tmp_path):
    with pytest.raises(UsageError, match="There is no imported pack 'mine'; imported: none"):
        remove_pack("mine")
    with pytest.raises(InputError, match="cannot be read"):
        import_pack(tmp_path / "missing.pack.safetensors")
