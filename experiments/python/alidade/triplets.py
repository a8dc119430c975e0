"""Maps from answers: TripletEmbedding, and a class for each loss or model of one answer."""

import math
import warnings

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._answers import Answers, read_answers
from ._catalog import PROBLEMS, describe_option, filled, option_parameters, options_of, with_signature
from ._checks import exact
from ._saved import Saved
from ._solve import Reporter, named, number_or_nan, seed_of, solve, start_of, threads_of, to_json, with_default_solver

_CHUNK = 1 << 18  # triplets judged at a time
_EACH_ROW = {"degenerate": "error", "ignore_weights": True}  # one prediction for each row, of whatever weight


def squared_distances(places, rows, columns):
    """Squared distances between objects of pairs."""
    difference = places[rows] - places[columns]
    return np.einsum("ij,ij->i", difference, difference)


def nearer(places, triplets, products=False):
    """-1, 0 or 1 for each triplet: near is nearer, neither is (or an object has no place), far is nearer. By `products`,
    the larger scalar product is the nearer."""
    out = np.zeros(len(triplets), np.int8)
    for begin in range(0, len(triplets), _CHUNK):
        anchor, near, far = np.asarray(triplets[begin:begin + _CHUNK]).T
        a, b = (-np.einsum("ij,ij->i", places[anchor], places[other]) if products else
                squared_distances(places, anchor, other) for other in (near, far))
        out[begin:begin + _CHUNK] = (a > b).astype(np.int8) - (a < b)
    return out


