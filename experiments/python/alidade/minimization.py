"""Problems and solvers: those of the engine one by one, and one's own, written in Python."""

import numpy as np
from sklearn.utils import check_array

from . import _core
from ._answers import read_answers
from ._catalog import PROBLEMS, option_name
from ._checks import exact, words_of_python
from ._solve import Reporter, named, seed_of, threads_of, to_json, warn_of_end


class Problem:
    """A problem of the engine on given evidence: its objective, its gradient, its starts.

    Parameters
    ----------
    name : str
        A problem, see `alidade.problems()`.
    evidence : array-like
        Answers, as for TripletEmbedding.fit, or features of shape (n_samples, n_features) where the problem needs them.
    aspects, annotators, weights : array-like, optional
        What each answer is about, who gave it, and its weight.
    n_jobs : int, optional
        Threads of each evaluation; they never change a value.
    **options
        Options of the problem, such as n_components=2 and lambd=0.01.

    Attributes
    ----------
    shape : tuple
        Of the arrays that the methods take: (n_objects, n_components) for problems of one block of unknowns; others
        take all unknowns in one vector.
    blocks : list of tuple
        Name, rows, columns and domain of each block.

    Examples
    --------
    >>> import alidade, numpy as np
    >>> triplets = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 300, random_state=0)
    >>> problem = alidade.Problem("ste", triplets, n_components=2)
    >>> Y = problem.start(random_state=0)
    >>> value, gradient = problem.value_and_gradient(Y)
    >>> gradient.shape == problem.shape == (10, 2)
    True
    """

    def __init__(self, name, evidence, *, aspects=None, annotators=None, weights=None, n_jobs=None, **options):
        if name not in PROBLEMS:
            _core.engine_problem(name, _core.features(np.eye(3), [], [], "{}", 0), "{}", 1)  # says what there is
        needs = PROBLEMS[name]["needs"]
        if needs in (["triplets"], ["triplets", "annotators"]):
            held = read_answers(evidence, aspects=aspects, annotators=annotators, weights=weights).evidence
        elif needs in (["features"], ["features or dissimilarities"]):
            held = _core.features(check_array(exact(evidence, "evidence"), dtype=float, order="C"), [], [], "{}", 0)
        else:
            raise ValueError(f"{name} needs {' and '.join(needs)}, which cannot be given here")
        self._threads = threads_of(n_jobs)
        with words_of_python():
            self._core = _core.engine_problem(name, held, to_json({option_name(k): v for k, v in options.items()}),
                                              self._threads)
        self._made_of = name, evidence, {"aspects": aspects, "annotators": annotators, "weights": weights,
                                         "n_jobs": n_jobs, **options}
        self.name = name
        self.blocks = self._core.blocks
        self.shape = _shape(self.blocks)

    def value(self, Y):
        """The objective at Y.

        Returns
        -------
        float
        """
        return self._core.value(_numbers(Y, "Y"), self._threads)

    def value_and_gradient(self, Y):
        """The objective and its Euclidean gradient at Y.

        Returns
        -------
        float, ndarray of the shape of Y
        """
        return self._core.value_and_gradient(_numbers(Y, "Y"), self._threads)

    def start(self, random_state=None):
        """A random start.

        Returns
        -------
        ndarray
        """
        return self._core.start(seed_of(random_state))

    def maps(self, Y):
        """The maps that Y stands for, by aspect; "" names a single one.

        Returns
        -------
        dict of ndarray
        """
        return dict(self._core.maps(_numbers(Y, "Y")))

    def __reduce__(self):
        return _problem_of, self._made_of

    def __repr__(self):
        return f"<Problem: {self.name}, shape {self.shape}>"


def _problem_of(name, evidence, keywords):
    return Problem(name, evidence, **keywords)


