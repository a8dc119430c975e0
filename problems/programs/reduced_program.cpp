#include "problems/programs/reduced_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace alidade {
namespace reduced_program {

/// Which rows of a block belong together: a forest, by the least row of each tree.
class Parts {
 public:
  explicit Parts(Index size) : parent_(subscript(size)) { std::iota(parent_.begin(), parent_.end(), Index{0}); }
  Index of(Index row) {
    while (parent_[subscript(row)] != row) row = parent_[subscript(row)] = parent_[subscript(parent_[subscript(row)])];
    return row;
  }
  void join(Index a, Index b) {
    a = of(a);
    b = of(b);
    parent_[subscript(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<Index> parent_;
};

/// What is said of a number X_ii that stands alone.
struct Use {
  Index constraints = 0;
  Index constraint = -1;  // the last of them
  double coefficient = 0, cost = 0;
};

}  // namespace reduced_program

ReducedProgram::ReducedProgram(const SemidefiniteProgram& program, Slacks slacks) : original_(program) {
  using reduced_program::Parts;
  using reduced_program::Use;
  const std::size_t count = program.blocks.size();
  std::vector<Parts> parts;
  std::vector<std::vector<Use>> uses;
  for (const SemidefiniteBlock& block : program.blocks) {
    parts.emplace_back(block.size);
    uses.emplace_back(subscript(block.size));
  }
  for (const SymmetricEntry& e : program.cost) {
    if (e.value == 0) continue;
    parts[subscript(e.block)].join(e.row, e.col);
    if (e.row == e.col) uses[subscript(e.block)][subscript(e.row)].cost += e.value;
  }
  std::vector<Index> filled(program.constraints.size(), 0);
  for (std::size_t r = 0; r < program.constraints.size(); ++r)
    for (const SymmetricEntry& e : program.constraints[r].entries) {
      if (e.value == 0) continue;
      ++filled[r];
      parts[subscript(e.block)].join(e.row, e.col);
      Use& use = uses[subscript(e.block)][subscript(e.row)];
      use = {use.constraints + 1, static_cast<Index>(r), e.value, use.cost};
    }

  std::vector<Index> slack_of(program.constraints.size(), -1);
  for (std::size_t b = 0; b < count; ++b) {
    const SemidefiniteBlock& block = program.blocks[b];
    std::vector<Place>& places = places_.emplace_back(subscript(block.size));
    std::vector<Index> size(subscript(block.size), 0), new_block(subscript(block.size), -1);
    for (Index i = 0; i < block.size; ++i) ++size[subscript(parts[b].of(i))];
    Index rest = -1;  // the new block of this one's numbers
    for (Index i = 0; i < block.size; ++i) {
      const Index part = parts[b].of(i);
      if (size[subscript(part)] == 1) {
        const Use& use = uses[b][subscript(i)];
        const bool unused = use.constraints == 0 && use.cost >= 0;
        const bool slack = slacks == Slacks::drop && use.constraints == 1 && use.cost == 0 &&
                           program.constraints[subscript(use.constraint)].relation == Relation::equal &&
                           slack_of[subscript(use.constraint)] < 0 && filled[subscript(use.constraint)] > 1;
        if (unused || slack) smaller_ = true;
        if (slack) {
          slack_of[subscript(use.constraint)] = static_cast<Index>(slacks_.size());
          slacks_.push_back({use.constraint, static_cast<Index>(b), i, use.coefficient});
        }
        if (unused || slack) continue;
        if (rest < 0) {
          rest = std::ssize(reduced_.blocks);
          reduced_.blocks.push_back({block.name, 0, true});
        }
        places[subscript(i)] = {rest, reduced_.blocks[subscript(rest)].size++};
        smaller_ = smaller_ || (!block.diagonal && block.size > 1);
        continue;
      }
      if (new_block[subscript(part)] < 0) {
        new_block[subscript(part)] = std::ssize(reduced_.blocks);
        reduced_.blocks.push_back({block.name, 0, false});
      }
      places[subscript(i)] = {new_block[subscript(part)],
                              reduced_.blocks[subscript(new_block[subscript(part)])].size++};
      smaller_ = smaller_ || size[subscript(part)] < block.size;
    }
  }
  smaller_ = smaller_ && !reduced_.blocks.empty();
  if (!smaller_) return;
  const auto moved = [&](const std::vector<SymmetricEntry>& entries) {
    std::vector<SymmetricEntry> out;
    for (const SymmetricEntry& e : entries) {
      const Place row = places_[subscript(e.block)][subscript(e.row)],
                  col = places_[subscript(e.block)][subscript(e.col)];
      if (e.value != 0 && row.block >= 0) out.push_back({row.block, row.row, col.row, e.value});
    }
    return out;
  };
  reduced_.cost = moved(program.cost);
  for (std::size_t r = 0; r < program.constraints.size(); ++r) {
    SemidefiniteConstraint row = program.constraints[r];
    row.entries = moved(row.entries);
    if (slack_of[r] >= 0)
      row.relation = slacks_[subscript(slack_of[r])].coefficient > 0 ? Relation::at_most : Relation::at_least;
    reduced_.constraints.push_back(std::move(row));
  }
  reduced_.trace_bound = program.trace_bound;
}

std::vector<SemidefiniteSolution::Block> ReducedProgram::expanded(
    const std::vector<SemidefiniteSolution::Block>& blocks, bool homogeneous) const {
  constexpr double kRounding = 1e-13;
  std::vector<SemidefiniteSolution::Block> out;
  const auto in_matrix = [&](const Place& place) {
    return place.block >= 0 && !reduced_.blocks[subscript(place.block)].diagonal;
  };
  // A factor has no place for numbers that stand alone, unless they are 0.
  std::vector<std::vector<double>> alone(original_.blocks.size());
  for (std::size_t b = 0; b < original_.blocks.size(); ++b) {
    alone[b].assign(subscript(original_.blocks[b].size), 0);
    for (std::size_t i = 0; i < alone[b].size(); ++i) {
      const Place place = places_[b][i];
      if (place.block >= 0 && !in_matrix(place)) alone[b][i] = blocks[subscript(place.block)].values(place.row, 0);
    }
  }
  for (const Slack& slack : slacks_) {
    const SemidefiniteConstraint& row = reduced_.constraints[subscript(slack.constraint)];
    const double bound = homogeneous ? 0 : row.bound, rest = bound - inner_product(row.entries, blocks);
    if (std::abs(rest) > kRounding * (1 + std::abs(bound)))
      alone[subscript(slack.block)][subscript(slack.row)] = std::max(0.0, rest / slack.coefficient);
  }
  for (std::size_t b = 0; b < original_.blocks.size(); ++b) {
    const SemidefiniteBlock& block = original_.blocks[b];
    if (block.diagonal) {
      out.push_back({false, Eigen::Map<const Vector>(alone[b].data(), block.size)});
      continue;
    }
    bool factored = std::ranges::all_of(alone[b], [](double x) { return x == 0; });
    Index columns = 0;
    for (const Place place : places_[b]) {
      if (!in_matrix(place)) continue;
      factored = factored && blocks[subscript(place.block)].factored;
      columns = std::max(columns, blocks[subscript(place.block)].values.cols());
    }
    // Parts that share columns would be joined in X by entries that no constraint sees, which keep it semidefinite.
    if (factored && columns > 0) {
      Matrix v = Matrix::Zero(block.size, columns);
      for (Index i = 0; i < block.size; ++i) {
        const Place place = places_[b][subscript(i)];
        if (!in_matrix(place)) continue;
        const Matrix& part = blocks[subscript(place.block)].values;
        v.row(i).head(part.cols()) = part.row(place.row);
      }
      out.push_back({true, std::move(v)});
      continue;
    }
    Matrix x = Matrix::Zero(block.size, block.size);
    std::vector<std::vector<Index>> members(reduced_.blocks.size());
    for (Index i = 0; i < block.size; ++i) {
      const Place place = places_[b][subscript(i)];
      if (!in_matrix(place))
        x(i, i) = alone[b][subscript(i)];
      else
        members[subscript(place.block)].push_back(i);
    }
    for (std::size_t p = 0; p < members.size(); ++p) {
      if (members[p].empty()) continue;
      const Matrix part = blocks[p].dense();
      for (std::size_t i = 0; i < members[p].size(); ++i)
        for (std::size_t j = 0; j < members[p].size(); ++j)
          x(members[p][i], members[p][j]) = part(static_cast<Index>(i), static_cast<Index>(j));
    }
    out.push_back({false, std::move(x)});
  }
  return out;
}

SemidefiniteSolution ReducedProgram::expanded(SemidefiniteSolution x) const {
  if (!smaller_) return x;
  if (!x.blocks.empty()) x.blocks = expanded(x.blocks, false);
  if (x.ray && !x.ray->blocks.empty()) x.ray->blocks = expanded(x.ray->blocks, true);
  if (!x.dual_blocks.empty()) x.dual_blocks = dual_slack(original_, x.multipliers);
  return x;
}

}  // namespace alidade
