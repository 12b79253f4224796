#!/bin/sh
# Install a wheel in a fresh virtual environment outside the source tree and use it as a newcomer would.
#     sh tests/try_wheel.sh PYTHON WHEEL
set -eu
python="$1"
wheel=$(realpath "$2")
constraints=$(realpath "$(dirname "$0")/../constraints.txt")
smoke=$(realpath "$(dirname "$0")/smoke.py")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

fail() { echo "the wheel is not right: $1" >&2; exit 1; }

"$python" -m venv "$folder/venv"
cd "$folder"
PIP_DISABLE_PIP_VERSION_CHECK=1 CC=/bin/false venv/bin/python -m pip install --quiet --only-binary :all: --constraint "$constraints" "$wheel"
# Nothing may be compiled where the wheel is installed, nor may Python write into the package.
caplens="$folder/venv/bin/caplens"
package=$(venv/bin/python -c "import caplens, pathlib; print(pathlib.Path(caplens.__file__).parent)")
case "$package" in "$folder"/*) ;; *) fail "caplens is imported from $package" ;; esac

for file in py.typed text/_encode.pyi data/README.md data/wordnet/tables.safetensors data/wordnet/LICENSE data/parser/captions.safetensors data/vectors/scene.safetensors data/composite/Eval_MWCS.safetensors data/composite/coco-val2014.df.safetensors data/critique/weights.safetensors data/example/human.json data/example/references.json; do
    test -s "$package/$file" || test "$file" = py.typed -a -f "$package/$file" || fail "$file is missing"
done
find "$package" -name '_*.so' -o -name '_*.pyd' | grep -q . || fail "it has no compiled kernels"
left=$(find "$package" -name '*.pyx' -o -name '*.pxd' -o -name '*.c' -o -name '*.h')
test -z "$left" || fail "it holds sources: $left"

venv/bin/python "$smoke"
version=$("$caplens" --version)
test "$version" = "caplens $(venv/bin/python -c 'import caplens; print(caplens.__version__)')" || fail "--version says $version"

# Arrow is an extra: one sentence where a file needs it.
if "$caplens" score "$package/data/example/human.json" -r "$package/data/example/references.json" -m bleu -o scores.parquet 2> refused.txt
then fail "Parquet was written without Arrow"; fi
grep -qF 'need pyarrow: pip install "caplens[arrow]"' refused.txt || fail "$(cat refused.txt)"

# Without METEOR's data files: one sentence; with them (and nothing that their package would like): scores.
export CAPLENS_CACHE="$folder/cache"
example="$package/data/example/human.json -r $package/data/example/references.json"
if "$caplens" score $example -m meteor 2> refused.txt; then fail "METEOR ran without its data"; fi
grep -qF 'meteor cannot run here: its data files are not installed: pip install "caplens[meteor]"' refused.txt || fail "$(cat refused.txt)"
"$caplens" score $example 2>&1 | grep -q "warning: meteor is omitted from 'coco'" || fail "nothing said about METEOR"
PIP_DISABLE_PIP_VERSION_CHECK=1 venv/bin/python -m pip install --quiet --no-deps pycocoevalcap==1.2
"$caplens" score $example -m meteor --quiet | grep -q "METEOR .*0.2405" || fail "METEOR has another score"
"$caplens" doctor > doctor.txt
grep -q "METEOR index .*ready" doctor.txt || fail "doctor does not see the index"
! grep -E "metric +(bleu|meteor|rouge|cider|spice|wmd|wembsim|scenesim|critique|fluency|lens|eval_mwcs) .*not ready" doctor.txt || fail "a metric is not ready"
echo "the wheel works: $(basename "$wheel"), $(venv/bin/python -V)"
