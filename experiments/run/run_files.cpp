#include "experiments/run/run_files.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/sha256.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/map_faults.hpp"

namespace alidade {
namespace {

Value finite_or_null(double value) { return std::isfinite(value) ? Value(value) : Value(); }

/// Adds a file of the run to the batch, and its checksum to those of the row.
void write_named(FileBatch& batch, const std::filesystem::path& folder, const std::string& name,
                 std::string_view content, ResultRow::Files& files) {
  batch.write(folder / name, content);
  if (!files.checksums) files.checksums.emplace();
  files.checksums->push_back({name, sha256(content), {}});
}

}  // namespace

std::string log_file(const std::string& run_id) { return "logs/" + run_id + ".log"; }

std::string trace_to_json(const Trace& trace) {
  ValueArray iteration, seconds, objective, gradient_norm;
  std::vector<std::string> names;
  for (const TraceRecord& record : trace)
    for (const auto& [name, value] : record.metrics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<ValueArray> columns(names.size());
  for (const TraceRecord& record : trace) {
    iteration.emplace_back(static_cast<std::int64_t>(record.iteration));
    seconds.emplace_back(record.seconds);
    objective.push_back(finite_or_null(record.objective));
    gradient_norm.push_back(finite_or_null(record.gradient_norm));
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto entry = std::ranges::find(record.metrics, names[m], &std::pair<std::string, double>::first);
      columns[m].push_back(entry == record.metrics.end() ? Value() : finite_or_null(entry->second));
    }
  }
  ValueTable out;
  out.set("iteration", std::move(iteration));
  out.set("seconds", std::move(seconds));
  out.set("objective", std::move(objective));
  out.set("gradient_norm", std::move(gradient_norm));
  for (std::size_t m = 0; m < names.size(); ++m) out.set(names[m], std::move(columns[m]));
  return to_json(out) + "\n";
}

ResultRow::Files write_maps(FileBatch& batch, const std::filesystem::path& folder, const RunResult& result,
                            const std::vector<std::string>& stems, const std::vector<std::string>& ellipse_stems,
                            const std::string& annotator_file) {
  std::vector<std::string> maps, aspects, ellipses;
  ResultRow::Files files;
  for (std::size_t m = 0; m < stems.size(); ++m) {
    const AspectMap& map = result.embedding.maps[m];
    write_named(batch, folder, stems[m] + ".csv",
                map_to_csv(map.coordinates, result.observations.objects, result.observations.labels), files);
    write_named(batch, folder, stems[m] + ".npy", map_to_npy(map.coordinates), files);
    maps.emplace_back(stems[m] + ".csv");
    aspects.emplace_back(map.name);
    if (result.uncertainty.empty()) continue;
    ellipses.emplace_back(ellipse_stems[m] + ".csv");
    write_named(batch, folder, ellipse_stems[m] + ".csv",
                ellipses_to_csv(result.uncertainty[m], result.observations.objects), files);
  }
  files.embedding = std::move(maps);
  files.aspects = std::move(aspects);
  if (!ellipses.empty()) files.ellipses = std::move(ellipses);
  if (const auto& [objects, labels, coordinates] = result.heldout_places; !objects.empty() && !stems.empty()) {
    files.heldout = stems.front() + ".heldout.csv";
    write_named(batch, folder, *files.heldout, map_to_csv(coordinates, objects, labels), files);
  }
  if ((result.embedding.annotators || !result.annotator_errors.empty()) && !stems.empty()) {
    files.annotators = annotator_file;
    write_named(batch, folder, *files.annotators,
                annotators_to_csv(result.embedding.annotators.get(), result.annotator_errors), files);
  }
  if (result.embedding.projector && !stems.empty()) {
    files.projector = stems.front() + std::string(kProjectorEnding);
    write_named(batch, folder, *files.projector,
                projector_to_json(*result.embedding.projector, result.projected_features), files);
  }
  return files;
}

void write_violations(FileBatch& batch, const std::filesystem::path& folder, const RunResult& result,
                      const std::vector<std::string>& stems, ResultRow::Files& files) {
  const auto& triplets = result.observations.triplets;
  if (!triplets || !triplets->stored() || result.embedding.maps.empty()) return;
  const std::vector<ViolatedTriplets> violated = violated_triplets(result.embedding, *triplets);
  std::vector<std::string> names;
  for (std::size_t m = 0; m < violated.size(); ++m) {
    names.push_back(stems[m] + ".csv");
    write_named(batch, folder, names.back(), violated_to_csv(violated[m], result.observations.objects), files);
  }
  if (!names.empty()) files.violated = std::move(names);
  if (!result.judged_answers.empty()) write_named(batch, folder, "heldout.csv", result.judged_answers, files);
}

void write_trace(FileBatch& batch, const std::filesystem::path& folder, const RunResult& result,
                 ResultRow::Files& files) {
  files.trace = "traces/" + result.row.run_id + ".json";
  write_named(batch, folder, *files.trace, trace_to_json(result.trace), files);
}

void add_log_checksum(const std::filesystem::path& folder, ResultRow::Files& files) {
  constexpr std::size_t kMost = std::size_t{1} << 24;  // a log that grows without end is still read in a moment
  const std::filesystem::path path = folder / *files.log;
  if (!sync_file(path)) return;
  const std::optional<std::string> content = file_content(path, kMost);
  if (!content || content->empty()) return;
  if (!files.checksums) files.checksums.emplace();
  files.checksums->push_back({*files.log, sha256(*content), static_cast<std::int64_t>(content->size())});
}

void write_run_files(const std::filesystem::path& folder, RunResult& result) {
  const std::string& id = result.row.run_id;
  const std::vector<std::string> stems = map_stems("embeddings/" + id, result.embedding);
  std::vector<std::string> ellipse_stems = stems;
  for (std::string& stem : ellipse_stems) stem += ".ellipses";
  FileBatch batch;
  ResultRow::Files files =
      write_maps(batch, folder, result, stems, ellipse_stems, "embeddings/" + id + ".annotators.csv");
  write_trace(batch, folder, result, files);
  batch.commit();
  files.log = log_file(id);
  add_log_checksum(folder, files);
  result.row.files = std::move(files);
}

}  // namespace alidade
