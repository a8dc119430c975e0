"""Problems of the engine one by one, and problems and solvers written in Python."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.optimize

import alidade


class Quadratic:
    """|A Y - B|^2 / 2."""

    shape = (4, 2)

    def __init__(self, **more):
        rng = np.random.default_rng(0)
        self.A, self.B = rng.normal(size=(6, 4)), rng.normal(size=(6, 2))
        self.calls = 0
        for name, value in more.items():
            setattr(self, name, value)

    def value_and_gradient(self, Y):
        self.calls += 1
        assert Y.shape == self.shape and Y.dtype == float
        residual = self.A @ Y - self.B
        return 0.5 * float((residual**2).sum()), self.A.T @ residual


class Through:
    """A problem of the engine as if it were written in Python."""

    def __init__(self, problem):
        self.problem, self.shape = problem, problem.shape

    def value_and_gradient(self, Y):
        return self.problem.value_and_gradient(Y)

    def value(self, Y):
        return self.problem.value(Y)


@pytest.mark.parametrize("name", ["ste", "soe", "tste", "ckl", "gnmds", "ete"])
def test_gradients_are_those_of_the_objective(name, triplets):
    problem = alidade.Problem(name, triplets[:500])
    Y = np.random.default_rng(1).normal(size=problem.shape)
    value, gradient = problem.value_and_gradient(Y)
    assert value == pytest.approx(problem.value(Y), rel=1e-12)
    error = scipy.optimize.check_grad(lambda y: problem.value(y.reshape(problem.shape)),
                                      lambda y: problem.value_and_gradient(y.reshape(problem.shape))[1].ravel(),
                                      Y.ravel())
    assert error < 1e-4 * np.linalg.norm(gradient)
    two = alidade.Problem(name, triplets[:500], n_jobs=2)
    assert two.value_and_gradient(Y)[0] == value and np.array_equal(two.value_and_gradient(Y)[1], gradient)


def test_a_problem_in_python_takes_the_steps_of_the_engines(triplets):
    problem = alidade.Problem("ste", triplets, lambd=0.05)
    for solver in ("ceres", {"name": "gradient_descent", "max_iter": 40}, "golden_section_cg"):
        engine = alidade.minimize(problem, solver=solver, random_state=3)
        python = alidade.minimize(Through(problem), problem.start(3), solver=solver, random_state=3)
        assert np.array_equal(engine.x, python.x) and engine.objective == python.objective
        assert engine.n_iter == python.n_iter and engine.initial_objective == problem.value(problem.start(3))
        assert engine.objective < engine.initial_objective
    assert np.array_equal(problem.maps(engine.x)[""], engine.x)


@pytest.mark.parametrize("solver", ["ceres", {"name": "gradient_descent", "max_iter": 3000}])
def test_the_minimum_of_a_quadratic_is_found(solver):
    problem = Quadratic()
    found = alidade.minimize(problem, solver=solver, random_state=0)
    want = np.linalg.lstsq(problem.A, problem.B, rcond=None)[0]
    assert np.allclose(found.x, want, atol=1e-3) and found.gradient_norm < 0.05
    assert problem.calls >= found.n_iter > 1 and "Minimum: " in repr(found)
    again = alidade.minimize(Quadratic(), solver=solver, random_state=0)
    assert np.array_equal(found.x, again.x)


def test_domains_are_kept():
    free = np.linalg.lstsq(Quadratic().A, Quadratic().B, rcond=None)[0]
    assert (free < 0).any()
    sphere = alidade.minimize(Quadratic(domain={"name": "oblique", "radius": 2.0}), random_state=0)
    assert np.allclose(np.linalg.norm(sphere.x, axis=1), 2)
    positive = alidade.minimize(Quadratic(domain="positive"), random_state=0)
    assert (positive.x > 0).all()
    box = alidade.minimize(Quadratic(domain={"name": "box", "lower": 0, "upper": 0.3}), random_state=0,
                           solver={"name": "gradient_descent", "max_iter": 2000})
    assert (box.x >= 0).all() and (box.x <= 0.3).all()
    bounded = scipy.optimize.lsq_linear(np.kron(Quadratic().A, np.eye(2)), Quadratic().B.ravel(), (0, 0.3))
    assert box.objective == pytest.approx(bounded.cost, rel=1e-3)
    with pytest.raises(ValueError, match="ceres needs smooth and borderless|borderless"):
        alidade.minimize(Quadratic(domain="box"), random_state=0, solver="ceres")


def test_bounds_of_single_numbers_give_the_minimum_of_scipy():
    lower, upper = np.full((4, 2), -np.inf), np.full((4, 2), np.inf)
    lower[0], upper[1], lower[2, 0], upper[2, 0] = 0.2, -0.1, 0.05, 0.05
    problem = Quadratic()
    found = alidade.minimize(problem, bounds=(lower, upper), random_state=0)
    assert found.solver == "projected_lbfgs" and found.status == "converged"
    assert (found.x >= lower).all() and (found.x <= upper).all() and found.x[2, 0] == 0.05
    fixed = np.where(lower == upper, upper + 1e-12, upper)
    want = scipy.optimize.lsq_linear(np.kron(problem.A, np.eye(2)), problem.B.ravel(), (lower.ravel(), fixed.ravel()))
    assert found.objective == pytest.approx(want.cost, rel=1e-8)
    box = Quadratic(domain={"name": "box", "lower": lower, "upper": upper})
    assert np.array_equal(alidade.minimize(box, random_state=0).x, found.x)
    free = alidade.minimize(Quadratic(), bounds=(-np.inf, np.inf), random_state=0)
    assert np.allclose(free.x, np.linalg.lstsq(problem.A, problem.B, rcond=None)[0], atol=1e-6)


class Valley:
    """Rosenbrock's function, chained."""

    def __init__(self, n):
        self.shape = (n, 1)

    def value_and_gradient(self, Y):
        x, g = Y.ravel(), np.zeros(Y.size)
        along, across = 1 - x[:-1], x[1:] - x[:-1] ** 2
        g[:-1] += -2 * along - 400 * across * x[:-1]
        g[1:] += 200 * across
        return float((along**2 + 100 * across**2).sum()), g.reshape(self.shape)


