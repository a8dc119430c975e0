"""Experiments from Python: the rows of the command, tables, maps, report."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pandas
import pytest

import alidade

CONFIG = {
    "name": "small", "seed": 5, "repeats": 3,
    "dataset": [{"name": "europe", "triplets": 2500, "noise": [0.0, 0.1]}],
    "problem": {"ste": {"n_components": 2}},
    "method": [{"id": "STE", "problem": "ste"}, {"id": "SOE", "problem": "soe"}],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return alidade.run(CONFIG, tmp_path_factory.mktemp("results") / "small", n_jobs=2)


def test_rows_are_those_of_the_command(command, tmp_path, results):
    (tmp_path / "small.toml").write_text(alidade._core.to_toml(json.dumps(CONFIG)))
    assert command("run", tmp_path / "small.toml", "-o", tmp_path / "small").returncode == 0
    want = {}
    for line in (tmp_path / "small" / "runs.jsonl").read_text().splitlines():
        row = json.loads(line)
        want[row["run_id"]] = row
    rows = results.dicts()
    assert len(rows) == len(results) == 12 and {r["run_id"] for r in rows} == set(want)
    for row in rows:
        for key in ("metrics", "objective", "method", "dataset", "counts", "heldout"):
            assert row[key] == want[row["run_id"]][key]
    frame = results.rows()
    assert len(frame) == 12 and {"metrics.heldout_error", "problem.options.n_components"} <= set(frame.columns)
    assert set(results.rows("method=STE")["method"]) == {"STE"}
    assert len(results.rows(["method=STE", "repeat!=0"])) == 4


def test_a_folder_goes_on_where_it_was(results):
    before = (results.folder / "runs.jsonl").read_text()
    again = alidade.run(CONFIG, results.folder)
    assert (again.folder / "runs.jsonl").read_text() == before
    more = alidade.run({**CONFIG, "repeats": 4}, results.folder.parent / "more")
    assert len(more) == 16


def test_tables_are_those_of_the_command(command, results):
    for options, arguments in (({}, []), ({"rows": "dataset", "cols": "method"}, ["--rows", "dataset", "--cols", "method"]),
                               ({"test": "wilcoxon", "baseline": "STE"}, ["--test", "wilcoxon", "--baseline", "STE"]),
                               ({"profile": True}, ["--profile"]), ({"where": "method=STE"}, ["--where", "method=STE"])):
        for format in ("md", "csv", "latex", "json"):
            said = command("table", results.folder, "--value", "seconds.cpu" if "profile" in options else
                           "train_error", "--format", format, *arguments)
            value = "seconds.cpu" if "profile" in options else "train_error"
            assert results.table(value, format=format, **options) == said.stdout, (options, format)
    frame = results.table("heldout_error")
    rows = results.rows()
    cell = frame[(frame["method"] == "STE") & (frame["dataset"] == "europe[noise=0.1]")].iloc[0]
    mine = rows[(rows["method"] == "STE") & (rows["dataset.id"] == "europe[noise=0.1]")]["metrics.heldout_error"]
    assert cell["mean"] == pytest.approx(mine.mean()) and cell["n"] == 3


def test_runs_on_other_data_are_left_out_with_a_warning(tmp_path):
    answers = ["a,b,c", "a,c,d", "b,a,d", "c,d,a", "d,c,b", "b,c,d", "a,b,d", "d,b,a", "c,b,a"]
    config = {"name": "own", "dataset": [{"name": "triplets", "file": str(tmp_path / "answers.csv")}],
              "method": [{"id": "STE", "problem": "ste", "solver": {"name": "ceres", "max_iter": 2}}]}
    (tmp_path / "answers.csv").write_text("\n".join(["anchor,near,far", *answers, "b,d,a", ""]))
    first = alidade.run(config, tmp_path / "own").dicts()[0]["dataset"]["content"]
    (tmp_path / "answers.csv").write_text("\n".join(["anchor,near,far", *answers, "b,d,e", ""]))
    with pytest.warns(UserWarning, match="1 run on other data of 'triplets' is left out"):
        results = alidade.run(config, tmp_path / "own")
    assert len(results) == len(results.maps()) == 1 and len(results.dicts(f"dataset.content={first}")) == 1
    assert json.loads(results.table("n", format="json"))["cells"][0][0]["mean"] == 5


@pytest.mark.parametrize("again", [
    {"methods": {"fn": lambda task: -task["features"][:, :2] ** 2}}, {"config": {"seed": 7}},
    {"methods": {"fn": {"call": lambda task: task["features"][:, :2], "options": {"scale": 2}}}}])
def test_runs_of_a_changed_method_or_seed_are_left_out_with_a_warning(tmp_path, again):
    given = {"methods": {"fn": lambda task: task["features"][:, :2]},
             "datasets": {"x": np.random.default_rng(0).normal(size=(30, 4))}}
    config = {"name": "a", "repeats": 2}
    alidade.run(config, tmp_path / "a", **given)
    with pytest.warns(UserWarning, match="2 runs with other settings are left out"):
        changed = alidade.run({**config, **again.get("config", {})}, tmp_path / "a",
                              **{**given, **{"methods": again.get("methods", given["methods"])}})
    fresh = alidade.run({**config, **again.get("config", {})}, tmp_path / "b",
                        **{**given, **{"methods": again.get("methods", given["methods"])}})
    assert len(changed) == len(changed.rows()) == 2 and len(changed.rows("run_id!=")) == 4
    column = ["mean", "n"]
    assert changed.table("trustworthiness")[column].equals(fresh.table("trustworthiness")[column])


def test_runs_of_methods_that_the_call_lacks_are_shown_with_a_warning(tmp_path):
    config, data = {"name": "a", "method": [{"problem": "pca"}]}, {"x": np.random.default_rng(0).normal(size=(30, 4))}
    alidade.run({**config, "method": [{"problem": "pca"}, {"problem": "isomap"}]}, tmp_path / "a", datasets=data)
    with pytest.warns(UserWarning, match="also holds 1 run that this config does not plan"):
        assert len(alidade.run(config, tmp_path / "a", datasets=data).table()) == 2


def test_maps_are_the_files(results):
    maps = results.maps()
    assert len(maps) == 12 and len(results.maps("method=SOE")) == 6
    for one in maps[:3]:
        assert np.array_equal(one.embedding, np.load(results.folder / "embeddings" / f"{one.row['run_id']}.npy"))
        assert one.objects[0] == "Tirana" and one.labels[0] == "Albania" and one.ellipses is None
    page = maps[0]._repr_html_()
    assert page.count("<title>") == 121 and "<script" not in page
    assert " on europe" in repr(maps[0])
    assert results.trace(maps[0].row["run_id"])


def test_a_folder_of_embed_opens(command, tmp_path, triplets):
    pandas.DataFrame(triplets, columns=["anchor", "near", "far"]).to_csv(tmp_path / "a.csv", index=False)
    assert command("embed", tmp_path / "a.csv", "-p", "ste", "--bootstrap", 10, "-o", tmp_path / "m").returncode == 0
    model = alidade.TripletEmbedding(method="ste", random_state=0, bootstrap=10).fit(triplets)
    (one,) = alidade.load(tmp_path / "m").maps()
    assert np.array_equal(one.embedding, model.embedding_) and np.array_equal(one.ellipses, model.ellipses_)


def test_the_report_is_written_and_shown(results, tmp_path):
    page = results.report()
    assert page == results.folder / "report.html" and "<!doctype html>" in page.read_text().lower()[:100]
    assert results.report(tmp_path / "other.html").exists()
    shown = results._repr_html_()
    assert shown.count("<td>") == 4 and "<b>" in shown and "heldout_error" in shown and "<script" not in shown


def test_a_file_of_a_configuration_runs(tmp_path):
    (tmp_path / "c.toml").write_text(alidade._core.to_toml(json.dumps(CONFIG)))
    results = alidade.run(tmp_path / "c.toml", tmp_path / "out", overrides=["repeats=1", "dataset.0.noise=0"])
    assert len(results) == 2
    with pytest.raises(ValueError, match=r"c.toml:.*repeets|repeets"):
        alidade.run(tmp_path / "c.toml", tmp_path / "out2", overrides=["repeets=1"])


@pytest.mark.parametrize("change, error, words", [
    ({"name": ""}, ValueError, "no name"),
    ({"dataset": [{"name": "europa"}]}, ValueError, "Did you mean 'europe'"),
    ({"method": [{"problem": "ste", "solver": "sed"}]}, ValueError, "no solver 'sed'"),
    ({"repeets": 3}, ValueError, "repeets"),
    ({"seed": float("nan")}, ValueError, "finite"),
    ({"seed": object()}, TypeError, "JSON"),
])
def test_a_bad_configuration_is_refused(tmp_path, change, error, words):
    with pytest.raises(error, match=words):
        alidade.run({**CONFIG, **change}, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_other_mistakes_are_refused(tmp_path, results):
    for read in (alidade.load, alidade.run, alidade.sdp.read, alidade.STE.load):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere")
    with pytest.raises(TypeError, match="dictionary or a path"):
        alidade.run(3)
    with pytest.raises(TypeError, match="n_jobs"):
        alidade.run(CONFIG, tmp_path / "x", n_jobs="two")
    for more in ({"n_jobs": 0}, {"n_jobs": 1000}, {"threads": 0}):
        with pytest.raises(ValueError, match=f"{[*more][0]} must be a whole number in"):
            alidade.run(CONFIG, tmp_path / "x", **more)
    with pytest.raises(ValueError, match="no table format"):
        results.table(format="xls")
    with pytest.raises(ValueError, match="no option 'colour'"):
        results.table(colour="red")
    with pytest.raises(ValueError, match="beauty"):
        results.table("beauty")
    with pytest.raises(ValueError, match="no run 'x'"):
        results.trace("x")


def test_runs_that_fail_are_told_of(tmp_path):
    config = {"name": "mixed", "dataset": [{"name": "europe", "triplets": 500}],
              "method": [{"problem": "ste"}, {"problem": "tsne"}]}
    with pytest.warns(UserWarning, match="1 of 2 runs failed.*tsne.*needs features"):
        results = alidade.run(config, tmp_path / "mixed")
    assert len(results.rows("status!=ok")) == 1 and len(results.maps()) == 1


def test_an_interrupted_experiment_keeps_its_rows(tmp_path):
    code = f"""
