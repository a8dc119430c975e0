"""Experiments: many runs of methods on data sets, and the folders of their results."""

import html
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from . import _core
from ._experiment import dataset_entry, method_entry
from ._html import map_svg
from ._solve import threads_of, to_json, warn

# The runs are forked children. They are forked from a process that has loaded the module and nothing else.
_CHILD = """
import importlib.machinery, importlib.util, sys
path = sys.argv[1]
loader = importlib.machinery.ExtensionFileLoader("_core", path)
core = importlib.util.module_from_spec(importlib.util.spec_from_loader("_core", loader))
loader.exec_module(core)
sys.exit(core.run_command(sys.argv[2]))
"""


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas; install it, or ask for a text format such as format='md'") from None
    return pandas


def run(config, folder=None, *, methods=None, datasets=None, data=None, n_jobs=1, threads=1, retry_failed=False,
        overrides=(), verbose=0):
    """Runs an experiment: every method on every data set and repeat, each run in a process of its own.

    Runs that the folder has already are not done again; an interrupted experiment goes on when it is run again.
    Warnings tell of runs that failed, and of earlier runs in the folder: those of a method, an option, a seed or data
    that have changed since are left out; those of methods and data sets that the call does not have are shown.

    Parameters
    ----------
    config : dict, str or path
        A configuration as in TOML, or its file.
    folder : str or path, optional
        Of the results; by default results/NAME.
    methods : dict, optional
        Methods to add to those of a dictionary, by name: anything with `fit_transform`, such as an estimator of
        scikit-learn; a function that takes the task and returns the map, such as `lambda task: f(task["features"],
        task.d, seed=task.seed)`; or {"call": either of these, "needs": "triplets", "options": {...}}, where `needs` is
        "features" by default, or "triplets" or "dissimilarities"; options may be lists, which sweep. The map has two
        columns, or as many as the option n_components says. Each run of them is a process.
    datasets : dict, optional
        Data sets to add to those of a dictionary, by name: an array or frame of features; or {"features", "triplets" or
        "distances": array or frame, "labels": ..., further options of such a data set}. The index of a frame of
        features or distances names the objects of the maps.
    data : str or path, optional
        Folder of public data sets; by default that of ALIDADE_DATA.
    n_jobs : int, default=1
        Runs at a time; -1: as many as processors.
    threads : int, default=1
        Threads in each run.
    retry_failed : bool, default=False
        Whether runs that failed before are done again.
    overrides : sequence of str
        Such as "repeats=3", as of `--set`; only with a file.
    verbose : int, default=0
        1: print what `alidade run` prints.

    Returns
    -------
    Results

    Examples
    --------
    >>> import alidade, tempfile
    >>> config = {"name": "small", "dataset": [{"name": "europe", "triplets": 3000}], "repeats": 2,
    ...           "method": [{"problem": "ste"}, {"problem": "soe"}]}
    >>> results = alidade.run(config, tempfile.mkdtemp() + "/small")
    >>> len(results)
    4

    A method and a data set of one's own:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> own = alidade.run({"name": "own", "method": [{"problem": "pca"}]}, tempfile.mkdtemp() + "/own",
    ...                   datasets={"normal": X}, methods={"first two": lambda task: task["features"][:, :2]})
    >>> sorted(own.rows()["method"])
    ['first two', 'pca / lanczos']
    """
    overrides = [str(o) for o in overrides]
    with tempfile.TemporaryDirectory() as temporary:
        if isinstance(config, dict):
            if overrides:
                raise ValueError("overrides go with a file; change the dictionary instead")
            kept = pathlib.Path(folder) if folder is not None else pathlib.Path("results") / str(config.get("name", ""))
            for key, more, entry in (("dataset", datasets, dataset_entry), ("method", methods, method_entry)):
                if more:
                    if not isinstance(more, dict):
                        raise TypeError(f"{key}s is a dictionary by name, such as {{'mine': ...}}, not {type(more).__name__}")
                    config = {**config, key: [*config.get(key, []), *(entry(*item, kept) for item in more.items())]}
            text = to_json(config)
            name = _core.checked_config(text)
            file = os.path.join(temporary, f"{name}.toml")
            pathlib.Path(file).write_text(_core.to_toml(text), encoding="utf-8")
        elif methods or datasets:
            raise ValueError("methods and datasets go with a dictionary, not with a file")
        elif isinstance(config, (str, os.PathLike)):
            file = os.fspath(config)
            os.stat(file)  # FileNotFoundError
            name = _core.checked_file(file, overrides)
        else:
            raise TypeError(f"config must be a dictionary or a path, not {type(config).__name__}")
        folder = pathlib.Path(folder) if folder is not None else pathlib.Path("results") / name
        options = {"config": file, "out": str(folder), "jobs": threads_of(n_jobs),
                   "threads": threads_of(threads, "threads"), "retry_failed": bool(retry_failed), "set": overrides}
        said = _run_child(options if data is None else {**options, "data": os.fspath(data)}, verbose)
    out = Results(folder)
    for line in said.splitlines():
        if line.startswith("Note: ") and "this config does not plan" in line:
            warn(line.removeprefix("Note: ").replace(" with --out", ""), UserWarning)
    failed = [row for row in out.dicts() if row["status"] != "ok"]
    if failed:
        first = failed[0]
        warn(f"{len(failed)} of {len(out)} runs failed; see rows('status!=ok'). The first: {first['method']} on "
             f"{first['dataset']['id']}: {first.get('message') or first['status']}", UserWarning)
    return out


