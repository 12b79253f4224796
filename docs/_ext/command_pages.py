"""The page of a command: what `--help` says, from the same declarations."""

from __future__ import annotations

import click

from caplens.cli.app import app

_WIDTH = 100


def command_pages() -> list[str]:
    """Return the paths of all commands, such as ``df build``."""
    found = []

    def walk(command: click.Command, path: str) -> None:
        if isinstance(command, click.Group):
            with click.Context(command, info_name=path) as context:
                for name in command.list_commands(context):
                    inner = command.get_command(context, name)
                    if inner is not None:
                        walk(inner, f"{path} {name}".strip())
        else:
            found.append(path)

    walk(app, "")
    return found


def command_page(path: str) -> str:
    """Return the page of a command as Markdown."""
    command: click.Command = app
    context = click.Context(app, info_name="caplens", terminal_width=_WIDTH, max_content_width=_WIDTH)
    for name in path.split():
        assert isinstance(command, click.Group)
        command = command.get_command(context, name) or command
        context = click.Context(
            command, info_name=name, parent=context, terminal_width=_WIDTH, max_content_width=_WIDTH
        )
    return f"# caplens {path}\n\n```text\n{click.unstyle(command.get_help(context)).strip()}\n```\n"
