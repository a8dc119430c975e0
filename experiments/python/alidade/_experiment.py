"""Python objects in an experiment: data sets become files and methods pickles, in the folder of its results."""

import csv
import os
import sys

import numpy as np

from ._checks import exact
from .plot import _in_order

_KINDS = {"features": "features", "triplets": "triplets", "distances": "dissimilarities",
          "dissimilarities": "dissimilarities"}


def _pickler():
    """One that also takes functions of a script or a notebook; pickle takes those of modules alone."""
    for package in ("cloudpickle", "joblib.externals.cloudpickle"):
        try:
            return __import__(package, fromlist=["dumps"])
        except ImportError:
            pass
    import pickle
    return pickle


def method_entry(name, method, folder):
    """The [[method]] of an estimator, a function of the task, or {"call": either, "needs": ..., "options": ...}."""
    given = dict(method) if isinstance(method, dict) else {"call": method}
    call = given.pop("call", None)
    if isinstance(call, type):
        raise TypeError(f"methods: '{name}' is the class {call.__name__}. Give an object of it, such as {call.__name__}().")
    if not hasattr(call, "fit_transform") and not callable(call):
        raise TypeError(f"methods: '{name}' must be a function of the task or have fit_transform, not {type(call).__name__}")
    params = call.get_params() if hasattr(call, "get_params") else {}
    options = {k: v for k, v in params.items() if k == "n_components" and v is not None} | given.pop("options", {})
    file = _file(folder / "methods", name, ".pickle")
    try:
        content = _pickler().dumps(call)
    except Exception as error:
        raise TypeError(f"methods: '{name}' cannot be pickled ({error}). Install cloudpickle, or define it in a module.") from None
    file.write_bytes(content)
    script = os.path.join(os.path.dirname(__file__), "_command.py")
    needs = given.pop("needs", "features")
    needs = ["distances" if need == "dissimilarities" else need for need in ([needs] if isinstance(needs, str) else needs)]
    return {"id": name, "command": [sys.executable, script, str(file)], "needs": needs,
            **({"options": options} if options else {}), **given}


def dataset_entry(name, data, folder):
    """The [[dataset]] of an array or frame of features, or {"features", "triplets" or "distances": it, "labels": ...}."""
    given = dict(data) if isinstance(data, dict) else {"features": data}
    kinds = [kind for kind in _KINDS if kind in given]
    if len(kinds) != 1:
        raise ValueError(f"datasets: '{name}' needs one of features, triplets and distances")
    content, labels = given.pop(kinds[0]), given.pop("labels", None)
    kind = _KINDS[kinds[0]]
    entry, names = {"id": name, "name": kind}, [str(i) for i in range(len(content))]
    named = hasattr(content, "to_csv") and kind != "triplets" and list(content.index) != list(range(len(content)))
    if hasattr(content, "to_csv"):
        entry["file"] = str(_file(folder / "data", name, ".csv"))
        if named:
            names = [str(each) for each in content.index]
            if kind == "features":
                given.setdefault("name_column", "object" + "_" * sum(str(c).startswith("object") for c in content.columns))
                content = content.set_axis(names).rename_axis(given["name_column"]).reset_index()
            elif set(content.columns) == set(content.index):
                content = content[content.index]
            else:
                content = content.set_axis(names, axis=1)
        content.to_csv(entry["file"], index=False)
        if kind == "features":
            given.setdefault("header", "yes")
    else:
        entry["file"] = str(_file(folder / "data", name, ".npy"))
        np.save(entry["file"], np.asarray(exact(content, name)))
    if labels is not None:
        entry["labels"] = str(_file(folder / "data", name, ".labels.csv"))
        labels = _in_order(labels, names, named, "labels")
        with open(entry["labels"], "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("name", "label"), *zip(names, labels)])
    return {**entry, **given}


def _file(folder, name, ending):
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve() / ("".join(c if c.isalnum() or c in "-_" else "_" for c in name) + ending)
