// What the entries of the catalog are made with; catalog.cpp lists their families.
// Kept apart so that each family of formats has its own source file.
// Not for callers: use dataset_catalog().
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade::datasets {

/// What datasets.json says of a data set: all but load, and of options their texts alone. @pre it is there
[[nodiscard]] DatasetEntry described(const std::string& name);
/// The names of all that it describes, in its order: that of the catalog.
[[nodiscard]] std::vector<std::string> described_names();
/// What it says of an option of a data set, or of any data set. @pre it is there
[[nodiscard]] std::string text_of_option(const std::string& dataset, const std::string& option);
/// The options of a data set that it describes whole, with a default: these need no code but that which uses them.
[[nodiscard]] std::vector<OptionInfo> own_options(const std::string& dataset);
/// In place of the text of an option that datasets.json describes.
inline constexpr const char* kDescribed = "";
/// How a table of attributes is read, as its description has it.
[[nodiscard]] AttributeFileSpec described_attributes(const std::string& dataset);
/// Gives labels that a file numbers the names that the description has for them.
void name_labels(const std::string& dataset, std::vector<std::string>& labels);

/// Not of observations, see data_catalog().
[[nodiscard]] DatasetEntry sdplib_collection();

/// The path of a user's own file: as given, or below the data folder if it is only there.
/// @throws ConfigError if `name` is empty.
[[nodiscard]] std::filesystem::path own_file(const std::string& name, std::string_view dataset,
                                             const DatasetContext& context);

struct NoOptions {};

/// What was chosen of the options of a data set that are described whole; and of those of Base, which code lists.
/// Example: chosen.whole("n")
template <class Base = NoOptions>
struct Chosen : Base {
  struct Own {
    ValueTable all;  // checked, and with the defaults
    Own& operator=(ValueTable::Entry one) {
      all.set(std::move(one.first), std::move(one.second));
      return *this;
    }
  };
  Own own;
  [[nodiscard]] const std::string& text(std::string_view name) const { return value<std::string>(name); }
  [[nodiscard]] Index whole(std::string_view name) const { return value<std::int64_t>(name); }
  [[nodiscard]] double real(std::string_view name) const { return value<double>(name); }
  [[nodiscard]] bool is(std::string_view name) const { return value<bool>(name); }

 private:
  template <class T>
  [[nodiscard]] const T& value(std::string_view name) const {
    return *own.all.find(name)->template get_if<T>();
  }
};

/// The options that are described, and those of Base behind them.
template <class Base>
[[nodiscard]] OptionList<Chosen<Base>> described_options(const std::string& dataset) {
  OptionList<Chosen<Base>> out;
  for (const OptionInfo& info : own_options(dataset))
    out.read(info, &Chosen<Base>::own,
             [name = info.name](const Value& value) { return ValueTable::Entry(name, value); });
  if constexpr (requires { Base::list(); }) out.include(Base::list());
  return out;
}

/// Adds the options of similarity, for datasets whose similarity is computed after loading.
template <class Options>
struct LoadedOptions : Options, SimilarityOptions {
  [[nodiscard]] static OptionList<LoadedOptions> list(const OptionList<Options>& specific) {
    return OptionList<LoadedOptions>().include(specific).include(SimilarityOptions::list());
  }
};
/// Whether a dataset makes its pair signs while loading.
template <class Options>
inline constexpr bool kMakesSigns =
    std::derived_from<Options, OwnSimilarity> || std::derived_from<Options, SimilarityOptions>;

/// Options of every dataset besides its own. The run, which splits, uses all but n_aspects: see TrainingRule of
/// config/setup.hpp.
template <class Options>
struct DatasetOptions : Options {
  double train_noise = 0;
  Index n_aspects = 0;
  double observed_fraction = 1;
  std::string observed_by = "object";
  Index asked = 0;
  std::string asked_by = "random";
  double asked_random_share = 0.2;
  double holdout = 0;
  [[nodiscard]] static OptionList<DatasetOptions> list(const OptionList<Options>& specific) {
    return OptionList<DatasetOptions>()
        .include(specific)
        .real("train_noise", &DatasetOptions::train_noise, between(0, 1), kDescribed)
        .integer("n_aspects", &DatasetOptions::n_aspects, at_least(0), kDescribed)
        .real("observed_fraction", &DatasetOptions::observed_fraction, {0, 1, true, false}, kDescribed)
        .text("observed_by", &DatasetOptions::observed_by, {"object", "value"}, kDescribed)
        .integer("asked", &DatasetOptions::asked, at_least(0), kDescribed)
        .text("asked_by", &DatasetOptions::asked_by, asking::sampler_catalog().names(), kDescribed)
        .real("asked_random_share", &DatasetOptions::asked_random_share, between(0, 1), kDescribed)
        .real("holdout", &DatasetOptions::holdout, half_open(0, 1), kDescribed);
  }
};

/// The random stream of a dataset for `purpose`.
[[nodiscard]] inline Rng data_stream(const DatasetContext& context, std::string_view dataset,
                                     std::string_view purpose) {
  return Rng::stream(context.seed, "data", dataset, context.repeat, purpose);
}

/// Takes the texts of options from their description where they have none, see with_load.
template <bool makes_signs, class Options, class Load>
[[nodiscard]] DatasetEntry with_all_options(DatasetEntry entry, OptionList<Options> options, Load load) {
  entry.options = options.infos();
  for (OptionInfo& info : entry.options)
    if (info.doc.empty()) info.doc = text_of_option(entry.name, info.name);
  entry.load = [name = entry.name, options = std::move(options), load = std::move(load)](
                   const ValueTable& table, const DatasetContext& context) {
    const auto parsed = options.parse(table, "dataset '" + name + "'");
    Observations out = load(parsed, context);
    if (out.name.empty()) out.name = name;
    if (parsed.n_aspects > 0)
      out = with_some_aspects(out, parsed.n_aspects, data_stream(context, name, "aspects").next());
    if constexpr (std::derived_from<Options, SimilarityOptions> && !makes_signs)
      add_similarity(out, parsed, {}, 0, name);
    return out;
  };
  return entry;
}

/// Completes an entry with its options and `load(const Options&, const DatasetContext&)`.
template <class Options, class Load>
[[nodiscard]] DatasetEntry with_load(DatasetEntry entry, const OptionList<Options>& specific, Load load) {
  if constexpr (kMakesSigns<Options>)
    return with_all_options<true>(std::move(entry), DatasetOptions<Options>::list(specific), std::move(load));
  else
    return with_all_options<false>(std::move(entry),
                                   DatasetOptions<LoadedOptions<Options>>::list(LoadedOptions<Options>::list(specific)),
                                   std::move(load));
}

/// An entry whose own options are described: `load(const Chosen<Base>&, const DatasetContext&)`.
template <class Base = NoOptions, class Load>
[[nodiscard]] DatasetEntry entry_of(DatasetEntry entry, Load load) {
  const OptionList<Chosen<Base>> options = described_options<Base>(entry.name);
  return with_load(std::move(entry), options,
                   [load, own = own_options(entry.name)](Chosen<Base> chosen, const DatasetContext& context) {
                     chosen.own.all = resolve_options(own, chosen.own.all, "");
                     return load(chosen, context);
                   });
}

/// An entry of published files: `read(chosen, their paths)`.
template <class Read>
[[nodiscard]] DatasetEntry of_files(const std::string& name, Read read) {
  return entry_of(described(name), [read, files = described(name).files](const auto& chosen, const auto& context) {
    return read(chosen, located(files, context.folder));
  });
}

/// An entry of a user's own file, which names the data: `read(chosen, its path, const DatasetContext&)`.
template <class Base = NoOptions, class Read>
[[nodiscard]] DatasetEntry of_own_file(const std::string& name, Read read) {
  return entry_of<Base>(described(name), [name, read](const Chosen<Base>& chosen, const DatasetContext& context) {
    const std::filesystem::path path = own_file(chosen.text("file"), name, context);
    Observations out = read(chosen, path, context);
    if (out.name.empty()) out.name = path.stem().string();
    return out;
  });
}

/// Images stored in the columns of a MATLAB variable, as rows.
[[nodiscard]] inline FeatureMatrix columns_as_rows(const Matrix& values) { return values.transpose().cast<float>(); }

/// Another shape than the published one is another file. @throws DataError if `what` in the file has one
inline void require_shape(const std::filesystem::path& path, std::string_view what, Index rows, Index columns,
                          Index rows_due, Index columns_due) {
  require<DataError>(rows == rows_due && columns == columns_due,
                     "'{}' holds {} as {} x {}, not {} x {}, so it is not the published file. Download that one.",
                     path.string(), what, rows, columns, rows_due, columns_due);
}

/// An entry of rows of numbers that `read(chosen, paths of its files)` reads.
template <class Read>
[[nodiscard]] DatasetEntry feature_dataset(const std::string& name, Read read) {
  DatasetEntry entry = described(name);
  entry.random = true;
  return entry_of<SubsetOptions>(
      entry, [read, name, files = entry.files](const Chosen<SubsetOptions>& chosen, const DatasetContext& context) {
        return observations_of(read(chosen, located(files, context.folder)), static_cast<const SubsetOptions&>(chosen),
                               context, name);
      });
}

}  // namespace alidade::datasets
