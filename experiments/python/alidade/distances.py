"""Maps of several tables of dissimilarities, and of judgements of pairs as same or different."""

import numpy as np
from sklearn.utils import check_array

from . import _core
from ._answers import _is_frame, _text
from ._checks import exact, unmasked, words_of_python
from ._tables import ALLOW_NAN, FromTable, make_class


class _Views(FromTable):
    def _index_of(self, X):
        """What the objects are called, where views are frames: as in the first."""
        if getattr(X, "ndim", 3) != 3:
            raise ValueError("X holds several tables of dissimilarities, and is not one. Of one table make a map by MDS.")
        views = list(X.values() if hasattr(X, "items") else X)
        frames = [view for view in views if _is_frame(view)]
        if frames and len(frames) < len(views):
            raise ValueError("some tables are frames and some are arrays, which have no names. Give frames, or arrays.")
        return frames[0].index if frames else None

    def _validated_for_fit(self, X):
        index = self._index_of(X)
        named = [(str(name), view) for name, view in (X.items() if hasattr(X, "items") else enumerate(X))]
        views = [(name, check_array(exact(view if index is None else _in_order_of(index, view, name)), dtype=float,
                                    **ALLOW_NAN, ensure_min_samples=3, order="C"))
                 for name, view in named]
        if not views:
            raise ValueError("X holds no matrix of dissimilarities.")
        self.n_features_in_ = views[0][1].shape[1]
        return views

    def _take(self, out, numbered=True):
        super()._take(out, numbered)
        self.alpha_ = {name.removeprefix("alpha."): value for name, value in (out.row.get("estimates") or {}).items()
                         if name.startswith("alpha.")}

    def _evidence(self, X, seed):
        with words_of_python():
            return _core.dissimilarity_views(X), {"name": "dissimilarities"}


def _in_order_of(index, view, name):
    """A table in the order of these names, as they stand in its rows, and in its columns where these have names."""
    if not view.index.is_unique or set(view.index) != set(index):
        raise ValueError(f"the table '{name}' names other objects in its rows than the first, or one twice. Each table is of "
                         "the same objects: NaN where it does not tell a pair.")
    rows = view.index.get_indexer(index)
    columns = view.columns.get_indexer(index) if set(view.columns) == set(index) else rows
    if view.shape != (len(rows), len(rows)) or not view.columns.is_unique:
        raise ValueError(f"the table '{name}' is of shape {view.shape}, and has a row and a column for each object")
    return view.to_numpy()[np.ix_(rows, columns)]


class _Judged(FromTable):
    _numbered = False

    def fit(self, pairs, y=None, *, init=None):
        """Makes the map.

        Parameters
        ----------
        pairs : array-like of shape (n_answers, 2), or frame
            The two things of each judgement, by names or numbers. Without y, a frame whose columns are named as in files:
            the two things, the response ("same" or "different") and, where known, who answered.
        y : array-like of shape (n_answers,), of bool, optional
            Whether they were taken for different.
        init : array-like of shape (n_objects, n_components), or frame, optional
            Where the solve starts, in the order of `objects_` or by names.

        Returns
        -------
        self
        """
        self._different = None if y is None else np.asarray(unmasked(y))
        return super().fit(pairs, init=init)

    def fit_transform(self, pairs, y=None, *, init=None):
        """Makes the map and returns it; see `fit`.

        Returns
        -------
        ndarray of shape (n_objects, n_components)
        """
        return self.fit(pairs, y, init=init).embedding_

    def _validated_for_fit(self, X):
        different = self.__dict__.pop("_different")
        if different is None:
            if not _is_frame(X):
                raise ValueError("give y, whether each pair was taken for different, or a frame with a column of responses")
            return _text([str(name) for name in X.columns], X.itertuples(index=False, name=None), [])
        pairs = check_array(unmasked(X), dtype=None)
        if pairs.shape[1] != 2:
            raise ValueError(f"pairs have two columns, not {pairs.shape[1]}")
        if different.shape != (len(pairs),) or different.dtype.kind not in "bui" or not np.isin(different, (0, 1)).all():
            raise ValueError(f"y is true (different) or false (same) for each of {len(pairs)} pairs")
        return pairs, different

    def _evidence(self, X, seed):
        if not isinstance(X, str):
            pairs, different = X
            words = np.where(different, "different", "same").tolist()
            X = _text(("item1", "item2"), pairs.tolist(), [("response", words)])
        with words_of_python():
            return _core.judgements(X), {"name": "same_different"}


MultiviewMDS = make_class("mvmds", "MultiviewMDS", (_Views,), __name__, note=""". X of `fit`
is a list of matrices, an array of shape (n_views, n_objects, n_objects), or a dictionary of matrices by the names of the
aspects. NaN: the aspect does not tell the pair. Frames go by the names of their rows, which all of them have. Besides the
attributes below, `alpha_` has the weight of each aspect, alpha.""", example=""">>> import alidade
>>> import numpy as np
>>> places = np.random.default_rng(0).normal(size=(15, 2))
>>> apart = np.linalg.norm(places[:, None] - places[None], axis=2)
>>> alidade.MultiviewMDS(random_state=0).fit_transform({"taste": apart, "looks": 2 * apart}).shape
(15, 2)""")
SameDifferent = make_class("same_different", "SameDifferent", (_Judged,), __name__, example=""">>> import alidade
>>> import numpy as np
>>> places, rng = np.linspace(0, 3, 8), np.random.default_rng(0)
>>> pairs = rng.integers(8, size=(2000, 2))
>>> different = rng.random(2000) > np.exp(-abs(places[pairs[:, 0]] - places[pairs[:, 1]]))
>>> alidade.SameDifferent(n_components=1, random_state=0).fit(pairs, different).embedding_.shape
(8, 1)""")

__all__ = ["MultiviewMDS", "SameDifferent"]
