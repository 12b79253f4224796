#!/bin/sh
# Builds the kernels with AddressSanitizer, UndefinedBehaviorSanitizer and checked indices in a copy of the sources, and
# runs the tests that concern them. Any finding ends the run.
#   tests/sanitize.sh PYTHON [TESTS...]
set -eu
python=$1
shift
[ $# -gt 0 ] || set -- tests/trust/test_kernels.py tests/trust/test_tables.py tests/text tests/networks tests/stats \
    tests/metrics/wmd tests/metrics/embedding tests/metrics/meteor tests/metrics/test_oracles.py \
    tests/metrics/test_properties.py tests/metrics/lens tests/learned/lens tests/learned/fluency tests/readers/test_coco.py \
    tests/scenegraph/parser/test_network.py
copy=build/sanitize
mkdir -p "$copy"
# Times are kept, so that a second run compiles only what has changed.
tar cf - --exclude='*.so' --exclude='*.c' setup.py pyproject.toml README.md LICENSE src | tar xf - -C "$copy"
(cd "$copy" && CAPLENS_SANITIZE=1 "$python" setup.py --quiet build_ext --inplace > build.log 2>&1) || {
    tail -n 40 "$copy/build.log"
    exit 1
}
# The interpreter is not built with sanitizers, so their library comes first; its own leaks are not our concern.
# What they find goes to the terminal at once (--capture=sys). A request for more memory than there is must fail, as it
# does without them.
LD_PRELOAD=$(gcc -print-file-name=libasan.so) \
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
UBSAN_OPTIONS=print_stacktrace=1 \
PYTHONMALLOC=malloc \
PYTHONPATH=$PWD/$copy/src \
    "$python" -m pytest -q -p no:cacheprovider --capture=sys "$@"
