// Judging candidates by validation within the training set: on validation triplets, or objects, that their maps were
// not fitted to. Validation sets are independent random ones of one fraction; small data use several, so that enough
// triplets judge. Where whole people are held out, the sets are folds of them. All candidates are judged on the same.
// Candidates may be judged in rounds: the next round judges fewer of them on more triplets ([JT16] successive halving).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/setup.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/run/split.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

/// What was held out says of a map.
struct HeldoutErrors {
  HeldoutErrors(double judged_error) : error(judged_error) {}  // NOLINT(google-explicit-constructor)
  double error;
  /// Whether the map violates each held-out triplet; empty where something else judges.
  std::vector<bool> violated{};
};

struct ChoiceRequest {
  const MethodSetup& method;
  const Observations& training;
  const SplitRule& split;
  std::uint64_t key = 0;  // of the validation sets
  /// If set, validate on objects hidden from aspects, as in the whole run, instead of triplets.
  std::optional<HideUnit> hide{};
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Validation error of the map that the setup makes of the evidence's observations; nothing if it makes none. Under
  /// ChoiceRule::eigenvalue_share nothing is held out: the share of the variance that is not drawn.
  std::function<std::optional<HeldoutErrors>(const MethodSetup& setup, const metrics::Evidence& evidence)> judge;
  /// Validate on objects held out from everything, as in the whole run, instead of triplets.
  bool hold_objects_out = false;
  /// If set, told how many candidates are judged, of about how many; one that a later round judges again counts again.
  std::function<void(Index judged, Index expected)> progress{};
  std::stop_token stop{};  // ends the choice as the deadline does
  /// If set, called when the setup judged last leads all others: its last map is then the best that there is.
  std::function<void(const MethodSetup& setup)> leads{};

  /// Why the choice has to end now: "the time limit came" or "it was interrupted"; nothing if it may go on.
  [[nodiscard]] std::optional<std::string_view> ended() const;
};

/// The largest number of validation sets, whatever they contain.
inline constexpr Index kMostHoldouts = 5;

/// How carefully a round judges.
struct Effort {
  double share = 1;                // of the training triplets, in (0, 1]
  Index holdouts = kMostHoldouts;  // at most; never more than needed
};

struct Judged {
  MethodSetup setup;
  ValueTable entry;  // names it among the candidates
  Index round = 1;   // the last one that judged it
  std::optional<double> error{};
  double standard_error = 0;
  std::vector<std::vector<bool>> violated{};  // by validation set

  /// One fit, so that a later round does not repeat it.
  struct Fit {
    double share;
    Index holdout;
    ValueTable solver_options;
    HeldoutErrors errors;
  };
  std::vector<Fit> fits{};
};

/// The mean of one candidate's error less another's.
struct ErrorDifference {
  double mean, standard_error;
};

/// Judges candidates on the same validation sets and remembers the results.
class Validation {
 public:
  /// @throws DataError if nothing is left to judge. The request must outlive this.
  explicit Validation(const ChoiceRequest& request, Index most_holdouts = kMostHoldouts);
  // Splits point into the request.
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  /// Candidates are from now on judged with this effort; those of earlier rounds keep what they had until they are
  /// judged again. The first round begins by itself.
  void begin_round(Effort effort);
  [[nodiscard]] Index round() const { return round_; }

  /// The index of the candidate in judged(), where this round may already have judged it; nothing once the choice
  /// has to end.
  std::optional<std::size_t> judge(const MethodSetup& setup, ValueTable entry);
  /// About how many candidates will be judged, over all rounds, for those who watch.
  void expect(std::size_t candidates) { expected_ = static_cast<Index>(candidates); }

  /// Indices of the candidates with a map, those of later rounds first, then by error; ties in the order tried.
  [[nodiscard]] std::vector<std::size_t> ranking() const;
  [[nodiscard]] const std::vector<Judged>& judged() const { return judged_; }
  /// Valid until the next call of `judge`.
  [[nodiscard]] const Judged& at(std::size_t i) const { return judged_[i]; }
  /// Number of triplets, or objects, that judge in this round.
  [[nodiscard]] std::uint64_t held_out() const;
  /// Kind of the judges: "triplets" or "objects".
  [[nodiscard]] std::string_view judges() const { return request_.hold_objects_out ? "objects" : "triplets"; }
  /// Validation sets of this round.
  [[nodiscard]] Index holdouts() const;
  /// Whether the choice had to end before all candidates were judged.
  [[nodiscard]] bool cut_short() const { return cut_short_.has_value(); }
  /// "; the time limit came before all candidates were tried", or "" if they were.
  [[nodiscard]] std::string cut_short_note() const;

  /// The highest validation error within one standard error of the lowest.
  [[nodiscard]] double tied_up_to() const { return *judged_[best()].error + judged_[best()].standard_error; }
  /// @throws DataError if no candidate gave a map
  [[nodiscard]] std::size_t best() const;

  /// Of the error of `i` less that of `other`. Where both were judged on the same triplets, the standard error is that
  /// of the paired differences: maps of the same answers share most of their errors, so it is smaller than that of
  /// either error. Triplets of one answer, or of one person who was held out as a whole, count as one. Else it is the
  /// standard error of `other`.
  [[nodiscard]] ErrorDifference difference(std::size_t i, std::size_t other) const;

 private:
  void tell() const {
    if (request_.progress) request_.progress(tried_, std::max(expected_, tried_));
  }
  [[nodiscard]] Split made_split(Index h) const;
  /// Of the mean difference of two maps of the same sets, or of the error of one.
  [[nodiscard]] std::optional<double> spread(const Judged& a, const Judged* b) const;
  void check(const JudgeCount& count) const;
  [[nodiscard]] Index holdouts_for(const JudgeCount& count, Index limit) const;
  [[nodiscard]] const Observations& training_of(Index h);
  [[nodiscard]] std::optional<HeldoutErrors> fit_and_judge(const MethodSetup& setup, Index h, Judged& out);

  struct Part {
    double share;
    Index holdout;
    Split split;
  };

  const ChoiceRequest& request_;
  TripletTags questions_;  // held out whole; null: not
  bool by_people_;         // they are held out whole
  Index folds_;            // of the people; each judges once. 0: the sets are random ones
  std::vector<Split> splits_;
  std::vector<JudgeCount> counts_;  // by validation set
  std::vector<std::unique_ptr<Part>> parts_;
  Effort effort_;
  Index round_ = 1;
  std::vector<Judged> judged_;
  Index tried_ = 0;
  Index expected_ = 0;
  std::optional<std::string_view> cut_short_;  // why
};

}  // namespace alidade
