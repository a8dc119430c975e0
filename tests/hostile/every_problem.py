#!/usr/bin/env python3
"""Every problem on data sets that were made to break it, with checks that do not trust the program.

    every_problem.py COMMAND [--problem NAME ...] [--data NAME ...] [--jobs N]

COMMAND is the built alidade. Each pair of problem and data set is one `alidade embed`. What counts as a fault: an end by
a signal or an exception, more than 10 s of processor time, a number in the row or the map that is not finite, a refusal
without a sentence, and a claim that the map or the data refute:
  converged             of objects that differ, though all have one place
  training error        other than that counted here from the written map
  better than guessing  of answers of which every one is contradicted
  proven                a bound above the objective
  trustworthiness       of objects that are all equally far from each other
It prints the table of outcomes, then the faults. Exit status 0: no fault; 1: some.
"""

import argparse
import concurrent.futures
import csv
import itertools
import json
import math
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

SECONDS = 10  # of the processor, for each pair
LETTERS = {
    "converged": "c", "stalled": "s", "max_iter": "m", "time_limit": "t", "reduced_accuracy": "a", "diverged": "d",
    "infeasible": "i", "backend_failure": "b", "cancelled": "x",
}


class Data:
    """One idea of hard data, as points, answers and a graph; a part that is None is not tried."""

    def __init__(self, points=None, answers=None, weights=None, edges=None, **flags):
        self.points, self.answers, self.weights, self.edges = points, answers, weights, edges
        self.dimensions = flags.get("dimensions")
        self.contradicted = flags.get("contradicted", False)
        self.names = flags.get("names")
        self.distances = flags.get("distances")


def distance(x, y):
    scale = max((abs(a - b) for a, b in zip(x, y)), default=0)
    if scale == 0 or math.isinf(scale):
        return scale
    return scale * math.sqrt(sum(((a - b) / scale) ** 2 for a, b in zip(x, y)))


def answers_of(points, count, rng):
    out = []
    for _ in range(20 * count):
        if len(out) == count or len(points) < 3:
            break
        i, j, k = rng.sample(range(len(points)), 3)
        near, far = distance(points[i], points[j]), distance(points[i], points[k])
        if near != far:
            out.append((i, j, k) if near < far else (i, k, j))
    return out


def nearest_edges(points):
    return sorted({tuple(sorted((i, j))) for i, x in enumerate(points)
                   for j in sorted(range(len(points)), key=lambda j: (distance(x, points[j]), j))[1:3]})


