// Kinds of comparison questions, and the triplets that an answer implies.
// Papers and what each kind implies: README.md here. Convention: (anchor, near, far), where near is more similar.
// Implied triplets repeat one statement: those of one answer are not independent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

enum class AnswerKind { triplets, odd_one_out, most_central, pick, ranked, quadruplets, two_choice };

/// A column that every answer of a kind has.
struct AnswerRole {
  std::string_view name;
  bool many = false;      // holds several objects: one list, or columns name1, name2, ...
  bool response = false;  // holds no object: says which of the objects before it was chosen
};

struct AnswerFormat {
  AnswerKind kind;
  std::string_view name;  // value of the option `answers`
  std::vector<AnswerRole> roles;
  std::string_view needs = "an answer names each object once";  // said of a row that does not
  /// The columns as a value of `order`: "anchor,near,far".
  [[nodiscard]] std::string default_order() const;
  /// "anchor, near and far".
  [[nodiscard]] std::string role_names() const;
};

/// All kinds in the order of AnswerKind.
[[nodiscard]] const std::vector<AnswerFormat>& answer_formats();
[[nodiscard]] const AnswerFormat& answer_format(AnswerKind kind);
/// @throws ConfigError on an unknown name.
[[nodiscard]] AnswerKind answer_kind(std::string_view name);
[[nodiscard]] std::vector<std::string> answer_kind_names();

/// Anchor, near, far.
using ImpliedTriplet = std::array<std::uint32_t, 3>;

/// "Of three, `odd` is unlike the others": `first` and `second` are nearer to each other than either is to `odd`.
void imply_odd_one_out(std::uint32_t odd, std::uint32_t first, std::uint32_t second, std::vector<ImpliedTriplet>& out);
/// "Of three, `central` is the most central": it is nearer to each of the others than they are to each other.
void imply_most_central(std::uint32_t central, std::uint32_t first, std::uint32_t second,
                        std::vector<ImpliedTriplet>& out);
/// "Of these, `picked` are most like the anchor": each of them is nearer than each of the rest.
void imply_pick(std::uint32_t anchor, std::span<const std::uint32_t> picked, std::span<const std::uint32_t> rest,
                std::vector<ImpliedTriplet>& out);
/// Items from the most to the least similar to the anchor; `rank` starts at 0, in steps of 0 (a tie) or 1. Each item is
/// nearer than every item of a later rank; with `adjacent`, of the next rank only.
void imply_ranked(std::uint32_t anchor, std::span<const std::uint32_t> items, std::span<const std::uint32_t> rank,
                  bool adjacent, std::vector<ImpliedTriplet>& out);
/// "i and j are more alike than k and l": a triplet if the pairs share one object; false if they share none.
/// @pre i != j, k != l, and the pairs differ.
[[nodiscard]] bool imply_quadruplet(std::uint32_t i, std::uint32_t j, std::uint32_t k, std::uint32_t l,
                                    std::vector<ImpliedTriplet>& out);

}  // namespace alidade::datasets
