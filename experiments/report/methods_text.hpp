// A paragraph for a paper that says how results were made, with the publications of what was used.
// Everything is read from the rows, the config and the manifest of the results folders; nothing is guessed.
// Text cites as "(Agarwal et al. 2007)", LaTeX as "\cite{agarwal2007}".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::report {

struct Publication {
  std::string_view key;     // of BibTeX
  std::string_view marks;   // in references, separated by '|'
  std::string_view words;   // "Agarwal et al. 2007"
  std::string_view bibtex;  // "@article{key, ...}" with a final newline
};

[[nodiscard]] const std::vector<Publication>& bibliography();

/// Those that a reference names, in its order. O(entries).
[[nodiscard]] std::vector<const Publication*> named_in(std::string_view reference);

enum class CitationStyle { text, latex };

struct MethodsText {
  std::string paragraph;  // sentences, with a final newline
  std::string caption;    // of the figure of a single map; "" of several
  std::string table;      // of the methods that were compared, in Markdown or LaTeX; "" if there is none
  std::string bibtex;     // an entry for each citation and each published data set
};

/// O(size of the folders). @throws DataError if a folder has no rows file or a broken one, or no run ended well.
[[nodiscard]] MethodsText methods_text(std::span<const std::filesystem::path> results_folders, CitationStyle style);

}  // namespace alidade::report
