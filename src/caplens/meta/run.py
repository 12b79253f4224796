"""Studies by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caplens.core.registry import MetricRequest, select
from caplens.core.settings import check_at_least, parses_folder
from caplens.errors import UsageError
from caplens.meta.between.compared import Compared, compared_captions, compared_systems
from caplens.meta.between.complementarity import complementarity_study
from caplens.meta.between.distributions import distribution_study
from caplens.meta.between.williams import check_coefficient, williams_study
from caplens.meta.captions.judged import apply_preset, choose_preset
from caplens.meta.captions.study import JudgedRows, Resampling, caption_study
from caplens.meta.datasets import CAPTION_SETS, PAIR_SETS, SYSTEM_SETS
from caplens.meta.datasets.coco2015 import caption_files, leaderboard_scores
from caplens.meta.everything import Finished, Planned, run_all
from caplens.meta.pairs.judged import apply_pair_preset
from caplens.meta.pairs.study import DRAWS, pair_study
from caplens.meta.probes.categories import category_study
from caplens.meta.probes.frequencies import frequency_study
from caplens.meta.probes.robustness import IMAGES, robustness_study
from caplens.meta.probes.sensitivity import read_sentences, sensitivity_study
from caplens.meta.scoring import ScoreColumns, ScoringOptions, read_own_scores
from caplens.meta.study import Study
from caplens.meta.systems.files import find_systems
from caplens.meta.systems.judged import JudgedSystems, SystemPreset
from caplens.meta.systems.study import board_columns, caption_columns, system_study
from caplens.readers.records import Record
from caplens.stats import SEED
from caplens.stats.significance import LEAST_RESAMPLES

PathLike = str | os.PathLike[str]
DEFAULT_SET = "flickr8k-expert"
"""The judged captions that studies of scores (Williams' test and the like) use unless others are named."""
COEFFICIENT = "pearson"
"""The correlation that Williams' test was made for."""
NO_DATA = Path()
_BETWEEN_METRICS = ("williams", "complementarity")
_OF_CAPTIONS = (*_BETWEEN_METRICS, "distributions")
_WITHOUT_PRESETS = ("sensitivity", "robustness", "categories", "frequencies")
_OF_FILES = ("categories", "frequencies")
_METRICS_ONLY = (*_OF_FILES, "robustness")


@dataclass(frozen=True)
class Asked:
    """What a study was asked for."""

    name: str
    data: Path
    captions: Path
    preset: str | None
    scoring: ScoringOptions
    resampling: Resampling
    references: int | None = None
    ties: str | None = None
    draws: int = DRAWS
    curve: tuple[int, ...] = ()
    join: str = "date"
    systems: Path | None = None
    on: str = DEFAULT_SET
    coefficient: str = COEFFICIENT
    measure: str | None = None
    cluster: bool = False
    images: int = IMAGES


def _captions(asked: Asked) -> Study:
    known = CAPTION_SETS[asked.name]
    preset = choose_preset(known.presets, asked.preset)
    judged = apply_preset(known.load(asked.data, asked.captions), preset)
    return caption_study(asked.name, JudgedRows(judged, preset), asked.scoring, asked.resampling)


def _rows(asked: Asked) -> JudgedRows:
    """Return the judged captions that a study about scores of captions uses."""
    if asked.on not in CAPTION_SETS:
        known_sets = ", ".join(CAPTION_SETS)
        raise UsageError(f"The study {asked.name!r} needs judged captions: choose from {known_sets}, not {asked.on!r}.")
    known = CAPTION_SETS[asked.on]
    preset = choose_preset(known.presets, asked.preset)
    return JudgedRows(apply_preset(known.load(asked.data, asked.captions), preset), preset)


def _compared(asked: Asked) -> Compared:
    """Return the scores of judged captions, or of judged systems."""
    if asked.on in CAPTION_SETS:
        if asked.measure is not None:
            raise UsageError(f"Only judged systems have measures: see --on {next(iter(SYSTEM_SETS))}.")
        return compared_captions(asked.on, _rows(asked), asked.scoring)
    if asked.on not in SYSTEM_SETS:
        known_sets = ", ".join((*CAPTION_SETS, *SYSTEM_SETS))
        raise UsageError(
            f"The study {asked.name!r} needs judged captions or systems: choose from {known_sets}, not {asked.on!r}."
        )
    judged, columns, preset, facts = _judged_systems(asked, asked.on)
    return compared_systems(asked.on, judged, columns, preset, facts, asked.measure)


def _williams(asked: Asked) -> Study:
    check_coefficient(asked.coefficient)
    return williams_study(_compared(asked), asked.resampling, asked.coefficient)


def _complementarity(asked: Asked) -> Study:
    return complementarity_study(_compared(asked), asked.cluster)


def _distributions(asked: Asked) -> Study:
    return distribution_study(asked.on, _rows(asked), asked.scoring)


def _sensitivity(asked: Asked) -> Study:
    return sensitivity_study(read_sentences(None if asked.data == NO_DATA else asked.data), asked.scoring)


def _robustness(asked: Asked) -> Study:
    return robustness_study(asked.captions, asked.scoring, asked.resampling, asked.images)


def _categories(asked: Asked) -> Study:
    files = find_systems(asked.data, asked.systems)
    return category_study(files, asked.captions, asked.scoring.jobs, parses_folder(asked.scoring.parses))


def _frequencies(asked: Asked) -> Study:
    return frequency_study(find_systems(asked.data, asked.systems), asked.captions, asked.scoring.tokenizer)


def _pairs(asked: Asked) -> Study:
    known = PAIR_SETS[asked.name]
    preset = choose_preset(known.presets, asked.preset).changed(asked.ties, asked.references)
    pairs = apply_pair_preset(known.load(asked.data, asked.captions), preset)
    return pair_study(asked.name, pairs, preset, asked.scoring, asked.resampling, draws=asked.draws, curve=asked.curve)


def _systems(asked: Asked) -> Study:
    judged, columns, preset, facts = _judged_systems(asked, asked.name)
    return system_study(asked.name, judged, columns, preset, asked.resampling, facts)


def _judged_systems(asked: Asked, name: str) -> tuple[JudgedSystems, ScoreColumns, SystemPreset, dict[str, Any]]:
    """Return systems with their scores, the preset, and where the scores come from."""
    known = SYSTEM_SETS[name]
    default = None if asked.systems is None else next(one.name for one in known.presets if one.leaderboard is None)
    preset = choose_preset(known.presets, asked.preset or default)
    judged = known.load(asked.data).without(preset.without)
    facts: dict[str, Any]
    if asked.systems is not None:
        judged, files = caption_files(judged, asked.systems)
        columns = caption_columns(asked.scoring, files, asked.captions)
        facts = {"scores_from": "captions", "files": {name: path.name for name, path in files.items()}}
    elif preset.leaderboard is None:
        raise UsageError(
            f"The preset {preset.name!r} scores captions: name the folder with a file for each team (--systems DIR)."
        )
    else:
        judged, rows, later = leaderboard_scores(judged, asked.data, preset.leaderboard, asked.join)
        columns = board_columns(asked.scoring, judged, rows, preset.leaderboard)
        facts = {"scores_from": preset.leaderboard, "join": asked.join, "later_entries": later}
    own = read_own_scores(asked.scoring, judged.names)
    if own is not None:
        columns = columns.and_those(*own)
    return judged, columns, preset, facts


_STUDIES: dict[str, Callable[[Asked], Study]] = {
    **dict.fromkeys(CAPTION_SETS, _captions),
    **dict.fromkeys(PAIR_SETS, _pairs),
    **dict.fromkeys(SYSTEM_SETS, _systems),
    "williams": _williams,
    "complementarity": _complementarity,
    "distributions": _distributions,
    "sensitivity": _sensitivity,
    "robustness": _robustness,
    "categories": _categories,
    "frequencies": _frequencies,
}

STUDIES: tuple[str, ...] = tuple(_STUDIES)
"""The names of the studies."""


def study(
    name: str,
    data: PathLike | None = None,
    *,
    captions: PathLike | None = None,
    metrics: MetricRequest = None,
    scores: PathLike | Sequence[Record] | None = None,
    preset: str | None = None,
    references: int | None = None,
    ties: str | None = None,
    draws: int = DRAWS,
    curve: Sequence[int] = (),
    join: str = "date",
    systems: PathLike | None = None,
    on: str = DEFAULT_SET,
    coefficient: str = COEFFICIENT,
    measure: str | None = None,
    cluster: bool = False,
    images: int = IMAGES,
    tokenizer: str = "ptb",
    resamples: int = LEAST_RESAMPLES,
    jobs: int | None = None,
    parses: PathLike | None = None,
    seed: int = SEED,
) -> Study:
    """Run a study of metrics.

    Parameters
    ----------
    name : str
        One of `STUDIES`.
    data : path
        The folder with the judgments; for ``table`` and ``distraction``, the file. ``sensitivity`` needs none.
    captions : path, optional
        The folder with the reference captions where the judgments carry none; by default ``data``.
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default, ``"none"`` for the user's own scores alone.
    scores : path or list of dict, optional
        Scores of the user's own: a column ``id`` and columns of numbers, each of which joins in as a metric.
    preset : str, optional
        Whose conventions to follow.
    references, ties, draws, curve
        For pairs: how many references, what equal scores count (``right``, ``wrong``, ``half``), how often references
        are drawn (0: the first ones), and numbers of references to draw a curve over.
    join, systems
        For systems: whether leaderboard entries are matched by ``date`` (team and date) or ``team`` (also a later entry
        of the team), or a folder with a caption file for each team to score instead.
    on, coefficient, measure, cluster
        For ``williams``, ``complementarity``, ``distributions``: the study whose judged captions (or systems, not for
        the last) are used; the correlation that Williams' test compares; for systems, what people were asked (``M1``);
        whether the matrix puts similar metrics beside each other.
    images
        For ``robustness``: how many images of COCO are drawn.
    tokenizer, jobs, parses
        As for `caplens.score`.
    resamples, seed
        Of the bootstrap.
    """
    check_at_least(1, jobs=jobs, resamples=resamples, images=images)
    check_at_least(0, seed=seed)
    if name not in _STUDIES:
        raise UsageError(f"There is no study {name!r}: choose from {', '.join(STUDIES)}.")
    if data is None and name != "sensitivity":
        raise UsageError(f"The study {name!r} needs judgments: name the folder that holds them (--data DIR).")
    given = {
        "pairs": (references, ties, draws, tuple(curve)) != (None, None, DRAWS, ()),
        "leaderboards": join != "date",
        "caption files": systems is not None,
        "rows of another": on != DEFAULT_SET,
        "coefficient to test": coefficient != COEFFICIENT,
        "measure to choose": measure is not None,
        "matrix to cluster": cluster,
        "images to draw": images != IMAGES,
        "presets": preset is not None,
        "use for scores from a file": scores is not None,
    }
    _refuse_strangers(name, on, [what for what, is_given in given.items() if is_given])
    folder = NO_DATA if data is None else Path(data)
    asked = Asked(
        name,
        folder,
        folder if captions is None else Path(captions),
        preset,
        ScoringOptions(metrics, scores, tokenizer, jobs, parses),
        Resampling(resamples, seed, jobs),
        references,
        ties,
        draws,
        tuple(curve),
        join,
        None if systems is None else Path(systems),
        on,
        coefficient,
        measure,
        cluster,
        images,
    )
    return _STUDIES[name](asked)


def check_has_rows(name: str) -> None:
    """Refuse to write the rows of a study that has none, before any work is done."""
    if name in _WITHOUT_PRESETS:
        raise UsageError(f"The study {name!r} has no rows that a metric of your own could score.")


def _refuse_strangers(name: str, on: str, given: Iterable[str]) -> None:
    """Refuse options that a study has no use for, rather than pass over them."""
    of_systems = (*SYSTEM_SETS, *(_BETWEEN_METRICS if on in SYSTEM_SETS else ()))
    users: dict[str, Iterable[str]] = {
        "pairs": PAIR_SETS,
        "leaderboards": of_systems,
        "caption files": (*of_systems, *_OF_FILES),
        "rows of another": _OF_CAPTIONS,
        "coefficient to test": ("williams",),
        "measure to choose": _BETWEEN_METRICS,
        "matrix to cluster": ("complementarity",),
        "images to draw": ("robustness",),
        "presets": [known for known in STUDIES if known not in _WITHOUT_PRESETS],
        "use for scores from a file": [known for known in STUDIES if known not in _METRICS_ONLY],
    }
    for what in given:
        if name not in users[what]:
            raise UsageError(f"The study {name!r} has no {what}: such options are for {', '.join(users[what])}.")


def study_all(
    data: PathLike,
    output: PathLike,
    *,
    captions: PathLike | None = None,
    metrics: MetricRequest = None,
    tokenizer: str = "ptb",
    resamples: int = LEAST_RESAMPLES,
    jobs: int | None = None,
    parses: PathLike | None = None,
    seed: int = SEED,
) -> list[Finished]:
    """Run every study that the data allows, with all presets, and write ``index.html`` and ``results.json``.

    A study that an earlier call with the same request finished is not run again, unless files of the data changed.
    Those whose data is not there are listed with the reason.

    Parameters
    ----------
    data : path
        The folder with the judgments of all sets, each directly or in a folder of its own.
    output : path
        The folder to write to.
    captions, metrics, tokenizer, resamples, jobs, parses, seed
        As for `study`.
    """
    select(metrics, tokenizer=tokenizer)  # a metric that does not exist is refused before any work

    def run(wanted: Planned) -> Study:
        return study(
            wanted.name,
            None if wanted.name == "sensitivity" else data,
            captions=captions,
            metrics=metrics,
            preset=wanted.preset,
            on=wanted.on or DEFAULT_SET,
            tokenizer=tokenizer,
            resamples=resamples,
            jobs=jobs,
            parses=parses,
            seed=seed,
        )

    request = (os.path.realpath(data), captions, metrics, tokenizer, resamples, seed)
    return run_all(output, run, request, [data] if captions is None else [data, captions])
