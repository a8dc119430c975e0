"""Makes the pages of the package: the reference, of its docstrings by Sphinx, and the examples as notebooks that were run.

    PYTHONPATH=build/release/python /usr/bin/python3 experiments/python/make_docs.py OUT [reference | notebooks]

Sphinx is Debian's python3-sphinx; notebooks need python3-nbconvert and python3-ipykernel.
"""

import inspect
import pathlib
import re
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).parent / "examples"
HEAD = """Alidade in Python: reference
============================

Made of the docstrings. The tutorial is README.md beside the package.

.. toctree::

"""


def notebook_of(script):
    """A notebook of a script whose cells begin with `# %%`, with a title of Markdown where the line goes on."""
    import nbformat.v4 as v4

    cells = []
    for mark, title, body in re.findall(r"^# %%( \[markdown\])?(.*)\n((?:(?!# %%).*\n?)*)", script, re.MULTILINE):
        if mark:
            cells.append(v4.new_markdown_cell(re.sub("^# ?", "", body, flags=re.MULTILINE).strip()))
            continue
        if title.strip():
            cells.append(v4.new_markdown_cell(title.strip()))
        cells.append(v4.new_code_cell(body.strip()))
    return v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def make_notebooks(out):
    """Runs each example as a notebook; writes it, with what it said and drew, as a notebook and as a page."""
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    out.mkdir(parents=True, exist_ok=True)
    for script in sorted(EXAMPLES.glob("*.py")):
        notebook = notebook_of(script.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as elsewhere:  # where it writes its files
            ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook, {"metadata": {"path": elsewhere}})
        nbformat.write(notebook, out / f"{script.stem}.ipynb")
        page, _ = HTMLExporter().from_notebook_node(notebook)
        (out / f"{script.stem}.html").write_text(page, encoding="utf-8")
    return [script.stem for script in sorted(EXAMPLES.glob("*.py"))]


def pages():
    """Title and entries of each page of the reference."""
    import alidade
    from alidade import cblearn, distances, sdp, semidefinite, transformers, triplets

    known = {"Maps from answers": [*triplets.__all__, "AspectEmbedding"],
             "Maps from tables": [*transformers.__all__, *semidefinite.__all__, *distances.__all__]}
    rest = [n for n in alidade.__all__ if n[0] != "_" and not any(n in names for names in known.values())]
    known["Problems, solvers, experiments"] = [n for n in rest if not inspect.ismodule(getattr(alidade, n))]
    out = [(title, alidade, names) for title, names in known.items()]
    out += [(title, module, module.__all__) for title, module in (("Semidefinite programs", sdp),
                                                                  ("As cblearn has them", cblearn))]
    return [*out, ("Pictures", alidade.plot, ["map", "errors", "profile", "color_of"])]


def make_reference(out, notebooks):
    """HTML of all docstrings."""
    from sphinx.cmd.build import main

    with tempfile.TemporaryDirectory() as source:
        source, index = pathlib.Path(source), HEAD
        for number, (title, module, names) in enumerate(pages()):
            text = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: {module.__name__}\n\n"
            for name in names:
                kind = "class" if inspect.isclass(getattr(module, name)) else "function"
                text += f".. auto{kind}:: {name}\n"
                text += "   :members:\n   :inherited-members:\n\n" if kind == "class" else "\n"
            (source / f"page{number}.rst").write_text(text, encoding="utf-8")
            index += f"   page{number}\n"
        if notebooks:
            index += "\nExamples, as they ran: " + ", ".join(f"`{n} <notebooks/{n}.html>`__" for n in notebooks) + "\n"
        (source / "index.rst").write_text(index, encoding="utf-8")
        sys.path.append(str(pathlib.Path(__file__).parent))  # where Sphinx finds setup() below
        return main(["-q", "-W", "--keep-going", "-C", "-b", "html", "-d", str(source / "doctrees"), "-D", "project=Alidade", "-D",
                     "extensions=sphinx.ext.autodoc,sphinx.ext.napoleon,make_docs", str(source), str(out)])


def setup(app):
    """Sphinx's door: bars are those of norms here, and no substitutions; scikit-learn's own pages are not here."""
    def escape(app, what, name, face, options, lines):
        lines[:] = [line if ">>>" in line else line.replace("|", "\\|") for line in lines if "sphx_glr" not in line]

    app.connect("autodoc-process-docstring", escape, priority=400)


def main():
    out = pathlib.Path(sys.argv[1])
    which = sys.argv[2:] or ["reference", "notebooks"]
    notebooks = make_notebooks(out / "notebooks") if "notebooks" in which else []
    return make_reference(out, notebooks) if "reference" in which else 0


if __name__ == "__main__":
    sys.path.pop(0)  # the package of the build, not the sources beside this script
    sys.exit(main())
