"""Score a folder of files here and on Ray, where a worker is killed: ``kill_ray_worker.py FOLDER OUT``."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
from kill_and_resume import contents

from caplens.scale import Task, ray, score_files

PATIENCE = 600  # seconds until a worker must have made its first parts


def main(rows: str, output: str) -> None:
    """Run both and compare what they wrote."""
    task = Task.of("bleu, rouge", batch_rows=500)
    killed: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        here, there = Path(place, "here"), Path(place, "ray")
        score_files([rows], here, task)
        killer = threading.Thread(target=lambda: killed.extend(_kill_a_worker(there)))
        killer.start()
        ray.score_files([rows], there, task)
        killer.join()
        same = bool(killed) and contents(here) == contents(there)
    Path(output).write_text(json.dumps({"killed": len(killed), "same": same}))


def _kill_a_worker(folder: Path) -> list[int]:
    """Kill the process that holds the lock of a shard, once there are parts; return its number."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and len(list(folder.rglob("*.sums"))) < 4:
        time.sleep(0.01)
    locks = {str(path) for path in folder.glob("part-*.lock")}
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and locks & {file.path for file in process.open_files()}:
                process.send_signal(signal.SIGKILL)
                return [process.pid]
        except psutil.Error:
            continue
    return []


if __name__ == "__main__":
    main(*sys.argv[1:])
