"""Maps of answers about several aspects, one for each."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._catalog import with_signature
from ._solve import named
from .triplets import _CHOICE, _COMMON, _EACH_ROW, _FromAnswers


class AspectEmbedding(_FromAnswers, auto_wrap_output_keys=None):
    """A map for each aspect of the objects, such as taste, looks and price.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of each map.
    method : str or dict, default="common_space"
        "common_space": each map is a linear view of one space of few dimensions (Carroll & Chang 1972, with a trace
        norm); start with this one. "score": each map is a tangent plane of one sphere (Le & Lauw 2019). "disjoint":
        each map by its own answers only. "mvte", "mvte_ratio": latent maps, which explain each answer (Amid & Ukkonen
        2015). "pooled": one map of all answers, for comparison, by the method of `pooled_method`.
    solver : str or dict, default="auto"
        A solver, see `alidade.solvers()`.
    method_options, solver_options : dict, optional
        Options, such as {"lambda": 0.03}; for "disjoint", {"problem": "ste"}.
    choose : dict, optional
        Options to choose by validation, such as {"problem.lambda": [0.01, 0.03, 0.1]}.
    pooled_method : str, default="ste"
        For method="pooled".
    holdout, refit, bootstrap, answers, degenerate, weight_by_answer
    timeout, measures, random_state, n_jobs, verbose, callback
        As for TripletEmbedding.

    Attributes
    ----------
    embeddings_ : dict
        The map of each aspect, an ndarray of shape (n_objects, n_components), by the aspect's name. NaN: an object
        without a place.
    aspects_ : list of str
        In the order of the maps: by value if all are whole numbers, else by first appearance.
    objects_, error_, error_interval_, chosen_, method_, solver_, row_, notes_, trace_, n_iter_
        As for TripletEmbedding.
    ellipses_ : dict
        With `bootstrap`, those of each aspect.

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> taste, looks = rng.normal(size=(2, 15, 2))
    >>> triplets = np.vstack([alidade.triplets_of(p, 800, random_state=0) for p in (taste, looks)])
    >>> model = alidade.AspectEmbedding(random_state=0).fit(triplets, aspects=["taste"] * 800 + ["looks"] * 800)
    >>> list(model.embeddings_)
    ['taste', 'looks']
    >>> model.score(triplets, aspects=["taste"] * 800 + ["looks"] * 800) > 0.9
    True
    """

    __init__ = with_signature("AspectEmbedding", {
        **_CHOICE, "method": "common_space", "pooled_method": "ste",
        **{name: default for name, default in _COMMON.items() if name != "ellipses"}}, 3)

    def _problem(self):
        out = super()._problem(self.pooled_method if self.method == "pooled" else None)
        if out["name"] == "disjoint":
            inner = named(out.get("problem", "tste"))
            inner.setdefault("n_components", self.n_components)
            return {**out, "problem": inner}
        return out

    def fit(self, triplets, y=None, *, aspects=None, weights=None, annotators=None, n_objects=None, objects=None):
        """Makes the maps.

        Parameters
        ----------
        triplets, y, weights, annotators, n_objects, objects : as for TripletEmbedding.fit
        aspects : array-like of shape (n_answers,)
            What each answer is about: names or whole numbers. A frame may have them in its column "aspect".

        Returns
        -------
        self
        """
        read = self._read(triplets, y, weights, aspects, annotators, n_objects, objects=objects, only_used=None)
        names = read.evidence.aspects
        if not names:
            raise ValueError("aspects: say what each answer is about, one entry per answer; "
                             "for answers about one thing, use TripletEmbedding")
        self._take(self._outcome(read, self._problem()).with_all_objects(read), read.numbered, names)
        return self

    def _take(self, out, numbered, names=None):
        self._set_outcome(out, numbered)
        self.aspects_ = list(out.maps if names is None else names)
        self._one_map = len(out.maps) == 1 and list(out.maps) == [""]
        self.embeddings_ = {name: out.only for name in self.aspects_} if self._one_map else out.maps
        if hasattr(self, "ellipses_"):
            del self.ellipses_
        if out.uncertainty and out.only.shape[1] == 2:
            self.ellipses_ = {name: self._ellipses(u[0]) for name, u in zip(self.embeddings_, out.uncertainty)}

    def transform(self, triplets=None):
        """The maps side by side, in the order of `aspects_`.

        Returns
        -------
        ndarray of shape (n_objects, n_aspects * n_components)
        """
        check_is_fitted(self, "embeddings_")
        return np.hstack([self.embeddings_[name] for name in self.aspects_])

    def _compared(self, triplets, y, aspects, **more):
        """How the aspect's map sees each triplet, see `nearer`, and the triplets' weights."""
        check_is_fitted(self, "embeddings_")
        evidence, rows, codes, weights = self._triplets_on_map(triplets, y, aspects=aspects, **more)
        names = evidence.aspects
        if not names:
            raise ValueError("aspects: say what each answer is about, one entry per answer")
        unknown = [name for name in names if name not in self.embeddings_]
        if unknown:
            raise ValueError(f"There is no map of the aspect '{unknown[0]}'; there are {', '.join(self.embeddings_)}.")
        out = np.zeros(len(rows), np.int8)
        for code, name in enumerate(names):
            out[codes == code] = self._nearer(self.embeddings_[name], rows[codes == code])
        return out, weights

    def predict(self, triplets, aspects=None):
        """Whether the second object of each query is nearer to the first than the third is, on its aspect's map.

        Returns
        -------
        ndarray of bool
        """
        return self._compared(triplets, None, aspects, **_EACH_ROW)[0] < 0

    def score(self, triplets, y=None, aspects=None, *, weights=None, sample_weight=None):
        """Share of the answers that their aspects' maps agree with; ties count as for TripletEmbedding.score.

        Parameters
        ----------
        triplets, y, aspects : as in `fit`
        weights, sample_weight : as for TripletEmbedding.score

        Returns
        -------
        float in [0, 1]
        """
        seen, weights = self._compared(triplets, y, aspects, weights=sample_weight if weights is None else weights)
        return float(np.average((seen < 0) + (seen == 0) * 0.5 * self._by_products(), weights=weights))
