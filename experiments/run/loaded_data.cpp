#include "experiments/run/loaded_data.hpp"

#include <sentences/config.hpp>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/reading_limit.hpp"
#include "problems/core/error.hpp"
#include "solvers/contract/trace.hpp"

namespace alidade {

std::optional<std::string> other_data(const DatasetSetup& dataset, std::string_view made, std::string_view remedy,
                                      const std::filesystem::path& data_folder) {
  if (dataset.content.empty()) return std::nullopt;
  const std::string digest =
      datasets::content_digest(datasets::dataset_catalog().at(dataset.name), dataset.options, data_folder);
  if (digest.empty() || digest == dataset.content) return std::nullopt;
  return fmt::format(words::kOtherData, dataset.id, digest, made, dataset.content, remedy);
}

std::optional<Observations> data_of_row(const ResultRow::Dataset& dataset) {
  const auto* entry = datasets::dataset_catalog().find(dataset.name);
  const Value* file = dataset.options.find("file");
  const auto* path = file ? file->get_if<std::string>() : nullptr;
  std::error_code unread;
  if (!entry || !path || path->empty()) return std::nullopt;
  if (std::filesystem::is_other(*path, unread)) return std::nullopt;  // a pipe is read once
  try {
    const ValueTable options = resolve_options(entry->options, dataset.options, entry->name);
    if (dataset.content && *dataset.content != datasets::content_digest(*entry, options, {})) return std::nullopt;
    return entry->load(options, {});
  } catch (const Error&) {
    return std::nullopt;
  }
}

LoadedData::LoadedData(const Experiment& experiment, const std::vector<PlannedRun>& runs,
                       std::filesystem::path data_folder)
    : experiment_(experiment), data_folder_(std::move(data_folder)) {
  for (const PlannedRun& run : runs) ++uses_[key(run)];
}

const LoadedData::Entry& LoadedData::get(const PlannedRun& run) {
  const auto [it, fresh] = entries_.try_emplace(key(run));
  Entry& entry = it->second;
  if (!fresh) return entry;
  const Stopwatch clock;
  const DatasetSetup& setup = experiment_.datasets[run.dataset];
  const ReadingLimit limit(experiment_.max_size_bytes, experiment_.timeout_seconds);
  const datasets::DatasetEntry& dataset = datasets::dataset_catalog().at(setup.name);
  const WhileReading reading;
  try {
    entry.observations = dataset.load(setup.options, {data_folder_, experiment_.seed, run.repeat});
    // The runs have ids by what the files held when they were planned.
    if (const auto changed = other_data(setup, "the runs were planned", "Give the command again.", data_folder_))
      throw DataError(*changed);
  } catch (const Error& error) {
    entry.observations.reset();
    entry.failure = error.what();
  }
  entry.load_seconds = clock.seconds();
  return entry;
}

void LoadedData::release(const PlannedRun& run) {
  if (--uses_[key(run)] == 0) entries_.erase(key(run));
}

void LoadedData::keep_for(const PlannedRun& run) {
  std::erase_if(entries_, [&](const auto& entry) {
    const auto& [dataset, repeat] = entry.first;
    return random(dataset) && repeat != run.repeat;
  });
}

bool LoadedData::random(std::size_t dataset) const {
  const DatasetSetup& setup = experiment_.datasets[dataset];
  return datasets::differs_by_repeat(datasets::dataset_catalog().at(setup.name), setup.options);
}

LoadedData::Key LoadedData::key(const PlannedRun& run) const {
  return {run.dataset, random(run.dataset) ? run.repeat : 0};
}

}  // namespace alidade
