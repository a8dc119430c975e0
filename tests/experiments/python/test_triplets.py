"""TripletEmbedding: every form of answers, and the same bits as the command."""

import json
import re

import numpy as np
import pandas
import pytest
import scipy.sparse
import sparse
from sklearn.model_selection import cross_val_score

import alidade


def write_csv(path, rows, columns=("anchor", "near", "far")):
    pandas.DataFrame(rows, columns=list(columns)).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("method, options, more", [
    ("auto", [], {}),
    ("ste", ["--problem", "ste"], {}),
    ("soe", ["--problem", "soe", "--n-components", "3", "--set", "problem.margin=0.5"],
     {"n_components": 3, "method_options": {"margin": 0.5}}),
    ("ete", ["--problem", "ete", "--solver", "riemannian_sgd", "--set", "solver.max_iter=20"],
     {"solver": "riemannian_sgd", "solver_options": {"max_iter": 20}}),
    ("tste", ["--problem", "tste", "--set", "choose.problem.alpha=[1,2,5]"], {"choose": {"problem.alpha": [1, 2, 5]}}),
    ("ckl", ["--problem", "ckl", "--bootstrap", "12"], {"bootstrap": 12}),
    ("gnmds", ["--problem", "gnmds", "--set", "split.refit=false", "--holdout", "0.3"],
     {"refit": False, "holdout": 0.3}),
    ("gnmds_sdp", ["--problem", "gnmds_sdp"], {}),
    ("ste", ["--problem", "ste", "--n-components", "auto"], {"n_components": "auto"}),
])
def test_the_same_seed_gives_the_bits_of_the_command(command, tmp_path, triplets, method, options, more):
    rows = triplets[:1200]
    file = write_csv(tmp_path / "answers.csv", rows)
    said = command("embed", file, "--seed", 7, "-o", tmp_path / "map", *options)
    assert said.returncode == 0, said.stderr
    want = np.load(tmp_path / "map" / "embedding.npy")
    for jobs in (1, 2):
        model = alidade.TripletEmbedding(**{"method": method, "random_state": 7, "n_jobs": jobs, **more}).fit(rows)
        assert np.array_equal(model.embedding_, want)
    row = json.loads((tmp_path / "map" / "runs.jsonl").read_text())
    assert model.error_ == row["heldout"]["error"]
    assert model.error_interval_ == (row["heldout"]["low"], row["heldout"]["high"])
    assert model.row_.get("measured_fit", model.row_)["objective"] == row["objective"]
    assert (model.chosen_ is None) == (row["chosen"] is None)
    if "bootstrap" in more:
        said = pandas.read_csv(tmp_path / "map" / "ellipses.csv", float_precision="round_trip")
        assert np.array_equal(model.ellipses_, said[["semi_major", "semi_minor", "angle"]].to_numpy())


def test_names_give_the_bits_of_the_command(command, tmp_path, triplets):
    names = np.array([f"object, {i}" for i in range(25)])
    rows = names[triplets]
    weights = np.linspace(0.5, 2, len(rows))
    people = np.array(["Ann", "Bo", "Cy", "Di"])[np.arange(len(rows)) % 4]
    table = pandas.DataFrame(rows, columns=["anchor", "near", "far"]).assign(weight=weights, annotator=people)
    table.to_csv(tmp_path / "answers.csv", index=False)
    assert command("embed", tmp_path / "answers.csv", "-p", "ste", "-o", tmp_path / "map").returncode == 0
    want = np.load(tmp_path / "map" / "embedding.npy")
    objects = pandas.read_csv(tmp_path / "map" / "embedding.csv")["object"]
    model = alidade.TripletEmbedding(method="ste", random_state=0)
    for given in (rows, rows.tolist(), table[["anchor", "near", "far"]], rows.astype(object)):
        model.fit(given, weights=weights, annotators=people)
        assert np.array_equal(model.embedding_, want)
        assert list(model.objects_) == list(objects)
    assert np.array_equal(model.fit(table).embedding_, want)
    shuffled = table[["annotator", "far", "weight", "anchor", "near"]]
    assert np.array_equal(model.fit(shuffled).embedding_, want)
    assert model.row_["heldout"]["unit"] == alidade.TripletEmbedding(method="ste", random_state=0).fit(
        triplets, annotators=people).row_["heldout"]["unit"]
    assert model.score(rows) == pytest.approx(1 - np.mean(model.predict(rows) == 0))


