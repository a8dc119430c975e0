#include "experiments/performance_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

const std::vector<double> kFactors = {1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 10};
constexpr double kEqual = 1e-12;  // relative; rounding of means

std::string escaped(std::string_view text, TableFormat format) {
  std::string out;
  for (const char c : text) {
    const bool special = format == TableFormat::latex
                             ? std::string_view("&%$#_{}").find(c) != std::string_view::npos
                             : std::string_view("|<*`\\").find(c) != std::string_view::npos;
    if (format != TableFormat::csv && special) out += '\\';
    if (format == TableFormat::csv && c == '"') out += '"';
    out += c == '\n' ? ' ' : c;
  }
  return format == TableFormat::csv ? "\"" + out + "\"" : out;
}

}  // namespace

PerformanceProfile performance_profile(const ComparisonTable& table) {
  PerformanceProfile out;
  out.value = table.request.value;
  out.row_fields = table.row_fields;
  out.row_keys = table.row_keys;
  out.factors = kFactors;
  const bool higher = table.higher_is_better.value_or(false);
  const std::size_t rows = table.row_keys.size(), factors = out.factors.size();
  std::vector<std::size_t> within(rows * factors, 0), valued(rows, 0);
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    std::optional<double> best;
    for (std::size_t r = 0; r < rows; ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      require<ConfigError>(
          cell.mean >= 0,
          "A profile is about ratios, and '{}' is {} for {}; choose a value that is never "
          "negative.",
          out.value, cell.mean, join(table.row_keys[r], ", "));
      if (!best || (higher ? cell.mean > *best : cell.mean < *best)) best = cell.mean;
    }
    if (!best) continue;
    ++out.instances;
    for (std::size_t r = 0; r < rows; ++r) {
      const Cell& cell = table.cell(r, c);
      if (cell.samples.empty()) continue;
      ++valued[r];
      const double worse = higher ? *best : cell.mean, better = higher ? cell.mean : *best;
      for (std::size_t f = 0; f < factors; ++f)
        if (worse <= out.factors[f] * better * (1 + kEqual)) ++within[r * factors + f];
    }
  }
  const auto share = [&](std::size_t count) {
    return out.instances > 0 ? static_cast<double>(count) / static_cast<double>(out.instances)
                             : 0.0;
  };
  for (const std::size_t count : within) out.shares.push_back(share(count));
  for (const std::size_t count : valued) out.with_values.push_back(share(count));
  return out;
}

std::string to_text(const PerformanceProfile& profile, TableFormat format) {
  if (profile.row_keys.empty()) return "There are no runs to compare.\n";
  const bool csv = format == TableFormat::csv, latex = format == TableFormat::latex;
  const std::string between = csv ? "," : latex ? " & " : " | ";
  const auto line = [&](const std::vector<std::string>& cells) {
    const std::string text = join(cells, between);
    return csv ? text + "\n" : latex ? text + " \\\\\n" : "| " + text + " |\n";
  };
  std::vector<std::string> head;
  for (const std::string& name : profile.row_fields) head.push_back(escaped(name, format));
  for (const double factor : profile.factors)
    head.push_back(csv     ? fmt::format("{}", factor)
                   : latex ? fmt::format("$\\le {}$", factor)
                           : fmt::format("≤ {}", factor));
  head.emplace_back(csv ? "\"with a value\"" : "with a value");
  std::string out;
  if (latex)
    out += fmt::format("\\begin{{tabular}}{{{}{}}}\n", std::string(profile.row_fields.size(), 'l'),
                       std::string(profile.factors.size() + 1, 'r'));
  out += line(head);
  if (format == TableFormat::markdown) {
    out += "|";
    for (std::size_t i = 0; i < head.size(); ++i)
      out += i < profile.row_fields.size() ? " --- |" : " ---: |";
    out += "\n";
  }
  const auto number = [&](double share) {
    return csv ? fmt::format("{}", share) : fmt::format("{:.2f}", share);
  };
  for (std::size_t r = 0; r < profile.row_keys.size(); ++r) {
    std::vector<std::string> cells;
    for (const std::string& key : profile.row_keys[r])
      cells.push_back(key.empty() && !csv ? "–" : escaped(key, format));
    for (std::size_t f = 0; f < profile.factors.size(); ++f)
      cells.push_back(number(profile.share(r, f)));
    cells.push_back(number(profile.with_values[r]));
    out += line(cells);
  }
  if (latex) out += "\\end{tabular}\n";
  if (format == TableFormat::markdown)
    out += fmt::format(
        "\n{}: share of {} instances on which a method is within that factor of the best method "
        "there.\n",
        profile.value, profile.instances);
  return out;
}

}  // namespace alidade