@pytest.mark.parametrize("n", [2, 25, 100, 1000])
@pytest.mark.parametrize("kind", ["one side", "both sides", "upper"])
def test_bounded_valleys_end_where_scipys_l_bfgs_b_does(n, kind):
    i = np.arange(n)
    lower, upper, start = {"one side": (np.where(i % 2, -100.0, 1.0), np.full(n, 100.0), np.full(n, 3.0)),
                           "upper": (np.full(n, -np.inf), 0.5 + 0.01 * (i % 7), np.where(i % 2, 0.5, -1.2)),
                           "both sides": (np.where(i % 3, -0.3, -np.inf), np.where(i % 2, 0.8, np.inf), np.full(n, 0.1))}[kind]
    problem, column = Valley(n), (n, 1)
    found = alidade.minimize(problem, start.reshape(column), bounds=(lower.reshape(column), upper.reshape(column)))
    theirs = scipy.optimize.minimize(lambda x: (problem.value_and_gradient(x.reshape(column))[0],
                                                problem.value_and_gradient(x.reshape(column))[1].ravel()),
                                     start, jac=True, method="L-BFGS-B", bounds=list(zip(lower, upper)),
                                     options={"maxcor": 20, "ftol": 1e-13, "gtol": 1e-8})
    assert found.status == "converged" and found.objective == pytest.approx(theirs.fun, rel=1e-8, abs=1e-11)
    assert found.n_evaluations <= 2 * theirs.nfev + 30  # those that try the end among them


@pytest.mark.parametrize("bounds, words", [
    ((0, np.zeros(3)), "arrays of the shape .4, 2."), ((1, 0), "bounds of number 0 leave nothing"), (3, "a pair"),
    ((0, np.nan), "bounds of number 0 leave nothing")])
def test_wrong_bounds_are_one_sentence(bounds, words, triplets):
    with pytest.raises(ValueError, match=words):
        alidade.minimize(Quadratic(), bounds=bounds)
    with pytest.raises(ValueError, match="for problems of one's own"):
        alidade.minimize(alidade.Problem("ste", triplets), bounds=(0, 1))
    with pytest.raises(ValueError, match="no domain of its own"):
        alidade.minimize(Quadratic(domain="oblique"), bounds=(0, 1))


def test_a_solver_in_python_solves_a_problem_of_the_engine(triplets):
    class Lbfgs:
        def solve(self, problem, start):
            def flat(y):
                value, gradient = problem.value_and_gradient(y.reshape(problem.shape))
                return value, gradient.ravel()

            return scipy.optimize.minimize(flat, start.ravel(), jac=True, method="L-BFGS-B").x.reshape(problem.shape)

    problem = alidade.Problem("ste", triplets)
    found = alidade.minimize(problem, solver=Lbfgs(), random_state=0)
    assert found.objective == pytest.approx(alidade.minimize(problem, random_state=0).objective, rel=0.05)
    assert found.solver == "Lbfgs" and found.objective == problem.value(found.x)


def test_problems_of_several_blocks_take_vectors(triplets):
    problem = alidade.Problem("common_space", triplets, aspects=np.arange(len(triplets)) % 2)
    assert len(problem.blocks) > 1 and len(problem.shape) == 1
    Y = problem.start(0)
    value, gradient = problem.value_and_gradient(Y)
    assert Y.shape == gradient.shape == problem.shape and np.isfinite(value)
    found = alidade.minimize(problem, random_state=0)
    assert found.objective < value and set(problem.maps(found.x)) == {"0", "1"}


def test_problems_of_features_are_had():
    X = np.random.default_rng(0).normal(size=(40, 5))
    problem = alidade.Problem("mds", X, start="random")
    assert alidade.minimize(problem, random_state=0).objective < problem.value(problem.start(0))


