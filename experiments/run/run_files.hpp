// The files that a run writes: its maps, their ellipses, its trace.
// The row names them relative to the folder of results, with their checksums.
// Formats: results/map_files.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/durable_file.hpp"
#include "experiments/run/run.hpp"

namespace alidade {

/// A run's log file, relative to the folder.
[[nodiscard]] std::string log_file(const std::string& run_id);

/// Adds to `batch`, which the caller commits, each map below `folder` as STEM.csv and .npy and, after a bootstrap, its
/// ellipses as ELLIPSE_STEM.csv; map m uses the stems at index m. Adds STEM.heldout.csv if held-out objects were
/// placed, `annotator_file` if the map estimated its annotators, and the projector if the map can place new features.
/// Returns the row's `files`: embedding, aspects (what each map shows, "" for the only one), ellipses, heldout,
/// annotators and projector, and the checksums of all of them.
[[nodiscard]] ResultRow::Files write_maps(FileBatch& batch, const std::filesystem::path& folder,
                                          const RunResult& result, const std::vector<std::string>& stems,
                                          const std::vector<std::string>& ellipse_stems,
                                          const std::string& annotator_file);

/// Adds STEM.csv with the triplets that map m violates below `folder` to `batch`, for the stem at index m, and names
/// them, with their checksums, in `files`. Nothing if the map was not made from stored triplets, or has no aspects.
void write_violations(FileBatch& batch, const std::filesystem::path& folder, const RunResult& result,
                      const std::vector<std::string>& stems, ResultRow::Files& files);

/// Adds traces/ID.json below `folder` to `batch`, and names it, with its checksum, in `files`.
void write_trace(FileBatch& batch, const std::filesystem::path& folder, const RunResult& result,
                 ResultRow::Files& files);

/// Syncs the log that `files` names, and adds the checksum of what it says so far. Nothing if that cannot be done: no
/// result depends on it.
void add_log_checksum(const std::filesystem::path& folder, ResultRow::Files& files);

/// Writes embeddings/ID.csv and .npy (embeddings/ID.ASPECT.csv ... for several maps), embeddings/ID.ellipses.csv after
/// a bootstrap, and traces/ID.json below `folder`, and names them in the row.
void write_run_files(const std::filesystem::path& folder, RunResult& result);

/// The trace as columns, for traces/ID.json.
[[nodiscard]] std::string trace_to_json(const Trace& trace);

}  // namespace alidade
