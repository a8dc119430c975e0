#include "experiments/report/page_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "experiments/files/json.hpp"
#include "experiments/files/text_lines.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kRampSteps = 64;   // colours of numbers
constexpr std::size_t kFewNumbers = 12;  // at most this many different numbers are categories, such as digits

Value floats(const std::vector<float>& numbers) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");
  if (numbers.empty()) return {};
  return base64(numbers.data(), numbers.size() * sizeof(float));
}

Value column_of(const std::string& name, const std::vector<std::string>& values) {
  const ColumnKind kind = kind_of(values);
  if (kind.numeric) {
    const auto number = [](const std::string& value) { return parse_double(trim(value)).value_or(std::nan("")); };
    return value_table({{"name", name}, {"values", floats(mapped<float>(values, number))}});
  }
  std::map<std::string, std::int64_t> places{{"", -1}};
  for (const std::string& category : kind.categories) places.emplace(category, std::ssize(places) - 1);
  const auto codes = mapped(values, [&](const std::string& value) { return places.at(value); });
  return value_table({{"name", name}, {"categories", kind.categories}, {"codes", codes}});
}

Value object_list(const ReportModel::ObjectList& list) {
  ValueArray columns;
  if (std::ranges::any_of(list.labels, [](const std::string& label) { return !label.empty(); }))
    columns.push_back(column_of("label", list.labels));
  for (const ReportModel::Column& column : list.columns) columns.push_back(column_of(column.name, column.values));
  ValueTable out;  // whose parts are moved: a name takes a hundred bytes, and there may be a million
  out.set("names", ValueArray(list.names.begin(), list.names.end()));
  out.set("columns", std::move(columns));
  if (!list.pictures.empty()) out.merge(value_table({{"pictures", list.pictures}}));
  return out;
}

/// For each anchor ";object violated triplets near far times near far times ...": as values, each number takes a
/// hundred bytes.
std::string violated_list(const ViolatedTriplets& violated) {
  std::string out;
  const auto to = std::back_inserter(out);
  for (const ViolatedTriplets::Anchor& anchor : violated.anchors) {
    fmt::format_to(to, ";{} {} {}", anchor.object, anchor.violated, anchor.triplets);
    for (const auto& [near, far, times] : anchor.listed) fmt::format_to(to, " {} {} {}", near, far, times);
  }
  return out;
}

ValueTable run_of(const Row& row) {
  ValueTable run;
  run.set("dataset", row.dataset.id);
  run.set("method", row.method);
  run.set("part", repetition_text(row));
  const auto set = [&](const char* name, ResultRow::Real number) {
    run.set(name, FieldCodec<ResultRow::Real>::write(number));
  };
  for (const char* name : {"heldout_error", "train_error", "trustworthiness"}) set(name, row.metric(name));
  set("heldout_low", row.heldout ? row.heldout->low : std::nullopt);
  set("heldout_high", row.heldout ? row.heldout->high : std::nullopt);
  ValueArray warnings;
  for (const RowWarning warning : warnings_of(row))
    if (warning != RowWarning::few_answers) warnings.emplace_back(std::string(warning_phrase(warning)));
  run.set("warnings", std::move(warnings));
  for (const char* name : {"replicates", "resampled", "stability", "typical_shift"})
    if (const Value* value = field(row, std::string("uncertainty.") + name)) run.set(name, *value);
  return run;
}

}  // namespace

ColumnKind kind_of(const std::vector<std::string>& values) {
  std::set<std::string> different(values.begin(), values.end());
  different.erase("");
  ColumnKind out;
  const bool numbers = std::ranges::all_of(different, [](const std::string& value) {
    const auto number = parse_double(trim(value));
    return number && std::isfinite(static_cast<float>(*number));
  });
  out.numeric = numbers && different.size() > kFewNumbers;
  out.categories.assign(different.begin(), different.end());
  if (numbers)
    std::ranges::stable_sort(out.categories, {}, [](const std::string& value) { return *parse_double(trim(value)); });
  return out;
}

std::string page_data(const ReportModel& all) {
  ValueArray ramp, objects, runs, maps;
  for (std::size_t k = 0; k < kRampSteps; ++k)
    ramp.emplace_back(ramp_colour(static_cast<double>(k) / (kRampSteps - 1)));
  for (const ReportModel::ObjectList& list : all.object_lists) objects.push_back(object_list(list));
  for (const Row& row : all.rows) runs.emplace_back(run_of(row));
  AspectErrors by_aspect;
  try {
    if (!all.rows.empty()) by_aspect = report::aspect_errors_of(all, 0);
  } catch (const DataError&) {  // its section says so
  }
  for (const ReportModel::MapView& view : all.maps) {
    ValueTable map;
    for (std::size_t a = 0; a < by_aspect.rows.size() && by_aspect.maps.size() > 1; ++a) {
      const AspectErrors::Row& row = by_aspect.rows[a];
      if (row.aspect != view.aspect || row.by_map.empty()) continue;
      const AspectErrors::Cell& cell = row.by_map[row.by_map.size() == by_aspect.rows.size() ? a : 0];
      map.set("own_error", ValueArray{cell.error, cell.interval.low, cell.interval.high});
    }
    map.merge(value_table({{"run", view.row},
                           {"aspect", view.aspect},
                           {"objects", view.objects},
                           {"dimensions", view.dimensions},
                           {"unplaced", view.unplaced},
                           {"apart", view.apart},
                           {"uncertain", view.uncertain},
                           {"coordinates", floats(view.coordinates)},
                           {"turn", floats({view.turn.begin(), view.turn.end()})},
                           {"covariances", floats(view.covariances)},
                           {"spreads", floats(view.spreads)}}));
    if (view.violated) map.set("violated", violated_list(*view.violated));
    maps.push_back(std::move(map));
  }
  ValueTable data = value_table({{"single", all.single()},
                                 {"palette", kPalette.size()},
                                 {"shapes", kMarkShapes},
                                 {"ramp", ramp},
                                 {"methods", all.methods},
                                 {"datasets", all.datasets}});
  data.set("objects", std::move(objects));
  data.set("runs", std::move(runs));
  data.set("maps", std::move(maps));
  return replaced(to_json(data), {{"<", "\\u003c"}});  // no tag within the script
}

}  // namespace alidade::report
