#!/usr/bin/env python3
"""Writes the package's type stubs from its signatures and from the types that its documents name.

    PYTHONPATH=BUILD/python python3 experiments/python/make_stubs.py FOLDER

The classes are made from the catalogs when the package is imported, so no type checker sees their parameters in the
sources. The build of the package calls this.
"""

import ast
import inspect
import pathlib
import re
import sys
import textwrap
import types

SOURCES = pathlib.Path(__file__).resolve().parent
sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != SOURCES]  # the sources hold no module _core

import alidade  # noqa: E402

HEAD = '"""Made by make_stubs.py from the package itself."""\n\n'
MODULES = {"__init__": alidade, "cblearn": alidade.cblearn, "plot": alidade.plot, "sdp": alidade.sdp}
IMPORTS = {
    "collections.abc": ("Callable", "Iterator", "Mapping", "Sequence"),
    "os": ("PathLike",),
    "typing": ("Any", "Literal"),
    "matplotlib.axes": ("Axes",),
    "numpy.random": ("Generator", "RandomState"),
    "numpy.typing": ("ArrayLike", "NDArray"),
    "pandas": ("DataFrame",),
    "typing_extensions": ("Self",),
    "sklearn.base": ("BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "TransformerMixin"),
}
# Words of the documents, longest first where one begins another.
TYPES = (
    ("array-like", "ArrayLike"), ("ndarray", "NDArray[Any]"), ("RandomState", "RandomState"), ("Generator", "Generator"),
    ("whole number", "int"), ("number", "float"), ("int", "int"), ("float", "float"), ("true/false", "bool"),
    ("bool", "bool"), ("callable", "Callable[..., Any]"), ("path-like", "str | PathLike[str]"),
    ("path", "str | PathLike[str]"), ("dict", "Mapping[str, Any]"), ("str", "str"), ("text", "str"), ("None", "None"),
    ("DataFrame", "DataFrame"), ("Axes", "Axes"), ("self", "Self"),
    ("list of str", "list[str]"), ("list of dict", "list[dict[str, Any]]"), ("tuple of float", "tuple[float, ...]"),
    ("sequence of str", "Sequence[str]"), ("list of float", "list[float]"), ("tuple of str", "tuple[str, ...]"),
    ("list of RunMap", "list[RunMap]"), ("dict of str", "dict[str, Any]"), ("generator", "Iterator[Any]"),
)
CLASSES = {cls.__name__: cls for module in MODULES.values() for cls in vars(module).values() if isinstance(cls, type)
           and cls.__module__.startswith("alidade")}
# Parameters that several documents leave to one: what that one says.
SHARED: dict = {}


def alternatives(text):
    """What a document's type names, split at "or" and commas outside of brackets."""
    text = re.sub(r" (of|with) (shape|length) .*|, shape .*|\s*\([^)]*\)", "", text)
    return [p.strip() for p in re.split(r"(?:,| or )(?![^\[({]*[\])}])", text) if p.strip()]


def annotation(text, returned=False):
    """The type that a document's words name; Any for what no type says."""
    if re.search(r"\b(frame|sparse)\b", text):  # their packages have no types
        return "Any"
    text = re.sub(r",?\s*default=.*", "", text.replace("\n", " ")).strip()
    optional = bool(re.search(r",? optional\b", text))
    text = re.sub(r",? optional\b.*", "", text)
    found = []
    for part in alternatives(text):
        # Intervals such as "float in [0, 1)" and "float (0, inf)" are not part of the type.
        part = re.sub(r"\s+(in\s+)?[(\[].*$|\s+[<>]=?.*$", "", part)
        if part.startswith("{"):
            try:
                values = ast.literal_eval("[" + part[1:-1] + "]")
            except (SyntaxError, ValueError):
                found.append("Any")
                continue
            texts = [v for v in values if isinstance(v, str)]
            found.append("Literal[" + ", ".join(f'"{v}"' if isinstance(v, str) else repr(v) for v in values) + "]"
                         if texts or None in values else "Any")
        elif re.fullmatch(r"\"[^\"]*\"|'[^']*'", part):
            found.append("str" if "str" in text else f'Literal["{part[1:-1]}"]')
        else:
            known = dict(TYPES).get(part) or (part if part in CLASSES else None) or next(
                (kind for word, kind in TYPES if re.match(rf"{re.escape(word)}\b", part)), None)
            found.append(known or "Any")
    if returned:
        found = ["dict[str, Any]" if f == "Mapping[str, Any]" else f for f in found]
    if optional and "None" not in found:
        found.append("None")
    if not found or "Any" in found:
        return "Any"
    return " | ".join(dict.fromkeys(part for kind in found for part in kind.split(" | ")))


def sections(document):
    """Entries of a document in NumPy's style: {section: [(names, type)]}."""
    out, section = {}, None
    lines = inspect.cleandoc(document or "").split("\n")
    for line, below in zip(lines, [*lines[1:], ""]):
        if below and set(below) == {"-"}:
            section = out.setdefault(line.strip(), [])
        elif section is not None and line and not line[0].isspace() and set(line) != {"-"}:
            names, colon, kind = line.partition(" : ")
            section.append((names.split(", ") if colon else [], kind if colon else line))
    return out


def types_of(document, section, returned=False):
    return {name: annotation(kind, returned) for names, kind in sections(document).get(section, ())
            if not kind.startswith("as ") for name in names}


def returned_type(function):
    if isinstance(function, property):
        function = function.fget
    document = inspect.getdoc(function)
    entries = sections(document).get("Returns", [])
    if not entries:
        return "None" if document else "Any"
    kinds = [annotation(kind, True) for _, kind in entries]
    return kinds[0] if len(kinds) == 1 else "tuple[" + ", ".join(kinds) + "]"


def parameters(function, known):
    out, starred = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            out.append(f"{'*' if p.kind is p.VAR_POSITIONAL else '**'}{p.name}: Any")
            starred = True
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        if p.name in ("self", "cls"):
            out.append(p.name)
            continue
        kind = known.get(p.name) or SHARED.get(p.name) or (
            type(p.default).__name__ if isinstance(p.default, (bool, int, float, str)) else "Any")
        if p.default is None and kind != "Any" and "None" not in kind:
            kind += " | None"
        default = ""
        if p.default is not p.empty:
            shown = f'"{p.default}"' if isinstance(p.default, str) else repr(p.default)
            default = f" = {shown}" if isinstance(p.default, (bool, int, float, str, type(None))) and "inf" not in shown \
                and "nan" not in shown else " = ..."
        out.append(f"{p.name}: {kind}{default}")
    return out


def definition(name, function, known, result, indent=""):
    listed = parameters(function, known)
    line = f"{indent}def {name}({', '.join(listed)}) -> {result}: ..."
    if len(line) <= 120:
        return line
    body = textwrap.fill(", ".join(p.replace(" ", "\0") for p in listed), 112 - len(indent), break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")
    return f"{indent}def {name}(\n" + textwrap.indent(body, indent + "    ") + f"\n{indent}) -> {result}: ..."


def summary(document):
    """The first sentence of a document, as a document of the stub."""
    first = " ".join(inspect.cleandoc(document).split("\n\n")[0].split())
    if len(first) > 108:
        first = textwrap.fill(first, 108).replace("\n", "\n    ")
    return f'    """{first}"""' if '"' not in first[-1:] else f'    """{first} """'


def class_stub(cls):
    shown = [b for b in cls.__mro__[1:] if b.__module__.startswith("sklearn.") and not b.__name__.startswith("_")]
    bases = [b.__name__ for b in shown if not any(issubclass(o, b) and o is not b for o in shown)]
    bases = [b for b in bases if b in IMPORTS["sklearn.base"]]
    out = [f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:"]
    document = inspect.getdoc(cls) or ""
    out.append(summary(document))
    known, attributes = types_of(document, "Parameters"), types_of(document, "Attributes", returned=True)
    for c in cls.__mro__:
        if c.__module__.startswith("alidade"):
            attributes = {**types_of(c.__doc__, "Attributes", returned=True), **attributes}
            known = {**types_of(c.__doc__, "Parameters"), **known}
    members = {}
    for c in reversed(cls.__mro__):
        if c.__module__.startswith("alidade"):
            members.update(vars(c))
    init = inspect.signature(cls.__init__).parameters
    for name in init:
        if name != "self" and bases:  # scikit-learn keeps what it was given
            attributes.setdefault(name, known.get(name) or SHARED.get(name, "Any"))
    for name, kind in attributes.items():
        if not isinstance(members.get(name), property):
            out.append(f"    {name}: {kind}")
    if "__init__" in members:
        out.append(definition("__init__", cls.__init__, known, "None", "    "))
    for name, member in members.items():
        if name.startswith("_") and name != "__len__":
            continue
        if isinstance(member, property):
            out.append(f"    @property\n    def {name}(self) -> {attributes.get(name) or returned_type(member)}: ...")
        elif isinstance(member, types.FunctionType):
            function = getattr(cls, name)
            document = inspect.getdoc(function)
            own = {**known, **types_of(inspect.getdoc(getattr(cls, "fit", None)), "Parameters")}
            own.update((k, v) for k, v in types_of(document, "Parameters").items() if v != "Any")
            out.append(definition(name, function, own,
                                  "int" if name == "__len__" else returned_type(function), "    "))
    return "\n".join(out)


def module_stub(module):
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    parts = []
    for name in sorted(names, key=lambda n: (n.lower(), n)):
        member = getattr(module, name)
        if isinstance(member, type):
            parts.append(class_stub(member))
        elif isinstance(member, types.FunctionType):
            document = inspect.getdoc(member)
            parts.append(definition(name, member, types_of(document, "Parameters"), returned_type(member)))
        elif name == "__version__":
            parts.append("__version__: str")
    body = "\n\n".join(parts) + "\n"
    head = HEAD
    for source, wanted in IMPORTS.items():
        used = [w for w in wanted if re.search(rf"\b{w}\b", body)]
        if used:
            head += f"from {source} import {', '.join(used)}\n"
    if module is alidade:
        head += "\nfrom . import cblearn as cblearn, plot as plot, sdp as sdp\n"
    else:
        others = sorted(n for n in CLASSES if n not in names and re.search(rf"\b{n}\b", body))
        head += f"from . import {', '.join(others)}\n" if others else ""
    if module is alidade:
        exported = sorted(n for n in names)
        listed = textwrap.fill(", ".join(f'"{n}"' for n in exported), 112, initial_indent="    ", subsequent_indent="    ")
        body += f"\n__all__ = [\n{listed}\n]\n"
    return head + "\n" + body


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    embedding = alidade.TripletEmbedding
    for document in (embedding.fit.__doc__, embedding.__doc__):
        SHARED.update(types_of(document, "Parameters"))
    for name, module in MODULES.items():
        path = pathlib.Path(sys.argv[1]) / f"{name}.pyi"
        path.unlink(missing_ok=True)  # it may be a link
        path.write_text(module_stub(module), encoding="utf-8")


if __name__ == "__main__":
    main()
