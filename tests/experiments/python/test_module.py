"""The module itself: errors, threads, signals, memory."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading
import time
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import alidade

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "experiments" / "python"


def run_python(code, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, **options)


def test_the_version_is_that_of_the_command(command, capsys):
    assert alidade.__version__ in command("--version").stdout
    alidade.show_versions()
    shown = capsys.readouterr().out
    assert shown.startswith(f"alidade {alidade.__version__}") and f"numpy {np.__version__}" in shown


def test_mistakes_have_the_words_of_the_command(command, tmp_path, triplets):
    file = tmp_path / "answers.csv"
    np.savetxt(file, triplets, fmt="%d", delimiter=",", header="anchor,near,far", comments="")
    for method, setting in (({"name": "ete", "t": -1}, "problem.t=-1"), ({"name": "ete", "tt": 1}, "problem.tt=1")):
        said = command("embed", file, "--problem", "ete", "--set", setting, "-o", tmp_path / "map")
        assert said.returncode == 2
        with pytest.raises(ValueError) as raised:
            alidade.TripletEmbedding(method=method).fit(triplets)
        words = str(raised.value)
        assert words.split("option", 1)[-1].removeprefix("t ") in said.stderr  # Python names the parameter alone
    with pytest.raises(ValueError, match="There is no problem 'stee'. Did you mean 'ste'"):
        alidade.TripletEmbedding(method="stee").fit(triplets)
    with pytest.raises(ValueError, match="csdp needs semidefinite"):
        alidade.TripletEmbedding(method="ste", solver="csdp").fit(triplets)


@pytest.mark.parametrize("change, error, words", [
    ({"n_jobs": 0}, ValueError, "n_jobs"),
    ({"n_jobs": "two"}, TypeError, "n_jobs"),
    ({"n_jobs": 1000}, ValueError, "n_jobs must be a whole number in"),
    ({"random_state": -1}, ValueError, "random_state"),
    ({"random_state": "x"}, ValueError, "seed"),
    ({"random_state": 2**63}, ValueError, "random_state must be below"),
    ({"holdout": 1.5}, ValueError, "holdout"),
    ({"holdout": float("nan")}, ValueError, "finite"),
    ({"bootstrap": -1}, ValueError, "bootstrap"),
    ({"n_components": 0}, ValueError, "n_components"),
    ({"n_components": "three"}, ValueError, "n_components"),
    ({"n_components": [1, 2]}, ValueError, "one value of each option"),
    ({"method": 3}, TypeError, "name"),
    ({"method": {"t": 3}}, TypeError, "'name'"),
    ({"method_options": [1]}, TypeError, "dictionary"),
    ({"method_options": {"t": object()}}, TypeError, "JSON"),
    ({"solver": {"name": "auto", "max_iter": 3}, "method": "auto"}, ValueError, "named solver"),
    ({"timeout": "soon"}, ValueError, "duration"),
    ({"measures": ["beauty"]}, ValueError, "There is no metric 'beauty'"),
    ({"callback": 3}, TypeError, "callback"),
    ({"answers": "guesses"}, ValueError, "kind of answers"),
    ({"degenerate": "keep"}, ValueError, "degenerate"),
    ({"choose": {"problem.tt": [1]}}, ValueError, "tt"),
])
def test_a_bad_parameter_is_refused(change, error, words, triplets):
    with pytest.raises(error, match=words):
        alidade.TripletEmbedding(**{"method": "ete", "random_state": 0, **change}).fit(triplets)


def test_what_is_not_fitted_says_so(triplets):
    model = alidade.TripletEmbedding()
    for use in (model.predict, model.score, model.transform, model.add):
        with pytest.raises(NotFittedError):
            use(triplets)


def test_other_threads_run_while_a_map_is_made(places):
    many = alidade.triplets_of(places, 200_000, random_state=0)
    done = threading.Event()
    ticks = []

    def count():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    alidade.STE(random_state=0, max_iter=50).fit(many)
    seconds = time.perf_counter() - begin
    done.set()
    thread.join()
    assert max(np.diff(ticks)) < max(0.25, 0.6 * seconds)
    assert sum(begin < t for t in ticks) > 20


def test_two_threads_make_the_maps_that_one_makes(triplets):
    models = [alidade.TripletEmbedding(method=m, random_state=s, refit=False)
              for m in ("soe", "gnmds_sdp", "ste") for s in (1, 2)]
    alone = [clone(m).fit(triplets).embedding_ for m in models]
    results = [None] * len(models)

    def fit(i):
        results[i] = clone(models[i]).fit(triplets).embedding_

    threads = [threading.Thread(target=fit, args=(i,)) for i in range(len(models))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for a, b in zip(alone, results):
        assert np.array_equal(a, b)


def test_an_array_that_changes_while_a_map_is_made_changes_nothing(places):
    many = alidade.triplets_of(places, 100_000, random_state=0)
    want = alidade.STE(random_state=0).fit(many).embedding_
    mine = many.copy()
    started = threading.Event()
    model = alidade.STE(random_state=0, callback=lambda record: started.set())
    thread = threading.Thread(target=lambda: model.fit(mine))
    thread.start()
    assert started.wait(60)
    mine[:] = 10**6
    thread.join()
    assert np.array_equal(model.embedding_, want)


@pytest.mark.parametrize("method, solver", [("ste", "ceres"), ("ste", "riemannian_sgd"), ("auto", "auto")])
def test_an_interruption_ends_a_solve_within_a_second(method, solver):
    code = f"""
        import os, signal, sys, threading, time
        import numpy as np
        import alidade
        places = np.random.default_rng(0).normal(size=(300, 2))
        triplets = alidade.triplets_of(places, 400_000, noise=0.3, random_state=0)
        sent = []
        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.7, send).start()
        solver = {solver!r} if {solver!r} == "auto" else {{"name": {solver!r}, "max_iter": 100_000}}
        try:
            alidade.TripletEmbedding(method={method!r}, solver=solver, random_state=0, bootstrap=1000).fit(triplets)
        except KeyboardInterrupt:
            print("interrupted after", time.perf_counter() - sent[0])
            # The module works on.
            print(alidade.STE(random_state=0).fit(triplets[:1000]).embedding_.shape)
    """
    out = run_python(code, timeout=120)
    assert out.stdout.startswith("interrupted after"), out.stdout + out.stderr
    assert float(out.stdout.split()[2]) < 1.0
    assert out.returncode == 0, out.stderr


def test_what_a_callback_raises_ends_the_solve(triplets):
    class Enough(Exception):
        pass

    def callback(record):
        if record["iteration"] >= 3:
            raise Enough(record["iteration"])

    with pytest.raises(Enough):
        alidade.STE(random_state=0, callback=callback, max_iter=100_000).fit(triplets)


def test_progress_is_reported_in_order(triplets, capsys):
    seen = []
    model = alidade.TripletEmbedding(method="ste", random_state=0, callback=seen.append, verbose=1).fit(triplets)
    # Small data get several starts, each of which counts from 0.
    iterations = [r["iteration"] for r in seen]
    starts = np.array([r["start"] for r in seen])
    assert starts[0] == 1 and set(np.diff(starts)) == {0, 1}
    assert [r["iteration"] for r in seen if r["iteration"] == 0] == [0] * starts[-1]
    assert iterations.count(0) > 1 and all(after > before or after == 0 for before, after in zip(iterations, iterations[1:]))
    assert seen[0]["iteration"] == 0 and seen[0]["objective"] > seen[-1]["objective"]
    assert {"seconds", "gradient_norm", "heldout_error"} <= set(seen[0])
    said = capsys.readouterr().out
    assert "[TripletEmbedding] iteration 0: objective" in said
    assert f"[TripletEmbedding] start {starts[-1]}, iteration 0: objective" in said
    quiet = alidade.TripletEmbedding(method="ste", random_state=0).fit(triplets)
    assert np.array_equal(quiet.embedding_, model.embedding_)


def test_results_are_not_copied(triplets):
    embedding = alidade.STE(random_state=0).fit(triplets).embedding_
    assert embedding.dtype == np.float64 and embedding.flags.c_contiguous and not embedding.flags.owndata
    assert type(embedding.base.obj).__name__ == "HeldMatrix"
    kept = embedding.copy()
    del embedding
    assert np.isfinite(kept).all()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float64",
                                   ">i4", ">u8"])
def test_any_layout_of_whole_numbers_gives_the_same_map(triplets, dtype):
    want = alidade.STE(random_state=0).fit(triplets).embedding_
    wide = np.zeros((len(triplets), 6), dtype)
    wide[:, 5::-2] = triplets
    read_only = triplets.astype(dtype)
    read_only.flags.writeable = False
    for rows in (triplets.astype(dtype), np.asfortranarray(triplets.astype(dtype)), wide[:, 5::-2], read_only):
        assert np.array_equal(alidade.STE(random_state=0).fit(rows).embedding_, want)


def test_many_triplets_take_no_second_copy():
    code = """
        import numpy as np
        import alidade
        def peak():
            return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) * 1024
        rows = 2_000_000
        rng = np.random.default_rng(0)
        triplets = np.empty((rows, 3), np.int64)
        triplets[:, 0] = rng.integers(1000, size=rows)
        triplets[:, 1] = (triplets[:, 0] + 1 + rng.integers(400, size=rows)) % 1000
        triplets[:, 2] = (triplets[:, 1] + 1 + rng.integers(400, size=rows)) % 1000
        evidence = alidade._core.indexed_answers(triplets[:10], 1000, [], None, None, [], None, [], False)
        open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
        before = peak()
        evidence = alidade._core.indexed_answers(triplets, 1000, [], None, None, [], None, [], False)
        print((peak() - before) / rows)
    """
    out = run_python(code)
    assert out.returncode == 0, out.stderr
    # 12 bytes for the engine's list, 6 while repeated answers are counted. A copy of the array would be 24 more.
    assert 12 <= float(out.stdout) < 20


def test_an_interruption_ends_the_reading_of_many_triplets():
    code = """
        import os, signal, threading, time
        import numpy as np
        import alidade
        rows = np.tile(np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]]), (3_000_000, 1))
        rows[:, 1] += 3 * (np.arange(len(rows)) % 1000)
        sent = []
        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.05, send).start()
        try:
            alidade._core.indexed_answers(rows, None, [], None, None, [], None, [], False)
            print("read")
        except KeyboardInterrupt:
            del rows
            print("interrupted", time.perf_counter() - sent[0] < 1.5)
    """
    out = run_python(code)
    assert out.stdout in ("read\n", "interrupted True\n") and out.returncode == 0, out.stdout + out.stderr


def test_the_module_uses_nothing_of_numpy_in_c():
    """Its layouts are not those of NumPy 2; buffers are."""
    module = pathlib.Path(alidade._core.__file__).read_bytes()
    assert b"_ARRAY_API" not in module and b"multiarray" not in module


def test_models_are_cloned_and_pickled(triplets):
    model = alidade.TripletEmbedding(method="ste", random_state=0).fit(triplets)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.embedding_, model.embedding_) and again.score(triplets) == model.score(triplets)
    assert clone(model).get_params() == model.get_params()


def test_a_wheel_is_made_of_a_build_by_its_relative_path(tmp_path):
    pytest.importorskip("pip")
    build = pathlib.Path(alidade.__file__).parents[2]
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the package is not that of a build")
    shutil.copytree(PACKAGE, tmp_path / "package", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    (tmp_path / "package/engine").mkdir()  # where the version is read
    shutil.copy(PACKAGE.parents[1] / "CMakeLists.txt", tmp_path / "package/engine")
    made = subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path,
                           tmp_path / "package"], capture_output=True, text=True,  # as from a shell in that folder
                          env={**os.environ, "PWD": str(build.parent), "ALIDADE_BUILD_DIR": build.name}, cwd=build.parent)
    assert made.returncode == 0, made.stderr
    assert any("_core." in name for name in zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())


def test_the_catalogs_are_whole():
    assert {"soe", "tsne", "nerv", "psde"} <= set(alidade.problems()) and "tsne" not in alidade.problems(needs="triplets")
    assert {"ceres", "riemannian_sgd", "csdp"} <= set(alidade.solvers())
