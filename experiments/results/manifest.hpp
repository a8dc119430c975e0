// What a results folder records about the programs and machines that made its rows: manifest.json.
// Each command that adds rows adds an entry, and its rows name it as `made_by`; no result depends on it.
// It contains the machine's name and the command line as typed: check it before you publish a folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/row.hpp"

namespace alidade {

[[nodiscard]] std::string version();

/// "alidade 1.2.3", and below it the compiler, the flags and the optional packages in the build. No newline at the end.
[[nodiscard]] std::string build_details();

/// Of a plug-in that was loaded: entries of manifests made from now on name it.
void note_plugin(const std::string& name, const std::string& sha256);

constexpr std::string_view kManifestFile = "manifest.json";

/// The entry of one command: versions of program, compiler and libraries, the linker's id of the program, plug-ins, and
/// which BLAS answers; processor, the instruction set that kernels use, cores, memory, kernel; time and command line;
/// the checksum of `config`, the text of config.resolved.toml; and its `id`.
[[nodiscard]] ValueTable make_manifest(const std::string& experiment, const std::vector<std::string>& command,
                                       std::string_view config);

/// The first 12 hexadecimal digits of the SHA-256 of an entry without its id: also the checksum of the entry.
[[nodiscard]] std::string manifest_id(ValueTable entry);

/// Whether one of the entries was made with this text of config.resolved.toml.
[[nodiscard]] bool names_config(const std::vector<ValueTable>& entries, std::string_view config);
/// Whether any entry has the checksum of its config: those of earlier versions have none.
[[nodiscard]] bool knows_config(const std::vector<ValueTable>& entries);

/// The entries of a folder's manifest.json, oldest first; none without such a file. Entries of earlier versions get
/// their id here. @throws DataError if the file cannot be read or is no manifest
[[nodiscard]] std::vector<ValueTable> read_manifest(const std::filesystem::path& folder);
/// The same from the text of `file`. @throws DataError if it is no manifest
[[nodiscard]] std::vector<ValueTable> parse_manifest(std::string_view text, const std::string& file);

/// The text of manifest.json: the last entry, as earlier versions wrote it, with those before it as `earlier`.
/// @pre entries are not empty
[[nodiscard]] std::string manifest_text(const std::vector<ValueTable>& entries);

/// What of an entry can change a result: version, compiler, build, BLAS, instruction set and plug-ins.
[[nodiscard]] std::string program_text(const ValueTable& entry);

/// One sentence on the programs and machines that made rows, with their numbers of rows; "" if all were made by the
/// same program on machines that are described alike.
[[nodiscard]] std::string origins(std::span<const Row> rows, const std::vector<ValueTable>& entries);

}  // namespace alidade
