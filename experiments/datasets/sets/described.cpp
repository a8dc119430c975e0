#include <array>
#include <utility>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/array_files.hpp"
#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/datasets/sets/sorted_piles.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade::datasets {
namespace {

/// What datasets.json says of a data set. @pre it is there
const ValueTable& descriptions() {
  static const Value all = parse_json(embedded_text("datasets.json"), "datasets.json");
  return *all.get_if<ValueTable>();
}
const ValueTable& description(const std::string& name) { return *descriptions().find(name)->get_if<ValueTable>(); }
constexpr std::string_view kAnyOption = "options";  // beside the names of data sets: options of several

constexpr std::string_view kRaw =
    "https://raw.githubusercontent.com/vsdp/SDPLIB/fa11b45c1d8c896a6abad2648d5dad46d8ecefaa/data/";

std::string about_program(std::string_view constraints, std::string_view order, std::string_view optimum) {
  const bool has_optimum = optimum.find("infeasible") == optimum.npos;
  return fmt::format("{} constraints, order {}, {}{}", constraints, order, has_optimum ? "optimum " : "", optimum);
}

/// The value of a key; an empty one if it is not there.
template <class T>
T value_of(const ValueTable& table, std::string_view key) {
  const Value* value = table.find(key);
  return value ? *value->get_if<T>() : T();
}
std::string text_of(const ValueTable& table, std::string_view key) { return value_of<std::string>(table, key); }
std::uint64_t number_in(const ValueTable& table, std::string_view key) {
  return static_cast<std::uint64_t>(value_of<std::int64_t>(table, key));
}
std::vector<std::string> texts_of(const ValueTable& table, std::string_view key) {
  return mapped(value_of<ValueArray>(table, key), [](const Value& one) { return *one.get_if<std::string>(); });
}

template <class Take>
void for_each_table(const ValueTable& table, std::string_view key, const Take& take) {
  for (const Value& one : value_of<ValueArray>(table, key)) take(*one.get_if<ValueTable>());
}

FeatureData features_of(NumericTable table) {
  table.columns.clear(), table.lines.clear(), table.notes.clear(), table.guesses.clear();
  return {std::move(table)};
}

/// The requested parts of two files, train before test.
FeatureData read_parts(std::string_view part, std::span<const std::filesystem::path> paths,
                       const NumericTableSpec& spec) {
  FeatureData out;
  for (std::size_t i = 0; i < 2; ++i) {
    if (part == (i == 0 ? "test" : "train")) continue;
    NumericTable table = read_numeric_table(paths[i], spec);
    if (out.labels.empty()) {
      out.features = std::move(table.features);
      out.labels = std::move(table.labels);
      continue;
    }
    const Index before = out.features.rows();
    out.features.conservativeResize(before + table.features.rows(), Eigen::NoChange);
    out.features.bottomRows(table.features.rows()) = table.features;
    out.labels.insert(out.labels.end(), table.labels.begin(), table.labels.end());
  }
  return out;
}

/// How the rows of a text are read.
NumericTableSpec spec_of(const ValueTable& read) {
  return {.blanks = value_of<bool>(read, "blanks"),
          .header = value_of<bool>(read, "header") ? TablePart::there : TablePart::absent,
          .name = text_of(read, "name"),
          .label = text_of(read, "label"),
          .not_read = texts_of(read, "not_read"),
          .columns = static_cast<Index>(number_in(read, "columns")),
          .lines_before = static_cast<Index>(number_in(read, "lines_before"))};
}

/// Objects in the columns of two variables of a MATLAB file: features, and the true map.
FeatureData read_variables(const std::filesystem::path& path, const ValueTable& read, const DatasetCounts& counts) {
  const std::string features = text_of(read, "matlab"), truth = text_of(read, "truth");
  const Matrix X = read_matlab(path, features), places = read_matlab(path, truth);
  const auto n = static_cast<Index>(counts.objects);
  require_shape(path, features, X.rows(), X.cols(), static_cast<Index>(counts.features), n);
  require_shape(path, truth, places.rows(), places.cols(), static_cast<Index>(number_in(read, "truth_dimensions")), n);
  return {{.features = columns_as_rows(X)}, places.transpose()};
}

/// A table of numbers whose description says how it is read: rows of a text, or variables of a MATLAB file.
DatasetEntry described_features(const std::string& dataset) {
  const ValueTable& read = *description(dataset).find("read")->get_if<ValueTable>();
  const auto named = [dataset](FeatureData data) {
    name_labels(dataset, data.labels);
    return data;
  };
  const DatasetCounts counts = described(dataset).counts;
  return feature_dataset(dataset, [&read, named, counts](const auto& chosen, const auto& paths) {
    if (read.find("matlab")) return read_variables(paths[0], read, counts);
    if (value_of<bool>(read, "parts")) return named(read_parts(chosen.text("part"), paths, spec_of(read)));
    FeatureData out = named(features_of(read_numeric_table(paths[0], spec_of(read))));
    if (value_of<bool>(read, "features_are_truth")) {
      require_shape(paths[0], "points", out.features.rows(), out.features.cols(), static_cast<Index>(counts.objects),
                    static_cast<Index>(counts.features));
      out.truth = out.features.template cast<double>();
    }
    return out;
  });
}

}  // namespace

