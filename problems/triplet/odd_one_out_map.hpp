// Sparse non-negative axes from judgements of the odd one out, with scalar products as similarity: the problem `spose`.
// [HZPB20] Hebart, Zheng, Pereira & Baker 2020. With s_ij = x_i'x_j and k the odd one of {i, j, k}:
//   - sum w ln(exp(s_ij) / (exp(s_ij) + exp(s_ik) + exp(s_jk))) + lambda1 sum x,   x >= 0.
// Where an answer chose near or far for an anchor, the third pair is left out. Non-negativity and the L1 term fix the
// axes up to their order. Objects in no answer stay at 0.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade::triplet {

struct SposeOptions {
  Index n_components = 20;
  double l1_scale = 0.8;
  double init_scale = 0.5;
  [[nodiscard]] static const OptionList<SposeOptions>& list();
};

class OddOneOutMap {
 public:
  /// Two triplets of one answer, (i, j, k) and (j, i, k), are one odd one out, with the mean of their weights; all
  /// others are a choice between two. @throws DataError without triplets or with fewer than 3 objects.
  OddOneOutMap(const Observations& observations, const SposeOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const;
  /// The axes by falling sum, without those on which no object reaches 0.1.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] double lambda1() const { return lambda_; }
  [[nodiscard]] std::span<const Index> mentioned() const { return mentioned_; }  // objects in an answer

  /// O(d pairs + answers), pairs: those that stand in an answer, each once.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const { return evaluate(x, nullptr, evaluation); }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return evaluate(x, &gradient, evaluation);
  }

 private:
  using Pair = std::pair<ObjectId, ObjectId>;  // the lower first
  struct Answer {
    std::array<std::uint32_t, 3> pairs;  // the most similar first; one beyond all pairs for one that is not there
    double weight;
  };
  struct Partner {
    std::uint32_t pair;
    ObjectId other;
  };
  void read(const Observations& observations);
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  double init_scale_, lambda_ = 0;
  std::shared_ptr<const Domain> domain_;
  std::vector<Pair> pairs_;
  std::vector<Answer> answers_;        // by first object; filled with some that weigh nothing
  GroupedLists<std::uint32_t> slots_;  // of each pair: the places in the answers' slopes
  GroupedLists<Partner> partners_;     // of each object
  std::vector<Index> mentioned_;
  std::uint64_t alone_ = 0, answer_total_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace alidade::triplet
