#!/usr/bin/env bash
# From a bare machine to maps: installs what is missing, builds the command, runs the experiment
# experiments/configs/quickstart.toml on data that comes with Alidade, prints its table and says where
# the report is.
#
#   experiments/quickstart.sh [DIR]
#
#   DIR  where the results go (default: results/quickstart of this checkout); run again, it goes on
#        where it stopped
#
# Environment:
#   JOBS           compilers and runs at a time (default: all processors)
#   SKIP_INSTALL   1: take the machine as it is
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
case ${1:-} in
  -h | --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac
if [ $# -gt 1 ]; then
  printf 'experiments/quickstart.sh: expected at most one folder, got %d arguments\n' $# >&2
  exit 2
fi
results=${1:-$root/results/quickstart}
case $results in
  /*) ;;
  *) results=$PWD/$results ;;
esac

[ "${SKIP_INSTALL:-0}" = 1 ] || "$root/third_party/install.sh" --build
cd -- "$root"
# On a terminal the build shows how far it is; elsewhere it is heard only if it fails.
build() {
  cmake --preset release -DALIDADE_BUILD_TESTS=OFF &&
    cmake --build build/release --target alidade --parallel "${JOBS:-$(nproc)}"
}
printf 'Building (some minutes the first time) ...\n'
if [ -t 1 ]; then
  build
else
  log=$(mktemp "${TMPDIR:-/tmp}/alidade-build.XXXXXX")
  trap 'rm -f -- "$log"' EXIT
  build >"$log" 2>&1 || {
    tail -n 40 -- "$log" >&2
    printf 'experiments/quickstart.sh: the build failed\n' >&2
    exit 1
  }
fi

alidade=build/release/alidade
status=0
"$alidade" run experiments/configs/quickstart.toml --out "$results" --jobs "${JOBS:-$(nproc)}" || status=$?
# 1: some run failed; its row and the others' are there to be shown.
[ "$status" -le 1 ] || exit "$status"
printf '\n'
"$alidade" table "$results" --rows method --cols dataset --value metrics.heldout_error \
  --over repeat --format md
printf '\nThe maps, with names on hover: '
"$alidade" report "$results"
exit "$status"
