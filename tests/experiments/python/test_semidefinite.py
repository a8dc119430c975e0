"""Maps by semidefinite programs and the programs themselves, against analytic answers and the command."""

import gzip
import pickle
import re
import warnings

import numpy as np
import pandas
import pytest
import scipy.optimize
import scipy.sparse
from sklearn.datasets import load_wine, make_s_curve, make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import alidade
from alidade import sdp


@pytest.fixture(scope="module")
def wine():
    return StandardScaler().fit_transform(load_wine().data)[::5]


@pytest.fixture(scope="module")
def ring():
    edges = np.roll(np.eye(14), 1, axis=1)
    return edges + edges.T


def has_bounds(model):
    assert np.isfinite(model.lower_bound_) and model.gap_ == pytest.approx(model.objective_ - model.lower_bound_)
    # A solution that misses rows by the solver's tolerance may be a little below the bound.
    assert model.lower_bound_ <= model.objective_ + 1e-3 * abs(model.objective_)
    assert np.isnan(model.upper_bound_) or model.lower_bound_ <= model.upper_bound_


# MVU refuses, by default, neighbour graphs of several parts, of which some of scikit-learn's data consist.
@pytest.mark.parametrize("model", [
    alidade.PSDE(), alidade.KPSDE(basis_size=6, n_neighbors=2), alidade.MaximumVarianceUnfolding(component="largest")])
def test_the_checks_of_scikit_learn_pass(model):
    for estimator, check in estimator_checks.check_estimator(model, generate_only=True):
        check(estimator)


@pytest.mark.parametrize("name, options, more", [
    ("PSDE", [], {}),
    ("PSDE", ["--set", "dataset.0.k=4", "--set", "dataset.0.symmetry=union"], {"n_neighbors": 4, "symmetry": "union"}),
    ("KPSDE", [], {}),
    ("MaximumVarianceUnfolding", ["--set", "problem.neighbors=6"], {"neighbors": 6}),
])
def test_features_give_the_bits_of_the_command(command, tmp_path, wine, name, options, more):
    pandas.DataFrame(wine).to_csv(tmp_path / "x.csv", index=False, header=False, float_format="%.17g")
    model = getattr(alidade, name)(random_state=2, **more)
    said = command("embed", "--features", tmp_path / "x.csv", "-p", model._problem_name, "--seed", 2, "-o",
                   tmp_path / "map", *options)
    assert said.returncode == 0, said.stderr
    assert np.array_equal(model.fit_transform(wine), np.load(tmp_path / "map" / "embedding.npy"))
    has_bounds(model)


def test_new_rows_are_placed_by_kpsde(wine):
    model = alidade.KPSDE(random_state=0).fit(wine)
    assert np.allclose(model.transform(wine), model.embedding_, atol=1e-6)
    assert model.transform(wine[:3] + 0.01).shape == (3, 2)


def test_graphs_and_signs_give_the_bits_of_the_command(command, tmp_path, ring):
    i, j = np.nonzero(np.triu(ring))
    (tmp_path / "ring.edges").write_text("".join(f"{a} {b}\n" for a, b in zip(i, j)))
    assert command("embed", "--graph", tmp_path / "ring.edges", "-o", tmp_path / "map").returncode == 0
    table = pandas.read_csv(tmp_path / "map" / "embedding.csv", float_precision="round_trip").set_index("object")
    model = alidade.PSDE(affinity="graph", random_state=0)
    embedding = model.fit_transform(ring)
    has_bounds(model)
    order = np.array(table.index, int)
    if (order == np.arange(14)).all():
        assert np.array_equal(embedding, table[["x1", "x2"]].to_numpy())
    for form in (scipy.sparse.csr_matrix, scipy.sparse.coo_matrix):
        assert np.array_equal(model.fit_transform(form(ring)), embedding)
    assert np.array_equal(model.fit_transform(ring > 0), embedding)
    signs = np.where(ring > 0, 1, -1)
    assert np.allclose(alidade.PSDE(affinity="signs", random_state=0).fit(signs).objective_, model.objective_, rtol=1e-3)
    for X, words in ((ring[:, :5], "square"), (-ring, "not be negative"), (ring * np.nan, "NaN")):
        with pytest.raises(ValueError, match=words):
            model.fit(X)
    with pytest.raises(ValueError, match=r"\+1, -1"):
        alidade.PSDE(affinity="signs").fit(2 * ring)
    with pytest.raises(ValueError, match="affinity must be"):
        alidade.PSDE(affinity="guess").fit(ring)


def test_unfolding_unrolls():
    X, t = make_s_curve(60, random_state=1)
    model = alidade.MaximumVarianceUnfolding(neighbors=5, random_state=0).fit(X)
    has_bounds(model)
    assert abs(np.corrcoef(model.embedding_[:, 0], t)[0, 1]) > 0.9


# ---- programs ----