def _run_child(options, verbose):
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", _CHILD, _core.__file__, json.dumps(options)],
                             stdout=None if verbose else subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             start_new_session=True,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path)})
    try:
        _, said = child.communicate()
    except BaseException:
        child.terminate()  # it writes the rows of the runs that it ends
        try:
            child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        raise
    if verbose and said:
        print(said, end="", file=sys.stderr)
    if child.returncode == 2:
        raise ValueError(said.strip())
    if child.returncode not in (0, 1):
        raise RuntimeError(f"the experiment ended with status {child.returncode}: {said.strip()}")
    return said


def load(folder):
    """Opens a folder of results, of `alidade run` or `alidade embed`.

    Parameters
    ----------
    folder : str or path

    Returns
    -------
    Results

    Examples
    --------
    >>> import alidade, tempfile
    >>> folder = tempfile.mkdtemp() + "/one"
    >>> config = {"name": "one", "dataset": [{"name": "europe", "triplets": 2000}], "method": [{"problem": "ste"}]}
    >>> _ = alidade.run(config, folder)
    >>> alidade.load(folder).maps()[0].embedding.shape
    (121, 2)
    """
    return Results(folder)


class RunMap:
    """A map of a run.

    Attributes
    ----------
    embedding : ndarray of shape (n_objects, n_components)
    objects, labels : list of str
    aspect : str
        "" where the run has one map.
    ellipses : ndarray of shape (n_objects, 3) or None
        Semi-axes and angle in degrees, see TripletEmbedding.
    row : dict
        The run.

    Examples
    --------
    See `load`:

    >>> import alidade
    >>> alidade.RunMap.__name__
    'RunMap'
    """

    def __init__(self, folder, row, file, aspect, ellipses):
        table = _read_csv(folder / file)
        self.row, self.aspect = row, aspect
        self.objects, self.labels = [r[0] for r in table[1:]], [r[1] for r in table[1:]]
        self.embedding = np.array([[float(v) if v else np.nan for v in r[2:]] for r in table[1:]])
        self.ellipses = None
        if ellipses is not None:
            table = _read_csv(folder / ellipses)
            if "semi_major" in table[0]:
                columns = [table[0].index(c) for c in ("semi_major", "semi_minor", "angle")]
                self.ellipses = np.array([[float(r[c]) if r[c] else np.nan for c in columns] for r in table[1:]])

    @property
    def title(self):
        text = f"{self.row['method']} on {self.row['dataset']['id']}, repeat {self.row['repeat']}"
        return f"{text}, {self.aspect}" if self.aspect else text

    def __repr__(self):
        return f"<RunMap: {self.title}; {len(self.objects)} objects>"

    def _repr_html_(self):
        labels = self.labels if any(self.labels) else None
        return f"<div><strong>{html.escape(self.title)}</strong><br>{map_svg(self.embedding, self.objects, labels)}</div>"


def _read_csv(path):
    import csv

    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}. Run `alidade repair` on the folder.") from None


