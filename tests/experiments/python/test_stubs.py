"""The type stubs are what the package is, and a type checker finds errors by them."""

import pathlib
import shutil
import subprocess
import sys

import pytest

import alidade

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "experiments" / "python" / "examples"

RIGHT = """
import numpy as np
import alidade

model = alidade.TripletEmbedding(3, "ste", random_state=0, bootstrap=10).fit(np.zeros((4, 3), int))
error: float = model.error_
places: np.ndarray = alidade.TSNE(perplexity=20, random_state=0).fit_transform(np.zeros((40, 3)))
alidade.plot.map(model)
program = alidade.sdp.read("a.dat-s")
bound: float = alidade.sdp.solve(program).lower_bound_
rows = alidade.load("results/a").rows()


class Mine:
    shape = (2, 2)

    def value_and_gradient(self, Y: np.ndarray) -> tuple[float, np.ndarray]:
        return float((Y**2).sum()), 2 * Y

    def solve(self, problem: object, start: np.ndarray) -> np.ndarray:
        return start * 0


objective: float = alidade.minimize(Mine(), solver=Mine()).objective
alidade.STE(n_components="auto").fit([["a", "b", "c"]]).add([["d", "a", "b"]])
alidade.AspectEmbedding().fit([[0, 1, 2]], aspects=["a"])
alidade.TSNE(measures=None, timeout="5min", solver={"name": "ceres"})
"""

# One error a line, each of a kind that a user makes. scikit-learn's classes have no types: attributes go unchecked.
WRONG = """
import alidade

alidade.TripletEmbedding(n_component=3)
alidade.TSNE(perplexity="twenty")
alidade.STE(degenerate="keep")
alidade.sdp.solve([[1.0]], [[[1.0]]], [1.0]).lower_bond_
alidade.sdp.reed("a.dat-s")
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A folder with the stubs alone: the sources beside them are not annotated."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("stubs")
    (folder / "alidade").mkdir()
    for stub in pathlib.Path(alidade.__file__).parent.glob("*.pyi"):
        shutil.copy(stub, folder / "alidade")
    (folder / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")
    return folder


def mypy(folder, *arguments):
    return subprocess.run([sys.executable, "-m", *arguments, "--cache-dir", folder / "cache"], cwd=folder,
                          capture_output=True, text=True)


def test_stubs_agree_with_the_package(checked):
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "alidade", "--ignore-missing-stub", "--concise",
                           "--mypy-config-file", "mypy.ini"], cwd=checked, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_right_program_passes(checked):
    (checked / "right.py").write_text(RIGHT)
    done = mypy(checked, "mypy", "right.py")
    assert done.returncode == 0, done.stdout


def test_examples_pass(checked):
    done = mypy(checked, "mypy", *sorted(EXAMPLES.glob("*.py")))
    assert done.returncode == 0, done.stdout


def test_each_wrong_line_is_an_error(checked):
    (checked / "wrong.py").write_text(WRONG)
    done = mypy(checked, "mypy", "wrong.py")
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == set(range(4, 9)), done.stdout