def test_annotators_are_those_of_the_command(command, tmp_path, triplets):
    rows = np.array(triplets)
    people = np.array(["Ann", "Bo", "Cy", "Di"])[np.arange(len(rows)) % 4]
    rows[people == "Cy"] = rows[people == "Cy"][:, [0, 2, 1]]
    model = alidade.TripletEmbedding(method="ste_annotators", random_state=0).fit(rows, annotators=people)
    pandas.DataFrame(rows, columns=["anchor", "near", "far"]).assign(annotator=people).to_csv(
        tmp_path / "answers.csv", index=False)
    assert command("embed", tmp_path / "answers.csv", "-p", "ste_annotators", "-o", tmp_path / "map").returncode == 0
    said = pandas.read_csv(tmp_path / "map" / "annotators.csv", float_precision="round_trip")
    found = pandas.DataFrame(model.annotators_)
    for column in ("annotator", "answers", "guess_rate", "standard_error", "agreement"):
        assert list(found[column]) == list(said[column])
    assert list(found["reversed"]) == [False, False, True, False]
    # By any other method they are judged on its map.
    judged = alidade.TripletEmbedding(method="ste").fit(rows, annotators=people).annotators_
    assert [one["reversed"] for one in judged] == [False, False, True, False]
    assert alidade.TripletEmbedding(method="ste").fit(rows).annotators_ is None


@pytest.mark.parametrize("spellings, names, said", [
    (["0", "0.0", "1", "1.0"], ["0", "1"], "read as one number"),
    (["\u00e9", "e\u0301", "b", "b "], ["\u00e9", "b"], "composed"),
    (["p", "P", "q", "q\u00a0"], ["p", "P", "q", "q\u00a0"], "look alike"),
])
def test_arrays_of_people_and_aspects_are_read_by_the_rules_of_names(triplets, spellings, names, said):
    people = np.resize(np.array(spellings, dtype=object), len(triplets))
    model = alidade.TripletEmbedding(method="ste").fit(triplets, annotators=people)
    assert [one["annotator"] for one in model.annotators_] == names
    assert any(said in note and "annotator" in note for note in model.notes_)
    assert alidade.AspectEmbedding().fit(triplets, aspects=people).aspects_ == names


def test_numbers_are_rows_of_the_map(triplets):
    few = triplets[(triplets < 20).all(axis=1)]
    model = alidade.STE(random_state=0).fit(few, n_objects=23)
    assert model.embedding_.shape == (23, 2) and list(model.objects_) == list(range(23))
    assert model.embedding_[:20].std() > 0
    with pytest.raises(ValueError, match="no object 2[0-9]; the 20 objects are numbered from 0"):
        alidade.STE().fit(triplets, n_objects=20)


def test_cblearns_forms_give_one_map(triplets):
    rng = np.random.default_rng(0)
    rows = triplets[:800]
    want = alidade.STE(random_state=0).fit(rows).embedding_
    turned = rng.random(len(rows)) < 0.5
    queries = np.where(turned[:, None], rows[:, [0, 2, 1]], rows)
    for y in (~turned, np.where(turned, -1, 1), list(~turned), np.where(turned, -1.0, 1.0), (~turned).astype(object),
              np.where(turned, -1, 1).astype(object)):
        assert np.array_equal(alidade.STE(random_state=0).fit(queries, y).embedding_, want)
    assert np.array_equal(alidade.STE(random_state=0).fit((queries, ~turned)).embedding_, want)
    masked = np.ma.array(np.r_[rows, [[0, 1, 2]]], mask=np.r_[np.zeros_like(rows), [[0, 0, 1]]])
    assert np.array_equal(alidade.STE(random_state=0).fit(masked).embedding_, want)
    y = np.ma.array(np.r_[~turned, True], mask=np.r_[np.zeros(len(rows), bool), True])
    assert np.array_equal(alidade.STE(random_state=0).fit(np.r_[queries, [[0, 1, 2]]], y).embedding_, want)
    # Counts: an answer of -3 is three answers that the third object is nearer.
    tripled = alidade.STE(random_state=0).fit(queries[:200], np.where(turned[:200], -3, 3)).embedding_
    assert np.array_equal(tripled, alidade.STE(random_state=0).fit(np.repeat(rows[:200], 3, axis=0)).embedding_)


