"""Answers in the forms in which Python has them: arrays of numbers or names, lists, frames, files, masked arrays."""

import csv
import io
import numbers
import os
import pathlib
import tempfile

import numpy as np

from . import _core
from ._checks import exact, gathered, unmasked, words_of_python
from ._solve import to_json, warn

# The columns of each kind of answers, as in files; a role with "*" may have several objects.
ROLES = {kind: tuple(columns) for kind, columns in _core.answer_columns()}
_PILES = "clusterings"  # a kind whose rows are no answers, but together imply them

_MOST_ROWS = 2**31 - 1


class Answers:
    """Evidence made of answers, and whether its objects are numbers.

    `objects` and `places`: all objects, of which some are in no answer, and which of them those of the evidence are; None
    where the evidence has all of them, in its order.
    """

    def __init__(self, evidence, numbered, places=None, objects=None):
        self.evidence, self.numbered, self.places, self.objects = evidence, numbered, places, objects

    def among(self, objects):
        """The same among these names, which rows of the map then follow."""
        names = [str(name) for name in objects]
        place = {name: row for row, name in enumerate(names)}
        if len(place) < len(names):
            raise ValueError(f"objects has '{next(n for i, n in enumerate(names) if place[n] != i)}' twice")
        unknown = [name for name in self.evidence.objects if name not in place]
        if unknown:
            raise ValueError(f"There is no '{unknown[0]}' in objects, and answers name it. Give the names of all objects.")
        return Answers(self.evidence, False, np.array([place[name] for name in self.evidence.objects]), names)


def _is_frame(value):
    return hasattr(value, "columns") and hasattr(value, "iloc")


def _is_coo(value):
    return all(hasattr(value, a) for a in ("coords", "data", "shape")) and len(value.shape) == 3


def _is_scipy_sparse(value):
    return hasattr(value, "tocoo") and hasattr(value, "nnz") and not _is_coo(value)


def _is_missing(value):
    return value is None or (isinstance(value, (float, np.floating)) and value != value) or type(value).__name__ in (
        "NAType", "NaTType")


def _has_missing(array):
    """Whether an array of objects has missing values."""
    return array.dtype.kind == "O" and any(map(_is_missing, array.flat))


def _is_ragged(rows):
    return isinstance(rows, (list, tuple)) and any(
        isinstance(cell, (list, tuple, set, np.ndarray)) for row in rows[:100]
        if isinstance(row, (list, tuple)) for cell in row)


_MOST = 2**62  # numbers of objects are below it


