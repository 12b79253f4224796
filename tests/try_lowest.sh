#!/bin/sh
# Run the golden and command-line tests on a wheel with every direct dependency at its lowest declared version.
#     sh tests/try_lowest.sh PYTHON WHEEL
set -eu
python="$1"
wheel=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
"$python" -m venv "$folder/venv"
"$python" "$root/tests/lowest.py" arrow > "$folder/lowest.txt"
pip() { PIP_DISABLE_PIP_VERSION_CHECK=1 "$folder/venv/bin/python" -m pip install --quiet "$@"; }
pip --only-binary :all: --constraint "$root/constraints.txt" --requirement "$folder/lowest.txt" "$wheel" pytest "hypothesis>=6.100" "pandas>=2.1,<3"
pip --no-deps pycocoevalcap==1.2
# The tests are copied, so that caplens is the wheel's, not that of the source tree.
mkdir -p "$folder/repository/src/caplens/data"
cp -r "$root/src/caplens/data/example" "$folder/repository/src/caplens/data/"
cp -r "$root/tests" "$root/examples" "$root/benchmarks" "$root/pyproject.toml" "$folder/repository/"
ln -s "$(realpath "$root/../shared" 2>/dev/null || echo /nonexistent)" "$folder/shared"
cd "$folder/repository"
"$folder/venv/bin/python" -c "import caplens; assert 'site-packages' in caplens.__file__, caplens.__file__"
CAPLENS_CACHE="$folder/cache" "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider \
    tests/metrics/test_golden.py tests/cli/test_golden.py tests/cli/test_commands.py
"$folder/venv/bin/python" -m pip list --format=freeze | grep -iE "^($(sed 's/[=>;].*//' "$folder/lowest.txt" | paste -sd '|'))==" | paste -sd ' '
