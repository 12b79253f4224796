"""Put a trained critique where it ships from, with a line about the data: ``python training/critique/ship.py RUN``."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
from splits import DATA_USE

from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.learned.critique.model import CONFIG, SHIPPED, WEIGHTS


def main() -> None:
    """Copy the settings; write the weights with the line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="folder of the last stage")
    run = parser.parse_args().run
    found = read_arrays(run / WEIGHTS)
    with atomic_path(SHIPPED / WEIGHTS) as temporary:
        write_arrays(temporary, {name: np.array(found[name]) for name in found}, {**found.facts, **DATA_USE})
    shutil.copyfile(run / CONFIG, SHIPPED / CONFIG)


if __name__ == "__main__":
    main()
