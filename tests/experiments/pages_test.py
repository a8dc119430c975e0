"""Runs every command of the pages, page by page, in a folder that has the files they speak of.

    pages_test.py COMMAND SOURCE_FOLDER [PAGE...]

Left out are commands of tables that a command makes, and R where there is no Rscript.
Exit status 0: as it should be; 1: not.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

NAMES = ["espresso", "ristretto", "latte", "cappuccino", "mocha", "lungo", "cortado", "macchiato", "filter", "iced"]
# Of what is not here: a network, a second machine, a library that another test builds, hours.
ELSEWHERE = ("data fetch", "data verify", "mpirun", "--plugin", "score_single_multiple", "config.toml --shard", "merge ",
             "results/ask_strategies", "FOLDER", "CONFIG")
# Other names of the results of the quickstart.
COPIES = ["triplet_solvers", "several", "one", "two", "before", "after"]
# What a page takes for granted.
BEFORE = {
    "claims.md": "alidade init study.toml --triplets answers.csv --set repeats=2 && alidade run study.toml",
    "maps.md": "alidade embed --features wine.csv --scale standard -o wines",
    "semidefinite.md": "alidade embed answers.csv -p ste",
}


def write(name, lines):
    pathlib.Path(name).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def answers(objects, count, seed, aspects=False, header="anchor,near,far,annotator"):
    draw = random.Random(seed)
    place = {name: (draw.gauss(0, 1), draw.gauss(0, 1)) for name in objects}
    out = [header + (",aspect" if aspects else "")]
    for k in range(count):
        a, b, c = draw.sample(objects, 3)
        if draw.random() < 0.1 or (sum((x - y) ** 2 for x, y in zip(place[a], place[b])) <
                                   sum((x - y) ** 2 for x, y in zip(place[a], place[c]))):
            b, c = c, b
        out.append(f"{a},{c},{b},P{k % 12}" + (f",{'taste' if k % 2 else 'looks'}" if aspects else ""))
    return out


def table(rows, seed, new=""):
    draw = random.Random(seed)
    return ["name,a,b,c,kind"] + [
        f"{new}{k},{draw.gauss(3 * (k % 2), 1):.3f},{draw.gauss(0, 1):.3f},{draw.gauss(k % 2, 1):.3f},{'xy'[k % 2]}"
        for k in range(rows)]


def npy(name, rows):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    pathlib.Path(name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                                   b"".join(struct.pack("<d", value) for row in rows for value in row))


def trials(objects, seed, columns="reference,left,right,response"):
    out = ["participant,group,phase," + columns]
    for row in answers(objects, 600, seed)[1:]:
        anchor, near, far, person = row.split(",")
        group = "children" if person in ("P0", "P1", "P2", "P3", "P4") else "adults"
        if random.Random(row).random() < 0.5:
            out.append(f"{person},{group},test,{anchor},{near},{far},left")
        else:
            out.append(f"{person},{group},test,{anchor},{far},{near},right")
    return out


def files(names):
    draw = random.Random(1)
    write("answers.csv", answers(names, 600, 2))
    write("later.csv", answers(names, 100, 3))
    write("more.csv", answers(names + ["flat white"], 300, 4))
    write("export.csv", trials(names, 5))
    write("trials.csv", trials(names, 5, "stim1,stim2,stim3,response"))
    write("bare.csv", [row.rpartition(",")[0] for row in answers(names, 300, 11)[1:]])
    write("names.csv", names)
    write("colleague.csv", ["name,Dim1,Dim2"] + [f"{name},{draw.gauss(0, 1)},{draw.gauss(0, 1)}" for name in names])
    for person in "AB":
        write(f"data/{person}_test.csv", answers(names, 200, person, header="anchor,near,far,person"))
    write("odd.csv", ["odd,first,second"] + [",".join(draw.sample(names, 3)) for _ in range(200)])
    write("picks.csv", ["anchor,picked,rest"] + ["{},{}|{},{}|{}".format(*draw.sample(names, 5)) for _ in range(200)])
    write("judgements.csv", ["participant,item1,item2,response,rt"] +
          [f"P{p},{a},{b},{draw.choice(['same', 'different', 'different'])},{draw.random():.3f}"
           for p in range(9) for a in names for b in names if a < b])
    write("cards.csv", ["participant,card,pile"] +
          [f"P{p},{card},{k // 4 + draw.randrange(2)}" for p in range(8) for k, card in enumerate(names)])
    write("ratings.csv", ["participant,item1,item2,rating"] +
          [f"P{p},{a},{b},{draw.randrange(1, 8)}" for p in range(5) for a in names for b in names if a < b])
    write("travel_times.csv", ["city," + ",".join(names)] +
          [f"{a}," + ",".join("0" if a == b else str(30 + 7 * abs(i - j) % 60) for j, b in enumerate(names))
           for i, a in enumerate(names)])
    write("pairs.csv", ["a,b,sign"] +
          [f"{a},{b},{1 if (i < 5) == (j < 5) else -1}"
           for i, a in enumerate(names) for j, b in enumerate(names) if i < j])
    write("ring.edges", [f"{names[k]} {names[(k + 1) % 10]}" for k in range(10)])
    write("G11.gset", ["10 10"] + [f"{k + 1} {(k + 1) % 10 + 1} 1" for k in range(10)])
    write("cities.csv", ["name,size", "London,9.0", "Paris,2.1", "Berlin,3.7"])
    write("wine.csv", [row.replace("kind", "cultivar") for row in table(40, 6)])
    write("cells.csv", table(40, 7))
    write("data.csv", table(40, 8))
    npy("pictures.npy", [[draw.gauss(3 * (k % 2), 1) for _ in range(4)] for k in range(30)])
    npy("more.npy", [[draw.gauss(0, 1) for _ in range(4)] for _ in range(5)])
    write("new_wines.csv", [row.replace("kind", "cultivar") for row in table(6, 9, "new")])
    write("survey.csv", [row.replace(row.split(",")[1], "", 1) if k % 9 == 5 else row
                         for k, row in enumerate(table(40, 10))])
    # The theta number of a ring of five.
    write("theta.dat-s", ["6", "1", "5", "1 0 0 0 0 0"] +
          [f"0 1 {i} {j} 1" for i in range(1, 6) for j in range(i, 6)] + [f"1 1 {i} {i} 1" for i in range(1, 6)] +
          [f"{k + 1} 1 {min(k, k % 5 + 1)} {max(k, k % 5 + 1)} 1" for k in range(1, 6)])
    shutil.copy("theta.dat-s", "changed.dat-s")
    write("claims.toml", ["[[claim]]", 'name = "one"', 'says = "STE is as good as t-STE"', 'paper = "WKB14"',
                          'rule = "as_good"', 'method = "STE"', 'than = ["t-STE / L-BFGS"]',
                          'margin = 0.05', 'results = "study"'])
    write("page.md", ["<!-- table accuracy -->", "<!-- end accuracy -->"])
    write("tables.toml", ["[[table]]", 'name = "accuracy"', 'page = "page.md"', 'shows = "Errors."',
                          'configs = ["study.toml"]', 'commands = ["table results/study --test wilcoxon"]'])
    write("photos/espresso.svg", ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'])


def commands(page):
    lines = iter(re.sub(r"<!-- table .*?<!-- end ", "", page.read_text(encoding="utf-8"), flags=re.S).splitlines())
    for line in lines:
        while line.startswith("    ") and line.endswith("\\"):
            line = line[:-1] + next(lines)
        found = re.findall(r"^    (?:build/release/)?(alidade .*?)(?:  +#.*)?$", line)
        found += re.findall(r"`(alidade [a-z]+ [^`]*)`", line) if line.startswith("|") else []
        yield from (command for command in found if not any(word in command for word in ELSEWHERE))


def main(command, source, *chosen):
    pages = [source / "README.md"]
    for room in ("problems", "solvers", "experiments"):
        pages += sorted(page for page in (source / room).rglob("*.md") if any(commands(page)))
    faults = []

    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        (root / "bin").mkdir()
        (root / "bin" / "alidade").symlink_to(pathlib.Path(command).resolve())
        if not shutil.which("man"):  # a machine without manual pages
            (root / "bin" / "man").write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
            (root / "bin" / "man").chmod(0o755)
        environment = dict(os.environ, PATH=f"{root / 'bin'}:{os.environ['PATH']}")

        def run(line, folder):
            return subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")

        base = root / "base"
        base.mkdir()
        here = os.getcwd()
        os.chdir(base)
        files(NAMES)
        os.chdir(here)
        (base / "experiments").symlink_to(source / "experiments")
        needed = run("alidade run experiments/configs/quickstart.toml --set repeats=2", base)
        assert needed.returncode == 0, needed.stdout

        def of_page(page):
            folder = root / re.sub(r"\W", "_", str(page.relative_to(source)))
            shutil.copytree(base, folder, symlinks=True)
            for name in COPIES:
                shutil.copytree(folder / "results" / "quickstart", folder / "results" / name)
            out, seen = [], 0
            if page.name in BEFORE:
                run(BEFORE[page.name], folder)
            for line in commands(page):
                seen += 1
                if "common_space" in line and "aspect=" not in line:  # where the page has told of that column
                    write(folder / re.search(r"\w+\.csv", line)[0], answers(NAMES, 600, 12, aspects=True))
                if " embed " in line:  # each line of a page stands for itself
                    for made in folder.glob("*_map"):
                        shutil.rmtree(made)
                end = run(line, folder)
                for name in ("answers.csv", "export.csv"):
                    shutil.copy(base / name, folder / name)
                if end.returncode not in ((0, 1) if line.startswith("alidade diff") else (0,)):
                    out.append(f"{page.relative_to(source)}: {line}\n    status {end.returncode}: {end.stdout[-400:]}")
            for block in re.findall(r"^```r\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
                if "system2(" not in block or not shutil.which("Rscript"):
                    continue
                seen += 1
                write(folder / "block.R", [block])
                end = run("Rscript block.R", folder)
                if end.returncode:
                    out.append(f"{page.relative_to(source)}: R\n    status {end.returncode}: {end.stdout[-400:]}")
            return seen, out

        chosen_pages = [page for page in pages if not chosen or page.name in chosen]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(of_page, chosen_pages))
    faults += [fault for _, found in results for fault in found]
    print("\n".join(faults))
    print(f"{sum(seen for seen, _ in results)} commands of {len(chosen_pages)} pages, {len(faults)} faults")
    assert chosen or sum(seen for seen, _ in results) > 80
    return 1 if faults else 0


sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:]))
