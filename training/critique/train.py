"""Train the critique that ships; started again it goes on where it stopped.

python training/critique/train.py --run RUN [--settings training/critique/config.toml] [--no-augmentation]
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from splits import TEST, VALIDATION, write_inputs

from caplens.learned.critique.config import QUICK, read_config
from caplens.train.critique.request import TrainingInput, train_critique, without_augmentation


def say(line: str) -> None:
    """Write a line with the time."""
    sys.stdout.write(f"{datetime.now(UTC):%H:%M:%S} {line}\n")
    sys.stdout.flush()


def main() -> None:
    """Train."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for checkpoints and weights")
    parser.add_argument("--settings", type=Path, default=here / "config.toml")
    parser.add_argument("--start", type=Path, help="folder of a critique to go on from")
    parser.add_argument("--no-augmentation", action="store_true", help="machine captions are the only negatives")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    config = read_config(arguments.settings, QUICK)
    if arguments.no_augmentation:
        config = without_augmentation(config)
    references, systems = write_inputs(arguments.run.parent / "inputs")
    given = TrainingInput([references], systems, validation=VALIDATION, leave_out=[TEST], start=arguments.start)
    say(train_critique(arguments.run, config, given, say, threads=arguments.threads))


if __name__ == "__main__":
    main()
