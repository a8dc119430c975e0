#include "experiments/datasets/readers/first_line.hpp"

#include <algorithm>

namespace alidade::datasets {

void FirstLine::take(const std::vector<std::uint32_t>& ids) {
  const std::size_t row = names_in_row_.size();
  names_in_row_.push_back(0);
  for (const std::uint32_t id : ids) {
    if (id >= only_row_.size()) only_row_.resize(id + 1, kNone);
    if (only_row_[id] == row) continue;
    ++names_in_row_[row];
    only_row_[id] = only_row_[id] == kNone ? row : kSeveral;
  }
}

FirstLine::Verdict FirstLine::verdict() const {
  const std::vector<bool> alone = rows_alone();
  if (alone.size() < 2 || !alone.front()) return Verdict::answer;
  return are_improbable(std::ranges::count(alone, true)) ? Verdict::header : Verdict::maybe_header;
}

std::size_t FirstLine::further_headers() const {
  constexpr std::ptrdiff_t kMostHeaders = 5;
  const std::vector<bool> alone = rows_alone();
  const auto count = std::ranges::find(alone, false) - alone.begin();
  const bool others = are_improbable(std::ranges::count(alone, true) - count + 1);
  return count >= 2 && count <= kMostHeaders && others ? static_cast<std::size_t>(count) : 0;
}

std::vector<bool> FirstLine::rows_alone() const {
  std::vector<std::uint32_t> unshared(names_in_row_.size(), 0);
  for (const std::size_t row : only_row_)
    if (row < kSeveral) ++unshared[row];
  std::vector<bool> out;
  for (std::size_t row = 0; row < unshared.size(); ++row) out.push_back(unshared[row] == names_in_row_[row]);
  return out;
}

bool FirstLine::are_improbable(std::ptrdiff_t count) const {
  constexpr double kImprobable = 0.05;
  return static_cast<double>(count) <= kImprobable * static_cast<double>(names_in_row_.size());
}

}  // namespace alidade::datasets
