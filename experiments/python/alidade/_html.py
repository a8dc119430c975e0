"""Maps as HTML, for notebooks: no script, no server."""

import html

import numpy as np

_WIDTH, _HEIGHT, _EDGE = 480, 360, 18


def _number(value, unit=""):
    return "" if value is None or value != value else f"{value:.4g}{unit}"


def map_svg(places, names, labels=None):
    """A map of the first two components as SVG; each object says its name where the mouse rests.

    Names stand beside their points where they cover nothing.
    """
    places = np.asarray(places, float)
    if places.shape[1] == 1:
        places = np.column_stack([places[:, 0], np.zeros(len(places))])
    places = places[:, :2]
    seen = np.isfinite(places).all(axis=1)
    if not seen.any():
        return "<p>No object has a place.</p>"
    low, high = places[seen].min(axis=0), places[seen].max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    scale = min((_WIDTH - 2 * _EDGE) / extent[0], (_HEIGHT - 2 * _EDGE) / extent[1])
    middle = (low + high) / 2
    from .plot import color_of

    colors = color_of(labels, len(places))
    if len(set(colors)) < len(set(labels or [])):  # more labels than colours
        colors = color_of(None, len(places))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
             f'height="{_HEIGHT}" role="img" font-family="sans-serif" font-size="10" style="display:block">']
    pixels = [_WIDTH / 2, _HEIGHT / 2] + scale * (places - middle) * [1, -1]
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in pixels[seen]]
    for own, i in enumerate(np.flatnonzero(seen)):
        x, y = pixels[i]
        name = html.escape(str(names[i]))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colors[i]}"><title>{name}</title></circle>')
        width = 5.8 * len(str(names[i]))
        for left in (x + 5, x - 5 - width):
            area = (left, y - 5, left + width, y + 5)
            if 0 <= left and left + width <= _WIDTH and not any(
                    area[0] < o[2] and o[0] < area[2] and area[1] < o[3] and o[1] < area[3]
                    for k, o in enumerate(taken) if k != own):
                parts.append(f'<text x="{left:.1f}" y="{y + 3.5:.1f}">{name}</text>')
                taken.append(area)
                break
    return "".join(parts) + "</svg>"


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
    facts.append(("objective", _number(model.objective_)))
    facts.append(("ended", model.termination_))
    table = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>"
                    for k, v in facts if v not in (None, ""))
    maps = getattr(model, "embeddings_", None) or {"": model.embedding_}
    pictures = "".join((f"<h4>{html.escape(name)}</h4>" if name else "") + map_svg(places, model.objects_)
                       for name, places in maps.items())
    notes = "".join(f"<li>{html.escape(n)}</li>" for n in model.notes_)
    return (f"<div><strong>{html.escape(type(model).__name__)}</strong>{pictures}<table>{table}</table>"
            + (f"<ul>{notes}</ul>" if notes else "") + "</div>")
