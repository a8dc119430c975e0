// The files that a run leaves: its maps, the ellipses on them, its trace.
// What the row says of them is relative to the folder of results.
// Formats: results/map_files.hpp, results/projector_file.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run/run.hpp"

namespace alidade {

/// Where the log of a run is, relative to the folder.
[[nodiscard]] std::string log_file(const std::string& run_id);

/// Writes each map below `folder` as STEM.csv and .npy, and after a bootstrap its ellipses as ELLIPSE_STEM.csv, with
/// the stems of map m at m. Returns what a row says of it under `files`: embedding, aspects (what each map shows, ""
/// for the only one), ellipses, where objects were held out and placed STEM.heldout.csv and, where new features can be
/// placed, the projector.
[[nodiscard]] ResultRow::Files write_maps(const std::filesystem::path& folder, const RunResult& result,
                                          const std::vector<std::string>& stems,
                                          const std::vector<std::string>& ellipse_stems);

/// Writes embeddings/ID.csv and .npy (embeddings/ID.ASPECT.csv ... of several maps), embeddings/ID.ellipses.csv after a
/// bootstrap, and traces/ID.json below `folder` and names them in the row.
void write_run_files(const std::filesystem::path& folder, RunResult& result);

/// The trace as columns, for traces/ID.json.
[[nodiscard]] std::string trace_to_json(const Trace& trace);

}  // namespace alidade
