"""All commands together."""

from __future__ import annotations

from typing import Annotated

import typer

from caplens._version import __version__
from caplens.cli import compare, critique, df, doctor, explain, meta, metrics, options, score, train, vectors

app = typer.Typer(
    name="caplens",
    help="Image-caption evaluation: the COCO metrics without Java, exact, fast, and every score explains itself.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(score.score)
app.command()(compare.compare)
app.command()(explain.explain)
app.command()(meta.meta)
app.command()(metrics.metrics)
app.command()(doctor.doctor)
app.add_typer(df.app, name="df")
app.add_typer(vectors.app, name="vectors")
app.add_typer(train.app, name="train")
app.add_typer(critique.app, name="critique")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"caplens {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Image-caption evaluation: the COCO metrics without Java, exact, fast, and every score explains itself."""
    options.show_help_without_command(context)