class Results:
    """A folder of results; `run` and `load` make it.

    Attributes
    ----------
    folder : pathlib.Path
    notes : list of str
        Remarks on the rows, of which warnings tell, too: on rows that are left out, as of data that have changed
        since, on runs that have none, on one that a crash has cut.

    Examples
    --------
    >>> import alidade, tempfile
    >>> config = {"name": "pair", "dataset": [{"name": "europe", "triplets": 2000}],
    ...           "method": [{"problem": "ste"}, {"problem": "ckl"}]}
    >>> results = alidade.run(config, tempfile.mkdtemp() + "/pair")
    >>> list(results.table("heldout_error")["method"])
    ['ste / ceres', 'ckl / ceres']
    >>> results.report().name
    'report.html'
    """

    def __init__(self, folder):
        self.folder, self.notes = pathlib.Path(folder), []
        try:
            self._rows = self._read([])
        except ValueError as error:
            raise error if self.folder.exists() else FileNotFoundError(str(error)) from None

    def _read(self, where):
        rows, notes = _core.rows(str(self.folder), where)
        self._tell(notes)
        self.notes += [note for note in notes if note not in self.notes]
        return [json.loads(row) for row in rows]

    def _tell(self, notes):
        for note in notes:
            if note not in self.notes:
                warn(note, UserWarning)

    def __len__(self):
        return len(self._rows)

    def __repr__(self):
        return f"<Results: {len(self)} runs in {self.folder}>"

    def dicts(self, where=()):
        """The rows as dictionaries.

        Parameters
        ----------
        where : sequence of str
            Conditions such as "method=ste / ceres" or "status!=ok"; all must hold.

        Returns
        -------
        list of dict
        """
        where = [where] if isinstance(where, str) else list(where)
        return self._read(where) if where else list(self._rows)

    def rows(self, where=()):
        """The rows as a frame, with a column for each field: "metrics.heldout_error", "problem.options.t", ...

        Returns
        -------
        pandas.DataFrame
        """
        return _pandas().json_normalize(self.dicts(where))

    def table(self, value=None, *, format="frame", where=(), **options):
        """Compares methods, with intervals, as `alidade table` does. A warning tells of rows that it alone leaves out.

        Parameters
        ----------
        value : str, optional
            A field, such as "heldout_error" or "seconds.solve"; by default the first measure.
        format : {"frame", "md", "latex", "csv", "json"}
            A frame has a row for each cell of the table; the others are text.
        where : sequence of str
            As for `rows`.
        **options
            Those of `alidade table`, such as rows, cols, over, aggregate, interval, test, differences and profile.

        Returns
        -------
        pandas.DataFrame or str
        """
        where = [where] if isinstance(where, str) else list(where)
        if value is not None:
            options["value"] = value
        request = {**options, "folder": str(self.folder), "where": where, "format": "csv" if format == "frame" else format}
        text, notes = _core.table(to_json(request, "options"))
        self._tell(notes)
        return text if format != "frame" else _pandas().read_csv(io.StringIO(text), float_precision="round_trip")

    def maps(self, where=()):
        """The maps of the runs.

        Returns
        -------
        list of RunMap
        """
        out = []
        for row in self.dicts(where):
            files = row.get("files") or {}
            maps = files.get("embedding") or []
            ellipses = files.get("ellipses") or [None] * len(maps)
            aspects = files.get("aspects") or [""] * len(maps)
            out += [RunMap(self.folder, row, *each) for each in zip(maps, aspects, ellipses)]
        return out

    def trace(self, run_id):
        """The records of a run's solve, as a dictionary or list as in its file.

        Returns
        -------
        object
        """
        for row in self._rows:
            if row["run_id"] == run_id:
                file = (row.get("files") or {}).get("trace")
                if file is None:
                    raise ValueError(f"the run {run_id} has no trace")
                return json.loads((self.folder / file).read_text(encoding="utf-8"))
        raise ValueError(f"There is no run {run_id!r} in {self.folder}.")

    def report(self, file=None):
        """Writes the report, one page of HTML that needs no network.

        Parameters
        ----------
        file : str or path, optional
            By default report.html in the folder.

        Returns
        -------
        pathlib.Path
        """
        page = pathlib.Path(file) if file is not None else self.folder / "report.html"
        _core.write_page(str(self.folder), str(page))
        return page

    def _repr_html_(self):
        try:
            table = json.loads(self.table(format="json"))
        except ValueError as error:
            return f"<p>{html.escape(repr(self))}: {html.escape(str(error))}</p>"
        return f"<div><strong>{html.escape(repr(self))}</strong>{_table_html(table)}</div>"


def _table_html(table):
    head = "".join(f"<th>{html.escape(', '.join(col))}</th>" for col in table["cols"])
    body = ""
    for row, cells in zip(table["rows"], table["cells"]):
        body += f"<tr><th style='text-align:left'>{html.escape(', '.join(row))}</th>"
        for cell in cells:
            text = "" if cell["result"] is None else f"{cell['result']:.4g}"
            body += f"<td>{'<b>' + text + '</b>' if cell['best'] else text}</td>"
        body += "</tr>"
    caption = html.escape(f"{table['value']}: {table['caption']}")
    return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{body}</table>"
