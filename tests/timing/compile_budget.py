"""What each room costs the compiler, beside a budget, so that it does not grow unseen.

    compile_budget.py BUILD_FOLDER SOURCE_FOLDER [--write]

Compiles every source of the libraries and the command again, one at a time and without a cache, by the commands of a build
with ALIDADE_FAST_BUILD. The unit is the time of one reference file on the same machine, so that slow machines have the same
budgets; compile_budget.txt has them, a room and its ratio on a line. A room may take a quarter more than its budget, and half
a unit, and all rooms together a tenth more. --write makes the measured ratios the budgets.
"""

import json
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

REFERENCE = """#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
double solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) { return a.llt().solve(b).norm(); }
bool matches(const std::string& text) { return std::regex_match(text, std::regex("a+b")); }
std::map<std::string, std::vector<double>> sorted(std::map<std::string, std::vector<double>> rows) {
  for (auto& [name, row] : rows) std::sort(row.begin(), row.end());
  return rows;
}
"""


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def room_of(file, build, source):
    """problems_core for problems/core/text.cpp and for the merged source of that folder."""
    path = pathlib.Path(file)
    if build in path.parents:
        return path.stem if "rooms" in path.parts else None
    return "_".join(path.relative_to(source).parts[:-1])


def main():
    build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    table = source / "tests" / "timing" / "compile_budget.txt"
    with tempfile.TemporaryDirectory() as folder:
        object_file = str(pathlib.Path(folder) / "object.o")
        reference = pathlib.Path(folder) / "reference.cpp"
        reference.write_text(REFERENCE)

        def unit():
            return cpu_seconds(["c++", "-std=c++20", "-O1", "-isystem", "/usr/include/eigen3", "-c", str(reference), "-o",
                                object_file], folder)

        unit()  # headers come from the disk once
        units, rooms = [unit()], {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            command = shlex.split(entry["command"])
            room = room_of(entry["file"], build, source)
            if room is None or room.split("_")[0] not in ("problems", "solvers", "experiments"):
                continue
            command[command.index("-o") + 1] = object_file
            rooms[room] = rooms.get(room, 0.0) + cpu_seconds(command, entry["directory"])
            if len(units) < 20:
                units.append(unit())
        one = sorted(units)[len(units) // 2]
    ratios = {room: seconds / one for room, seconds in sorted(rooms.items())}
    total = sum(ratios.values())
    if "--write" in sys.argv[3:]:
        lines = [f"{room} {ratio:.1f}\n" for room, ratio in ratios.items()]
        table.write_text("# Room and what compiling it takes, in times of a reference file. Made by compile_budget.py --write.\n"
                         + "".join(lines))
    budgets = {room: float(ratio) for room, ratio in
               (line.split() for line in table.read_text().splitlines() if not line.startswith("#"))}
    print(f"reference file: {one:.2f} CPU s\n{'room':40} {'CPU s':>7} {'ratio':>6} budget")
    over = []
    for room, ratio in ratios.items():
        budget = budgets.get(room, 0.0)
        late = ratio > 1.25 * budget + 0.5
        print(f"{room:40} {rooms[room]:7.1f} {ratio:6.1f} {budget:6.1f}{'  over' if late else ''}")
        over += [room] if late else []
    print(f"{'all':40} {sum(rooms.values()):7.1f} {total:6.1f} {sum(budgets.values()):6.1f}")
    if total > 1.1 * sum(budgets.values()):
        over.append("all")
    if over:
        sys.exit("Over budget: " + ", ".join(over) + ". Make it less, or say why in a commit that changes compile_budget.txt.")


main()
