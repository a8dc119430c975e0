"""The estimators of cblearn.embedding with cblearn's parameters, so that its scripts run with one import changed.

Parameters, their order, their defaults and the losses are those of cblearn 0.3; the engine is Alidade's. Maps differ from
cblearn's as starts and solvers do. Answers without noise are predicted better with the small regulariser that the classes
of `alidade` have. MLDS is left out, and so are estimators that need PyTorch alone (FORTE, OENN, ...).
"""

from . import triplets
from ._catalog import with_signature

_KERNEL = {"kernel": ("bool", False, 'True is refused: see TripletEmbedding(method="gnmds_sdp").')}


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


for _name, _default in {**triplets._COMMON, "holdout": 0.0, "solver": "auto"}.items():
    if _name not in ("random_state", "verbose"):
        setattr(_AsInCblearn, _name, _default)


def _made(name, problem, says, own, options=lambda self: {}, *, max_iter=1000, late={}, kernel={}, learning_rate=1):
    """A class with cblearn's parameters in their order; `own`, `late`, `kernel`: type, default and meaning of each."""
    defaults = {"n_components": 2, **{key: default for key, (_, default, _) in own.items()}, "verbose": False,
                "random_state": None, "max_iter": max_iter, **{key: default for key, (_, default, _) in late.items()},
                "backend": "scipy", **{key: default for key, (_, default, _) in kernel.items()},
                "learning_rate": learning_rate, "batch_size": 50_000, "device": "auto"}

    def told(parameters):
        return "".join(f"{key} : {kind}, default={default}\n    {meaning}\n"
                       for key, (kind, default, meaning) in parameters.items())

    document = f"""{says}

Parameters
----------
n_components : int, default=2
{told(own)}verbose : bool, default=False
random_state : int, RandomState or None, default=None
max_iter : int
    Iterations of the solve.
{told({**late, **kernel})}backend : {{"scipy", "torch"}}, default="scipy"
    Without effect, as are the other parameters of PyTorch: there is one engine.
learning_rate, batch_size, device
    Without effect.

Examples
--------
>>> import alidade, numpy as np
>>> rows = alidade.triplets_of(np.random.default_rng(0).normal(size=(10, 2)), 500, random_state=0)
>>> alidade.cblearn.{name}(n_components=2, random_state=1).fit(rows).score(rows) > 0.9
True
"""
    return type(name, (_AsInCblearn,), {
        "__doc__": document, "__module__": __name__, "_problem_name": problem, "_loss_options": options,
        "__init__": with_signature(name, defaults, len(defaults))})


SOE = _made("SOE", "soe", "Soft ordinal embedding (Terada & von Luxburg 2014).", {
    "margin": ("float > 0", 0.1, "By which the far distance must exceed the near one."),
    "n_init": ("int", 10, "Random starts; the best is kept."),
}, lambda self: {"margin": self.margin}, late={"restart_optim": ("int", 10, "Without effect.")})
STE = _made("STE", property(lambda self: "tste" if self.heavy_tailed else "ste"),
            "Stochastic triplet embedding (van der Maaten & Weinberger 2012).",
            {"heavy_tailed": ("bool", False, "Student's kernel, as TSTE has, in place of the Gaussian.")})
TSTE = _made("TSTE", "tste", "STE with Student's kernel (van der Maaten & Weinberger 2012).", {})
CKL = _made("CKL", "ckl", "Crowd kernel learning (Tamuz et al. 2011).", {
    "mu": ("float >= 0", 0.0, "Added to each squared distance. 0 stands for the method's own value, 0.05: without any, "
           "the loss has no minimum."),
}, lambda self: {"mu": self.mu} if self.mu != 0 else {}, max_iter=2000, kernel=_KERNEL, learning_rate=None)
GNMDS = _made("GNMDS", "gnmds", "Generalised non-metric multidimensional scaling (Agarwal et al. 2007).", {
    "lambd": ("float >= 0", 0.0, "Weight of the regulariser |Y|^2."),
}, lambda self: {"lambda": self.lambd, "smoothing": 0.0}, max_iter=2000, kernel=_KERNEL, learning_rate=10)

__all__ = ["CKL", "GNMDS", "SOE", "STE", "TSTE"]
