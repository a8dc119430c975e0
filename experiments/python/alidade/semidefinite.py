"""Maps by semidefinite programs, each with a proof of how far it can be from the best."""

import numpy as np
import scipy.sparse

from . import _core
from ._solve import number_or_nan, warn
from ._tables import FromTable, PlacesNewRows, make_class, validated

_BOUNDS = """. Besides the attributes below, `lower_bound_` is a proven lower bound on the objective's optimum,
`upper_bound_` the objective of a feasible point where one is known, and `gap_` the objective less the lower bound; NaN
where unknown. An objective below its lower bound is not that of a feasible map: then `gap_` is negative, and ConvergenceWarning says so."""


class _Certified(FromTable):
    """A map with bounds."""

    def _solve(self, *arguments, **more):
        out = super()._solve(*arguments, **more)
        if "not_feasible" in (out.row.get("warnings") or []):
            warn(f"The solution is not feasible: its objective {self.objective_:.9g} is below the proven lower bound "
                 f"{self.lower_bound_:.9g}. {out.row['message']}")
        return out

    def _take(self, out, numbered=True):
        super()._take(out, numbered)
        bound = out.row.get("certificate") or {}
        self.lower_bound_ = number_or_nan(bound.get("lower_bound"))
        self.upper_bound_ = number_or_nan(bound.get("upper_bound"))
        self.gap_ = number_or_nan(bound.get("gap"))


class _BySigns(_Certified):
    """A map that puts objects that belong together nearer than others."""

    def _evidence_options(self):
        return {"similarity": "knn", "k": self.n_neighbors, "symmetry": self.symmetry}


def _pairs(X, affinity):
    """Pairs and signs of a square matrix."""
    sparse = scipy.sparse.issparse(X)
    found = scipy.sparse.coo_matrix(X)
    if not sparse and np.isnan(found.data.astype(float)).any():
        raise ValueError("Input X contains NaN.")
    values = found.data.astype(np.int8) if found.data.dtype.kind == "b" else found.data
    if affinity == "signs" and not np.isin(values, (-1, 0, 1)).all():
        raise ValueError("with affinity='signs' X has +1, -1, or 0 where it is unknown")
    if affinity == "graph" and (values < 0).any():
        raise ValueError("with affinity='graph' X is an adjacency matrix: its entries must not be negative")
    keep = (values != 0) & (found.row != found.col)
    return np.stack([found.row[keep], found.col[keep]], axis=1).astype(np.int64), np.sign(values[keep]).astype(np.int8)


class _Psde(_BySigns):
    def _more_tags(self):
        return {"pairwise": self.affinity != "nearest_neighbors", "preserves_dtype": []}

    def _validated_for_fit(self, X):
        if self.affinity == "nearest_neighbors":
            return super()._validated_for_fit(X)
        if self.affinity not in ("graph", "signs"):
            raise ValueError(f"affinity must be 'nearest_neighbors', 'graph' or 'signs', not {self.affinity!r}")
        X = validated(self, X, accept_sparse="coo", ensure_min_samples=3)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"with affinity={self.affinity!r} X is a square matrix, not of shape {X.shape}")
        return X

    def _evidence(self, X, seed):
        if self.affinity == "nearest_neighbors":
            return super()._evidence(X, seed)
        pairs, signs = _pairs(X, self.affinity)
        graph = self.affinity == "graph"
        dataset = {"name": "graph"} if graph else {"name": "pair_signs"}
        return _core.pairs(pairs, signs, X.shape[0], [], graph), dataset


class _Kpsde(PlacesNewRows, _BySigns):
    pass


_NEIGHBORS = {"n_neighbors": 6, "symmetry": "directed"}
_NEIGHBORS_DOCUMENT = """n_neighbors : int, default=6
    Nearest neighbours in the features count as similar, all others do not.
symmetry : {'directed', 'union'}, default='directed'
    directed: i is similar to j, as seen from j, if i is among the nearest of j; union: also if j is among those of i.
"""
_AFFINITY_DOCUMENT = """affinity : {'nearest_neighbors', 'graph', 'signs'}, default='nearest_neighbors'
    What X is: features, whose nearest neighbours belong together; an adjacency matrix (dense or sparse), where all
    others do not; or a matrix of +1, -1, and 0 where it is unknown.
"""

PSDE = make_class("psde", "PSDE", (_Psde,), __name__, extra={"affinity": "nearest_neighbors", **_NEIGHBORS},
                  extra_document=_AFFINITY_DOCUMENT + _NEIGHBORS_DOCUMENT, note=_BOUNDS, example=""">>> import alidade
>>> import numpy as np
>>> ring = np.roll(np.eye(12), 1, axis=1)
>>> model = alidade.PSDE(affinity="graph", random_state=0).fit(ring + ring.T)
>>> bool(model.lower_bound_ <= model.objective_ + 1e-6)
True""")
KPSDE = make_class("kpsde", "KPSDE", (_Kpsde,), __name__, extra=_NEIGHBORS, extra_document=_NEIGHBORS_DOCUMENT,
                   note=_BOUNDS, example=""">>> import alidade
>>> from sklearn.datasets import load_iris
>>> X = load_iris().data[::6]
>>> model = alidade.KPSDE(random_state=0, n_neighbors=3).fit(X)
>>> model.transform(X[:4]).shape
(4, 2)""")
MaximumVarianceUnfolding = make_class("mvu", "MaximumVarianceUnfolding", (_Certified,), __name__, note=_BOUNDS,
                                      example=""">>> import alidade
>>> from sklearn.datasets import load_iris
>>> X = load_iris().data[::6]
>>> model = alidade.MaximumVarianceUnfolding(component="largest", random_state=0).fit(X)
>>> bool(model.lower_bound_ <= model.objective_ + 1e-6)
True""")

__all__ = ["KPSDE", "MaximumVarianceUnfolding", "PSDE"]
