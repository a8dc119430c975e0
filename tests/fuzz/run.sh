#!/usr/bin/env bash
# Runs fuzzers of the preset `fuzz`, each for a time, and says what each did.
#
#   tests/fuzz/run.sh [SECONDS [TARGET...]]
#
#   SECONDS   for each fuzzer, 60 by default
#   TARGET    as the folders of tests/fuzz/corpus are called; all of them by default
#
#   FUZZ_BUILD   where the fuzzers were built, build/fuzz by default
#   JOBS         fuzzers at a time, 1 by default
#   CI           true: what was found is printed too, as base64, with the end of its log
#
# A fuzzer begins with tests/fuzz/corpus/TARGET and what it found new in earlier runs, which it keeps in
# FUZZ_BUILD/corpora/TARGET. What crashes, leaks, takes more than 5 seconds or more than 512 MB lies in
# FUZZ_BUILD/findings afterwards. Exit status: 0 nothing found, 1 something, 2 bad usage.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
build=${FUZZ_BUILD:-$root/build/fuzz}
seconds=${1:-60}
shift $(($# > 0))
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  printf 'tests/fuzz/run.sh: %s is no number of seconds\n' "$seconds" >&2
  exit 2
}
[ $# -gt 0 ] || set -- $(cd "$root/tests/fuzz/corpus" && echo *)

# Several at a time are this script with one target each; the first that finds something does not end the others.
if [ "${JOBS:-1}" -gt 1 ] && [ $# -gt 1 ]; then
  status=0
  printf '%s\n' "$@" | JOBS=1 xargs -P "$JOBS" -n 1 -- "${BASH_SOURCE[0]}" "$seconds" || status=$?
  [ "$status" -eq 123 ] && status=1 # of xargs: one or more ended so
  exit "$status"
fi

# Freed memory that AddressSanitizer holds back, and the call stacks of each allocation that it never forgets (hundreds of
# MB within minutes of Boost's recursive parsers), would count as the reader's own. A finding run alone has whole stacks.
export ASAN_OPTIONS=quarantine_size_mb=16:malloc_context_size=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
status=0
for target in "$@"; do
  program=$build/tests/fuzz_$target
  [ -x "$program" ] || {
    printf 'tests/fuzz/run.sh: %s is not there; build it by: cmake --preset fuzz && ninja -C build/fuzz fuzz_%s\n' \
      "$program" "$target" >&2
    exit 2
  }
  known=$build/corpora/$target findings=$build/findings/$target log=$build/corpora/$target.log
  mkdir -p "$known" "$findings"
  words=$root/tests/fuzz/words/$target.txt
  if "$program" "$known" "$root/tests/fuzz/corpus/$target" -artifact_prefix="$findings/" \
    -max_total_time="$seconds" -timeout=5 -rss_limit_mb=512 -max_len=4096 -print_final_stats=1 \
    ${FUZZ_OPTIONS:-} $([ ! -f "$words" ] || echo "-dict=$words") >"$log" 2>&1; then
    result=nothing
  else
    result="FOUND, see $log"
    status=1
  fi
  if [ "$result" != nothing ] && [ "${CI:-}" = true ]; then
    tail -n 60 "$log"
    find "$findings" -type f -exec sh -c 'printf "%s, as base64:\n" "$1"; base64 "$1"' sh {} \;
  fi
  printf '%-16s %12s runs %5s s  %s\n' "$target" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" "$result"
done
exit "$status"
