"""Python objects in an experiment: data sets become files and methods pickles, in the folder of its results."""

import os
import pathlib
import sys

import numpy as np

_KINDS = {"features": "features", "triplets": "triplets", "distances": "dissimilarities"}


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
    return {"id": name, "command": [sys.executable, script, str(file)], "needs": given.pop("needs", "features"),
            **({"options": options} if options else {}), **given}


def dataset_entry(name, data, folder):
    """The [[dataset]] of an array or frame of features, or {"features", "triplets" or "distances": it, "labels": ...}."""
    given = dict(data) if isinstance(data, dict) else {"features": data}
    kinds = [kind for kind in _KINDS if kind in given]
    if len(kinds) != 1:
        raise ValueError(f"datasets: '{name}' needs one of features, triplets and distances")
    content, labels = given.pop(kinds[0]), given.pop("labels", None)
    entry = {"id": name, "name": _KINDS[kinds[0]]}
    if hasattr(content, "to_csv"):
        entry["file"] = str(_file(folder / "data", name, ".csv"))
        content.to_csv(entry["file"], index=False)
        if kinds[0] == "features":
            given.setdefault("header", "yes")
    else:
        entry["file"] = str(_file(folder / "data", name, ".npy"))
        np.save(entry["file"], np.asarray(content))
    if labels is not None:
        entry["labels"] = str(_file(folder / "data", name, ".labels.csv"))
        lines = [f"{i},{label}\n" for i, label in enumerate(labels)]
        pathlib.Path(entry["labels"]).write_text("name,label\n" + "".join(lines), encoding="utf-8")
    return {**entry, **given}


def _file(folder, name, ending):
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve() / ("".join(c if c.isalnum() or c in "-_" else "_" for c in name) + ending)
