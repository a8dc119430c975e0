// What the entries of the catalog are made with; catalog.cpp lists their families.
// Kept apart so that each family of formats has its own source file.
// Not for callers: use dataset_catalog().
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/datasets/readers/answer_folder.hpp"
#include "experiments/datasets/readers/attribute_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/feature_data.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/core/random.hpp"

namespace alidade::datasets {

/// What datasets.json says of a data set: all but load, and of options their texts alone. @pre it is there
[[nodiscard]] DatasetEntry described(const std::string& name);
/// The names of all that it describes, in its order: that of the catalog.
[[nodiscard]] std::vector<std::string> described_names();
/// The options of a data set itself, as it is described.
[[nodiscard]] std::vector<OptionInfo> own_options(const std::string& dataset);
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

/// What was chosen of the options of a data set. Example: chosen.whole("n")
class Chosen {
 public:
  /// Checked, and with the defaults.
  explicit Chosen(ValueTable all) : all_(std::move(all)) {}
  [[nodiscard]] const std::string& text(std::string_view name) const { return value<std::string>(name); }
  [[nodiscard]] Index whole(std::string_view name) const { return value<std::int64_t>(name); }
  [[nodiscard]] double real(std::string_view name) const { return value<double>(name); }
  [[nodiscard]] bool is(std::string_view name) const { return value<bool>(name); }
  [[nodiscard]] const ValueTable& all() const { return all_; }

 private:
  template <class T>
  [[nodiscard]] const T& value(std::string_view name) const {
    return *all_.find(name)->template get_if<T>();
  }
  ValueTable all_;
};
/// @throws ConfigError if an option says how a text is laid out, and the file is a .npy file
void require_no_layout(const Chosen& chosen, const std::string& npy_file);
/// @pre the data set has the options where, columns and merge_names
[[nodiscard]] inline TableChoice choice_of(const Chosen& chosen) {
  return {chosen.text("where"), chosen.text("columns"), merge_names_of(chosen.text("merge_names"))};
}

/// Which options a data set has between its own and those of every data set, all described: of pair signs that are made
/// after loading; none, since it has its own signs; or those of features, from which loading makes signs, and of a
/// subset of their rows.
enum class OptionGroup { similarity, none, features, subset };

/// Those of a group of features.
[[nodiscard]] FeatureOptions feature_options(const Chosen& chosen);

using LoadChosen = std::function<Observations(const Chosen&, const DatasetContext&)>;
/// Completes an entry with its own options and those of its group, with the texts that are described.
[[nodiscard]] DatasetEntry with_options(DatasetEntry entry, std::vector<OptionInfo> own, OptionGroup group,
                                        LoadChosen load);
/// An entry whose own options are described.
[[nodiscard]] DatasetEntry entry_of(DatasetEntry entry, LoadChosen load, OptionGroup group = OptionGroup::similarity);

/// The random stream of a dataset for `purpose`.
[[nodiscard]] inline Rng data_stream(const DatasetContext& context, std::string_view dataset,
                                     std::string_view purpose) {
  return Rng::stream(context.seed, "data", dataset, context.repeat, purpose);
}

/// Completes an entry with its options and `load(const Options&, const DatasetContext&)`.
template <class Options, class Load>
[[nodiscard]] DatasetEntry with_load(DatasetEntry entry, const OptionList<Options>& specific, Load load) {
  return with_options(std::move(entry), specific.infos(), OptionGroup::similarity,
                      [specific, load](const Chosen& chosen, const DatasetContext& context) {
                        ValueTable own;
                        for (const OptionInfo& info : specific.infos())
                          own.set(info.name, *chosen.all().find(info.name));
                        return load(specific.parse(own, ""), context);
                      });
}

/// An entry of published files: `read(chosen, their paths)`.
template <class Read>
[[nodiscard]] DatasetEntry of_files(const std::string& name, Read read) {
  return entry_of(described(name), [read, files = described(name).files](const Chosen& chosen, const auto& context) {
    return read(chosen, located(files, context.folder));
  });
}

/// An entry of a user's own file, which names the data: `read(chosen, its path)`, and the context if it takes one.
template <class Read>
[[nodiscard]] DatasetEntry of_own_file(const std::string& name, Read read,
                                       OptionGroup group = OptionGroup::similarity) {
  const LoadChosen load = [name, read](const Chosen& chosen, const DatasetContext& context) {
    const std::filesystem::path path = own_file(chosen.text("file"), name, context);
    Observations out;
    if constexpr (std::invocable<Read, const Chosen&, const std::filesystem::path&>)
      out = read(chosen, path);
    else
      out = read(chosen, path, context);
    const bool pattern = path.filename().string().find_first_of("*?") != std::string::npos && path.has_parent_path();
    if (out.name.empty()) out.name = (pattern ? path.parent_path() : path).stem().string();
    return out;
  };
  DatasetEntry out = entry_of(described(name), load, group);
  out.files_of_own = files_of;
  return out;
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
  const LoadChosen load = [read, name, files = entry.files](const Chosen& chosen, const DatasetContext& context) {
    return observations_of(read(chosen, located(files, context.folder)), feature_options(chosen), context, name);
  };
  return entry_of(std::move(entry), load, OptionGroup::subset);
}

}  // namespace alidade::datasets
