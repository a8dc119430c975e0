"""Alidade: maps from comparisons, tables and distances, with scikit-learn's interface.

The same engine as the command `alidade`, in this process: the same data, options and seed give the same bits.
"""

from . import _checks  # noqa: F401, first: whether the module can run here
from . import _core, cblearn, plot, sdp
from ._answers import dissimilarities_of
from ._catalog import problems, solvers
from ._versions import show_versions
from .aspects import AspectEmbedding
from .distances import MultiviewMDS, SameDifferent
from .minimization import Minimum, Problem, minimize
from .results import Results, RunMap, load, run
from .semidefinite import *  # noqa: F403
from .semidefinite import __all__ as _semidefinite_names
from .transformers import *  # noqa: F403
from .transformers import __all__ as _transformer_names
from .triplets import *  # noqa: F403
from .triplets import __all__ as _triplet_names

__version__ = _core.version()
__all__ = [
    "AspectEmbedding", "Minimum", "MultiviewMDS", "Problem", "Results", "RunMap", "__version__", "cblearn", "dissimilarities_of", "load", "minimize", "plot", "problems", "run", "SameDifferent", "sdp",
    "show_versions", "solvers", *_triplet_names, *_transformer_names, *_semidefinite_names
]
