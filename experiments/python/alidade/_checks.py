"""What would otherwise be lost in silence of a user's arrays, or come in the words of the command about files."""

import contextlib
import numbers
import re

import numpy as np
import scipy.sparse

from ._catalog import parameter_name

_EXACT = 2**53  # doubles hold all whole numbers up to it


def gathered(values):
    """Masked arrays in a list as one."""
    listed = isinstance(values, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in values)
    return np.ma.array(values) if listed else values


def unmasked(values):
    """The same values, with NaN for those of a masked array that are masked."""
    values = gathered(values)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    return (values if values.dtype.kind in "fc" else values.astype(object)).filled(np.nan)


def exact(values, what="X"):
    """Numbers as `unmasked`; refuses whole numbers that a double does not hold."""
    values = unmasked(values)
    seen = values.tocoo().data if scipy.sparse.issparse(values) else values
    if getattr(getattr(seen, "dtype", None), "kind", "O") in "fbc":
        return values
    try:
        real = seen.to_numpy(float, na_value=np.nan) if hasattr(seen, "columns") else np.asarray(seen, float)
        large = (real >= _EXACT) | (real <= -_EXACT)
    except (TypeError, ValueError, OverflowError):  # no numbers, which is said where they are needed
        return values
    if large.any() and any(isinstance(one, numbers.Integral) for one in np.asarray(seen, object)[large]):
        raise ValueError(f"{what} holds integers of 2^53 or more, which are not exact as real numbers. Subtract a "
                         "constant, or round them: X.astype(float).")
    return values


# The engine speaks of files, whose first line is the header, and of flags.
_WORDS = (
    (r"^'?answers'?:(\d+): ", lambda m: f"row {int(m[1]) - 2}: "),
    (r"Name the columns there; if the file has no header, .*$", "Name the columns user, item and cluster."),
    (r"^(?:row -1: )?The (?:first line does not|header has no column '\w+'\.) [Nn]ame the columns ([^.]*)\."
     r"( No column says [^.]*\.)?.*$",
     r"the columns are not named \1.\2 Name them so, or give an array: frame.to_numpy()."),
    (r"^(row \d+: The response '(?:True|False|-1|1)' names no side)\..*$",
     r"\1. Responses that are true or +1 where the first of the two is nearer are y: fit(frame.iloc[:, :3].to_numpy(), y)."),
    (r", or leave objects out: --missing drop\.$", ", or leave objects out."),
    (r", or drop such rows with --set dataset\.0\..*$", "."),
    (r" If the column holds names or labels, name it with --.*$", " Give columns such as item1, item2 and rating."),
    (r"^row -1: The first line must name", "The frame must have"),
    (r"^\[split\]: option '(\w+)'", r"\1"),
    (r"^(?:problem|solver) '\w+': option '(\w+)'", lambda m: parameter_name(m[1])),
    (r"\bnot null\b", "not None"),
    (r"^'(answers|dissimilarities|features)': ", ""),
    (r"\((rows?) (\d+)(?: and (\d+))?\)",
     lambda m: f"({m[1]} {int(m[2]) - 1}" + (f" and {int(m[3]) - 1})" if m[3] else ")")),
    (r"If these are similarities: --similarities \(in a config: [^)]*\)\.",
     "If these are similarities, make them dissimilarities, such as 1 - X."),
    (r"To take their mean: --set \S+ \(in a config: [^)]*\)\.", "To take their mean: (X + X.T) / 2."),
    (r"Replace it with --force, or choose another folder with -o\.", "Replace it by overwrite=True, or choose another folder."),
    (r"hoose another folder with -o\.", "hoose another folder."),
    (r", and 'answers' does not say\. Name the column that does, with --columns annotator=NAME, or", ". Give annotators, or"),
    (r" If they are not: --columns\.", ""),
    (r"^k = (\d+) does not suit", r"n_neighbors = \1 does not suit"),
    (r"(?:with|by) --[\w-]+(?: \w+)? \(in a config: (\w+) = (\"[^\"]*\"|\w+)\)", r"by \1=\2"),
)


@contextlib.contextmanager
def words_of_python():
    """Errors of the engine name rows from 0, and arguments in place of flags."""
    try:
        yield
    except ValueError as error:
        text = str(error)
        for pattern, words in _WORDS:
            text = re.sub(pattern, words, text)
        raise ValueError(text) from None
