"""Programs of SDPLIB by Alidade's solvers, and by those of other programs as commands, which must be installed.

    python3 tests/benchmarks/sdplib.py build/release/alidade FILE.dat-s ...

One solve by each solver, on one thread, in at most LIMIT CPU seconds, so that other work on the machine changes nothing.
Prints a table in Markdown, row by row, and then what it says of all programs.
"""
import math
import os
import pathlib
import resource
import subprocess
import sys

LIMIT = 5
SHORT = 0.2  # CPU seconds below which the start of a process counts as much as the solve
SOLVERS = {"`auto`": ["auto"], "`auto`, 1e-5": ["auto", "tolerance=1e-5"],
           **{f"`{name}`": [name] for name in ("csdp", "admm", "fixed_diagonal", "burer_monteiro")},
           # It ends with status 3 where a solution is less exact than asked.
           "CSDP's program": ["sdp_command", r'command=[sh,-c,"csdp \"$1\" \"$2\" || [ $? = 3 ]",sh]'],
           "DSDP": ["sdp_command", r'command=[sh,-c,"exec dsdp5 \"$1\" -save \"$2\"",sh]'],
           "SDPA": ["sdp_command", "command=[python3,experiments/adapters/sdpa.py]"]}
PEERS = list(SOLVERS)[-3:]


def solve(alidade, file, solver, options):
    """CPU seconds if the program counts as solved, and the cell of the table."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([alidade, "sdp", file, "--solver", solver, *(w for o in options for w in ("--option", o))],
                          text=True, capture_output=True, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1)))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    if said.returncode == 2:
        return None, ""
    if cpu > LIMIT:
        return None, f"over {LIMIT} s"
    told = dict(line.split(maxsplit=1) for line in said.stdout.splitlines() if " " in line)
    if told.get("termination") in ("infeasible", "unbounded"):
        return cpu, f"{cpu:.2f}"
    if "errors" not in told or max(abs(float(e)) for e in told["errors"].split()) > 1e-5:
        return None, "fails"
    cell = f"{cpu:.2f}" + "*" * (told["termination"] != "converged")
    if "at" in told:  # most
        primal = float(told["primal"])
        cell += f", {(float(told['at'].split()[-1]) - primal) / (1 + abs(primal)):.0e}"
    return cpu, cell


alidade, *files = sys.argv[1:]
seconds = {title: {} for title in SOLVERS}
print("| program | " + " | ".join(SOLVERS) + " |\n|" + "---|" * (len(SOLVERS) + 1))
for file in files:
    cells = []
    for title, (solver, *options) in SOLVERS.items():
        cpu, cell = solve(alidade, file, solver, options)
        if cpu is not None:
            seconds[title][file] = cpu
        cells.append(cell)
    print(f"| {pathlib.Path(file).name.removesuffix('.dat-s')} | " + " | ".join(cells) + " |", flush=True)
print("| solved | " + " | ".join(f"{len(seconds[title])} of {len(files)}" for title in SOLVERS) + " |")
for peer in PEERS:
    both = [(seconds["`auto`"][file], theirs) for file, theirs in seconds[peer].items() if file in seconds["`auto`"]]
    print(f"\n`auto` against {peer}, geometric mean of the CPU ratio:", end="")
    for kind, chosen in (("programs", both), (f"that take one of them more than {SHORT} s",
                                              [pair for pair in both if max(pair) > SHORT])):
        mean = math.exp(sum(math.log(a / b) for a, b in chosen) / max(1, len(chosen)))
        print(f" {mean:.2f} on {len(chosen)} {kind}", end="." if kind[0] == "t" else ",")
    print()
