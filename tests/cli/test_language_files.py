"""Every file of captions in another language is scored by one command, without a warning that should not be there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caplens.cli import main

FOLDER = Path(__file__).parents[3] / "shared/data/languages/captions"
FILES = sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))
SYSTEMS = ("coco-cn", "coco-mt", "aic-icc", "flickr8k-cn")
# What is true of the data.
EXPECTED = {
    "nllb-ja": {"empty-candidate", "empty-reference"},
    "nllb-zh": {"empty-candidate"},
    "xm3600-vi": {"control-character"},
}


def commands():
    for name in FILES or ["none"]:
        language = name.split("-")[1] if name.startswith(("xm3600-", "nllb-")) else name.split("-")[0]
        if name == "zh-systems":
            for system in SYSTEMS:
                yield pytest.param(
                    name,
                    language,
                    ["--at", f"systems/{system}/images", "-r", str(FOLDER / "zh.json.gz")],
                    id=f"{name}-{system}",
                )
        else:
            yield pytest.param(name, language, [], id=name)


@pytest.mark.skipif(not FILES, reason="the captions in other languages are not there (../shared/data/languages)")
@pytest.mark.parametrize(("name", "language", "more"), list(commands()))
def test_one_command(name, language, more, capsys):
    command = ["score", str(FOLDER / f"{name}.json.gz"), "--language", language, *more]
    with pytest.raises(SystemExit) as left:
        main([*command, "-m", "bleu, rouge, cider", "-o", "-"])
    said = capsys.readouterr()
    assert left.value.code == 0, said.err
    result = json.loads(said.out)
    warnings = {notice["code"] for notice in result["warnings"]}
    assert warnings == {"language"} | EXPECTED.get(name, set())
    assert len(result["items"]) > 100
    assert all(0 < entry["score"] < 10 for entry in result["metrics"].values())