def cycle_theta(n):
    """Lovasz's number of an odd cycle as a program: max <J, X>, tr X = 1, X_ij = 0 on edges."""
    matrices, bounds = [np.eye(n)], [1.0]
    for i in range(n):
        edge = np.zeros((n, n))
        edge[i, (i + 1) % n] = edge[(i + 1) % n, i] = 1
        matrices.append(edge)
        bounds.append(0.0)
    return -np.ones((n, n)), matrices, bounds


@pytest.mark.parametrize("solver", ["auto", "csdp", "admm", {"name": "csdp", "tolerance": 1e-9}])
def test_the_theta_of_a_cycle_is_known(solver):
    C, A, b = cycle_theta(5)
    found = sdp.solve(C, A, b, solver=solver)
    assert found.objective == pytest.approx(-np.sqrt(5), abs=1e-4)
    assert found.rigorous_ and found.lower_bound_ <= -np.sqrt(5) + 1e-12 and found.gap_ < 1e-3
    assert found.X.shape == (5, 5) and np.trace(found.X) == pytest.approx(1, abs=1e-5)
    assert np.linalg.eigvalsh(found.X)[0] > -1e-6 and len(found.y) == 6 and found.errors.max() < 1e-3
    assert found.status == "converged" and found.seconds >= 0


def test_sparse_and_dense_matrices_are_one_program():
    C, A, b = cycle_theta(7)
    dense = sdp.solve(C, A, b)
    for form in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
        found = sdp.solve(C, [form(a) for a in A], b)
        assert np.array_equal(found.X, dense.X) and np.array_equal(found.y, dense.y)
    assert sdp.solve([C], [[a] for a in A], b, blocks=[7]).X[0].shape == (7, 7)


def test_programs_and_results_are_pickled():
    given = sdp.program(*cycle_theta(5), relations="<=", trace_bound=2.0)
    again = pickle.loads(pickle.dumps(given))
    assert again.to_sdpa() == given.to_sdpa() and again._core.trace_bound == 2.0 and again.relations == given.relations
    found = sdp.solve(given)
    assert np.array_equal(sdp.solve(again).X, found.X)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).X, found.X)


def test_a_linear_program_is_a_diagonal_block():
    rng = np.random.default_rng(0)
    c, A, x = rng.random(6), rng.normal(size=(3, 6)), rng.random(6)
    b = A @ x
    found = sdp.solve(c, list(A), b)
    assert found.objective == pytest.approx(scipy.optimize.linprog(c, A_eq=A, b_eq=b).fun, abs=1e-5)
    assert found.X.shape == (6,) and (found.X > -1e-7).all()
    at_most = sdp.solve(-c, list(np.abs(A)), b + 5, relations="<=")
    want = scipy.optimize.linprog(-c, A_ub=np.abs(A), b_ub=b + 5).fun
    assert at_most.objective == pytest.approx(want, rel=1e-5)
    at_least = sdp.solve(c, list(np.abs(A)), np.ones(3), relations=[">="] * 3)
    assert at_least.objective == pytest.approx(
        scipy.optimize.linprog(c, A_ub=-np.abs(A), b_ub=-np.ones(3)).fun, rel=1e-5)


def test_blocks_of_both_kinds_meet_in_a_constraint():
    # X_12 costs at least 2 X_12 of trace, s only s.
    found = sdp.solve([np.eye(2), np.array([1.0])], [[np.array([[0, 0.5], [0.5, 0]]), np.array([1.0])]], [1.0])
    assert found.objective == pytest.approx(1, abs=1e-6)
    none = sdp.solve([np.eye(2), None], [[np.array([[0, 0.5], [0.5, 0]]), np.array([1.0])],
                                         [None, np.array([1.0])]], [1.0, 0.25], blocks=[2, -1],
                     relations=["=", "<="])
    assert none.objective == pytest.approx(1.5, abs=1e-5) and none.X[1] == pytest.approx([0.25], abs=1e-6)


def test_what_has_no_optimum_has_a_ray():
    found = sdp.solve(np.eye(2), [np.eye(2)], [-1.0], solver="csdp")
    assert found.status == "infeasible" and found.ray is not None and np.isnan(found.objective)
    y = found.ray["y"]
    assert -y[0] > 0


def test_files_give_the_program_and_the_value_of_the_command(command, tmp_path):
    C, A, b = cycle_theta(5)
    given = sdp.program(C, A, b)
    (tmp_path / "theta.dat-s").write_text(given.to_sdpa())
    with gzip.open(tmp_path / "theta.dat-s.gz", "wt") as file:
        file.write(given.to_sdpa())
    for name in ("theta.dat-s", "theta.dat-s.gz"):
        read = sdp.read(tmp_path / name)
        assert read.blocks == [5] and np.array_equal(read.b, b) and read.relations == ["="] * 6
        assert np.array_equal(read.C[0].toarray(), C)
        assert all(np.array_equal(x[0].toarray(), a) for x, a in zip(read.A, A))
        assert read.to_sdpa() == given.to_sdpa() and repr(read) == "<Program: 6 constraints, blocks [5]>"
    said = command("sdp", tmp_path / "theta.dat-s")
    assert said.returncode == 0
    primal = float(re.search(r"^primal +(\S+)", said.stdout, re.M)[1])
    assert sdp.solve(read).objective == -primal
    again = sdp.solve(sdp.program(read.C, read.A, read.b, read.blocks))
    assert again.objective == -primal