def test_sparse_and_dense_arrays_of_counts_give_one_map(triplets):
    rows = np.unique(triplets, axis=0)
    keep = ~np.array([tuple(r) in {tuple(x) for x in rows[:, [0, 2, 1]]} for r in rows])
    rows = rows[keep]
    want = alidade.STE(random_state=0).fit(rows).embedding_
    n = rows.max() + 1
    coo = sparse.COO(rows.T, np.ones(len(rows), int), shape=(n, n, n))
    dense = np.zeros((n, n, n), int)
    dense[tuple(rows.T)] = 1
    flat = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows[:, 0], rows[:, 1] * n + rows[:, 2])), shape=(n, n * n))
    masked = np.ma.array(np.ones((n, n, n), int), mask=dense == 0)
    for given in (coo, dense, flat, masked):
        assert np.array_equal(alidade.STE(random_state=0).fit(given).embedding_, want)
    negative = dense - 2 * (np.arange(n)[:, None, None] % 2) * dense
    turned = np.where((rows[:, 0] % 2 == 1)[:, None], rows[:, [0, 2, 1]], rows)
    order = np.lexsort(rows.T[::-1])
    assert np.array_equal(alidade.STE(random_state=0).fit(negative).embedding_,
                          alidade.STE(random_state=0).fit(turned[order]).embedding_)


@pytest.mark.parametrize("name", ["SOE", "STE", "TSTE", "CKL", "GNMDS"])
def test_a_script_of_cblearn_runs(name, places, triplets):
    # As its manual has it, but for the import. MLDS, of one dimension and without random starts, is left out.
    estimator = getattr(alidade, name)(n_components=2, random_state=2, verbose=False, max_iter=500)
    embedding = estimator.fit_transform(triplets)
    assert embedding.shape == places.shape
    assert estimator.score(triplets) > 0.9
    assert estimator.score(triplets, np.ones(len(triplets), bool)) == estimator.score(triplets)
    turned = triplets[:, [0, 2, 1]]
    assert estimator.score(turned, np.zeros(len(turned), bool)) == estimator.score(triplets)
    responses = estimator.predict(triplets, result_format="list-count")
    assert set(responses) <= {1, -1} and np.mean(responses == 1) == estimator.score(triplets)
    assert (estimator.predict(estimator.predict(turned, result_format="list-order"))).all()
    assert cross_val_score(estimator, triplets, cv=3).min() > 0.85
    assert np.array_equal(estimator.transform(triplets), embedding)


@pytest.mark.parametrize("kind, rows, columns, file_rows", [
    ("odd_one_out", [["a", "b", "c"], ["d", "b", "c"], ["a", "d", "c"]], "odd,first,second", None),
    ("most_central", [["a", "b", "c"], ["d", "b", "c"], ["a", "d", "c"]], "central,first,second", None),
    ("quadruplets", [["a", "b", "a", "c"], ["d", "b", "c", "b"], ["a", "d", "d", "c"]], "i,j,k,l", None),
    ("two_choice", [["a", "b", "c", "left"], ["d", "b", "c", "right"], ["a", "d", "c", "left"]],
     "reference,left,right,response", None),
    ("pick", [["a", ["b", "c"], ["d", "e"]], ["e", ["d"], ["a", "b", "c"]]], "anchor,picked,rest",
     ["a,b|c,d|e", "e,d,a|b|c"]),
    ("ranked", [["a", ["b", ["c", "d"], "e"]], ["e", ["d", "a", "b"]]], "anchor,ranked", ["a,b|c=d|e", "e,d|a|b"]),
])
def test_other_kinds_of_answers_are_those_of_the_command(command, tmp_path, kind, rows, columns, file_rows):
    lines = file_rows or [",".join(r) for r in rows]
    (tmp_path / "a.csv").write_text("\n".join([columns, *lines * 4]) + "\n")
    said = command("embed", tmp_path / "a.csv", "--answers", kind, "-p", "ste", "-o", tmp_path / "map",
                   "--holdout", "0")
    assert said.returncode == 0, said.stderr
    want = np.load(tmp_path / "map" / "embedding.npy")
    model = alidade.TripletEmbedding(method="ste", answers=kind, holdout=0, random_state=0)
    assert np.array_equal(model.fit(rows * 4).embedding_, want)
    frame = pandas.DataFrame(rows * 4, columns=columns.split(","))
    assert np.array_equal(model.fit(frame).embedding_, want)


