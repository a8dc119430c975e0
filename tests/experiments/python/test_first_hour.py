"""What a user of scikit-learn met in a first hour: frames, callbacks, warnings and codes."""

import warnings

import numpy as np
import pandas as pd
import pytest

import alidade

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(np.repeat(RNG.normal(size=(6, 4)), 10, axis=0) + 0.1 * RNG.normal(size=(60, 4)),
                     columns=list("abcd")).sample(frac=1, random_state=0)
X = FRAME.to_numpy()


@pytest.mark.parametrize("name", ["TSNE", "MDS", "UMAP", "PCA", "Isomap", "NeRV", "KPSDE"])
def test_a_callback_hears_of_each_record_and_can_end_the_fit(name):
    heard = []
    model = getattr(alidade, name)(random_state=0, callback=heard.append).fit(X)
    objectives = {record["iteration"]: record["objective"] for record in model.trace_}
    staged = name in ("TSNE", "NeRV")  # which minimise other objectives at first
    assert heard and (staged or all(np.isclose(r["objective"], objectives[r["iteration"]], rtol=1e-12) for r in heard))

    def refuse(record):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        getattr(alidade, name)(random_state=0, callback=refuse).fit(X)


def test_a_map_of_a_frame_keeps_the_names_of_its_rows():
    model = alidade.MDS(random_state=0).fit(FRAME)
    assert model.to_frame().index.tolist() == FRAME.index.tolist()
    assert np.array_equal(model.embedding_, alidade.MDS(random_state=0).fit(X).embedding_)
    named = FRAME.set_axis([f"row {i}" for i in FRAME.index])
    assert alidade.PCA().fit(named).to_frame().index.tolist() == named.index.tolist()


def test_a_start_is_matched_to_the_rows_by_their_names():
    places = alidade.PCA().set_output(transform="pandas").fit_transform(FRAME)
    by_rows = alidade.NonmetricMDS(random_state=0).fit(X, init=places.to_numpy()).embedding_
    for start in (places, places.sample(frac=1, random_state=1)):
        assert np.array_equal(alidade.NonmetricMDS(random_state=0).fit(FRAME, init=start).embedding_, by_rows)


def test_columns_in_another_order_than_the_rows_are_refused():
    apart = pd.DataFrame(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))), list("abcde"), list("abdce"))
    with pytest.raises(ValueError, match="another order"):
        alidade.MDS(metric="precomputed").fit(apart)


@pytest.mark.parametrize("name", ["PCA", "Isomap", "TSNE", "KPSDE"])
def test_transform_gives_frames_where_they_are_asked_for(name):
    model = getattr(alidade, name)(random_state=0) if name != "PCA" else alidade.PCA()
    out = model.set_output(transform="pandas").fit(FRAME).transform(FRAME)
    assert isinstance(out, pd.DataFrame) and out.index.equals(FRAME.index)


def test_pca_of_rows_that_single_precision_merges():
    near = X.copy()
    near[1] = near[2] + 1e-9
    model = alidade.PCA().fit(near)
    assert np.allclose(model.transform(near), model.embedding_, atol=1e-10)
    assert np.allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-10)


@pytest.mark.parametrize("rows, words", [(lambda t: t[:, [0, 2, 1]], "look swapped"),
                                         (lambda t: np.where(RNG.random((len(t), 1)) < 0.5, t, t[:, [0, 2, 1]]), "guessing")])
def test_answers_that_look_wrong_are_warned_of(rows, words):
    triplets = rows(alidade.triplets_of(X[:30, :2], 1500, random_state=0))
    with pytest.warns(UserWarning, match=words):
        model = alidade.TripletEmbedding(method="soe", random_state=0).fit(triplets)
    assert any(words in note for note in model.notes_)


@pytest.mark.parametrize("codes", [(0, 1), (1, 2)])
def test_responses_that_may_be_codes_are_asked_about(codes):
    triplets = alidade.triplets_of(X[:30, :2], 100, random_state=0)
    with pytest.raises(ValueError, match="y == 1"):
        alidade.STE().fit(triplets, np.resize(codes, 100))


def test_measures_that_do_not_apply_are_named():
    with pytest.warns(UserWarning, match="knn_accuracy cannot be measured"):
        alidade.PCA(measures=("knn_accuracy",)).fit(X)


