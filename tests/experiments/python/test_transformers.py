"""Maps from tables and distances: the bits of the command, and scikit-learn's own checks."""

import functools
import inspect
import pickle
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_s_curve
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import alidade
from alidade import transformers
from alidade._catalog import PROBLEMS

NAMES = transformers.__all__
PLACING = [name for name in NAMES if hasattr(getattr(alidade, name), "transform")]
BY_DISTANCES = [name for name in NAMES if "metric" in inspect.signature(getattr(alidade, name)).parameters]


def check_name(check):
    return check.func.__name__ if isinstance(check, functools.partial) else check.__name__


@pytest.fixture(scope="module")
def wine():
    return StandardScaler().fit_transform(load_wine().data)[::2]


def test_every_problem_of_tables_has_a_class():
    wanted = {name for name, entry in PROBLEMS.items()
              if entry["needs"] in (["features"], ["features or dissimilarities"])} - transformers._ELSEWHERE
    assert {getattr(alidade, name)._problem_name for name in NAMES} == wanted
    assert set(PLACING) == {getattr(alidade, name).__name__ for name in NAMES
                            if PROBLEMS[getattr(alidade, name)._problem_name]["places_objects"]}
    assert set(PLACING) >= {"TSNE", "NeRV", "PCA", "Isomap", "LLE", "HessianLLE", "ClassicalMDS"}


@pytest.mark.parametrize("name", NAMES)
def test_the_checks_of_scikit_learn_pass(name):
    # None is left out. Methods that cannot place new rows have no `transform`, so that its checks do not apply,
    # as to scikit-learn's own TSNE and MDS.
    ran = []
    for estimator, check in estimator_checks.check_estimator(getattr(alidade, name)(), generate_only=True):
        check(estimator)
        ran.append(check_name(check))
    assert len(ran) >= 25
    assert ("check_transformer_general" in ran) == (name in PLACING)


@pytest.mark.parametrize("name", ["TripletEmbedding", "SOE", "STE", "TSTE", "CKL", "GNMDS", "ETE"])
def test_the_checks_without_data_pass_for_maps_from_answers(name):
    # All checks that fit give tables of features as X. X is a list of answers here, so that they do not apply; what
    # they look at (cloning, pickling, fitting twice, bad input) is in test_triplets.py and test_module.py.
    for check in (estimator_checks.check_parameters_default_constructible,
                  estimator_checks.check_no_attributes_set_in_init, estimator_checks.check_get_params_invariance,
                  estimator_checks.check_set_params, estimator_checks.check_estimator_get_tags_default_keys):
        estimator = getattr(alidade, name)()
        check(name, estimator)


@pytest.mark.parametrize("name", NAMES)
def test_features_give_the_bits_of_the_command(command, tmp_path, wine, name):
    pandas.DataFrame(wine).to_csv(tmp_path / "x.csv", index=False, header=False, float_format="%.17g")
    model = getattr(alidade, name)(random_state=4)
    said = command("embed", "--features", tmp_path / "x.csv", "-p", model._problem_name, "--seed", 4, "-o",
                   tmp_path / "map", "--set", "evaluate.metrics=[]")
    assert said.returncode == 0, said.stderr
    want = np.load(tmp_path / "map" / "embedding.npy")
    assert np.array_equal(model.fit_transform(wine), want)
    assert np.array_equal(clone(model).set_params(n_jobs=2, verbose=1).fit_transform(np.asfortranarray(wine)), want)
    if name in PLACING:
        assert np.allclose(model.transform(wine), want, atol=1e-6 * np.abs(want).max())


@pytest.mark.parametrize("name", BY_DISTANCES)
def test_distances_give_the_bits_of_the_command(command, tmp_path, wine, name):
    apart = pairwise_distances(wine)
    np.save(tmp_path / "d.npy", apart)
    model = getattr(alidade, name)(random_state=4, metric="precomputed")
    said = command("embed", "--distances", tmp_path / "d.npy", "-p", model._problem_name, "--seed", 4, "-o",
                   tmp_path / "map", "--set", "evaluate.metrics=[]")
    assert said.returncode == 0, said.stderr
    assert np.array_equal(model.fit_transform(apart), np.load(tmp_path / "map" / "embedding.npy"))
    assert model._more_tags()["pairwise"]
    if name in PLACING:
        assert np.array_equal(model.transform(apart), model.embedding_)


