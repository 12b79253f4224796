"""``caplens packs``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

import click

from caplens.cli import framework, options
from caplens.cli.framework import argument, option


@dataclass(frozen=True)
class ListOptions:
    """``caplens packs list`` takes no options."""


def list_packs(given: ListOptions) -> None:
    """List the packs in the order in which SPICE searches them."""
    from caplens.cli.console import show
    from caplens.output.terminal import text_table
    from caplens.scenegraph.packs.library import entries

    rows = [(entry.name, f"{entry.captions:,}", entry.about, entry.fault or entry.place) for entry in entries()]
    show(text_table(("name", "captions", "about", "where"), rows))


@dataclass(frozen=True, kw_only=True)
class BuildOptions(options.Quiet):
    """What ``caplens packs build`` takes."""

    parses: str = argument('JSON lines such as {"text": "a tall man", "tuples": [["man"], ["man", "tall"]]}.')
    output: str = option(MISSING, "Output file (.pack.safetensors).", "-o", "--output", metavar="OUT")
    about: str = option("", "Source and licence of the captions.", metavar="TEXT")


def build_pack(given: BuildOptions) -> None:
    """Build a pack from captions with known tuples.

    For example, from your own output of the Java tool.
    """
    from caplens.cli.console import warn
    from caplens.errors import UsageError, counted
    from caplens.files.atomic import check_writable
    from caplens.scenegraph.packs.pack import SUFFIX, Pack
    from caplens.scenegraph.packs.reading import odd_tokens, read_parses

    if not given.output.endswith(SUFFIX):
        raise UsageError(f"{given.output!r} cannot be written: its name must end in {SUFFIX}.")
    check_writable(given.output)
    known = read_parses(given.parses)
    warn(odd_tokens(known), given.quiet)
    pack = Pack.build(known, given.about)
    pack.write(given.output)
    if not given.quiet:
        captions = counted(len(pack), "caption")
        click.echo(f"{given.output}: {captions}. To use it, run: caplens packs import {given.output}")


@dataclass(frozen=True, kw_only=True)
class ImportOptions(options.Quiet):
    """What ``caplens packs import`` takes."""

    file: str = argument("Pack written by `caplens packs build`.")
    name: str | None = option(None, "Name of the pack. Default: the file name.", metavar="NAME")


def import_pack(given: ImportOptions) -> None:
    """Install a pack, so that SPICE uses its scene graphs."""
    from caplens.errors import counted
    from caplens.scenegraph.packs import library

    entry = library.import_pack(given.file, given.name)
    if not given.quiet:
        click.echo(f"{entry.name}: {counted(entry.captions, 'caption')}, in {entry.place}")


@dataclass(frozen=True, kw_only=True)
class RemoveOptions(options.Quiet):
    """What ``caplens packs remove`` takes."""

    name: str = argument("Name of an imported pack.")


def remove_pack(given: RemoveOptions) -> None:
    """Remove an imported pack."""
    from caplens.scenegraph.packs import library

    place = library.remove_pack(given.name)
    if not given.quiet:
        click.echo(f"{given.name}: removed from {place.parent}")


list_command = framework.command(ListOptions, list_packs, name="list", examples=["caplens packs list"])
build_command = framework.command(
    BuildOptions, build_pack, name="build", examples=["caplens packs build parses.jsonl -o mine.pack.safetensors"]
)
import_command = framework.command(
    ImportOptions, import_pack, name="import", examples=["caplens packs import mine.pack.safetensors"]
)
remove_command = framework.command(RemoveOptions, remove_pack, name="remove", examples=["caplens packs remove mine"])
group = framework.group(
    "packs",
    "Scene graphs precomputed by the reference tool, for SPICE.",
    {verb: f"caplens.cli.packs:{verb}_command" for verb in ("list", "build", "import", "remove")},
)
