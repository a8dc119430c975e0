#include "experiments/datasets/readers/answer_formats.hpp"

#include <algorithm>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

std::string joined_roles(const AnswerFormat& format, std::string_view between, std::string_view before_last) {
  std::string out;
  for (const AnswerRole& role : format.roles)
    out += fmt::format("{}{}", out.empty() ? "" : &role == &format.roles.back() ? before_last : between, role.name);
  return out;
}

}  // namespace

std::string AnswerFormat::default_order() const { return joined_roles(*this, ",", ","); }
std::string AnswerFormat::role_names() const { return joined_roles(*this, ", ", " and "); }

const std::vector<AnswerFormat>& answer_formats() {
  constexpr std::string_view kThree = "a triplet needs three different objects";
  static const std::vector<AnswerFormat> formats = {
      {AnswerKind::triplets, "triplets", {{"anchor"}, {"near"}, {"far"}}, kThree},
      {AnswerKind::odd_one_out, "odd_one_out", {{"odd"}, {"first"}, {"second"}}},
      {AnswerKind::most_central, "most_central", {{"central"}, {"first"}, {"second"}}},
      {AnswerKind::pick, "pick", {{"anchor"}, {"picked", true}, {"rest", true}}},
      {AnswerKind::ranked, "ranked", {{"anchor"}, {"ranked", true}}},
      {AnswerKind::quadruplets,
       "quadruplets",
       {{"i"}, {"j"}, {"k"}, {"l"}},
       "it compares two pairs of different objects"},
      {AnswerKind::two_choice,
       "two_choice",
       {{"reference"}, {"left"}, {"right"}, {.name = "response", .many = false, .response = true}},
       kThree}};
  return formats;
}

const AnswerFormat& answer_format(AnswerKind kind) { return answer_formats()[static_cast<std::size_t>(kind)]; }

AnswerKind answer_kind(std::string_view name) {
  for (const AnswerFormat& format : answer_formats())
    if (format.name == name) return format.kind;
  throw ConfigError(fmt::format("There is no kind of answers '{}'.{}", name, suggestion(name, answer_kind_names())));
}

std::vector<std::string> answer_kind_names() {
  std::vector<std::string> out;
  for (const AnswerFormat& format : answer_formats()) out.emplace_back(format.name);
  return out;
}

void imply_odd_one_out(std::uint32_t odd, std::uint32_t first, std::uint32_t second, std::vector<ImpliedTriplet>& out) {
  out.push_back({first, second, odd});
  out.push_back({second, first, odd});
}

void imply_most_central(std::uint32_t central, std::uint32_t first, std::uint32_t second,
                        std::vector<ImpliedTriplet>& out) {
  out.push_back({first, central, second});
  out.push_back({second, central, first});
}

void imply_pick(std::uint32_t anchor, std::span<const std::uint32_t> picked, std::span<const std::uint32_t> rest,
                std::vector<ImpliedTriplet>& out) {
  for (const std::uint32_t near : picked)
    for (const std::uint32_t far : rest) out.push_back({anchor, near, far});
}

void imply_ranked(std::uint32_t anchor, std::span<const std::uint32_t> items, std::span<const std::uint32_t> rank,
                  bool adjacent, std::vector<ImpliedTriplet>& out) {
  for (std::size_t near = 0; near < items.size(); ++near)
    for (std::size_t far = near + 1; far < items.size(); ++far)
      if (rank[far] > rank[near] && (!adjacent || rank[far] == rank[near] + 1))
        out.push_back({anchor, items[near], items[far]});
}

bool imply_quadruplet(std::uint32_t i, std::uint32_t j, std::uint32_t k, std::uint32_t l,
                      std::vector<ImpliedTriplet>& out) {
  if (i == k)
    out.push_back({i, j, l});
  else if (i == l)
    out.push_back({i, j, k});
  else if (j == k)
    out.push_back({j, i, l});
  else if (j == l)
    out.push_back({j, i, k});
  else
    return false;
  return true;
}

}  // namespace alidade::datasets
