#!/usr/bin/env bash
# Every test there is, one suite after the other. Continuous integration runs tests/run.sh alone; this takes hours.
#
#   tests/full.sh [SUITE...]
#
#   SUITE   release (heavy, statistical and timing tests, benchmarks and the Python package among them), bare (the default
#           tests of a build without optional parts), tables (those of experiments/tables.toml that are cheap, made again),
#           hostile (every problem on data made to break it), sanitizers, fuzz, packages (Debian packages and the wheel in bare
#           roots; root's alone to run); default: all of them
#
# Environment:
#   FUZZ_SECONDS   time of each fuzzer (default 60)
#   JOBS, ALIDADE_DATA, SKIP_INSTALL   as for tests/run.sh
# A suite that fails does not end the others. At the end it says the seconds and the verdict of each, which
# build/full-summary.txt keeps, with the machine and its load. Exit status: 0 where all passed, 1 otherwise, 2 bad usage.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
jobs=${JOBS:-$(nproc)}
usage() { sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"; }

release() { "$root/tests/run.sh" --all; }
bare() { "$root/tests/run.sh" --bare; }
# By the command that `release` built.
tables() {
  if [ -z "${ALIDADE_DATA:-}" ]; then
    printf 'Skipped: ALIDADE_DATA names no folder of public data.\n'
  else
    "$root/experiments/reproduce.sh" --check
  fi
}
# By the command that `release` built.
hostile() { "$root/tests/hostile/every_problem.py" "$root/build/release/alidade" --jobs "$jobs"; }
sanitizers() { "$root/tests/run.sh" --sanitizers; }
# The memory of a fuzzed reader is limited by libFuzzer and AddressSanitizer, that of runs by the release suite:
# sanitized programs reserve too much address space for it.
fuzz() {
  cd -- "$root"
  [ "${SKIP_INSTALL:-0}" = 1 ] || "$root/third_party/install.sh" --fuzzers
  cmake --preset fuzz
  cmake --build build/fuzz --parallel "$jobs"
  # An input on which a busy machine takes 5 seconds is no finding. One seed: what fails here fails again.
  env CI=true JOBS="$jobs" FUZZ_OPTIONS='-timeout=25 -seed=1' tests/fuzz/run.sh "${FUZZ_SECONDS:-60}"
}

packages() { "$root/tests/bare_root.sh" packages; }

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
  '') set -- release bare tables hostile sanitizers fuzz packages ;;
esac
for suite in "$@"; do
  case $suite in
    release | bare | tables | hostile | sanitizers | fuzz | packages) ;;
    *)
      printf "tests/full.sh: no suite is called '%s'\n" "$suite" >&2
      usage >&2
      exit 2
      ;;
  esac
done

summary=$root/build/full-summary.txt
mkdir -p "$root/build"
printf 'Commit %s, %s cores, %s, load %s\n' "$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)" "$(nproc)" \
  "$(sed -n '/^model name/{s/^[^:]*: //p;q}' /proc/cpuinfo)" "$(cut -d' ' -f1-3 /proc/loadavg)" >"$summary"
failed=0
for suite in "$@"; do
  begun=$SECONDS status=0
  # Of its own shell: `set -e` does not hold in a function that || follows.
  bash -euo pipefail -c "$(declare -f "$suite"); root=\$1 jobs=\$2; $suite" _ "$root" "$jobs" 2>&1 || status=$?
  verdict=passed
  [ "$status" -eq 0 ] || verdict="FAILED with exit status $status" failed=1
  printf '%-12s %6d s  %s\n' "$suite" "$((SECONDS - begun))" "$verdict" >>"$summary"
done
printf '\n'
cat "$summary"
exit "$failed"
