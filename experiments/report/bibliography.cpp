#include "experiments/report/bibliography.hpp"

#include <algorithm>
#include <utility>

#include "experiments/files/embedded_text.hpp"

namespace alidade::report {
namespace {

/// Takes what stands before `end` from `rest`, and `end`; all of it where `end` does not stand there.
std::string_view taken(std::string_view& rest, std::string_view end) {
  const auto at = rest.find(end);
  const std::string_view out = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + end.size());
  return out;
}

std::vector<Publication> read_bibliography() {
  std::vector<Publication> out;
  std::string_view rest = embedded_text("bibliography.bib");
  for (taken(rest, "\n\n"); !rest.empty();) {
    Publication entry;
    entry.marks = taken(rest, " -> ");
    entry.words = taken(rest, "\n");
    entry.bibtex = rest.substr(0, rest.find("\n}\n") + 3);
    rest.remove_prefix(std::min(rest.size(), entry.bibtex.size() + 1));
    std::string_view key = entry.bibtex;
    taken(key, "{");
    entry.key = taken(key, ",");
    out.push_back(entry);
  }
  return out;
}

}  // namespace

const std::vector<Publication>& bibliography() {
  static const std::vector<Publication> kAll = read_bibliography();
  return kAll;
}

std::vector<const Publication*> named_in(std::string_view reference) {
  std::vector<std::pair<std::size_t, const Publication*>> cited;
  for (const Publication& entry : bibliography()) {
    std::size_t first = std::string_view::npos;
    for (std::string_view rest = entry.marks; !rest.empty();) first = std::min(first, reference.find(taken(rest, "|")));
    if (first != std::string_view::npos) cited.emplace_back(first, &entry);
  }
  std::ranges::stable_sort(cited, {}, &std::pair<std::size_t, const Publication*>::first);
  std::vector<const Publication*> out;
  for (const auto& [place, entry] : cited) out.push_back(entry);
  return out;
}

}  // namespace alidade::report
