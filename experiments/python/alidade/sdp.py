"""Semidefinite programs: minimise <C, X> subject to <A_r, X> = b_r (or <=, >=) and X positive semidefinite by blocks."""

import math
import os

import numpy as np
import scipy.sparse

from . import _core
from ._checks import exact, unmasked
from ._solve import Reporter, named, threads_of, to_json, warn, warn_of_end

_ROUNDING = 1e-12  # of the largest entry: what U @ D @ U.T leaves between entries that are equal but for it
_RELATIONS = {"=": "=", "==": "=", "<": "<", "<=": "<", ">": ">", ">=": ">"}


class Program:
    """A semidefinite program as data; `read` and `solve` make it.

    Attributes
    ----------
    C : list of sparse matrices (or of 1-D arrays, for diagonal blocks)
        The cost, block by block.
    A : list of lists
        The matrix of each constraint, block by block; None for a block of zeros.
    b : ndarray of shape (n_constraints,)
    relations : list of str
        "=", "<=" or ">=" of each constraint.
    blocks : list of int
        Sizes; those of diagonal blocks, of nonnegative numbers, are negative.

    Examples
    --------
    >>> import alidade, numpy as np
    >>> given = alidade.sdp.program([np.diag([2.0, 3.0]), [1.0, 4.0]], [[np.eye(2), [1.0, 1.0]]], [1.0])
    >>> given.blocks, given.relations, given.A[0][1]
    ([2, -2], ['='], array([1., 1.]))
    """

    def __init__(self, core):
        self._core = core
        sizes, diagonal, places, values, relations, bounds = core.parts
        self.blocks = [-n if d else n for n, d in zip(sizes, diagonal)]
        self.b = np.array(bounds)
        self.relations = [{"<": "<=", ">": ">="}.get(r, r) for r in relations]
        starts = np.searchsorted(places[:, 0], np.arange(-1, len(bounds) + 1))
        matrices = [self._blocks(places[a:z], values[a:z], k > 0)
                    for k, (a, z) in enumerate(zip(starts[:-1], starts[1:]))]
        self.C, self.A = matrices[0], matrices[1:]

    def _blocks(self, places, values, leave_out):
        out = []
        for block, size in enumerate(self.blocks):
            here = places[:, 1] == block
            row, col, value = places[here, 2], places[here, 3], values[here]
            if leave_out and not here.any():
                out.append(None)
            elif size < 0:
                numbers = np.zeros(-size)
                numbers[row] = value
                out.append(numbers)
            else:
                off = row != col
                out.append(scipy.sparse.coo_matrix(
                    (np.r_[value, value[off]], (np.r_[row, col[off]], np.r_[col, row[off]])), shape=(size, size)).tocsr())
        return out

    def __reduce__(self):
        return _program_of, (self._core.parts, self._core.trace_bound, getattr(self, "_single", False))

    def __repr__(self):
        return f"<Program: {len(self.b)} constraints, blocks {self.blocks}>"

    def to_sdpa(self):
        """The program as text in SDPA's sparse format, with equalities only.

        Returns
        -------
        str
        """
        return self._core.to_sdpa()


def _program_of(parts, trace_bound, single):
    sizes, diagonal, places, values, relations, bounds = parts
    out = Program(_core.Program(sizes, diagonal, places, values, relations, bounds, trace_bound))
    out._single = single
    return out


