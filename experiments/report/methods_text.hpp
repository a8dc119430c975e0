// A paragraph for a paper that says how results were made, with the publications of what was used.
// Everything is read from the rows, the config and the manifest of the results folders; nothing is guessed.
// Text cites as "(Agarwal et al. 2007)", LaTeX as "\cite{agarwal2007}".
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace alidade::report {

enum class CitationStyle { text, latex };

struct MethodsText {
  std::string paragraph;  // sentences, with a final newline
  std::string bibtex;     // an entry for each citation and each published data set
};

/// O(size of the folders). @throws DataError if a folder has no rows file or a broken one, or no run ended well.
[[nodiscard]] MethodsText methods_text(std::span<const std::filesystem::path> results_folders, CitationStyle style);

}  // namespace alidade::report
