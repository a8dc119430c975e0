#include <algorithm>
#include <array>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/clustering_file.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Which attributes are aspects.
struct AspectOptions {
  std::string aspects;
  [[nodiscard]] static OptionList<AspectOptions> list() {
    return OptionList<AspectOptions>().text("aspects", &AspectOptions::aspects, {},
                                            "names of the attributes to use, separated by commas; "
                                            "empty: all");
  }
};

/// The table with only the named aspects, in the order of `names`. @throws ConfigError
std::shared_ptr<const AttributeTable> aspects_of(std::shared_ptr<const AttributeTable> table,
                                                 const std::string& names) {
  if (names.empty()) return table;
  std::vector<std::string> own_names;
  for (const AttributeTable::Aspect& aspect : table->aspects()) own_names.push_back(aspect.name);
  std::vector<AttributeTable::Aspect> kept;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    std::string name = names.substr(at, end - at);
    std::erase(name, ' ');
    const auto position = std::ranges::find(own_names, name);
    require<ConfigError>(position != own_names.end(), "option 'aspects': there is no attribute '{}'.{}", name,
                         suggestion(name, own_names));
    require<ConfigError>(std::ranges::find(kept, name, &AttributeTable::Aspect::name) == kept.end(),
                         "option 'aspects' names '{}' twice. Name it once.", name);
    kept.push_back(table->aspects()[static_cast<std::size_t>(position - own_names.begin())]);
    at = end + 1;
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

}  // namespace

DatasetEntry zoo_dataset() {
  const DataFile file = described("zoo").files[0];
  OptionList<ZooOptions> options;
  options.include(AspectOptions::list());
  options.flag("type_is_aspect", &ZooOptions::type_is_aspect,
               "use the type of animal as an aspect too; it is always the label");
  return with_load(described("zoo"), options, [file](const ZooOptions& chosen, const DatasetContext& context) {
    AttributeFileSpec spec = described_attributes("zoo");
    spec.label_is_aspect = chosen.type_is_aspect;
    Observations out = with_aspects(read_attributes(locate(file, context.folder), spec), chosen.aspects);
    name_labels("zoo", out.labels);
    return out;
  });
}

DatasetEntry house_votes_dataset() {
  const DataFile file = described("house_votes").files[0];
  OptionList<HouseVotesOptions> options;
  options.include(AspectOptions::list());
  options.flag("complete_rows", &HouseVotesOptions::complete_rows,
               "leave out the 203 members with a vote that is neither yes nor no");
  return with_load(described("house_votes"), options,
                   [file](const HouseVotesOptions& chosen, const DatasetContext& context) {
                     AttributeFileSpec spec = described_attributes("house_votes");
                     spec.complete_rows_only = chosen.complete_rows;
                     return with_aspects(read_attributes(locate(file, context.folder), spec), chosen.aspects);
                   });
}

namespace {

struct OwnTableOptions : AspectOptions {
  // Not `name`: in a configuration that is the dataset's.
  std::string file, name_column, label_column, missing = "?", header = "auto", index = "auto", merge_names = "auto";
  bool complete_rows = false;
};

}  // namespace

DatasetEntry attributes_dataset() {
  OptionList<OwnTableOptions> options;
  options.include(AspectOptions::list());
  options.file("file", &OwnTableOptions::file, "your table, one object per row")
      .text("name_column", &OwnTableOptions::name_column, {},
            "column of object names; empty: objects are called 1, 2, ...")
      .text("label_column", &OwnTableOptions::label_column, {},
            "column of labels, which is then not an aspect; empty: none")
      .text("header", &OwnTableOptions::header, {"auto", "yes", "no"},
            "whether the first line names the columns; auto: by evidence, which a note tells")
      .text("index", &OwnTableOptions::index, {"auto", "yes", "no"},
            "whether the first column is no attribute but names or numbers the rows; auto: by evidence, which a note "
            "tells")
      .text("missing", &OwnTableOptions::missing, {}, "text that stands for a missing value")
      .flag("complete_rows", &OwnTableOptions::complete_rows, "leave out rows that lack a value")
      .text("merge_names", &OwnTableOptions::merge_names, {"auto", "yes", "no"}, kMergeNamesDoc);
  return with_load({.name = "attributes", .summary = "your own table of categorical attributes, each an aspect"},
                   options, [](const OwnTableOptions& chosen, const DatasetContext& context) {
                     const auto path = own_file(chosen.file, "attributes", context);
                     Observations out =
                         with_aspects(read_attributes(path, {.name = chosen.name_column,
                                                             .label = chosen.label_column,
                                                             .missing = chosen.missing,
                                                             .complete_rows_only = chosen.complete_rows,
                                                             .header = table_part(chosen.header, "header"),
                                                             .index = table_part(chosen.index, "index"),
                                                             .merge_names = merge_names_of(chosen.merge_names)}),
                                      chosen.aspects);
                     out.name = path.stem().string();
                     return out;
                   });
}

DatasetEntry clusterings_dataset() {
  OptionList<OwnClusteringsOptions> options;
  options.include(AspectOptions::list());
  options
      .file("file", &OwnClusteringsOptions::file,
            "your file, with rows of user, item and cluster: CSV, TSV or semicolon-separated; "
            "also gzipped")
      .text("order", &OwnClusteringsOptions::order, {},
            "the columns in their order, such as 'user,item,cluster'; empty: the first line names "
            "them")
      .text("merge_names", &OwnClusteringsOptions::merge_names, {"auto", "yes", "no"}, kMergeNamesDoc);
  return with_load(
      {.name = "clusterings", .summary = "your own clusterings of items by several users, each user an aspect"},
      options, [](const OwnClusteringsOptions& chosen, const DatasetContext& context) {
        const auto path = own_file(chosen.file, "clusterings", context);
        Observations out =
            with_aspects(read_clusterings(path, chosen.order, merge_names_of(chosen.merge_names)), chosen.aspects);
        out.name = path.stem().string();
        // Each user's triplets are that user's answers.
        constexpr std::uint64_t kMostTags = 20'000'000;
        if (chosen.aspects.empty() && out.triplets->size() <= kMostTags) {
          std::vector<std::uint32_t> who;
          who.reserve(out.triplets->size());
          for (std::uint64_t t = 0; t < out.triplets->size(); ++t) who.push_back(out.triplets->at(t).aspect);
          out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
          out.annotators = out.aspects;
        }
        return out;
      });
}

}  // namespace alidade::datasets
