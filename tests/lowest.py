"""Print what caplens needs directly, each at its lowest declared version, as requirements for pip.

python tests/lowest.py [EXTRA ...]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """Pin a requirement to its floor; others, such as exact versions and extras of caplens, stay as they are.

    Examples
    --------
    >>> lowest("numpy>=1.26"), lowest("PyStemmer>=2.2.0.3,<3; python_version < '3.14'"), lowest("pycocoevalcap==1.2")
    ('numpy==1.26', "PyStemmer==2.2.0.3; python_version < '3.14'", 'pycocoevalcap==1.2')
    """
    return re.sub(r">=\s*([\w.]+)(,\s*<[\w.]+)?", r"==\1", requirement)


def main() -> None:
    """Print the core's requirements and those of the extras named."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in sys.argv[1:]:
        wanted += project["optional-dependencies"][extra]
    sys.stdout.write("".join(f"{lowest(one)}\n" for one in wanted))


if __name__ == "__main__":
    main()
