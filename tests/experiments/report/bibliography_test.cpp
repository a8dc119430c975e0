#include "experiments/report/methods_text.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "problems/catalog.hpp"
#include "solvers/catalog.hpp"

namespace bibliography_test {

using namespace alidade;
using namespace alidade::report;

namespace {

/// Parts of references that name no publication, or one of a program that has none.
bool needs_none(const std::string& reference) {
  return reference.empty() || reference == "one map per aspect" || reference.find("auto") == 0;
}

}  // namespace

TEST_CASE("every publication that a problem or solver names has its entry") {
  std::size_t seen = 0;
  for (const std::string& name : problem_catalog().names()) {
    const std::string& reference = problem_catalog().at(name).reference;
    CAPTURE(name);
    CAPTURE(reference);
    CHECK(!named_in(reference).empty());
    // Parts between semicolons each name one.
    for (std::size_t at = 0; at != std::string::npos && at < reference.size();) {
      const auto end = reference.find(';', at);
      CHECK(!named_in(std::string_view(reference).substr(at, end - at)).empty());
      at = end == std::string::npos ? end : end + 1;
      ++seen;
    }
  }
  for (const std::string& name : solver_catalog().names()) {
    const std::string& reference = solver_catalog().at(name).reference;
    if (needs_none(reference)) continue;
    CAPTURE(name);
    CAPTURE(reference);
    CHECK(!named_in(reference).empty());
    ++seen;
  }
  CHECK(seen > 40);
}

TEST_CASE("entries are told apart, in the order of the reference") {
  std::set<std::string_view> keys;
  for (const Publication& entry : bibliography()) {
    CAPTURE(entry.key);
    CHECK(keys.insert(entry.key).second);
    CHECK(entry.bibtex.starts_with("@"));
    CHECK(entry.bibtex.ends_with(fmt::format("year = {{{}}}\n}}\n", entry.words.substr(entry.words.size() - 4))));
    CHECK(std::ranges::count(entry.bibtex, '{') == std::ranges::count(entry.bibtex, '}'));
  }
  const auto result = named_in("Povh, Rendl & Wiegele 2006; Wen, Goldfarb & Yin 2010; Anderson 1965");
  REQUIRE(result.size() == 3);
  CHECK(result[0]->key == "povh2006");
  CHECK(result[2]->words == "Anderson 1965");
  CHECK(named_in("baseline of [AU15] and [LL19]").front()->key == "amid2015");
  CHECK(named_in("nobody 1900").empty());
  CHECK(named_in("[vdMW12]").front()->bibtex ==
        "@inproceedings{vandermaaten2012,\n  author = {Laurens van der Maaten and Kilian Weinberger},\n"
        "  title = {Stochastic Triplet Embedding},\n  booktitle = {IEEE MLSP},\n  year = {2012}\n}\n");
}

}  // namespace bibliography_test
