"""What would otherwise fail in silence: arrays of a NumPy that the module was not built for."""

import numpy

from . import _core


def require_numpy(version, reads_numpy_2):
    """Refuses NumPy 2 where the module lays out arrays as NumPy 1 does."""
    if int(version.split(".")[0]) >= 2 and not reads_numpy_2:
        raise ImportError(f"This build of alidade reads arrays of NumPy 1, and here is NumPy {version}. Install "
                          "'numpy<2', or build alidade with pybind11 2.12 or later.")


require_numpy(numpy.__version__, _core.reads_numpy_2)
