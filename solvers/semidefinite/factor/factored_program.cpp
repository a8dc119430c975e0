#include "solvers/semidefinite/factor/factored_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "problems/core/types.hpp"

namespace alidade {
namespace factored_program {

double dot(const double* a, const double* b, Index n) {
  return Eigen::Map<const Vector>(a, n).dot(Eigen::Map<const Vector>(b, n));
}
void add(double factor, const double* from, Index n, double* to) {
  Eigen::Map<Vector>(to, n) += factor * Eigen::Map<const Vector>(from, n);
}

}  // namespace factored_program

/// Whether the entries are scale times aa' with an a of many numbers; then it is kept.
bool FactoredProgram::take_rank_one(Index row, std::size_t part, const std::vector<SymmetricEntry>& entries,
                                    double scale) {
  constexpr std::size_t kFew = 36;
  constexpr double kExact = 1e-13;
  if (entries.size() < kFew) return false;
  std::unordered_map<Index, double> diagonal;
  for (const SymmetricEntry& e : entries)
    if (e.row == e.col) diagonal[e.row] = e.value;
  const std::size_t k = diagonal.size();
  if (entries.size() != k * (k + 1) / 2) return false;
  RankOne out{row, part, scale, {}, {}};
  for (const auto& [i, value] : diagonal) out.at.push_back(i);
  std::ranges::sort(out.at);
  const double first = diagonal[out.at.front()];
  if (first == 0) return false;
  std::unordered_map<Index, double> a = {{out.at.front(), std::sqrt(std::abs(first))}};
  for (const SymmetricEntry& e : entries)
    if (e.row == out.at.front() && e.col != e.row) a[e.col] = e.value / (first > 0 ? 1 : -1) / a[e.row];
  const double sign = first > 0 ? 1 : -1;
  for (const SymmetricEntry& e : entries) {
    const auto left = a.find(e.row), right = a.find(e.col);
    if (left == a.end() || right == a.end()) return false;
    const double value = sign * left->second * right->second;
    if (!(std::abs(value - e.value) <= kExact * std::abs(e.value))) return false;
  }
  out.scale *= sign;
  for (const Index i : out.at) out.values.push_back(a[i]);
  rank_one_.push_back(std::move(out));
  return true;
}

FactoredProgram::FactoredProgram(const SemidefiniteProgram& program) {
  constexpr Index kMostProjected = 8;
  for (const SemidefiniteBlock& block : program.blocks)
    parts_.push_back(
        {.size = block.size, .numbers = block.diagonal || block.size == 1, .kernel = Eigen::MatrixXd(block.size, 0)});
  const std::vector<Index> first =
      place(program, [this](Index row, std::size_t part, const std::vector<SymmetricEntry>& entries, double unit) {
        return !parts_[part].numbers && take_rank_one(row, part, entries, 1 / unit);
      });
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].first = first[p];
    parts_[p].end = first[p + 1];
  }
  if (rows() > 0) set_x_unit(bounds_.cwiseAbs().maxCoeff());
  // <aa', X> = 0.
  std::vector<RankOne> kept;
  for (RankOne& one : rank_one_) {
    Part& part = parts_[one.part];
    const bool alone =
        one.row >= 0 && program.constraints[subscript(one.row)].bound == 0 &&
        program.constraints[subscript(one.row)].entries.size() == one.at.size() * (one.at.size() + 1) / 2;
    if (!alone || part.kernel.cols() >= kMostProjected) {
      kept.push_back(std::move(one));
      continue;
    }
    Eigen::VectorXd a = Eigen::VectorXd::Zero(part.size);
    for (std::size_t k = 0; k < one.at.size(); ++k) a[one.at[k]] = one.values[k];
    a.normalize();
    a -= part.kernel * (part.kernel.transpose() * a).eval();
    part.kernel_rows.emplace_back(one.row, one.scale > 0 ? 1 : -1);
    constexpr double kNew = 1e-8;
    if (a.norm() <= kNew) continue;
    part.kernel.conservativeResize(part.size, part.kernel.cols() + 1);
    part.kernel.rightCols(1) = a.normalized();
  }
  rank_one_ = std::move(kept);
  set_ranks(std::vector<Index>(parts_.size(), 1));
}

double FactoredProgram::entries() const {
  auto out = static_cast<double>(upper_.size());
  for (const RankOne& one : rank_one_) out += static_cast<double>(one.at.size());
  return out;
}

void FactoredProgram::set_ranks(const std::vector<Index>& ranks) {
  length_ = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    part.rank = part.numbers ? 1 : std::min(ranks[p], part.size);
    part.offset = length_;
    length_ += part.size * part.rank;
  }
}

void FactoredProgram::set_tilt(double tilt) {
  for (Index k = 0; k < cost_.size(); ++k)
    if (on_diagonal(k)) cost_[k] += tilt_ - tilt;
  tilt_ = tilt;
}