def test_small_and_equal_data():
    assert alidade.PaCMAP(random_state=0).fit(X[:8]).embedding_.std() > 1e-2
    with pytest.raises(ValueError, match="same features"):
        alidade.PSDE(random_state=0).fit(np.ones((20, 3)))
    with pytest.raises(ValueError, match="whole number"):
        alidade.PCA(n_components="2").fit(X)


def test_csdp_is_watched_so_that_its_bound_is_proven():
    rng = np.random.default_rng(0)
    symmetric = [(m + m.T) / 2 for m in rng.normal(size=(7, 8, 8))]
    inside = [m @ m.T + np.eye(8) for m in rng.normal(size=(2, 8, 8))]
    cost = sum(y * a for y, a in zip(rng.normal(size=6), symmetric)) + inside[0]
    bounds = [float((a * inside[1]).sum()) for a in symmetric[:6]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = alidade.sdp.solve(cost, symmetric[:6], bounds, solver="csdp")
    assert found.status == "converged" and found.rigorous_ and 0 <= found.gap_ < 1e-6 * abs(found.objective)


@pytest.mark.parametrize("responses", [[True, False, True], [1, -1, 1]])
def test_responses_in_a_frame_that_name_no_side_go_to_y(responses):
    frame = pd.DataFrame([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], columns=["reference", "left", "right"])
    alidade.STE().fit(frame, responses)
    with pytest.raises(ValueError, match=r"names no side.* are y: fit\("):
        alidade.STE().fit(frame.assign(response=responses))


def test_what_is_missing_is_named_as_an_argument():
    with pytest.raises(ValueError, match="Give annotators, or choose ste_lapse"):
        alidade.Problem("ste_annotators", alidade.triplets_of(X[:30, :2], 100, random_state=0))
    close = np.vstack([X, X[0] + 1e-9])
    with pytest.raises(ValueError, match="float32"):
        alidade.ClassicalMDS().fit(close).transform(X)
    assert alidade.ClassicalMDS().fit(close.astype(np.float32)).transform(X).shape == (60, 2)


def test_a_frame_of_other_columns_or_with_another_response_is_asked_about():
    frame = pd.DataFrame(alidade.triplets_of(X[:30, :2], 100, random_state=0), columns=["anchor", "near", "far"])
    with pytest.raises(ValueError, match="the columns of triplets"):
        alidade.SOE(answers="odd_one_out").fit(frame)
    for responses in (True, -1):
        with pytest.raises(ValueError, match="give it as y"):
            alidade.SOE().fit(frame.assign(response=responses))


def test_sides_are_responses():
    triplets = alidade.triplets_of(X[:30, :2], 100, random_state=0)
    sides = np.where(RNG.random(100) < 0.5, "left", "right")
    queries = np.where(sides[:, None] == "left", triplets, triplets[:, [0, 2, 1]])
    assert np.array_equal(*(alidade.STE(random_state=0).fit(queries, y).embedding_ for y in (sides, sides == "left")))


def test_numbers_that_no_answer_has_are_nan_and_said():
    triplets = alidade.triplets_of(X[:30, :2], 400, random_state=0)
    with pytest.warns(UserWarning, match="no answer about object 0"):
        model = alidade.STE(random_state=0).fit(triplets + 1)
    assert np.isnan(model.embedding_[0]).all() and np.isfinite(model.embedding_[1:]).all()
    assert np.array_equal(model.embedding_[1:], alidade.STE(random_state=0).fit(triplets).embedding_)


def test_a_wide_table_has_components():
    wide = RNG.normal(size=(20, 30000))
    model = alidade.PCA().fit(wide)
    assert np.allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-9)
    assert np.allclose(model.transform(wide), model.embedding_)


def test_what_was_measured_stays_when_objects_are_added():
    triplets = alidade.triplets_of(X[:30, :2], 1500, noise=0.05, random_state=0)
    model = alidade.TripletEmbedding(method="ste", random_state=0).fit(triplets[(triplets != 29).all(axis=1)])
    error, interval = model.error_, model.error_interval_
    model.add([[29, 0, 1], [29, 2, 3]])
    assert (model.error_, model.error_interval_, model.measures_["heldout_error"]) == (error, interval, error)
    assert not any("random start" in note for note in model.notes_)
