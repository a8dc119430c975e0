#include "solvers/public/solved_text.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {
namespace {

constexpr std::int64_t kSchema = 1;

using NamedCount = std::pair<const char*, Index Counts::*>;
constexpr std::array kNumbers = {
    std::pair{"objective", &Summary::objective}, std::pair{"initial_objective", &Summary::initial_objective},
    std::pair{"best_objective", &Summary::best_objective}, std::pair{"gradient_norm", &Summary::gradient_norm},
    std::pair{"solve_seconds", &Summary::solve_seconds}};
constexpr std::array kCounts = {NamedCount{"iterations", &Counts::iterations},
                                NamedCount{"evaluations", &Counts::evaluations},
                                NamedCount{"gradients", &Counts::gradients}, NamedCount{"starts", &Counts::starts}};
constexpr std::array kRecord = {std::pair{"seconds", &TraceRecord::seconds},
                                std::pair{"objective", &TraceRecord::objective},
                                std::pair{"gradient_norm", &TraceRecord::gradient_norm}};
constexpr std::array kCertificate = {std::pair{"lower_bound", &Certificate::lower_bound},
                                     std::pair{"gap", &Certificate::gap}, std::pair{"price", &Certificate::price},
                                     std::pair{"scale", &Certificate::scale}};

/// Those of the numbers that are finite.
template <class T, class Names>
void put(ValueTable& out, const T& from, const Names& names) {
  for (const auto& [name, member] : names)
    if (std::isfinite(from.*member)) out.set(name, from.*member);
}
template <class T, class Names>
void get(const ValueTable& from, T& out, const Names& names) {
  for (const auto& [name, member] : names)
    if (const Value* value = from.find(name); value && value->number()) out.*member = *value->number();
}

ValueArray values_of(const Trace& trace) {
  ValueArray out;
  for (const TraceRecord& record : trace) {
    ValueTable row, metrics;
    row.set("iteration", static_cast<std::int64_t>(record.iteration));
    put(row, record, kRecord);
    for (const auto& [name, value] : record.metrics)
      if (std::isfinite(value)) metrics.set(name, value);
    if (!metrics.empty()) row.set("metrics", std::move(metrics));
    out.emplace_back(std::move(row));
  }
  return out;
}
Trace trace_of(const ValueArray& rows) {
  Trace out;
  for (const Value& value : rows) {
    const auto* row = value.get_if<ValueTable>();
    if (!row) continue;
    TraceRecord record{.objective = kUnknown, .gradient_norm = kUnknown};
    if (const Value* iteration = row->find("iteration"); iteration && iteration->number())
      record.iteration = static_cast<Index>(*iteration->number());
    get(*row, record, kRecord);
    if (const Value* metrics = row->find("metrics"); metrics && metrics->get_if<ValueTable>())
      for (const auto& [name, number] : *metrics->get_if<ValueTable>())
        record.metrics.emplace_back(name, number.number().value_or(kUnknown));
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace

std::string to_text(const Solved& solved) {
  const auto* point = std::get_if<Point>(&solved.solution);
  require<ConfigError>(point != nullptr, "Only solutions that are points are written as text by to_text().");
  ValueTable blocks;
  for (const BlockShape& shape : *point->layout()) {
    const auto values =
        point->flat().subspan(static_cast<std::size_t>(shape.offset), static_cast<std::size_t>(shape.size()));
    ValueTable block;
    block.set("rows", static_cast<std::int64_t>(shape.rows));
    block.set("cols", static_cast<std::int64_t>(shape.cols));
    block.set("values", ValueArray(values.begin(), values.end()));
    blocks.set(shape.name, std::move(block));
  }
  ValueTable out;
  out.set("schema", kSchema);
  out.set("blocks", std::move(blocks));
  const Summary& summary = solved.summary;
  out.set("termination", std::string(to_string(summary.termination)));
  out.set("message", summary.message);
  put(out, summary, kNumbers);
  for (const auto& [name, member] : kCounts) out.set(name, static_cast<std::int64_t>(summary.counts.*member));
  if (const auto& known = summary.certificate) {
    ValueTable certificate;
    put(certificate, *known, kCertificate);
    if (known->upper_bound) certificate.set("upper_bound", *known->upper_bound);
    out.set("certificate", std::move(certificate));
  }
  out.set("trace", values_of(summary.trace));
  return Value(std::move(out)).to_text() + "\n";
}

Solved solved_of(const Problem& problem, std::string_view text, const std::string& file) {
  const Value parsed = value_from_text(text);
  const auto* table = parsed.get_if<ValueTable>();
  const Value* schema = table ? table->find("schema") : nullptr;
  require<DataError>(schema && *schema == Value(kSchema),
                     "'{}' is no text of to_text(), or one of a later version. Give a file that it wrote.", file);
  require<DataError>(problem.domain() != nullptr, "'{}' holds a point, and a solution of {} is none.", file,
                     problem.name());
  const auto* blocks = table->find("blocks") ? table->find("blocks")->get_if<ValueTable>() : nullptr;
  Point point = problem.domain()->zero();
  for (const BlockShape& shape : *point.layout()) {
    const Value* found = blocks ? blocks->find(shape.name) : nullptr;
    const auto* block = found ? found->get_if<ValueTable>() : nullptr;
    const Value *rows = block ? block->find("rows") : nullptr, *cols = block ? block->find("cols") : nullptr;
    const auto* values = block && block->find("values") ? block->find("values")->get_if<ValueArray>() : nullptr;
    require<DataError>(rows && cols && values && *rows == Value(static_cast<std::int64_t>(shape.rows)) &&
                           *cols == Value(static_cast<std::int64_t>(shape.cols)) &&
                           std::ssize(*values) == shape.size() && blocks->size() == point.layout()->size(),
                       "'{}' is of another problem: {} has a block '{}' of {} x {} numbers.", file, problem.name(),
                       shape.name, shape.rows, shape.cols);
    auto to = point.flat().begin() + shape.offset;
    for (const Value& value : *values) {
      const auto number = value.number();
      require<DataError>(number && std::isfinite(*number), "'{}': {} in block '{}' is no number.", file,
                         value.to_text(), shape.name);
      *to++ = *number;
    }
  }
  Solved out{std::move(point), {}};
  const Value *termination = table->find("termination"), *message = table->find("message");
  if (const auto* words = message ? message->get_if<std::string>() : nullptr) out.summary.message = *words;
  for (int t = 0; termination && t <= static_cast<int>(Termination::likely_unbounded); ++t)
    if (*termination == Value(std::string(to_string(static_cast<Termination>(t)))))
      out.summary.termination = static_cast<Termination>(t);
  get(*table, out.summary, kNumbers);
  for (const auto& [name, member] : kCounts)
    if (const Value* value = table->find(name); value && value->number())
      out.summary.counts.*member = static_cast<Index>(*value->number());
  if (const Value* known = table->find("certificate"); known && known->get_if<ValueTable>()) {
    const auto& from = *known->get_if<ValueTable>();
    get(from, out.summary.certificate.emplace(), kCertificate);
    if (const Value* upper = from.find("upper_bound")) out.summary.certificate->upper_bound = upper->number();
  }
  if (const Value* trace = table->find("trace"); trace && trace->get_if<ValueArray>())
    out.summary.trace = trace_of(*trace->get_if<ValueArray>());
  return out;
}

}  // namespace alidade