FactoredProgram::Image FactoredProgram::mixed_image(const Vector& v, const Vector& d) const {
  using factored_program::dot;
  const bool mixed = &v != &d;
  Vector x(weight_.size());
  for (const Part& part : parts_) {
    const double *of_v = v.data() + part.offset, *of_d = d.data() + part.offset;
    for (Index k = part.first; k < part.end; ++k) {
      const Index i = upper_[subscript(k)] * part.rank, j = lower_[subscript(k)] * part.rank;
      x[k] = weight_[k] * (dot(of_v + i, of_d + j, part.rank) + (mixed ? dot(of_d + i, of_v + j, part.rank) : 0));
    }
  }
  Image out{a_ * x, cost_.dot(x)};
  for (const RankOne& one : rank_one_) {
    const Part& part = parts_[one.part];
    const auto sum_of = [&](const Vector& of) {
      Vector sum = Vector::Zero(part.rank);
      for (std::size_t k = 0; k < one.at.size(); ++k)
        factored_program::add(one.values[k], of.data() + part.offset + one.at[k] * part.rank, part.rank, sum.data());
      return sum;
    };
    const Vector sum = sum_of(v);
    (one.row < 0 ? out.cost : out.rows[one.row]) +=
        mixed ? 2 * one.scale * sum.dot(sum_of(d)) : one.scale * sum.squaredNorm();
  }
  return out;
}

FactoredProgram::Slack FactoredProgram::slack(const Vector& z, bool with_cost) const {
  Slack out{-(transposed_ * z), Vector(static_cast<Index>(rank_one_.size()))};
  if (with_cost) out.places += cost_;
  for (std::size_t k = 0; k < rank_one_.size(); ++k) {
    const RankOne& one = rank_one_[k];
    out.weights[static_cast<Index>(k)] = one.row >= 0 ? -z[one.row] * one.scale : with_cost ? one.scale : 0;
  }
  return out;
}

void FactoredProgram::times(const Slack& s, std::size_t p, const double* v, Index columns, double* out) const {
  using factored_program::add;
  const Part& part = parts_[p];
  std::fill(out, out + part.size * columns, 0.0);
  for (Index k = part.first; k < part.end; ++k) {
    const double value = s.places[k];
    const Index i = upper_[subscript(k)] * columns, j = lower_[subscript(k)] * columns;
    add(value, v + j, columns, out + i);
    if (i != j) add(value, v + i, columns, out + j);
  }
  for (std::size_t k = 0; k < rank_one_.size(); ++k) {
    const RankOne& one = rank_one_[k];
    const double weight = s.weights[static_cast<Index>(k)];
    if (one.part != p || weight == 0) continue;
    Vector sum = Vector::Zero(columns);
    for (std::size_t e = 0; e < one.at.size(); ++e) add(one.values[e], v + one.at[e] * columns, columns, sum.data());
    for (std::size_t e = 0; e < one.at.size(); ++e)
      add(weight * one.values[e], sum.data(), columns, out + one.at[e] * columns);
  }
}

void FactoredProgram::times(const Slack& s, const Vector& v, Vector& out) const {
  out.resize(length_);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    times(s, p, v.data() + part.offset, part.rank, out.data() + part.offset);
    project(p, out.data() + part.offset, part.rank);
  }
}

void FactoredProgram::project(std::size_t p, double* v, Index columns) const {
  const Part& part = parts_[p];
  if (part.kernel.cols() == 0) return;
  Eigen::Map<Matrix> values(v, part.size, columns);
  values -= part.kernel * (part.kernel.transpose() * values).eval();
}

void FactoredProgram::project(Vector& v) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) project(p, v.data() + parts_[p].offset, parts_[p].rank);
}

/// With q of the kernel, PSq of length l and weight w: the least eigenvalue of S + w qq' is lower than that of PSP by
/// about l^2 / w, and rounding takes some epsilon w.
void FactoredProgram::lift_kernel(Vector& z) const {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  const Slack s = slack(z);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    double weight = 0;
    for (Index c = 0; c < part.kernel.cols(); ++c) {
      const Vector q = part.kernel.col(c);
      Vector image(part.size);
      times(s, p, q.data(), 1, image.data());
      const double own = q.dot(image);
      project(p, image.data(), 1);
      weight = std::max(weight, std::abs(own) + image.norm() / std::sqrt(kRounding));
    }
    for (const auto& [row, sign] : part.kernel_rows) z[row] = -sign * weight;
  }
}

double FactoredProgram::largest_row_sum(const Slack& s, std::size_t p) const {
  const Part& part = parts_[p];
  Vector sums = Vector::Zero(part.size);
  for (Index k = part.first; k < part.end; ++k) {
    const Index i = upper_[subscript(k)], j = lower_[subscript(k)];
    sums[i] += std::abs(s.places[k]);
    if (i != j) sums[j] += std::abs(s.places[k]);
  }
  double more = 0;
  for (std::size_t k = 0; k < rank_one_.size(); ++k) {
    if (rank_one_[k].part != p) continue;
    double squares = 0;
    for (const double a : rank_one_[k].values) squares += a * a;
    more += std::abs(s.weights[static_cast<Index>(k)]) * squares;
  }
  return sums.maxCoeff() + more;
}

Vector FactoredProgram::diagonal(const Slack& s, std::size_t p) const {
  const Part& part = parts_[p];
  Vector out = Vector::Zero(part.size);
  for (Index k = part.first; k < part.end; ++k) out[upper_[subscript(k)]] = s.places[k];
  return out;
}

}  // namespace alidade
