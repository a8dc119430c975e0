#include "experiments/run/run_files.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/projector_file.hpp"

namespace alidade {
namespace {

Value finite_or_null(double value) { return std::isfinite(value) ? Value(value) : Value(); }

}  // namespace

std::string log_file(const std::string& run_id) { return "logs/" + run_id + ".log"; }

std::string trace_to_json(const Trace& trace) {
  Array iteration, seconds, objective, gradient_norm;
  std::vector<std::string> names;
  for (const TraceRecord& record : trace)
    for (const auto& [name, value] : record.metrics)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<Array> columns(names.size());
  for (const TraceRecord& record : trace) {
    iteration.emplace_back(static_cast<std::int64_t>(record.iteration));
    seconds.emplace_back(record.seconds);
    objective.push_back(finite_or_null(record.objective));
    gradient_norm.push_back(finite_or_null(record.gradient_norm));
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto found = std::ranges::find(record.metrics, names[m], &std::pair<std::string, double>::first);
      columns[m].push_back(found == record.metrics.end() ? Value() : finite_or_null(found->second));
    }
  }
  Table out;
  out.set("iteration", std::move(iteration));
  out.set("seconds", std::move(seconds));
  out.set("objective", std::move(objective));
  out.set("gradient_norm", std::move(gradient_norm));
  for (std::size_t m = 0; m < names.size(); ++m) out.set(names[m], std::move(columns[m]));
  return to_json(out) + "\n";
}

ResultRow::Files write_maps(const std::filesystem::path& folder, const RunResult& result,
                            const std::vector<std::string>& stems, const std::vector<std::string>& ellipse_stems) {
  std::vector<std::string> maps, aspects, ellipses;
  for (std::size_t m = 0; m < stems.size(); ++m) {
    const AspectMap& map = result.embedding.maps[m];
    write_whole_file(folder / (stems[m] + ".csv"),
                     map_to_csv(map.coordinates, result.observations.objects, result.observations.labels));
    write_whole_file(folder / (stems[m] + ".npy"), map_to_npy(map.coordinates));
    maps.emplace_back(stems[m] + ".csv");
    aspects.emplace_back(map.name);
    if (result.uncertainty.empty()) continue;
    ellipses.emplace_back(ellipse_stems[m] + ".csv");
    write_whole_file(folder / (ellipse_stems[m] + ".csv"),
                     ellipses_to_csv(result.uncertainty[m], result.observations.objects));
  }
  ResultRow::Files files;
  files.embedding = std::move(maps);
  files.aspects = std::move(aspects);
  if (!ellipses.empty()) files.ellipses = std::move(ellipses);
  if (const auto& [objects, labels, coordinates] = result.heldout_places; !objects.empty() && !stems.empty()) {
    files.heldout = stems.front() + ".heldout.csv";
    write_whole_file(folder / *files.heldout, map_to_csv(coordinates, objects, labels));
  }
  if (result.embedding.projector && !stems.empty()) {
    files.projector = stems.front() + std::string(kProjectorEnding);
    write_whole_file(folder / *files.projector, projector_to_json(*result.embedding.projector));
  }
  return files;
}

void write_run_files(const std::filesystem::path& folder, RunResult& result) {
  const std::string& id = result.row.run_id;
  const std::vector<std::string> stems = map_stems("embeddings/" + id, result.embedding);
  std::vector<std::string> ellipse_stems = stems;
  for (std::string& stem : ellipse_stems) stem += ".ellipses";
  ResultRow::Files files = write_maps(folder, result, stems, ellipse_stems);
  files.trace = "traces/" + id + ".json";
  write_whole_file(folder / *files.trace, trace_to_json(result.trace));
  files.log = log_file(id);
  result.row.files = std::move(files);
}

}  // namespace alidade