def _numbers(values, what):
    values = exact(values, what)
    try:
        return np.ascontiguousarray(values, float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be an array of numbers, not {type(values).__name__}") from None


def _shape(blocks):
    return (blocks[0][1], blocks[0][2]) if len(blocks) == 1 else (sum(b[1] * b[2] for b in blocks),)


class Minimum:
    """What `minimize` found.

    Attributes
    ----------
    x : ndarray
    objective, initial_objective, gradient_norm : float
        At x, at the start, and of the Riemannian gradient at x.
    status, message, solver : str
    n_iter, n_evaluations, seconds

    Examples
    --------
    See `minimize`:

    >>> import alidade
    >>> alidade.Minimum.__name__
    'Minimum'
    """

    def __init__(self, found, solver):
        vars(self).update(found, solver=solver)

    def __repr__(self):
        return f"<Minimum: {self.status}, objective {self.objective:.8g}, {self.n_iter} iterations of {self.solver}>"


def minimize(problem, start=None, *, bounds=None, solver=None, solver_options=None, timeout=None, random_state=None,
             n_jobs=None, verbose=0, callback=None):
    """Minimises a problem of the engine or one's own, by a solver of the engine or one's own.

    Parameters
    ----------
    problem : Problem, or an object
        An object has `value_and_gradient(Y)`, which returns a number and an array like Y; `shape`, (rows, columns) of
        Y; and, if it likes, `value(Y)` and `domain`: a name, or a dictionary with `name` and the domain's numbers:
        "euclidean" (default): all arrays; "oblique": each row has the length `radius`, default 1; "positive": all
        entries > 0; "box": all entries in [`lower`, `upper`], numbers or arrays like Y, default [0, 1].
        It is called from another thread, one call at a time; each call costs some microseconds more than in Python.
    start : array-like, optional
        By default a random point of the domain.
    bounds : tuple, optional
        Lower and upper bounds of the entries of one's own Y: two numbers or arrays like Y, infinite where there is
        none. The same as the domain "box".
    solver : str, dict or object, optional
        A solver of smooth problems: "ceres" (L-BFGS), "gradient_descent", ...; or an object with
        `solve(problem, start)`, which returns the solution. Default: "projected_lbfgs" within bounds, else "ceres".
    solver_options : dict, optional
        Such as {"max_iter": 100}.
    timeout, random_state, n_jobs, verbose, callback : as for TripletEmbedding

    Returns
    -------
    Minimum

    Examples
    --------
    The first principal axis of a matrix, on the sphere:

    >>> import alidade, numpy as np
    >>> M = np.diag([1.0, 2.0, 5.0])
    >>> class Rayleigh:
    ...     shape = (1, 3)
    ...     domain = "oblique"
    ...     def value_and_gradient(self, Y):
    ...         return -float(Y[0] @ M @ Y[0]), -2 * (M @ Y[0])[None]
    >>> found = alidade.minimize(Rayleigh(), random_state=0)
    >>> round(found.objective, 6)
    -5.0
    """
    seed = seed_of(random_state)
    if isinstance(problem, Problem):
        if bounds is not None:
            raise ValueError("bounds are for problems of one's own; those of the engine have their domains")
        held, bounded = problem._core, False
    else:
        held, bounded = _held(problem, bounds)
    if start is not None:
        start = _numbers(start, "start")
        if not np.isfinite(start).all():
            raise ValueError("start contains NaN or infinity")
    if callable(getattr(solver, "solve", None)):
        return _by_own_solver(problem, held, solver, start, seed)
    by = named(solver or ("projected_lbfgs" if bounded else "ceres"), solver_options)
    name = by.pop("name")
    reporter = Reporter("minimize", verbose, callback)
    found = _core.minimize(held, start, name, to_json(by, "solver_options"), seed, threads_of(n_jobs),
                           "" if timeout is None else str(timeout), reporter.or_none())
    if not found.pop("usable"):
        raise ValueError(f"The solve gave no solution: {found['message']} ({found['status']}).")
    warn_of_end("minimize", found["status"], found["message"], but=("converged",))
    return Minimum(found, name)


def _held(problem, bounds):
    compute = getattr(problem, "value_and_gradient", None)
    if not callable(compute):
        raise TypeError(f"a problem has value_and_gradient(Y); {type(problem).__name__} has none")
    shape = getattr(problem, "shape", None)
    if not isinstance(shape, (tuple, list)) or len(shape) != 2 or not all(
            isinstance(s, (int, np.integer)) and s > 0 for s in shape):
        raise ValueError(f"shape must be a pair of whole numbers > 0, rows and columns of Y; not {shape!r}")
    domain = named(getattr(problem, "domain", None) or "euclidean")
    if bounds is not None:
        if domain["name"] != "euclidean" or not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ValueError("bounds are a pair, lower and upper, for a problem that has no domain of its own")
        domain = {"name": "box", "lower": bounds[0], "upper": bounds[1]}
    ends = [None, None]
    if domain["name"] == "box":
        try:
            ends = [np.array(np.broadcast_to(_numbers(domain.pop(end, usual), end), shape))
                    for end, usual in (("lower", 0), ("upper", 1))]
        except ValueError:
            raise ValueError(f"lower and upper bounds are numbers or arrays of the shape {tuple(shape)}") from None
    return _core.python_problem(compute, getattr(problem, "value", None), int(shape[0]), int(shape[1]), to_json(domain),
                                *ends), domain["name"] == "box"


def _by_own_solver(problem, held, solver, start, seed):
    import time

    start = held.start(seed) if start is None else start
    before = held.value(start, 1)
    begin = time.perf_counter()
    x = _numbers(solver.solve(problem, start.copy()), "what solve(problem, start) returns")
    seconds = time.perf_counter() - begin
    return Minimum({"x": x, "objective": held.value(x, 1), "initial_objective": before, "gradient_norm": float("nan"),
                    "status": "finished", "message": "", "n_iter": 0, "n_evaluations": 0, "seconds": seconds}, type(solver).__name__)
