#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/pair_files.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade::datasets {
namespace {

/// The table with only the named aspects, in the order of `names`. @throws ConfigError
std::shared_ptr<const AttributeTable> aspects_of(std::shared_ptr<const AttributeTable> table,
                                                 const std::string& names) {
  if (names.empty()) return table;
  const std::vector<std::string> own_names = mapped(table->aspects(), &AttributeTable::Aspect::name);
  std::vector<AttributeTable::Aspect> kept;
  for (const std::string_view name : list_entries(names)) {
    const auto position = std::ranges::find(own_names, name);
    require<ConfigError>(position != own_names.end(), "option 'aspects': there is no attribute '{}'.{}", name,
                         suggestion(name, own_names));
    require<ConfigError>(std::ranges::find(kept, name, &AttributeTable::Aspect::name) == kept.end(),
                         "option 'aspects' names '{}' twice. Name it once.", name);
    kept.push_back(table->aspects()[static_cast<std::size_t>(position - own_names.begin())]);
  }
  return std::make_shared<const AttributeTable>(table->object_count(), std::move(kept));
}

/// The observations with only the named aspects.
Observations with_aspects(Observations out, const std::string& names) {
  out.attributes = aspects_of(std::move(out.attributes), names);
  out.triplets = out.attributes;
  out.aspects = mapped(out.attributes->aspects(), &AttributeTable::Aspect::name);
  return out;
}

Observations attributes_of(const std::filesystem::path& path, const AttributeFileSpec& spec) {
  return parsed_table(path, [&](const auto& text, const auto& name) { return parse_attributes(text, name, spec); });
}

Observations load_zoo(const Chosen& chosen, const std::vector<std::filesystem::path>& paths) {
  AttributeFileSpec spec = described_attributes("zoo");
  spec.label_is_aspect = chosen.is("type_is_aspect");
  Observations out = with_aspects(attributes_of(paths[0], spec), chosen.text("aspects"));
  name_labels("zoo", out.labels);
  return out;
}

Observations load_house_votes(const Chosen& chosen, const std::vector<std::filesystem::path>& paths) {
  AttributeFileSpec spec = described_attributes("house_votes");
  spec.complete_rows_only = chosen.is("complete_rows");
  return with_aspects(attributes_of(paths[0], spec), chosen.text("aspects"));
}

Observations load_attributes(const Chosen& chosen, const std::filesystem::path& path) {
  return with_aspects(attributes_of(path, {.name = chosen.text("name_column"),
                                           .label = chosen.text("label_column"),
                                           .missing = chosen.text("missing"),
                                           .complete_rows_only = chosen.is("complete_rows"),
                                           .header = table_part(chosen.text("header")),
                                           .index = table_part(chosen.text("index")),
                                           .merge_names = merge_names_of(chosen.text("merge_names"))}),
                      chosen.text("aspects"));
}

Observations load_clusterings(const Chosen& chosen, const std::filesystem::path& path, const DatasetContext& context) {
  const std::string& order = chosen.text("order");
  const auto parse = [&](const RowReader& rows) { return parse_clusterings(rows, order, choice_of(chosen)); };
  Observations out = with_aspects(read_people(path, order.empty(), parse), chosen.text("aspects"));
  if (const std::string& labels = chosen.text("labels"); !labels.empty()) {
    Said said;
    out.labels = labels_of(read_labels(own_file(labels, "clusterings", context)), labels, out.objects, true,
                           out.object_count(), path.string(), merge_names_of(chosen.text("merge_names")), said)
                     .labels;
    add_said(out, said);
  }
  // Each user's triplets are that user's answers.
  constexpr std::uint64_t kMostTags = 20'000'000;
  if (out.triplets->size() <= kMostTags) {
    std::vector<std::uint32_t> who;
    who.reserve(out.triplets->size());
    for (std::uint64_t t = 0; t < out.triplets->size(); ++t) who.push_back(out.triplets->at(t).aspect);
    out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
    out.annotators = out.aspects;
  }
  return out;
}

// ---- pairs ----

Observations load_graph(const Chosen& chosen, const std::filesystem::path& path) {
  const std::string& named = chosen.text("format");
  const GraphFormat format = named == "auto" ? graph_format_of(path) : graph_format_named(named);
  GraphFile graph = read_graph(path, format, merge_names_of(chosen.text("merge_names")));
  Observations out;
  out.pair_signs = std::make_shared<PairSigns>(signs_of_graph(graph));
  out.objects = std::move(graph.objects);
  out.notes = std::move(graph.notes);
  out.guesses = std::move(graph.guesses);
  return out;
}

Observations load_pair_signs(const Chosen& chosen, const std::filesystem::path& path) {
  using Others = PairSigns::Others;
  const PairSignFileOptions how{chosen.is("ordered"),
                                chosen.text("others") == "dissimilar" ? Others::dissimilar : Others::unknown,
                                choice_of(chosen)};
  return read_people(
      path, true, [&](const RowReader& rows) { return parse_pair_signs(rows, how); }, false);
}

Observations load_same_different(const Chosen& chosen, const std::filesystem::path& path) {
  const JudgedBy by = chosen.text("by") == "times" ? JudgedBy::times : JudgedBy::answers;
  Observations out =
      read_people(path, true, [&](const RowReader& rows) { return parse_same_different(rows, by, choice_of(chosen)); });
  imply_triplets(out);
  return out;
}

}  // namespace

std::vector<DatasetEntry> category_datasets() {
  return {of_files("zoo", load_zoo),
          of_files("house_votes", load_house_votes),
          of_own_file("attributes", load_attributes),
          of_own_file("clusterings", load_clusterings),
          of_own_file("graph", load_graph, OptionGroup::none),
          of_own_file("pair_signs", load_pair_signs, OptionGroup::none),
          of_own_file("same_different", load_same_different)};
}

}  // namespace alidade::datasets
