#!/usr/bin/env bash
# Every test there is: those of the release build with the heavy ones among them, then both sanitizer suites.
# It takes over an hour on two cores. Continuous integration runs tests/run.sh alone.
#
#   tests/full.sh
#
# Environment:
#   FULL_SECONDS   time for all of it (default 5280); a suite that has not finished by then is cut off and has failed
#   and what tests/run.sh reads
# Ends with ctest's summary, and with exit status 1 where anything failed.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
case ${1:-} in
  '') ;;
  *)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    case $1 in -h | --help) exit 0 ;; *) exit 2 ;; esac
    ;;
esac

ALIDADE_HEAVY=1 "$root/tests/run.sh" 2>&1

left=$((${FULL_SECONDS:-5280} - SECONDS))
status=124
if [ "$left" -gt 0 ]; then
  status=0
  ALIDADE_HEAVY=0 timeout "$left" "$root/tests/run.sh" --sanitizers 2>&1 || status=$?
fi
if [ "$status" -eq 124 ]; then
  printf '\nFailed: the sanitizer suites did not finish within the %s s of FULL_SECONDS. The release build passed.\n' \
    "${FULL_SECONDS:-5280}"
  exit 1
fi
exit "$status"
