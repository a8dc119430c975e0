// What two results folders of one experiment must have in common, whoever carried it out and however often it was
// broken off: rows and files without times, memory and threads.
// Written as text, so that a difference can be read in the message of a failed check.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "tests/support/command_line.hpp"

namespace alidade::testing {

[[nodiscard]] inline std::map<std::string, ValueTable> rows_in(const std::filesystem::path& folder) {
  std::map<std::string, ValueTable> out;
  for (const Row& row : read_rows(folder)) out.emplace(row.run_id, row.table());
  return out;
}

/// Takes the checksums of traces and logs, which contain times, out of a row.
inline void drop_checksums_of_times(ValueTable& row) {
  const std::string trace = text_field(row, "files.trace"), log = text_field(row, "files.log");
  Value* files = row.find("files");
  ValueTable* table = files ? files->get_if<ValueTable>() : nullptr;
  Value* checksums = table ? table->find("checksums") : nullptr;
  if (ValueArray* list = checksums ? checksums->get_if<ValueArray>() : nullptr)
    std::erase_if(*list, [&](const Value& one) {
      const std::string file = text_field(*one.get_if<ValueTable>(), "file");
      return file == trace || file == log;
    });
}

/// Rows by run without what may differ between two runs of the same: times, memory and threads, what contains times,
/// and who did the run.
[[nodiscard]] inline std::map<std::string, std::string> comparable(const std::filesystem::path& folder) {
  std::map<std::string, std::string> out;
  for (auto& [id, row] : rows_in(folder)) {
    for (const char* field : {"seconds", "memory_mb", "threads"}) REQUIRE(row.erase(field));
    for (const char* field : {"made_by", "check"}) row.erase(field);
    drop_checksums_of_times(row);
    if (ValueTable* uncertainty = row.find("uncertainty")->get_if<ValueTable>()) uncertainty->erase("seconds");
    out[id] = to_json(row);
  }
  return out;
}

/// Contents of the maps and traces (without their seconds), by name.
[[nodiscard]] inline std::map<std::string, std::string> comparable_files(const std::filesystem::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "embeddings"))
    out[entry.path().filename().string()] = content_of(entry.path());
  for (const auto& entry : std::filesystem::directory_iterator(folder / "traces")) {
    Value trace = parse_json(content_of(entry.path()), "trace");
    REQUIRE(trace.get_if<ValueTable>()->erase("seconds"));
    out[entry.path().filename().string()] = to_json(trace);
  }
  return out;
}

}  // namespace alidade::testing
