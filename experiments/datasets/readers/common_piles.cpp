#include "experiments/datasets/readers/common_piles.hpp"

#include <fmt/core.h>
#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "problems/core/types.hpp"

namespace alidade::datasets {
namespace {

using Partition = std::vector<std::size_t>;  // the group of each item

/// Sums over people: of those who sorted both items of a pair, and of those who put them together.
struct Together {
  Matrix both, together;  // n x n
  void add(const std::vector<std::string_view>& pile, double times) {
    for (Index i = 0; i < both.rows(); ++i)
      for (Index j = 0; j < i; ++j) {
        const std::string_view a = pile[subscript(i)], b = pile[subscript(j)];
        if (a.empty() || b.empty()) continue;
        both(i, j) += times;
        if (a == b) together(i, j) += times;
      }
  }
};

/// By the number of groups.
std::vector<Partition> linked(const Together& counts) {
  const Index n = counts.both.rows();
  Matrix alike = (counts.both.array() > 0).select(counts.together.array() / counts.both.array(), 0.0);
  alike = Matrix(alike.selfadjointView<Eigen::Lower>());
  std::vector<Partition> out(subscript(n) + 1);
  Partition group(subscript(n));
  std::iota(group.begin(), group.end(), std::size_t{0});
  Vector sizes = Vector::Ones(n);
  out[subscript(n)] = group;
  for (Index count = n - 1; count > 0; --count) {
    Index one = -1, other = -1;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i && sizes(i) > 0; ++j)
        if (sizes(j) > 0 && (one < 0 || alike(i, j) > alike(one, other))) one = i, other = j;
    const double all = sizes(one) + sizes(other);
    alike.row(other) = (sizes(one) * alike.row(one) + sizes(other) * alike.row(other)).eval() / all;
    alike.col(other) = alike.row(other).transpose();
    sizes(other) = all, sizes(one) = 0;
    std::ranges::replace(group, subscript(one), subscript(other));
    out[subscript(count)] = group;
  }
  return out;
}

/// The adjusted Rand index, of the items that the person sorted.
double agreement(const Partition& groups, const std::vector<std::string_view>& pile) {
  std::map<std::pair<std::size_t, std::string_view>, double> cells;
  std::map<std::size_t, double> rows;
  std::map<std::string_view, double> columns;
  double all = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (pile[i].empty()) continue;
    ++cells[{groups[i], pile[i]}], ++rows[groups[i]], ++columns[pile[i]], ++all;
  }
  const auto pairs_in = [](const auto& counts) {
    double out = 0;
    for (const auto& [key, count] : counts) out += count * (count - 1) / 2;
    return out;
  };
  const double same = pairs_in(rows), piled = pairs_in(columns), pairs = all * (all - 1) / 2;
  const double expected = pairs > 0 ? same * piled / pairs : 0, most = (same + piled) / 2;
  return most > expected ? (pairs_in(cells) - expected) / (most - expected) : 0;
}

Together counts_of(const Piles& piles) {
  const auto n = static_cast<Index>(piles.front().size());
  Together out{Matrix::Zero(n, n), Matrix::Zero(n, n)};
  for (const auto& pile : piles) out.add(pile, 1);
  return out;
}

/// Whether people put the same items together more often than in each of 99 deals in which everybody's piles keep
/// their sizes: a permutation test with p = .01.
bool have_something_in_common(const Piles& piles) {
  constexpr int kDeals = 99;
  const double given = counts_of(piles).together.squaredNorm();
  Rng rng = Rng::stream(0, "piles");
  for (int deal = 0; deal < kDeals; ++deal) {
    Piles dealt = piles;
    for (auto& pile : dealt) {
      std::vector<std::string_view> sorted;
      std::ranges::copy_if(pile, std::back_inserter(sorted), [](auto one) { return !one.empty(); });
      rng.shuffle(std::span(sorted));
      std::size_t next = 0;
      for (std::string_view& one : pile)
        if (!one.empty()) one = sorted[next++];
    }
    if (counts_of(dealt).together.squaredNorm() >= given) return false;
  }
  return true;
}

}  // namespace

CommonPiles common_piles(const Piles& piles) {
  const std::size_t items = piles.front().size();
  Together all = counts_of(piles);
  Matrix index = Matrix::Zero(std::ssize(piles), static_cast<Index>(items));  // of each person left out, by groups
  for (std::size_t person = 0; person < piles.size(); ++person) {
    all.add(piles[person], -1);
    const std::vector<Partition> others = linked(all);
    all.add(piles[person], 1);
    for (std::size_t count = 2; count < items; ++count)
      index(static_cast<Index>(person), static_cast<Index>(count)) = agreement(others[count], piles[person]);
  }
  Index best = 2;
  for (Index count = 3; count < index.cols(); ++count)
    if (index.col(count).sum() > index.col(best).sum()) best = count;
  const auto is_as_good = [&](Index count) {  // by a standard error of the difference
    const Vector less = index.col(best) - index.col(count);
    return less.mean() <=
           std::sqrt((less.array() - less.mean()).square().mean() / static_cast<double>(less.size() - 1));
  };
  for (Index count = best; count >= 2; --count)
    if (is_as_good(count)) best = count;
  CommonPiles out{.agreement = index.col(best).mean()};
  std::map<std::size_t, std::vector<std::size_t>> groups;
  const Partition chosen = linked(all)[subscript(best)];
  for (std::size_t i = 0; i < items; ++i) groups[chosen[i]].push_back(i);
  for (auto& [group, members] : groups) out.groups.push_back(std::move(members));
  std::ranges::stable_sort(out.groups, std::ranges::greater{}, [](const auto& group) { return group.size(); });
  return out;
}

std::string note_on_common_piles(const Piles& piles, const std::vector<std::string>& items) {
  constexpr std::size_t kFewestPeople = 5, kFewestItems = 4, kMostItems = 150, kShown = 12;  // items of a group
  if (piles.size() < kFewestPeople || items.size() < kFewestItems || items.size() > kMostItems) return "";
  if (!have_something_in_common(piles)) return words::kNoCommonPiles;
  const CommonPiles found = common_piles(piles);
  std::vector<std::string> groups;
  for (const std::vector<std::size_t>& group : found.groups) {
    groups.push_back(join_some(mapped(group, [&](std::size_t i) { return shown(items[i]); }), kShown, ", "));
  }
  return fmt::format(words::kCommonPiles, groups.size(), join(groups, "; "), found.agreement);
}

}  // namespace alidade::datasets