def test_responses_go_with_queries():
    with pytest.raises(ValueError, match="responses go with queries"):
        alidade.TripletEmbedding(answers="pick").fit([["a", ["b"], ["c", "d"]]], [True])


def test_a_single_answer_and_two_give_a_map_with_a_warning(triplets):
    model = alidade.TripletEmbedding(method="ste", random_state=0).fit([["a", "b", "c"]])
    assert model.embedding_.shape == (3, 2) and np.isnan(model.error_)


def test_new_objects_are_added_as_by_the_command(command, tmp_path, triplets):
    old = triplets[(triplets < 20).all(axis=1)]
    new = triplets[(triplets >= 20).any(axis=1)]
    write_csv(tmp_path / "old.csv", old)
    write_csv(tmp_path / "new.csv", new)
    assert command("embed", tmp_path / "old.csv", "-p", "ste", "-o", tmp_path / "one").returncode == 0
    said = command("embed", tmp_path / "new.csv", "--onto", tmp_path / "one", "-o", tmp_path / "two")
    assert said.returncode == 0, said.stderr
    model = alidade.TripletEmbedding(method="ste", random_state=0).fit(old)
    before = model.embedding_.copy()
    model.add(new)
    two = pandas.read_csv(tmp_path / "two" / "embedding.csv", float_precision="round_trip").set_index("object")
    assert np.array_equal(model.embedding_[:20], before)
    assert [str(o) for o in model.objects_] == [str(o) for o in two.index]
    # The command reads new.csv by itself, with its objects in their own order.
    assert np.allclose(model.embedding_, two[["x1", "x2"]].to_numpy(), rtol=0, atol=1e-12)
    assert model.score(triplets) > 0.85
    with pytest.raises(ValueError, match="nothing to add"):
        model.add(old)


@pytest.mark.parametrize("rows, error, words", [
    ([], ValueError, "shape|no answers"),
    (np.empty((0, 3), int), ValueError, "no answers"),
    ([[0, 1]], ValueError, "3 columns"),
    ([0, 1, 2], ValueError, "2D"),
    ([[0, 1, 2], [0, 1]], ValueError, "equal length"),
    ([[0, 1, 1]], ValueError, r"triplets\[0\]: near and far are both '1'"),
    ([["a", "b", "b"]], ValueError, "near and far are both 'b'"),
    ([[0, 1, -2]], ValueError, "not the number of an object"),
    ([[0, 1, 2**40]], ValueError, "give them as text"),
    (np.array([[0, 1, 2**64 - 1]], np.uint64), ValueError, "not the number"),
    ([[2**70, 1, 2]], ValueError, "not the number"),
    (np.array([[1e300, 1, 2]]), ValueError, "not the number"),
    ([[0, 1, 2.5]], ValueError, "not whole"),
    ([[0, 1, np.nan]], ValueError, "NaN"),
    ([[0, 1, np.inf]], ValueError, "infinity"),
    ([["a", "b", None]], ValueError, "missing"),
    ([["a", "b", ""]], ValueError, "empty"),
    ([[True, False, True]], TypeError, "true/false"),
    ([[1j, 2, 3]], ValueError, "Complex"),
    (np.array([["2020-01-01", "2020-01-02", "2020-01-03"]], "datetime64[D]"), TypeError, "datetime64"),
    ("answers.csv", FileNotFoundError, "answers.csv"),
    (7, TypeError, "not int"),
    (None, TypeError, "NoneType"),
    ({"a": 1}, ValueError, "columns by name need"),
    ({"anchor": [0], "near": [1, 2], "far": [2]}, ValueError, "columns by name need"),
    (np.zeros((2, 3, 4), int), ValueError, "n x n x n"),
    (pandas.DataFrame({"x": [0], "y": [1]}), ValueError, "the columns are not named anchor, near and far"),
    (pandas.DataFrame({"anchor": [], "near": [], "far": []}), ValueError, "no answers"),
    ([["a", "b", np.nan]], ValueError, "missing"),
    (pandas.DataFrame([["a", "b", pandas.NA]]), ValueError, "missing"),
    (np.array([["a", "b", pandas.NA]], object), ValueError, "missing"),
    ([["\ud800", "b", "c"]], ValueError, "names are text"),
    (np.array([[b"\xff", b"b", b"c"]]), ValueError, "not UTF-8"),
    ([[0, 1, 6_000_000]], ValueError, "give them as text"),
])
def test_bad_answers_are_refused(rows, error, words):
    with pytest.raises(error, match=words):
        alidade.STE(random_state=0).fit(rows)