import alidade
config = {{"name": "long", "repeats": 200, "dataset": [{{"name": "europe", "triplets": 60000}}],
           "method": [{{"problem": "ste", "solver": {{"name": "riemannian_sgd", "max_iter": 300}}}}]}}
try:
    alidade.run(config, {str(tmp_path / "long")!r})
except KeyboardInterrupt:
    print("stopped")
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    for _ in range(600):
        time.sleep(0.1)
        if (tmp_path / "long" / "runs.jsonl").exists() and (tmp_path / "long" / "runs.jsonl").stat().st_size > 0:
            break
    child.send_signal(signal.SIGINT)
    begin = time.perf_counter()
    out, _ = child.communicate(timeout=60)
    assert out == "stopped\n" and time.perf_counter() - begin < 8
    assert 0 < len(alidade.load(tmp_path / "long")) < 200


def _own(task):
    return task["features"][:, : task.d] * task.options.get("scale", 1)


def test_methods_and_data_sets_are_python_objects(tmp_path):
    from sklearn.decomposition import PCA

    X = np.random.default_rng(0).normal(size=(30, 4))
    config = {"name": "own", "repeats": 2, "method": [{"problem": "pca"}]}
    given = {"datasets": {"array": X, "frame": pandas.DataFrame(X),
                          "labelled": {"features": X, "labels": ["a", "b", "c"] * 10}},
             "methods": {"theirs": PCA(2), "mine": {"call": _own, "options": {"scale": [1, 2]}}}}
    results = alidade.run(config, tmp_path / "own", n_jobs=2, **given)
    rows = results.rows()
    assert len(rows) == 24 and set(rows["method"]) == {"pca / lanczos", "theirs", "mine[scale=1]", "mine[scale=2]"}
    by_method = rows.groupby("method")["metrics.trustworthiness"].mean()
    assert by_method["theirs"] == pytest.approx(by_method["pca / lanczos"], rel=1e-9)
    assert by_method["mine[scale=1]"] == by_method["mine[scale=2]"]
    assert rows[rows["dataset.id"] == "labelled"]["metrics.knn_accuracy"].notna().all()
    assert len(alidade.run(config, tmp_path / "own", **given)) == 24

    answers = alidade.triplets_of(X[:, :2], 500, random_state=0)
    random = {"call": lambda task: np.random.default_rng(task.seed).normal(size=(task.n, task.d)), "needs": "triplets"}
    judged = alidade.run({"name": "answers"}, tmp_path / "answers", datasets={"people": {"triplets": answers}},
                         methods={"random": random})
    assert judged.dicts()[0]["triplets"] == 400 and 0.3 < judged.dicts()[0]["metrics"]["heldout_error"] < 0.7

    def fails(task):
        raise ValueError("no such scale")

    with pytest.warns(UserWarning, match="no such scale"):
        alidade.run({"name": "bad"}, tmp_path / "bad", datasets={"array": X}, methods={"fails": fails})
    for methods, words in (({"none": 3}, "fit_transform"), ([PCA()], "methods is a dictionary by name.*not list"),
                           ({"p": PCA}, r"'p' is the class PCA. Give an object of it, such as PCA\(\)")):
        with pytest.raises(TypeError, match=words):
            alidade.run(config, tmp_path / "none", datasets={"array": X}, methods=methods)
    with pytest.raises(ValueError, match="dictionary"):
        alidade.run("c.toml", tmp_path / "file", methods={"mine": _own})


