"""One solve: the configuration, the seed, the threads and the progress of it."""

import json
import logging
import math
import numbers
import os
import re
import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from . import _core
from ._catalog import PROBLEMS, SOLVERS, option_name
from ._checks import exact, words_of_python


LOG = logging.getLogger("alidade")  # how solves ended and notes at INFO, their records at DEBUG
LOG.addHandler(logging.NullHandler())


class _Numbers(json.JSONEncoder):
    """NumPy's scalars and arrays as JSON."""

    def default(self, o):
        if isinstance(o, np.generic):
            return o.item()
        if isinstance(o, np.ndarray):
            return o.tolist()
        if isinstance(o, (tuple, set, range)):
            return list(o)
        return super().default(o)


def to_json(value, what="config"):
    """A dictionary as JSON. Numbers that are not finite, and what is no plain value, are refused."""
    try:
        return json.dumps(value, cls=_Numbers, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{what}: numbers must be finite") from error
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None


def seed_of(random_state):
    """A seed: a whole number is one; None and generators give the next of theirs."""
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must be a whole number >= 0, not {random_state}")
        if random_state >= 2**63:
            raise ValueError(f"random_state must be below 2^63, not {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs, name="n_jobs"):
    """Threads or processes: None is 1, -1 all processors, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"{name} must be a whole number or None, not {n_jobs!r}")
    if not -2**31 < n_jobs <= 512 or n_jobs == 0:
        raise ValueError(f"{name} must be a whole number in [1, 512], or negative, not {n_jobs}.")
    return int(n_jobs) if n_jobs > 0 else max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


def named(part, options=None):
    """A problem or a solver as a table with its name: from a name, or a dictionary with `name`, and more options."""
    if isinstance(part, str):
        part = {"name": part}
    elif not isinstance(part, dict) or "name" not in part:
        raise TypeError(f"a problem or a solver is a name, or a dictionary with 'name', not {part!r}")
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"options are a dictionary, not {options!r}")
    return {option_name(k): v for k, v in {**part, **(options or {})}.items()}


def with_default_solver(solver, options, problem):
    """The solver with options; "auto" with options is the problem's own solver, whose last stage takes them."""
    out = named(solver, options)
    if out["name"] == "auto" and len(out) > 1:
        if problem not in PROBLEMS:
            raise ValueError("solver options need a named solver, such as solver='ceres', or a named method")
        del out["name"]
        return _with_last_stage(PROBLEMS[problem]["solver"], out)
    return out


def _with_last_stage(solver, options):
    for part in ("finish", "last_solver", "solver"):
        if part in solver:
            return {**solver, part: _with_last_stage(solver[part], options)}
    if "solvers" in solver:
        return {**solver, "solvers": [*solver["solvers"][:-1], _with_last_stage(solver["solvers"][-1], options)]}
    return {**solver, **options}


class Reporter:
    """Prints records of a solve, logs them, or hands them to a function."""

    def __init__(self, name, verbose, callback):
        self.name, self.verbose, self.callback = name, verbose, callback
        self.start = 0

    def __call__(self, record):
        self.start += record["iteration"] == 0  # where each start begins
        record = {"iteration": record["iteration"], "start": max(self.start, 1), **record}
        start = f"start {record['start']}, " if record["start"] > 1 else ""
        text = f"{start}iteration {record['iteration']}: objective {record['objective']:.6g}"
        if "heldout_error" in record:
            text += f", held-out error {100 * record['heldout_error']:.1f} %"
        self._say(logging.DEBUG, f"{text}, {record['seconds']:.2f} s")
        if self.callback is not None:
            self.callback(record)

    def or_none(self):
        """None where nobody listens: then nothing is measured on the way."""
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback must be callable, not {self.callback!r}")
        return self if self.verbose or self.callback is not None or LOG.isEnabledFor(logging.DEBUG) else None

    def end(self, out):
        """Tells how the solve ended, and the notes on its map."""
        for note in out.row.get("notes") or []:
            self._say(logging.INFO, note)
        LOG.info("[%s] %s / %s ended by %s after %d iterations, objective %.6g", self.name, out.row["problem"]["name"],
                 out.row["solver"]["name"], out.row["termination"], out.iterations, number_or_nan(out.row.get("objective")))

    def _say(self, level, text):
        LOG.log(level, "[%s] %s", self.name, text)
        if self.verbose:
            print(f"[{self.name}] {text}", flush=True)


class Outcome:
    """What a solve gave."""

    def __init__(self, found, config):
        self.config = config
        self.row = json.loads(found["row"])
        self.maps = dict(found["maps"])
        self.objects = found["objects"]
        self.labels = found["labels"]
        self.trace = found["trace"]
        self.uncertainty = found["uncertainty"]
        self.projector = found.get("projector")
        self.annotators = found.get("annotators")
        self.warnings = [re.sub(r" To (exchange|hold out)[^.]*: .*", "", text) for text in found.get("warnings", ())]
        refit = self.row.get("refit") or {}
        if refit.get("written"):
            counts = self.row.get("counts") or {}
            self.row["measured_fit"] = {**{k: self.row.get(k) for k in ("objective", "termination", "message", "triplets")},
                                        "iterations": counts.get("iterations")}
            self.row.update({k: refit[k] for k in ("objective", "termination", "message", "triplets")},
                            counts={**counts, "iterations": refit["iterations"]})

    def with_all_objects(self, read):
        """Gives objects that are in no answer the place NaN; see Answers."""
        if read.places is not None:
            count, missing = len(read.objects), len(read.objects) - len(read.places)

            def among_all(values):
                out = np.full((count, values.shape[1]), math.nan)
                out[read.places] = values
                return out

            self.maps = {name: among_all(places) for name, places in self.maps.items()}
            self.uncertainty = [(among_all(one[0]), *one[1:]) for one in self.uncertainty]
            self.objects = read.objects
            if missing:
                without = np.setdiff1d(np.arange(min(count, len(read.places) + 5)), read.places)[:5]
                self.row.setdefault("notes", []).append(
                    f"{missing} of {count} objects are in no answer and have no place, NaN: "
                    f"{', '.join(str(read.objects[i]) for i in without)}{', ...' if missing > len(without) else ''}.")
        return self

    def describe(self, model):
        """Gives an estimator what is known of its map."""
        row = self.row
        model.row_ = row
        model._config, model._uncertainty, model._projector = self.config, self.uncertainty, self.projector
        model.notes_ = [*self.warnings, *(row.get("notes") or [])]
        model.trace_ = self.trace
        model.n_iter_ = self.iterations
        model.method_, model.solver_ = row["problem"]["name"], row["solver"]["name"]
        model.objective_ = number_or_nan(row.get("objective"))
        model.termination_ = row["termination"]
        model.measures_ = {k: v for k, v in (row.get("metrics") or {}).items() if v is not None}

    @property
    def only(self):
        return next(iter(self.maps.values()))

    @property
    def iterations(self):
        return max(1, int((self.row.get("counts") or {}).get("iterations") or 0))


def solve(*, evidence, dataset, problem, solver, seed, threads, reporter, choose=None, rule=None, holdout=0.0,
          default_holdout=False, refit=False, bootstrap=0, ellipses="bootstrap", timeout=None, measures=(), input=None,
          onto=None, start=None, by_person=False):
    """Makes a map of the evidence; the configuration is that of `alidade embed`."""
    progress = reporter.or_none()
    method = {"problem": problem, "solver": solver}
    for key, value in (("choose", choose), ("rule", rule), ("input", input)):
        if value is not None:
            method[key] = value
    split = {"holdout": holdout, "refit": refit, **({"by_annotator": True} if by_person and holdout else {"questions": "auto"} if holdout else {})}
    config = {"name": "map", "seed": seed, "split": split,
              "uncertainty": {"bootstrap": bootstrap, "ellipses": ellipses}, "dataset": [dataset], "method": [method]}
    evaluate = {} if measures is None else {"metrics": [measures] if isinstance(measures, str) else list(measures)}
    evaluate["schedule"] = {"kind": "log" if progress else "none"}
    if progress and not evidence.triplet_count:
        evaluate["trace_metrics"] = []
    config["evaluate"] = evaluate
    if timeout not in (None, math.inf):
        config["timeout"] = timeout
    config = to_json(config)
    with words_of_python():
        out = Outcome(_core.solve_map(config, evidence, threads, progress, default_holdout, onto, start), config)
    out.warnings += evidence.guesses
    reporter.end(out)
    is_schedule = "max_iter" not in solver and SOLVERS[out.row["solver"]["name"]]["by_schedule"]
    if not is_schedule or out.row["termination"] != "max_iter":
        warn_of_end(reporter.name, out.row["termination"], out.row.get("message"))
    for text in out.warnings:
        warn(f"{reporter.name}: {text}", UserWarning)
    unknown = [name for name in evaluate.get("metrics", ()) if (out.row.get("metrics") or {}).get(name) is None]
    if unknown and measures not in ((), ("train_error", "heldout_error")):
        warn(f"{reporter.name}: {', '.join(unknown)} cannot be measured of this map and these data.", UserWarning)
    return out


def start_of(init, objects):
    """A start as an array, of an array in the order of the objects, or of a frame by their names."""
    if init is None:
        return None
    if hasattr(init, "loc") and hasattr(init, "index") and list(init.index) != list(objects):
        init = init.set_axis([str(name) for name in init.index])
        missing = [name for name in map(str, objects) if name not in init.index]
        if missing:
            raise ValueError(f"init has no row of {', '.join(missing[:5])}. Give a place of each object.")
        init = init.loc[[str(name) for name in objects]]
    if isinstance(init, str):
        raise TypeError(f"init has places, and is not a name such as {init!r}. Kinds of starts go by the parameter `start`, "
                        "where a class has it.")
    out = np.ascontiguousarray(exact(init, "init"), dtype=float)
    if out.ndim != 2:
        raise ValueError(f"init has a row for each object, not the shape {out.shape}")
    return out


def warn(text, kind=ConvergenceWarning):
    """A warning at the line of the user that called."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("alidade", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


_ADVICE = {"max_iter": " Raise max_iter (of solver_options, where it is no parameter of its own).", "time_limit": " Raise timeout for more time."}


def warn_of_end(name, ended, message, but=("converged", "stalled")):
    """Says so where a solve ended before it converged."""
    if ended not in but:
        warn(f"{name}: the solve ended by {ended}, not converged. {message or ''}{_ADVICE.get(ended, '')}")


def number_or_nan(value):
    return math.nan if value is None else float(value)
