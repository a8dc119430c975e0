"""The tutorial, experiments/python/README.md and tables.md, runs, and so do the scripts beside it."""

import json
import os
import pathlib
import re
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("Agg")
PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "experiments" / "python"
SCRIPTS = sorted(PACKAGE.glob("examples/*.py"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


def test_the_tutorial_runs(capsys):
    text = "".join((PACKAGE / page).read_text(encoding="utf-8") for page in ("README.md", "tables.md"))
    blocks = re.findall(r"^```python( first)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 9 and sum(bool(first) for first, _ in blocks) == 1
    seen = {}
    for first, code in sorted(blocks, key=lambda block: not block[0]):
        exec(compile(code, "tutorial", "exec"), seen)
    said = capsys.readouterr().out
    assert os.path.getsize("map.png") > 5000 and os.path.getsize("results/noise/report.html") > 5000
    assert "(12, 2) [" in said and "\ntea\n" in said and "False" not in re.sub(
        r"\[.*?\]", "", said)
    error = float(re.search(r"held-out answers: ([0-9.]+) %", said)[1])
    assert 0 < error < 20
    assert "2.236068 <= 2.236068, proven: True" in said


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs(script, capsys):
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert said and "nan" not in said


def test_there_is_a_script_for_each_family():
    assert {s.stem for s in SCRIPTS} >= {"answers", "aspects", "tables", "semidefinite", "experiments"}


def test_the_examples_run_as_notebooks_and_the_reference_is_made(tmp_path):
    make_docs = PACKAGE / "make_docs.py"
    for module, part in (("nbconvert", "notebooks"), ("sphinx", "reference")):
        pytest.importorskip(module)
        made = subprocess.run([sys.executable, make_docs, tmp_path / "pages", part], capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
    for script in SCRIPTS:
        cells = json.loads((tmp_path / "pages/notebooks" / f"{script.stem}.ipynb").read_text())["cells"]
        assert sum(bool(cell.get("outputs")) for cell in cells) > 0, script.stem
    page = (tmp_path / "pages/page1.html").read_text()
    assert all(f"alidade.{name}" in page for name in ("Isomap", "TSNE", "MultiviewMDS")) and "inverse_transform" in page
