"""The estimators of cblearn.embedding with cblearn's parameters, so that its scripts run with one import changed.

Parameters, their order, their defaults and the losses are those of cblearn 0.3; the engine is Alidade's. Maps differ from
cblearn's as starts and solvers do. Answers without noise are predicted better with the small regulariser that the classes
of `alidade` have. MLDS is left out, and so are estimators that need PyTorch alone (FORTE, OENN, ...).
"""

from . import triplets
from ._catalog import with_signature

_INERT = """backend : {"scipy", "torch"}, default="scipy"
    Without effect, as are the other parameters of PyTorch: there is one engine.
learning_rate, batch_size, device
    Without effect.""".replace("\n", "\n    ")
_USUAL = """verbose : bool, default=False
random_state : int, RandomState or None, default=None
max_iter : int
    Iterations of the solve.""".replace("\n", "\n    ")


class _AsInCblearn(triplets._OneLoss):
    """What all have: defaults for parameters that cblearn has not, and its order of arguments."""

    n_init = 1

    def _check(self):
        if self.backend not in ("scipy", "torch"):
            raise ValueError(f"backend must be 'scipy' or 'torch', not {self.backend!r}")
        if getattr(self, "kernel", False):
            raise ValueError("kernel=True: a fit of the kernel matrix is TripletEmbedding(method='gnmds_sdp') or "
                             "method='gnmds_convex'")

    def _problem(self):
        # cblearn's losses have no regulariser of their own.
        return {"name": self._problem_name, "n_components": self.n_components, "lambda": 0.0, "lambda0": 0.0,
                **self._loss_options()}

    def _loss_options(self):
        return {}

    def fit(self, X, y=None, init=None, n_objects=None):
        """Makes the map.

        Parameters
        ----------
        X, y : as for TripletEmbedding.fit
        init : array-like of shape (n_objects, n_components), optional
            A start of one's own is not supported.
        n_objects : int, optional

        Returns
        -------
        self
        """
        self._check()
        return super().fit(X, y, init=init, n_objects=n_objects)

    @property
    def stress_(self):
        """The loss of the map, as cblearn has it: that of all answers, with no regulariser but that of `lambd`.

        Returns
        -------
        float
        """
        triplets.check_is_fitted(self, "embedding_")
        return self.objective_


def _init(name, own, *, max_iter=1000, late={}, kernel={}, learning_rate=1):
    """An __init__ with cblearn's parameters in their order."""
    parameters = {"n_components": 2, **own, "verbose": False, "random_state": None, "max_iter": max_iter, **late,
                  "backend": "scipy", **kernel, "learning_rate": learning_rate, "batch_size": 50_000, "device": "auto"}
    return with_signature(name, parameters, len(parameters))


for _name, _default in {**triplets._COMMON, "holdout": 0.0, "solver": "auto"}.items():
    if _name not in ("random_state", "verbose"):
        setattr(_AsInCblearn, _name, _default)


class SOE(_AsInCblearn, auto_wrap_output_keys=None):
    __doc__ = f"""Soft ordinal embedding (Terada & von Luxburg 2014).

    Parameters
    ----------
    n_components : int, default=2
    margin : float > 0, default=0.1
        By which the far distance must exceed the near one.
    n_init : int, default=10
        Random starts; the best is kept.
    {_USUAL}
    restart_optim : int, default=10
        Without effect.
    {_INERT}

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
    >>> alidade.cblearn.SOE(n_components=2, random_state=1).fit(rows).score(rows) > 0.9
    True
    """

    _problem_name = "soe"

    __init__ = _init("SOE", {"margin": 0.1, "n_init": 10}, late={"restart_optim": 10})

    def _loss_options(self):
        return {"margin": self.margin}


class STE(_AsInCblearn, auto_wrap_output_keys=None):
    __doc__ = f"""Stochastic triplet embedding (van der Maaten & Weinberger 2012).

    Parameters
    ----------
    n_components : int, default=2
    heavy_tailed : bool, default=False
        Student's kernel, as TSTE has, in place of the Gaussian.
    {_USUAL}
    {_INERT}

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
    >>> alidade.cblearn.STE(n_components=2, random_state=1).fit_transform(rows).shape
    (10, 2)
    """

    __init__ = _init("STE", {"heavy_tailed": False})

    @property
    def _problem_name(self):
        return "tste" if self.heavy_tailed else "ste"


class TSTE(_AsInCblearn, auto_wrap_output_keys=None):
    __doc__ = f"""STE with Student's kernel (van der Maaten & Weinberger 2012).

    Parameters
    ----------
    n_components : int, default=2
    {_USUAL}
    {_INERT}

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
    >>> alidade.cblearn.TSTE(n_components=2, random_state=1).fit_transform(rows).shape
    (10, 2)
    """

    _problem_name = "tste"

    __init__ = _init("TSTE", {})


class CKL(_AsInCblearn, auto_wrap_output_keys=None):
    __doc__ = f"""Crowd kernel learning (Tamuz et al. 2011).

    Parameters
    ----------
    n_components : int, default=2
    mu : float >= 0, default=0.0
        Added to each squared distance. 0 stands for the method's own value, 0.05: without any, the loss has no minimum.
    {_USUAL}
    kernel : bool, default=False
        True is refused: see TripletEmbedding(method="gnmds_sdp").
    {_INERT}

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
    >>> alidade.cblearn.CKL(n_components=2, random_state=1).fit_transform(rows).shape
    (10, 2)
    """

    _problem_name = "ckl"

    __init__ = _init("CKL", {"mu": 0.0}, max_iter=2000, kernel={"kernel": False}, learning_rate=None)

    def _loss_options(self):
        return {} if self.mu == 0 else {"mu": self.mu}


class GNMDS(_AsInCblearn, auto_wrap_output_keys=None):
    __doc__ = f"""Generalised non-metric multidimensional scaling (Agarwal et al. 2007).

    Parameters
    ----------
    n_components : int, default=2
    lambd : float >= 0, default=0.0
        Weight of the regulariser |Y|^2.
    {_USUAL}
    kernel : bool, default=False
        True is refused: see TripletEmbedding(method="gnmds_sdp").
    {_INERT}

    Examples
    --------
    >>> import alidade, numpy as np
    >>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
    >>> alidade.cblearn.GNMDS(n_components=2, random_state=1).fit_transform(rows).shape
    (10, 2)
    """

    _problem_name = "gnmds"

    __init__ = _init("GNMDS", {"lambd": 0.0}, max_iter=2000, kernel={"kernel": False}, learning_rate=10)

    def _loss_options(self):
        return {"lambda": self.lambd, "smoothing": 0.0}


__all__ = ["CKL", "GNMDS", "SOE", "STE", "TSTE"]
