"""Alidade through Python beside scikit-learn and, where it is installed, cblearn: same data, same machine, same process.

    PYTHONPATH=build/release/python python3 tests/benchmarks/python_timing.py [answers] [tables] [graphs] [overhead] [memory] [calls]

Prints tables in Markdown. Seconds are CPU seconds of one thread, the least of three fits; set OPENBLAS_NUM_THREADS=1
and OMP_NUM_THREADS=1, and ALIDADE_COMMAND to the command, for its part of the overhead. Maps of tables are judged by
trustworthiness at 10 neighbours, those of answers by 20,000 answers that were not fitted.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn import manifold
from sklearn.datasets import load_digits, make_s_curve
from sklearn.preprocessing import StandardScaler

import alidade


def least(make, times=3):
    """Least CPU seconds of fits, and the last result."""
    best = np.inf
    for _ in range(times):
        begin = time.process_time()
        result = make()
        best = min(best, time.process_time() - begin)
    return best, result


def answers():
    try:
        import cblearn.embedding as theirs
    except ImportError:
        theirs = None
        print("cblearn is not installed: only Alidade is measured.\n")
    print("| answers | method | cblearn s | error | Alidade s | error |\n|---|---|---|---|---|---|")
    for n, count, noise in ((60, 5_000, 0.0), (60, 5_000, 0.1), (200, 50_000, 0.1)):
        places = np.random.default_rng(n).normal(size=(n, 2))
        train = alidade.triplets_of(places, count, noise=noise, random_state=0)
        test = alidade.triplets_of(places, 20_000, random_state=1)
        for name in ("STE", "TSTE", "SOE", "CKL"):
            row = [f"{n} objects, {count:,}, {100 * noise:.0f} % wrong", name, "", ""]
            if theirs:
                seconds, model = least(lambda: getattr(theirs, name)(n_components=2, random_state=0).fit(train), 1)
                row[2:] = [f"{seconds:.2f}", f"{100 * (1 - model.score(test)):.1f} %"]
            # SOE of cblearn makes ten starts; so does ours here.
            more = {"n_init": 10} if name == "SOE" else {}
            seconds, model = least(lambda: getattr(alidade, name)(n_components=2, random_state=0, **more).fit(train))
            print("| " + " | ".join([*row, f"{seconds:.2f}", f"{100 * (1 - model.score(test)):.1f} %"]) + " |", flush=True)


def tables():
    digits = StandardScaler(with_std=False).fit_transform(load_digits().data)
    data = {"digits, 1797 x 64": digits, "digits, 600 x 64": digits[:600],
            "S curve, 1500 x 3": make_s_curve(1500, noise=0.05, random_state=0)[0]}
    pairs = [("TSNE", lambda: manifold.TSNE(init="pca", learning_rate="auto", random_state=0),
              lambda: alidade.TSNE(random_state=0)),
             ("Isomap", lambda: manifold.Isomap(n_neighbors=10), lambda: alidade.Isomap(n_neighbors=10)),
             ("LLE", lambda: manifold.LocallyLinearEmbedding(n_neighbors=10, random_state=0),
              lambda: alidade.LLE(n_neighbors=10)),
             ("MDS", lambda: manifold.MDS(n_init=1, random_state=0, normalized_stress=False),
              lambda: alidade.MDS(random_state=0))]
    compare(data, pairs)


def compare(data, pairs):
    """Seconds and trustworthiness of estimators of scikit-learn and ours."""
    print("| data | method | scikit-learn s | trustworthiness | Alidade s | trustworthiness |\n|---|---|---|---|---|---|")
    for what, X in data.items():
        for name, *both in pairs:
            row = [what, name]
            for make in both:
                seconds, Y = least(lambda: make().fit_transform(X), 1 if name == "MDS" else 3)
                row += [f"{seconds:.2f}", f"{manifold.trustworthiness(X, Y, n_neighbors=10):.3f}"]
            print("| " + " | ".join(row) + " |", flush=True)


def graphs():
    """Hessian LLE and Laplacian eigenmaps: on a torus with noise and an S curve, the second also on clusters."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 2 * np.pi, (2, 1000))
    torus = np.stack([(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)], axis=1)
    smooth = {"torus, 1000 x 3": torus + 0.05 * rng.normal(size=torus.shape),
              "S curve, 1500 x 3": make_s_curve(1500, noise=0.05, random_state=0)[0]}
    clusters = rng.normal(size=(5000, 50)) + 12 * rng.normal(size=(20, 50))[rng.integers(20, size=5000)]
    ten = {"n_neighbors": 10, "random_state": 0}
    spectral = ("Laplacian eigenmaps", lambda: manifold.SpectralEmbedding(affinity="nearest_neighbors", **ten),
                lambda: alidade.LaplacianEigenmaps(**ten))
    hessian = ("Hessian LLE", lambda: manifold.LocallyLinearEmbedding(method="hessian", **ten),
               lambda: alidade.HessianLLE(**ten))
    compare(smooth, [hessian, spectral])
    compare({"20 clusters, 5000 x 50": clusters}, [spectral])


