"""``caplens critique``: the studies that train critiques, derived from what they declare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from caplens.cli import framework
from caplens.cli.framework import Command, Parsed, declared_in
from caplens.cli.meta import Printing, as_argument, given_options, options_of
from caplens.errors import UsageError

if TYPE_CHECKING:
    from caplens.train.critique.study import CritiqueStudy


def say_to(quiet: bool) -> Callable[[str], None]:
    """Return what prints lines about a long training to stderr."""
    from caplens.cli.console import tell

    def say(line: str) -> None:
        if not quiet:
            tell(line)

    return say


def protocol_command(name: str) -> Command:
    """Make the command of a study that trains critiques."""
    from caplens.meta.registry import study_class, study_title
    from caplens.train.critique.study import CritiqueStudy

    kind = study_class(f"critique-{name}")
    if not issubclass(kind, CritiqueStudy):
        raise TypeError(f"{kind} trains no critiques")
    required = ("references", "folder")
    shown = [replace(one, required=one.name in required) for one in options_of(kind)]

    def run(parsed: Parsed) -> None:
        run_protocol(kind, parsed)

    title = study_title(kind.name)
    explain = f"{title[:1].upper()}{title[1:]}."
    examples = [f"caplens critique {name} ours.json theirs.json -r captions.json -o folder"]
    return framework.derive(
        name, [*as_argument(shown, "systems"), *declared_in(Printing)], run, explain=explain, examples=examples
    )


def run_protocol(kind: type[CritiqueStudy], parsed: Parsed) -> None:
    """Run a study that trains critiques; its folder also gets the results."""
    from caplens.cli.console import progress, show_text, warn
    from caplens.meta.drawing import check_figure_file
    from caplens.meta.study import NO_DATA, configure

    given = parsed.values
    if given["figure"]:
        if not given.get("human", True):
            raise UsageError("The figure plots scores against judgments: also pass --human TABLE.")
        check_figure_file(given["figure"])
    study = replace(configure(kind, given_options(parsed, kind)), say=say_to(given["quiet"]))
    with progress(given["quiet"]):
        outcome = study.run(NO_DATA)
        outcome.write(f"{given['folder']}/{outcome.study}.json")
        if given["figure"]:
            outcome.write_figure(given["figure"])
    warn(outcome.warnings, given["quiet"])
    show_text(outcome.render(given["table_format"]))


group = framework.Group(
    "critique",
    "Evaluate systems with critiques that are trained on them.",
    ("evaluate", "ablation"),
    protocol_command,
)
