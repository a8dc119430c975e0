#include "experiments/results/manifest.hpp"

#include <ceres/version.h>
#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/memory.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr const char* kConfigChecksum = "config_sha256";

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string eigen_version() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace

std::string version() { return ALIDADE_VERSION; }

std::string build_details() {
  const std::string_view parts = ALIDADE_PARTS;
  return fmt::format("alidade {}\nBuilt by {}, {}; C++{}\nCeres {}, Eigen {}, fmt {}\nWith {}", version(), compiler(),
                     ALIDADE_BUILD, __cplusplus / 100 % 100, CERES_VERSION_STRING, eigen_version(), fmt_version(),
                     parts.empty() ? "no optional package" : parts);
}

Table make_manifest(const std::string& experiment, const std::vector<std::string>& command, std::string_view config) {
  Table libraries;
  libraries.set("ceres", CERES_VERSION_STRING);
  libraries.set("eigen", eigen_version());
  libraries.set("fmt", fmt_version());
  Table program;
  program.set("version", version());
  program.set("compiler", compiler());
  program.set("build", ALIDADE_BUILD);
  program.set("parts", ALIDADE_PARTS);
  program.set("libraries", std::move(libraries));
  utsname name{};
  ::uname(&name);
  Table machine;
  machine.set("host", std::string(name.nodename));
  machine.set("processor", processor());
  machine.set("cores", static_cast<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
  machine.set("memory_mb", static_cast<std::int64_t>(physical_memory() >> 20));
  machine.set("system", fmt::format("{} {} {}", name.sysname, name.release, name.machine));
  Table out;
  out.set("schema", 1);
  out.set("experiment", experiment);
  out.set("written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()))));
  out.set("command", join(command, " "));
  out.set(kConfigChecksum, datasets::sha256(config));
  out.set("program", std::move(program));
  out.set("machine", std::move(machine));
  out.set("id", manifest_id(out));
  return out;
}

bool names_config(const std::vector<Table>& entries, std::string_view config) {
  const std::string checksum = datasets::sha256(config);
  return std::ranges::any_of(entries, [&](const Table& e) { return text_field(e, kConfigChecksum) == checksum; });
}

bool knows_config(const std::vector<Table>& entries) {
  return std::ranges::any_of(entries, [](const Table& e) { return e.find(kConfigChecksum) != nullptr; });
}

std::string manifest_id(Table entry) {
  constexpr std::size_t kDigits = 12;
  entry.erase("id");
  return datasets::sha256(to_json(entry)).substr(0, kDigits);
}

std::vector<Table> read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestFile;
  const std::optional<std::string> text = content_if_there(file);
  return text ? parse_manifest(*text, file.string()) : std::vector<Table>();
}

std::vector<Table> parse_manifest(std::string_view text, const std::string& file) {
  Value value = parse_json(text, file);
  Table* last = value.get_if<Table>();
  require<DataError>(last != nullptr, "{}: A manifest must be a JSON object, not {}.", file, value.kind());
  std::vector<Table> out;
  if (Value* earlier = last->find("earlier"))
    if (Array* list = earlier->get_if<Array>())
      for (Value& one : *list)
        if (Table* entry = one.get_if<Table>()) out.push_back(std::move(*entry));
  last->erase("earlier");
  out.push_back(std::move(*last));
  for (Table& entry : out)
    if (!entry.find("id")) entry.set("id", manifest_id(entry));
  return out;
}

std::string manifest_text(const std::vector<Table>& entries) {
  Table out = entries.back();
  Array earlier;
  for (const Table& entry : std::span(entries).first(entries.size() - 1)) earlier.emplace_back(entry);
  if (!earlier.empty()) out.set("earlier", std::move(earlier));
  return to_pretty_json(out);
}

std::string origins(std::span<const Table> rows, const std::vector<Table>& entries) {
  std::map<std::string, std::string, std::less<>> of_entry;
  for (const Table& entry : entries) {
    const auto said = [&](const char* name) { return text_field(entry, name); };
    of_entry[said("id")] = fmt::format("alidade {} ({}, {}) on {} x {}, {} MB, {}", said("program.version"),
                                       said("program.compiler"), said("program.build"), said("machine.cores"),
                                       said("machine.processor"), said("machine.memory_mb"), said("machine.system"));
  }
  std::vector<std::pair<std::string, std::size_t>> counts;  // in order of appearance
  for (const Table& row : rows) {
    const auto known = of_entry.find(text_field(row, "made_by"));
    const std::string by = known == of_entry.end() ? "a program that the manifest does not name" : known->second;
    const auto found = std::ranges::find(counts, by, &std::pair<std::string, std::size_t>::first);
    if (found == counts.end())
      counts.emplace_back(by, 1);
    else
      ++found->second;
  }
  if (counts.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [by, count] : counts) parts.push_back(counted(count, "row") + " by " + by);
  return "More than one program or machine made these rows: " + join(parts, "; ") + ".";
}

}  // namespace alidade
