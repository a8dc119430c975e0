#include "experiments/datasets/readers/answer_rows.hpp"

#include <algorithm>

#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::size_t kOthersShown = 8;

std::vector<std::string> conditions_in(std::string_view text, char between) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t end = text.find(between);
    out.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool are_same_value(std::string_view field, std::string_view value) {
  if (field == value) return true;
  const auto number = plain_number(value);
  return number && plain_number(field) == number;
}

}  // namespace

AnswerRows::AnswerRows(std::string_view conditions, std::span<const std::string_view> header,
                       const std::string& place) {
  for (const std::string& text : conditions_in(conditions, ',')) {
    const std::size_t at = text.find('=');
    require<ConfigError>(at != std::string::npos && at > 0 && text.substr(0, at) != "!",
                         "The condition '{}' on rows is not COLUMN=VALUE or COLUMN!=VALUE. Write, for example, "
                         "phase=test.",
                         shown(text));
    const bool equal = text[at - 1] != '!';
    const std::string name(trim(std::string_view(text).substr(0, equal ? at : at - 1)));
    const auto column = find_column(header, name, place);
    if (!column) {
      const std::vector<std::string> there(header.begin(), header.end());
      throw DataError(fmt::format("{}: There is no column '{}' for the condition '{}'.{}", place, shown(name),
                                  shown(text), suggestion(name, shown(there))));
    }
    std::string value(trim(std::string_view(text).substr(at + 1)));
    const auto same = std::ranges::find_if(
        conditions_, [&](const Condition& other) { return other.column == *column && other.equal == equal; });
    Condition& condition =
        same != conditions_.end() ? *same : conditions_.emplace_back(Condition{*column, name, equal, {}, {}});
    condition.values.push_back(std::move(value));
    condition.counts.push_back(0);
  }
}

bool AnswerRows::keeps(std::span<const std::string_view> fields) {
  bool kept = true;
  for (Condition& condition : conditions_) {
    const std::string_view field = fields[condition.column];
    bool any = false;
    for (std::size_t v = 0; v < condition.values.size(); ++v)
      if (are_same_value(field, condition.values[v])) {
        ++condition.counts[v];
        any = true;
      }
    if (!any && condition.others.size() <= kOthersShown &&
        std::ranges::find(condition.others, field) == condition.others.end())
      condition.others.emplace_back(field);
    kept = kept && any == condition.equal;
  }
  if (!kept) ++left_out_;
  return kept;
}

void AnswerRows::require_known_values(const std::string& file) const {
  for (const Condition& condition : conditions_)
    for (std::size_t v = 0; v < condition.values.size(); ++v) {
      if (condition.counts[v] > 0) continue;
      std::vector<std::string> choices = condition.values;
      choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(v));
      choices.insert(choices.end(), condition.others.begin(), condition.others.end());
      for (std::string& value : choices) value = value.empty() ? "(empty)" : shown(value);
      throw DataError(fmt::format("'{}': Column '{}' is '{}' in no row. Its values: {}.", file, shown(condition.name),
                                  shown(condition.values[v]), join_first(std::move(choices), kOthersShown)));
    }
}

}  // namespace alidade::datasets
