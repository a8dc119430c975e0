#include "experiments/tables/best_known.hpp"

#include <set>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"

namespace alidade {
namespace {

constexpr std::int64_t kSchema = 1;

/// Empty if the file is missing or empty, as it is at its first use.
ValueTable read_table(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool empty = !std::filesystem::exists(file, ignored) || (std::filesystem::is_regular_file(file, ignored) &&
                                                                 std::filesystem::file_size(file, ignored) == 0);
  ValueTable nothing;
  nothing.set("fields", ValueTable());
  if (empty) return nothing;
  const auto content = [&] {
    try {
      return read_bytes(file);
    } catch (const DataError& error) {
      throw DataError(fmt::format("--best-known: {}", error.what()));
    }
  };
  Value value = parse_json(content(), file.string());
  const ValueTable* table = value.get_if<ValueTable>();
  const Value* schema = table ? table->find("schema") : nullptr;
  const Value* fields = table ? table->find("fields") : nullptr;
  require<DataError>(schema && *schema == Value(kSchema) && fields && fields->get_if<ValueTable>(),
                     "{}: This is not a file of best known values (schema {}, fields). Name another file, or a "
                     "new one.",
                     file.string(), kSchema);
  return *table;
}

}  // namespace

ValueTable instance_of(const ValueTable& row) {
  ValueTable out;
  for (const char* key : {"dataset", "seed", "repeat", "fold", "problem", "input", "n", "triplets", "heldout_triplets",
                          "heldout_objects"}) {
    const Value* value = row.find(key);
    out.set(key, value ? *value : Value());
  }
  return out;
}

BestKnownValues::BestKnownValues(std::string field, bool higher_is_better)
    : field_(std::move(field)), higher_(higher_is_better) {}

bool BestKnownValues::take(const std::string& instance, BestKnown candidate) {
  const auto [entry, is_new] = values_.emplace(instance, candidate);
  if (is_new) return true;
  const bool better = higher_ ? candidate.value > entry->second.value : candidate.value < entry->second.value;
  if (better) entry->second = std::move(candidate);
  return better;
}

void BestKnownValues::read(const std::filesystem::path& file) { add(read_table(file), file); }

void BestKnownValues::add(const ValueTable& all, const std::filesystem::path& file) {
  const Value* mine = all.find("fields")->get_if<ValueTable>()->find(field_);
  if (!mine) return;
  const ValueTable* table = mine->get_if<ValueTable>();
  const Value* higher = table ? table->find("higher_is_better") : nullptr;
  const Value* instances = table ? table->find("instances") : nullptr;
  require<DataError>(higher && higher->get_if<bool>() && instances && instances->get_if<ValueArray>(),
                     "{}: The entry of '{}' is damaged. Correct it, or name another file.", file.string(), field_);
  require<DataError>(*higher->get_if<bool>() == higher_,
                     "{0}: In this file {2} values of '{1}' are better, but here it is the other "
                     "way round. Name another file, or change --better.",
                     file.string(), field_, higher_ ? "lower" : "higher");
  std::size_t place = 0;
  for (const Value& item : *instances->get_if<ValueArray>()) {
    ++place;
    const ValueTable* entry = item.get_if<ValueTable>();
    const Value* instance = entry ? entry->find("instance") : nullptr;
    const auto value = entry ? number_field(*entry, "value") : std::nullopt;
    require<DataError>(instance && instance->get_if<ValueTable>() && value,
                       "{}: Entry {} of '{}' has no instance or no value. Correct it, or name "
                       "another file.",
                       file.string(), place, field_);
    take(to_json(*instance), {*value, method_of(*entry), text_field(*entry, "solver"), text_field(*entry, "experiment"),
                              run_id_of(*entry)});
  }
}

std::size_t BestKnownValues::learn(std::span<const ValueTable> rows) {
  std::set<std::string> changed;
  for (const ValueTable& row : rows) {
    const auto value = number_field(row, field_);
    if (!value || !ended_well(row)) continue;
    if (number_field(row, "violations.max").value_or(0) > kFeasible) {
      ++infeasible_;
      continue;
    }
    std::string instance = to_json(instance_of(row));
    if (take(instance,
             {*value, method_of(row), text_field(row, "solver"), text_field(row, "experiment"), run_id_of(row)}))
      changed.insert(std::move(instance));
  }
  return changed.size();
}

void BestKnownValues::keep_in(const std::filesystem::path& file, std::chrono::milliseconds patience) {
  LineFile held(file, patience);
  try {
    ValueTable all = read_table(file);
    add(all, file);
    held.replace(file_text(std::move(all)));
  } catch (const DataError&) {
    held.remove_if_empty();
    throw;
  }
}

std::string BestKnownValues::file_text(ValueTable all) const {
  ValueTable fields = *all.find("fields")->get_if<ValueTable>();
  ValueArray instances;
  for (const auto& [instance, best] : values_) {
    ValueTable entry;
    entry.set("value", best.value);
    entry.set("method", best.method);
    entry.set("solver", best.solver);
    entry.set("experiment", best.experiment);
    entry.set("run_id", best.run_id);
    entry.set("instance", parse_json(instance, "instance"));
    instances.emplace_back(std::move(entry));
  }
  ValueTable mine;
  mine.set("higher_is_better", higher_);
  mine.set("instances", std::move(instances));
  fields.set(field_, std::move(mine));
  all.set("schema", kSchema);
  all.set("fields", std::move(fields));
  return to_pretty_json(all);
}

const BestKnown* BestKnownValues::find(const ValueTable& row) const {
  const auto entry = values_.find(to_json(instance_of(row)));
  return entry == values_.end() ? nullptr : &entry->second;
}

}  // namespace alidade
