"""What would otherwise come in the words of the command: messages of the engine about files."""

import contextlib
import re

from ._catalog import parameter_name

# The engine speaks of files, whose first line is the header, and of flags.
_WORDS = (
    (r"^'?answers'?:(\d+): ", lambda m: f"row {int(m[1]) - 2}: "),
    (r"Name the columns there; if the file has no header, .*$", "Name the columns user, item and cluster."),
    (r"^(?:row -1: )?The (?:first line does not|header has no column '\w+'\.) [Nn]ame the columns ([^.]*)\..*$",
     r"the columns are not named \1. Name them so, or give an array: frame.to_numpy()."),
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