@pytest.mark.parametrize("more, words", [
    ({"weights": [1, 2]}, "one entry per answer"),
    ({"weights": ["heavy"] * 5}, "numbers"),
    ({"weights": [1, 1, 1, 1, np.nan]}, r"weights\[4\]"),
    ({"weights": [1, 1, 1, 1, -1]}, r"weights\[4\]"),
    ({"weights": [0] * 5}, "All weights are 0"),
    ({"annotators": ["x"]}, "one entry per answer"),
    ({"annotators": [np.nan] * 5}, "NaN"),
    ({"aspects": [[1]] * 5}, "one entry per answer"),
    ({"y": [1, 1, 1]}, "queries"),
    ({"y": [1, 1, 1, 1, 0]}, "y == 1"),
    ({"y": [1, 1, -1, 1, 0]}, "undecided"),
    ({"y": [0.5, 1, 1, 1, 1]}, "weights go by keyword"),
    ({"n_objects": 2}, "no object 2"),
    ({"n_objects": 0}, "n_objects must be"),
    ({"n_objects": -1}, "n_objects must be"),
    ({"n_objects": 10**12}, "n_objects must be"),
    ({"weights": [1j] * 5}, "numbers"),
    ({"annotators": ["x", None, "y", "y", "x"]}, r"annotators\[1\] is empty"),
    ({"annotators": np.array(["x", "y", np.nan, "y", "x"], object)}, r"annotators\[2\] is empty"),
    ({"aspects": pandas.Series(["x", "y", "z", pandas.NA, "x"])}, r"aspects\[3\] is empty"),
    ({"aspects": ["x", "y", "z", "x", ""]}, r"aspects\[4\] is empty"),
    ({"y": [10**15, 1, 1, 1, 1]}, "give weights instead"),
])
def test_bad_companions_of_answers_are_refused(more, words):
    rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]]
    with pytest.raises(ValueError, match=words):
        alidade.STE(random_state=0).fit(rows, **more)


def test_a_number_of_objects_goes_with_numbers_only():
    rows = [["a", "b", "c"], ["b", "a", "c"]]
    for given in (rows, pandas.DataFrame(rows, columns=["anchor", "near", "far"])):
        with pytest.raises(ValueError, match="n_objects goes with an array of whole numbers"):
            alidade.STE(random_state=0).fit(given, n_objects=5)
    with pytest.raises(TypeError, match="n_objects must be a whole number"):
        alidade.STE(random_state=0).fit([[0, 1, 2]], n_objects=3.0)


def test_columns_of_exports_are_found_by_their_names_in_any_order(triplets):
    frame = pandas.DataFrame([[f"o{i}" for i in row] for row in triplets], columns=["head", "winner", "loser"])
    want = alidade.STE(random_state=0).fit(frame).embedding_
    assert np.array_equal(alidade.STE(random_state=0).fit(frame[["loser", "winner", "head"]]).embedding_, want)
    unnamed = frame.set_axis(range(3), axis=1)
    assert np.array_equal(alidade.STE(random_state=0).fit(unnamed).embedding_, want)


@pytest.mark.parametrize("columns", ["x,y,z", "reference,left,right", "response,left,right", "odd_one_out,a,b",
                                     "unlike,like,item", "1,2,3", "0,1,2,3"])
def test_columns_that_the_command_refuses_are_refused(command, tmp_path, triplets, columns):
    names = columns.split(",")
    frame = pandas.DataFrame(np.c_[triplets, triplets[:, 1]][:100, :len(names)], columns=names)
    file = write_csv(tmp_path / "answers.csv", frame.to_numpy(), names)
    refused = command("embed", file, "-p", "ste", "-o", tmp_path / "map")
    assert refused.returncode == 2 and "does not name the columns anchor, near and far." in refused.stderr
    with pytest.raises(ValueError, match="the columns are not named anchor, near and far") as asked:
        alidade.STE().fit(frame)
    assert all(words in str(asked.value) for words in re.findall(r"No column says[^.]*\.", refused.stderr))


