// Maps from answers of several annotators, of whom some guess: each annotator's rate of guesses is estimated along with
// the map, and with many answers also a sharpness. P = (1 - g) sigma(beta m) + g / 2 (annotator_likelihood.hpp).
// The objective of a map is the one at its best rates, so the unknown is the map alone. The problem offers stages, not
// a gradient: from a small start every annotator looks like a guesser, so the first stage is the map without guesses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/triplet/annotator_likelihood.hpp"
#include "problems/triplet/triplet_map.hpp"

namespace alidade::triplet {

/// The margin of an answer, by the loss. @pre the loss has margins
[[nodiscard]] Margin margin_of(const TripletLoss& loss, double a, double b);

/// All answers, those of an annotator next to each other. Immutable.
class AnnotatedAnswers {
 public:
  /// @pre the observations offer annotators
  explicit AnnotatedAnswers(const Observations& observations);

  [[nodiscard]] Index annotator_count() const { return static_cast<Index>(names_.size()); }
  [[nodiscard]] const std::string& name(Index a) const { return names_[static_cast<std::size_t>(a)]; }
  /// The triplets of annotator a: places begin(a) .. begin(a + 1) of the lists.
  [[nodiscard]] std::size_t begin(Index a) const { return begins_[static_cast<std::size_t>(a)]; }
  /// Whole answers of annotator a, of which each may imply several triplets.
  [[nodiscard]] Index answer_count(Index a) const { return answers_[static_cast<std::size_t>(a)]; }
  /// Their effective number, if weights are unequal: so many would be as certain (Kish 1965).
  [[nodiscard]] Index effective_count(Index a) const { return effective_[static_cast<std::size_t>(a)]; }
  /// Number of annotators who gave any.
  [[nodiscard]] Index giving_count() const { return giving_; }
  /// Of these, by effective numbers.
  [[nodiscard]] double median_answers() const;
  [[nodiscard]] const std::vector<ObjectId>& anchors() const { return anchor_; }
  [[nodiscard]] const std::vector<ObjectId>& nears() const { return near_; }
  [[nodiscard]] const std::vector<ObjectId>& fars() const { return far_; }
  /// The weights of annotator a's triplets in a unit in which their sum is their effective number; empty if all are 1.
  [[nodiscard]] std::span<const double> weights(Index a) const;
  /// That unit: what an annotator's answers say of the annotator does not depend on it.
  [[nodiscard]] double weight_unit(Index a) const { return units_[static_cast<std::size_t>(a)]; }
  /// The whole answer that implied each triplet of annotator a, as a number; empty if each is one of its own.
  [[nodiscard]] std::span<const std::uint32_t> answer_of(Index a) const;
  /// Annotators [chunks[c], chunks[c + 1]) are chunk c; the data alone fix the chunks.
  [[nodiscard]] const std::vector<Index>& chunks() const { return chunks_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> begins_;
  std::vector<Index> answers_, effective_, chunks_;
  std::vector<double> units_;
  Index giving_ = 0;
  std::vector<ObjectId> anchor_, near_, far_;
  std::vector<double> weight_;         // empty: all 1
  std::vector<std::uint32_t> answer_;  // empty: each triplet is an answer
};

/// The smooth objective: sum over annotators of weight_unit() times min over (g, l) of the negative log posterior,
/// + lambda |Y|^2. By the envelope theorem its gradient is the one with g and l held at their best. With `guesses`
/// false, all g are 0 and all l too: the answers pooled.
class ReliabilityMap {
 public:
  ReliabilityMap(TripletMap base, std::shared_ptr<const AnnotatedAnswers> answers, const AnnotatorPrior& prior,
                 bool guesses);

  [[nodiscard]] const Domain& domain() const { return base_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return base_.start(rng); }
  /// Also says if only one annotator gave answers: then there is one rate for all, as in LapseProblem.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// O(d * triplets), and about ten times the triplets for the rates.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  /// The best (g, l) of each annotator for a map.
  [[nodiscard]] std::vector<Reliability> reliabilities(const Point& x) const;
  [[nodiscard]] const AnnotatorPrior& prior() const { return prior_; }
  [[nodiscard]] const TripletLoss& loss() const { return base_.sum().loss(); }

 private:
  struct Work {
    std::vector<double> margins;
    std::vector<Margin> slopes;
  };
  struct Scratch;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  /// Of the annotator's answers, the margins and their slopes.
  void set_margins(Index annotator, std::span<const double> y, Work& out) const;

  TripletMap base_;
  std::shared_ptr<const AnnotatedAnswers> answers_;
  AnnotatorPrior prior_;
  bool guesses_;
};

/// The path: pooled, then with guesses.
class AnnotatorMap {
 public:
  explicit AnnotatorMap(ReliabilityMap pooled, ReliabilityMap whole)
      : pooled_(std::move(pooled)), whole_(std::move(whole)) {}

  [[nodiscard]] const Domain& domain() const { return whole_.domain(); }
  [[nodiscard]] Solution start(Rng& rng) const { return whole_.start(rng); }
  [[nodiscard]] std::vector<std::string> notes() const { return whole_.notes(); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return whole_.value(std::get<Point>(x), evaluation);
  }
  /// The map with the estimates "guess_rate" (of an average answer), "likely_guessers" and "reversed_annotators" (their
  /// numbers), and the annotators.
  [[nodiscard]] Embedding decode(const Solution& x) const { return whole_.decode(x); }
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }

  [[nodiscard]] static Index stage_count() { return 2; }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;

 private:
  ReliabilityMap pooled_, whole_;
};

/// For the losses that have margins and measured defaults.
[[nodiscard]] std::vector<ProblemEntry> annotator_entries();

}  // namespace alidade::triplet
