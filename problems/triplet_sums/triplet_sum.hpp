// C(Y) = sum over triplets of w f(a, b) + lambda sum over mentioned objects |y_i|^2, for any triplet source.
// Kernels: triplet_kernel.hpp for stored triplets; class_block_kernel.hpp for those of attribute tables, never stored;
// whole_table_kernel.hpp for SOE and STE over a whole table. Immutable; copies share the data.
// The data fix the chunks of sums and their order, so threads change no bit.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "problems/contract/problem.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/triplet_sums/anchor_groups.hpp"
#include "problems/triplet_sums/class_block_kernel.hpp"
#include "problems/triplet_sums/table_selection.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::triplet {

/// The weight of sum |y_i|^2: lambda + lambda0 W / n + root sqrt(W / m), with W the sum of the weights, n the number of
/// objects and m that of objects in a triplet. The first part is a Gaussian prior of variance 1 / (2 lambda) per
/// coordinate, whose influence falls with the number of answers; that of the second does not depend on it. The third
/// grows as the noise in the gradient does: |Y|^2 is the trace of Y Y', so the term is a threshold on eigenvalues, and
/// those that come from noise grow as the root of the answers per object.
struct Regulariser {
  double lambda0 = 0;  // >= 0
  double lambda = 0;   // >= 0
  double root = 0;     // >= 0
  [[nodiscard]] double weight(double total_weight, Index objects, Index mentioned) const;
};

class TripletSum {
 public:
  /// `single_precision` runs the kernels of stored triplets in float
  /// (gradient within 1e-6 relative); sums beyond a batch stay in double.
  TripletSum(std::shared_ptr<const TripletSource> source, TripletLoss loss, Regulariser regulariser,
             bool single_precision);

  /// The same triplets and regulariser with another loss; shares the compressed triplets. O(n).
  [[nodiscard]] TripletSum with_loss(TripletLoss loss) const;

  [[nodiscard]] Index object_count() const { return source_->object_count(); }
  /// The sum of the triplets' weights.
  [[nodiscard]] double total_weight() const { return total_weight_; }
  /// The total weight of sum |y_i|^2.
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] const TripletLoss& loss() const { return loss_; }
  /// The triplets that stochastic solvers draw.
  [[nodiscard]] const TripletSource& terms() const { return *source_; }
  /// They as a list, which is made at the first call; null if they are those of a table.
  [[nodiscard]] const TripletList* list() const {
    if (!listed_) return nullptr;
    const TripletList* const made = listed_->made.load(std::memory_order_acquire);
    return made != nullptr ? made : make_list();
  }
  /// lambda / (number of triplets that mention object i): the weight of its regulariser in one term.
  [[nodiscard]] double term_lambda(ObjectId i) const { return term_lambda_.empty() ? 0 : term_lambda_[i]; }
  [[nodiscard]] bool mentioned(ObjectId i) const { return mentioned_[i]; }
  /// Ids of objects in no triplet; they do not move and are not regularised.
  [[nodiscard]] std::vector<ObjectId> unmentioned() const;
  /// A note that counts and names these objects and says `where` they are, such as "stay at their random start"; none
  /// if there are none. `names`: of all objects.
  [[nodiscard]] std::vector<std::string> notes_on_unmentioned(const std::vector<std::string>& names,
                                                              std::string_view where) const;

  /// y: n x d row-major.
  [[nodiscard]] double value(std::span<const double> y, Index d, Evaluation& evaluation) const;
  /// Overwrites `gradient`.
  double value_and_gradient(std::span<const double> y, Index d, std::span<double> gradient,
                            Evaluation& evaluation) const;

 private:
  struct Listed {
    std::mutex making;
    std::shared_ptr<const TripletSource> held;
    std::atomic<const TripletList*> made{nullptr};
  };
  struct Scratch;
  const TripletList* make_list() const;
  template <class Real>
  double sum(std::span<const Real> y, Index d, std::span<double> gradient, Evaluation& evaluation) const;
  double sum_of_table(std::span<const double> y, Index d, std::span<double> gradient, Evaluation& evaluation) const;
  double add_regulariser(std::span<const double> y, Index d, std::span<double> gradient, Executor& executor) const;
  /// An empty gradient requests the value alone.
  double evaluate(std::span<const double> y, Index d, std::span<double> gradient, Evaluation& evaluation) const;
  void note_mentions(const std::vector<std::uint64_t>& mentions, Regulariser regulariser);

  std::shared_ptr<const TripletSource> source_;
  std::shared_ptr<Listed> listed_;  // of stored triplets
  TripletLoss loss_;
  bool single_precision_;
  std::shared_ptr<const AnchorGroups> groups_;       // of a list
  std::shared_ptr<const TableSelection> selection_;  // of an attribute table
  std::shared_ptr<const AnchorBlocks> blocks_;
  std::shared_ptr<const AnchorBlocks> whole_blocks_;  // of a whole attribute table, for SoeLoss and SteLoss
  double total_weight_ = 0;
  double lambda_ = 0;
  std::vector<bool> mentioned_;
  std::vector<double> term_lambda_;
};

}  // namespace alidade::triplet
