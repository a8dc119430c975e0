"""Made by make_stubs.py from the package itself."""

from typing import Any, Literal
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self
from sklearn.base import BaseEstimator, TransformerMixin

class CKL(TransformerMixin, BaseEstimator):
    """Crowd kernel learning (Tamuz et al. 2011)."""
    embedding_: NDArray[Any]
    objects_: NDArray[Any]
    error_: float
    error_interval_: tuple[float, ...]
    annotators_: list[dict[str, Any]] | None
    chosen_: dict[str, Any] | None
    ellipses_: NDArray[Any]
    covariances_: NDArray[Any]
    method_: str
    solver_: str
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_iter_: int
    n_components: int
    mu: float
    verbose: bool
    random_state: int | RandomState | None
    max_iter: int
    backend: Literal["scipy", "torch"]
    kernel: bool
    learning_rate: Any
    batch_size: Any
    device: Any
    def __init__(
        self, n_components: int = 2, mu: float = 0.0, verbose: bool = False,
        random_state: int | RandomState | None = None, max_iter: int = 2000,
        backend: Literal["scipy", "torch"] = "scipy", kernel: bool = False, learning_rate: Any = None,
        batch_size: int = 50000, device: str = "auto"
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, init: None = None, n_objects: int | None = None) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...
    @property
    def method(self) -> Any: ...
    @property
    def stress_(self) -> float: ...

class GNMDS(TransformerMixin, BaseEstimator):
    """Generalised non-metric multidimensional scaling (Agarwal et al. 2007)."""
    embedding_: NDArray[Any]
    objects_: NDArray[Any]
    error_: float
    error_interval_: tuple[float, ...]
    annotators_: list[dict[str, Any]] | None
    chosen_: dict[str, Any] | None
    ellipses_: NDArray[Any]
    covariances_: NDArray[Any]
    method_: str
    solver_: str
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_iter_: int
    n_components: int
    lambd: float
    verbose: bool
    random_state: int | RandomState | None
    max_iter: int
    backend: Literal["scipy", "torch"]
    kernel: bool
    learning_rate: Any
    batch_size: Any
    device: Any
    def __init__(
        self, n_components: int = 2, lambd: float = 0.0, verbose: bool = False,
        random_state: int | RandomState | None = None, max_iter: int = 2000,
        backend: Literal["scipy", "torch"] = "scipy", kernel: bool = False, learning_rate: int = 10,
        batch_size: int = 50000, device: str = "auto"
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, init: None = None, n_objects: int | None = None) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...
    @property
    def method(self) -> Any: ...
    @property
    def stress_(self) -> float: ...

class SOE(TransformerMixin, BaseEstimator):
    """Soft ordinal embedding (Terada & von Luxburg 2014)."""
    embedding_: NDArray[Any]
    objects_: NDArray[Any]
    error_: float
    error_interval_: tuple[float, ...]
    annotators_: list[dict[str, Any]] | None
    chosen_: dict[str, Any] | None
    ellipses_: NDArray[Any]
    covariances_: NDArray[Any]
    method_: str
    solver_: str
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_iter_: int
    n_components: int
    margin: float
    n_init: int
    verbose: bool
    random_state: int | RandomState | None
    max_iter: int
    restart_optim: int
    backend: Literal["scipy", "torch"]
    learning_rate: Any
    batch_size: Any
    device: Any
    def __init__(
        self, n_components: int = 2, margin: float = 0.1, n_init: int = 10, verbose: bool = False,
        random_state: int | RandomState | None = None, max_iter: int = 1000, restart_optim: int = 10,
        backend: Literal["scipy", "torch"] = "scipy", learning_rate: int = 1, batch_size: int = 50000,
        device: str = "auto"
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, init: None = None, n_objects: int | None = None) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...
    @property
    def method(self) -> Any: ...
    @property
    def stress_(self) -> float: ...

class STE(TransformerMixin, BaseEstimator):
    """Stochastic triplet embedding (van der Maaten & Weinberger 2012)."""
    embedding_: NDArray[Any]
    objects_: NDArray[Any]
    error_: float
    error_interval_: tuple[float, ...]
    annotators_: list[dict[str, Any]] | None
    chosen_: dict[str, Any] | None
    ellipses_: NDArray[Any]
    covariances_: NDArray[Any]
    method_: str
    solver_: str
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_iter_: int
    n_components: int
    heavy_tailed: bool
    verbose: bool
    random_state: int | RandomState | None
    max_iter: int
    backend: Literal["scipy", "torch"]
    learning_rate: Any
    batch_size: Any
    device: Any
    def __init__(
        self, n_components: int = 2, heavy_tailed: bool = False, verbose: bool = False,
        random_state: int | RandomState | None = None, max_iter: int = 1000,
        backend: Literal["scipy", "torch"] = "scipy", learning_rate: int = 1, batch_size: int = 50000,
        device: str = "auto"
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, init: None = None, n_objects: int | None = None) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...
    @property
    def method(self) -> Any: ...
    @property
    def stress_(self) -> float: ...

class TSTE(TransformerMixin, BaseEstimator):
    """STE with Student's kernel (van der Maaten & Weinberger 2012)."""
    embedding_: NDArray[Any]
    objects_: NDArray[Any]
    error_: float
    error_interval_: tuple[float, ...]
    annotators_: list[dict[str, Any]] | None
    chosen_: dict[str, Any] | None
    ellipses_: NDArray[Any]
    covariances_: NDArray[Any]
    method_: str
    solver_: str
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_iter_: int
    n_components: int
    verbose: bool
    random_state: int | RandomState | None
    max_iter: int
    backend: Literal["scipy", "torch"]
    learning_rate: Any
    batch_size: Any
    device: Any
    def __init__(
        self, n_components: int = 2, verbose: bool = False, random_state: int | RandomState | None = None,
        max_iter: int = 1000, backend: Literal["scipy", "torch"] = "scipy", learning_rate: int = 1,
        batch_size: int = 50000, device: str = "auto"
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, init: None = None, n_objects: int | None = None) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...
    @property
    def method(self) -> Any: ...
    @property
    def stress_(self) -> float: ...
