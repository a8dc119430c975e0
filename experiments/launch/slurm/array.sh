#!/usr/bin/env bash
# An experiment as a Slurm job array: every task carries out its part of the runs on its own, in a results folder of
# its own, and a last job joins the parts. No task talks to another, so the tasks may start at any time and on any
# machine.
#
#   sbatch --array=1-16 experiments/launch/slurm/array.sh CONFIG.toml [RESULTS]
#   sbatch --dependency=afterany:JOB experiments/launch/slurm/array.sh --merge RESULTS
#
#   CONFIG.toml  the experiment; all tasks must read the same
#   RESULTS      where results go (default: results/NAME of the configuration); the parts stand beside it, as
#                RESULTS.shard-01-of-16 and so on
#
# What a task has to say is in slurm-JOB_TASK.out. A task that was killed, by its time limit for example, goes on where
# it stopped when it is submitted again; the run that it was at is done from its beginning, so --time must suffice for
# the longest run and two minutes more. Submit the same array again (tasks with nothing left end at once): `--shard
# slurm` takes the number of parts from it. For some tasks alone say the number of parts, as in
#
#   sbatch --array=3,7 --export=ALL,SHARDS=16 experiments/launch/slurm/array.sh CONFIG.toml
#
# Environment:
#   ALIDADE       the command (default: alidade)
#   ALIDADE_DATA  folder of public data sets, which all machines see
#   SHARDS        number of parts, where it is not that of the array

#SBATCH --job-name=alidade
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=04:00:00
# Asked to stop a minute before it is killed (Slurm may be another minute early), a run under way leaves a row that says
# so, and is done again.
#SBATCH --signal=B:TERM@60
set -euo pipefail

alidade=${ALIDADE:-alidade}
if [ "${1:-}" = --merge ]; then
  exec "$alidade" merge "$2".shard-*-of-* --out "$2"
fi
config=${1:?give a configuration}
shard=slurm
[ -z "${SHARDS:-}" ] || shard=$SLURM_ARRAY_TASK_ID/$SHARDS

# One run a processor that Slurm gave the task. Where runs are timed, --jobs 1 and whole machines
# (#SBATCH --exclusive) disturb each other less. exec: Slurm's signals reach alidade itself.
exec "$alidade" run "$config" --shard "$shard" --jobs "${SLURM_CPUS_PER_TASK:-1}" ${2:+--out "$2"}
