"""Maps from tables of features and from dissimilarities: what all of them share."""

import inspect
import numbers
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_array, check_is_fitted

from . import _core
from ._catalog import (PROBLEMS, describe_option, filled, option_parameters, options_of, parameter_name,
                       with_signature)
from ._checks import exact, words_of_python
from ._saved import Saved
from ._solve import Reporter, named, seed_of, solve, start_of, threads_of, to_json, with_default_solver

# Parameters that are no options of the problem.
COMMON = {"solver": "auto", "solver_options": None, "measures": (), "timeout": None, "random_state": None,
          "n_jobs": None, "verbose": 0, "callback": None}
COMMON_DOCUMENT = """solver : str or dict, default="auto"
    A solver, see `alidade.solvers()`; "auto" is the one recommended for the method.
solver_options : dict, optional
    Options of the solver, such as {"max_iter": 100}; where it has stages, of the last.
measures : sequence of str or None, default=()
    What is measured of the map, see `measures_`, such as ("trustworthiness",); None: all that there is.
timeout : float or str, optional
    Time limit in seconds, or such as "5min".
random_state : int, RandomState, Generator or None, default=None
    An int is the seed that `alidade embed --seed` takes.
n_jobs : int, optional
    Threads; they never change a result. -1: all processors.
verbose : int, default=0
    1: print the progress.
callback : callable, optional
    Called with a dictionary of each record of the solve: start, iteration, seconds, objective, ..."""
METRIC_DOCUMENT = """metric : str or callable, default="euclidean"
    "euclidean": X has features; "precomputed": X has dissimilarities of all pairs, {missing};
    any other of `sklearn.metrics.pairwise_distances`, such as "cosine" or a function of two rows: dissimilarities are
    made of features by it. Of a sparse X of dissimilarities, what it does not hold is not known, but for its diagonal
    of 0.{placing}
"""
_PLACING = """ `transform` then takes features too, and with "precomputed" the dissimilarities of
    each new row to the rows of the map."""
_WEIGHS_PAIRS = ("mds", "sammon")
# scikit-learn's name for it, which its versions call differently.
ALLOW_NAN = {next(name for name in ("ensure_all_finite", "force_all_finite")
                  if name in inspect.signature(check_array).parameters): "allow-nan"}
_IN_COLUMNS = "euclidean", "precomputed"  # metrics of which columns of new rows are those of the map
_ROUNDING = 4 * np.finfo(np.float32).eps  # of the largest dissimilarity: the engine's, for what stands for 0
ATTRIBUTES = """embedding_ : ndarray of shape (n_samples, n_components)
    The map.
objects_ : ndarray of shape (n_samples,)
    What the rows are called: the index of a frame, else 0, 1, ...
n_features_in_ : int
n_iter_ : int
method_, solver_ : str
    Those that made the map.
measures_ : dict
    What `measures` asked for, by name; `alidade list metrics` explains each.
objective_ : float
    What the method minimises, of this map.
termination_ : str
    How the solve ended, such as "converged"; ConvergenceWarning says where it did not.
row_ : dict
    All that is known of the run, as in runs.jsonl.
notes_ : list of str
trace_ : list of dict
    Records of the solve, of the start that was kept."""


def validated(estimator, X, **how):
    """scikit-learn's check of X, where its version has it, of numbers that are exact."""
    X = exact(X)
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:
        return estimator._validate_data(X, **how)
    return validate_data(estimator, X, **how)


def dense(estimator, X, absent=0, **how):
    """The checked X as an array in C order, also where it is sparse, with what a sparse one does not hold."""
    X = validated(estimator, X, order="C", accept_sparse=["csr", "csc"], **how)
    if not scipy.sparse.issparse(X):
        return X
    out = np.ascontiguousarray(X.toarray())
    if absent:
        held = X.tocoo()
        unknown = np.ones(out.shape, bool)
        unknown[held.row, held.col] = False
        np.fill_diagonal(unknown, False)
        out[unknown] = absent
    return out


