#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/readers/answer_folder.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <system_error>
#include <utility>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"

namespace alidade::datasets {

// Each family: a source that defines `std::vector<DatasetEntry> NAME_datasets()`, and its line here. The order of data
// sets is that of their descriptions.
#define ALIDADE_DATASETS(FAMILY) \
  FAMILY(category)               \
  FAMILY(crowd)                  \
  FAMILY(described)              \
  FAMILY(embedded)               \
  FAMILY(feature)                \
  FAMILY(generated)              \
  FAMILY(own_table)              \
  FAMILY(square)                 \
  FAMILY(view)

#define ALIDADE_DECLARED_FAMILY(name) std::vector<DatasetEntry> name##_datasets();
ALIDADE_DATASETS(ALIDADE_DECLARED_FAMILY)

namespace {

constexpr std::string_view kPacked = ".gz";

/// The file, or its unpacked form if only that exists; empty if neither does.
std::filesystem::path find_file(const DataFile& file, const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::path path = folder / file.path;
  if (std::filesystem::exists(path, ignored)) return path;
  if (file.path.ends_with(kPacked)) {
    path = folder / file.path.substr(0, file.path.size() - kPacked.size());
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

/// The files that options name, with the names of these.
std::vector<std::pair<std::string, std::filesystem::path>> own_files(const DatasetEntry& entry,
                                                                     const ValueTable& options,
                                                                     const std::filesystem::path& folder) {
  std::vector<std::pair<std::string, std::filesystem::path>> out;
  for (const OptionInfo& info : entry.options) {
    const Value* value = info.kind == "file" ? options.find(info.name) : nullptr;
    const std::string* name = value ? value->get_if<std::string>() : nullptr;
    if (name && !name->empty()) out.emplace_back(info.name, own_file(*name, entry.name, DatasetContext{folder}));
  }
  return out;
}

Registry<DatasetEntry>& catalog_of_datasets() {
  static Registry<DatasetEntry> catalog("dataset", [] {
    std::vector<DatasetEntry> out;
#define ALIDADE_FAMILY(name) name##_datasets,
    for (const auto family : {ALIDADE_DATASETS(ALIDADE_FAMILY)}) std::ranges::move(family(), std::back_inserter(out));
    const std::vector<std::string> names = described_names();
    std::ranges::sort(out, {}, [&](const DatasetEntry& entry) { return std::ranges::find(names, entry.name); });
    return out;
  }());
  return catalog;
}

}  // namespace

const Registry<DatasetEntry>& dataset_catalog() { return catalog_of_datasets(); }
void add_dataset(DatasetEntry entry) { catalog_of_datasets().add(std::move(entry)); }

const Registry<DatasetEntry>& data_catalog() {
  static const Registry<DatasetEntry> catalog = [] {
    std::vector<DatasetEntry> entries = dataset_catalog().entries();
    entries.push_back(sdplib_collection());
    return Registry<DatasetEntry>("dataset", std::move(entries));
  }();
  return catalog;
}

bool differs_by_repeat(const DatasetEntry& entry, const ValueTable& options) {
  const Value* aspects = options.find("n_aspects");
  return entry.random || (aspects && aspects->number().value() > 0);
}

std::filesystem::path data_folder(const std::optional<std::filesystem::path>& from_command_line) {
  const auto named = [](std::filesystem::path folder, std::string_view by) {
    std::error_code ignored;
    require<ConfigError>(!std::filesystem::exists(folder, ignored) || std::filesystem::is_directory(folder, ignored),
                         words::kNoDataFolder, folder.string(), by);
    return folder;
  };
  if (from_command_line) return named(*from_command_line, "--data");
  const char* from_environment = std::getenv("ALIDADE_DATA");
  if (from_environment != nullptr && *from_environment != '\0') return named(from_environment, "ALIDADE_DATA");
  return "data";
}

std::string_view to_string(FileState state) {
  constexpr std::array<std::string_view, 3> kWords = {"present", "missing", "differs"};
  return kWords[static_cast<std::size_t>(state)];
}

std::vector<FileCheck> verify(const DatasetEntry& entry, const std::filesystem::path& folder) {
  const ReadingLimit none(std::numeric_limits<std::uint64_t>::max() - 1);  // files as they are stored, not unpacked
  std::vector<FileCheck> out;
  for (const DataFile& file : entry.files) {
    FileCheck check{.file = file, .path = find_file(file, folder), .found_sha256 = ""};
    if (!check.path.empty()) {
      const std::string bytes = read_bytes(check.path);
      check.found_sha256 = sha256(bytes);
      const bool packed = check.path == folder / file.path;
      const std::string& expected = packed ? file.sha256 : file.unpacked_sha256;
      check.state = check.found_sha256 == expected ? FileState::present : FileState::differs;
    }
    out.push_back(std::move(check));
  }
  return out;
}

std::string content_digest(const DatasetEntry& entry, const ValueTable& options, const std::filesystem::path& folder) {
  constexpr std::size_t kDigits = 16;
  std::string all;
  try {
    if (const auto checks = verify(entry, folder);
        std::ranges::any_of(checks, [](const FileCheck& check) { return check.state == FileState::differs; }))
      for (const FileCheck& check : checks) {
        if (check.state == FileState::missing) return "";
        all += check.file.path + '\n' + check.found_sha256 + '\n';
      }
    for (const auto& [option, file] : own_files(entry, options, folder)) {
      const bool several = entry.files_of_own && option == "file";
      for (const std::filesystem::path& one : several ? entry.files_of_own(file) : std::vector{file}) {
        if (!std::filesystem::is_regular_file(one)) return "";
        all += option + '\n' + sha256(read_bytes(one)) + '\n';
      }
    }
  } catch (const Error&) {  // loading says what is wrong
    return "";
  } catch (const std::filesystem::filesystem_error&) {
    return "";
  }
  return all.empty() ? "" : sha256(all).substr(0, kDigits);
}

void require_own_files(const DatasetEntry& entry, const ValueTable& options, const std::filesystem::path& folder) {
  for (const auto& [option, file] : own_files(entry, options, folder))
    require<DataError>(means_several_files(file) || is_there(file),
                       "There is no file '{}'. Correct `{}` of the data set.", file.string(), option);
}

std::filesystem::path locate(const DataFile& file, const std::filesystem::path& folder) {
  std::filesystem::path path = find_file(file, folder);
  require<DataError>(!path.empty(), words::kFileNotThere, file.path, folder.string(), file.url);
  return path;
}

std::vector<std::filesystem::path> located(const std::vector<DataFile>& files, const std::filesystem::path& folder) {
  return mapped(files, [&](const DataFile& file) { return locate(file, folder); });
}

std::filesystem::path own_file(const std::string& name, std::string_view dataset, const DatasetContext& context) {
  require<ConfigError>(!name.empty(), "dataset '{}' needs the option 'file': the path of your data.", dataset);
  const std::filesystem::path path = name;
  std::error_code ignored;
  if (path.is_relative() && !std::filesystem::exists(path, ignored) &&
      std::filesystem::exists(context.folder / path, ignored))
    return context.folder / path;
  return path;
}

}  // namespace alidade::datasets
