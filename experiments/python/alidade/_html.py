"""Maps as HTML, for notebooks: no script, no server."""

import html

import numpy as np

from . import _core


_MOST_SHOWN = 3000  # objects; each is some 150 bytes of a notebook


def map_svg(places, names, labels=None):
    """A map as a figure of the report; each object says its name where the mouse rests. Of many a sample."""
    places = np.array(places, float)
    placed = np.flatnonzero(np.isfinite(places).all(axis=1))
    if not len(placed):
        return "<p>No object has a place.</p>"
    shown, note = np.arange(len(places)), ""
    if len(placed) > _MOST_SHOWN:
        shown = np.sort(np.random.default_rng(0).choice(placed, _MOST_SHOWN, replace=False))
        note = f"<p>A random sample of {_MOST_SHOWN} of {len(placed)} objects. alidade.plot.map draws all.</p>"
    else:
        places[np.setdiff1d(shown, placed)] = np.nan
    svg = _core.map_svg(places[shown], [str(names[i]) for i in shown], [labels[i] if labels else "" for i in shown])
    return f'<div style="background:#fff">{svg}</div>{note}'


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
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "objects_")
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
