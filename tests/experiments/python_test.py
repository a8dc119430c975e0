"""Runs the Python of experiments/guide/maps.md on results of the command and compares what it loads with the files.

    python_test.py COMMAND SOURCE_FOLDER

Exit status 0: as it should be; 1: not; 77: there is no pandas or NumPy here.
"""

import math
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import pandas  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def main(command, source):
    text = (source / "experiments" / "guide" / "maps.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, f"{len(blocks)} blocks of Python in the page"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [command, "run", source / "experiments" / "configs" / "quickstart.toml", "--set", "repeats=1"],
            cwd=folder, check=True, capture_output=True)
        code = blocks[0].replace('"results/', f'"{folder}/results/')
        seen = {}
        exec(compile(code, "experiments/guide/maps.md", "exec"), seen)
        rows, trace, places, array, means = (
            seen[name] for name in ("rows", "trace", "places", "array", "means"))
        plain = (pathlib.Path(folder) / "results/quickstart/runs.jsonl").read_text(encoding="utf-8")
        lines = plain.splitlines()
        assert len(rows) == len(lines) > 10
        assert set(rows["status"]) == {"ok"}
        errors = [float(re.search(r'"heldout_error":([0-9.e-]+)', line)[1]) for line in lines]
        assert list(rows["metrics.heldout_error"]) == errors, "numbers changed on the way"
        assert {"iteration", "seconds", "objective", "gradient_norm"} <= set(trace.columns)
        assert trace["iteration"].is_monotonic_increasing and len(trace) > 3
        assert trace["objective"].iloc[-1] < trace["objective"].iloc[0]
        assert array.shape == (rows["n"][0], rows["n_components"][0])
        assert (places[["x1", "x2"]].to_numpy() == array).all(), "text and array differ"
        assert places.index.is_unique
        assert means.shape[0] > 1 and not math.isnan(means.to_numpy().min())
    print(f"{len(rows)} rows, a trace of {len(trace)} records, a map of {len(places)} objects")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