def test_what_a_problem_raises_is_raised():
    class Breaks(Quadratic):
        def value_and_gradient(self, Y):
            if self.calls > 5:
                raise ZeroDivisionError("at last")
            return super().value_and_gradient(Y)

    for solver in ("ceres", "gradient_descent", "golden_section_cg"):
        with pytest.raises(ZeroDivisionError, match="at last"):
            alidade.minimize(Breaks(), solver=solver, random_state=0)


@pytest.mark.parametrize("returns, error, words", [
    (lambda Y: 1.0, TypeError, "a pair"),
    (lambda Y: (1.0, Y[:2]), ValueError, "the gradient has another shape"),
    (lambda Y: ("much", Y), TypeError, "float|number"),
    (lambda Y: (1.0, "steep"), (TypeError, ValueError), "gradient|convert"),
    (lambda Y: (float("nan"), Y), ValueError, "no solution"),
    (lambda Y: (1.0, Y * float("nan")), ValueError, "gradient that contains NaN"),
])
def test_bad_values_are_refused(returns, error, words):
    problem = Quadratic()
    problem.value_and_gradient = returns
    with pytest.raises(error, match=words):
        alidade.minimize(problem, random_state=0)


@pytest.mark.parametrize("change, more, error, words", [
    ({"shape": (4,)}, {}, ValueError, "shape"),
    ({"shape": (4, 0)}, {}, ValueError, "shape"),
    ({"shape": None}, {}, ValueError, "shape"),
    ({"domain": "moon"}, {}, ValueError, "no domain 'moon'"),
    ({"domain": {"name": "box", "low": 0}}, {}, ValueError, "The domain 'box' has no number 'low'"),
    ({"domain": {"name": "oblique", "radius": "two"}}, {}, ValueError, "'radius' must be a number"),
    ({"domain": "oblique"}, {"start": np.full((4, 2), 3.0)}, ValueError, "outside the problem's domain"),
    ({"domain": "positive"}, {"start": -np.ones((4, 2))}, ValueError, "outside the problem's domain"),
    ({"domain": "box"}, {"start": np.full((4, 2), 1.5), "solver": "gradient_descent"}, ValueError, "outside the problem's"),
    ({}, {"start": "here"}, TypeError, "start must be an array of numbers"),
    ({}, {"start": np.zeros((2, 2))}, ValueError, r"\(2, 2\) instead of \(4, 2\)"),
    ({"value_and_gradient": None}, {}, TypeError, "value_and_gradient"),
    ({}, {"start": np.zeros((2, 2))}, ValueError, "start has another shape"),
    ({}, {"start": np.full((4, 2), np.nan)}, ValueError, "NaN"),
    ({}, {"solver": "csdp"}, ValueError, "csdp needs semidefinite"),
    ({}, {"solver": "newton"}, ValueError, "no solver 'newton'"),
    ({}, {"solver_options": {"max_iter": -1}}, ValueError, "max_iter"),
    ({}, {"n_jobs": 0}, ValueError, "n_jobs"),
])
def test_bad_problems_are_refused(change, more, error, words):
    with pytest.raises(error, match=words):
        alidade.minimize(Quadratic(**change), random_state=0, **more)


def test_bad_problems_of_the_engine_are_refused(triplets):
    with pytest.raises(ValueError, match="no problem 'stee'"):
        alidade.Problem("stee", triplets)
    with pytest.raises(ValueError, match="tee"):
        alidade.Problem("ete", triplets, tee=1)
    with pytest.raises(ValueError, match="pair_signs"):
        alidade.Problem("psde", triplets)
    with pytest.raises(ValueError, match="Y has another shape"):
        alidade.Problem("ste", triplets).value(np.zeros((3, 2)))
    with pytest.raises(TypeError, match="Y must be an array of numbers"):
        alidade.Problem("ste", triplets).value("much")
    with pytest.raises(ValueError, match="NaN"):
        alidade.Problem("tsne", np.full((9, 2), np.nan))
    with pytest.raises(ValueError, match="no points"):
        alidade.Problem("gnmds_sdp", triplets[:50])


def test_problems_of_annotators_are_had(triplets):
    problem = alidade.Problem("ste_annotators", triplets, annotators=np.arange(len(triplets)) % 3)
    assert np.isfinite(problem.value(problem.start(0)))


def test_two_threads_minimise_at_once():
    want = alidade.minimize(Quadratic(), random_state=0).x
    found = [None] * 4

    def work(i):
        found[i] = alidade.minimize(Quadratic(), random_state=0).x

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(want, x) for x in found)


def test_an_interruption_ends_a_solve_of_a_problem_in_python():
    code = """
import os, signal, threading, time
import numpy as np, alidade
class Slow:
    shape = (2, 2)
    def value_and_gradient(self, Y):
        time.sleep(0.01)
        return float((Y**4).sum()), 4 * Y**3
threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    alidade.minimize(Slow(), solver={"name": "gradient_descent", "max_iter": 10**6, "gradient_tolerance": 0,
                                     "learning_rate": 1e-9}, random_state=0)
except KeyboardInterrupt:
    print("interrupted")
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout == "interrupted\n", out.stderr
