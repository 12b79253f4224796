"""``caplens completion``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caplens.cli import framework
from caplens.cli.framework import argument


@dataclass(frozen=True)
class CompletionOptions:
    """What ``caplens completion`` takes."""

    shell: Literal["bash", "zsh", "fish"] = argument("bash, zsh or fish.")


def completion(given: CompletionOptions) -> None:
    """Print a shell script that completes commands and options."""
    from click.shell_completion import get_completion_class

    from caplens.cli import COMPLETION_VARIABLE
    from caplens.cli.app import app
    from caplens.cli.console import show_content

    kind = get_completion_class(given.shell)
    if kind is None:
        raise LookupError(given.shell)
    show_content(kind(app, {}, "caplens", COMPLETION_VARIABLE).source().encode("utf-8"))


command = framework.command(
    CompletionOptions,
    completion,
    examples=[
        'eval "$(caplens completion bash)"  # in ~/.bashrc',
        'eval "$(caplens completion zsh)"   # in ~/.zshrc',
        "caplens completion fish > ~/.config/fish/completions/caplens.fish",
    ],
)