class FromTable(Saved, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """A map of the rows of a table by one problem, whose options are parameters."""

    _problem_name = None
    _least_samples = 3
    _numbered = True  # whether objects are rows of X, and no names

    def _more_tags(self):
        return {"pairwise": getattr(self, "metric", "euclidean") == "precomputed", "preserves_dtype": []}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = getattr(self, "metric", "euclidean") == "precomputed"
        return tags

    def _evidence(self, X, seed):
        """Evidence of the validated X, and its data set in the configuration."""
        metric = self._metric = getattr(self, "metric", "euclidean")
        vars(self).pop("_fit_X", None)
        if metric != "euclidean":
            if metric != "precomputed":
                self._fit_X = X
                X = np.ascontiguousarray(pairwise_distances(X, metric=metric), dtype=float)
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"with metric='precomputed' X is a square matrix, not of shape {X.shape}")
            with words_of_python():
                return _core.dissimilarities(X, [], False), {"name": "dissimilarities"}
        options = self._evidence_options()
        with words_of_python():
            return _core.features(X, [], [], to_json(options, "options"), seed), {"name": "features", **options}

    def _evidence_options(self):
        return {}

    def _validated_for_fit(self, X):
        how = {"dtype": [np.float64, np.float32]}
        if getattr(self, "metric", None) == "precomputed":  # NaN: the engine says which methods need all pairs
            how = {"dtype": np.float64, "absent": np.nan, **ALLOW_NAN}
        X = dense(self, X, ensure_min_samples=self._least_samples, **how)
        neighbors = getattr(self, "n_neighbors", None)
        if isinstance(neighbors, numbers.Integral) and neighbors >= len(X) and (
                neighbors != inspect.signature(type(self)).parameters["n_neighbors"].default):
            raise ValueError(f"n_neighbors={neighbors} needs more than {neighbors} samples, and X has {len(X)}")
        return X

    def fit(self, X, y=None, *, init=None):
        """Makes the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) where it has dissimilarities
        y : ignored
        init : array-like of shape (n_samples, n_components), optional
            Where the solve starts, in units of the map. Methods of eigenvectors have no start.

        Returns
        -------
        self
        """
        index = self._index_of(X)
        X = self._validated_for_fit(X)
        seed = seed_of(self.random_state)
        evidence, dataset = self._evidence(X, seed)
        names = (range(evidence.object_count) if index is None else index) if self._numbered else evidence.objects
        self._solve(evidence, dataset, seed, start=start_of(init, names))
        if self._numbered and index is not None:
            self.objects_ = np.asarray(index)
        self._finish(X)
        if getattr(self, "_projector", None) is not None and getattr(self, "metric", "euclidean") in _IN_COLUMNS:
            self._projector.know(np.ascontiguousarray(X, float))
        return self

    def _index_of(self, X):
        """What the rows of X are called, if it is a frame."""
        index = X.index if hasattr(X, "loc") and hasattr(X, "columns") else None
        if index is not None and getattr(self, "metric", None) == "precomputed":
            columns = list(map(str, X.columns))
            if columns != list(map(str, index)) and set(columns) == set(map(str, index)):
                raise ValueError("the columns of X are in another order than its rows. Give X.loc[:, X.index].")
        return index

    def _finish(self, X):
        """What a class knows of its map beside."""

    def _solve(self, evidence, dataset, seed, **more):
        out = solve(evidence=evidence, dataset=dataset, problem=options_of(self, self._problem_name),
                    solver=with_default_solver(self.solver, self.solver_options, self._problem_name), seed=seed,
                    threads=threads_of(self.n_jobs), reporter=Reporter(type(self).__name__, self.verbose, self.callback),
                    timeout=self.timeout, measures=self.measures, **more)
        self._take(out, self._numbered)
        return out

    def _take(self, out, numbered=True):
        self.embedding_ = out.only
        self.objects_ = np.arange(len(self.embedding_)) if numbered else np.array(out.objects, object)
        out.describe(self)

    def fit_transform(self, X, y=None, *, init=None):
        """Makes the map and returns it; see `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, y, init=init).embedding_

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]


class PlacesNewRows(TransformerMixin):
    """`transform` for methods whose maps place new objects by their features."""

    fit_transform = FromTable.fit_transform
    _kept = "_fit_X", "_metric"
    _arrays = "_fit_X",

    def transform(self, X):
        """Places rows on the finished map, each by itself; those of the map get their own places.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features); with metric="precomputed" of shape (n_samples, n_rows_of_the_map)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self, "embedding_")
        metric = getattr(self, "_metric", getattr(self, "metric", "euclidean"))  # of the fit, not of a later set_params
        check = validated if metric == "precomputed" else dense  # of a sparse row it is not known what is far
        X = check(self, X, dtype=[np.float64, np.float32], reset=False)
        if self._projector is None:
            raise ValueError("This map cannot place new objects: " + (
                "it was made without placement=True." if not getattr(self, "placement", True) else
                "it shows a part of its own only, or single precision does not tell all rows of its features apart; "
                "then fit X.astype(np.float32), in which those rows are one."))
        fitted = getattr(self, "_fit_X", None)
        if metric == "euclidean" and fitted is not None:
            raise ValueError("This map was made with a metric that is a function, which its folder does not hold. Give it: "
                             "set_params(metric=...).")
        if metric != "euclidean":
            if metric != "precomputed":
                X = pairwise_distances(X, fitted, metric=metric).astype(float)
            X = np.where(np.abs(X) <= _ROUNDING * X.max(initial=0), 0.0, X)
        if metric in _IN_COLUMNS and (note := self._projector.note_on_far(
                np.ascontiguousarray(X, float), [str(name) for name in getattr(self, "feature_names_in_", ())])):
            warnings.warn(note, stacklevel=2)
        return self._projector.place(np.ascontiguousarray(X))


def make_class(problem, name, bases, module, *, defaults=None, extra=None, extra_document="", note="", example=None):
    """The class of a problem: options of the catalog as parameters, and a document made of the catalog's words."""
    entry = PROBLEMS[problem]
    parameters = {"n_components": 2, **option_parameters(problem), **(extra or {})}
    takes_both = "features or dissimilarities" in entry["needs"]
    if takes_both:
        parameters["metric"] = "euclidean"
    parameters.update(COMMON)
    for key, value in (defaults or {}).items():
        parameters[key] = value
    options = "\n".join(describe_option({**o, "default": parameters[parameter_name(o["name"])]})
                        for o in entry["options"] if o["name"] != "n_components")
    of_metric = METRIC_DOCUMENT.format(
        missing="NaN where one is not known" if problem in _WEIGHS_PAIRS else "none of which is NaN",
        placing=_PLACING if issubclass(bases[0], PlacesNewRows) else "")
    example = example or f""">>> import alidade
>>> from sklearn.datasets import load_iris
>>> X = load_iris().data[::3]
>>> alidade.{name}(random_state=0).fit_transform(X).shape
(50, 2)"""
    document = f"""{filled(name + ": " + entry["summary"] + ".")}

{filled(entry["reference"])}

{filled(entry["equation"] + note)}

Parameters
----------
n_components : int, default=2
    Dimension of the map.
{options}
{extra_document}{of_metric if takes_both else ""}{COMMON_DOCUMENT}

Attributes
----------
{ATTRIBUTES}

Examples
--------
{example}
"""
    return type(name, bases, {"_problem_name": problem, "__init__": with_signature(name, parameters),
                              "__module__": module, "__doc__": document})
