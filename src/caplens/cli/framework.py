"""Commands from declarations: what an option is, as data, and the command that several of them make.

A command's options are the fields of a frozen dataclass, made with `option` and `argument`; the command gets one
instance of it. Groups load their commands when they are used, so that a command pays for its own imports only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from caplens.cli.completing import completer
from caplens.cli.config import config_option
from caplens.cli.console import show_text

T = TypeVar("T")


def option(
    default: object,
    explain: str,
    *flags: str,
    metavar: str | None = None,
    least: float | None = None,
    most: float | None = None,
    convert: Callable[[str], Any] | None = None,
    join: str | None = None,
) -> Any:  # noqa: ANN401 (a dataclass field)
    """Declare an option of a command: a field of a dataclass with a line of help.

    The type is that of the field: ``str``, ``int``, ``float``, ``bool`` (a switch; one that is on by default gets its
    opposite too), ``Literal[...]`` (choices) or ``tuple[..., ...]`` (the option may be repeated).

    Parameters
    ----------
    default : object
        Its value where it is not given; ``MISSING`` (of `dataclasses`) for an option that must be.
    explain : str
        The line of help.
    *flags : str
        How it is written; by default ``--field-name``.
    metavar : str, optional
        What stands for the value in the help.
    least, most : float, optional
        The range of a number.
    convert : callable, optional
        Makes the value from the text; it may raise `caplens.UsageError`.
    join : str, optional
        Of a ``str``: the option may be repeated, and this stands between its values.
    """
    more = {"flags": flags, "metavar": metavar, "least": least, "most": most, "convert": convert, "join": join}
    return field(default=default, metadata={"help": explain, **more})


def argument(explain: str, default: object = MISSING, metavar: str | None = None) -> Any:  # noqa: ANN401
    """Declare an argument of a command: a field of a dataclass; ``tuple[str, ...]`` takes several."""
    return field(default=default, metadata={"help": explain, "argument": True, "metavar": metavar})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option,))
def shared(kind: type[T]) -> type[T]:
    """Declare options that several commands share: their dataclasses derive from this one.

    Only commands are made, so only they get the methods of a dataclass: to make those takes time before every command.
    """
    return dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)(kind)


@dataclass(frozen=True)
class Declared:
    """An option (or, without flags, an argument) of a command, as data."""

    name: str
    help: str
    kind: type = str
    flags: tuple[str, ...] = ()
    default: Any = None
    required: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    metavar: str | None = None
    convert: Callable[[str], Any] | None = None
    join: str | None = None


def declared_in(kind: type) -> tuple[Declared, ...]:
    """Return what a dataclass declares: its own fields first, then those of the classes it derives from, in order.

    Any dataclass will do whose fields have ``help`` in their metadata, such as a metric or a study.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Drawing:
    ...     file: str = argument("What to draw.")
    ...     width: int = option(80, "Columns.", least=1)
    >>> [(one.name, one.flags, one.kind.__name__, one.default) for one in declared_in(Drawing)]
    [('file', (), 'str', None), ('width', ('--width',), 'int', 80)]
    """
    types = get_type_hints(kind)
    found = {entry.name: entry for entry in fields(kind) if "help" in entry.metadata}
    order = dict.fromkeys(name for base in kind.__mro__ for name in vars(base).get("__annotations__", ()))
    declared = []
    for name in order:
        if name in found:
            entry = found[name]
            known = {key: value for key, value in entry.metadata.items() if key in _KNOWN}
            if not entry.metadata.get("argument"):
                known["flags"] = tuple(known.get("flags") or (f"--{name.replace('_', '-')}",))
            default = None if entry.default is MISSING else entry.default
            shape = _shape(types[name])
            if known.get("convert"):  # it makes the whole value, of whatever type
                shape = {}
            declared.append(Declared(name, default=default, required=entry.default is MISSING, **shape, **known))
    return tuple(declared)


_KNOWN = {"help", "flags", "metavar", "least", "most", "convert", "join"}


def _shape(hint: Any) -> dict[str, Any]:  # noqa: ANN401 (a type, as written)
    """Read the type of a field: that of one value, its choices, whether there may be many."""
    if get_origin(hint) in (Union, UnionType):
        (hint, *_) = [part for part in get_args(hint) if part is not NoneType]
    many = get_origin(hint) is tuple
    if many:
        hint = get_args(hint)[0]
    if get_origin(hint) is Literal:
        return {"choices": get_args(hint), "many": many}
    return {"kind": hint if isinstance(hint, type) else str, "many": many}


@dataclass(frozen=True)
class Parsed:
    """What a user typed: the value of every option, and which of them were given."""

    values: dict[str, Any]
    given: frozenset[str]

    def into(self, kind: type[T]) -> T:
        """Make the dataclass that declared (some of) the options."""
        return kind(**{one.name: self.values[one.name] for one in declared_in(kind)})


class Command(click.Command):
    """A command whose help explains its arguments and ends with examples."""

    def __init__(
        self,
        name: str,
        *,
        params: Sequence[click.Parameter],
        arguments: Sequence[tuple[str, str]],
        examples: Sequence[str],
        **settings: Any,  # noqa: ANN401 (click's)
    ) -> None:
        if any(isinstance(one, click.Option) and not one.is_flag and one.name != "config" for one in params):
            params = [*params, config_option()]
        super().__init__(name, params=[*params, _help_option()], add_help_option=False, **settings)
        self._arguments = tuple(arguments)
        self.examples = tuple(examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explain the arguments, then the options."""
        if self._arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(self._arguments)
        super().format_options(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the examples, each on a line of its own, to be copied."""
        _write_examples(formatter, self.examples)


def _write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    if examples:
        with formatter.section("Examples"):
            formatter.write("".join(f"{'':{formatter.current_indent}}{line}\n" for line in examples))


def command(kind: type[T], run: Callable[[T], None], *, name: str = "", examples: Sequence[str] = ()) -> Command:
    """Make a command whose options are the fields of a dataclass; its name and its help are those of ``run``."""

    def start(parsed: Parsed) -> None:
        run(parsed.into(kind))

    return derive(name or run.__name__, declared_in(kind), start, explain=run.__doc__ or "", examples=examples)


def derive(
    name: str,
    declared: Iterable[Declared],
    run: Callable[[Parsed], None],
    *,
    explain: str,
    examples: Sequence[str] = (),
) -> Command:
    """Make a command from declarations made elsewhere; ``run`` gets what the user typed."""

    @click.pass_context
    def start(context: click.Context, /, **values: Any) -> None:  # noqa: ANN401 (of any option)
        values |= {one.name: one.join.join(values[one.name]) for one in declared if one.join is not None}
        sources = {key: context.get_parameter_source(key) for key in values}
        typed = frozenset(key for key, source in sources.items() if source is not ParameterSource.DEFAULT)
        run(Parsed(values, typed))

    declared = tuple(declared)
    return Command(
        name,
        params=[_parameter(one) for one in declared],
        callback=start,
        help=cleandoc(explain),
        arguments=[(one.metavar or one.name.upper(), one.help) for one in declared if not one.flags],
        examples=examples,
    )


def _parameter(declared: Declared) -> click.Parameter:
    # What must be given has no default at all: click takes None for one.
    default = (declared.default,) if declared.join is not None else declared.default
    more: dict[str, Any] = {} if declared.required or not declared.flags else {"default": default}
    number = "N" if declared.kind in (int, float) else None
    more |= {"required": declared.required, "metavar": declared.metavar or number}
    if declared.kind is str and not declared.choices:
        more["shell_complete"] = completer(declared.metavar, is_argument=not declared.flags)
    if not declared.flags:
        return click.Argument([declared.name], type=_type(declared), nargs=-1 if declared.many else 1, **more)
    flags = list(declared.flags)
    switch = declared.kind is bool
    if switch and declared.default is True:
        flags = [f"{flag}/--no-{flag.removeprefix('--')}" for flag in flags]
    return click.Option(
        [*flags, declared.name],
        type=None if switch else _type(declared),
        is_flag=switch,
        multiple=declared.many or declared.join is not None,
        show_default=not switch and declared.default not in (None, (), ""),
        help=declared.help,
        **more,
    )


def _type(declared: Declared) -> Any:  # noqa: ANN401 (whatever click takes for a type)
    if declared.convert is not None:
        return declared.convert
    if declared.choices:
        return click.Choice(declared.choices, case_sensitive=False)
    if declared.least is None and declared.most is None:  # a range without bounds would show as one in the help
        return declared.kind
    if declared.kind is int:
        least, most = (None if bound is None else int(bound) for bound in (declared.least, declared.most))
        return click.IntRange(least, most)
    if declared.kind is float:
        return click.FloatRange(declared.least, declared.most)
    return declared.kind


class Group(click.Group):
    """Commands that are loaded when they are used.

    Parameters
    ----------
    name, explain : str
        What it is called, and what it is.
    names : sequence of str, or a function that returns one
        Its commands, in the order in which the help lists them.
    load : callable
        Makes a command from its name.
    summary : callable, optional
        Gives the line of a command in the list, where loading the command to ask it would cost too much.
    nouns : tuple of str
        What its commands are called: one, and many.
    examples : sequence of str
        What ends its help; by default, the first example of each command that is cheap to load.
    """

    def __init__(
        self,
        name: str,
        explain: str,
        names: Sequence[str] | Callable[[], Sequence[str]],
        load: Callable[[str], click.Command],
        summary: Callable[[str], str] | None = None,
        nouns: tuple[str, str] = ("command", "commands"),
        examples: Sequence[str] = (),
    ) -> None:
        super().__init__(
            name,
            help=explain,
            callback=_answer_with_help,
            invoke_without_command=True,
            subcommand_metavar=f"{nouns[0].upper()} ...",
            params=[_help_option()],
            add_help_option=False,
        )
        self._names = names
        self._load = load
        self._summary = summary
        self._noun, self._nouns = nouns
        self._examples = examples

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._names() if callable(self._names) else self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is none of that name."""
        return self._load(cmd_name) if cmd_name in self.list_commands(ctx) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named, or say which one may be meant."""
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(args[0], names, n=1)
            ctx.fail(f"No such {self._noun} {args[0]!r}{f'; did you mean {close[0]!r}?' if close else '.'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its line."""
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names), default=0)
        rows = [(name, self._summary(name) if self._summary else self._line(name, limit)) for name in names]
        with formatter.section(self._nouns.capitalize()):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the examples; without any, the first one of each command."""
        examples = self._examples
        if not examples and self._summary is None:
            commands = (self.get_command(ctx, name) for name in self.list_commands(ctx))
            examples = [one.examples[0] for one in commands if isinstance(one, Command) and one.examples]
        _write_examples(formatter, examples)

    def _line(self, name: str, limit: int) -> str:
        return self._load(name).get_short_help_str(limit)


@click.pass_context
def _answer_with_help(context: click.Context, /) -> None:
    """Answer a bare ``caplens`` or ``caplens df``."""
    if context.invoked_subcommand is None:
        show_text(context.get_help())


def answer(flags: Sequence[str], explain: str, text: Callable[[click.Context], str]) -> click.Option:
    """Make an option that prints something and leaves; click's own would end in a traceback where stdout is full."""

    def show(context: click.Context, option: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            show_text(text(context))
            context.exit()

    return click.Option(list(flags), is_flag=True, is_eager=True, expose_value=False, callback=show, help=explain)


def _help_option() -> click.Option:
    return answer(("-h", "--help"), "Show this message and exit.", lambda context: context.get_help())


def group(name: str, explain: str, commands: dict[str, str], examples: Sequence[str] = ()) -> Group:
    """Make a group from where its commands are: ``{"build": "caplens.cli.df:build"}``."""

    def load(wanted: str) -> click.Command:
        module, _, attribute = commands[wanted].partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    return Group(name, explain, tuple(commands), load, examples=examples)
