"""Stream a file, killed at random moments and resumed: ``python kill_and_resume.py ROWS OUTPUT KILLS``."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH_ROWS = 500
COMMAND = "from caplens.cli import main; main()"


def start(rows: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start, or resume, a run."""
    command = [sys.executable, "-c", COMMAND, "score", rows, "-m", "bleu, rouge", "-q", "--stream", "-o", str(folder)]
    return subprocess.Popen([*command, "--batch-rows", str(BATCH_ROWS)], stdout=subprocess.DEVNULL)


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def main() -> None:
    """Run once without and once with kills, and compare."""
    rows, output, wanted = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    chance, kills = random.Random(wanted), 0
    with tempfile.TemporaryDirectory() as place:
        whole, killed = Path(place, "whole"), Path(place, "killed")
        begun = time.monotonic()
        start(rows, whole).wait()
        batch_seconds = (time.monotonic() - begun) / len(list(whole.rglob("*.sums")))
        while kills < wanted:
            before, process = len(list(killed.rglob("*.sums"))), start(rows, killed)
            while process.poll() is None and len(list(killed.rglob("*.sums"))) <= before:
                time.sleep(0.002)
            time.sleep(chance.random() * batch_seconds)
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                break  # it was done before it could be killed: there were too few rows
            kills += 1
        start(rows, killed).wait()
        output.write_text(json.dumps({"kills": kills, "same": contents(whole) == contents(killed)}))


if __name__ == "__main__":
    main()