@pytest.mark.parametrize("name", sorted(set(PLACING) & set(BY_DISTANCES)))
def test_new_rows_are_placed_by_any_metric(wine, name, tmp_path):
    old, new = wine[:70], wine[70:]
    make = functools.partial(getattr(alidade, name), random_state=0)
    model = make(metric="cityblock").fit(old)
    assert np.array_equal(model.transform(old), model.embedding_)
    apart = {part: pairwise_distances(rows, old, metric="cityblock") for part, rows in (("old", old), ("new", new))}
    given = make(metric="precomputed").fit(apart["old"])
    want = given.transform(apart["new"])
    for other in (model, make(metric=lambda x, y: np.abs(x - y).sum()).fit(old), pickle.loads(pickle.dumps(model))):
        assert np.allclose(other.transform(new), want, atol=1e-6 * np.abs(want).max())
    model.save(tmp_path / "map")
    assert np.array_equal(type(model).load(tmp_path / "map").transform(new), model.transform(new))
    if name in ("Isomap", "ClassicalMDS"):  # as by the features, where the metric is theirs
        euclidean, by_distance = (make(metric=metric).fit(old).transform(new) for metric in ("euclidean", "l2"))
        assert np.allclose(up_to_signs(by_distance, euclidean), euclidean, atol=1e-4 * np.abs(euclidean).max())
    placed = model.transform(new)
    for other in (model, type(model).load(tmp_path / "map")):
        for metric in ("cosine", "euclidean", "precomputed"):  # of the next fit
            assert np.array_equal(other.set_params(metric=metric).transform(new), placed)
    cosine = make(metric="cosine").fit(old)
    assert np.array_equal(cosine.transform(old), cosine.embedding_)  # though rounding leaves 1e-16 of their distances
    with pytest.raises(ValueError, match="a number >= 0"):
        given.transform(-apart["new"])


def test_a_metric_that_a_folder_does_not_hold_is_asked_for(wine, tmp_path):
    def metric(x, y):
        return np.abs(x - y).sum()

    model = alidade.Isomap(metric=metric).fit(wine)
    model.save(tmp_path / "map")
    loaded = alidade.Isomap.load(tmp_path / "map")
    with pytest.raises(ValueError, match=r"set_params\(metric=...\)"):
        loaded.transform(wine)
    assert np.allclose(loaded.set_params(metric=metric).transform(wine), model.embedding_)


@pytest.mark.parametrize("name, own", [("TriMap", {}), ("PaCMAP", {}), ("UMAP", {}), ("Isomap", {"landmarks": 20})])
def test_draws_follow_the_random_state(wine, name, own):
    maps = [getattr(alidade, name)(random_state=state, **own).fit_transform(wine) for state in (0, 0, 1)]
    assert np.array_equal(maps[0], maps[1]) and not np.allclose(maps[0], maps[2])
    if name == "Isomap":  # whose map depends on nothing else
        fixed = [alidade.Isomap(random_state=state, seed=3, **own).fit_transform(wine) for state in (0, 1)]
        assert np.array_equal(*fixed)


def test_repeats_vary_the_draws(wine, tmp_path):
    results = alidade.run({"name": "drawn", "repeats": 2, "method": [{"problem": {"name": "isomap", "landmarks": 20}}]},
                          tmp_path / "drawn", datasets={"wine": wine})
    one, two = (each.embedding for each in results.maps())
    assert not np.allclose(one, two)


@pytest.mark.parametrize("name", ["MDS", "Sammon"])
def test_pairs_without_a_value_have_no_weight(command, tmp_path, name):
    places = np.random.default_rng(0).normal(size=(30, 2))
    apart = pairwise_distances(places)
    apart = np.maximum(apart, apart.T)
    lacking = apart.copy()
    pairs = np.random.default_rng(1).permutation(np.column_stack(np.triu_indices(30, 1)))[:150]
    lacking[pairs[:, 0], pairs[:, 1]] = lacking[pairs[:, 1], pairs[:, 0]] = np.nan
    make = functools.partial(getattr(alidade, name), metric="precomputed", random_state=0)
    model = make().fit(lacking)
    found = pairwise_distances(model.embedding_)
    assert np.allclose(found, apart, atol=1e-3 * apart.max())  # though a third of the pairs is not known
    assert model.row_["estimates"]["raw_stress"] < 1e-4 and "150 of 435 pairs have no value and no weight." in model.notes_
    lacking[pairs[:, 1], pairs[:, 0]] = apart[pairs[:, 1], pairs[:, 0]]  # one direction is enough
    assert np.array_equal(make().fit_transform(lacking), make().fit_transform(apart))
    lacking[pairs[:, 1], pairs[:, 0]] = np.nan
    pandas.DataFrame(lacking).to_csv(tmp_path / "d.csv", index=False, header=False, float_format="%.17g")
    said = command("embed", "--distances", tmp_path / "d.csv", "-p", name.lower(), "--seed", 0, "--missing", "weight",
                   "-o", tmp_path / "map")
    assert said.returncode == 0, said.stderr
    assert np.array_equal(np.load(tmp_path / "map" / "embedding.npy"), model.embedding_)
    with pytest.raises(ValueError, match=r"missing, but tsne needs that of every pair"):
        alidade.TSNE(metric="precomputed").fit(lacking)
    lacking[3] = lacking[:, 3] = np.nan
    with pytest.raises(ValueError, match="No known pairs link .*leave objects out\\.$"):
        make().fit(lacking)