def cloud(n, d, rng):
    return [[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def data_sets():
    rng = random.Random(67)
    usual = cloud(20, 3, rng)

    def of(points, **more):
        return Data(points, answers_of(points, 200, rng), edges=nearest_edges(points), **more)

    def scaled(factor):
        return [[factor * x for x in row] for row in usual]

    def weighted(weight):
        answers = answers_of(usual, 200, rng)
        return Data(None, answers, [weight(t) for t in range(len(answers))])

    both = [t for i, j, k in answers_of(usual, 100, rng) for t in ((i, j, k), (i, k, j))]
    simplex = [[float(i == j) for j in range(12)] for i in range(12)]
    ring = [[math.cos(0.5 * i), math.sin(0.5 * i)] for i in range(12)]
    out = {
        "two objects": Data([[0.0, 1.0], [1.0, 0.0]], None, edges=[(0, 1)]),
        "three objects": of(cloud(3, 2, rng)),
        "one answer": Data(cloud(3, 1, rng), [(0, 1, 2)], edges=[(0, 1)]),
        "one answer, ten times": Data(None, 10 * [(0, 1, 2)]),
        "all equally far": Data(simplex, both, edges=[(i, j) for i in range(12) for j in range(i)], contradicted=True),
        "all contradicted": Data(None, 4 * both, contradicted=True),
        "a cycle of answers": Data(None, [(i, (i + 1) % 9, (i + 2) % 9) for i in range(9)] * 5),
        "random answers": Data(None, [tuple(rng.sample(range(20), 3)) for _ in range(300)]),
        "one place": Data(10 * [[1.5, -2.0]], None, edges=[]),
        "two places": of(8 * [[0.0, 0.0]] + 8 * [[1.0, 0.0]]),
        "pairs of copies": of([row for row in cloud(10, 3, rng) for _ in range(2)]),
        "on a line": of([[float(i), 2.0 * i] for i in range(15)]),
        "on a line, doubling": of([[2.0**i] for i in range(-25, 25)]),
        "one column": of([[rng.random()] for _ in range(20)]),
        "constant columns": of([row + [7.0, 1e30] for row in cloud(15, 2, rng)]),
        "times 1e300": of(scaled(1e300)),
        "times 1e-300": of(scaled(1e-300)),
        "denormal": of([[5e-324 * rng.randrange(9) for _ in range(3)] for _ in range(20)]),
        "columns of 1e300 and 1e-300": of([[1e300 * a, 1e-300 * b] for a, b in cloud(15, 2, rng)]),
        "far from zero": of([[1e15 + i, 1e15 + 3 * (i % 4)] for i in range(15)]),
        "one far object": of(cloud(15, 2, rng) + [[1e12, 0.0]]),
        "an object in no answer": Data(None, answers_of(usual, 150, rng), names=[f"o{i}" for i in range(24)]),
        "weights 0 and 1": weighted(lambda t: t % 2),
        "weights 1e300": weighted(lambda t: 1e300),
        "weights 1e-300 and 1e300": weighted(lambda t: 1e300 if t % 2 else 1e-300),
        "all weights but one 0": weighted(lambda t: int(t == 7)),
        "n - 1 dimensions": of(cloud(8, 7, rng), dimensions=7),
        "more dimensions than objects": of(cloud(6, 3, rng), dimensions=12),
        "a star": Data(None, [(0, j, k) for j, k in itertools.combinations(range(1, 15), 2)],
                       edges=[(0, i) for i in range(1, 15)]),
        "two groups without a link": Data(
            cloud(8, 2, rng) + [[x + 1e6 for x in row] for row in cloud(8, 2, rng)],
            [t for base in (0, 8) for t in [tuple(base + i for i in rng.sample(range(8), 3)) for _ in range(80)]],
            edges=[(base + i, base + (i + 1) % 8) for base in (0, 8) for i in range(8)]),
        "a grid": of([[float(i), float(j)] for i in range(5) for j in range(5)]),
        "a ring": of(ring),
        "1e5 objects, each in one answer": Data(None, [(i, i + 1, i + 2) for i in range(0, 99_999, 3)]),
        "2000 columns": of(cloud(8, 2000, rng)),
    }
    return out


def needs_of(command, problem):
    text = subprocess.run([command, "list", "problems", problem], capture_output=True, text=True, check=True).stdout
    return re.search(r"^Needs: (.*)$", text, re.MULTILINE).group(1)


def problems_of(command):
    text = subprocess.run([command, "list", "problems"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+) {2,}", text, re.MULTILINE)


def name(i):
    return f"o{i}"


def write_answers(folder, data, needs):
    path = folder / "answers.csv"
    people = "annotators" in needs
    with path.open("w") as out:
        out.write("anchor,near,far" + (",weight" if data.weights else "") + (",annotator" if people else "") + "\n")
        for t, answer in enumerate(data.answers):
            row = [name(i) for i in answer]
            row += [repr(data.weights[t])] if data.weights else []
            row += [f"p{t % 4}"] if people else []
            out.write(",".join(row) + "\n")
    more = []
    if data.names:
        labels = folder / "labels.csv"
        labels.write_text("name,label\n" + "".join(f"{one},x\n" for one in data.names))
        more = ["--labels", str(labels)]
    return [str(path), *more]


def write_features(folder, data):
    path = folder / "features.csv"
    columns = len(data.points[0])
    path.write_text(",".join(["name", *[f"x{c}" for c in range(columns)]]) + "\n" + "".join(
        ",".join([name(i), *[repr(x) for x in row]]) + "\n" for i, row in enumerate(data.points)))
    return ["--features", str(path)]


def write_distances(folder, data):
    path = folder / "distances.csv"
    n = len(data.points)
    path.write_text("," + ",".join(name(i) for i in range(n)) + "\n" + "".join(
        ",".join([name(i), *[repr(distance(data.points[i], data.points[j])) for j in range(n)]]) + "\n"
        for i in range(n)))
    return ["--distances", str(path)]


def write_graph(folder, data):
    path = folder / "edges.csv"
    path.write_text("source,target\n" + "".join(f"{name(i)},{name(j)}\n" for i, j in data.edges))
    return ["--graph", str(path)]


def inputs_of(data, needs, folder):
    """The inputs that the problem takes, each a list of arguments."""
    out = []
    if "triplets" in needs and data.answers:
        out.append(write_answers(folder, data, needs))
    if "pair_signs" in needs and "features" not in needs and data.edges:
        out.append(write_graph(folder, data))
    if "features" in needs and data.points:
        out.append(write_features(folder, data))
    if "dissimilarities" in needs and data.points:
        out.append(write_distances(folder, data))
    return out


def refuse_constant(text):
    raise ValueError(f"the row has {text}")


def read_map(path):
    with path.open() as file:
        rows = list(csv.reader(file))
    places = {}
    for row in rows[1:]:
        numbers = []
        for field in row[1:]:
            try:
                numbers.append(float(field))
            except ValueError:
                pass  # a label
        places[row[0]] = numbers
    return places


def spread_of(places):
    columns = list(zip(*places.values()))
    return max((max(c) - min(c) for c in columns), default=0)


def training_error(places, weighed):
    wrong = 0
    for (i, j, k), weight in weighed:
        a, b, c = (places[name(t)] for t in (i, j, k))
        # A little more than rounding: ties on the map may fall either way.
        near, far = distance(a, b), distance(a, c)
        wrong += 0 if near < far else weight
    return wrong / sum(weight for _, weight in weighed)


def errors_by_products(places, weighed):
    """The least and the largest rate of errors: a coin decides ties."""
    margins = [(sum(x * (y - z) for x, y, z in zip(*(places[name(t)] for t in answer))), w) for answer, w in weighed]
    whole = sum(weight for _, weight in weighed)
    return [sum(w for margin, w in margins if margin < 0) / whole, sum(w for margin, w in margins if margin <= 0) / whole]


def faults_of(out, data, arguments):
    row = json.loads((out / "runs.jsonl").read_text().splitlines()[0], parse_constant=refuse_constant)
    found = []
    maps = sorted(out.glob("embedding*.csv"))
    for path in maps:
        places = read_map(path)
        if not all(math.isfinite(x) for numbers in places.values() for x in numbers):
            found.append(f"{path.name} has places that are not finite")
    ended = (row.get("refit") or {}).get("termination") or row.get("termination")
    of_answers = not arguments[0].startswith("--")
    if len(maps) == 1 and not found:
        places = read_map(maps[0])
        differ = of_answers or (data.points and spread_of({i: x for i, x in enumerate(data.points)}) > 0)
        # The best point of sparse axes may be 0 where answers say little.
        products = row["problem"]["name"] in ("spose", "vice")
        if ended == "converged" and differ and not products and not data.contradicted and spread_of(places) == 0:
            found.append("converged, with all objects at one place")
        refit = row.get("refit") or {}
        said = refit.get("train_error") if refit.get("written") else row["metrics"].get("train_error")
        whole = refit.get("written") or not row.get("heldout_triplets")
        if of_answers and whole and said is not None and "." in str(said):
            said_of = [(answer, w) for answer, w in zip(data.answers, data.weights or itertools.repeat(1)) if w > 0]
            counted = errors_by_products(places, said_of) if products else [training_error(places, said_of)]
            if not counted[0] - 0.02 <= said <= counted[-1] + 0.02:
                found.append(f"training error {said}, but {counted} are wrong on the map")
    held = row.get("heldout") or {}
    if data.contradicted and held.get("high") is not None and held["high"] < 0.5:
        found.append(f"better than guessing ({held['error']}) on answers that are all contradicted")
    proof = row.get("certificate") or {}
    bound, objective = proof.get("lower_bound"), row.get("objective")
    if bound is not None and objective is not None:
        if bound > objective + 1e-6 * max(abs(objective), abs(bound)) and "not_feasible" not in row.get("warnings", []):
            found.append(f"a proven bound, {bound}, above the objective, {objective}")
    if data.points and not of_answers and len(data.points) > 2:
        far = {distance(x, y) for x, y in itertools.combinations(data.points, 2)} if len(data.points) < 100 else {0, 1}
        if len(far) == 1 and row["metrics"].get("trustworthiness") is not None:
            found.append("trustworthiness of objects that are all equally far")
    return ended, found


def tried(command, problem, needs, title, data):
    letters, faults = "", []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for number, arguments in enumerate(inputs_of(data, needs, folder)):
            out = folder / f"map{number}"
            words = [command, "embed", *arguments, "--problem", problem, "-o", str(out), "--timeout", "8s"]
            if data.dimensions:
                words += ["--n-components", str(data.dimensions)]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            try:
                run = subprocess.run(
                    words, capture_output=True, text=True, timeout=300, check=False,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, 3 * SECONDS)))
            except subprocess.TimeoutExpired:
                letters += "!"
                faults.append("no end after 300 s")
                continue
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            letter, found = "r", []
            if run.returncode < 0 or run.returncode > 2:
                found.append(f"ended by {run.returncode}")
            elif run.returncode > 0:
                if not run.stderr.startswith("alidade: ") or "std::" in run.stderr:
                    found.append(f"refused without a sentence: {run.stderr[:200]!r}")
            else:
                try:
                    ended, found = faults_of(out, data, arguments)
                    letter = LETTERS.get(ended, "?")
                except (ValueError, KeyError, OSError) as error:
                    found.append(f"{type(error).__name__}: {error}")
            if spent > SECONDS:
                found.append(f"{spent:.1f} s of the processor")
            letters += "!" if found else letter
            shown = " ".join(word.replace(scratch, "") for word in words[1:])
            faults += [f"{problem} on {title}: {one} ({shown})" for one in found]
    return letters or "-", faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--problem", action="append")
    parser.add_argument("--data", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    command = str(pathlib.Path(given.command).resolve())
    problems = given.problem or problems_of(command)
    sets = {title: data for title, data in data_sets().items() if not given.data or title in given.data}
    needs = {problem: needs_of(command, problem) for problem in problems}
    pairs = list(itertools.product(problems, sets))
    outcomes, faults = {}, []
    # Processes of their own: the processor's seconds of children are counted for a whole process.
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        tasks = {pair: pool.submit(tried, command, pair[0], needs[pair[0]], pair[1], sets[pair[1]]) for pair in pairs}
        for pair, task in tasks.items():
            outcomes[pair], found = task.result()
            faults += found
            for one in found:
                print(f"fault: {one}", file=sys.stderr, flush=True)
    titles = list(sets)
    print("c converged, s stalled, m max_iter, t time_limit, a reduced_accuracy, d diverged, i infeasible, r refused,")
    print("! fault, - the problem does not take such data; two letters: as features and as distances\n")
    for number, title in enumerate(titles, 1):
        print(f"{number:3} {title}")
    print("\n" + " " * 20 + " ".join(f"{number:>2}" for number in range(1, len(titles) + 1)))
    for problem in problems:
        print(f"{problem:20}" + " ".join(f"{outcomes[problem, title]:>2}" for title in titles))
    print(f"\n{len(pairs)} pairs of problem and data set, {len(faults)} faults")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
