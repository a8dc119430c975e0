"""Pictures with matplotlib, drawn into an axis that is given.

Sizes are those of `matplotlib.rcParams`; colours and marks are those of the report.
"""

import json

import numpy as np

from . import _core
from ._answers import _is_frame, _is_missing
from ._checks import unmasked
from ._solve import warn as _warn

COLORS = tuple(_core.palette)
_UNKNOWN = _core.unknown_colour
# Each with its size, where a circle has 1; matplotlib makes all equally wide.
_MARKS = [("o", 1) if not xy else (np.reshape(xy, (-1, 2)) * [1, -1], np.abs(xy).max()) for xy in _core.mark_shapes]
_REPEATS = int(np.lcm(len(COLORS), len(_MARKS)))  # after so many labels, marks are one ahead


def color_of(labels, count):
    """A colour for each object by its label, grey for the label ""; the first colour without labels.

    Parameters
    ----------
    labels : sequence of str or None
    count : int
        Number of objects.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from alidade.plot import color_of
    >>> color_of(["b", "a", ""], 3)
    ['#d55e00', '#0072b2', '#8b949e']
    """
    if labels is None:
        return [COLORS[0]] * count
    labels = [str(label) for label in labels]
    if len(labels) != count:
        raise ValueError(f"there are {len(labels)} labels for {count} objects")
    place = {label: COLORS[i % len(COLORS)] for i, label in enumerate(_core.categories(labels))}
    return [place.get(label, _UNKNOWN) for label in labels]


def _axis(ax, solid=False):
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca()
    if not hasattr(ax, "scatter"):
        raise TypeError(f"ax is one Axes of matplotlib, such as that of plt.subplots(), not {type(ax).__name__}")
    if hasattr(ax, "get_zlim") and not solid:
        raise TypeError("ax has three dimensions, and this picture is drawn in the plane. Give an Axes without projection='3d'.")
    return ax


_HIDDEN = "\u200b"  # before labels that begin with "_", which matplotlib leaves out of legends


