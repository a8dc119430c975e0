#include "experiments/results/manifest.hpp"

#include <ceres/version.h>
#include <fmt/chrono.h>
#include <link.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/decompositions/blas.hpp"
#include "problems/core/error.hpp"
#include "problems/core/instruction_set.hpp"
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

/// Of the linker: which program this is, to the byte; "" if it has none.
std::string build_id() {
  std::string out;
  const auto look = [](dl_phdr_info* object, std::size_t, void* to) {
    constexpr std::size_t kDigits = 12;
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object->dlpi_phdr[i];
      if (part.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
      const auto* const end = at + part.p_memsz;
      const auto padded = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) note{};
        std::memcpy(&note, at, sizeof note);
        const auto* const id = at + sizeof note + padded(note.n_namesz);
        if (id + note.n_descsz > end) break;
        if (note.n_type == NT_GNU_BUILD_ID)
          for (std::size_t k = 0; k < std::min<std::size_t>(note.n_descsz, kDigits / 2); ++k)
            *static_cast<std::string*>(to) += fmt::format("{:02x}", id[k]);
        at = id + padded(note.n_descsz);
      }
    }
    return 1;  // the program is the first; libraries have ids of their own
  };
  ::dl_iterate_phdr(look, &out);
  return out;
}

std::string instruction_set() {
  switch (best_instruction_set()) {
    case InstructionSet::baseline: return "baseline";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::avx512: return "avx512";
  }
  return "";
}

/// Name and SHA-256 of each that was loaded.
std::vector<std::string>& plugins() {
  static std::vector<std::string> loaded;
  return loaded;
}

std::string eigen_version() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace

std::string version() { return ALIDADE_VERSION; }

void note_plugin(const std::string& name, const std::string& sha256) {
  plugins().emplace_back(fmt::format("{} {}", name, sha256));
}

std::string build_details() {
  const std::string_view parts = ALIDADE_PARTS;
  return fmt::format("alidade {}\nBuilt by {}, {}; C++{}\nCeres {}, Eigen {}, fmt {}; BLAS: {}\nWith {}", version(),
                     compiler(), ALIDADE_BUILD, __cplusplus / 100 % 100, CERES_VERSION_STRING, eigen_version(),
                     fmt_version(), blas_library(), parts.empty() ? "no optional package" : parts);
}

ValueTable make_manifest(const std::string& experiment, const std::vector<std::string>& command,
                         std::string_view config) {
  ValueTable program = value_table({{"version", version()},
                                    {"compiler", compiler()},
                                    {"build", ALIDADE_BUILD},
                                    {"build_id", build_id()},
                                    {"parts", ALIDADE_PARTS},
                                    {"libraries", value_table({{"ceres", CERES_VERSION_STRING},
                                                               {"eigen", eigen_version()},
                                                               {"fmt", fmt_version()},
                                                               {"blas", blas_library()}})}});
  if (!plugins().empty()) program.set("plugins", join(plugins(), ", "));
  utsname name{};
  ::uname(&name);
  const auto now = fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  ValueTable out = value_table(
      {{"schema", std::int64_t{1}},
       {"experiment", experiment},
       {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now)},
       {"command", join(command, " ")},
       {kConfigChecksum, sha256(config)},
       {"program", program},
       {"machine", value_table({{"host", std::string(name.nodename)},
                                {"processor", processor()},
                                {"instruction_set", instruction_set()},
                                {"cores", static_cast<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN))},
                                {"memory_mb", static_cast<std::int64_t>(physical_memory() >> 20)},
                                {"system", fmt::format("{} {} {}", name.sysname, name.release, name.machine)}})}});
  out.set("id", manifest_id(out));
  return out;
}

bool names_config(const std::vector<ValueTable>& entries, std::string_view config) {
  const std::string checksum = sha256(config);
  return std::ranges::any_of(entries, [&](const ValueTable& e) { return text_field(e, kConfigChecksum) == checksum; });
}

bool knows_config(const std::vector<ValueTable>& entries) {
  return std::ranges::any_of(entries, [](const ValueTable& e) { return e.find(kConfigChecksum) != nullptr; });
}

std::string manifest_id(ValueTable entry) {
  constexpr std::size_t kDigits = 12;
  entry.erase("id");
  return sha256(to_json(entry)).substr(0, kDigits);
}

std::vector<ValueTable> read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestFile;
  const std::optional<std::string> text = content_if_there(file);
  return text ? parse_manifest(*text, file.string()) : std::vector<ValueTable>();
}

std::vector<ValueTable> parse_manifest(std::string_view text, const std::string& file) {
  Value value = parse_json(text, file);
  ValueTable* last = value.get_if<ValueTable>();
  require<DataError>(last != nullptr, "{}: A manifest must be a JSON object, not {}.", file, value.kind());
  std::vector<ValueTable> out;
  if (Value* earlier = last->find("earlier"))
    if (ValueArray* list = earlier->get_if<ValueArray>())
      for (Value& one : *list)
        if (ValueTable* entry = one.get_if<ValueTable>()) out.push_back(std::move(*entry));
  last->erase("earlier");
  out.push_back(std::move(*last));
  for (ValueTable& entry : out)
    if (!entry.find("id")) entry.set("id", manifest_id(entry));
  return out;
}

std::string manifest_text(const std::vector<ValueTable>& entries) {
  ValueTable out = entries.back();
  ValueArray earlier;
  for (const ValueTable& entry : std::span(entries).first(entries.size() - 1)) earlier.emplace_back(entry);
  if (!earlier.empty()) out.set("earlier", std::move(earlier));
  return to_pretty_json(out);
}

std::string program_text(const ValueTable& entry) {
  std::vector<std::string> parts;
  const auto add = [&](const char* before, const char* name) {
    if (const std::string text = text_field(entry, name); !text.empty()) parts.push_back(before + text);
  };
  add("", "program.compiler");
  add("", "program.build");
  add("build ", "program.build_id");
  add("BLAS ", "program.libraries.blas");
  add("", "machine.instruction_set");
  add("plug-in ", "program.plugins");
  return fmt::format("alidade {} ({})", text_field(entry, "program.version"), join(parts, ", "));
}

std::string origins(std::span<const Row> rows, const std::vector<ValueTable>& entries) {
  std::map<std::string, std::string, std::less<>> of_entry;
  for (const ValueTable& entry : entries) {
    const auto field = [&](const char* name) { return text_field(entry, name); };
    of_entry[field("id")] =
        fmt::format("{} on {} x {}, {} MB, {}", program_text(entry), field("machine.cores"), field("machine.processor"),
                    field("machine.memory_mb"), field("machine.system"));
  }
  InOrder<std::string, std::size_t> counts;
  for (const Row& row : rows) {
    const auto program = of_entry.find(row.made_by.value_or(""));
    ++counts.of(program == of_entry.end() ? "a program that the manifest does not name" : program->second);
  }
  if (counts.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [by, count] : counts) parts.push_back(counted(count, "row") + " by " + by);
  return "More than one program or machine made these rows: " + join(parts, "; ") + ".";
}

}  // namespace alidade
