"""Maps as HTML, for notebooks: no script, no server."""

import html

import numpy as np

from . import _core


def map_svg(places, names, labels=None):
    """A map as a figure of the report; each object says its name where the mouse rests."""
    places = np.array(places, float)
    places[~np.isfinite(places).all(axis=1)] = np.nan
    if np.isnan(places).all():
        return "<p>No object has a place.</p>"
    svg = _core.map_svg(places, [str(name) for name in names], list(labels or [""] * len(places)))
    return f'<div style="background:#fff">{svg}</div>'


class Shown:
    """How a fitted map is shown: in Jupyter the map, where scikit-learn's estimators show their parameters."""

    def to_frame(self):
        """The map as a pandas frame: a row for each object, by its name or number, a column for each component.

        Returns
        -------
        DataFrame
            Of several maps, with the aspect as the first level of the columns.
        """
        import pandas

        maps = getattr(self, "embeddings_", None)
        frames = {name: pandas.DataFrame(places, index=self.objects_, columns=range(1, places.shape[1] + 1))
                  for name, places in (maps or {"": self.embedding_}).items()}
        return pandas.concat(frames, axis=1) if maps else frames[""]

    def _repr_html_(self):
        if hasattr(self, "row_"):
            return map_html(self)
        return super()._repr_html_() if hasattr(super(), "_repr_html_") else f"<pre>{html.escape(repr(self))}</pre>"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def map_html(model):
    """A fitted map: the picture, how it was made, and its error."""
    row = model.row_
    facts = [("method", f"{row['problem']['name']} / {row['solver']['name']}"), ("objects", row.get("n")),
             ("triplets", row.get("triplets"))]
    error = getattr(model, "error_", None)
    if error is not None and error == error:
        low, high = model.error_interval_
        facts.append(("held-out error", f"{100 * error:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"))
    if model.objective_ == model.objective_:
        facts.append(("objective", f"{model.objective_:.4g}"))
    facts.append(("ended", model.termination_))
    table = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>"
                    for k, v in facts if v not in (None, ""))
    maps = getattr(model, "embeddings_", None) or {"": model.embedding_}
    pictures = "".join((f"<h4>{html.escape(name)}</h4>" if name else "") + map_svg(places, model.objects_)
                       for name, places in maps.items())
    notes = "".join(f"<li>{html.escape(n)}</li>" for n in model.notes_)
    return (f"<div><strong>{html.escape(type(model).__name__)}</strong>{pictures}<table>{table}</table>"
            + (f"<ul>{notes}</ul>" if notes else "") + "</div>")
