#include "experiments/datasets/readers/column_roles.hpp"

#include <algorithm>

#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

struct PairNames {
  std::string_view a, b;
  bool may_be_names;
};
constexpr PairNames kPairNames[] = {
    {"source", "target", false},
    {"from", "to", false},
    {"src", "dst", false},
    {"source", "destination", false},
    {"origin", "destination", false},
    {"src", "dest", false},
    {"src", "tgt", false},
    {"fromnode", "tonode", false},
    {"sourcenode", "targetnode", false},
    {"quelle", "ziel", false},
    {"von", "nach", false},
    {"person1", "person2", true},
    {"node1", "node2", true},
    {"vertex1", "vertex2", true},
    {"id1", "id2", true},
    {"name1", "name2", true},
    {"object1", "object2", true},
    {"item1", "item2", true},
    {"v1", "v2", true},
    {"n1", "n2", true},
    {"head", "tail", true},
    {"a", "b", true},
    {"i", "j", true},
    {"u", "v", true},
};

/// Of things that people rate; tables of answers have them too.
constexpr PairNames kRatedPairNames[] = {
    {"stim1", "stim2", true},   {"stimulus1", "stimulus2", true}, {"word1", "word2", true},
    {"image1", "image2", true}, {"left", "right", true},          {"itema", "itemb", true},
};

constexpr std::string_view kCloseness[] = {"d",           "dist",      "distance", "dissimilarity", "dissim",
                                           "similarity",  "sim",       "rating",   "ratings",       "score",
                                           "weight",      "proximity", "value",    "judgment",      "judgement",
                                           "relatedness", "likert",    "abstand",  "distanz"};
constexpr std::string_view kItems[] = {"item", "items", "card",    "cards",   "object", "objects", "stimulus",
                                       "stim", "word",  "concept", "product", "image",  "karte"};
constexpr std::string_view kGroups[] = {"cluster",   "clusters",     "pile",   "group",  "category",
                                        "groupname", "bin",          "basket", "sorted", "clustername",
                                        "pilename",  "categoryname", "stapel", "gruppe", "kategorie"};

template <std::size_t n>
bool is_named(std::string_view column, const std::string_view (&names)[n]) {
  return std::ranges::find(names, plain_column(column)) != std::end(names);
}

}  // namespace

std::string plain_column(std::string_view column) {
  std::string out;
  for (const char c : lower_ascii(column)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (std::string_view(" _-.").find(c) == std::string_view::npos)
      return std::string(column);
  }
  if (out.size() > 2 && out.ends_with("id")) out.resize(out.size() - 2);
  return out;
}

std::optional<PairColumns> pair_columns(std::span<const std::string_view> header, bool rated) {
  std::vector<std::string> plain;
  for (const std::string_view field : header) plain.push_back(plain_column(field));
  std::vector<PairNames> known(std::begin(kPairNames), std::end(kPairNames));
  if (rated) known.insert(known.end(), std::begin(kRatedPairNames), std::end(kRatedPairNames));
  for (const PairNames& names : known) {
    const auto a = std::ranges::find(plain, names.a), b = std::ranges::find(plain, names.b);
    if (a != plain.end() && b != plain.end())
      return PairColumns{static_cast<std::size_t>(a - plain.begin()), static_cast<std::size_t>(b - plain.begin()),
                         names.may_be_names};
  }
  return std::nullopt;
}

bool is_about_closeness(std::string_view column) { return is_named(column, kCloseness); }
bool is_about_items(std::string_view column) { return is_named(column, kItems); }
bool is_about_groups(std::string_view column) { return is_named(column, kGroups); }

}  // namespace alidade::datasets
