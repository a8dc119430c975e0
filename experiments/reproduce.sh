#!/usr/bin/env bash
# Makes the tables of experiments/tables.toml: runs their configurations, or resumes them, and writes each table to its page.
#
#   experiments/reproduce.sh [NAME...]           these tables, or all of them, the cheapest first
#   experiments/reproduce.sh --check [NAME...]   run the cheap ones anew, elsewhere; say which figures of the pages moved
#   experiments/reproduce.sh --stale [NAME...]   list tables whose code has changed since; runs nothing
#
# Environment:
#   ALIDADE        the command (default: build/release/alidade)
#   RESULTS        folder of the results (default: results)
#   ALIDADE_DATA   folder of public data sets, as for the command
#   JOBS           runs at a time (default: 1, so that seconds can be compared)
# Commit code and configurations before you make their tables: a table is stale if they have changed after its commit.
# Commits do not count whose message has the line "Results: unchanged", such as new names; see that rows stay equal first.
# Delete the folder of a configuration in RESULTS to run it again from nothing; of a table by a script, its NAME.md.
# Exit status: 0 good, 1 a run failed, figures moved or tables are stale, 2 wrong usage.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
action='make'
case ${1:-} in
  -h | --help)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  --check | --stale)
    action=${1#--}
    shift
    ;;
  -*)
    printf "experiments/reproduce.sh: there is no option '%s'\n" "$1" >&2
    exit 2
    ;;
esac
cd -- "$root"
alidade=${ALIDADE:-build/release/alidade}
results=${RESULTS:-results}
tables=experiments/tables.toml
if ! command -v "$alidade" >/dev/null; then
  printf "experiments/reproduce.sh: there is no command '%s'. Build it by tests/run.sh, or name one by ALIDADE=...\n" "$alidade" >&2
  exit 2
fi
list=$("$alidade" pages "$tables" "$@" --list) || exit 2
status=0

# Runs a configuration in a folder; the commit that began it stands beside.
run_in() {
  local folder
  folder=$1/$(basename "$2" .toml)
  mkdir -p "$1"
  [ -e "$folder/runs.jsonl" ] || git rev-parse --short HEAD >"$folder.commit"
  "$alidade" run "$2" --out "$folder" --jobs "${JOBS:-1}" || status=1
}

# Keeps what a script prints, once; what it printed before it failed is no table.
print_in() {
  local kept=$1/$2
  [ ! -e "$kept.md" ] || return 0
  mkdir -p "$1"
  git rev-parse --short HEAD >"$kept.commit"
  date -u +%F >"$kept.date"
  if PYTHONPATH=${PYTHONPATH:-build/release/python} RESULTS=$results ALIDADE=$alidade bash -c "$3" >"$kept.part" </dev/null; then
    mv "$kept.part" "$kept.md"
  else
    status=1
  fi
}

case $action in
  make)
    # The cheapest first; tables without runs of their own, which show those of others, last.
    while IFS=$'\t' read -r name _ _ _ configs _ script; do
      commit=''
      [ "$script" = - ] || print_in "$results" "$name" "$script"
      [ "$script" = - ] || commit=$(cat "$results/$name.commit")
      for config in ${configs#-}; do
        run_in "$results" "$config"
        commit=$(cat "$results/$(basename "$config" .toml).commit")
      done
      "$alidade" pages "$tables" "$name" --results "$results" --commit "${commit:-$(git rev-parse --short HEAD)}"
    done < <(sort -t $'\t' -k 3,3g <<<"$list" | awk -F '\t' '$5 != "-" || $7 != "-"; $5 == "-" && $7 == "-" { last = last $0 "\n" } END { printf "%s", last }')
    ;;
  check)
    scratch=$(mktemp -d)
    trap 'rm -rf -- "$scratch"' EXIT
    names=()
    while IFS=$'\t' read -r name commit _ check configs _; do
      if [ "$check" != check ] || [ "$commit" = - ]; then continue; fi
      names+=("$name")
      for config in ${configs#-}; do run_in "$scratch" "$config"; done
    done <<<"$list"
    [ ${#names[@]} -eq 0 ] || "$alidade" pages "$tables" "${names[@]}" --results "$scratch" --check || status=1
    ;;
  stale)
    while IFS=$'\t' read -r name commit minutes _ configs code _; do
      if [ "$commit" = - ]; then
        why='never made by its commands'
      else
        # Words apart: configurations and code are lists of paths.
        # shellcheck disable=SC2086
        why=$(git log --format='%h %s' --invert-grep --grep='^Results: unchanged$' "$commit..HEAD" -- ${configs#-} $code ':(exclude)*.md' | sed -n 1p)
      fi
      [ -n "$why" ] || continue
      printf '%-20s %6s CPU minutes  %s\n' "$name" "$minutes" "$why"
      status=1
    done <<<"$list"
    ;;
esac
exit "$status"
