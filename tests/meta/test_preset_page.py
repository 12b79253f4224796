"""The page that lists all presets."""

from __future__ import annotations

from pathlib import Path

from caplens.meta.registry import study_class, study_names
from caplens.meta.study import preset_names

PAGE = Path(__file__).parents[2] / "docs" / "presets.md"


def test_the_page_lists_every_preset_of_every_study_in_order():
    listed: dict[str, list[str]] = {}
    study = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 5 and cells[1] not in ("preset", "---"):
            study = cells[0] or study
            listed.setdefault(study, []).append(cells[1])
    assert listed == {name: list(names) for name in study_names() if (names := preset_names(study_class(name)))}
