#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
#
#   tests/run.sh [--sanitizers] [ARGUMENTS OF CTEST...]
#
#   --sanitizers  the suite under AddressSanitizer with UndefinedBehaviorSanitizer, then the libraries' tests of
#                 several threads under ThreadSanitizer, in place of the release build
#
# Environment:
#   JOBS             compilers and tests at a time (default: all processors)
#   ALIDADE_HEAVY    1: also the tests labelled "heavy", benchmarks among them; 0: not (default)
#   ALIDADE_DATA     folder of public data sets; tests that need one say so and are skipped without it
#   ALIDADE_PYTHON   1: also the Python package and its tests, in the release build; 0: not (default)
#   LIBRARIES_ONLY   1: leave out the command and its tests
#   SKIP_INSTALL     1: take the machine as it is
# Ends with ctest's summary, and with its exit status.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
jobs=${JOBS:-$(nproc)}
heavy=${ALIDADE_HEAVY:-0}
python=${ALIDADE_PYTHON:-0}

case ${1:-} in
  --sanitizers)
    presets=(asan tsan)
    shift
    ;;
  -h | --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) presets=(release) ;;
esac

ctest_arguments=(--output-on-failure --no-tests=error --parallel "$jobs")
[ "$heavy" = 1 ] || ctest_arguments+=(--label-exclude '^heavy$')

# ThreadSanitizer of g++ 12 and 13 gives up where the kernel randomises more address bits than it knows.
run_suite() {
  local preset=$1
  shift
  local prefix=()
  if [ "$preset" = tsan ] && setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
    prefix=(setarch "$(uname -m)" --addr-no-randomize)
  fi
  # hnswlib locks the nodes of its graph in the order in which it meets them, by one thread here.
  TSAN_OPTIONS="detect_deadlocks=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}" ${prefix[@]+"${prefix[@]}"} ctest --test-dir "build/$preset" "${ctest_arguments[@]}" "$@"
}

install=("$root/third_party/install.sh")
[ "$python" != 1 ] || install+=(--python)
[ "${SKIP_INSTALL:-0}" = 1 ] || "${install[@]}"
cd -- "$root"
for preset in "${presets[@]}"; do
  # The command's runs are forked processes, which ThreadSanitizer does not follow.
  command=ON
  if [ "${LIBRARIES_ONLY:-0}" = 1 ] || [ "$preset" = tsan ]; then command=OFF; fi
  benchmarks=OFF
  if [ "$heavy" = 1 ] && [ "$preset" = release ]; then benchmarks=ON; fi
  with_python=OFF
  if [ "$python" = 1 ] && [ "$preset" = release ] && [ "$command" = ON ]; then with_python=ON; fi
  cmake --preset "$preset" "-DALIDADE_BUILD_COMMAND=$command" "-DALIDADE_BUILD_BENCHMARKS=$benchmarks" \
    "-DALIDADE_BUILD_PYTHON=$with_python"
  cmake --build "build/$preset" --parallel "$jobs"
  run_suite "$preset" "$@"
done
