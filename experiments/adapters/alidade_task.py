"""A method of Alidade in Python: reads what it is asked, takes the time, writes the map.

    from alidade_task import solve
    solve(lambda task: my_map(task["triplets"], task.n, task.d, seed=task.seed, **task.options))

Alidade puts this file into the folder in which it runs the method, so it need not be installed.
"""
import importlib
import importlib.metadata
import inspect
import json
import sys
import time

import numpy as np


class Task:
    """What task.json says: task.n, task.d, task.seed, task.threads, task.time_limit, task.options, task.aspects."""

    def __init__(self):
        with open("task.json", encoding="utf-8") as file:
            self.__dict__.update(json.load(file))

    def __contains__(self, name):
        return name in self.files

    def __getitem__(self, name):
        """"triplets", "aspect", "weights", "features", "distances" or "pairs" as an array; the names of the "objects"."""
        if self.files[name].endswith(".npy"):
            return np.load(self.files[name])
        with open(self.files[name], encoding="utf-8") as lines:
            return lines.read().splitlines()


def installed(module, package, how=None):
    """Imports a module, or ends the method and says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        sys.exit(f"{package} cannot be imported ({error}). Install it: {how or 'pip install ' + package}")


def make_estimator(kind, options, **known):
    """kind(**options), and of `known` what it takes. Names that it does not take are an error only in `options`."""
    taken = inspect.signature(kind).parameters
    return kind(**{**{name: value for name, value in known.items() if name in taken}, **options})


def solve(make, package=None):
    """`make(task)` gives the map (maps x objects x dimensions for aspects), or a pair of it and what result.json says."""
    task = Task()
    begun = time.perf_counter()
    made = make(task)
    embedding, result = made if isinstance(made, tuple) else (made, {})
    result = {"seconds": time.perf_counter() - begun, **result}
    if package:
        try:
            result["version"] = f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:  # its folder is on PYTHONPATH, but it is not installed
            result["version"] = package
    np.save("embedding.npy", np.ascontiguousarray(embedding, dtype=float))
    with open("result.json", "w", encoding="utf-8") as file:
        json.dump({key: value for key, value in result.items() if value is not None}, file, default=float)
