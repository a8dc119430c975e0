// Maps from judgements whether two objects are the same: objects that are often taken for each other are near.
//   p(same) = lapse / 2 + (1 - lapse) s(b) k(d),  k(d) = exp(-d) (Shepard 1957, 1987) or exp(-d^2)
// with s the logistic function and b, how often even objects at one place are called the same, estimated along with
// the map. The negative log-likelihood of independent answers, of which D_ij is the share "different" and w_ij the
// number, is
//   sum over i < j of -w_ij ((1 - D_ij) ln p(d_ij) + D_ij ln(1 - p(d_ij))) + lambda |X|^2
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade::scaling {

struct SameDifferentOptions {
  Index n_components = 2;
  std::string kernel = "exponential";
  double lapse = 0.04;
  double lambda = 0.01;
  [[nodiscard]] static const OptionList<SameDifferentOptions>& list();
};

class SameDifferentProblem {
 public:
  /// Weights are divided by their mean. @throws DataError without dissimilarities, on shares outside of [0, 1], on
  /// weights that are no numbers >= 0, and if no pair was judged.
  SameDifferentProblem(const Observations& observations, const SameDifferentOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Classical scaling of -ln of the share "same".
  [[nodiscard]] Solution start(Rng& rng) const { return start_named("classical", rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return {"classical", "random"}; }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// Estimates: `same_at_one_place`, p(same) at distance 0.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  /// O(n^2 d), with the gradient too. Same bits for any number of threads.
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  /// The mean weight of the pairs that were judged.
  [[nodiscard]] double weight_unit() const { return judged_->weight_unit; }

 private:
  struct Judged {
    Matrix different, weights;  // n x n; weights 0 where nobody judged, with mean 1 elsewhere
    Matrix start;               // n x d
    double weight_unit = 1;
  };
  struct Terms;

  std::shared_ptr<const Judged> judged_;
  std::shared_ptr<const Domain> domain_;
  bool squared_;
  double lapse_, lambda_;
  std::vector<std::string> notes_;
};

/// Memory 3 n^2 doubles.
[[nodiscard]] ProblemEntry same_different_entry();

}  // namespace alidade::scaling
