"""Maps from tables of features or of dissimilarities, as scikit-learn's transformers: a class for each problem."""

import re

from sklearn.base import TransformerMixin

from ._catalog import PROBLEMS
from ._tables import FromTable, PlacesNewRows, make_class

_NAMES = {"tsne": "TSNE", "nerv": "NeRV", "nerv_sparse": "SparseNeRV", "weighted_ete": "WeightedETE", "pca": "PCA",
          "classical_mds": "ClassicalMDS", "lle": "LLE", "hlle": "HessianLLE", "mds": "MDS", "cca": "CCA",
          "local_mds": "LocalMDS"}
_ELSEWHERE = {"mvu"}  # semidefinite.py
_PLACING = {"tsne", "nerv", "pca"}
_KINDS = (["features"], ["features or dissimilarities"])


def class_name(problem):
    """The class of a problem: "laplacian_eigenmaps" is LaplacianEigenmaps, unless a name is better known."""
    return _NAMES.get(problem) or "".join(part.capitalize() for part in re.split("_", problem))


class _Mapper(FromTable):
    pass


class _Placer(PlacesNewRows, TransformerMixin, FromTable):
    fit_transform = FromTable.fit_transform


_made = []
for _problem, _entry in PROBLEMS.items():
    if _entry["needs"] in _KINDS and _problem not in _ELSEWHERE:
        _name = class_name(_problem)
        globals()[_name] = make_class(_problem, _name, (_Placer if _problem in _PLACING else _Mapper,), __name__)
        _made.append(_name)

__all__ = _made
