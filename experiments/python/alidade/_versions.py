"""What is installed, for reports of errors."""

import importlib
import platform
import sys

from . import _core


def show_versions(file=None):
    """Prints the versions of Alidade, of what it was built with, and of the Python packages that it uses.

    Examples
    --------
    >>> import alidade, io
    >>> text = io.StringIO()
    >>> alidade.show_versions(file=text)
    >>> text.getvalue().startswith("alidade ")
    True
    """
    lines = [_core.build_details(), f"python {platform.python_version()} ({sys.executable})", platform.platform()]
    for name in ("numpy", "scipy", "sklearn", "pandas", "matplotlib"):
        try:
            lines.append(f"{name} {importlib.import_module(name).__version__}")
        except ImportError:
            lines.append(f"{name} is not installed")
    print("\n".join(lines), file=file or sys.stdout)
