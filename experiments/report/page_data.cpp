#include "experiments/report/page_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "experiments/files/json.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
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

std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

Value text_list(std::span<const std::string> texts) {
  ValueArray out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

Value number_or_null(std::optional<double> number) {
  if (!number) return {};
  return *number;
}

Value column_of(const std::string& name, const std::vector<std::string>& values) {
  ValueTable out;
  out.set("name", name);
  const ColumnKind kind = kind_of(values);
  if (kind.numeric) {
    std::vector<float> numbers;
    for (const std::string& value : values)
      numbers.push_back(
          static_cast<float>(parse_double(trim(value)).value_or(std::numeric_limits<double>::quiet_NaN())));
    out.set("values", floats(numbers));
    return out;
  }
  std::map<std::string, int, std::less<>> places;
  for (const std::string& category : kind.categories) places.emplace(category, static_cast<int>(places.size()));
  ValueArray codes;
  for (const std::string& value : values) {
    const auto place = places.find(value);
    codes.emplace_back(place == places.end() ? -1 : place->second);
  }
  out.set("categories", text_list(kind.categories));
  out.set("codes", std::move(codes));
  return out;
}

Value object_list(const ReportModel::ObjectList& list) {
  ValueArray columns;
  if (std::ranges::any_of(list.labels, [](const std::string& label) { return !label.empty(); }))
    columns.push_back(column_of("label", list.labels));
  for (const ReportModel::Column& column : list.columns) columns.push_back(column_of(column.name, column.values));
  ValueTable out;
  out.set("names", text_list(list.names));
  out.set("columns", std::move(columns));
  if (!list.pictures.empty()) out.set("pictures", text_list(list.pictures));
  return out;
}

/// For each anchor: [object, violated, triplets, near, far, times, near, far, times, ...].
Value violated_list(const ViolatedTriplets& violated) {
  ValueArray out;
  const auto whole = [](auto number) { return static_cast<std::int64_t>(number); };
  for (const ViolatedTriplets::Anchor& anchor : violated.anchors) {
    ValueArray line{whole(anchor.object), whole(anchor.violated), whole(anchor.triplets)};
    for (const ViolatedTriplets::Violated& one : anchor.listed)
      for (const std::int64_t number : {whole(one.near), whole(one.far), whole(one.times)}) line.emplace_back(number);
    out.emplace_back(std::move(line));
  }
  return out;
}

ValueTable run_of(const ValueTable& row) {
  ValueTable run;
  for (const char* name : {"dataset", "method"}) run.set(name, text_field(row, name));
  run.set("part", part_of(row));
  for (const char* name : {"heldout_error", "train_error", "trustworthiness"})
    run.set(name, number_or_null(number_field(row, std::string("metrics.") + name)));
  for (const char* end : {"low", "high"})
    run.set(std::string("heldout_") + end, number_or_null(number_field(row, std::string("heldout.") + end)));
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
  ValueTable out;
  out.set("single", all.single());
  ValueArray shapes, ramp;
  for (const auto& corners : kMarkShapes) shapes.emplace_back(ValueArray(corners.begin(), corners.end()));
  out.set("palette", static_cast<std::int64_t>(kPalette.size()));
  out.set("shapes", std::move(shapes));
  for (std::size_t k = 0; k < kRampSteps; ++k)
    ramp.emplace_back(ramp_colour(static_cast<double>(k) / (kRampSteps - 1)));
  out.set("ramp", std::move(ramp));
  out.set("methods", text_list(all.methods));
  out.set("datasets", text_list(all.datasets));
  ValueArray objects;
  for (const ReportModel::ObjectList& list : all.object_lists) objects.push_back(object_list(list));
  out.set("objects", std::move(objects));
  ValueArray runs;
  for (const ValueTable& row : all.rows) runs.emplace_back(run_of(row));
  out.set("runs", std::move(runs));
  ValueArray maps;
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
    map.set("run", static_cast<std::int64_t>(view.row));
    map.set("aspect", view.aspect);
    map.set("objects", static_cast<std::int64_t>(view.objects));
    map.set("dimensions", static_cast<std::int64_t>(view.dimensions));
    map.set("unplaced", static_cast<std::int64_t>(view.unplaced));
    for (const auto& [name, some] : {std::pair{"apart", &view.apart}, std::pair{"uncertain", &view.uncertain}}) {
      ValueArray list;
      for (const std::size_t i : *some) list.emplace_back(static_cast<std::int64_t>(i));
      map.set(name, std::move(list));
    }
    map.set("coordinates", floats(view.coordinates));
    map.set("turn", floats({view.turn.begin(), view.turn.end()}));
    map.set("covariances", floats(view.covariances));
    map.set("spreads", floats(view.spreads));
    if (view.violated) map.set("violated", violated_list(*view.violated));
    maps.push_back(std::move(map));
  }
  out.set("maps", std::move(maps));
  return script_safe(to_json(out));
}

}  // namespace alidade::report