def test_queries_of_a_frame_are_found_by_their_names(triplets):
    frame = pandas.DataFrame(triplets, columns=["anchor", "near", "far"])
    turned = np.arange(len(frame)) % 2 == 0
    swapped = frame.assign(near=frame.near.where(~turned, frame.far), far=frame.far.where(~turned, frame.near))
    want = alidade.STE(random_state=0).fit(triplets).embedding_
    for columns in (["anchor", "near", "far"], ["far", "anchor", "near"]):
        assert np.array_equal(alidade.STE(random_state=0).fit(swapped[columns], ~turned).embedding_, want)
    for names in (range(3), ["Reference", "left", "right"]):
        unnamed = swapped.set_axis(names, axis=1)
        assert np.array_equal(alidade.STE(random_state=0).fit(unnamed, ~turned).embedding_, want)
    with pytest.raises(ValueError, match="with responses, name those of triplets"):
        alidade.STE().fit(swapped.rename(columns={"near": "other"}), ~turned)


def test_what_goes_with_masked_rows_is_left_out_with_them(triplets):
    rows = triplets[:600]
    weights, people = np.linspace(1, 2, 600), np.array(["Ann", "Bo"])[np.arange(600) % 2]
    model = alidade.TripletEmbedding(method="ste", random_state=0)
    want = model.fit(rows, weights=weights, annotators=people).embedding_
    more = np.ma.array(np.r_[[[0, 1, 2]], rows], mask=np.r_[[[0, 1, 0]], np.zeros_like(rows)])
    for y in (None, [True] * 601):
        assert np.array_equal(model.fit(more, y, weights=np.r_[9, weights], annotators=["Cy", *people]).embedding_, want)
    y = np.ma.array(np.ones(601, bool), mask=np.arange(601) == 0)
    assert np.array_equal(model.fit(more.data, y, weights=np.r_[9, weights], annotators=["Cy", *people]).embedding_, want)
    with pytest.raises(ValueError, match="weights needs one entry per answer: 601"):
        model.fit(more, weights=weights)


def test_names_may_be_bytes(triplets):
    names = np.array([f"obj\u00e9t {i}" for i in range(25)])
    want = alidade.STE(random_state=0).fit(names[triplets])
    for given in (np.char.encode(names, "utf-8")[triplets], np.char.encode(names, "utf-8")[triplets].astype(object)):
        model = alidade.STE(random_state=0).fit(given)
        assert list(model.objects_) == list(want.objects_) and np.array_equal(model.embedding_, want.embedding_)


def test_there_is_one_prediction_for_each_row(triplets):
    model = alidade.STE(random_state=0, degenerate="drop").fit(triplets)
    with pytest.raises(ValueError, match="both '1'"):
        model.predict([[0, 1, 1], [0, 1, 2]])
    with pytest.raises(ValueError, match="leave such rows out"):
        model.predict(np.ma.array(triplets[:2], mask=[[0, 0, 1], [0, 0, 0]]))


def test_unknown_objects_are_refused_after_the_fit(triplets):
    model = alidade.STE(random_state=0).fit(triplets)
    with pytest.raises(ValueError, match="no object 25 on the map; it has 25 objects"):
        model.predict([[0, 1, 25]])
    named = alidade.STE(random_state=0).fit(np.array(list("abcdefghijklmnopqrstuvwxy"))[triplets])
    with pytest.raises(ValueError, match="no object 'z' on the map"):
        named.predict([["a", "b", "z"]])


def test_rows_that_name_one_object_twice_can_be_dropped(triplets):
    more = np.r_[[[0, 1, 1]], triplets, [[2, 2, 3]]]
    model = alidade.STE(random_state=0, degenerate="drop").fit(more, weights=np.ones(len(more)),
                                                               annotators=["a"] * len(more))
    assert np.array_equal(model.embedding_, alidade.STE(random_state=0).fit(triplets).embedding_)
    assert "2 rows name one object twice and were left out." in model.notes_


