// Loads data sets of the catalog as tests name them, and takes apart what came: load("europe", {"noise=0.1"}).
// Options are written as in a configuration. Without a folder in the context, files are looked for where the command
// looks for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/value.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::testing {

/// Options from text: {"n=50", "noise=0.1"}.
[[nodiscard]] inline ValueTable options_of(const std::vector<std::string>& settings) {
  ValueTable out;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    out.set(setting.substr(0, equals), value_from_text(setting.substr(equals + 1)));
  }
  return out;
}

[[nodiscard]] inline Observations load(const std::string& name, const std::vector<std::string>& settings = {},
                                       datasets::DatasetContext context = {}) {
  if (context.folder.empty()) context.folder = datasets::data_folder(std::nullopt);
  return datasets::dataset_catalog().at(name).load(options_of(settings), context);
}

[[nodiscard]] inline std::vector<Triplet> all_of(const TripletSource& source) {
  std::vector<Triplet> out(source.size());
  source.read(0, out);
  return out;
}

/// How often each label is there.
[[nodiscard]] inline std::map<std::string, int> counts_of(const std::vector<std::string>& labels) {
  std::map<std::string, int> out;
  for (const std::string& label : labels) ++out[label];
  return out;
}
/// The same as a text, in the order of the labels: "bird 20, fish 13".
[[nodiscard]] inline std::string counts_text(const std::vector<std::string>& labels) {
  std::string out;
  for (const auto& [label, count] : counts_of(labels))
    out += (out.empty() ? "" : ", ") + label + " " + std::to_string(count);
  return out;
}

/// "anchor near far" of each triplet.
[[nodiscard]] inline std::vector<std::string> named_triplets(const Observations& data) {
  std::vector<std::string> out;
  for (const Triplet& t : all_of(*data.triplets))
    out.push_back(data.objects[t.anchor] + " " + data.objects[t.near] + " " + data.objects[t.far]);
  return out;
}

}  // namespace alidade::testing
