"""`alidade sdp` on files of semidefinite programs, beside CSDP's own program and LoRADS where they are installed.

    python3 tests/benchmarks/sdp_peers.py measure RUNS.jsonl --alidade build/release/alidade [--csdp csdp]
        [--lorads LORADS] [--limit 20] [--others 3] [--solvers auto,csdp,...] FILE.dat-s ...
    python3 tests/benchmarks/sdp_peers.py report RUNS.jsonl

`measure` appends one line to RUNS.jsonl for each file and solver that has none yet, or that a smaller limit stopped.
CPU seconds are those of the process and its children, on one thread, and the limit is in CPU seconds too, so that
other work on the machine changes neither: the median of three solves, or of one that takes more than a second. They
write no solution; one more does, from which `alidade verify` proves each bound again, that of CSDP's program too.
`report` prints tables in Markdown.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LOOSE = "auto_loose"  # `auto` at LoRADS' tolerance of 1e-5; our solvers have 1e-6, csdp 1e-8
OURS = ("auto", LOOSE, "csdp", "admm", "fixed_diagonal", "burer_monteiro")
PEERS = ("csdp_program", "lorads")
NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)"
MET = 1e-5  # the largest error of a solution that counts
NOT_APPLICABLE = "does not apply"
START = "start"  # names the row of what programs take to start
LEAST = 1e-3  # CPU seconds of a solve, without the start, that can be told
SHORT = 0.2  # CPU seconds below which the start of a process counts as much as the solve


def cpu_of(pid):
    """CPU seconds of a process and its children, those alive included."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        below = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_of, below))