@pytest.mark.parametrize("name", PLACING)
def test_new_rows_are_placed_as_by_the_command(command, tmp_path, wine, name):
    old, new = wine[:70], wine[70:]
    for file, rows in (("old.csv", old), ("new.csv", new)):
        pandas.DataFrame(rows).to_csv(tmp_path / file, index=False, header=False, float_format="%.17g")
    model = getattr(alidade, name)(random_state=0).fit(old)
    assert command("embed", "--features", tmp_path / "old.csv", "-p", model._problem_name, "-o",
                   tmp_path / "one").returncode == 0
    said = command("embed", "--features", tmp_path / "new.csv", "--onto", tmp_path / "one", "-o", tmp_path / "two")
    assert said.returncode == 0, said.stderr
    want = np.load(tmp_path / "two" / "embedding.npy")[70:]
    assert np.array_equal(model.transform(new), want)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).transform(new), want)
    assert np.array_equal(np.vstack([model.transform(row[None]) for row in new]), want)
    assert np.allclose(model.transform(new.astype(np.float32)), want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    assert list(model.get_feature_names_out()) == [f"{name.lower()}0", f"{name.lower()}1"]
    with pytest.raises(ValueError, match="features"):
        model.transform(new[:, :3])


def up_to_signs(map_, of):
    return map_ * np.sign((map_ * of).sum(axis=0))


@pytest.mark.parametrize("ours, theirs", [
    (alidade.Isomap(n_neighbors=8), Isomap(n_neighbors=8)),
    (alidade.LLE(n_neighbors=8, reg=1e-3), LocallyLinearEmbedding(n_neighbors=8, eigen_solver="dense")),
], ids=["Isomap", "LLE"])
def test_new_rows_are_placed_where_scikit_learn_places_them(ours, theirs):
    X = make_s_curve(400, random_state=0)[0]
    if isinstance(ours, alidade.LLE):  # digits too, once no two neighbours are equally near
        Z = load_digits().data[:600]
        Z = Z + 1e-4 * np.random.default_rng(0).normal(size=Z.shape)
        one, other = (each.fit_transform(Z) for each in (clone(ours), clone(theirs)))
        assert np.allclose(up_to_signs(one / np.linalg.norm(one, axis=0), other), other, atol=1e-6)
    want, new = theirs.fit_transform(X[:300]), X[300:]
    got = ours.fit_transform(X[:300])
    factor = np.linalg.norm(got) / np.linalg.norm(want)  # scikit-learn's LLE has vectors of length 1
    assert np.allclose(up_to_signs(got, want), factor * want, atol=1e-4 * np.abs(got).max())
    sign = np.sign((got * want).sum(axis=0))
    assert np.allclose(sign * ours.transform(new), factor * theirs.transform(new), atol=1e-4 * np.abs(got).max())


def test_classical_scaling_of_features_places_as_principal_components(wine):
    scaled, pca = alidade.ClassicalMDS().fit(wine[:60]), alidade.PCA().fit(wine[:60])
    assert np.allclose(up_to_signs(scaled.transform(wine[60:]), pca.transform(wine[60:])), pca.transform(wine[60:]),
                       atol=1e-4)


@pytest.mark.parametrize("name", ["MDS", "Sammon", "TSNE", "UMAP", "LocalMDS"])
def test_a_solve_starts_where_it_is_told(wine, name):
    start = alidade.PCA().fit_transform(wine)
    few = {"max_iter": 1} if name in ("MDS", "Sammon") else None
    make = functools.partial(getattr(alidade, name), random_state=0, solver_options=few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = make().fit(wine, init=start), make().fit(wine, init=pandas.DataFrame(start))
        other = make().fit(wine)
    assert np.array_equal(one.embedding_, two.embedding_) and not np.array_equal(one.embedding_, other.embedding_)
    if few:
        turned = np.linalg.norm(one.embedding_ - start) / np.linalg.norm(start)
        assert turned < np.linalg.norm(other.embedding_ - start) / np.linalg.norm(start) and turned < 0.8
    with pytest.raises(ValueError, match="init has 80 rows"):
        make().fit(wine, init=start[:80])


def test_methods_of_eigenvectors_take_no_start(wine):
    with pytest.raises(ValueError, match="takes no start"):
        alidade.PCA().fit(wine, init=np.zeros((len(wine), 2)))


def test_views_and_judgements_have_classes():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(20, 2))
    apart = pairwise_distances(places)
    partly = 3 * apart
    partly[2, 5] = partly[5, 2] = np.nan
    model = alidade.MultiviewMDS(random_state=0).fit({"taste": apart, "looks": partly})
    found = pairwise_distances(model.embedding_)
    assert np.corrcoef(found.ravel(), apart.ravel())[0, 1] > 0.99
    assert {"alpha.taste", "alpha.looks"} <= set(model.row_["estimates"])
    with pytest.raises(ValueError, match="rows, but the matrix before"):
        alidade.MultiviewMDS().fit([apart, apart[:10, :10]])
    pairs = rng.integers(20, size=(6000, 2))
    different = rng.random(6000) > np.exp(-1.5 * np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1))
    names = np.array([f"n{i:02d}" for i in range(20)])
    judged = alidade.SameDifferent(random_state=0).fit(names[pairs], different)
    found = judged.to_frame().loc[names]
    assert sorted(judged.objects_) == list(names)
    assert np.corrcoef(pairwise_distances(found).ravel(), apart.ravel())[0, 1] > 0.9
    with pytest.raises(ValueError, match="different"):
        alidade.SameDifferent().fit(pairs, np.full(6000, 2))
    frame = pandas.DataFrame({"stim1": names[pairs[:, 0]], "stim2": names[pairs[:, 1]],
                          "answer": np.where(different, "different", "same")})
    by_frame = alidade.SameDifferent(random_state=0).fit(frame)
    assert np.array_equal(by_frame.embedding_, judged.embedding_)
    with pytest.raises(ValueError, match="give y"):
        alidade.SameDifferent().fit(pairs)