def _legend(ax, **where):
    """A legend of the labels as they stand, in as many columns and in letters as small as they need to fit."""
    area = ax.get_window_extent()
    count = len(ax.get_legend_handles_labels()[1])
    for size, near in (("small", {}), ("x-small", {}), ("xx-small", {"labelspacing": 0.1, "columnspacing": 0.5,
                                                                     "handletextpad": 0.1, "borderpad": 0})):
        for columns in range(1, count // 4 + 2):
            legend = ax.legend(frameon=False, fontsize=size, ncol=columns, **near, **where)
            for text in legend.get_texts():
                text.set_text(text.get_text().removeprefix(_HIDDEN))
                text.set_parse_math(False)
            if count <= 1 or (box := legend.get_window_extent()).height <= area.height:
                break
        if count <= 1 or (box.height <= area.height and box.width <= area.width):
            return
    legend.remove()
    _warn(f"The legend of {count} labels does not fit and is left out. Enlarge the figure, or give legend=False.",
         UserWarning)


def _label(text):
    return _HIDDEN + text if text.startswith("_") else text


def _in_order(given, objects, named, what):
    """What is given for each object, in the order of the map: of a dictionary by its keys, of a Series by its index."""
    if isinstance(given, str) or _is_frame(given):
        raise TypeError(f"{what} has one entry for each object, and is not a {type(given).__name__}")
    keyed = isinstance(given, dict)
    values = list(given.values() if keyed else unmasked(given))
    if not keyed and not hasattr(given, "iloc"):
        return values
    keys, numbers = [str(key) for key in (given if keyed else given.index)], [str(i) for i in range(len(values))]
    if not keyed and (keys == numbers or not named):
        return values
    if not keyed and objects == numbers:
        if set(keys) == set(numbers):
            raise ValueError(f"{what} numbers the objects in another order than the map. Give {what}.sort_index() to go by "
                             f"number, or {what}.to_numpy() to go by place.")
        return values
    value_of = dict(zip(keys, values))
    missing = [name for name in objects if name not in value_of]
    if missing or len(value_of) < len(keys):
        raise ValueError(f"{what} goes by the names of the objects, and " + (
            f"lacks {len(missing)} of {len(objects)}, such as '{missing[0]}'" if missing else "has one of them twice") +
            ". To go by place, give an array.")
    return [value_of[name] for name in objects]


def _require_known(marker):
    """Refuses what is no parameter of Axes.scatter, in one sentence."""
    import difflib
    import inspect

    from matplotlib.artist import ArtistInspector
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

    style = {"cmap", *inspect.signature(Axes.scatter).parameters, *ArtistInspector(PathCollection).get_setters(), "color",
             "facecolors", "edgecolors"} - {"self", "x", "y", "c", "data", "label", "kwargs", "offsets", "paths", "sizes"}
    own = [name for name in inspect.signature(map).parameters if name not in ("source", "marker")]
    for name in marker:
        if name not in style:
            near = difflib.get_close_matches(name, own, 1)
            raise TypeError(f"map has no parameter '{name}'. " + (
                f"Did you mean '{near[0]}'?" if near else "Titles and limits are of the axes, such as ax.set_title; sizes of "
                "the figure, as in plt.subplots(figsize=(6, 5))."))


def _parts(source, aspect):
    """Places, names (None: it has none), labels and ellipses of a fitted model, a RunMap, a frame, or an array."""
    if hasattr(source, "embeddings_"):
        if aspect is None:
            raise ValueError(f"aspect: name one of {', '.join(source.embeddings_)}")
        if aspect not in source.embeddings_:
            raise ValueError(f"There is no map of the aspect {aspect!r}; there are {', '.join(source.embeddings_)}.")
        ellipses = getattr(source, "ellipses_", {}).get(aspect)
        return source.embeddings_[aspect], source.objects_, None, ellipses
    if hasattr(source, "embedding_"):
        return source.embedding_, getattr(source, "objects_", None), None, getattr(source, "ellipses_", None)
    if hasattr(source, "embedding") and hasattr(source, "objects"):
        labels = source.labels if any(source.labels) else None
        return source.embedding, source.objects, labels, source.ellipses
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        if getattr(source.columns, "nlevels", 1) > 1:  # to_frame() of several maps
            known = list(dict.fromkeys(source.columns.get_level_values(0)))
            if aspect not in known:
                raise ValueError(f"aspect: name one of {', '.join(str(name) for name in known)}")
            source = source[aspect]
        return source.to_numpy(float), source.index, None, None
    if isinstance(source, (np.ndarray, list)):
        return source, None, None, None
    if hasattr(source, "fit"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(source)
    raise TypeError(f"a map is a fitted model with embedding_, a RunMap, a frame or an array, not {type(source).__name__}")


def map(source, *, ax=None, names=None, labels=None, values=None, ellipses=None, aspect=None, show_names=None, legend=True,
        **marker):
    """Draws a map: a point for each object, with its name, and its ellipse where one is known.

    Parameters
    ----------
    source : fitted model, RunMap, frame, or ndarray of shape (n_objects, 1 or more)
        The first two components are drawn, or three where `ax` has three dimensions; a warning says so where there are
        more. A model is one of Alidade or of scikit-learn that has `embedding_`; a frame has the names as its index.
    ax : matplotlib.axes.Axes, optional
        By default the current one. One of three dimensions is `plt.figure().add_subplot(projection="3d")`.
    names : sequence of str, Series or dict, optional
        By default those of the map. Here as in `labels` and `values`, a dictionary goes by the names of the objects, and
        so does the index of a Series where the map has names; all others go by place.
    labels : sequence of str, Series or dict, optional
        Colours by label; "", None and NaN are grey.
    values : sequence of float, Series or dict, optional
        Colours by number, from the lowest to the highest; NaN is grey. `cmap`, `vmin`, `vmax` and `norm` choose the scale
        of colours, as in `Axes.scatter`.
    ellipses : bool, optional
        Whether the 95 % ellipses are drawn; by default where there are any.
    aspect : str, optional
        Of an AspectEmbedding.
    show_names : bool, optional
        By default up to 200 objects, in three dimensions 50. In the plane a name without room beside its point stands
        near it, at the end of a line; one without room there is left out.
    legend : bool, default=True
        Whether labels are listed, or a bar shows what colours mean which values.
    **marker
        For `Axes.scatter`, such as s=20.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import alidade, numpy as np
    >>> _, ax = plt.subplots()
    >>> ax = alidade.plot.map(np.random.default_rng(0).normal(size=(10, 2)), labels=["a", "b"] * 5, ax=ax)
    >>> len(ax.collections)
    2
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.manifold import Isomap
    >>> iris = load_iris(as_frame=True)
    >>> _, ax = plt.subplots()
    >>> ax = alidade.plot.map(Isomap().fit(iris.data), values=iris.data["petal length (cm)"], ax=ax, show_names=False)
    >>> [axis.get_label() for axis in ax.figure.axes[1:]]
    ['<colorbar>']
    """
    _require_known(marker)
    places, known, known_labels, known_ellipses = _parts(source, aspect)
    places = np.asarray(unmasked(places), float)
    if places.ndim != 2 or 0 in places.shape:
        raise ValueError(f"a map has one row per object, not the shape {places.shape}")
    ax = _axis(ax, solid=True)
    drawn = 3 if hasattr(ax, "get_zlim") else 2
    if places.shape[1] > drawn:
        _warn(f"The map has {places.shape[1]} components, and the first {drawn} are drawn. For others give their columns of "
             "the array, such as embedding[:, [0, 2]]; for three an Axes of projection='3d'.", UserWarning)
    if places.shape[1] < drawn == 3:
        raise TypeError(f"ax has three dimensions, and the map has {places.shape[1]}. Give an Axes without projection='3d'.")
    places = np.pad(places[:, :drawn], ((0, 0), (0, max(0, drawn - places.shape[1]))))
    objects = [str(name) for name in (range(len(places)) if known is None else known)]
    names, labels, values = (None if given is None else _in_order(given, objects, known is not None, what) for given, what in (
        (names, "names"), (labels, "labels"), (values, "values")))
    names = objects if names is None else [str(name) for name in names]
    if len(names) != len(places):
        raise ValueError(f"there are {len(names)} names for {len(places)} objects")
    if labels is not None and values is not None:
        raise ValueError("labels and values both colour the map; give one of them")
    labels = known_labels if labels is None else ["" if _is_missing(label) else str(label) for label in labels]
    scaled = {name: marker.pop(name) for name in ("cmap", "norm", "vmin", "vmax") if name in marker}
    if values is not None:
        labels = None
        colors, scale = _colors_by_value(values, len(places), **scaled)
    elif scaled:
        raise TypeError(f"{', '.join(scaled)}: a scale of colours goes with values=")
    else:
        colors = color_of(labels, len(places))
    if ellipses and known_ellipses is None:
        raise ValueError("the map has no ellipses; fit it with bootstrap=50")
    seen = np.isfinite(places).all(axis=1)
    known = _core.categories(labels or [])
    if len(known) > len(COLORS) * len(_MARKS):
        raise ValueError(f"Too many labels ({len(known)}) to colour; at most {len(COLORS) * len(_MARKS)} are told apart. "
                         "Numbers go by values=.")
    style = {"s": 16, "linewidths": 0, "zorder": 3, **marker}
    if values is not None:
        ax.scatter(*places[seen].T, c=[color for color, one in zip(colors, seen) if one], **style)
        if legend:
            ax.figure.colorbar(scale, ax=ax, shrink=0.7)
    elif labels is None:
        ax.scatter(*places[seen].T, **{"color": colors[0], **style})
    else:
        for k, label in enumerate([*known, ""]):
            here = seen & np.array([other == label for other in labels])
            if here.any():
                mark, size = _MARKS[(k + k // _REPEATS) % len(_MARKS) if label else 0]
                own = {**style, "s": style["s"] * size**2} if "marker" not in style else style
                ax.scatter(*places[here].T, label=_label(label) or "unknown",
                           **{"color": colors[int(np.flatnonzero(here)[0])], "marker": mark, **own})
        if legend:
            _legend(ax)
    if known_ellipses is not None and ellipses is not False:
        _draw_ellipses(ax, places, known_ellipses, colors)
    for axis in "xyz"[:drawn]:
        getattr(ax, f"set_{axis}ticks")([])
    if show_names is None:
        show_names = seen.sum() <= (200 if drawn == 2 else 50)
    named = np.array(names, object)[seen] if show_names else []
    if drawn == 3:
        width = np.ptp(places[seen], axis=0) if seen.any() else np.ones(3)
        ax.set_box_aspect(np.maximum(width, 0.05 * width.max() or 1))
        for place, name in zip(places[seen], named):
            ax.text(*place, name, fontsize="x-small", parse_math=False)
    else:
        ax.set_aspect("equal", adjustable="datalim")
    if drawn == 2 and show_names:
        _draw_names(ax, places[seen], named, np.sqrt(np.max(style["s"])) / 2)
    return ax


def _colors_by_value(values, count, cmap="viridis", norm=None, vmin=None, vmax=None):
    """Colours of numbers, and the scale that they are on."""
    import matplotlib
    from matplotlib.cm import ScalarMappable

    values = np.array([np.nan if _is_missing(value) else value for value in values], float)
    if values.shape != (count,):
        raise ValueError(f"there are values of shape {values.shape} for {count} objects")
    if norm is not None and (vmin is not None or vmax is not None):
        raise ValueError("norm has limits of its own: give them to it in place of vmin and vmax")
    finite = values[np.isfinite(values)]
    scale = ScalarMappable(norm or matplotlib.colors.Normalize(vmin, vmax), cmap)
    scale.norm.autoscale_None(finite if len(finite) else np.array([0.0, 1.0]))
    return [matplotlib.colors.to_hex(scale.to_rgba(v)) if np.isfinite(v) else _UNKNOWN for v in values], scale


def _draw_ellipses(ax, places, ellipses, colors):
    from matplotlib.patches import Ellipse

    for (x, y), (major, minor, angle), color in zip(places, ellipses, colors):
        if np.isfinite([x, y, major, minor, angle]).all():
            ax.add_patch(Ellipse((x, y), 2 * major, 2 * minor, angle=angle, facecolor=color, edgecolor="none",
                                 alpha=0.15, zorder=1))


def _draw_names(ax, places, names, radius):
    """Names where the report's figures have them, by how wide matplotlib's are; `radius` of the points, in points."""
    from matplotlib.font_manager import FontProperties

    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    probe = ax.text(0, 0, "", fontsize="x-small", parse_math=False)
    widths = []
    for name in names:
        probe.set_text(name)
        widths.append(probe.get_window_extent(renderer).width)
    probe.remove()
    pixels = ax.transData.transform(places) * [1, -1]  # down, as on a page
    frame = ax.get_window_extent(renderer)
    unit = figure.dpi / 72
    size = FontProperties(size="x-small").get_size_in_points() * unit
    reach = 4 * size if len(names) <= 200 else 0
    edges = (frame.x0, -frame.y1, frame.x1, -frame.y0)
    for i, x, y, side, apart in _core.place_names(widths, pixels, radius * unit, edges, size, reach):
        line = {"arrowstyle": "-", "color": _UNKNOWN, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0} if apart else None
        ax.annotate(names[i], places[i], ([x, y] - pixels[i]) * [1, -1] / unit, textcoords="offset points", ha=side,
                    va="center", fontsize="x-small", zorder=4, annotation_clip=True, arrowprops=line, parse_math=False)


def _table(results, value, **table):
    """What `Results.table` shows, as data."""
    if not hasattr(results, "table"):
        raise TypeError(f"results are those of alidade.run or alidade.load, not {type(results).__name__}")
    return json.loads(results.table(value, format="json", **table))


def errors(results, value=None, *, ax=None, rows="method", cols="dataset", **table):
    """Draws compared values with their intervals: a row for each method, a colour for each data set.

    Parameters
    ----------
    results : Results
    value : str, optional
        A field, as of `Results.table`; by default the first measure that there is, such as "heldout_error".
    ax : matplotlib.axes.Axes, optional
    rows, cols : str
        Fields whose values make the rows and the colours; "" as `cols` for one colour.
    **table
        More options of `Results.table`, such as where or confidence.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import alidade, tempfile
    >>> config = {"name": "drawn", "repeats": 2, "dataset": [{"name": "europe", "triplets": 2000}],
    ...           "method": [{"problem": "ste"}, {"problem": "ckl"}]}
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots()
    >>> ax = alidade.plot.errors(alidade.run(config, tempfile.mkdtemp() + "/drawn"), ax=ax)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['ste / ceres', 'ckl / ceres']
    """
    found = _table(results, value, rows=rows, cols=cols, **table)
    ax = _axis(ax)
    names = [", ".join(row) for row in found["rows"]]
    columns = [", ".join(col) for col in found["cols"]]
    step = 0.8 / max(1, len(columns))
    for c, column in enumerate(columns):
        offset = (c - (len(columns) - 1) / 2) * step * 0.8
        at, middle, low, high = [], [], [], []
        for r, cells in enumerate(found["cells"]):
            cell = cells[c]
            if cell["result"] is None:
                continue
            at.append(r + offset)
            middle.append(cell["result"])
            low.append(cell["result"] - (cell["low"] if cell["low"] is not None else cell["result"]))
            high.append((cell["high"] if cell["high"] is not None else cell["result"]) - cell["result"])
        if middle:
            ax.errorbar(middle, at, xerr=[np.maximum(low, 0), np.maximum(high, 0)], fmt="o",
                        markersize=4, capsize=2, color=COLORS[c % len(COLORS)], label=_label(column) or None)
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.invert_yaxis()
    ax.set_xlabel(found["value"].removeprefix("metrics."))
    if len(columns) > 1:
        _legend(ax)
    return ax


def profile(results, value="seconds.solve", *, ax=None, rows="method", cols="dataset", **table):
    """Draws a performance profile (Dolan & More 2002): shares of problems that each method solves within a factor of
    the best.

    Parameters
    ----------
    results : Results
    value : str, default="seconds.solve"
        A field of which less is better, at least 0.
    ax : matplotlib.axes.Axes, optional
    rows, cols : str
        Fields whose values make the curves and, with the repeats, the problems.
    **table
        More options of `Results.table`, such as where.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import alidade, tempfile
    >>> config = {"name": "drawn", "repeats": 2, "dataset": [{"name": "europe", "triplets": 2000}],
    ...           "method": [{"problem": "ste"}, {"problem": "ckl"}]}
    >>> import matplotlib.pyplot as plt
    >>> _, ax = plt.subplots()
    >>> ax = alidade.plot.profile(alidade.run(config, tempfile.mkdtemp() + "/drawn"), "objective", ax=ax)
    >>> len(ax.lines)
    2
    """
    from matplotlib.ticker import LogFormatter

    found = _table(results, value, rows=rows, cols=f"{cols},repeat" if cols else "repeat", over="", interval="none",
                   **table)
    values = np.array([[np.nan if c["result"] is None else c["result"] for c in cells] for cells in found["cells"]], float)
    values = values[:, np.isfinite(values).any(axis=0)]
    if (values < 0).any():
        raise ValueError(f"a profile needs values of at least 0, but {found['value']} has some below")
    more = found["higher_is_better"]
    best = np.nanmax(values, axis=0) if more else np.nanmin(values, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(values == best, 1.0, best / values if more else values / best)
    factors[~np.isfinite(values)] = np.inf
    ax = _axis(ax)
    finite = factors[np.isfinite(factors)]
    last = 1.05 * max(1.05, finite.max() if len(finite) else 1.05)
    for r, (row, own) in enumerate(zip(found["rows"], factors)):
        steps = np.sort(own[np.isfinite(own)])
        shares = np.arange(1, len(steps) + 1) / factors.shape[1]
        # Colours repeat after eight methods; then the line is another.
        ax.step(np.r_[1.0, steps, last], np.r_[np.sum(steps <= 1) / factors.shape[1], shares, shares[-1:] if len(shares)
                                               else [0.0]], where="post", color=COLORS[r % len(COLORS)],
                linestyle=("-", "--", ":", "-.")[r // len(COLORS) % 4], label=_label(", ".join(row)))
    ax.set_xscale("log")
    for set_formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        set_formatter(LogFormatter())  # 2 and 5, not 2 x 10^0
    ax.set_xlim(1, last)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(f"{found['value'].removeprefix('metrics.')}: factor of the best")
    ax.set_ylabel("share of problems")
    _legend(ax, loc="lower right")
    return ax