def test_a_map_of_another_shape_is_refused_with_the_cure(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4))
    for name, method, words in (("wide", lambda task: task["features"][:, :3], "{'call': ..., 'options': {'n_components': 3}}"),
                                ("none", lambda task: None, "the method returned None. Return the map")):
        with pytest.warns(UserWarning, match="1 of 1 runs failed") as said:
            alidade.run({"name": name}, tmp_path / name, datasets={"x": X}, methods={"m": method})
        assert words in str(said[0].message)
    wide = {"call": lambda task: task["features"][:, :3], "options": {"n_components": 3}}
    assert alidade.run({"name": "w"}, tmp_path / "w", datasets={"x": X}, methods={"m": wide}).maps()[0].embedding.shape == (20, 3)


@pytest.mark.parametrize("kind", ["features", "distances", "dissimilarities"])
def test_an_index_names_the_objects_of_the_maps(tmp_path, kind):
    names = ["oak, tall", "ash", "fir", *(f"tree {i}" for i in range(9))]
    X = pandas.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), index=names, columns=["object", "b", "c"])
    table, labels = X, pandas.Series(["a", "b"] * 6, index=names)
    if kind != "features":
        table = pandas.DataFrame(np.linalg.norm(X.to_numpy()[:, None] - X.to_numpy(), axis=2), index=names, columns=names)
    given = {kind: table if kind == "features" else table[names[::-1]], "labels": labels[::-1]}
    (one,) = alidade.run({"name": "named"}, tmp_path / "named", datasets={"trees": given},
                         methods={"mine": {"call": lambda task: task[task.needs[0]][:, :2], "needs": kind}}).maps()
    assert one.objects == names and one.labels == list(labels) and np.allclose(one.embedding, table.iloc[:, :2])
