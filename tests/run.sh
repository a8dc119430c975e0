#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests. See tests/README.md for what runs where.
#
#   tests/run.sh [--all | --readers | --sanitizers | --bare] [ARGUMENTS OF CTEST...]
#
#   (none)        the release build and its default tests; where kernels use AVX-512, those of the libraries with AVX2 too
#   --all         the release build and all of its tests: heavy, statistical and timing ones, benchmarks, the Python package
#   --readers     the tests of readers, files and kernels under AddressSanitizer with UndefinedBehaviorSanitizer; code that
#                 they are not about is linked from the release build, which is made where it is missing
#   --bare        the default tests of a build without optional parts: CSDP, Boost.Graph, libcurl, libarchive, ReadStat, Open MPI
#   --sanitizers  all default tests under those two, then the libraries' tests of several threads under ThreadSanitizer
#
# Environment:
#   JOBS             compilers and tests at a time (default: all processors)
#   ALIDADE_DATA     folder of public data sets; tests that need one say so and are skipped without it
#   ALIDADE_PYTHON   1: also the Python package and its tests, in the release build (default with --all), 0: not
#   LIBRARIES_ONLY   1: leave out the command and its tests
#   SKIP_INSTALL     1: take the machine as it is
# A stage that exceeds its time limit fails. The end names the slowest tests and the seconds of each stage.
# Exit status: 0 where all passed, that of the stage that failed otherwise, 124 where it was its time limit.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
jobs=${JOBS:-$(nproc)}
kind=default
case ${1:-} in
  --all | --readers | --sanitizers | --bare)
    kind=${1#--}
    shift
    ;;
  -h | --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac

# Seconds that each stage may take: some three times what two idle cores need from nothing.
test_limit=1200
presets=(release) sources='' sanitized='' benchmarks=OFF
ctest_arguments=(--output-on-failure --no-tests=error --parallel "$jobs")
[ "$kind" = all ] || ctest_arguments+=(--label-exclude '^(heavy|statistical|timing)$')
case $kind in
  all) benchmarks=ON test_limit=14400 ;;
  readers)
    presets=(asan)
    sources='experiments/(files|datasets/readers)/|problems/(core|triplet_sums|programs)/|_kernel_test|student_sums'
    sources+='|solvers/(assignment|eigen)/|fuzz/'
    # What they are about is sanitized; the rest of the libraries comes from the release build.
    sanitized='experiments/(config|datasets/readers|files|results)/|problems/(core|programs|triplet_sums)/'
    sanitized+='|product_block_kernel|student_sums|solvers/(assignment|eigen)/'
    ;;
  bare) presets=(bare) ;;
  sanitizers) presets=(asan tsan) test_limit=5400 ;;
esac
python=${ALIDADE_PYTHON:-$([ "$kind" = all ] && echo 1 || echo 0)}

stages=()
logs=$(mktemp -d)
# stage NAME SECONDS COMMAND...
stage() {
  local name=$1 limit=$2 begun=$SECONDS status=0
  shift 2
  printf '\n== %s, at most %s s\n' "$name" "$limit"
  timeout --foreground "$limit" "$@" 2>&1 | tee "$logs/${#stages[@]}" || status=$?
  if [ "$status" -eq 124 ]; then
    printf '\nFailed: %s took longer than its %s s. Load of the machine: %s\n' "$name" "$limit" "$(cat /proc/loadavg)"
  fi
  stages+=("$(printf '%6d s  %s%s' "$((SECONDS - begun))" "$name" "$([ "$status" -eq 0 ] || echo ": FAILED")")")
  return "$status"
}
report() {
  local status=$?
  set +e # what it says fails nothing
  printf '\nThe ten slowest tests, in seconds:\n'
  cat "$logs"/* 2>/dev/null | sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \(.*[^.]\) \.\.*.* \([0-9.]*\) sec.*$/\2  \1/p' |
    sort -rn | sed -n 1,10p
  printf '\nSeconds of each stage:\n'
  printf '%s\n' ${stages[@]+"${stages[@]}"}
  rm -rf -- "$logs"
  exit "$status"
}
trap report EXIT

install=("$root/third_party/install.sh")
[ "$python" != 1 ] || install+=(--python)
[ "${SKIP_INSTALL:-0}" = 1 ] || stage install 900 "${install[@]}"
cd -- "$root"
for preset in "${presets[@]}"; do
  # The command's runs are forked processes, which ThreadSanitizer does not follow.
  command=ON
  if [ "${LIBRARIES_ONLY:-0}" = 1 ] || [ "$preset" = tsan ]; then command=OFF; fi
  with_python=OFF
  if [ "$python" = 1 ] && [ "$preset" = release ] && [ "$command" = ON ]; then with_python=ON; fi
  prefix=()
  # ThreadSanitizer of g++ 12 and 13 gives up where the kernel randomises more address bits than it knows.
  if [ "$preset" = tsan ] && setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
    prefix=(setarch "$(uname -m)" --addr-no-randomize)
  fi
  plain=''
  if [ -n "$sanitized" ]; then
    plain=$root/build/release target=alidade_experiments
    [ "$command" = ON ] || target=alidade_solvers
    stage 'configure release' 300 cmake --preset release "-DALIDADE_BUILD_COMMAND=$command"
    stage 'compile libraries of release' 2400 cmake --build build/release --parallel "$jobs" --target "$target"
  fi
  stage "configure $preset" 300 cmake --preset "$preset" -DALIDADE_BUILD_TESTS=ON "-DALIDADE_BUILD_COMMAND=$command" \
    "-DALIDADE_BUILD_PYTHON=$with_python" "-DALIDADE_BUILD_BENCHMARKS=$benchmarks" "-DALIDADE_TEST_SOURCES=$sources" \
    "-DALIDADE_PLAIN_BUILD=$plain" "-DALIDADE_SANITIZED_SOURCES=$sanitized"
  stage "compile $preset" 2400 cmake --build "build/$preset" --parallel "$jobs"
  # hnswlib locks the nodes of its graph in the order in which it meets them, by one thread here.
  stage "test $preset" "$test_limit" env "TSAN_OPTIONS=detect_deadlocks=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}" \
    ${prefix[@]+"${prefix[@]}"} ctest --test-dir "build/$preset" "${ctest_arguments[@]}" "$@"
done
# What this machine's widest vectors hide, such as another end of a descent, shows itself here and not on another machine.
if [ "$kind" = default ] && [ $# -eq 0 ] && grep -qw avx512f /proc/cpuinfo; then
  stage 'test release, AVX2' "$test_limit" env ALIDADE_INSTRUCTION_SET=avx2 OPENBLAS_CORETYPE=Haswell \
    ctest --test-dir build/release "${ctest_arguments[@]}" --tests-regex '^(problems|solvers)/'
fi