void name_labels(const std::string& dataset, std::vector<std::string>& labels) {
  const ValueTable& read = *description(dataset).find("read")->get_if<ValueTable>();
  const std::vector<std::string> names = texts_of(read, "label_names");
  for (std::string& label : labels) {
    // Some files write the digit 6 as 6.0000.
    if (value_of<bool>(read, "whole_labels")) label = label.substr(0, label.find('.'));
    for (std::size_t i = 0; i < names.size(); ++i)
      if (label == std::to_string(i + 1)) {
        label = names[i];
        break;
      }
  }
}

AttributeFileSpec described_attributes(const std::string& dataset) {
  const ValueTable& read = *description(dataset).find("read")->get_if<ValueTable>();
  AttributeFileSpec out;
  out.columns = texts_of(read, "column_names");
  out.name = text_of(read, "name");
  out.label = text_of(read, "label");
  return out;
}

bool is_of_piles(std::string_view dataset) {
  const Value* about = descriptions().find(dataset);
  return about && value_of<bool>(*about->get_if<ValueTable>(), "piles");
}

DatasetEntry described(const std::string& name) {
  const ValueTable& about = description(name);
  DatasetEntry out{.name = name,
                   .summary = text_of(about, "summary"),
                   .citation = text_of(about, "citation"),
                   .licence = text_of(about, "licence"),
                   .format = text_of(about, "format"),
                   .random = value_of<bool>(about, "random")};
  for_each_table(about, "files", [&](const ValueTable& file) {
    DataFile& one = out.files.emplace_back(DataFile{.path = text_of(file, "path"),
                                                    .sha256 = text_of(file, "sha256"),
                                                    .url = text_of(file, "url"),
                                                    .unpacked_sha256 = text_of(file, "unpacked_sha256"),
                                                    .bytes = number_in(file, "bytes"),
                                                    .about = text_of(file, "about"),
                                                    .by_hand = text_of(file, "by_hand")});
    for_each_table(file, "downloads", [&](const ValueTable& from) {
      one.downloads.push_back({text_of(from, "url"), text_of(from, "member")});
    });
  });
  const auto counts = value_of<ValueTable>(about, "counts");
  out.counts = {.objects = number_in(counts, "objects"),
                .features = number_in(counts, "features"),
                .classes = number_in(counts, "classes"),
                .aspects = number_in(counts, "aspects"),
                .annotators = number_in(counts, "annotators"),
                .triplets = number_in(counts, "triplets")};
  return out;
}

std::vector<std::string> described_names() { return descriptions().keys(); }

namespace {

/// The record of an option: of any data set, with what this one has in its place.
ValueTable record_of(const std::string& dataset, const std::string& option) {
  ValueTable out;
  const Value* about = descriptions().find(dataset);
  const auto own = about ? value_of<ValueTable>(*about->get_if<ValueTable>(), kAnyOption) : ValueTable();
  for (const Value* part : {description(std::string(kAnyOption)).find(option), own.find(option)})
    if (part && part->get_if<std::string>())
      out.set("is", *part);
    else if (part)
      out.merge(*part->get_if<ValueTable>());
  return out;
}

/// A range such as "[3, 1e7]", "(0, inf)" or "[0, 0.5)"; "": any number.
Bounds bounds_of(std::string_view range) {
  if (range.empty()) return {};
  const std::vector<std::string_view> ends = list_entries(range.substr(1, range.size() - 2));
  Bounds out{.lower = *parse_double(ends[0]), .lower_open = range.front() == '('};
  if (ends[1] != "inf") out.upper = *parse_double(ends[1]), out.upper_open = range.back() == ')';
  return out;
}

OptionInfo described_option(const std::string& dataset, const std::string& name) {
  const ValueTable record = record_of(dataset, name);
  const Value& value = *record.find("default");
  const Value* choices = record.find("choices");
  const std::string* all = choices ? choices->get_if<std::string>() : nullptr;
  return {.name = name,
          .kind = value.get_if<bool>()             ? "true/false"
                  : value.get_if<std::int64_t>()   ? "whole number"
                  : value.get_if<double>()         ? "number"
                  : value_of<bool>(record, "file") ? "file"
                                                   : "text",
          .default_value = value,
          .bounds = bounds_of(text_of(record, "range")),
          .choices = !all                 ? texts_of(record, "choices")
                     : *all == "samplers" ? asking::sampler_catalog().names()
                                          : answer_kind_names(),
          .doc = text_of(record, "is")};
}

/// The names of the options of each OptionGroup, and of those that every data set has. The run, which splits, uses all
/// of these but n_aspects: see TrainingRule of config/setup.hpp.
std::vector<std::string> names_of(OptionGroup group) {
  std::vector<std::string> out;
  if (group == OptionGroup::subset) out = {"objects"};
  const bool features = group == OptionGroup::features || group == OptionGroup::subset;
  if (features) out.insert(out.end(), {"scale", "triplets_per_object", "neighbors", "far"});
  if (group != OptionGroup::none) out.insert(out.end(), {"similarity", "k", "symmetry"});
  return out;
}
constexpr std::array<const char*, 8> kOfEvery = {"train_noise", "n_aspects", "observed_fraction",  "observed_by",
                                                 "asked",       "asked_by",  "asked_random_share", "holdout"};

SimilarityOptions similarity_options(const Chosen& chosen) {
  return {chosen.text("similarity"), chosen.whole("k"), chosen.text("symmetry")};
}

}  // namespace

