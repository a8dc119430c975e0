// The inside of a Problem: what ProblemModel makes of a plain class, and what adapters change of another problem.
// Nobody but the makers of problems sees it.
// Immutable, as problems are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/problem.hpp"

namespace alidade {

class ErasedProblem {
 public:
  virtual ~ErasedProblem() = default;
  [[nodiscard]] virtual CapabilitySet offers() const = 0;
  /// Of the one capability in `which`: its face as a `const Face*`; null where it is not offered or has none.
  [[nodiscard]] virtual const void* face(CapabilitySet which) const = 0;
  [[nodiscard]] virtual Solution start(Rng& rng) const = 0;
  [[nodiscard]] virtual std::vector<std::string> start_names() const = 0;
  [[nodiscard]] virtual Solution start_named(std::string_view kind, Rng& rng) const = 0;
  [[nodiscard]] virtual double objective(const Solution& x, Evaluation& evaluation) const = 0;
  [[nodiscard]] virtual Embedding decode(const Solution& x) const = 0;
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
  [[nodiscard]] virtual UnitPowers unit_powers() const = 0;
  [[nodiscard]] virtual UnitFactors unit_factors() const = 0;
  [[nodiscard]] virtual const Domain* domain() const = 0;
};

/// Another problem, of which derived classes change what they override.
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
  [[nodiscard]] std::vector<std::string> notes() const override { return inner_.notes(); }
  [[nodiscard]] UnitPowers unit_powers() const override { return inner_.unit_powers(); }
  [[nodiscard]] UnitFactors unit_factors() const override { return inner_.unit_factors(); }
  [[nodiscard]] const Domain* domain() const override { return inner_.domain(); }

 private:
  Problem inner_;
};

/// Another problem with one face more.
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

/// @throws ConfigError: a problem with one kind of start has none of that name.
[[noreturn]] void throw_no_start(std::string_view kind);

}  // namespace alidade
