"""Maps from tables and distances: the bits of the command, and scikit-learn's own checks."""

import functools
import inspect
import pickle

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
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
    assert set(PLACING) == {"TSNE", "NeRV", "PCA"}


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
        with pytest.raises(ValueError, match="knows no features"):
            model.transform(apart)


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
    (np.random.default_rng(0).random((9, 2)), {"metric": "nonsense"}, ValueError, "metric must be"),
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


def test_an_unknown_parameter_is_refused():
    with pytest.raises(TypeError, match="perplexiti"):
        alidade.TSNE(perplexiti=3)


def test_measures_are_those_asked_for(wine):
    assert set(alidade.PCA(measures="trustworthiness").fit(wine).measures_) == {"trustworthiness"}
    model = alidade.PCA(measures=("trustworthiness",)).fit(wine)
    assert set(model.measures_) == {"trustworthiness"} and 0.5 < model.measures_["trustworthiness"] <= 1
    assert len(alidade.PCA(measures=None).fit(wine).measures_) > 5


def test_solver_options_are_taken(wine):
    model = alidade.MDS(solver_options={"max_iter": 3}, random_state=0).fit(wine)
    assert model.row_["solver"]["options"]["max_iter"] == 3 and model.n_iter_ <= 3
    assert alidade.MDS(solver="gradient_descent", random_state=0).fit(wine).solver_ == "gradient_descent"
    with pytest.raises(ValueError, match="composed of others"):
        alidade.TSNE(solver_options={"max_iter": 3}).fit(wine)