std::vector<OptionInfo> own_options(const std::string& dataset) {
  return mapped(value_of<ValueTable>(description(dataset), kAnyOption).keys(),
                [&](const std::string& name) { return described_option(dataset, name); });
}

DatasetEntry with_options(DatasetEntry entry, std::vector<OptionInfo> own, OptionGroup group, LoadChosen load) {
  std::vector<std::string> more = names_of(group);
  more.insert(more.end(), kOfEvery.begin(), kOfEvery.end());
  // What a data set says of an option of its group is no option of its own.
  std::erase_if(own, [&](const OptionInfo& info) { return contains(more, info.name); });
  entry.options = std::move(own);
  for (const std::string& name : more) entry.options.push_back(described_option(entry.name, name));
  entry.load = [name = entry.name, options = entry.options, group, load = std::move(load)](
                   const ValueTable& table, const DatasetContext& context) {
    const Chosen chosen(resolve_options(options, table, "dataset '" + name + "'"));
    Observations out = load(chosen, context);
    if (out.name.empty()) out.name = name;
    if (const Index aspects = chosen.whole("n_aspects"); aspects > 0)
      out = with_some_aspects(out, aspects, data_stream(context, name, "aspects").next());
    if (group == OptionGroup::similarity) add_similarity(out, similarity_options(chosen), {}, 0, name);
    return out;
  };
  return entry;
}

DatasetEntry entry_of(DatasetEntry entry, LoadChosen load, OptionGroup group) {
  std::vector<OptionInfo> own = own_options(entry.name);
  return with_options(std::move(entry), std::move(own), group, std::move(load));
}

FeatureOptions feature_options(const Chosen& chosen) {
  FeatureOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(chosen);
  out.triplets_per_object = chosen.whole("triplets_per_object");
  out.neighbors = chosen.whole("neighbors");
  out.far = chosen.text("far");
  out.scale = chosen.text("scale");
  if (chosen.all().find("objects")) out.objects = chosen.whole("objects");
  return out;
}

FeatureOptions feature_options(const ValueTable& given) {
  const auto infos =
      mapped(names_of(OptionGroup::features), [](const std::string& name) { return described_option("", name); });
  return feature_options(Chosen(resolve_options(infos, given, "dataset 'features'")));
}

std::vector<DatasetEntry> described_datasets() {
  std::vector<DatasetEntry> out;
  for (const auto& [name, about] : descriptions())
    if (value_of<bool>(value_of<ValueTable>(*about.get_if<ValueTable>(), "read"), "numbers"))
      out.push_back(described_features(name));
  return out;
}

DatasetEntry sdplib_collection() {
  DatasetEntry out = described("sdplib");
  // Optima are as published, with SDPA's signs and the published digits; except maxG51, where the published
  // 4.003809e+03 is wrong. The order is the sum of the sizes of the blocks.
  RowReader rows(embedded_text("sdplib.csv"), "sdplib.csv", ',');
  for (static_cast<void>(rows.next()); rows.next();) {
    const auto fields = rows.fields();
    out.files.push_back({.path = fmt::format("sdplib/{}.dat-s", fields[0]),
                         .sha256 = std::string(fields[5]),
                         .url = "https://github.com/vsdp/SDPLIB",
                         .bytes = static_cast<std::uintmax_t>(*parse_double(fields[4])),
                         .downloads = {{fmt::format("{}{}.dat-s", kRaw, fields[0]), ""}},
                         .about = about_program(fields[1], fields[2], fields[3])});
  }
  return out;
}

}  // namespace alidade::datasets
