"""Made by make_stubs.py from the package itself."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from . import cblearn as cblearn, plot as plot, sdp as sdp

__version__: str

class AspectEmbedding(TransformerMixin, BaseEstimator):
    """A map for each aspect of the objects, such as taste, looks and price."""
    embeddings_: dict[str, Any]
    aspects_: list[str]
    ellipses_: dict[str, Any]
    n_components: int
    method: str | Mapping[str, Any]
    solver: str | Mapping[str, Any]
    method_options: Mapping[str, Any] | None
    solver_options: Mapping[str, Any] | None
    choose: Mapping[str, Any] | None
    pooled_method: str
    holdout: float
    refit: bool
    bootstrap: int
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, method: str | Mapping[str, Any] = "common_space",
        solver: str | Mapping[str, Any] = "auto", *, method_options: Mapping[str, Any] | None = None,
        solver_options: Mapping[str, Any] | None = None, choose: Mapping[str, Any] | None = None,
        pooled_method: str = "ste", holdout: float = 0.2, refit: bool = True, bootstrap: int = 0,
        answers: str = "triplets", degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ...,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, aspects: ArrayLike | None = None,
        weights: ArrayLike | None = None, annotators: ArrayLike | None = None, n_objects: int | None = None
    ) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(self, triplets: Any, aspects: ArrayLike | None = None) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None, aspects: ArrayLike | None = None) -> float: ...

class CCA(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """CCA: curvilinear component analysis: keeps the distances of objects near on the map, so that closed surfaces
    can open."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    radius: float
    n_stages: int
    start: Literal["classical", "random"]
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, radius: float = 0.2, n_stages: int = 10,
        start: Literal["classical", "random"] = "classical",
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class CKL(TransformerMixin, BaseEstimator):
    """CKL: crowd kernel learning: logarithm of a ratio of squared distances."""
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
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, mu: float = 0.05, manifold: Literal["euclidean", "oblique"] = "euclidean",
        radius: float = 10.0, init_scale: float = 0.0001, lambda0: float = 0.0001, lambd: float = 0.0,
        l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 2.0,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """ClassicalMDS: classical scaling: the map whose scalar products are nearest to those that the distances
    imply."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, metric: Literal["euclidean", "precomputed"] = "euclidean",
        solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = ..., timeout: float | str | None = None,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class ETE(TransformerMixin, BaseEstimator):
    """ETE: t-exponential triplet embedding: capped loss (t), heavy-tailed kernel (t_prime)."""
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
    t: float
    t_prime: float
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, t: float = 2.0, t_prime: float = 2.0,
        manifold: Literal["euclidean", "oblique"] = "euclidean", radius: float = 10.0, init_scale: float = 0.0001,
        lambda0: float = 0.0002, lambd: float = 0.0, l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 1.0,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

class GNMDS(TransformerMixin, BaseEstimator):
    """GNMDS: generalised non-metric MDS of low rank: hinge loss on squared distances."""
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
    smoothing: float
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, smoothing: float = 0.1,
        manifold: Literal["euclidean", "oblique"] = "euclidean", radius: float = 10.0, init_scale: float = 0.0001,
        lambda0: float = 0.0001, lambd: float = 0.0, l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 3.0,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

class HessianLLE(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """HessianLLE: Hessian LLE: coordinates that are linear on the tangent plane of every neighbourhood; a flat
    sheet keeps its shape, even with holes."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    n_neighbors: int
    disconnected: Literal["join", "largest", "error"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 10,
        disconnected: Literal["join", "largest", "error"] = "join", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class Isomap(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Isomap: Isomap: classical scaling of distances along the graph of nearest neighbours."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    n_neighbors: int
    disconnected: Literal["join", "largest", "error"]
    landmarks: int
    seed: int
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 10,
        disconnected: Literal["join", "largest", "error"] = "join", landmarks: int = 0, seed: int = 1,
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class KPSDE(TransformerMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """KPSDE: psde learnt as a function of features, by a kernel; the function places new objects too."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    kernel: Literal["linear", "rbf", "polynomial"]
    sigma_scale: float
    sigma: float
    degree: int
    offset: float
    basis_size: int
    basis_seed: int
    basis: Any
    gamma: float
    beta: float
    form: Literal["auto", "basis", "gram"]
    weighted: bool
    single_radius: bool
    trace_bound: float
    n_neighbors: int
    symmetry: Literal["directed", "union"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, kernel: Literal["linear", "rbf", "polynomial"] = "rbf",
        sigma_scale: float = 1.0, sigma: float = 0.0, degree: int = 2, offset: float = 1.0, basis_size: int = 0,
        basis_seed: int = 0, basis: Any = ..., gamma: float = 0.0001, beta: float = 0.001,
        form: Literal["auto", "basis", "gram"] = "auto", weighted: bool = True, single_radius: bool = False,
        trace_bound: float = 1.0, n_neighbors: int = 6, symmetry: Literal["directed", "union"] = "directed",
        solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = ..., timeout: float | str | None = None,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class LaplacianEigenmaps(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """LaplacianEigenmaps: Laplacian eigenmaps: keeps neighbours near each other, at unit variance, by the lowest
    eigenvectors of the graph Laplacian."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    n_neighbors: int
    weights: Literal["binary", "heat"]
    width: float
    disconnected: Literal["join", "largest", "error"]
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 10, weights: Literal["binary", "heat"] = "binary",
        width: float = 0.0, disconnected: Literal["join", "largest", "error"] = "join",
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class LLE(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """LLE: locally linear embedding: reconstructs each object from its neighbours, with the same weights as in the
    data."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    n_neighbors: int
    reg: float
    disconnected: Literal["join", "largest", "error"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 10, reg: float = 0.001,
        disconnected: Literal["join", "largest", "error"] = "join", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

def load(folder: str | PathLike[str]) -> Results: ...

class LocalMDS(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """LocalMDS: local MDS: keeps distances between neighbours in the data and between neighbours on the map;
    lambda weighs the two."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    lambd: float
    n_neighbors: int
    n_stages: int
    start: Literal["classical", "random"]
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, lambd: float = 0.1, n_neighbors: int = 20, n_stages: int = 10,
        start: Literal["classical", "random"] = "classical",
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class MaximumVarianceUnfolding(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """MaximumVarianceUnfolding: maximum variance unfolding: neighbours keep their distance, all others move as far
    apart as possible; certified."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    neighbors: int
    angles: bool
    equality: bool
    component: Literal["all", "largest"]
    search: Literal["auto", "exact", "approximate"]
    trace_bound: float
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, neighbors: int = 5, angles: bool = False, equality: bool = True,
        component: Literal["all", "largest"] = "all", search: Literal["auto", "exact", "approximate"] = "auto",
        trace_bound: float = 0.0, solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class MDS(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """MDS: metric MDS by stress (SMACOF): distances on the map approximate those in the data."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    weights: Literal["none", "inverse_power"]
    power: float
    start: Literal["classical", "random"]
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, weights: Literal["none", "inverse_power"] = "none", power: float = 2.0,
        start: Literal["classical", "random"] = "classical",
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

def minimize(
    problem: Any, start: ArrayLike | None = None, *, solver: str | Mapping[str, Any] = "ceres",
    solver_options: Mapping[str, Any] | None = None, timeout: float | str | None = None,
    random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
    callback: Callable[..., Any] | None = None
) -> Minimum: ...

class Minimum:
    """What `minimize` found."""
    x: NDArray[Any]
    objective: float
    initial_objective: float
    gradient_norm: float
    status: str
    message: str
    solver: str
    def __init__(self, found: Any, solver: str | Mapping[str, Any]) -> None: ...

class NeRV(TransformerMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """NeRV: NeRV, neighbour retrieval: weighs missed neighbours against false neighbours; for maps that are read
    by neighbours."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    lambd: float
    perplexity: float
    split: Literal["T", "P", "O", "OP"]
    offset: float
    schedule: Literal["geometric", "linear", "per_point", "none"]
    n_stages: int
    factor: float
    start: Literal["pca", "geodesic_mds", "tsne", "tsne_apart", "opened", "random"]
    n_neighbors: int
    precision: Literal["float", "double"]
    placement: bool
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, lambd: float = 0.1, perplexity: float = 20.0,
        split: Literal["T", "P", "O", "OP"] = "O", offset: float = 1.0,
        schedule: Literal["geometric", "linear", "per_point", "none"] = "geometric", n_stages: int = 10,
        factor: float = 8.0,
        start: Literal["pca", "geodesic_mds", "tsne", "tsne_apart", "opened", "random"] = "pca",
        n_neighbors: int = 8, precision: Literal["float", "double"] = "float", placement: bool = True,
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class PCA(TransformerMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """PCA: principal components: the linear map of features that keeps the most variance; it places new objects
    too."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class Problem:
    """A problem of the engine on given evidence: its objective, its gradient, its starts."""
    shape: Any
    blocks: Any
    def __init__(
        self, name: str, evidence: ArrayLike, *, aspects: ArrayLike | None = None,
        annotators: ArrayLike | None = None, n_jobs: int | None = None, **options: Any
    ) -> None: ...
    def value(self, Y: Any) -> float: ...
    def value_and_gradient(self, Y: Any) -> float | NDArray[Any]: ...
    def start(self, random_state: int | RandomState | Generator | None = None) -> NDArray[Any]: ...
    def maps(self, Y: Any) -> dict[str, Any]: ...

def problems(*, needs: str | None = None) -> list[str]: ...

class PSDE(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """PSDE: places similar objects nearer than dissimilar ones, by a semidefinite program with a certificate."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    weighted: bool
    single_radius: bool
    trace_bound: float
    affinity: Literal["nearest_neighbors", "graph", "signs"]
    n_neighbors: int
    symmetry: Literal["directed", "union"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, weighted: bool = True, single_radius: bool = False,
        trace_bound: float = 1.0, affinity: Literal["nearest_neighbors", "graph", "signs"] = "nearest_neighbors",
        n_neighbors: int = 6, symmetry: Literal["directed", "union"] = "directed",
        solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = ..., timeout: float | str | None = None,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class Results:
    """A folder of results; `run` and `load` make it."""
    folder: Any
    notes: list[str]
    def __init__(self, folder: Any) -> None: ...
    def __len__(self) -> int: ...
    def dicts(self, where: Sequence[str] = ...) -> list[dict[str, Any]]: ...
    def rows(self, where: Any = ...) -> Any: ...
    def table(
        self, value: str | None = None, *, format: str = "frame", where: Sequence[str] = ..., **options: Any
    ) -> Any: ...
    def maps(self, where: Any = ...) -> list[RunMap]: ...
    def trace(self, run_id: Any) -> Any: ...
    def report(self, file: str | PathLike[str] | None = None) -> Any: ...

def run(
    config: Mapping[str, Any] | str | PathLike[str], folder: str | PathLike[str] | None = None, *,
    data: str | PathLike[str] | None = None, n_jobs: int = 1, threads: int = 1, retry_failed: bool = False,
    overrides: Sequence[str] = ..., verbose: int = 0
) -> Results: ...

class RunMap:
    """A map of a run."""
    embedding: NDArray[Any]
    objects: list[str]
    labels: list[str]
    aspect: str
    ellipses: NDArray[Any]
    row: dict[str, Any]
    def __init__(
        self, folder: Any, row: Any, file: Any, aspect: Any, ellipses: Literal["bootstrap", "sandwich", "curvature"]
    ) -> None: ...
    @property
    def title(self) -> Any: ...

class Sammon(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Sammon: Sammon's mapping: stress that weighs near pairs more."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    start: Literal["classical", "random"]
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, start: Literal["classical", "random"] = "classical",
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

def show_versions(file: Any = None) -> None: ...

class SOE(TransformerMixin, BaseEstimator):
    """SOE: soft ordinal embedding: squared hinge on distances."""
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
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, margin: float = 1.0,
        manifold: Literal["euclidean", "oblique"] = "euclidean", radius: float = 10.0, init_scale: float = 0.0001,
        lambda0: float = 0.0, lambd: float = 0.0, l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 1.0,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

def solvers() -> list[str]: ...

class SparseNeRV(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """SparseNeRV: NeRV for many objects: uses only pairs that are near on the map or in the data."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    lambd: float
    perplexity: float
    cutoff: float
    n_neighbors: int
    n_drawn: int
    calibration: Literal["auto", "all", "nearest"]
    most_pairs: int
    path: Literal["tsne", "weighted_ete", "none"]
    start: Literal["pca", "geodesic_mds", "random"]
    graph_neighbors: int
    seed: int
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, lambd: float = 0.1, perplexity: float = 20.0, cutoff: float = 12.0,
        n_neighbors: int = 0, n_drawn: int = 8, calibration: Literal["auto", "all", "nearest"] = "auto",
        most_pairs: int = 40000000, path: Literal["tsne", "weighted_ete", "none"] = "tsne",
        start: Literal["pca", "geodesic_mds", "random"] = "pca", graph_neighbors: int = 8, seed: int = 1,
        solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = ..., timeout: float | str | None = None,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

class STE(TransformerMixin, BaseEstimator):
    """STE: stochastic triplet embedding: Gaussian kernel, logistic loss."""
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
    lapse_rate: float
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, lapse_rate: float = 0.0,
        manifold: Literal["euclidean", "oblique"] = "euclidean", radius: float = 10.0, init_scale: float = 0.0001,
        lambda0: float = 0.0, lambd: float = 0.05, l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 1.0,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

class TripletEmbedding(TransformerMixin, BaseEstimator):
    """A map of objects from comparisons: "the anchor is more similar to near than to far"."""
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
    n_components: int | Literal["auto"] | Literal["best"]
    method: str | Mapping[str, Any]
    solver: str | Mapping[str, Any]
    method_options: Mapping[str, Any] | None
    solver_options: Mapping[str, Any] | None
    choose: Mapping[str, Any] | None
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int | Literal["auto"] | Literal["best"] = 2, method: str | Mapping[str, Any] = "auto",
        solver: str | Mapping[str, Any] = "auto", *, method_options: Mapping[str, Any] | None = None,
        solver_options: Mapping[str, Any] | None = None, choose: Mapping[str, Any] | None = None,
        holdout: float = 0.2, refit: bool = True, bootstrap: int = 0,
        ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ...,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
    def transform(self, triplets: Any = None) -> NDArray[Any]: ...
    def predict(
        self, triplets: Any, result_format: Literal[None, "list-boolean", "list-count", "list-order"] = None
    ) -> NDArray[Any]: ...
    def score(self, triplets: Any, y: ArrayLike | None = None) -> float: ...
    def add(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None
    ) -> Self: ...

def triplets_of(
    places: ArrayLike, count: int, *, noise: float = 0.0, random_state: int | RandomState | Generator | None = None
) -> NDArray[Any]: ...

class TSNE(TransformerMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """TSNE: t-SNE: keeps neighbour probabilities with a heavy-tailed kernel; exact or by a tree."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    perplexity: float
    method: Literal["auto", "exact", "barnes_hut"]
    theta: float
    exaggeration: float
    degrees_of_freedom: float
    neighbors: Literal["auto", "exact", "approximate"]
    seed: int
    start: Literal["pca", "random"]
    init_scale: float
    precision: Literal["float", "double"]
    placement: bool
    metric: Literal["euclidean", "precomputed"]
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, perplexity: float = 30.0,
        method: Literal["auto", "exact", "barnes_hut"] = "auto", theta: float = 0.3, exaggeration: float = 12.0,
        degrees_of_freedom: float = 1.0, neighbors: Literal["auto", "exact", "approximate"] = "auto", seed: int = 1,
        start: Literal["pca", "random"] = "pca", init_scale: float = 0.0001,
        precision: Literal["float", "double"] = "float", placement: bool = True,
        metric: Literal["euclidean", "precomputed"] = "euclidean", solver: str | Mapping[str, Any] = "auto",
        solver_options: Mapping[str, Any] | None = None, measures: Sequence[str] | None = ...,
        timeout: float | str | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = 0, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class TSTE(TransformerMixin, BaseEstimator):
    """TSTE: t-distributed STE: Student kernel with alpha degrees of freedom."""
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
    alpha: float
    manifold: Literal["euclidean", "oblique"]
    radius: float
    init_scale: float
    lambda0: float
    lambd: float
    l2: Literal["fixed", "auto"]
    l2_scale: float
    precision: Literal["double", "float"]
    holdout: float
    refit: bool
    bootstrap: int
    ellipses: Literal["bootstrap", "sandwich", "curvature"]
    solver: str | Mapping[str, Any]
    answers: str
    degenerate: Literal["error", "drop"]
    weight_by_answer: bool
    timeout: float | str | None
    measures: Sequence[str] | None
    max_iter: int | None
    n_init: int | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, alpha: float = 0.0, manifold: Literal["euclidean", "oblique"] = "euclidean",
        radius: float = 10.0, init_scale: float = 0.0001, lambda0: float = 0.0001, lambd: float = 0.0,
        l2: Literal["fixed", "auto"] = "fixed", l2_scale: float = 0.4,
        precision: Literal["double", "float"] = "double", holdout: float = 0.0, refit: bool = True,
        bootstrap: int = 0, ellipses: Literal["bootstrap", "sandwich", "curvature"] = "bootstrap",
        solver: str | Mapping[str, Any] = "auto", answers: str = "triplets",
        degenerate: Literal["error", "drop"] = "error", weight_by_answer: bool = False,
        timeout: float | str | None = None, measures: Sequence[str] | None = ..., max_iter: int | None = None,
        n_init: int | None = None, random_state: int | RandomState | Generator | None = None,
        n_jobs: int | None = None, verbose: int = False, callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit_transform(self, triplets: Any, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    def fit(
        self, triplets: Any, y: ArrayLike | None = None, *, weights: ArrayLike | None = None,
        annotators: ArrayLike | None = None, aspects: ArrayLike | None = None, n_objects: int | None = None,
        init: Any = None
    ) -> Self: ...
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

class WeightedETE(ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """WeightedETE: dimensionality reduction by ETE with weighted triplets of neighbours and outliers, made from
    the features."""
    embedding_: NDArray[Any]
    n_features_in_: int
    n_iter_: int
    method_: str
    solver_: str
    measures_: dict[str, Any]
    row_: dict[str, Any]
    notes_: list[str]
    trace_: list[dict[str, Any]]
    n_components: int
    t: float
    t_prime: float
    lambda0: float
    n_inliers: int
    n_outliers: int
    sigma_neighbor: int
    weights: Literal["tempered_log", "exponential", "uniform"]
    gamma: float
    triplets: Literal["blocks", "drawn"]
    neighbors: Literal["auto", "exact", "approximate"]
    seed: int
    start: Literal["pca", "random"]
    init_scale: float
    precision: Literal["float", "double"]
    placement: bool
    solver: str | Mapping[str, Any]
    solver_options: Mapping[str, Any] | None
    measures: Sequence[str] | None
    timeout: float | str | None
    random_state: int | RandomState | Generator | None
    n_jobs: int | None
    verbose: int
    callback: Callable[..., Any] | None
    def __init__(
        self, n_components: int = 2, *, t: float = 2.0, t_prime: float = 2.0, lambda0: float = 1e-06,
        n_inliers: int = 10, n_outliers: int = 32, sigma_neighbor: int = 10,
        weights: Literal["tempered_log", "exponential", "uniform"] = "tempered_log", gamma: float = 0.01,
        triplets: Literal["blocks", "drawn"] = "blocks",
        neighbors: Literal["auto", "exact", "approximate"] = "auto", seed: int = 1,
        start: Literal["pca", "random"] = "pca", init_scale: float = 0.01,
        precision: Literal["float", "double"] = "float", placement: bool = False,
        solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = ..., timeout: float | str | None = None,
        random_state: int | RandomState | Generator | None = None, n_jobs: int | None = None, verbose: int = 0,
        callback: Callable[..., Any] | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[Any]: ...

__all__ = [
    "AspectEmbedding", "CCA", "CKL", "ClassicalMDS", "ETE", "GNMDS", "HessianLLE", "Isomap", "KPSDE", "LLE",
    "LaplacianEigenmaps", "LocalMDS", "MDS", "MaximumVarianceUnfolding", "Minimum", "NeRV", "PCA", "PSDE",
    "Problem", "Results", "RunMap", "SOE", "STE", "Sammon", "SparseNeRV", "TSNE", "TSTE", "TripletEmbedding",
    "WeightedETE", "__version__", "cblearn", "load", "minimize", "plot", "problems", "run", "sdp",
    "show_versions", "solvers", "triplets_of"
]