def overhead():
    """The same fits in Python and by the command, which reads a file of numbers and writes its results."""
    command = os.environ.get("ALIDADE_COMMAND")
    print("| fit | Python s | the engine's part | command s | of which its start |\n|---|---|---|---|---|")
    rng = np.random.default_rng(0)

    def of_command(*arguments):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([command, *map(str, arguments)], capture_output=True, check=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime

    for n, count, iterations, times in ((10, 50, 1, 30), (50, 2_000, 500, 7), (300, 100_000, 500, 3),
                                        (1000, 1_000_000, 500, 2)):
        rows = alidade.triplets_of(rng.normal(size=(n, 2)), count, random_state=0)
        model = alidade.TripletEmbedding(method="ste", solver={"name": "ceres", "max_iter": iterations}, holdout=0,
                                         measures=None, random_state=0)
        seconds, fitted = least(lambda: model.fit(rows), times)
        row = [f"STE, {n} objects, {count:,} triplets", f"{seconds:.4f}", f"{fitted.row_['seconds']['cpu']:.4f}", "", ""]
        if command:
            with tempfile.TemporaryDirectory() as folder:
                np.save(f"{folder}/rows.npy", rows)
                done = [of_command("embed", f"{folder}/rows.npy", "-p", "ste", "-s", "ceres", "--set",
                                   f"solver.max_iter={iterations}", "--holdout", 0, "-o", f"{folder}/{i}")
                        for i in range(min(times, 5))]
                assert np.array_equal(np.load(f"{folder}/0/embedding.npy"), fitted.embedding_)
            row[3:] = [f"{min(done):.4f}", f"{min(of_command('--version') for _ in range(5)):.4f}"]
        print("| " + " | ".join(row) + " |", flush=True)


def memory():
    code = """
import sys, numpy as np, alidade
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
rows = 5_000_000
rng = np.random.default_rng(0)
triplets = np.empty((rows, 3), np.int64)
triplets[:, 0] = rng.integers(1000, size=rows)
triplets[:, 1] = (triplets[:, 0] + 1 + rng.integers(400, size=rows)) % 1000
triplets[:, 2] = (triplets[:, 1] + 1 + rng.integers(400, size=rows)) % 1000
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = peak()
if sys.argv[1] == "read":
    held = alidade._core.indexed_answers(triplets, None, [], None, None, [], None, [], False)
else:
    alidade.STE(random_state=0, max_iter=5).fit(triplets)
print(f"{triplets.nbytes / 2**20:.0f} MiB of array; {sys.argv[1]}: {peak() - before:.0f} MiB more")
"""
    for what in ("read", "fit"):
        print(subprocess.run([sys.executable, "-c", code, what], capture_output=True, text=True, check=True).stdout, end="")


def calls():
    class Nothing:
        shape = (1000, 2)
        count = 0

        def value_and_gradient(self, Y):
            self.count += 1
            return 1 / self.count, self.zeros

        zeros = np.ones((1000, 2))

    problem = Nothing()
    solver = {"name": "gradient_descent", "max_iter": 20_000, "gradient_tolerance": 0, "learning_rate": 1e-12}
    begin = time.perf_counter()
    alidade.minimize(problem, np.zeros((1000, 2)), solver=solver)
    took = time.perf_counter() - begin
    print(f"{1e6 * took / problem.count:.1f} us for each of {problem.count:,} calls of a problem of 1000 x 2 in Python")


if __name__ == "__main__":
    for place, part in enumerate(sys.argv[1:] or ("answers", "tables", "graphs", "overhead", "memory", "calls")):
        print(end="\n" if place else "")
        globals()[part]()