class Result:
    """What a solve gave.

    Attributes
    ----------
    X : list of ndarray
        Blocks of the solution; a diagonal block is a vector. One array if the program was given as one block.
    y : ndarray of shape (n_constraints,)
        Multipliers; empty if the solver has none.
    Z : list of ndarray
        Dual blocks, or an empty list.
    objective, dual_objective : float
        <C, X> and b'y; NaN if there is no solution.
    lower_bound_ : float
        Proven by y; NaN if it proves nothing. With `rigorous_` every rounding is accounted for.
    upper_bound_ : float
        Of a feasible point, where one is known; NaN otherwise.
    gap_ : float
        `objective` - `lower_bound_`; below 0, X is not feasible. Where it is below by more than 1e-6 of the objective,
        ConvergenceWarning says so.
    rigorous_ : bool
    errors : ndarray of shape (6,)
        The DIMACS errors.
    status, message, solver, choice : str
        How it ended, by which solver, and why by this one. ConvergenceWarning says where it did not converge.
    n_iter, seconds
    ray : dict or None
        What shows that the program has no optimum: {"y": ..., "X": ...}.

    Examples
    --------
    >>> import alidade, numpy as np
    >>> found = alidade.sdp.solve(np.diag([2.0, 3.0]), [np.eye(2)], [1.0])
    >>> found.status, found.X.round(4).tolist(), found.y.round(4).tolist(), found.gap_ < 1e-6
    ('converged', [[1.0, 0.0], [0.0, 0.0]], [2.0], True)
    """

    def __init__(self, found, blocks, single):
        def shaped(parts):
            out = [part.ravel() if size < 0 else part for part, size in zip(parts, blocks)]
            return out[0] if single and len(out) == 1 else out

        self.X, self.Z, self.y = shaped(found["X"]), shaped(found["Z"]), found["y"].ravel()
        self.objective = found.get("primal", math.nan)
        self.dual_objective = found.get("dual", math.nan)
        proven = found["proven_lower_bound"]
        self.rigorous_ = proven is not None
        bound = proven if self.rigorous_ else found.get("lower_bound")
        self.lower_bound_ = math.nan if bound is None else bound
        upper = found.get("upper_bound")
        self.upper_bound_ = math.nan if upper is None else upper
        self.gap_ = self.objective - self.lower_bound_
        self.errors = np.array(found.get("errors", [math.nan] * 6))
        vars(self).update({name: found[name] for name in ("status", "message", "solver", "choice", "n_iter", "seconds")})
        self.ray = {"y": found["ray_y"].ravel(), "X": shaped(found["ray_X"])} if "ray_y" in found else None

    def __repr__(self):
        return (f"<Result: {self.status}, objective {self.objective:.8g}, lower bound {self.lower_bound_:.8g}, "
                f"solver {self.solver}>")


def read(path):
    """Reads a program in SDPA's sparse format, plain or gzip.

    The format maximises <F_0, Y>; the cost here is -F_0, so that an optimum is minus the published one.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Program

    Examples
    --------
    >>> import alidade, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "p.dat-s")
    >>> _ = open(file, "w").write("1\\n1\\n2\\n1.0\\n0 1 1 1 2.0\\n0 1 2 2 3.0\\n1 1 1 1 1.0\\n1 1 2 2 1.0\\n")
    >>> program = alidade.sdp.read(file)
    >>> round(alidade.sdp.solve(program).objective, 6)
    -3.0
    """
    os.stat(path)  # FileNotFoundError
    return Program(_core.read_program(os.fspath(path)))


def _is_matrix(value):
    """Whether this is one block: an array, a sparse matrix, or lists of numbers; else it is a list of blocks."""
    if scipy.sparse.issparse(value):
        return True
    if isinstance(value, np.ndarray) or hasattr(value, "iloc"):
        return getattr(value, "dtype", None) != object
    return isinstance(value, (list, tuple)) and all(
        np.isscalar(v) or (isinstance(v, (list, tuple)) and all(np.isscalar(w) for w in v)) for v in value)


