"""Made by make_stubs.py from the package itself."""

from collections.abc import Sequence
from typing import Any
from . import Results

def color_of(labels: Sequence[str] | None, count: int) -> list[str]: ...

def errors(
    results: Results, value: str = "heldout_error", *, ax: Any = None, rows: str = "method", cols: str = "dataset",
    **table: Any
) -> Any: ...

def map(
    source: Any, *, ax: Any = None, names: Sequence[str] | None = None, labels: Sequence[str] | None = None,
    ellipses: bool | None = None, aspect: str | None = None, show_names: bool | None = None, legend: bool = True,
    **marker: Any
) -> Any: ...

def profile(
    results: Results, value: str = "seconds.solve", *, ax: Any = None, rows: str = "method", cols: str = "dataset",
    **table: Any
) -> Any: ...
