"""Options from a file: ``--config eval.toml``. Its keys are the long names of options; the command line wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from caplens.errors import InputError, UsageError

# Only who types the command can allow code; a file may come from anywhere.
TYPED_ONLY = frozenset({"allow-code"})


def config_option() -> click.Option:
    """Make the option ``--config``, which sets the defaults of the other options of its command."""

    def take(context: click.Context, option: click.Parameter, path: str | None) -> None:
        if path is not None and not context.resilient_parsing:
            context.default_map = read_config(path, context.command.params)

    explain = "Read options from a TOML file; the command line takes precedence."
    return click.Option(["--config"], metavar="FILE", is_eager=True, expose_value=False, callback=take, help=explain)


def read_config(path: str, parameters: list[click.Parameter]) -> dict[str, Any]:
    """Return the values in a file by the names of a command's parameters.

    Parameters
    ----------
    path : str
        A TOML file, such as ``metrics = ["cider", "spice"]``.
    parameters : list of click.Parameter
        What the command takes; arguments are not for files.
    """
    options = {
        flag.removeprefix("--"): one
        for one in parameters
        if isinstance(one, click.Option) and one.expose_value
        for flag in one.opts
        if flag.startswith("--")
    }
    values = {}
    for key, value in _read(path).items():
        if key in TYPED_ONLY:
            raise UsageError(f"{path} cannot set {key}: pass --{key} on the command line if you trust the code.")
        if key not in options:
            known = sorted(set(options) - TYPED_ONLY)
            from difflib import get_close_matches

            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}."
            raise UsageError(f"{path}: this command has no option {key!r}; {hint}")
        values[options[key].name or key] = _value(path, key, value, options[key])
    return values


def _read(path: str) -> Mapping[str, Any]:
    import tomllib

    from caplens.files.opening import opened

    with opened(path) as content:
        data = content.read()
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a valid TOML file ({str(error).rstrip('.')}).") from None


def _value(path: str, key: str, value: object, option: click.Option) -> object:
    """Return a value as the command line would have it: text, which the option converts and checks."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{path}: {key} must be true or false, not {value!r}.")
        return value
    several = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in several):
        raise UsageError(f"{path}: {key} must be text or a number, not {value!r}.")
    if option.multiple:
        return [str(one) for one in several]
    if len(several) != 1 or isinstance(value, list):
        raise UsageError(f"{path}: {key} takes one value, not {value!r}.")
    return str(value)
