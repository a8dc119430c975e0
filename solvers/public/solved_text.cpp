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

using NamedNumber = std::pair<const char*, double Summary::*>;
using NamedCount = std::pair<const char*, Index Counts::*>;
constexpr std::array kNumbers = {
    NamedNumber{"objective", &Summary::objective}, NamedNumber{"initial_objective", &Summary::initial_objective},
    NamedNumber{"best_objective", &Summary::best_objective}, NamedNumber{"gradient_norm", &Summary::gradient_norm},
    NamedNumber{"solve_seconds", &Summary::solve_seconds}};
constexpr std::array kCounts = {NamedCount{"iterations", &Counts::iterations},
                                NamedCount{"evaluations", &Counts::evaluations},
                                NamedCount{"gradients", &Counts::gradients}, NamedCount{"starts", &Counts::starts}};

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
  for (const auto& [name, member] : kNumbers)
    if (std::isfinite(summary.*member)) out.set(name, summary.*member);
  for (const auto& [name, member] : kCounts) out.set(name, static_cast<std::int64_t>(summary.counts.*member));
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
  const auto number = [&](const char* name) { return table->find(name) ? table->find(name)->number() : std::nullopt; };
  for (const auto& [name, member] : kNumbers)
    if (const auto value = number(name)) out.summary.*member = *value;
  for (const auto& [name, member] : kCounts)
    if (const auto value = number(name)) out.summary.counts.*member = static_cast<Index>(*value);
  return out;
}

}  // namespace alidade
