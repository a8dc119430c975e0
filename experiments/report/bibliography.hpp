// The publications that problems and solvers name in their `reference`, as BibTeX: the file bibliography.bib.
// A publication is found by its mark in that text: "[vdMW12]", or "Kelley 1960".
// A test holds the list against the catalogs.
#pragma once

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

}  // namespace alidade::report
