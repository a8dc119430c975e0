"""Maps from tables of features or of dissimilarities, as scikit-learn's transformers: a class for each problem."""

import numbers
import re

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ._catalog import PROBLEMS, option_parameters
from ._checks import exact
from ._tables import FromTable, PlacesNewRows, dense, make_class

_NAMES = {"tsne": "TSNE", "nerv": "NeRV", "nerv_sparse": "SparseNeRV", "t_nerv": "TNeRV", "weighted_ete": "WeightedETE",
          "pca": "PCA", "trimap": "TriMap", "umap": "UMAP", "pacmap": "PaCMAP",
          "classical_mds": "ClassicalMDS", "lle": "LLE", "hlle": "HessianLLE", "mds": "MDS", "cca": "CCA",
          "local_mds": "LocalMDS", "nonmetric_mds": "NonmetricMDS"}
_ELSEWHERE = {"mvu"}  # semidefinite.py; distances.py has those of dissimilarities alone
_KINDS = (["features"], ["features or dissimilarities"])


def class_name(problem):
    """The class of a problem: "laplacian_eigenmaps" is LaplacianEigenmaps, unless a name is better known."""
    return _NAMES.get(problem) or "".join(part.capitalize() for part in re.split("_", problem))


class _Mapper(FromTable):
    pass


class _Placer(PlacesNewRows, FromTable):
    pass


def _known_as(name):
    """The objective by the name that scikit-learn's users know."""
    return property(lambda self: self.objective_, doc=f"""The objective, `objective_`, by scikit-learn's name.

        Returns
        -------
        float
        """)


class _Stress(_Mapper):
    stress_ = _known_as("stress_")


class _Divergence(_Placer):
    kl_divergence_ = _known_as("kl_divergence_")


class _Pca(_Placer):
    def _validated_for_fit(self, X):
        X = super()._validated_for_fit(X)
        if isinstance(self.n_components, numbers.Integral) and self.n_components > X.shape[1]:
            raise ValueError(f"n_components={self.n_components} is more than the {X.shape[1]} features of X")
        return X

    def _finish(self, X):
        self.mean_ = X.mean(axis=0)
        self.components_ = np.linalg.lstsq(self.embedding_, X - self.mean_, rcond=None)[0]
        self.explained_variance_ = self.embedding_.var(axis=0, ddof=1)
        self.explained_variance_ratio_ = self.explained_variance_ / X.var(axis=0, ddof=1).sum()

    def transform(self, X):
        if getattr(self, "_projector", True) is None:
            return (dense(self, X, dtype=float, reset=False) - self.mean_) @ self.components_.T
        return super().transform(X)

    transform.__doc__ = _Placer.transform.__doc__
    _kept = _arrays = "mean_", "components_", "explained_variance_", "explained_variance_ratio_"

    def inverse_transform(self, X):
        """Features of places: the nearest of which these are the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "components_")
        X = check_array(exact(X), dtype=float)
        if X.shape[1] != len(self.components_):
            raise ValueError(f"X has {X.shape[1]} columns, and the map has {len(self.components_)}")
        return X @ self.components_ + self.mean_


_BASES = {"mds": _Stress, "sammon": _Stress, "local_mds": _Stress, "nonmetric_mds": _Stress, "tsne": _Divergence,
          "pca": _Pca}
_NOTES = {"pca": " `components_`, `mean_`, `explained_variance_` and `explained_variance_ratio_` are as in scikit-learn.",
          "tsne": " `kl_divergence_` is `objective_`.",
          "lle": " Of equally near neighbours the lower row is taken; scikit-learn takes the one that its search finds first."
                 " On its digits, where 62 rows have equally near 10th and 11th neighbours, maps differ for that alone: with"
                 " noise of 1e-4 both make the same map, to 1e-8, of a trustworthiness from .90 to .92.",
          **dict.fromkeys(("mds", "sammon", "local_mds", "nonmetric_mds"), " `stress_` is `objective_`.")}
_made = []
for _problem, _entry in PROBLEMS.items():
    if _entry["needs"] in _KINDS and _problem not in _ELSEWHERE:
        _name = class_name(_problem)
        _base = _BASES.get(_problem) or (_Placer if _entry["places_objects"] else _Mapper)
        _defaults = {"placement": True} if "placement" in option_parameters(_problem) else {}  # as embed sets it
        globals()[_name] = make_class(_problem, _name, (_base,), __name__, defaults=_defaults,
                                      note=_NOTES.get(_problem, ""))
        _made.append(_name)

__all__ = _made
