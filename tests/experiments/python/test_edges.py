"""What a user of scikit-learn and Jupyter meets in the first week."""

import copy
import logging
import os
import pickle
import warnings

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist, pdist
from sklearn import decomposition
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

import alidade
from alidade import cblearn, sdp


@pytest.fixture(scope="module")
def answers():
    return alidade.triplets_of(np.random.default_rng(1).normal(size=(12, 2)), 600, noise=0.1, random_state=0)


def fitted(answers):
    """A map by every class."""
    X = load_iris().data[::5]
    given = {"AspectEmbedding": {"aspects": ["taste", "looks"] * 300}, "SameDifferent": {"y": answers[:, 2] > 5}}
    of_class = {"MultiviewMDS": [cdist(X, X), cdist(X, X, "cityblock")], "SameDifferent": answers[:, :2]}
    for module in (alidade, cblearn):
        for name in module.__all__:
            cls = getattr(module, name)
            if hasattr(cls, "fit"):
                own = {"component": "largest"} if name == "MaximumVarianceUnfolding" else {}
                data = of_class.get(name, answers if issubclass(cls, alidade.triplets._FromAnswers) else X)
                yield cls(random_state=0, **own).fit(data, **given.get(name, {}))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_jupyter_shows_the_map(answers):
    formatters = pytest.importorskip("IPython.core.formatters")
    models = list(fitted(answers))
    assert len(models) >= 36
    for model in models:
        shown = formatters.DisplayFormatter().format(model)[0]
        assert "<svg" in shown["text/html"] and model.termination_ in shown["text/html"], type(model)
        assert shown["text/plain"] == repr(model)
    assert "<svg" not in formatters.DisplayFormatter().format(alidade.STE())[0]["text/html"]