class _FromAnswers(Saved, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """What all maps from answers have: how answers are read, and what is known of the map."""

    _kept = "annotators_", "aspects_"

    def _more_tags(self):
        return {"X_types": ["categorical"], "requires_positive_X": True, "preserves_dtype": [],
                "_xfail_checks": dict.fromkeys(
                    ("check_estimators_dtypes",), "features are no answers"), "no_validation": True}

    def _read(self, triplets, y, weights=None, aspects=None, annotators=None, n_objects=None, degenerate=None,
              objects=None, **more):
        if self.weight_by_answer:
            more["weight_by_answer"] = True
        if objects is not None:
            if n_objects is not None:
                raise ValueError("objects names all objects, and n_objects counts them: give one of the two")
            more["only_used"] = True
        read = read_answers(triplets, y, kind=self.answers, weights=weights, aspects=aspects, annotators=annotators,
                            n_objects=n_objects, degenerate=degenerate or self.degenerate, **more)
        return read if objects is None else read.among(objects)

    def _problem(self, method=None):
        out = named(method or self.method, self.method_options)
        entry = PROBLEMS.get(out["name"])
        if entry is None or any(o["name"] == "n_components" for o in entry["options"]):
            out.setdefault("n_components", self.n_components)
        return out

    def _solver(self, problem):
        return with_default_solver(self.solver, self.solver_options, problem["name"])

    def _outcome(self, read, problem, **more):
        """One solve of answers."""
        given = {"choose": self.choose, "ellipses": getattr(self, "ellipses", "bootstrap"), **more}
        return solve(evidence=read.evidence, dataset={"name": "triplets"}, problem=problem,
                     solver=self._solver(problem), seed=seed_of(self.random_state), threads=threads_of(self.n_jobs),
                     reporter=Reporter(type(self).__name__, self.verbose, self.callback), holdout=self.holdout,
                     default_holdout=self.holdout == 0.2, refit=bool(self.refit), bootstrap=self.bootstrap,
                     timeout=self.timeout, measures=self.measures, by_person=self.answers == "clusterings", **given)

    def _set_outcome(self, out, numbered):
        out.describe(self)
        self.chosen_ = out.row.get("chosen")
        self.objects_ = np.arange(len(out.objects)) if numbered else np.array(out.objects, dtype=object)
        self._numbered = numbered
        held = out.row.get("heldout") or {}
        self.error_ = number_or_nan(held.get("error"))
        self.error_interval_ = (number_or_nan(held.get("low")), number_or_nan(held.get("high")))
        self.annotators_ = out.annotators
        self.estimates_ = dict(out.row.get("estimates") or {})
        self.uncertainty_ = out.row.get("uncertainty")

    def _triplets_on_map(self, triplets, y, known=True, **more):
        """Answers, and their triplets as rows of the map, with aspects and weights; unless all must be `known`, others are
        the row after the last."""
        read = self._read(triplets, y, **more)
        rows, *tags = read.evidence.triplets
        objects = read.evidence.objects
        if read.numbered and self._numbered:
            if known and len(objects) > len(self.objects_):
                raise ValueError(f"There is no object {len(objects) - 1} on the map; it has "
                                 f"{len(self.objects_)} objects, numbered from 0.")
            return read.evidence, np.minimum(rows, len(self.objects_)), *tags
        place = {str(name): i for i, name in enumerate(self.objects_)}
        used = np.unique(rows)
        new = np.zeros(len(objects), np.int64)
        for i in used:
            if known and objects[i] not in place:
                raise ValueError(f"There is no object '{objects[i]}' on the map.")
            new[i] = place.get(objects[i], len(self.objects_))
        return read.evidence, new[rows], *tags

    def _nearer(self, places, rows):
        return nearer(places, rows, self._by_products())

    def _by_products(self):
        problem = self.row_["problem"]
        inner = named(problem["options"].get("problem", problem["name"]), None)
        return PROBLEMS[inner["name"]]["products"]

    def _ellipses(self, covariance, share=0.95):
        return np.array([[math.nan] * 3 if not np.isfinite(c).all() else _core.ellipse(*c, share)
                         for c in covariance])

    def fit_transform(self, triplets, y=None, **fit_params):
        """Fits the map and returns it; see `fit`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
        """
        return self.fit(triplets, y, **fit_params).transform(None)


# Parameters and their defaults: of the method, of all classes, and of those of one loss.
_CHOICE = {"n_components": 2, "method": "auto", "solver": "auto", "method_options": None, "solver_options": None,
           "choose": None}
_COMMON = {"holdout": 0.2, "refit": True, "bootstrap": 0, "ellipses": "bootstrap", "answers": "triplets",
           "degenerate": "error", "weight_by_answer": False, "timeout": None,
           "measures": ("train_error", "heldout_error"), "random_state": None, "n_jobs": None, "verbose": 0,
           "callback": None}
_OF_LOSS = {"holdout": 0.0, "solver": "auto", "max_iter": None, "n_init": None}


class TripletEmbedding(_FromAnswers, auto_wrap_output_keys=None):
    """A map of objects from comparisons: "the anchor is more similar to near than to far".

    The same engine as `alidade embed`: a fifth of the answers is held out and judges the map, which is then fitted
    again to all answers. The same answers, options and seed give the same bits as the command.

    Parameters
    ----------
    n_components : int, "auto" or "best", default=2
        Dimension of the map. By validation, "auto" chooses the fewest dimensions that are as good as the best, to draw
        or interpret, and "best" those that predict best.
    method : str or dict, default="auto"
        A problem from triplets, such as "ste", "soe", "ckl", "tste", "gnmds" or "ete"; see
        `alidade.problems(needs="triplets")`. A dictionary has its `name` and options: {"name": "ete", "t": 3}.
        "auto" chooses among them by validation.
    solver : str or dict, default="auto"
        A solver, see `alidade.solvers()`, with options as above.
    method_options, solver_options : dict, optional
        More options, such as {"t": 3} and {"max_iter": 100}.
    choose : dict, optional
        Options to choose by validation: {"problem.alpha": [1, 2, 5]}.
    holdout : float in [0, 1), default=0.2
        Share of the answers that is held out to judge the map. 0: none, and no error is known.
    refit : bool, default=True
        Whether the map is fitted to all answers once its error is measured.
    bootstrap : int, default=0
        Number of replicates from which `ellipses_` are made.
    ellipses : {"bootstrap", "parametric", "sandwich", "curvature"}, default="bootstrap"
        What `ellipses_` come from: the replicates of the bootstrap (parametric: of answers that the map gives), or
        without another fit the sandwich (for any loss) or the curvature of the objective (where the loss fits the
        answers). `uncertainty_["misfit_p"]` then tells whether held-out answers contradict the map's probabilities.
    answers : str, default="triplets"
        Kind of each answer: "triplets", "odd_one_out" (odd, first, second), "most_central" (central, first, second),
        "pick" (anchor, picked, rest), "ranked" (anchor, ranked), "quadruplets" (i, j, k, l) or "two_choice"
        (reference, left, right, response). "clusterings": piles into which people sorted things, a frame or a file of
        (user, item, cluster); two things in one pile are nearer to each other than to a thing in another of it. Then
        `holdout` is a share of the people.
    degenerate : {"error", "drop"}, default="error"
        What to do with answers that name one object twice.
    weight_by_answer : bool, default=False
        Give each answer the same total weight, however many triplets it implies.
    timeout : float or str, optional
        Time limit of the solve in seconds, or such as "5min".
    measures : sequence of str or None, default=("train_error", "heldout_error")
        What is measured, see `measures_`; None: all measures that there are.
    random_state : int, RandomState, Generator or None, default=None
        An int is the seed that `alidade embed --seed` takes.
    n_jobs : int, optional
        Threads; they never change a result. -1: all processors.
    verbose : int, default=0
        1: print the progress.
    callback : callable, optional
        Called with a dictionary of each record of the solve: `start`, which of the random starts this is, from 1;
        `iteration`, from 0 in each start; seconds, objective, heldout_error, ...

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The map, free up to rotation, reflection and shift; its unit depends on the method.
    objects_ : ndarray of shape (n_objects,)
        Numbers or names of the objects, in the order of the rows.
    error_ : float
        Share of the held-out answers that the map contradicts, ties included; NaN if none was held out.
    error_interval_ : tuple of float
        Its 95 % interval.
    annotators_ : list of dict or None
        Of answers with annotators: of each the number of `answers`, the `guess_rate` with its `standard_error`, the
        `sharpness` if the method estimates it, the share of answers that the map satisfies (`agreement`), and whether
        it is a `likely_guesser` or `reversed`; and the number of its `group`, 0 if people are not told apart.
    chosen_ : dict or None
        What was chosen by validation, with the candidates' errors.
    ellipses_ : ndarray of shape (n_objects, 3)
        With `bootstrap` or `ellipses`, and two components: semi-axes, in units of the map, and the angle in degrees of
        the first from the first coordinate, of the ellipses that hold 95 %; NaN where unknown.
    measures_ : dict
        What `measures` asked for, by name.
    uncertainty_, estimates_ : dict
        What the bootstrap says of the map as a whole, and what methods estimate beside it, as in runs.jsonl.
    covariances_ : ndarray of shape (n_objects, d (d + 1) / 2)
        With `bootstrap` or `ellipses`: covariances of each place, entries (1, 1), (1, 2), ..., (2, 2), ...
    method_, solver_ : str
        Those that made the map.
    objective_ : float
        What the method minimises, of this map.
    termination_ : str
        How the solve of this map ended, such as "converged"; ConvergenceWarning says where it did not.
    row_ : dict
        All that is known of the run, as in runs.jsonl. After a refit it describes the map that is there, and
        `row_["measured_fit"]` the one that was measured.
    notes_ : list of str
        Remarks, for example on repeated answers.
    trace_ : list of dict
        Records of the solve, of the start that was kept.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> import alidade
    >>> rng = np.random.default_rng(0)
    >>> places = rng.normal(size=(20, 2))
    >>> triplets = alidade.triplets_of(places, 2000, random_state=0)
    >>> model = alidade.TripletEmbedding(method="soe", random_state=0).fit(triplets)
    >>> model.embedding_.shape
    (20, 2)
    >>> model.error_ < 0.05
    True
    """

    __init__ = with_signature("TripletEmbedding", {**_CHOICE, **_COMMON}, 3)

    def fit(self, triplets, y=None, *, weights=None, annotators=None, aspects=None, n_objects=None, objects=None,
            init=None):
        """Makes the map.

        Parameters
        ----------
        triplets : array-like of shape (n_answers, 3), frame, dict of columns, path of a file, sparse or masked array
            Rows (anchor, near, far) of whole numbers from 0, or of names; or answers of the kind `answers`. Also a
            pair (queries, responses), an n x n x n array, or sparse.COO, of counts.
        y : array-like of shape (n_answers,), optional
            Responses: true or +1 where the second object of a query is nearer to the first than the third is.
        weights : array-like of shape (n_answers,), optional
            Weights >= 0 of the answers.
        annotators : array-like of shape (n_answers,), optional
            Who gave each answer. The error's interval and the bootstrap then count persons.
        aspects : array-like of shape (n_answers,), optional
            What each answer is about; see AspectEmbedding.
        n_objects : int, optional
            Number of objects, if some have no answer. For objects by numbers, not by names.
        objects : sequence of str, optional
            Names of all objects, in the order of the rows of the map; those without an answer are NaN. A row then stands
            for the same object in every fold of a cross-validation.
        init : array-like of shape (n_objects, n_components), or frame, optional
            Where the solve starts: places in the order of the objects, or a frame with their names as its index, such as
            `to_frame()` of another map. Further starts, of n_init, are drawn.

        Returns
        -------
        self
        """
        read = self._read(triplets, y, weights, aspects, annotators, n_objects, objects=objects, only_used=None)
        start = start_of(init, read.evidence.objects if read.places is None else read.objects)
        if start is not None and read.places is not None:
            start = start[read.places]
        self._take(self._outcome(read, self._problem(), start=start).with_all_objects(read), read.numbered)
        return self

    def _take(self, out, numbered):
        self._set_outcome(out, numbered)
        if len(out.maps) > 1:
            raise ValueError(f"{self.method_} makes one map for each aspect: use AspectEmbedding.")
        self.embedding_ = out.only
        for name in ("covariances_", "ellipses_"):
            if hasattr(self, name):
                delattr(self, name)
        if out.uncertainty:
            self.covariances_ = out.uncertainty[0][0]
            if self.embedding_.shape[1] == 2:
                self.ellipses_ = self._ellipses(self.covariances_)

    def transform(self, triplets=None):
        """The map; `triplets` are not looked at, as the map is of the objects and not of the answers.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
        """
        check_is_fitted(self, "embedding_")
        return self.embedding_

    def predict(self, triplets, result_format=None):
        """Whether the second object of each query is nearer to the first than the third is; false for ties.

        Parameters
        ----------
        triplets : as in `fit`
        result_format : {None, "list-boolean", "list-count", "list-order"}
            True/false (None too), +1/-1, or the rows in the order (anchor, near, far).

        Returns
        -------
        ndarray
            One entry for each query; for answers that imply several triplets, one for each of these, in their order.
        """
        check_is_fitted(self, "embedding_")
        rows = self._triplets_on_map(triplets, None, **_EACH_ROW)[1]
        first = self._nearer(self.embedding_, rows) < 0
        if result_format in (None, "list-boolean", "list-order", "list-count"):
            if result_format == "list-order":
                return np.where(first[:, None], rows, rows[:, [0, 2, 1]])
            return np.where(first, 1, -1) if result_format == "list-count" else first
        raise ValueError(f"result_format must be list-boolean, list-count or list-order, not {result_format!r}")

    def score(self, triplets, y=None, *, weights=None, sample_weight=None):
        """Share of the answers that the map agrees with. Ties count as errors, of scalar products, which are often both 0,
        as half of one; answers about objects that are not on the map, such as those of another fold, are errors, with a
        warning.

        Parameters
        ----------
        triplets, y : as in `fit`
        weights : array-like of shape (n_answers,), optional
            Weights >= 0 of the answers; those of a frame's column "weight" count too.
        sample_weight : array-like, optional
            scikit-learn's name for `weights`.

        Returns
        -------
        float in [0, 1]
        """
        check_is_fitted(self, "embedding_")
        _, rows, _, weights = self._triplets_on_map(triplets, y, weights=sample_weight if weights is None else weights,
                                                    known=False)
        unknown = int((rows == len(self.objects_)).any(axis=1).sum())
        if unknown:
            warnings.warn(f"{unknown} of {len(rows)} answers are about objects that are not on the map; they count as ties.",
                          stacklevel=2)
        places = np.vstack([self.embedding_, np.full((1, self.embedding_.shape[1]), math.nan)])
        sign = self._nearer(places, rows)
        chance = 0.5 * (self._by_products() and rows.max(axis=1) < len(self.objects_))
        return float(np.average((sign < 0) + (sign == 0) * chance, weights=weights))

    def add(self, triplets, y=None, *, weights=None, annotators=None):
        """Adds new objects to the map by answers about them; objects of the map keep their places.

        Parameters
        ----------
        triplets, y, weights, annotators : as in `fit`
            Numbers beyond those of the map, or new names, are the new objects.

        Returns
        -------
        self
        """
        check_is_fitted(self, "embedding_")
        read = self._read(triplets, y, weights, None, annotators, only_used=True)
        placed = np.isfinite(self.embedding_).all(axis=1)
        names = [str(name) for name in self.objects_[placed]]
        if {str(name) for name in read.evidence.objects} <= set(names):
            raise ValueError("The answers are about objects of the map alone, so there is nothing to add. `score` measures "
                             "the map by them.")
        map_ = _core.FinishedMap(to_json({k: v for k, v in self.row_.items() if k != "measured_fit"}), np.ascontiguousarray(self.embedding_[placed]), names, [""] * len(names))
        problem = {"name": self.row_["problem"]["name"], **self.row_["problem"]["options"]}
        out = self._outcome(read, problem, choose=None, onto=map_)
        numbered = self._numbered and all(name.isdigit() for name in out.objects)
        every = range(max(len(self.objects_), 1 + max(map(int, out.objects)))) if numbered else list(
            dict.fromkeys([*map(str, self.objects_), *out.objects]))
        if len(out.objects) < len(every):
            row = {str(name): i for i, name in enumerate(every)}
            out.with_all_objects(Answers(None, numbered, np.array([row[name] for name in out.objects]), every))
        judged = {name: getattr(self, name) for name in ("error_", "error_interval_")}, self.measures_
        self._take(out, numbered)
        if math.isnan(self.error_):  # what was measured of the map stays true of its part
            vars(self).update(judged[0])
            self.measures_ = {**{k: v for k, v in judged[1].items() if k == "heldout_error"}, **self.measures_}
        return self


# ---- a class for each loss ----

_LOSSES = {problem: entry["class"] for problem, entry in PROBLEMS.items() if entry["class"]}


class _OneLoss(TripletEmbedding):
    """A map by one loss, whose options are parameters."""

    _problem_name = None
    __init__ = BaseEstimator.__init__
    choose = method_options = solver_options = None

    @property
    def method(self):
        return self._problem_name

    def _problem(self):
        return options_of(self, self._problem_name)

    def _solver(self, problem):
        more = {key: getattr(self, key) for key in ("max_iter", "n_init") if getattr(self, key) is not None}
        return with_default_solver(self.solver, more, problem["name"])


def _make_loss(problem, name):
    entry = PROBLEMS[problem]
    dimension = next(o["default"] for o in entry["options"] if o["name"] == "n_components")
    parameters = {"n_components": dimension, **option_parameters(problem), **_COMMON, **_OF_LOSS}
    if entry["products"]:
        parameters["answers"] = "odd_one_out"
    body = {"_problem_name": problem, "__init__": with_signature(name, parameters), "__module__": __name__}
    options = "\n".join(describe_option(o) for o in entry["options"] if o["name"] != "n_components")
    body["__doc__"] = f"""{filled(name + ": " + entry["summary"] + ".")}

{filled(entry["reference"])}

{filled(entry["equation"])}

All answers are fitted; `holdout` holds some out to judge the map. The other parameters and the attributes are those of
TripletEmbedding.

Parameters
----------
n_components : int, "auto" or "best", default={dimension}
    Dimension of the map, or how to choose it by validation; see TripletEmbedding.
{options}
max_iter, n_init : int, optional
    Iterations, and random starts, of the solver; by default those of the solver. Without max_iter, n_init and a named
    solver, starts for at most 10,000 training triplets: {entry["starts"]}.

Examples
--------
>>> import alidade
>>> triplets = [[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1], [0, 1, 3], [2, 3, 1]]
>>> alidade.{name}(n_components=1, random_state=0).fit_transform(triplets).shape
(4, 1)
"""
    return type(name, (_OneLoss,), body)


for _problem, _name in _LOSSES.items():
    globals()[_name] = _make_loss(_problem, _name)


def triplets_of(places, count, *, noise=0.0, random_state=None):
    """Random triplets that distances between places imply.

    Parameters
    ----------
    places : array-like of shape (n_objects, n_components)
    count : int
        Number of triplets; three different objects each, drawn evenly.
    noise : float in [0, 1], default=0
        Probability that an answer is reversed.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    ndarray of shape (count, 3), of int
        Rows (anchor, near, far).

    Examples
    --------
    >>> import alidade
    >>> alidade.triplets_of([[0.0], [1.0], [5.0]], 4, random_state=0).shape
    (4, 3)
    """
    if not 0 <= noise <= 1:
        raise ValueError(f"noise is a probability, from 0 to 1, not {noise!r}")
    places = np.asarray(exact(places, "places"), float)
    if places.ndim != 2 or len(places) < 3 or not np.isfinite(places).all():
        raise ValueError("places are a finite array of at least 3 rows")
    rng = np.random.default_rng(seed_of(random_state))
    n = len(places)
    anchor = rng.integers(n, size=count)
    near = (anchor + 1 + rng.integers(n - 1, size=count)) % n
    far = rng.integers(n - 2, size=count)
    low, high = np.minimum(anchor, near), np.maximum(anchor, near)
    far += far >= low
    far += far >= high
    rows = np.stack([anchor, near, far], axis=1)
    wrong = (nearer(places, rows) > 0) != (rng.random(count) < noise)
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return rows


__all__ = ["TripletEmbedding", "triplets_of", *_LOSSES.values()]