def _entries(matrix, size, what):
    """Rows, columns and values on and above the diagonal of a block."""
    if not scipy.sparse.issparse(matrix):
        columns, rows = (matrix.columns, matrix.index) if hasattr(matrix, "columns") else ((), ())
        if set(columns) == set(rows) and list(columns) != list(rows):
            raise ValueError(f"{what} has its columns in another order than its rows. Give frame.loc[:, frame.index].")
        matrix = np.asarray(exact(matrix, what))
        if matrix.dtype.kind not in "biuf":
            raise TypeError(f"{what} is of type {matrix.dtype}, not of numbers")
        if matrix.shape == (-size,):
            matrix = scipy.sparse.diags(matrix)
    if matrix.shape != (abs(size), abs(size)):
        raise ValueError(f"{what} is of shape {matrix.shape}, " + (
            f"its block of {(size, size)}" if size > 0 else f"a diagonal block of {-size} is a vector of that length"))
    found = scipy.sparse.coo_matrix(matrix, dtype=float)
    found.sum_duplicates()
    if not np.isfinite(found.data).all():
        raise ValueError(f"{what} contains NaN or infinity")
    if size < 0 and found.data[found.row != found.col].any():
        raise ValueError(f"{what} has entries off the diagonal of a diagonal block")
    apart = abs(found - found.T)
    if apart.nnz and apart.max() > 0:
        if apart.max() > _ROUNDING * abs(found).max():
            raise ValueError(f"{what} is not symmetric")
        found = scipy.sparse.coo_matrix((found + found.T) / 2)
    kept = np.flatnonzero((found.row <= found.col) & (found.data != 0))
    kept = kept[np.lexsort((found.col[kept], found.row[kept]))]  # as a dense matrix has them
    return found.row[kept], found.col[kept], found.data[kept]


def program(C, A, b, blocks=None, *, relations=None, trace_bound=None):
    """A program of matrices.

    Parameters
    ----------
    C : array-like, frame or sparse matrix of shape (n, n), or a list of them by blocks
        The cost. A vector stands for a diagonal block, of nonnegative numbers. Frames have all rows and columns in the
        same order.
    A : list
        The matrix of each constraint, in the same form; None for a block of zeros.
    b : array-like of shape (n_constraints,)
    blocks : list of int, optional
        Sizes of the blocks, negative for diagonal ones; by default those of C.
    relations : str or list of str, optional
        "=", "<=" or ">=", for all or for each constraint; by default "=".
    trace_bound : float, optional
        A promise that some optimum has at most this trace; with it any multipliers prove a bound.

    Returns
    -------
    Program

    Examples
    --------
    >>> import alidade, numpy as np
    >>> alidade.sdp.program(np.diag([2.0, 3.0]), [np.eye(2)], [1.0])
    <Program: 1 constraints, blocks [2]>
    """
    single = _is_matrix(C)
    C = [C] if single else list(C)
    if blocks is None:
        if any(c is None for c in C):
            raise ValueError("blocks: give their sizes where a block of C is None")
        blocks = [-len(c) if not scipy.sparse.issparse(c) and np.ndim(c) == 1 else int(c.shape[0] if hasattr(
            c, "shape") else len(c)) for c in C]
    blocks = [int(size) for size in blocks]
    b = _numbers_of(b)
    A = _listed(A)
    if b.ndim != 1 or len(A) != len(b):
        raise ValueError(f"there are {len(A)} matrices of constraints but {b.size} right-hand sides")
    if relations is None or isinstance(relations, str):
        relations = [relations or "="] * len(b)
    unknown = [r for r in relations if r not in _RELATIONS]
    if unknown or len(relations) != len(b):
        raise ValueError(f"relations are '=', '<=' or '>=', one for each of {len(b)} constraints; not {unknown or relations}")
    places, values, orders = [], [], {}
    for number, matrix in enumerate([C, *A], start=-1):
        name = "C" if number < 0 else f"A[{number}]"
        parts = matrix if number < 0 else [matrix] if _is_matrix(matrix) else list(matrix)
        if len(parts) != len(blocks):
            raise ValueError(f"{name} has {len(parts)} blocks; the program has {len(blocks)}")
        for block, (part, size) in enumerate(zip(parts, blocks)):
            if part is None:
                continue
            if hasattr(part, "columns") and list(part.index) != list(range(len(part))) and (
                    list(orders.setdefault(block, part.index)) != list(part.index)):
                raise ValueError(f"{name} names its rows otherwise, or in another order, than the frames before it. Give all "
                                 "frames the index of the first.")
            rows, columns, entries = _entries(part, size, name if len(blocks) == 1 else f"block {block} of {name}")
            places.append(np.stack([np.full(len(rows), number), np.full(len(rows), block), rows, columns], axis=1))
            values.append(entries)
    out = Program(_core.Program([abs(s) for s in blocks], [s < 0 for s in blocks],
                                np.concatenate(places) if places else np.empty((0, 4), np.int64),
                                np.concatenate(values) if values else np.empty(0),
                                "".join(_RELATIONS[r] for r in relations), list(b), trace_bound))
    out._single = single
    return out


