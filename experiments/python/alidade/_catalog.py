"""What the catalogs of problems and solvers know, and the signatures and documents made of it."""

import inspect
import json
import textwrap

from . import _core

_CATALOGS = json.loads(_core.catalogs())
PROBLEMS = {entry["name"]: entry for entry in _CATALOGS["problems"]}
SOLVERS = {entry["name"]: entry for entry in _CATALOGS["solvers"]}


def problems(*, needs=None):
    """Names of the problems, or of those that need one kind of evidence.

    Parameters
    ----------
    needs : str, optional
        "triplets", "features", "dissimilarities", "pair_signs" or "features or dissimilarities".

    Returns
    -------
    list of str

    Examples
    --------
    >>> import alidade
    >>> "ste" in alidade.problems(needs="triplets")
    True
    """
    return [name for name, entry in PROBLEMS.items() if needs is None or needs in entry["needs"]]


def solvers():
    """Names of the solvers.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import alidade
    >>> "ceres" in alidade.solvers()
    True
    """
    return list(SOLVERS)


# "lambda" is a word of the language, and scikit-learn takes names that end in "_" for what a fit has found.
def parameter_name(option):
    """An option's name as a Python parameter."""
    return "lambd" if option == "lambda" else option


def option_name(parameter):
    """The option of a parameter."""
    return "lambda" if parameter == "lambd" else parameter


def option_parameters(problem):
    """Parameters of a problem's options but n_components, which comes first everywhere."""
    return {parameter_name(o["name"]): tuple(o["default"]) if isinstance(o["default"], list) else o["default"]
            for o in PROBLEMS[problem]["options"]
            if o["name"] != "n_components"}


def options_of(estimator, problem):
    """The problem with those options that are parameters of the estimator."""
    known = {o["name"] for o in PROBLEMS[problem]["options"]}
    return {"name": problem, **{option_name(parameter): getattr(estimator, parameter)
                                for parameter in inspect.signature(type(estimator)).parameters
                                if option_name(parameter) in known}}


def filled(text):
    """Text in lines of a document."""
    return textwrap.fill(" ".join(text.split()), 110, break_long_words=False, break_on_hyphens=False)


def describe_option(option):
    """An option as an entry of "Parameters" in NumPy's style."""
    kind = {"number": "float", "whole number": "int", "true/false": "bool", "text": "str"}.get(option["kind"],
                                                                                               option["kind"])
    if option["choices"]:
        kind = "{" + ", ".join(repr(c) for c in option["choices"]) + "}"
    elif option["bounds"]:
        kind += " " + option["bounds"]
    head = f"{parameter_name(option['name'])} : {kind}, default={option['default']!r}"
    more = ". A value other than the default must be below n_samples" if option["name"] == "n_neighbors" else ""
    return head + "\n" + textwrap.indent(filled(option["doc"] + more), "    ")


def with_signature(function, parameters, positional=1):
    """An __init__ that keeps its arguments, with the signature `(self, name=default, ...)`, which scikit-learn reads."""
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    listed = [inspect.Parameter("self", kinds[0])] + [
        inspect.Parameter(name, kinds[place >= positional], default=default)
        for place, (name, default) in enumerate(parameters.items())]
    signature = inspect.Signature(listed)

    def init(self, *args, **kwargs):
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{function}: {error}. Its parameters are {', '.join(parameters)}.") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)

    init.__signature__ = signature
    init.__name__, init.__qualname__ = "__init__", function + ".__init__"
    return init
