"""Made by make_stubs.py from the package itself."""

from collections.abc import Mapping
from os import PathLike
from typing import Any
from numpy.typing import ArrayLike, NDArray

class Program:
    """A semidefinite program as data; `read` and `solve` make it."""
    C: Any
    A: Any
    b: NDArray[Any]
    relations: list[str]
    blocks: Any
    def __init__(self, core: Any) -> None: ...
    def to_sdpa(self) -> str: ...

def program(
    C: Any, A: Any, b: ArrayLike, blocks: Any = None, *, relations: str | list[str] | None = None,
    trace_bound: float | None = None
) -> Program: ...

def read(path: str | PathLike[str]) -> Program: ...

class Result:
    """What a solve gave."""
    X: Any
    y: NDArray[Any]
    Z: Any
    objective: float
    dual_objective: float
    lower_bound_: float
    upper_bound_: float
    gap_: float
    rigorous_: bool
    errors: NDArray[Any]
    status: str
    message: str
    solver: str
    choice: str
    ray: dict[str, Any] | None
    def __init__(self, found: Any, blocks: Any, single: Any) -> None: ...

def solve(
    C: Any, A: Any = None, b: Any = None, blocks: Any = None, *, relations: Any = None, trace_bound: Any = None,
    solver: str | Mapping[str, Any] = "auto", solver_options: Mapping[str, Any] | None = None,
    timeout: float | str | None = None, n_jobs: int | None = None
) -> Result: ...
