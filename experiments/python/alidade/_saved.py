"""Finished maps in folders, as `alidade embed` writes them: they outlive the version that made them."""

import inspect
import json
import math
import pathlib

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._catalog import PROBLEMS, parameter_name
from ._checks import words_of_python
from ._html import Shown
from ._solve import Outcome, to_json

_OF_FILE = ("made_by", "check")  # of the row, as it stands in its file
_FILE = "estimator.json"  # what only the package knows, beside the files of embed


class Scaled:
    """A projector of features that were scaled before."""

    def __init__(self, projector, shift, width):
        self.projector, self.shift, self.width = projector, shift, width

    def place(self, X):
        return self.projector.place(np.ascontiguousarray((X - self.shift) / self.width))

    def note_on_far(self, X, names):
        return self.projector.note_on_far(X, names)


def _plain(value):
    """NumPy's numbers and arrays as JSON has them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError


def _told(values):
    """Those that JSON can tell; what is left out, as a function, has its default again in `load`."""
    out = {}
    for name, value in values.items():
        try:
            out[name] = json.loads(json.dumps(value, default=_plain))
        except (TypeError, ValueError):
            pass
    return out


def _ellipses_of(folder, row):
    """Covariances and counts of replicates of each map, from the files of ellipses."""
    from .results import _read_csv

    out = []
    for file in (row.get("files") or {}).get("ellipses") or []:
        head, *rows = _read_csv(folder / file)
        columns = [c for c, name in enumerate(head) if name.startswith("cov")]
        counts = [r[head.index("replicates")] for r in rows]
        out.append((np.array([[float(r[c]) if r[c] else math.nan for c in columns] for r in rows]),
                    [int(c) for c in counts] if all(counts) else []))
    return out


class Saved(Shown):
    """`save` and `load`."""

    _kept = ()  # attributes of the class that the files of embed do not tell

    def save(self, folder, *, overwrite=False):
        """Writes the map to a folder, as `alidade embed` does: coordinates, row, report, and the function that places new
        rows where there is one. `load` of the class reads it, in this version and later ones; the command reads it, too.

        Parameters
        ----------
        folder : str or path
        overwrite : bool, default=False
            Whether to replace the map that the folder holds.
        """
        check_is_fitted(self, "row_")
        folder = pathlib.Path(folder)
        maps = getattr(self, "embeddings_", None) or {"": self.embedding_}
        if getattr(self, "_one_map", False):  # of all aspects
            maps = {"": next(iter(maps.values()))}
        projector = getattr(self, "_projector", None)
        if projector is not None and not isinstance(projector, _core.Projector):
            raise ValueError("This map was loaded with features that were scaled. Copy its folder instead.")
        row = to_json({k: v for k, v in self.row_.items() if k != "measured_fit"}, "row")
        with words_of_python():
            _core.save_map(str(folder), bool(overwrite), self._config, row, list(maps.items()),
                           [str(name) for name in self.objects_], [], self._uncertainty, projector,
                           [str(name) for name in getattr(self, "feature_names_in_", ())])
        known = {"class": type(self).__name__, "params": _told(self.get_params(deep=False)),
                 "attributes": _told({name: getattr(self, name) for name in ("trace_", "n_features_in_", *self._kept)
                                      if hasattr(self, name)})}
        (folder / _FILE).write_text(json.dumps(known), encoding="utf-8")

    @classmethod
    def load(cls, folder):
        """Reads a fitted map that `save` or `alidade embed` wrote.

        Parameters
        ----------
        folder : str or path

        Returns
        -------
        estimator
            Fitted, of this class. What the folder does not tell, such as a `callback`, has its default.
        """
        from .results import Results

        folder = pathlib.Path(folder)
        results = Results(folder)
        if len(results) != 1:
            raise ValueError(f"{folder} holds {len(results)} rows, but a map has one.")
        maps = results.maps()
        row = {k: v for k, v in results.dicts()[0].items() if k not in _OF_FILE}
        file = folder / _FILE
        known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        options = row["problem"]["options"]
        parameters = known.get("params") or {"method": {**options, "name": row["problem"]["name"]},
                                             **{parameter_name(k): v for k, v in options.items()}}
        of_class = inspect.signature(cls).parameters
        model = cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items() if k in of_class})
        model._require_made_by(row, folder)
        file = folder / "embedding.projector.json"
        projector, features, scaling = _core.load_projector(str(file)) if file.exists() else (None, [], None)
        objects = maps[0].objects
        out = Outcome({"row": json.dumps(row), "maps": [(m.aspect, m.embedding) for m in maps], "objects": objects,
                       "labels": maps[0].labels, "trace": [], "uncertainty": _ellipses_of(folder, row),
                       "projector": projector if scaling is None else Scaled(projector, *scaling)},
                      _core.read_config(str(folder / "config.resolved.toml")))
        attributes = known.get("attributes") or {}
        numbered = getattr(cls, "_numbered", True) and objects == [str(i) for i in range(len(objects))]
        model._take(out, numbered, *([attributes["aspects_"]] if "aspects_" in attributes else []))
        if projector is not None:
            model.n_features_in_ = projector.feature_count
        if features:
            model.feature_names_in_ = np.array(features, object)
        for name, value in attributes.items():
            setattr(model, name, np.array(value) if name in cls._arrays else value)
        return model

    _arrays = ()  # those of _kept that are arrays

    def _require_made_by(self, row, folder):
        """Refuses the map of another class."""
        own, made = getattr(self, "_problem_name", None), row["problem"]["name"]
        fits = own == made if own is not None else "triplets" in PROBLEMS[made]["needs"]
        if not fits:
            raise ValueError(f"{folder} holds a map by {made}, which is not of {type(self).__name__}.")
