// The publications that problems and solvers name in their `reference`, as BibTeX.
// A publication is found by its mark in that text: "[vdMW12]", or "Kelley 1960".
// A test holds the list against the catalogs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::report {

struct Publication {
  std::string_view key;     // of BibTeX
  std::string_view marks;   // in references, separated by '|'
  std::string_view words;   // "Agarwal et al. 2007"
  std::string_view kind;    // article, inproceedings, ...
  std::string_view author;  // as BibTeX has it, as all below
  std::string_view title;
  std::string_view where;  // "journal = {...}, volume = {...}"
  std::string_view year;
};

[[nodiscard]] std::span<const Publication> bibliography();

/// Those that a reference names, in its order. O(entries).
[[nodiscard]] std::vector<const Publication*> named_in(std::string_view reference);

/// "@article{key, ...}" with a final newline.
[[nodiscard]] std::string bibtex(const Publication& publication);

}  // namespace alidade::report
