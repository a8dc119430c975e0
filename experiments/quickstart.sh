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
log=$(mktemp "${TMPDIR:-/tmp}/alidade-build.XXXXXX")
trap 'rm -f -- "$log"' EXIT
# Reads what ninja says: "@FINISHED/FILES SECONDS ..." as it goes on, all else where it fails. On a terminal it says on one
# line how far the build is, elsewhere on one line a fifth.
progress() {
  local files finished seconds rest said=-1
  while read -r finished seconds rest; do
    case $finished in
      @*) ;;
      *)
        printf '%s\n' "$finished $seconds $rest" >>"$log"
        continue
        ;;
    esac
    finished=${finished#@} files=${finished#*/} finished=${finished%/*} seconds=${seconds%.*}
    [ "$finished" -gt 0 ] || continue
    rest=$((seconds * (files - finished) / finished))
    if [ -t 1 ]; then
      printf '\r  %3d of %d files, about %d:%02d minutes left ' "$finished" "$files" $((rest / 60)) $((rest % 60))
    elif [ $((5 * finished / files)) -gt "$said" ]; then
      said=$((5 * finished / files))
      printf '  %3d of %d files after %d s\n' "$finished" "$files" "$seconds"
    fi
  done
  [ ! -t 1 ] || printf '\n'
}
build() {
  cmake --preset release -DALIDADE_BUILD_TESTS=OFF >"$log" 2>&1 &&
    NINJA_STATUS='@%f/%t %e ' cmake --build build/release --target alidade --parallel "${JOBS:-$(nproc)}" 2>&1 | progress
}
if [ ! -x build/release/alidade ]; then
  printf 'Building, some five minutes the first time. Meanwhile: README.md says what Alidade does,
experiments/STUDY.md leads from answers to a figure, problems/README.md lists the methods.\n'
fi
build || {
  tail -n 40 -- "$log" >&2
  printf 'experiments/quickstart.sh: the build failed\n' >&2
  exit 1
}

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
