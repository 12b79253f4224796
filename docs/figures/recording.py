"""Draw docs/figures/recording.svg: a terminal in which commands are typed and answered. What they print is real.

python docs/figures/recording.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

COMMANDS = (
    "caplens example .",
    'caplens compare human.json degraded.json -r references.json -m "rouge, cider" --quiet',
    'caplens explain "a man in a blue shirt on a horse next to the sofa" -m meteor '
    '--reference "a person wearing a blue t-shirt rides a horse beside a couch"',
)
COLUMNS, LINES_OF_EXPLANATION = 92, 12
WIDTH, LINE, LEFT, TOP = 800, 17, 18, 46
TYPING, PAUSE, PRINTING = 0.9, 1.2, 0.04
STYLE = """
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #d7dae0; }
.prompt { fill: #7fd1b9; } .typed { fill: #ffffff; }
g { animation: appear 0.01s both; }
@keyframes appear { from { opacity: 0; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { g { animation: none; } }
"""


def printed(command: str, folder: str) -> list[str]:
    """Return the lines that a command prints."""
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    lines = [line for line in lines if line.strip()]
    return lines[:LINES_OF_EXPLANATION] if " explain " in command else lines


def drawn(sessions: list[tuple[str, list[str]]]) -> str:
    """Return the drawing: every line appears at its time."""
    rows, now = [], 0.0
    for command, lines in sessions:
        words = command if len(command) < COLUMNS else command.replace(" --reference", " \\\n    --reference")
        for number, line in enumerate(words.split("\n")):
            sign = '<tspan class="prompt">$ </tspan>' if not number else "  "
            rows.append((now, f'{sign}<tspan class="typed">{escape(line)}</tspan>'))
        now += TYPING
        for line in lines:
            rows.append((now, escape(line)))
            now += PRINTING
        rows.append((now, ""))
        now += PAUSE
    height = TOP + LINE * len(rows) + 6
    texts = "\n".join(
        f'<g style="animation-delay: {when:.2f}s"><text x="{LEFT}" y="{TOP + LINE * number}">{line}</text></g>'
        for number, (when, line) in enumerate(rows)
        if line
    )
    dots = "".join(
        f'<circle cx="{20 + 18 * number}" cy="18" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="caplens in a terminal">\n<style>{STYLE}</style>\n'
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#20242c"/>\n{dots}\n{texts}\n</svg>\n'
    )


def main() -> None:
    """Run the commands and write the drawing beside this file."""
    if shutil.which("caplens") is None:
        raise SystemExit("caplens is not on the path")
    with tempfile.TemporaryDirectory() as folder:
        sessions = [(command, printed(command, folder)) for command in COMMANDS]
    Path(__file__).with_suffix(".svg").write_text(drawn(sessions), encoding="utf-8")


if __name__ == "__main__":
    main()
