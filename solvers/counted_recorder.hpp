// A recorder that notes with every record what the solve had spent: the figures `evaluations` and, where any, `terms`.
// They are those of Counts at the time of the record, so that a solve can be followed by what it cost on any machine.
// Figures precede those of the observer; the counts must outlive the recorder and be up to date at each record.
#pragma once

#include <vector>

#include "solvers/solver.hpp"

namespace alidade {

inline constexpr const char* kEvaluations = "evaluations";
inline constexpr const char* kTerms = "terms";

class CountedRecorder {
 public:
  CountedRecorder(SolveContext& context, const Counts& counts)
      : recorder_(context), counts_(counts) {}
  /// As Recorder::record.
  void record(Index iteration, double objective, double gradient_norm, const Point* x);
  /// As Recorder::finish.
  void finish(Summary& summary);

 private:
  Recorder recorder_;
  const Counts& counts_;
  std::vector<Counts> spent_;  // one a record
};

}  // namespace alidade