def _numbers_of(b):
    return np.atleast_1d(np.asarray(exact(b, "b"), float))


def _listed(A):
    if hasattr(A, "columns"):
        raise TypeError("A is a list of matrices, one for each constraint, and not a frame. Of one constraint give [A].")
    return list(A)


def _is_zero(matrix):
    if matrix is None:
        return True
    if scipy.sparse.issparse(matrix):
        return matrix.count_nonzero() == 0
    return not np.any(np.asarray(unmasked(matrix))) if _is_matrix(matrix) else all(map(_is_zero, matrix))


def _without_empty(A, b, relations):
    """The constraints whose matrix is not 0, or that never hold; which of all they are, None for all."""
    signs = [relations or "="] * len(b) if relations is None or isinstance(relations, str) else list(relations)
    if len(A) != len(b) or len(signs) != len(b):
        return A, b, None, relations
    holds = {"=": b == 0, "<=": b >= 0, ">=": b <= 0}
    kept = np.array([not (_is_zero(matrix) and holds.get(sign, b != b)[k]) for k, (matrix, sign) in enumerate(zip(A, signs))])
    if kept.all() or not kept.any():
        return A, b, None, relations
    return [m for m, k in zip(A, kept) if k], b[kept], kept, [r for r, k in zip(signs, kept) if k]


def solve(C, A=None, b=None, blocks=None, *, relations=None, trace_bound=None, solver="auto", solver_options=None,
          timeout=None, n_jobs=None):
    """Solves a program, and proves a lower bound on its optimum.

    Parameters
    ----------
    C : Program, or as in `program`
    A, b, blocks, relations, trace_bound : as in `program`
        Left out where C is a Program.
    solver : str or dict, default="auto"
        "csdp", "admm", "burer_monteiro" or, where the constraints fix the diagonal of X, "fixed_diagonal"; "auto" takes
        what suits the program.
    solver_options : dict, optional
        Such as {"tolerance": 1e-7}.
    timeout : float or str, optional
    n_jobs : int, optional

    Returns
    -------
    Result

    Examples
    --------
    The largest eigenvalue of a matrix is a program:

    >>> import alidade, numpy as np
    >>> M = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> found = alidade.sdp.solve(-M, [np.eye(2)], [1.0])
    >>> bool(abs(-found.objective - np.linalg.eigvalsh(M)[-1]) < 1e-6)
    True
    >>> found.lower_bound_ <= found.objective + 1e-6
    True
    """
    if isinstance(C, Program):
        if A is not None or b is not None:
            raise TypeError("a Program has its A and b already")
        given, kept = C, None
    else:
        if A is None or b is None:
            raise TypeError("solve needs A and b, or a Program")
        A, b, kept, relations = _without_empty(_listed(A), _numbers_of(b), relations)
        given = program(C, A, b, blocks, relations=relations, trace_bound=trace_bound)
    by = named(solver, solver_options)
    name = by.pop("name")
    found = _core.solve_program(given._core, name, to_json(by, "solver_options"), threads_of(n_jobs),
                                "" if timeout is None else str(timeout), Reporter("sdp", 0, None).or_none())
    out = Result(found, given.blocks, getattr(given, "_single", False))
    if kept is not None and len(out.y) == kept.sum():
        y = np.zeros(len(kept))
        y[kept] = out.y
        out.y = y
    if found.get("not_feasible"):
        warn(f"X is not feasible: its objective {out.objective:.9g} is below the proven lower bound "
             f"{out.lower_bound_:.9g}. {out.message}")
    elif out.ray is None:  # else it is known how the program is
        warn_of_end("sdp", out.status, out.message)
    return out


__all__ = ["Program", "Result", "program", "read", "solve"]