def run(command, limit, grace=2):
    """Output, exit status, CPU seconds, peak memory in MB and whether the limit stopped it: by an interrupt, and by
    force if it works on for `grace` CPU seconds. None: by force at once."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryFile("w+") as text:
        child = subprocess.Popen(command, stdout=text, stderr=subprocess.STDOUT, env=environment)
        stopped = 0
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            cpu = cpu_of(child.pid)
            if cpu > limit and stopped == 0 and grace is not None:
                os.kill(child.pid, signal.SIGINT)
                stopped = 1
            elif stopped < 2 and cpu > limit + (grace or 0):
                os.kill(child.pid, signal.SIGKILL)
                stopped = 2
            time.sleep(0.02)
        child.returncode = os.waitstatus_to_exitcode(status)
        text.seek(0)
        return {"text": text.read()[-100_000:], "status": child.returncode, "cpu": used.ru_utime + used.ru_stime,
                "memory_mb": used.ru_maxrss / 1024, "stopped": stopped > 0}


def numbers_after(word, text):
    found = re.search(rf"^{word}\s*((?:{NUMBER}\s*)+)$", text, re.M)
    return [float(x) for x in found[1].split()] if found else []


def line_after(word, text):
    found = re.search(rf"^{word}\s+(.+)$", text, re.M)
    return found[1] if found else None


def verified(alidade, file, solution, row):
    """The bound as `alidade verify` proves it."""
    if not os.path.exists(solution) or os.path.getsize(solution) == 0:
        return
    check = run([alidade, "verify", file, solution], 300)
    bound = numbers_after("at most", check["text"])
    proof = " ".join(filter(None, (line_after(w, check["text"]) for w in ("proof", "unbounded", "infeasible"))))
    row["verify"] = {"status": check["status"], "bound": bound[0] if bound else None, "proof": proof,
                     "cpu": check["cpu"]}
    if bound and row.get("primal") is not None:
        row["certified_gap"] = (bound[0] - row["primal"]) / (1 + abs(row["primal"]))


def of_lorads(text):
    """Objectives (of the maximum) and the errors that LoRADS prints last, relative as the DIMACS errors are."""
    last = text[text.rfind("Objective function Value are"):] if "Objective function Value are" in text else ""
    of = [float(x) for x in re.findall(rf"^\s*\d\..*:\s*({NUMBER})\s*$", last, re.M)]
    primal, dual = (-of[0], -of[1]) if len(of) >= 2 else (None, None)
    errors = of[2:6] if len(of) >= 6 else []
    ok = len(errors) == 4 and all(abs(e) <= 1e-5 for e in errors)
    return {"primal": primal, "dual": dual, "errors": errors, "ok": ok, "ended": "met 1e-5" if ok else "failure"}


def timed(command, limit, grace=2):
    """As run(), with the median CPU seconds of three runs if the first takes at most one."""
    row = run(command, limit, grace)
    if row["cpu"] <= 1:
        row["cpu"] = statistics.median([row["cpu"]] + [run(command, limit, grace)["cpu"] for _ in range(2)])
    return row


def starts(options):
    """CPU seconds that each program takes to start, where no file is solved."""
    commands = {"auto": [options.alidade, "--version"], "csdp_program": options.csdp and [options.csdp],
                "lorads": options.lorads and [options.lorads, "nowhere"]}
    return {name: statistics.median(run(c, 10)["cpu"] for _ in range(7)) for name, c in commands.items() if c}


def solve(solver, file, options, folder):
    solution = os.path.join(folder, "solution")
    if solver == "csdp_program":
        row = timed([options.csdp, file], options.limit, None)
        text = row["text"]
        row["primal"] = next(iter(numbers_after("Primal objective value:", text)), None)
        row["dual"] = next(iter(numbers_after("Dual objective value:", text)), None)
        row["errors"] = numbers_after("DIMACS error measures:", text)
        row["ended"] = next((w for w in ("SDP solved", "primal infeasible", "dual infeasible", "reduced accuracy")
                             if w in text), "failure")
        row["ok"] = row["status"] in (0, 1, 2)
        if row["status"] in (0, 3):
            run([options.csdp, file, solution], options.limit, None)
            verified(options.alidade, file, solution, row)
    elif solver == "lorads":
        row = timed([options.lorads, file], options.limit, None)
        row.update(of_lorads(row["text"]))
    else:
        name = "auto" if solver == LOOSE else solver
        how = ["--option", "tolerance=1e-5"] if solver == LOOSE else []
        command = [options.alidade, "sdp", file, "--solver", name] + how
        row = timed(command, options.limit)
        text = row["text"]
        row["primal"] = next(iter(numbers_after("primal", text)), None)
        row["dual"] = next(iter(numbers_after("dual", text)), None)
        row["errors"] = numbers_after("errors", text)
        row["chosen"] = line_after("solver", text)
        row["ended"] = line_after("termination", text) or NOT_APPLICABLE
        row["ok"] = row["ended"] in ("converged", "infeasible", "unbounded")
        if row["ended"] != NOT_APPLICABLE:
            run(command + ["-o", solution], options.limit)
            verified(options.alidade, file, solution, row)
    if row["stopped"]:
        row["ok"], row["ended"] = False, "limit"
    if row["ok"]:
        row.pop("text")
    else:
        row["text"] = row["text"][-2000:]
    return row


def read(path):
    """The last line of each file and solver."""
    rows = {}
    if os.path.exists(path):
        for line in open(path):
            row = json.loads(line)
            rows[row["file"], row["solver"]] = row
    return rows


def measure(options):
    rows = read(options.runs)
    options.csdp, options.lorads = (program and shutil.which(program) for program in (options.csdp, options.lorads))
    if not rows:
        with open(options.runs, "a") as out:
            out.write(json.dumps({"file": START, "solver": START, "cpu": starts(options)}) + "\n")
    wanted = [s for s in options.solvers.split(",") if s not in PEERS or getattr(options, s.split("_")[0])]
    limits = {solver: options.limit if solver in ("auto", LOOSE, "csdp_program") else options.others for solver in wanted}
    for solver in wanted:  # the slowest comparisons last, so that a run that is cut short is of use
        options.limit = limits[solver]
        for file in sorted(options.files):
            name = os.path.basename(file).removesuffix(".dat-s")
            old = rows.get((name, solver))
            if old and not (old["ended"] == "limit" and old["limit"] < options.limit):
                continue
            with tempfile.TemporaryDirectory() as folder:
                row = dict(solve(solver, file, options, folder), file=name, solver=solver, limit=options.limit)
            with open(options.runs, "a") as out:
                out.write(json.dumps(row) + "\n")
            print(f"{name:12} {solver:15} {row['ended']:16} {row['cpu']:.2f} s", file=sys.stderr)


def counts(row):
    """Whether all errors are at most MET, or infeasibility is shown; whatever the solver says of itself."""
    if row["ended"] == "limit":
        return False
    if row["ended"] in ("infeasible", "unbounded", "primal infeasible", "dual infeasible"):
        return True
    return bool(row["errors"]) and all(abs(e) <= MET for e in row["errors"])


def cell(row):
    """CPU seconds and the certified gap (LoRADS: its largest error, as it proves nothing); * if the solver says that it
    fell short of its own tolerance."""
    if row is None or row["ended"] == NOT_APPLICABLE:
        return ""
    seconds = f"{row['cpu']:.2f}"
    if not counts(row):
        return f"over {row['limit']:.0f} s" if row["ended"] == "limit" else "fails"
    if not row["ok"]:
        seconds += "*"
    gap = row.get("certified_gap")
    if row["solver"] == "lorads":
        gap = max(map(abs, row["errors"]))
    return seconds if gap is None else f"{seconds}, {gap:.0e}"


def natural(name):
    return [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", name)]


def agrees(row, other):
    if row["primal"] is None or other is None or other["primal"] is None:
        return True
    return abs(row["primal"] - other["primal"]) <= 1e-3 * (1 + abs(other["primal"]))


def report(options):
    rows = read(options.runs)
    start = rows.pop((START, START), {"cpu": {}})["cpu"]
    files = sorted({f for f, _ in rows}, key=natural)
    solvers = [s for s in OURS + PEERS if any(k[1] == s for k in rows)]
    titles = {LOOSE: "`auto`, 1e-5", "csdp_program": "CSDP's program", "lorads": "LoRADS"}
    def solved(f, s):
        row = rows.get((f, s))
        return row if row and counts(row) and agrees(row, rows.get((f, "auto"))) else None

    print("| | " + " | ".join(titles.get(s, f"`{s}`") for s in solvers) + " |")
    print("|---" * (len(solvers) + 1) + "|")
    of_solver = {s: [rows.get((f, s)) for f in files] for s in solvers}
    best = {f: min((r["cpu"] for s in solvers if (r := solved(f, s))), default=None) for f in files}
    print("| programs solved | " +
          " | ".join(f"{sum(bool(solved(f, s)) for f in files)} of {sum(r is not None and r['ended'] != NOT_APPLICABLE for r in of_solver[s])}"
                     for s in solvers) + " |")
    for factor in (1, 1.2, 2, 4, 10):
        share = [sum(bool(r := solved(f, s)) and r["cpu"] <= factor * max(best[f], 0.02) for f in files) for s in solvers]
        print(f"| within {factor:g} times the least CPU time | " + " | ".join(map(str, share)) + " |")
    worst = [max((max(map(abs, r["errors"])) for f in files if (r := solved(f, s)) and r["errors"]), default=math.nan)
             for s in solvers]
    print("| largest DIMACS error of those solved | " + " | ".join(f"{w:.0e}" for w in worst) + " |")
    checked = [[r["verify"]["status"] == 0 for f in files if (r := rows.get((f, s))) and "verify" in r]
               for s in solvers]
    print("| bounds and rays proven by `alidade verify` | " +
          " | ".join(f"{sum(c)} of {len(c)}" if c else "" for c in checked) + " |")

    print("\nStarting a program takes " + ", ".join(f"{titles.get(s, 'alidade')} {t:.3f} s" for s, t in start.items()) + ".")
    for name, whom, rivals in (("auto", "the better of CSDP's program and LoRADS", PEERS),
                               (LOOSE, "LoRADS", PEERS[1:]),
                               ("auto", "the best of Alidade's solvers", OURS[2:])):
        ratios = {}
        without_start = []
        missed = []
        for f in files:
            if (f, name) not in rows:
                continue
            rival, by = min(((r["cpu"], s) for s in rivals if (r := solved(f, s))), default=(None, None))
            mine = solved(f, name)
            if rival is None:
                continue
            if mine is None:
                missed.append(f)
            else:
                ratios[f] = mine["cpu"] / rival
                without_start.append(max(mine["cpu"] - start.get("auto", 0), LEAST) /
                                     max(rival - start.get(by if by in PEERS else "auto", 0), LEAST))
        if not ratios:
            continue
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        long = {f: r for f, r in ratios.items() if max(rows[f, name]["cpu"], rows[f, name]["cpu"] / r) > SHORT}
        print(f"\n{titles.get(name, '`auto`')} against {whom}: geometric mean of the CPU ratio {mean:.2f} on {len(ratios)} programs", end="")
        if long:
            mean = math.exp(sum(map(math.log, long.values())) / len(long))
            print(f", {mean:.2f} on the {len(long)} that take one of them more than {SHORT} s; the worst of these:",
                  ", ".join(f"{f} {r:.2f}" for f, r in sorted(long.items(), key=lambda x: -x[1])[:8]), end="")
        mean = math.exp(sum(map(math.log, without_start)) / len(without_start))
        print(f". Without the start of programs: {mean:.2f}", end="")
        print(f". Solved by the other alone: {', '.join(missed) or 'none'}.")

    print("\n| program | " + " | ".join(titles.get(s, f"`{s}`") for s in solvers) + " | `auto` took | its memory, MB |")
    print("|---" * (len(solvers) + 3) + "|")
    for f in files:
        auto = rows.get((f, "auto"), {})
        print(f"| {f} | " + " | ".join(cell(rows.get((f, s))) for s in solvers) +
              f" | {auto.get('chosen') or ''} | {auto.get('memory_mb', math.nan):.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("runs")
    one.add_argument("files", nargs="+")
    one.add_argument("--alidade", required=True)
    one.add_argument("--csdp", default="csdp", help="CSDP's program; where it is missing, its column is left out")
    one.add_argument("--lorads", default="LORADS", help="LoRADS, likewise")
    one.add_argument("--limit", type=float, default=20, help="CPU seconds for each solve by `auto` and CSDP's program")
    one.add_argument("--others", type=float, default=3, help="CPU seconds for each solve by another solver")
    one.add_argument("--solvers", default=",".join(("auto",) + PEERS + OURS[1:]))
    one.set_defaults(do=measure)
    two = commands.add_parser("report")
    two.add_argument("runs")
    two.set_defaults(do=report)
    options = parser.parse_args()
    options.do(options)


main()
