"""Builds the module by CMake, from the engine's sources above this folder, or beside it in a source archive.

Environment:
  ALIDADE_BUILD_DIR   a finished CMake build with ALIDADE_BUILD_PYTHON=ON to take module and stubs from, instead of a new one
  ALIDADE_BUNDLE      1: put the libraries that the module needs into the wheel, so that it runs where they are not
                      installed (all but those of the C and C++ runtime)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
ENGINE = HERE / "engine" if (HERE / "engine").is_dir() else HERE.parent.parent
PARTS = ("problems", "solvers", "experiments", "third_party", "CMakeLists.txt", "CMakePresets.json", "LICENSE")
# Part of every Linux, or of the interpreter's own environment.
SYSTEM = re.compile(r"^(ld-linux|lib(c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s)\.so|linux-vdso)")


def version():
    text = (ENGINE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(\s*alidade\s+VERSION ([0-9.]+)", text)[1]


class BuildModule(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        finished = os.environ.get("ALIDADE_BUILD_DIR")
        if finished:
            # pip runs this elsewhere than where it was called.
            bases = (pathlib.Path.cwd(), pathlib.Path(os.environ.get("PWD", ".")), ENGINE)
            build = next((base / finished for base in bases if (base / finished).is_dir()), pathlib.Path(finished)).resolve()
        else:
            build = pathlib.Path(self.build_temp).resolve() / "cmake"
            jobs = os.environ.get("JOBS") or str(os.cpu_count() or 1)
            subprocess.run(
                ["cmake", "-S", ENGINE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DALIDADE_BUILD_PYTHON=ON", "-DALIDADE_BUILD_TESTS=OFF", "-DALIDADE_FAST_BUILD=ON",
                 f"-DPython_EXECUTABLE={sys.executable}"], check=True)
            subprocess.run(["cmake", "--build", build, "--target", "alidade_stubs", "--parallel", jobs], check=True)
        made = build / "python" / "alidade"
        found, stubs = list(made.glob("_core.*.so")), list(made.glob("*.pyi"))
        if len(found) != 1 or not stubs:
            raise RuntimeError(f"{build} holds no module _core with stubs. Configure it with -DALIDADE_BUILD_PYTHON=ON, "
                               "and build alidade_stubs.")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(found[0], target)
        for stub in stubs:
            shutil.copy2(stub, target.parent)
        if os.environ.get("ALIDADE_BUNDLE") == "1":
            bundle(target, target.parent / "libraries")


def bundle(module, folder):
    """Copies all libraries that the loader finds for the module; its RPATH looks for them there first."""
    shutil.rmtree(folder, ignore_errors=True)  # of a build before, where the loader would find them
    folder.mkdir()
    listed = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", listed):
        if not SYSTEM.match(name):
            shutil.copy2(path, folder / name)


class SourceArchive(sdist):
    """A source archive with the engine, from which a wheel can be built anywhere."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for part in PARTS:
            source, target = ENGINE / part, pathlib.Path(base_dir) / "engine" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(
                    "node_modules", "__pycache__", "build", "dist", "*.egg-info", "engine"))
            else:
                shutil.copy2(source, target)


setup(version=version(), ext_modules=[Extension("alidade._core", [])],
      cmdclass={"build_ext": BuildModule, "sdist": SourceArchive})