def test_maps_stand_in_pipelines_and_searches():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), alidade.PCA(), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"pca__n_components": [1, 2, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    placed = make_pipeline(alidade.TSNE(random_state=0, perplexity=15), KNeighborsClassifier(3)).fit(X[::2], y[::2])
    assert placed.score(X[1::2], y[1::2]) > 0.9
    names = pandas.DataFrame(X, columns=list("abcd"))
    assert list(alidade.Isomap().fit(names).feature_names_in_) == list("abcd")


@pytest.mark.parametrize("X, change, error, words", [
    (np.zeros((2, 2)), {}, ValueError, "minimum of 3"),
    (np.array([[0, 1], [1, np.nan], [2, 3]]), {}, ValueError, "NaN"),
    (np.array([["a", "b"]] * 4), {}, ValueError, "string"),
    (np.zeros((4, 2, 2)), {}, ValueError, "dim 3"),
    (np.array([[0, 1], [1, 1e40], [2, 3]]), {}, ValueError, "largest of single precision. Scale X"),
    (np.random.default_rng(0).random((9, 2)), {"metric": "nonsense"}, ValueError, "nonsense"),
    (np.random.default_rng(0).random((9, 2)), {"metric": "precomputed"}, ValueError, "square"),
    (np.random.default_rng(0).random((4, 4)), {"metric": "precomputed"}, ValueError, "must be 0"),
    (-1 + np.eye(4), {"metric": "precomputed"}, ValueError, "number >= 0"),
    (np.array([[0, 1, 2], [3, 0, 1], [2, 1, 0.0]]), {"metric": "precomputed"}, ValueError, "in one direction"),
    (np.random.default_rng(0).random((9, 2)), {"n_neighbors": 0}, ValueError, "n_neighbors"),
    (np.random.default_rng(0).random((9, 2)), {"n_neighbors": "many"}, ValueError, "n_neighbors"),
    (np.random.default_rng(0).random((9, 2)), {"solver": "soon"}, ValueError, "no solver 'soon'"),
    (np.random.default_rng(0).random((9, 2)), {"disconnected": "maybe"}, ValueError, "no choice 'maybe'"),
])
def test_bad_tables_are_refused(X, change, error, words):
    with pytest.raises(error, match=words):
        alidade.Isomap(**change).fit(X)


def test_measures_are_those_asked_for(wine):
    assert set(alidade.PCA(measures="trustworthiness").fit(wine).measures_) == {"trustworthiness"}
    model = alidade.PCA(measures=("trustworthiness",)).fit(wine)
    assert set(model.measures_) == {"trustworthiness"} and 0.5 < model.measures_["trustworthiness"] <= 1
    assert len(alidade.PCA(measures=None).fit(wine).measures_) > 5


def test_solver_options_are_taken(wine):
    model = alidade.MDS(solver_options={"max_iter": 3}, random_state=0).fit(wine)
    assert model.row_["solver"]["options"]["max_iter"] == 3 and model.n_iter_ <= 3
    assert alidade.MDS(solver="gradient_descent", random_state=0).fit(wine).solver_ == "gradient_descent"
    longer, usual = (alidade.TSNE(solver_options=o, random_state=0).fit(wine) for o in ({"max_iter": 760}, None))
    assert longer.n_iter_ == usual.n_iter_ + 10  # of the last stage
