#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/pair_files.hpp"
#include "experiments/datasets/readers/same_different.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/pair_judgements.hpp"

namespace alidade::datasets {
namespace {

/// Which attributes are aspects.
struct AspectOptions {
  std::string aspects;
  [[nodiscard]] static OptionList<AspectOptions> list() {
    return OptionList<AspectOptions>().text("aspects", &AspectOptions::aspects, {}, kDescribed);
  }
};

/// The table with only the named aspects, in the order of `names`. @throws ConfigError
std::shared_ptr<const AttributeTable> aspects_of(std::shared_ptr<const AttributeTable> table,
                                                 const std::string& names) {
  if (names.empty()) return table;
  std::vector<std::string> own_names;
  for (const AttributeTable::Aspect& aspect : table->aspects()) own_names.push_back(aspect.name);
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

struct OwnClusteringsOptions : AspectOptions {
  std::string file, order, merge_names = "auto";
};

/// The observations with only the named aspects.
Observations with_aspects(Observations out, const std::string& names) {
  out.attributes = aspects_of(std::move(out.attributes), names);
  out.triplets = out.attributes;
  out.aspects.clear();
  for (const AttributeTable::Aspect& aspect : out.attributes->aspects()) out.aspects.push_back(aspect.name);
  return out;
}

struct ZooOptions : AspectOptions {
  bool type_is_aspect = true;
};

struct HouseVotesOptions : AspectOptions {
  bool complete_rows = true;
};

DatasetEntry zoo_dataset() {
  OptionList<ZooOptions> options;
  options.include(AspectOptions::list());
  options.flag("type_is_aspect", &ZooOptions::type_is_aspect, kDescribed);
  return of_files("zoo", options, [](const ZooOptions& chosen, const auto& paths) {
    AttributeFileSpec spec = described_attributes("zoo");
    spec.label_is_aspect = chosen.type_is_aspect;
    Observations out = with_aspects(read_attributes(paths[0], spec), chosen.aspects);
    name_labels("zoo", out.labels);
    return out;
  });
}

DatasetEntry house_votes_dataset() {
  OptionList<HouseVotesOptions> options;
  options.include(AspectOptions::list());
  options.flag("complete_rows", &HouseVotesOptions::complete_rows, kDescribed);
  return of_files("house_votes", options, [](const HouseVotesOptions& chosen, const auto& paths) {
    AttributeFileSpec spec = described_attributes("house_votes");
    spec.complete_rows_only = chosen.complete_rows;
    return with_aspects(read_attributes(paths[0], spec), chosen.aspects);
  });
}

struct OwnTableOptions : AspectOptions {
  // Not `name`: in a configuration that is the dataset's.
  std::string file, name_column, label_column, missing = "?", header = "auto", index = "auto", merge_names = "auto";
  bool complete_rows = false;
};

DatasetEntry attributes_dataset() {
  OptionList<OwnTableOptions> options;
  options.include(AspectOptions::list());
  options.file("file", &OwnTableOptions::file, kDescribed)
      .text("name_column", &OwnTableOptions::name_column, {}, kDescribed)
      .text("label_column", &OwnTableOptions::label_column, {}, kDescribed)
      .text("header", &OwnTableOptions::header, {"auto", "yes", "no"}, kDescribed)
      .text("index", &OwnTableOptions::index, {"auto", "yes", "no"}, kDescribed)
      .text("missing", &OwnTableOptions::missing, {}, kDescribed)
      .flag("complete_rows", &OwnTableOptions::complete_rows, kDescribed)
      .text("merge_names", &OwnTableOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file("attributes", options, [](const OwnTableOptions& chosen, const auto& path, const DatasetContext&) {
    return with_aspects(read_attributes(path, {.name = chosen.name_column,
                                               .label = chosen.label_column,
                                               .missing = chosen.missing,
                                               .complete_rows_only = chosen.complete_rows,
                                               .header = table_part(chosen.header, "header"),
                                               .index = table_part(chosen.index, "index"),
                                               .merge_names = merge_names_of(chosen.merge_names)}),
                        chosen.aspects);
  });
}

DatasetEntry clusterings_dataset() {
  OptionList<OwnClusteringsOptions> options;
  options.include(AspectOptions::list());
  options.file("file", &OwnClusteringsOptions::file, kDescribed)
      .text("order", &OwnClusteringsOptions::order, {}, kDescribed)
      .text("merge_names", &OwnClusteringsOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file(
      "clusterings", options, [](const OwnClusteringsOptions& chosen, const auto& path, const DatasetContext&) {
        Observations out =
            with_aspects(read_clusterings(path, chosen.order, merge_names_of(chosen.merge_names)), chosen.aspects);
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
      });
}

// ---- pairs ----

struct GraphOptions : OwnSimilarity {
  std::string file, format = "auto", merge_names = "auto";
};

struct OwnPairsOptions : OwnSimilarity {
  std::string file, others = "unknown", merge_names = "auto";
  bool ordered = false;
};

DatasetEntry graph_dataset() {
  OptionList<GraphOptions> options;
  options.file("file", &GraphOptions::file, kDescribed)
      .text("format", &GraphOptions::format, {"auto", "graphml", "dot", "edges", "dimacs", "matrix_market", "gset"},
            kDescribed)
      .text("merge_names", &GraphOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file("graph", options, [](const GraphOptions& chosen, const auto& path, const DatasetContext&) {
    const GraphFormat format = chosen.format == "auto" ? graph_format_of(path) : graph_format_named(chosen.format);
    GraphFile graph = read_graph(path, format, merge_names_of(chosen.merge_names));
    Observations out;
    out.pair_signs = std::make_shared<PairSigns>(signs_of_graph(graph));
    out.objects = std::move(graph.objects);
    out.notes = std::move(graph.notes);
    out.guesses = std::move(graph.guesses);
    return out;
  });
}

DatasetEntry pair_signs_dataset() {
  OptionList<OwnPairsOptions> options;
  options.file("file", &OwnPairsOptions::file, kDescribed)
      .flag("ordered", &OwnPairsOptions::ordered, kDescribed)
      .text("others", &OwnPairsOptions::others, {"unknown", "dissimilar"}, kDescribed)
      .text("merge_names", &OwnPairsOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file("pair_signs", options, [](const OwnPairsOptions& chosen, const auto& path, const DatasetContext&) {
    using Others = PairSigns::Others;
    return read_pair_signs(path, {chosen.ordered, chosen.others == "dissimilar" ? Others::dissimilar : Others::unknown,
                                  merge_names_of(chosen.merge_names)});
  });
}

struct JudgementOptions {
  std::string file, by = "answers", merge_names = "auto";
};

DatasetEntry same_different_dataset() {
  OptionList<JudgementOptions> options;
  options.file("file", &JudgementOptions::file, kDescribed)
      .text("by", &JudgementOptions::by, {"answers", "times"}, kDescribed)
      .text("merge_names", &JudgementOptions::merge_names, {"auto", "yes", "no"}, kDescribed);
  return of_own_file(
      "same_different", options, [](const JudgementOptions& chosen, const auto& path, const DatasetContext&) {
        const TableText table = read_table_text(path);
        Observations out =
            parse_same_different(table.text, path.string(), chosen.by == "times" ? JudgedBy::times : JudgedBy::answers,
                                 merge_names_of(chosen.merge_names));
        add_guesses(out, table.guesses);
        imply_triplets(out);
        return out;
      });
}

}  // namespace

std::vector<DatasetEntry> category_datasets() {
  return {zoo_dataset(),   house_votes_dataset(), attributes_dataset(),    clusterings_dataset(),
          graph_dataset(), pair_signs_dataset(),  same_different_dataset()};
}

}  // namespace alidade::datasets
