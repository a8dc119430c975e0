// A problem as a value: the mathematics of a method on given observations, behind narrow faces.
// Solvers are compiled once, against the faces (faces/). Sources that only pass problems on need this header alone;
// those that make one of a plain class include problem_model.hpp.
// Problems are immutable and safe to read from several threads; work arrays live in Evaluation.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/capability.hpp"
#include "problems/core/evaluation.hpp"
#include "problems/data_units.hpp"
#include "problems/embedding.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class Domain;
class ErasedProblem;
class Rng;

/// What every problem has, whatever its faces.
template <class P>
concept AnyProblem = std::copyable<P> && requires(const P& p, Rng& rng, const Solution& x, Evaluation& evaluation) {
  { p.start(rng) } -> std::same_as<Solution>;
  { p.objective(x, evaluation) } -> std::same_as<double>;
  { p.decode(x) } -> std::same_as<Embedding>;
};

/// A plain class behind the faces that it offers: problem_model.hpp.
template <class P>
class ProblemModel;

class Problem {
 public:
  /// `name` is the catalog's; `problem` is copied in. Copies of a Problem share it.
  template <AnyProblem P>
  Problem(std::string name, P problem)
      : Problem(std::move(name),
                std::shared_ptr<const ErasedProblem>(std::make_shared<const ProblemModel<P>>(std::move(problem)))) {}
  Problem(std::string name, std::shared_ptr<const ErasedProblem> model)
      : name_(std::move(name)), model_(std::move(model)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CapabilitySet offers() const;
  /// Such as problem.face<SmoothFace>(). @throws UnsupportedPair unless it is offered; ask offers() first
  template <Capability Face>
  [[nodiscard]] const Face& face() const {
    return *static_cast<const Face*>(found(CapabilitySet::of<Face>()));
  }

  /// A random start; independent draws for independent rng.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// Kinds of starts that may be asked for by name, such as "pca"; none where a problem knows one kind alone.
  [[nodiscard]] std::vector<std::string> start_names() const;
  /// A start of that kind. @throws ConfigError unless it is one of start_names()
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// The objective in our own arithmetic, whatever a solver reports.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  /// Facts worth a line in the row's notes, such as objects that no observation mentions.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const;
  /// Of the faces and the objective: decode() is in units of the data already.
  [[nodiscard]] UnitFactors unit_factors() const;
  /// Null when the problem has no point domain.
  [[nodiscard]] const Domain* domain() const;

  /// For problems that are made of this one.
  [[nodiscard]] const ErasedProblem& model() const { return *model_; }

 private:
  /// The face of that one capability as a `const Face*`; never null.
  [[nodiscard]] const void* found(CapabilitySet face) const;

  std::string name_;
  std::shared_ptr<const ErasedProblem> model_;
};

}  // namespace alidade