def _integers(array, what="triplets"):
    """An array of whole numbers as it is, or a copy of one that only looks like floats; None for names."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{what} contain NaN or infinity; objects are whole numbers or names")
    whole = array.size and array.dtype.kind == "O" and all(
        isinstance(v, numbers.Integral) and not isinstance(v, bool) for v in array.flat)
    if whole or array.dtype.kind in "iuf":
        beyond = array[(array >= _MOST) | (array < -_MOST)]
        if beyond.size:
            raise ValueError(f"{what}: {beyond.flat[0]} is not the number of an object. Objects are numbered from 0; or name "
                             "them by text.")
    if array.dtype.kind in "iu":
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "b":
        raise TypeError(f"{what} are true/false values; objects are whole numbers or names")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} are whole numbers or names")
    if array.dtype.kind == "f":
        whole = array.astype(np.int64)
        if not (whole == array).all():
            raise ValueError(f"{what} contain numbers that are not whole; objects are whole numbers or names")
        return whole
    if whole:
        return array.astype(np.int64)
    if array.dtype.kind not in "OUS":
        raise TypeError(f"{what} are of type {array.dtype}; objects are whole numbers or names")
    return None


def _three_dimensional(values, keep):
    """Rows and responses of an n x n x n array of counts."""
    if len(set(values.shape)) != 1:
        raise ValueError(f"an array of answers about n objects is n x n x n, not {values.shape}")
    rows = np.argwhere(keep & (values != 0))
    return rows, values[tuple(rows.T)]


def _unpacked(answers, responses):
    """Rows and responses of every other form, and which rows are left out as masked (None: none)."""
    if responses is None and isinstance(answers, tuple) and len(answers) == 2 and np.ndim(answers[0]) == 2:
        answers, responses = answers
    answers = gathered(answers)
    if _is_coo(answers):
        return np.ascontiguousarray(np.asarray(answers.coords).T), np.asarray(answers.data), None
    if _is_scipy_sparse(answers):
        n, columns = answers.shape
        if n * n != columns:
            raise ValueError(
                f"a sparse matrix of answers about n objects is n x n^2, not {answers.shape}; or give rows of three")
        found = answers.tocoo()
        rows = np.stack([found.row, found.col // n, found.col % n], axis=1)
        return rows[found.data != 0], found.data[found.data != 0], None
    if isinstance(answers, np.ma.MaskedArray) and answers.ndim == 3:
        return *_three_dimensional(answers.data, ~np.ma.getmaskarray(answers)), None
    if isinstance(answers, np.ndarray) and answers.ndim == 3:
        return *_three_dimensional(answers, np.ones(answers.shape, bool)), None
    masked = None
    if isinstance(answers, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(answers).reshape(len(answers), -1).any(axis=1)
        answers = answers.data
    if isinstance(responses, np.ma.MaskedArray) and responses.ndim == 1 and len(responses) == len(answers):
        masked = np.ma.getmaskarray(responses) if masked is None else masked | np.ma.getmaskarray(responses)
        responses = responses.data
    if responses is not None and np.asarray(responses).dtype.kind in "iuf":
        values = [float(v) for v in np.unique(responses)]
        if values in ([0, 1], [1, 2]):
            raise ValueError(f"responses are {values[0]:.0f} and {values[1]:.0f}, which may be codes. Give true where the "
                             "second object of the query is nearer to the first, such as y == 1; counts go by weights: "
                             "fit(triplets, responses, weights=...)")
    return answers, responses, masked


def _by_response(rows, responses):
    """Rows in the order (anchor, near, far): a response says whether the second is nearer than the third."""
    responses = np.asarray(responses)
    if responses.dtype.kind == "O" and all(isinstance(r, (bool, numbers.Integral)) for r in responses.flat):
        responses = np.array(responses.tolist())
    if responses.ndim != 1 or len(responses) != len(rows):
        raise ValueError(f"there are {len(rows)} queries but responses of shape {responses.shape}")
    if responses.dtype.kind in "OU" and set(responses.tolist()) <= {"left", "right"}:
        responses = responses == "left"
    if responses.dtype.kind == "b":
        first = responses
    else:
        if responses.dtype.kind not in "iuf" or not np.isfinite(responses).all() or (
                responses != np.floor(responses)).any():
            raise ValueError("responses are true/false, left/right or whole numbers (+1, -1, or counts); weights go by keyword: "
                             "fit(triplets, weights=...)")
        if (responses == 0).any():
            raise ValueError("responses of 0 (undecided) say nothing: leave such queries out")
        total = np.abs(responses.astype(float)).sum()
        if total > _MOST_ROWS:
            raise ValueError(f"responses count {total:.3g} answers, more than {_MOST_ROWS:,}; give weights instead: "
                             "fit(triplets, responses, weights=...)")
        times = np.abs(responses.astype(np.int64))
        if (times > 1).any():
            rows, responses = np.repeat(rows, times, axis=0), np.repeat(responses, times)
        first = responses > 0
    if rows.shape[1] == 3:
        return np.where(first[:, None], rows, rows[:, [0, 2, 1]])
    if rows.shape[1] == 4:
        return np.where(first[:, None], rows, rows[:, [2, 3, 0, 1]])
    raise ValueError(f"queries have 3 or 4 columns, not {rows.shape[1]}")


def _used(whole, count):
    """The numbers below count that an array has, in order."""
    if count > 8 * whole.size:
        return np.unique(whole)
    used = np.zeros(count, bool)
    used[whole] = True
    return np.flatnonzero(used)


def _column(values, count, what):
    """An array with one entry for each answer."""
    values = np.asarray(unmasked(values))
    if values.ndim != 1 or len(values) != count:
        raise ValueError(f"{what} needs one entry per answer: {count}, not an array of shape {values.shape}")
    return values


def _codes(values, count, what):
    """Numbers and names of what answers are about: by value if all are whole numbers, else by first appearance."""
    if values is None:
        return None, []
    values = _decoded(_column(values, count, what))
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{what} contains NaN or infinity")
    _require_named(values, what)
    if values.dtype.kind in "OU":
        values = values.astype(str)
    names, first, codes = np.unique(values, return_index=True, return_inverse=True)
    if values.dtype.kind not in "iu":
        order = np.argsort(first)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        names, codes = names[order], place[codes]
    return codes.astype(np.uint32).reshape(-1), [str(name) for name in names]


def _require_named(values, what):
    """Says which answer has no aspect or no annotator."""
    for place, value in enumerate(values if values.dtype.kind in "OUf" else ()):
        if _is_missing(value) or value == "":
            raise ValueError(f"{what}[{place}] is empty. Name one for each answer.")


def _decoded(array):
    """Text of bytes."""
    if array.dtype.kind != "S":
        return array
    try:
        return np.char.decode(array, "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"names are text, but these bytes are not UTF-8: {error}") from None


def _weights(weights, count):
    if weights is None:
        return None
    weights = exact(weights, "weights")
    if np.asarray(weights).dtype.kind not in "biufO":
        raise ValueError("weights are numbers, one per answer")
    try:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("weights are numbers, one per answer") from None
    return _column(weights, count, "weights")


def _listed(value):
    """A name in a list, whose marks it must not contain."""
    if any(mark in str(value) for mark in "|;="):
        raise ValueError(f"names in lists of objects must not contain '|', ';' or '=', as {value!r} does")
    return str(value)


def _cell(value):
    """A field of the text: one object, or a list of them."""
    if isinstance(value, (list, tuple, set, np.ndarray)):
        return "|".join("=".join(map(_listed, v)) if isinstance(v, (list, tuple, set, np.ndarray)) else _listed(v)
                        for v in value)
    if _is_missing(value):
        return ""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (float, np.floating)) and value == int(value):
        return str(int(value))
    return str(value)


def _text(header, rows, columns):
    """Answers as a file of them, with more columns."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(list(header) + [name for name, _ in columns])
    more = [values for _, values in columns]
    for place, row in enumerate(rows):
        writer.writerow([_cell(v) for v in row] + [_cell(values[place]) for values in more])
    text = out.getvalue()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"names are text, but one has a character that is none: {error}") from None
    return text


