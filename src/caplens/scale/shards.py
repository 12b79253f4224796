"""A folder of shards: one for each input file, made of parts, by any number of processes.

::

    DIR/manifest.json              the options that all shards have in common
    DIR/NAME.lock                  held by the process that works on a shard
    DIR/NAME/part-000000.parquet   item scores of a batch
    DIR/NAME/part-000000.sums      its sums
    DIR/NAME/shard.json            written when all parts are there

Every file is written whole or not at all, and carries a checksum or is covered by one. A process that is killed loses
the batch it was working on; the next one finds what is there and goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from caplens.errors import InputError, UsageError, reason_of
from caplens.files.atomic import replacing
from caplens.files.packages import require_arrow
from caplens.files.paths import exists, is_folder
from caplens.scale.files import digest_of_text, shard_name
from caplens.scale.parts import writing
from caplens.scale.task import digest_of_options

SCHEMA = 1
MANIFEST, SHARD, LOCK = "manifest.json", "shard.json", ".lock"


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What all shards of a folder have in common: what they hold (``kind``) and the options they were made with."""

    schema: int = SCHEMA
    kind: str
    options: dict[str, str]


class ShardRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finished shard.

    ``source`` is a hash of the file, ``task`` of the options, ``parts`` the checksum of each part, by name, and
    ``checksum`` one of all that.
    """

    name: str
    file: str
    source: str
    task: str
    rows: int
    parts: dict[str, str]
    checksum: str = ""

    def seal(self) -> ShardRecord:
        """Return the record with its checksum."""
        return msgspec.structs.replace(self, checksum=self._digest())

    @property
    def is_whole(self) -> bool:
        """Whether it is what was written."""
        return self.checksum == self._digest()

    def _digest(self) -> str:
        return digest_of_text(msgspec.json.encode(msgspec.structs.replace(self, checksum="")).decode())


@dataclass(frozen=True)
class ShardFolder:
    """A folder of shards of one kind, made with the same options."""

    path: Path
    manifest: Manifest

    @property
    def task(self) -> str:
        """A hash of the options."""
        return digest_of_options(self.manifest.options)

    @classmethod
    def make(cls, path: str | os.PathLike[str], kind: str, options: Mapping[str, str]) -> ShardFolder:
        """Make a folder, or open one that was made with the same options; another one is refused."""
        require_arrow("Shards")
        folder = Path(path)
        if exists(folder) and not is_folder(folder):
            raise UsageError(f"{folder} is a file: specify a folder, which is created if it does not exist.")
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        wanted = Manifest(kind=kind, options=dict(options))
        with held(folder / f"manifest{LOCK}", wait=True):
            if not (folder / MANIFEST).exists():
                if any(entry.suffix != LOCK for entry in folder.iterdir()):
                    raise UsageError(f"{folder} contains other files: specify a new folder for the shards.")
                _write(folder / MANIFEST, wanted)
                return cls(folder, wanted)
        found = cls.open(folder, kind)
        found.check(options)
        return found

    @classmethod
    def open(cls, path: str | os.PathLike[str], kind: str) -> ShardFolder:
        """Open a folder that `make` made."""
        require_arrow("Shards")
        folder = Path(path)
        try:
            manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        except FileNotFoundError as error:
            raise InputError(f"{folder} is not a folder of shards: it has no {MANIFEST}.") from error
        except (OSError, msgspec.MsgspecError) as error:
            raise InputError(f"{folder / MANIFEST} cannot be read: {reason_of(error)}.") from error
        if manifest.kind != kind or manifest.schema != SCHEMA:
            made = f"{manifest.kind} (schema {manifest.schema})"
            raise InputError(
                f"{folder} contains shards of {made}, not of {kind} (schema {SCHEMA}): specify another folder."
            )
        return cls(folder, manifest)

    def check(self, options: Mapping[str, str]) -> None:
        """Refuse other options than those the shards were made with."""
        there = self.manifest.options
        for name in dict.fromkeys([*there, *options]):
            if there.get(name) != options.get(name):
                raise UsageError(
                    f"The shards in {self.path} were created with {name}={_shown(there.get(name))}, not with "
                    f"{name}={_shown(options.get(name))}: use the same value, or another folder."
                )

    def shards(self) -> list[str]:
        """Return the names of the shards, finished or not, in order."""
        return sorted(entry.name for entry in self.path.iterdir() if entry.is_dir())

    def record(self, name: str) -> ShardRecord | None:
        """Return what is said of a finished shard; None if it is not finished or its record is damaged."""
        try:
            record = msgspec.json.decode((self.path / name / SHARD).read_bytes(), type=ShardRecord)
        except (OSError, msgspec.MsgspecError):
            return None
        return record if record.is_whole else None

    def parts(self) -> list[Path]:
        """Return the parts of all shards, which must be finished, in the order of their names, without endings."""
        places: list[Path] = []
        for name in self.shards():
            record = self.record(name)
            if record is None:
                raise InputError(f"The shard {name} in {self.path} is not finished: rerun the command that writes it.")
            if record.task != self.task:
                raise InputError(f"The shard {name} was created with different options from the others in {self.path}.")
            places.extend(self.path / name / part for part in sorted(record.parts))
        if not places:
            raise InputError(f"There are no shards in {self.path} yet.")
        return places

    def damaged(self, part: Path) -> InputError:
        """Say that a part is not what was written."""
        return InputError(
            f"{part} is damaged or incomplete: rerun the command that writes its shard, which computes only what "
            "is missing."
        )

    def finish(self, file: Path, source: str, rows: int, parts: Mapping[str, str]) -> None:
        """Say that a shard has all its parts."""
        name = shard_name(file)
        record = ShardRecord(
            name=name, file=file.name, source=source, task=self.task, rows=rows, parts=dict(parts)
        ).seal()
        if self.record(name) != record:
            _write(self.path / name / SHARD, record)

    def begin(self, file: Path, source: str) -> Path:
        """Return the folder of a shard, without what a process that was killed left behind; the lock must be held.

        A shard that was made from something else is refused.
        """
        name = shard_name(file)
        folder = self.path / name
        with writing(folder):
            folder.mkdir(exist_ok=True)
            for entry in folder.iterdir():
                if entry.name.startswith("."):
                    entry.unlink()
        record = self.record(name)
        if record is not None and (record.file, record.source) != (file.name, source):
            raise self.other_source(file, record.file)
        return folder

    def other_source(self, file: Path, known: str) -> InputError:
        """Say that a shard was created from another file, or from other content."""
        name = shard_name(file)
        return InputError(
            f"The shard {name} in {self.path} was created from another file, or {known} has changed since: remove "
            f"{self.path / name} to score {file} instead, or use another folder."
        )


@contextmanager
def held(lock: Path, *, wait: bool) -> Iterator[bool]:
    """Hold a lock within the block; without ``wait`` give False where another process holds it."""
    from filelock import FileLock, Timeout

    holder = FileLock(lock)
    with writing(lock):
        try:
            holder.acquire(blocking=wait)
        except Timeout:
            yield False
            return
    try:
        yield True
    finally:
        holder.release()


def remove_others(folder: Path, keep: Callable[[str], bool]) -> None:
    """Remove the files of parts that a shard no longer has."""
    for entry in folder.iterdir():
        if entry.name.startswith("part-") and not keep(entry.stem):
            with suppress(OSError):
                entry.unlink()


def _write(path: Path, record: msgspec.Struct) -> None:
    with writing(path), replacing(path) as temporary:
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(record)) + b"\n")


def _shown(value: str | None) -> str:
    return value or "nothing"