def test_methods_of_several_maps_point_to_their_class(triplets):
    with pytest.raises(ValueError, match="AspectEmbedding"):
        alidade.TripletEmbedding(method="common_space", random_state=0).fit(triplets, aspects=np.arange(3000) % 2)


def test_a_map_shows_itself(triplets):
    names = np.array([f"<{i}>" for i in range(25)])
    page = alidade.TripletEmbedding(method="ste", random_state=0).fit(names[triplets])._repr_html_()
    assert page.count("<circle") == 25 and "&lt;3&gt;" in page and "<3>" not in page and "held-out error" in page
    assert "<script" not in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_frames_are_read_as_files_of_answers_are():
    rng = np.random.default_rng(5)
    places = {name: rng.normal(size=2) for name in ("pear", "plum", "fig", "kiwi", "lime", "date")}

    def apart(a, b):
        return np.linalg.norm(places[a] - places[b])

    rows = [rng.permutation(list(places)).tolist() for _ in range(150)]
    triplets = [(a, b, c) if apart(a, b) < apart(a, c) else (a, c, b) for a, b, c, *_ in rows]
    choices = pandas.DataFrame([(a, b, c, "A" if near == b else "B", f"p{k % 3}") for k, ((a, b, c, *_), (_, near, _))
                            in enumerate(zip(rows, triplets))],
                           columns=["Reference", "Option A", "Option B", "Chosen", "Participant"])
    ranks = pandas.DataFrame([(a, *sorted(rest, key=lambda b: apart(a, b))) for a, *rest in rows],
                         columns=["target", "rank1", "rank2", "rank3", "rank4", "rank5"])
    odd = pandas.DataFrame([(a, b, c, max((a, b, c), key=lambda one: sum(apart(one, other) for other in (a, b, c))))
                        for a, b, c, *_ in rows], columns=["img1", "img2", "img3", "odd_one_out"])
    for frame in (choices, ranks, odd):
        model = alidade.STE(random_state=0).fit(frame)
        assert set(model.objects_) == set(places) and model.score(triplets) > 0.85
    with pytest.raises(ValueError, match="columns are not named anchor"):
        alidade.STE().fit(choices.rename(columns=lambda name: f"x_{name}"))


@pytest.mark.parametrize("name", ["SPoSE", "VICE"])
def test_axes_of_the_odd_one_out_are_judged_by_scalar_products(command, tmp_path, name):
    rng = np.random.default_rng(1)
    truth = rng.exponential(2, (20, 2)) * (rng.random((20, 2)) < 0.4)
    rows = np.array([rng.permutation(20)[:3] for _ in range(2000)])
    odd = np.array([np.argmax([truth[j] @ truth[k], truth[i] @ truth[k], truth[i] @ truth[j]]) for i, j, k in rows])
    rows = np.array([np.roll(row, -first) for row, first in zip(rows, odd)])
    file = write_csv(tmp_path / "answers.csv", rows, ("odd", "first", "second"))
    said = command("embed", file, "--answers", "odd_one_out", "-p", name.lower(), "-d", 6, "--holdout", 0, "-o",
                   tmp_path / "map")
    assert said.returncode == 0, said.stderr
    model = getattr(alidade, name)(n_components=6, random_state=0).fit(rows)
    assert np.array_equal(model.embedding_, np.load(tmp_path / "map" / "embedding.npy"))
    products = model.embedding_ @ model.embedding_.T
    anchor, near, far = np.array([(b, c, a) for a, b, c in rows] + [(c, b, a) for a, b, c in rows]).T
    right, tied = (compare(products[anchor, near], products[anchor, far]) for compare in (np.greater, np.equal))
    assert model.score(rows) == pytest.approx(right.mean() + tied.mean() / 2)
    assert model.score(rows) == pytest.approx(1 - model.measures_["train_error"], abs=0.02)
    assert np.mean(model.predict(rows)) == pytest.approx(right.mean())
    by_aspect = alidade.AspectEmbedding(method="disjoint", method_options={"problem": "vice"}, answers="odd_one_out",
                                        random_state=0).fit(rows, aspects=["one"] * len(rows))
    assert by_aspect.score(rows, aspects=["one"] * len(rows)) == pytest.approx(model.score(rows), abs=0.05)