def _extra_columns(count, weights, aspects, annotators):
    out = []
    if weights is not None:
        out.append(("weight", [repr(float(w)) for w in _weights(weights, count)]))
    for name, values in (("aspect", aspects), ("annotator", annotators)):
        if values is not None:
            values = _decoded(_column(values, count, f"{name}s"))
            _require_named(values, f"{name}s")
            out.append((name, values))
    return out


def _read_text(text, kind, degenerate, more, name="answers"):
    with words_of_python():
        return Answers(_core.text_answers(text, name, to_json({"answers": kind, "degenerate": degenerate, **more},
                                                                   "options")), False)


_COLUMNS = {_PILES: ("user", "item", "cluster"), "dissimilarities": ("item1", "item2", "rating", "participant")}


def evidence_of_file(source, name, **options):
    """Evidence of a file, or of a frame or an array as one, which the command reads as the data set `name`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else os.path.join(folder, "answers.csv")
        if not isinstance(source, (str, os.PathLike)):
            if _is_frame(source):
                columns, rows = map(str, source.columns), source.itertuples(index=False, name=None)
            else:
                rows = np.asarray(unmasked(source), object).tolist()
                if not rows or not isinstance(rows[0], list) or len(rows[0]) not in (3, len(_COLUMNS[name])):
                    raise ValueError(f"give a frame, the path of a file, or rows of {', '.join(_COLUMNS[name])}")
                columns = _COLUMNS[name][:len(rows[0])]
            pathlib.Path(path).write_text(_text(columns, rows, []), encoding="utf-8")
        with words_of_python():
            try:
                return _core.file(name, to_json({"file": path, **options}, "options"))
            except ValueError as error:
                raise ValueError(str(error).replace(os.path.join(folder, "answers.csv"), "answers")) from None


def dissimilarities_of(ratings, *, similarities="auto"):
    """How far apart things are by ratings of pairs, as `MDS(metric="precomputed")` and others take it.

    Parameters
    ----------
    ratings : frame, or path of a file
        A row for each rating: the two things, the number and, where known, who gave it, in columns of such names as
        item1, item2, rating and participant; or a row for each person, with a column for each pair. Where nobody is
        named, each pair has one rating, or the same in both orders.
    similarities : {"auto", True, False}, default="auto"
        Whether large numbers mean alike things: then the largest minus each is taken. "auto": numbers that look like
        similarities are refused.

    Returns
    -------
    frame of shape (n_objects, n_objects)
        The mean of each pair's ratings, in either order, with the names of the things as rows and columns. NaN: nobody
        rated the pair. MDS, Sammon and MultiviewMDS take such pairs.

    Examples
    --------
    >>> import alidade, pandas
    >>> ratings = pandas.DataFrame([["a", "b", 1], ["a", "c", 4], ["b", "a", 2], ["b", "c", 5], ["c", "d", 2]],
    ...                            columns=["item1", "item2", "rating"]).assign(participant=[1, 1, 2, 2, 2])
    >>> apart = alidade.dissimilarities_of(ratings)
    >>> float(apart.loc["a", "b"])
    1.5
    >>> alidade.MDS(metric="precomputed", random_state=0).fit_transform(apart).shape
    (4, 2)
    """
    import pandas

    if similarities not in ("auto", True, False):
        raise ValueError(f"similarities must be 'auto', True or False, not {similarities!r}")
    read = evidence_of_file(ratings, "dissimilarities", missing="weight",
                            similarities={True: "yes", False: "no"}.get(similarities, "auto"))
    return pandas.DataFrame(read.dissimilarities, index=read.objects, columns=read.objects)


def _require_count(n_objects):
    if n_objects is None:
        return
    if not isinstance(n_objects, numbers.Integral) or isinstance(n_objects, bool):
        raise TypeError(f"n_objects must be a whole number, not {n_objects!r}")
    if not 1 <= n_objects < 2**32:
        raise ValueError(f"n_objects must be a whole number > 0 and below 2^32, not {n_objects}")


def _require_numbers(n_objects):
    if n_objects is not None:
        raise ValueError("n_objects goes with an array of whole numbers; names, frames and other kinds of answers name "
                         "their objects themselves")


def read_answers(answers, responses=None, *, kind="triplets", weights=None, aspects=None, annotators=None,
                 n_objects=None, degenerate="error", only_used=False, **more):
    """Evidence of answers in any form; see TripletEmbedding.fit. `only_used`: without objects that are in no
    answer; None: where these are numbers, which is said."""
    if kind not in (*ROLES, _PILES):
        raise ValueError(f"There is no kind of answers {kind!r}; there are {', '.join((*ROLES, _PILES))}.")
    if degenerate not in ("error", "drop"):
        raise ValueError(f"degenerate must be 'error' or 'drop', not {degenerate!r}")
    if kind == _PILES:
        if any(given is not None for given in (responses, weights, aspects, annotators, n_objects, more.get("weight_by_answer"))):
            raise ValueError("clusterings are rows of user, item and cluster alone; leave the other arguments out")
        return Answers(evidence_of_file(answers, _PILES), False)
    roles = ROLES[kind]
    _require_count(n_objects)
    if isinstance(answers, (str, os.PathLike)):
        if any(given is not None for given in (responses, weights, aspects, annotators, n_objects)):
            raise ValueError("a file has columns of its own for all that belongs to answers; leave the other arguments out")
        with open(answers, encoding="utf-8", newline="") as file:
            return _read_text(file.read(), kind, degenerate, more, os.fspath(answers))
    if isinstance(answers, dict):
        import pandas
        try:
            answers = pandas.DataFrame(answers)
        except ValueError as error:
            raise ValueError(f"columns by name need one entry per answer each: {error}") from None
    if _is_frame(answers):
        _require_numbers(n_objects)
        return _read_frame(answers, responses, kind, weights, aspects, annotators, degenerate, more)
    rows, responses, masked = _unpacked(answers, responses)
    if masked is not None and masked.any():
        if "ignore_weights" in more:  # a prediction for each row
            raise ValueError("answers contain missing values; leave such rows out")
        rows = np.asarray(rows)[~masked]
        responses, weights, aspects, annotators = (
            values if values is None else _column(values, len(masked), what)[~masked] for what, values in (
                ("responses", responses), ("weights", weights), ("aspects", aspects), ("annotators", annotators)))
    if kind != "triplets" and (_is_ragged(rows) or any(r.endswith("*") for r in roles)):
        _require_numbers(n_objects)
        if responses is not None:
            raise ValueError(f"responses go with queries about three or four objects, not with answers of the kind {kind}")
        rows = list(rows)
        if any(len(row) != len(roles) for row in rows):
            raise ValueError(f"each answer of the kind {kind} is ({', '.join(r.replace('*', ', which may be a list') for r in roles)})")
        text = _text([r.rstrip("*") for r in roles], rows, _extra_columns(len(rows), weights, aspects, annotators))
        return _read_text(text, kind, degenerate, more)
    if hasattr(rows, "__array__") or isinstance(rows, (list, tuple)):
        given = rows
        try:
            rows = np.asarray(given)
        except ValueError:
            raise ValueError("answers need rows of equal length") from None
        rows = _decoded(rows)
        # Among names NaN has become a name.
        if rows.dtype.kind == "U" and rows.ndim == 2 and isinstance(given, (list, tuple)) and any(
                _is_missing(v) for row in given for v in row):
            raise ValueError("answers contain missing values; leave such rows out")
    else:
        raise TypeError(f"answers are an array, a list of rows, a frame, columns by name or the path of a file, not {type(rows).__name__}")
    if rows.ndim != 2:
        raise ValueError(f"Expected 2D array of answers, one per row, got an array of shape {rows.shape} instead. "
                         "Reshape your data.")
    if rows.shape[1] != len(roles) and not (kind == "triplets" and rows.shape[1] == 4):
        raise ValueError(f"{kind} have {len(roles)} columns ({', '.join(roles)}), not {rows.shape[1]}")
    if kind == "triplets" and rows.shape[1] == 4:
        kind, roles = "quadruplets", ROLES["quadruplets"]
    if len(rows) == 0:
        raise ValueError("There are no answers: found array with 0 sample(s). Give at least one row.")
    whole = _integers(rows)
    if responses is not None:
        before = len(rows)
        rows = _by_response(rows if whole is None else whole, responses)
        if len(rows) != before and (weights is not None or aspects is not None or annotators is not None):
            raise ValueError("weights, aspects and annotators need responses of one answer each")
        whole = None if whole is None else rows
    if whole is not None and kind == "triplets":
        codes, names = _codes(aspects, len(rows), "aspects")
        who, whose = _codes(annotators, len(rows), "annotators")
        places, numbered, known = None, n_objects, []
        count = int(whole.max()) + 1 if n_objects is None else n_objects
        compact = only_used or n_objects is not None or (only_used is None and count <= 10**6)
        if compact and 0 <= whole.min() <= whole.max() < count and (used := _used(whole, count)).size < count:
            if n_objects is None and only_used is None:
                warn(f"There is no answer about object {np.setdiff1d(range(used.size + 1), used)[0]}, whose row of the map "
                     "is NaN. Objects are numbered from 0.", UserWarning)
            whole, places, numbered = np.searchsorted(used, whole), used, used.size
            known, n_objects = [str(number) for number in used], count
        with words_of_python():
            return Answers(
                _core.indexed_answers(whole, numbered, known, _weights(weights, len(rows)), codes, names, who, whose,
                                      degenerate == "drop"), True, places, None if places is None else range(n_objects))
    _require_numbers(n_objects)
    if _has_missing(rows):
        raise ValueError("answers contain missing values; leave such rows out")
    text = _text(roles, rows.tolist(), _extra_columns(len(rows), weights, aspects, annotators))
    return _read_text(text, kind, degenerate, more)


def _read_frame(frame, responses, kind, weights, aspects, annotators, degenerate, more):
    """A pandas frame: columns by their names, as in a file; by their order where they have no names but 0, 1, ..."""
    if len(frame) == 0:
        raise ValueError("There are no answers: found array with 0 sample(s). Give at least one row.")
    roles = ROLES[kind]
    stems = [r.rstrip("*") for r in roles]
    if list(frame.columns) == list(range(len(roles))):
        frame = frame.set_axis(stems, axis=1)
    names = [str(c) for c in frame.columns]
    lower = [name.lower() for name in names]
    if responses is not None:
        queries = next(([lower.index(role) for role in wanted] for wanted in (roles, ROLES["two_choice"][:3])
                        if all(lower.count(role) == 1 for role in wanted)), None)
        if queries is None:
            raise ValueError(f"the frame has the columns {', '.join(names)}; with responses, name those of {kind} "
                             f"{', '.join(roles)}, or give an array: frame.to_numpy()")
        return read_answers(frame.iloc[:, queries].to_numpy(), responses, kind=kind, weights=weights,
                            aspects=aspects, annotators=annotators, degenerate=degenerate, **more)
    for other, columns in ROLES.items():
        if sorted(names) == sorted(columns) != sorted(roles) and (kind, other) != ("triplets", "two_choice"):
            raise ValueError(f"the frame has the columns of {other}, {', '.join(names)}; {kind} have {', '.join(stems)}")
    if kind == "triplets" and {"near", "far"} <= set(names):
        for column in {"response", "answer", "choice"} & set(names):
            if set(frame[column]) <= {-1, 0, 1, 2}:
                raise ValueError(f"near and far say which object was nearer, and '{column}' may say it too. If it does, "
                                 f"give it as y; else leave the column out.")
    known = {"aspect": aspects, "weight": weights, "annotator": annotators}
    for name, given in known.items():
        if hasattr(given, "to_numpy") and hasattr(given, "index") and not given.index.equals(frame.index):
            raise ValueError(f"the index of {name}s is not that of the frame; give {name}s.loc[frame.index], or "
                             f"{name}s.to_numpy() if they are in its order")
    picked = [i for i, name in enumerate(lower) if known.get(name) is None]  # the reader says which it does not know
    frame = frame.iloc[:, picked]
    if len(picked) == len(roles) and frame.isna().to_numpy().any():
        raise ValueError("answers contain missing values; leave such rows out")
    text = _text([names[i] for i in picked], frame.itertuples(index=False, name=None),
                 _extra_columns(len(frame), weights, aspects, annotators))
    return _read_text(text, kind, degenerate, more)
