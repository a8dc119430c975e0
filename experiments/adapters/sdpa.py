"""SDPA's program for semidefinite programs, as a command of the solver sdp_command"""
import re
import subprocess
import sys

program, solution = sys.argv[-2:]
with open("param.sdpa", "w", encoding="ascii") as file:  # SDPA's own values, and all digits of the solution
    file.write("100\n1e-7\n1e2\n2.0\n-1e5\n1e5\n0.1\n0.2\n0.9\n1e-7\n" + "%+.16e of each\n" * 4)
subprocess.run(["sdpa", "-ds", program, "-o", "found.txt", "-p", "param.sdpa"], check=True, stdout=subprocess.DEVNULL)
with open("found.txt", encoding="ascii") as file:
    y, z, x = re.search(r"xVec =(.*)xMat =(.*)yMat =(.*?)\n *main loop", file.read(), re.S).groups()


def entries(text, kind):
    """Lines of the entries above the diagonals; a row of numbers alone is a diagonal block."""
    depth = block = 0
    for token in re.findall(r"[{}]|[^{},\s]+", text):
        if token in "{}":
            depth += 1 if token == "{" else -1
            block += token == "{" and depth == 2
            if token == "{":
                row, column = (0, 0) if depth == 2 else (row + 1, 0) if depth == 3 else (0, 0)
            continue
        column += 1
        i = row or column
        if column >= i and float(token) != 0:
            yield f"{kind} {block} {i} {column} {token}\n"


with open(solution, "w", encoding="ascii") as file:
    file.write(" ".join(re.findall(r"[^{},\s]+", y)) + "\n")
    file.writelines(entries(z, 1))
    file.writelines(entries(x, 2))
