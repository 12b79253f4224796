#!/bin/sh
# Print one interpreter for each version of Python, 3.11 and later, that this machine has.
#     sh tests/pythons.sh
for minor in 11 12 13 14 15; do
    for python in "python3.$minor" "$HOME/.pyenv/versions/3.$minor".*/bin/python; do
        found=$(command -v "$python" 2>/dev/null) || continue
        # pyenv has commands for versions that are not chosen, and Debian's Python may lack venv.
        "$found" -c "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null || continue
        echo "$found"
        break
    done
done
