#include "experiments/datasets/readers/two_choice.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/missing_values.hpp"
#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

enum Way : std::uint8_t { by_name, by_word, from_zero, from_one, by_letter, keys_fj, keys_qp, keys_zm };
constexpr std::array<std::string_view, 8> kWays = {"the name of one of the row's two objects",
                                                   "left or right",
                                                   "0 or 1",
                                                   "1 or 2",
                                                   "a or b",
                                                   "f or j",
                                                   "q or p",
                                                   "z or m"};
constexpr std::array<Way, 4> kLetterWays = {by_letter, keys_fj, keys_qp, keys_zm};

enum Side : std::uint8_t { left = 1, right = 2 };

/// Words of either side, and the names that keys have in PsychoPy and jsPsych.
std::optional<Side> side_of_word(std::string_view word) {
  if (word == "left" || word == "arrowleft" || word == "l") return left;
  if (word == "right" || word == "arrowright" || word == "r") return right;
  return std::nullopt;
}

/// The bits of a response.
std::uint32_t readings_of(std::string_view text, std::string_view left_name, std::string_view right_name) {
  std::uint32_t out = 0;
  const auto add = [&out](Way way, Side side) { out |= static_cast<unsigned>(side) << (2U * way); };
  if (text == left_name) add(by_name, left);
  if (text == right_name) add(by_name, right);
  const std::string word = lower_ascii(text);
  if (const auto side = side_of_word(word)) add(by_word, *side);
  if (word.size() == 1)
    for (const Way way : kLetterWays) {
      if (word[0] == kWays[way].front()) add(way, left);
      if (word[0] == kWays[way].back()) add(way, right);
    }
  if (const auto number = parse_double(text)) {  // also 1.0, as tables with missing values have it
    if (const auto plain = plain_number(text); plain && (out >> (2U * by_name) & 3U) == 0) {
      const bool is_left = plain == plain_number(left_name), is_right = plain == plain_number(right_name);
      if (is_left != is_right) add(by_name, is_left ? left : right);
    }
    if (*number == 0) add(from_zero, left);
    if (*number == 1) {
      add(from_zero, right);
      add(from_one, left);
    }
    if (*number == 2) add(from_one, right);
  }
  if (out == 0 && !marks_missing(text)) {
    const std::string reading = reading_of(text);
    const bool is_left = reading == reading_of(left_name), is_right = reading == reading_of(right_name);
    if (is_left != is_right) add(by_name, is_left ? left : right);
  }
  return out;
}

unsigned sides_in(std::uint32_t readings, Way way) { return (readings >> (2U * way)) & 3U; }

}  // namespace

bool TwoChoiceResponses::add(std::string_view response, std::string_view left_name, std::string_view right_name,
                             std::size_t line) {
  const std::uint32_t readings = readings_of(response, left_name, right_name);
  if (readings == 0 && (marks_missing(response) || is_code(parse_double(response).value_or(0)))) return false;
  all_.push_back({response, readings, line});
  return true;
}

TwoChoiceResponses::Fit TwoChoiceResponses::best_fit() const {
  Fit out;
  for (std::uint8_t way = 0; way < kWays.size(); ++way) {
    std::size_t fitting = 0, on_right = 0;
    for (const Response& r : all_) {
      const unsigned sides = sides_in(r.readings, static_cast<Way>(way));
      fitting += sides != 0 ? 1 : 0;
      on_right += sides == right ? 1 : 0;
    }
    if (fitting > out.fitting) out = {fitting, on_right, way == by_name};
  }
  return out;
}

TwoChoiceResponses::Sides TwoChoiceResponses::sides(const std::string& file) const {
  std::array<std::size_t, kWays.size()> fitting{};
  for (const Response& r : all_)
    for (std::uint8_t way = 0; way < kWays.size(); ++way)
      fitting[way] += sides_in(r.readings, static_cast<Way>(way)) != 0 ? 1 : 0;
  const auto best = std::ranges::max_element(fitting);
  const auto chosen = static_cast<Way>(best - fitting.begin());
  if (*best < all_.size()) {
    const auto misfit =
        std::ranges::find_if(all_, [&](const Response& r) { return sides_in(r.readings, chosen) == 0; });
    const std::string expected = *best == 0
                                     ? join(std::vector<std::string>(kWays.begin(), kWays.begin() + by_letter), ", ")
                                     : fmt::format("{}, as {} other rows have it", kWays[chosen], *best);
    throw DataError(
        fmt::format("{}:{}: The response '{}' names no side. Expected: {}. Correct it; leave it empty if "
                    "there was no response.",
                    file, misfit->line, shown(misfit->text), expected));
  }
  Sides out;
  out.right.reserve(all_.size());
  for (const Response& r : all_) out.right.push_back(sides_in(r.readings, chosen) == right);
  for (std::uint8_t way = chosen + 1; way < kWays.size(); ++way) {
    if (fitting[way] < all_.size()) continue;
    for (std::size_t i = 0; i < all_.size(); ++i)
      require<DataError>(
          (sides_in(all_[i].readings, static_cast<Way>(way)) == right) == out.right[i],
          "{}:{}: The response '{}' can be read as {}, or as {}, and no other row decides it. Write left "
          "or right.",
          file, all_[i].line, shown(all_[i].text), kWays[chosen], kWays[way]);
  }
  if (chosen == from_zero) out.how = "Responses were read as 0 for left and 1 for right.";
  if (chosen == from_one) out.how = "Responses were read as 1 for left and 2 for right.";
  if (std::ranges::find(kLetterWays, chosen) != kLetterWays.end())
    out.how = fmt::format("Responses were read as {} for left and {} for right.", kWays[chosen].front(),
                          kWays[chosen].back());
  return out;
}

std::vector<bool> one_sided(const std::vector<ChosenSides>& chosen) {
  constexpr double kFewest = 20, kNearlyAll = 0.9, kOrdered = 0.75;
  ChosenSides all;
  std::vector<bool> out;
  for (const ChosenSides& one : chosen) {
    all.right += one.right;
    all.all += one.all;
    out.push_back(one.all >= kFewest && std::max(one.right, one.all - one.right) >= kNearlyAll * one.all);
  }
  const bool ordered = std::max(all.right, all.all - all.right) >= kOrdered * all.all;
  if (ordered || std::ranges::count(out, true) == 0) return {};
  return out;
}

std::string note_on_sides(const std::vector<ChosenSides>& chosen, const std::vector<bool>& one_sided,
                          const std::vector<std::string>& annotators) {
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> names;
  ChosenSides others;
  for (std::size_t a = 0; a < one_sided.size(); ++a) {
    const ChosenSides& one = chosen[a];
    if (!one_sided[a]) {
      others.right += one.right;
      others.all += one.all;
      continue;
    }
    const bool right = 2 * one.right > one.all;
    names.push_back(fmt::format("{} ({} in {:.0f} % of {} answers)", shown(annotators[a]), right ? "right" : "left",
                                100 * (right ? one.right : one.all - one.right) / one.all, one.all));
  }
  if (names.empty()) return "";
  const std::size_t count = names.size();
  return fmt::format(
      "{} of {} annotators nearly always {} one side, whatever was asked: {}. The others choose left in {:.0f} % of "
      "their answers. By guesses that happens in fewer than one of a thousand people.",
      count, annotators.size(), count == 1 ? "chooses" : "choose", join_first(std::move(names), kNamed),
      100 * (1 - others.right / std::max(others.all, 1.0)));
}

}  // namespace alidade::datasets
