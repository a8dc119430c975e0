// The implementation behind a Problem: ProblemModel derives one from a plain class, and adapters modify one.
// Only code that makes problems includes this header.
// Immutable, as problems are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/contract/problem.hpp"

namespace alidade {

class ErasedProblem {
 public:
  virtual ~ErasedProblem() = default;
  [[nodiscard]] virtual CapabilitySet offers() const = 0;
  /// The face of the one capability in `which`, as a `const Face*`; null if it is not offered or has no face.
  [[nodiscard]] virtual const void* face(CapabilitySet which) const = 0;
  [[nodiscard]] virtual Solution start(Rng& rng) const = 0;
  [[nodiscard]] virtual std::vector<std::string> start_names() const = 0;
  [[nodiscard]] virtual Solution start_named(std::string_view kind, Rng& rng) const = 0;
  [[nodiscard]] virtual double objective(const Solution& x, Evaluation& evaluation) const = 0;
  [[nodiscard]] virtual Embedding decode(const Solution& x) const = 0;
  [[nodiscard]] virtual std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& evaluation) const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
  [[nodiscard]] virtual UnitPowers unit_powers() const = 0;
  [[nodiscard]] virtual UnitFactors unit_factors() const = 0;
  [[nodiscard]] virtual const Domain* domain() const = 0;
};

/// Forwards to another problem; derived classes override what they change.
class AdaptedProblem : public ErasedProblem {
 public:
  explicit AdaptedProblem(Problem inner) : inner_(std::move(inner)) {}
  [[nodiscard]] const Problem& inner() const { return inner_; }

  [[nodiscard]] CapabilitySet offers() const override { return inner_.offers(); }
  [[nodiscard]] const void* face(CapabilitySet which) const override { return inner_.model().face(which); }
  [[nodiscard]] Solution start(Rng& rng) const override { return inner_.start(rng); }
  [[nodiscard]] std::vector<std::string> start_names() const override { return inner_.start_names(); }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const override {
    return inner_.start_named(kind, rng);
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const override { return inner_.objective(x, e); }
  [[nodiscard]] Embedding decode(const Solution& x) const override { return inner_.decode(x); }
  [[nodiscard]] std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& e) const override {
    return inner_.answer_model(x, e);
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return inner_.notes(); }
  [[nodiscard]] UnitPowers unit_powers() const override { return inner_.unit_powers(); }
  [[nodiscard]] UnitFactors unit_factors() const override { return inner_.unit_factors(); }
  [[nodiscard]] const Domain* domain() const override { return inner_.domain(); }

 private:
  Problem inner_;
};

/// Another problem with one more face.
template <Capability Face>
class ProblemWithFace : public AdaptedProblem, public Face {
 public:
  using AdaptedProblem::AdaptedProblem;
  [[nodiscard]] CapabilitySet offers() const override { return inner().offers() | CapabilitySet::of<Face>(); }
  [[nodiscard]] const void* face(CapabilitySet which) const override {
    if (which == CapabilitySet::of<Face>()) return static_cast<const Face*>(this);
    return inner().model().face(which);
  }
};

}  // namespace alidade