@pytest.mark.parametrize("change, error, words", [
    ({"C": np.ones((2, 3))}, ValueError, "shape"),
    ({"C": np.array([[0, 1.0], [2, 0]])}, ValueError, "C is not symmetric"),
    ({"C": scipy.sparse.csr_matrix([[0, 1.0], [2, 0]])}, ValueError, "C is not symmetric"),
    ({"C": np.array([[np.nan, 0], [0, 1]])}, ValueError, "NaN"),
    ({"C": scipy.sparse.csr_matrix([[np.nan, 0], [0, 1]])}, ValueError, "NaN"),
    ({"C": scipy.sparse.csr_matrix([[np.inf, 0], [0, 1]])}, ValueError, "infinity"),
    ({"C": np.array([["a", "b"], ["b", "c"]])}, TypeError, "not of numbers"),
    ({"A": [np.eye(3)]}, ValueError, r"A\[0\] is of shape"),
    ({"A": [np.zeros((2, 2))]}, ValueError, "nonzero|no entr|has no"),
    ({"A": []}, ValueError, "0 matrices of constraints but 1"),
    ({"b": [1.0, 2.0]}, ValueError, "right-hand sides"),
    ({"b": [np.inf]}, ValueError, "finite"),
    ({"relations": "~"}, ValueError, "relations"),
    ({"blocks": [3]}, ValueError, "shape"),
    ({"blocks": [2, 2]}, ValueError, "blocks"),
    ({"solver": "simplex"}, ValueError, "no solver 'simplex'"),
    ({"solver": "ceres"}, ValueError, "ceres needs smooth"),
    ({"solver": "csdp", "solver_options": {"tolerence": 1}}, ValueError, "tolerance"),
    ({"trace_bound": -1.0}, ValueError, "trace bound"),
    ({"timeout": "soon"}, ValueError, "duration"),
])
def test_bad_programs_are_refused(change, error, words):
    with pytest.raises(error, match=words):
        sdp.solve(**{"C": np.eye(2), "A": [np.eye(2)], "b": [1.0], **change})


def test_a_program_that_is_no_file_is_refused(tmp_path):
    (tmp_path / "broken.dat-s").write_text("1\n1\n2\nx\n")
    with pytest.raises(ValueError, match="broken.dat-s:4"):
        sdp.read(tmp_path / "broken.dat-s")
    with pytest.raises(FileNotFoundError, match="there-is-none"):
        sdp.read(tmp_path / "there-is-none")
    with pytest.raises(TypeError):
        sdp.solve(np.eye(2))


def test_an_objective_below_its_bound_warns():
    for X in (make_s_curve(80, random_state=0)[0], make_swiss_roll(100, random_state=1)[0]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = alidade.MaximumVarianceUnfolding(random_state=0, component="largest").fit(X)
        assert model.termination_ == "converged" and abs(model.gap_) < 1e-6 * abs(model.objective_)
    C, A, b = cycle_theta(9)
    with pytest.warns(ConvergenceWarning, match="X is not feasible: its objective .* below the proven lower bound"):
        early = sdp.solve(C, A, b, solver={"name": "admm", "max_iter": 3}, trace_bound=1.0)
    assert early.gap_ < 0 and early.lower_bound_ <= sdp.solve(C, A, b).objective + 1e-6


def test_a_constraint_of_zeros_always_holds_or_is_infeasible():
    cost, zero = np.diag([1.0, 2.0]), np.zeros((2, 2))
    found = alidade.sdp.solve(cost, [np.eye(2), zero], [1, 0])
    assert abs(found.objective - 1) < 1e-6 and len(found.y) == 2 and found.y[1] == 0
    with pytest.raises(ValueError, match="infeasible"):
        alidade.sdp.solve(cost, [np.eye(2), zero], [1, 1])


def test_frames_are_matrices_of_a_program():
    C, A = (pandas.DataFrame(values, index=["a", "b"], columns=["a", "b"]) for values in (np.diag([2.0, 3.0]), np.eye(2)))
    found = alidade.sdp.solve(C, [A], pandas.Series([1.0]))
    assert found.objective == alidade.sdp.solve(C.to_numpy(), [np.eye(2)], [1.0]).objective and found.X.shape == (2, 2)
    for mistaken, words in (((C[["b", "a"]], [A]), "columns in another order"), ((C, A), "Of one constraint give"),
                            ((C, [A.loc[["b", "a"], ["b", "a"]]]), "names its rows otherwise, or in another order")):
        with pytest.raises((TypeError, ValueError), match=words):
            alidade.sdp.solve(*mistaken, [1.0])