def test_a_notebook_shows_every_map(tmp_path):
    nbformat, preprocessors = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert.preprocessors")
    cell = f"""import sys, warnings
sys.path.insert(0, {os.path.dirname(__file__)!r})
warnings.simplefilter("ignore")
import numpy as np, alidade, test_edges
T = alidade.triplets_of(np.random.default_rng(1).normal(size=(12, 2)), 600, noise=0.1, random_state=0)
for model in test_edges.fitted(T): display(model)"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    run = preprocessors.ExecutePreprocessor(timeout=600, kernel_name="python3")
    run.preprocess(notebook, {"metadata": {"path": tmp_path}})
    shown = [output["data"]["text/html"] for output in notebook.cells[0].outputs if "data" in output]
    assert len(shown) >= 36 and all("<svg" in html for html in shown)


def test_matrices_are_symmetric_up_to_rounding():
    X = load_iris().data
    for D in (1 - np.corrcoef(X), cdist(X, X, "cosine"), cdist(X, X) + 1e-15 * np.triu(np.ones((150, 150)), 1)):
        clean = np.maximum((D + D.T) / 2, 0)
        np.fill_diagonal(clean, 0)
        for cls in (alidade.MDS, alidade.Isomap):
            first, second = (cls(metric="precomputed", random_state=0).fit_transform(given) for given in (D, clean))
            assert np.array_equal(first, second)
    D = cdist(X, X)
    for row, column in ((3, 3), (3, 4)):
        wrong = D.copy()
        wrong[row, column] += 0.01
        with pytest.raises(ValueError, match=r"row 3\)|rows 4 and 3\)") as said:
            alidade.MDS(metric="precomputed").fit(wrong)
        assert "--" not in str(said.value) and "config" not in str(said.value)


def test_programs_are_symmetric_up_to_rounding():
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    M = U @ np.diag(rng.normal(size=40)) @ U.T
    assert abs(M - M.T).max() > 0
    found = sdp.solve(M, [np.eye(40)], [1.0])
    assert found.objective == pytest.approx(np.linalg.eigvalsh(M)[0], abs=1e-6)
    M[0, 1] += 1e-9
    with pytest.raises(ValueError, match="not symmetric"):
        sdp.solve(M, [np.eye(40)], [1.0])


@pytest.mark.parametrize("limit, ended", [({"max_iter": 1}, "max_iter"), ({"timeout": 1e-9}, "time_limit")])
def test_an_early_end_is_said_at_the_line_of_the_user(answers, limit, ended):
    with pytest.warns(ConvergenceWarning, match=f"ended by {ended}, not converged") as said:
        model = alidade.STE(random_state=0, **limit).fit(answers)
    assert model.termination_ == ended and said[0].filename == __file__
    problem = alidade.Problem("ste", answers)
    for more in (lambda: alidade.minimize(problem, random_state=0, solver_options={"max_iter": limit.get("max_iter", 10**6)},
                                          timeout=limit.get("timeout")),
                 lambda: sdp.solve(-np.ones((9, 9)), [np.eye(9)], [1.0], solver="admm", timeout=limit.get("timeout"),
                                   solver_options=limit if "max_iter" in limit else None)):
        with pytest.warns(ConvergenceWarning, match=f"ended by {ended}, not converged") as said:
            assert more().status == ended and said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert alidade.STE(random_state=0).fit(answers).termination_ == "converged"
        alidade.TSNE(random_state=0).fit(load_iris().data[::5])  # ends with its schedule


def test_after_a_refit_all_describes_the_map(answers):
    model = alidade.STE(random_state=0, holdout=0.2).fit(answers)
    problem = alidade.Problem("ste", answers)
    assert model.objective_ == model.row_["objective"] == pytest.approx(problem.value(model.embedding_), rel=1e-12)
    assert model.n_iter_ == model.row_["refit"]["iterations"] and model.row_["triplets"] == 600
    assert model.row_["measured_fit"]["triplets"] == 480 and model.row_["measured_fit"]["objective"] < model.objective_
    assert alidade.STE(random_state=0).fit(answers).objective_ == model.objective_


def test_losses_of_cblearn_have_no_regulariser(answers):
    anchor, near, far = answers.T
    for model, loss in ((cblearn.STE(random_state=1), lambda a, b: np.logaddexp(0, a - b)),
                        (cblearn.GNMDS(random_state=1), lambda a, b: np.maximum(0, 1 + a - b)),
                        (cblearn.CKL(mu=0.3, random_state=1), lambda a, b: np.log((0.6 + a + b) / (0.3 + b))),
                        (cblearn.SOE(margin=0.1, n_init=1, random_state=1),
                         lambda a, b: np.maximum(0, 0.1 + np.sqrt(a) - np.sqrt(b)) ** 2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            Y = model.fit(answers).embedding_
        a, b = ((Y[anchor] - Y[near]) ** 2).sum(1), ((Y[anchor] - Y[far]) ** 2).sum(1)
        assert model.stress_ == pytest.approx(loss(a, b).sum(), rel=1e-9), type(model)


def test_noise_is_a_probability():
    for noise in (-1, 2.0, float("nan")):
        with pytest.raises(ValueError, match="noise is a probability"):
            alidade.triplets_of(np.eye(3), 5, noise=noise)


def test_objects_without_answers_have_no_place(answers):
    among = answers * 2  # every other object
    model = alidade.STE(random_state=0).fit(among, n_objects=10**6)
    assert model.embedding_.shape == (10**6, 2) and len(model.objects_) == 10**6
    assert np.isnan(model.embedding_[1::2]).all() and np.isnan(model.embedding_[24:]).all()
    assert np.array_equal(model.embedding_[:24:2], alidade.STE(random_state=0).fit(answers).embedding_)
    assert any("999988 of 1000000 objects are in no answer and have no place, NaN: 1, 3, 5, 7, 9, ..." in note
               for note in model.notes_)
    assert model.score(among) > 0.8 and model.score([[1, 0, 2]]) == 0  # a tie
    small = alidade.STE(random_state=0, bootstrap=3).fit(among, n_objects=25)
    assert np.isnan(small.ellipses_[1::2]).all() and np.isfinite(small.ellipses_[::2][:12]).all()
    before = small.embedding_.copy()
    small.add([[26, 0, 2], [26, 0, 4], [26, 2, 8], [26, 2, 10]])
    assert len(small.embedding_) == 27 and np.isfinite(small.embedding_[26]).all()
    assert np.array_equal(small.embedding_[:25], before, equal_nan=True)
    maps = alidade.AspectEmbedding(random_state=0).fit(among, aspects=["a", "b"] * 300, n_objects=30).embeddings_
    assert all(len(places) == 30 and np.isnan(places[1::2]).all() for places in maps.values())


def test_weights_count_in_the_score_and_not_in_predict(answers, tmp_path):
    model = alidade.STE(random_state=0).fit(answers)
    right = np.array([model.score(row[None]) for row in answers[:50]])
    weights = np.arange(50.0)
    assert model.score(answers[:50], weights=weights) == pytest.approx(np.average(right, weights=weights))
    assert model.score(answers[:50], sample_weight=weights) == model.score(answers[:50], weights=weights)
    frame = pandas.DataFrame(answers[:50], columns=["anchor", "near", "far"]).assign(weight=weights)
    assert model.score(frame) == model.score(answers[:50], weights=weights)
    maps = alidade.AspectEmbedding(random_state=0).fit(answers, aspects=["taste", "looks"] * 300)
    for light in (0, [0] * 40 + [1] * 10):
        frame["weight"] = light
        frame.to_csv(tmp_path / "a.csv", index=False)
        for same in (frame, dict(frame), tmp_path / "a.csv"):
            assert np.array_equal(model.predict(same), model.predict(answers[:50]))
        right = maps.predict(frame, aspects=["taste"] * 50)
        assert maps.score(answers[:50], aspects=["taste"] * 50, sample_weight=weights) == pytest.approx(
            np.average(right, weights=weights))
    with pytest.raises(ValueError, match="All weights are 0"):
        model.score(answers[:50], weights=np.zeros(50))


def test_messages_speak_of_python():
    for wrong in (lambda: alidade.TSNE(2, 30), lambda: alidade.TSNE(perplexiti=3)):
        with pytest.raises(TypeError, match="TSNE: .*Its parameters are n_components, perplexity, "):
            wrong()
    frame = pandas.DataFrame([["a", "b", "c"], ["a", "b", "a"]], columns=["anchor", "near", "far"])
    with pytest.raises(ValueError, match=r'^row 1: .*, or leave such rows out by degenerate="drop"\.$'):
        alidade.STE().fit(frame)
    with pytest.raises(ValueError, match="^the columns are not named anchor, near and far"):
        alidade.STE().fit(frame.set_axis(["anchor_id", "near_id", "far_id"], axis=1))
    with pytest.raises(ValueError, match="^the columns are not named anchor, near and far"):
        alidade.STE().fit(frame[["anchor", "near"]])


def test_problems_take_weights_and_can_be_copied(answers):
    weights = np.linspace(0.5, 2, len(answers))
    problem = alidade.Problem("ste", answers, weights=weights, lambd=0.0)
    Y = problem.start(random_state=0)
    a, b = (((Y[answers[:, 0]] - Y[answers[:, i]]) ** 2).sum(1) for i in (1, 2))
    assert problem.value(Y) == pytest.approx((weights * np.logaddexp(0, a - b)).sum())
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert other.value(Y) == problem.value(Y) and other.shape == problem.shape


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_scikit_learn_has_by_name(answers):
    X = load_iris().data[::2]
    ours, theirs = alidade.PCA(n_components=3).fit(X), decomposition.PCA(3).fit(X)
    for name in ("explained_variance_", "explained_variance_ratio_", "mean_"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-6), name
    assert abs(ours.components_ @ theirs.components_.T) == pytest.approx(np.eye(3), abs=1e-6)
    assert ours.inverse_transform(ours.embedding_) == pytest.approx(theirs.inverse_transform(theirs.transform(X)), abs=1e-5)
    whole = alidade.PCA(n_components=4).fit(X)
    assert whole.inverse_transform(whole.transform(X)) == pytest.approx(X, abs=1e-5)
    with pytest.raises(ValueError, match="n_components=5 is more than the 4 features"):
        alidade.PCA(n_components=5).fit(X)
    with pytest.raises(ValueError, match="n_neighbors=200 needs more than 200 samples, and X has 75"):
        alidade.Isomap(n_neighbors=200).fit(X)
    model = alidade.MDS(random_state=0).fit(X)
    assert model.stress_ == pytest.approx(((pdist(X) - pdist(model.embedding_)) ** 2).sum(), rel=1e-5)
    model = alidade.TSNE(random_state=0, perplexity=10).fit(X)
    assert model.kl_divergence_ == model.objective_ > 0
    cosine = alidade.MDS(metric="cosine", random_state=0).fit(X)
    assert cosine.stress_ == pytest.approx(((pdist(X, "cosine") - pdist(cosine.embedding_)) ** 2).sum(), rel=1e-5)
    for metric in ("chebyshev", lambda x, y: np.abs(x - y).max()):
        assert np.allclose(alidade.MDS(metric=metric, random_state=0).fit_transform(X),
                           alidade.MDS(metric="precomputed", random_state=0).fit_transform(cdist(X, X, "chebyshev")))
    assert 0 < alidade.NonmetricMDS(random_state=0).fit(X).stress_ < 0.1
    assert np.array_equal(alidade.PCA().fit(csr_matrix(X)).embedding_, alidade.PCA().fit(X).embedding_)


def test_a_map_as_a_frame(answers):
    names = np.array(list("abcdefghijkl"))[answers]
    model = alidade.STE(random_state=0).fit(names)
    frame = model.to_frame()
    assert frame.shape == (12, 2) and set(frame.index) == set("abcdefghijkl")
    assert frame.loc[model.objects_[3]].to_list() == model.embedding_[3].tolist()
    maps = alidade.AspectEmbedding(random_state=0).fit(answers, aspects=["taste", "looks"] * 300)
    assert maps.to_frame()["looks"].to_numpy().tolist() == maps.embeddings_["looks"].tolist()


def test_solves_are_logged(triplets, caplog):
    with caplog.at_level(logging.INFO, logger="alidade"):
        alidade.STE(random_state=0).fit(triplets)
    assert any("ste / ceres ended by converged" in r.getMessage() for r in caplog.records)
    assert not any(r.levelno == logging.DEBUG for r in caplog.records)
    with caplog.at_level(logging.DEBUG, logger="alidade"):
        alidade.STE(random_state=0).fit(triplets)
    assert sum("iteration" in r.getMessage() and r.levelno == logging.DEBUG for r in caplog.records) > 2


def test_names_that_users_of_scikit_learn_know():
    X = load_iris(as_frame=True).data[::3]
    for model in (alidade.PCA(), alidade.Isomap(), alidade.TSNE(random_state=0)):
        frame = model.set_output(transform="pandas").fit_transform(X)
        assert list(frame.columns) == list(model.get_feature_names_out()) and list(frame.index) == list(X.index)
        assert np.allclose(model.transform(X[:3]), frame[:3])


def test_columns_of_a_frame_are_read_as_those_of_a_file(answers):
    frame = pandas.DataFrame(answers, columns=["Anchor", "Near", "Far"])
    weights = np.random.default_rng(0).integers(1, 4, len(answers))
    want = alidade.STE(random_state=0).fit(answers, weights=weights).objective_
    for name in ("weight", "Weight"):
        assert alidade.STE(random_state=0).fit(frame.assign(**{name: weights})).objective_ == pytest.approx(want)
        given = alidade.STE(random_state=0).fit(frame.assign(**{name: 1 + weights}), weights=weights)
        assert given.objective_ == pytest.approx(want)
    series = pandas.Series(weights)
    assert alidade.STE(random_state=0).fit(frame, weights=series).objective_ == want
    with pytest.raises(ValueError, match="the index of weights is not that of the frame; give weights.loc"):
        alidade.STE().fit(frame, weights=series[::-1])
    model = alidade.STE(random_state=0).fit(frame.assign(weights=weights))
    assert "Column 'weights' was not read." in model.notes_ and model.objective_ != pytest.approx(want)


def test_answers_of_a_file_and_of_columns_by_name(answers, tmp_path):
    columns = dict(zip(("anchor", "near", "far"), np.asarray(answers).T))
    frame = pandas.DataFrame(columns).assign(weight=2)
    want = alidade.STE(random_state=0).fit(frame)
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    for same in (path, str(path), {**columns, "weight": [2] * len(frame)}):
        model = alidade.STE(random_state=0).fit(same)
        assert np.array_equal(model.embedding_, want.embedding_) and model.score(same) == want.score(frame)
    path.write_text("anchor,near,far\na,b,a\n")
    with pytest.raises(ValueError, match=r"a\.csv:2: anchor and far are both 'a'"):
        alidade.STE().fit(path)
    with pytest.raises(ValueError, match="leave the other arguments out"):
        alidade.STE().fit(path, weights=[1])
    with pytest.raises(FileNotFoundError):
        alidade.STE().fit("nowhere.csv")


def test_a_masked_value_is_a_missing_one(answers, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 3))
    apart, hidden = cdist(X, X), np.zeros((12, 12), bool)
    hidden[2, 5] = hidden[5, 2] = True
    masked, missing = np.ma.array(np.where(hidden, 1000, apart), mask=hidden), np.where(hidden, np.nan, apart)
    mds = alidade.MDS(metric="precomputed", random_state=0, solver_options={"max_iter": 20})
    want = mds.fit_transform(missing)
    whole = np.ma.array(np.where(hidden, 1000, (10 * apart).astype(int)), mask=hidden)
    for given, same in ((masked, missing), (list(masked), missing), (whole, whole.astype(float).filled(np.nan))):
        assert np.array_equal(mds.fit_transform(given), mds.fit_transform(same))
    assert np.array_equal(mds.fit_transform(np.ma.array(apart)), mds.fit_transform(apart))
    views = alidade.MultiviewMDS(random_state=0, solver_options={"max_iter": 20})
    assert np.array_equal(views.fit_transform([masked, apart]), views.fit_transform([missing, apart]))
    features = np.ma.array(X, mask=rng.random(X.shape) < 0.1)
    pca, ste = alidade.PCA().fit(X), alidade.STE(random_state=0).fit(answers)
    some = np.ma.array(np.ones(len(answers)), mask=np.arange(len(answers)) == 3)
    pairs, eye = rng.integers(6, size=(40, 2)), np.eye(2)
    for refused in (lambda: alidade.PCA().fit(features), lambda: pca.transform(features),
                    lambda: alidade.TSNE().fit(features), lambda: pca.inverse_transform(features[:, :2]),
                    lambda: mds.fit(apart, init=features[:, :2]),
                    lambda: alidade.ClassicalMDS(metric="precomputed").fit(masked),
                    lambda: alidade.STE().fit(answers, weights=some), lambda: ste.score(answers, weights=some),
                    lambda: alidade.STE().fit(answers, annotators=some), lambda: alidade.triplets_of(features, 5),
                    lambda: alidade.SameDifferent().fit(np.ma.array(pairs, mask=pairs == 3), pairs[:, 0] > 2),
                    lambda: alidade.SameDifferent().fit(pairs, np.ma.array(pairs[:, 0] > 2, mask=pairs[:, 1] > 3)),
                    lambda: alidade.PSDE(affinity="signs").fit(np.ma.array(np.sign(X @ X.T), mask=hidden)),
                    lambda: alidade.Problem("pca", features),
                    lambda: sdp.program(np.ma.array(eye, mask=eye), [eye], [1.0]),
                    lambda: sdp.solve(eye, [eye], np.ma.array([1.0], mask=[True]))):
        with pytest.raises((ValueError, TypeError)):
            refused()
    with pytest.warns(UserWarning):
        ran = alidade.run({"name": "m", "method": [{"problem": "pca"}]}, tmp_path / "m", datasets={"d": features})
    assert ran.dicts()[0]["status"] == "failed" and "finite" in ran.dicts()[0]["message"]


def test_whole_numbers_that_are_not_exact_are_refused(command, tmp_path):
    X = np.random.default_rng(0).integers(-300, 300, size=(20, 3))
    far, whole = X + 2**55, pandas.DataFrame(X).astype("Int64")
    np.save(tmp_path / "x.npy", far)
    asked = command("embed", "--features", tmp_path / "x.npy", "-p", "pca", "-o", tmp_path / "map")
    assert asked.returncode == 2 and "integers of 2^53 or more, which are not exact" in asked.stderr
    for given in (far, far.astype("u8"), -far, far.tolist(), far.astype(object), whole + 2**55,
                  whole.assign(more=2**55), whole.assign(more=2**55, half=0.5), [[2**60, 0.5], [1, 2], [3, 4]],
                  csr_matrix(far)):
        with pytest.raises(ValueError, match=r"integers of 2\^53 or more, which are not exact"):
            alidade.PCA().fit(given)
    want = alidade.PCA().fit_transform(X.astype(float))
    for given in (X, X.astype(object), whole, csr_matrix(X)):
        assert np.array_equal(alidade.PCA().fit_transform(given), want)
    for refused in (lambda: alidade.MDS(metric="precomputed").fit(far @ X.T),
                    lambda: alidade.PCA().fit(X).transform(far), lambda: alidade.PCA().fit(X, init=far[:, :2]),
                    lambda: alidade.triplets_of(far, 5)):
        with pytest.raises(ValueError, match=r"integers of 2\^53"):
            refused()
    assert alidade.PCA().fit(far.astype(float) + 0.0).embedding_.shape == (20, 2)
    half_known = whole.astype("Int64").mask(X > 250)
    with pytest.raises(ValueError, match="NaN"):
        alidade.PCA().fit(half_known)


def test_ratings_of_pairs_become_dissimilarities(tmp_path):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(8, 2))
    names = np.array(list("abcdefgh"))
    rows = [(names[i], names[j], np.linalg.norm(places[i] - places[j]) + rng.normal(scale=0.05), person)
            for person in ("Ann", "Bob", "Eve") for i in range(8) for j in range(i) if (i, j) != (7, 2)]
    frame = pandas.DataFrame(rows, columns=["item1", "item2", "rating", "participant"])
    apart = alidade.dissimilarities_of(frame)
    assert set(apart.index) == set(names) and list(apart.columns) == list(apart.index)
    both = frame[frame.item1.isin(["c", "b"]) & frame.item2.isin(["c", "b"])]
    assert apart.loc["b", "c"] == apart.loc["c", "b"] == pytest.approx(both.rating.mean())
    assert np.isnan(apart.loc["h", "c"]) and apart.isna().sum().sum() == 2 and (np.diag(apart) == 0).all()
    model = alidade.MDS(metric="precomputed", random_state=0).fit(apart)
    found = cdist(model.embedding_, model.embedding_)
    true = cdist(*[places[[list(names).index(name) for name in apart.index]]] * 2)
    assert abs(found - true).max() < 0.2
    frame.to_csv(tmp_path / "r.csv", index=False)
    pandas.testing.assert_frame_equal(alidade.dissimilarities_of(tmp_path / "r.csv"), apart)
    alike = alidade.dissimilarities_of(frame.assign(rating=9 - frame.rating), similarities=True)
    pairs = np.tril_indices(8, -1)
    moved = (alike - apart).to_numpy()[pairs]
    assert np.isnan(moved).sum() == 1 and np.nanmax(moved) - np.nanmin(moved) < 1e-9
    for wrong, words in ((frame.drop(columns="rating"), "^row 0: .* Give columns such as item1, item2 and rating"), (frame.assign(rating="near"), "ratings of pairs are numbers")):
        with pytest.raises(ValueError, match=words) as said:
            alidade.dissimilarities_of(wrong)
        assert "/tmp" not in str(said.value) and "--" not in str(said.value)
    with pytest.raises(ValueError, match="similarities must be"):
        alidade.dissimilarities_of(frame, similarities="maybe")


def test_piles_are_answers(command, tmp_path):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(12, 2))
    frame = pandas.DataFrame([(person, f"card {i}", pile) for person in range(6)
                              for i, pile in enumerate(cdist(places, rng.normal(size=(3, 2))).argmin(axis=1))],
                             columns=["participant", "item", "pile"])
    model = alidade.STE(answers="clusterings", random_state=0).fit(frame)
    assert len(model.objects_) == 12 and model.score(frame) > 0.7
    frame.to_csv(tmp_path / "p.csv", index=False)
    assert np.array_equal(alidade.STE(answers="clusterings", random_state=0).fit(tmp_path / "p.csv").embedding_,
                          model.embedding_)
    said = command("embed", "--clusterings", tmp_path / "p.csv", "-p", "ste", "--seed", 1, "-o", tmp_path / "map")
    assert said.returncode == 0, said.stderr
    by_command = alidade.load(tmp_path / "map").dicts()[0]
    persons = alidade.TripletEmbedding(answers="clusterings", method="ste", random_state=1).fit(frame)
    assert np.array_equal(np.load(tmp_path / "map" / "embedding.npy"), persons.embedding_)
    assert 0 <= persons.error_ == by_command["heldout"]["error"] < 0.5
    with pytest.raises(ValueError, match="user, item and cluster alone"):
        alidade.STE(answers="clusterings").fit(frame, weights=np.ones(len(frame)))
    by_rows = alidade.TripletEmbedding(answers="clusterings", method="ste", random_state=1).fit(frame.to_numpy())
    assert np.array_equal(by_rows.embedding_, persons.embedding_)
    with pytest.raises(ValueError, match="^the columns are not named user, item and cluster"):
        alidade.STE(answers="clusterings").fit(frame.iloc[:, :2])
    with pytest.raises(ValueError, match="or rows of user, item, cluster"):
        alidade.STE(answers="clusterings").fit([1, 2, 3])


def test_objects_of_another_fold_are_ties_and_counted(answers):
    names = np.array([f"n{i}" for i in range(np.max(answers) + 1)])[np.asarray(answers)]
    for rows, other in ((names, "new"), (np.asarray(answers), 99)):
        model = alidade.STE(random_state=0).fit(rows)
        right = model.score(rows[:10])
        with pytest.warns(UserWarning, match="10 of 20 answers are about objects that are not on the map"):
            more = np.array([[a, b, other] for a, b, _ in rows[:10].tolist()])
            assert model.score(np.concatenate([rows[:10], more])) == right / 2


def test_objects_by_name_come_first(triplets):
    names = [f"dish {i}" for i in range(25)]
    named = np.array(names)[triplets]
    order = [*reversed(names), "salt"]
    model = alidade.STE(random_state=0).fit(named, objects=order)
    assert list(model.objects_) == order and np.isnan(model.embedding_[-1]).all()
    assert any("1 of 26 objects are in no answer and have no place, NaN: salt." in n for n in model.notes_)
    plain = alidade.STE(random_state=0).fit(named)
    assert np.array_equal(model.to_frame().loc[plain.objects_].to_numpy(), plain.to_frame().to_numpy())
    more = copy.deepcopy(model).add([["sugar", "dish 0", "dish 1"], ["sugar", "dish 0", "dish 5"]] * 5)
    assert list(more.objects_) == [*order, "sugar"] and np.isnan(more.embedding_[25]).all()
    again = alidade.STE(random_state=0).fit(named, objects=order, init=model.to_frame().fillna(0))
    assert list(again.objects_) == order
    by_number = alidade.STE(random_state=0).fit(triplets + 100, objects=range(100, 126))
    assert list(by_number.objects_) == [str(i) for i in range(100, 126)] and by_number.score(triplets + 100) > 0.9
    maps = alidade.AspectEmbedding(random_state=0).fit(named, aspects=["a", "b"] * (len(named) // 2), objects=order)
    assert all(np.isnan(m[-1]).all() and np.isfinite(m[:-1]).all() for m in maps.embeddings_.values())
    scores = cross_val_score(alidade.STE(random_state=0, holdout=0), named, cv=3, fit_params={"objects": order})
    assert (scores > 0.9).all()
    for wrong, message in ((order + ["salt"], "'salt' twice"), (order[1:], "no 'dish 24' in objects")):
        with pytest.raises(ValueError, match=message):
            alidade.STE().fit(named, objects=wrong)
    with pytest.raises(ValueError, match="one of the two"):
        alidade.STE().fit(triplets, objects=order, n_objects=25)


def test_similarities_codes_and_sparse_neighbours_are_no_numbers_without_a_word():
    X = np.random.default_rng(0).normal(size=(40, 2))
    apart = cdist(X, X)
    alike = np.exp(-apart)
    np.fill_diagonal(alike, 0)
    views = alidade.MultiviewMDS(random_state=0, solver_options={"max_iter": 20})
    mds = alidade.MDS(metric="precomputed", random_state=0, solver_options={"max_iter": 20})
    for model, given in ((mds, alike), (mds, csr_matrix(alike)), (views, [apart, alike])):
        with pytest.warns(UserWarning, match="as if these were similarities"):
            assert any("as if these were similarities" in note for note in model.fit(given).notes_)
    coded, odd = X.copy(), apart.copy()
    coded[3, 1], odd[3, 4], odd[4, 3] = -99, 999, 999
    for model, given, where in ((alidade.PCA(), coded, "Column 1 holds -99"), (mds, odd, "A pair holds 999")):
        with pytest.warns(UserWarning, match=where + ", far from the other numbers, as if it marked a missing value"):
            model.fit(given)
    near = np.where(apart < 2, apart, np.nan)
    np.fill_diagonal(near, 0)
    held = csr_matrix(np.nan_to_num(near))
    assert np.array_equal(mds.fit_transform(held), mds.fit_transform(near))
    for refused in (lambda: alidade.TSNE(metric="precomputed").fit(held),
                    lambda: alidade.TSNE(metric="precomputed").fit(apart).transform(held)):
        with pytest.raises((ValueError, TypeError), match="missing|[Ss]parse"):
            refused()


def test_distances_of_another_unit_are_said():
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = alidade.ClassicalMDS(metric="precomputed").fit(cdist(X[:15], X[:15]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(cdist(X[15:], X[:15]))
    for factor in .01, 100:
        with pytest.warns(UserWarning, match="Are the units those of the map"):
            model.transform(factor * cdist(X[15:], X[:15]))


@pytest.mark.parametrize("name", ["PCA", "TSNE", "WeightedETE"])
def test_rows_far_from_those_of_the_map_are_said(name, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = getattr(alidade, name)(random_state=0).fit(X)
    model.save(tmp_path / "map")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(X[:3])
    for one in (model, pickle.loads(pickle.dumps(model)), type(model).load(tmp_path / "map")):
        with pytest.warns(UserWarning, match="Of 3 of 3 new objects a feature lies farther outside"):
            one.transform(100 * X[:3])
