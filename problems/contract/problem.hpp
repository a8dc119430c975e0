// A problem as a value: a method's mathematics on given observations, behind narrow faces.
// Solvers are compiled once, against the faces (faces/). Code that only passes problems on needs this header alone;
// code that makes a problem from a plain class includes problem_model.hpp.
// Problems are immutable and can be read from several threads; work arrays live in Evaluation.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/contract/answer_model.hpp"
#include "problems/contract/capability.hpp"
#include "problems/contract/data_units.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/core/evaluation.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class Domain;
class ErasedProblem;
class Rng;

/// The objective of a solution, or its value at a point.
template <class P>
concept HasObjective = requires(const P& p, const Solution& x, Evaluation& evaluation) {
  { p.objective(x, evaluation) } -> std::same_as<double>;
}
|| requires(const P& p, const Point& x, Evaluation& evaluation) {
  { p.value(x, evaluation) } -> std::same_as<double>;
};
/// What every problem has, with any faces.
template <class P>
concept AnyProblem = std::copyable<P> && HasObjective<P> && requires(const P& p, Rng& rng, const Solution& x) {
  { p.start(rng) } -> std::same_as<Solution>;
  { p.decode(x) } -> std::same_as<Embedding>;
};

/// Why a class is no problem, as an error of the compiler.
template <class P>
constexpr void explain_problem() {
  static_assert(!std::is_abstract_v<P>,
                "A problem is kept as a copy, and an abstract class has none. Make the problem "
                "of an object of a derived, final class.");
  static_assert(AnyProblem<P> || std::is_abstract_v<P>,
                "A problem can be copied and has these const members: Solution start(Rng&), Embedding decode(const "
                "Solution&), and double objective(const Solution&, Evaluation&) or double value(const Point&, "
                "Evaluation&). static_assert(AnyProblem<Mine>) says which is missing.");
}

/// Wraps a plain class and the faces that it offers; defined in problem_model.hpp.
template <class P>
class ProblemModel;

class Problem {
 public:
  /// `name` is the name in the catalog. `problem` is copied in; copies of a Problem share it.
  template <AnyProblem P>
  Problem(std::string name, P problem) : Problem(std::move(name), erased(std::move(problem))) {}
  /// Only to say why not.
  template <class P>
  requires(!AnyProblem<P> && !std::is_convertible_v<P, std::shared_ptr<const ErasedProblem>>)
      Problem(const std::string&, const P&) {
    explain_problem<P>();
  }
  Problem(std::string name, std::shared_ptr<const ErasedProblem> model)
      : name_(std::move(name)), model_(std::move(model)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CapabilitySet offers() const;
  /// For example problem.face<SmoothFace>(). @throws UnsupportedPair unless offers() has it
  template <Capability Face>
  [[nodiscard]] const Face& face() const {
    return *static_cast<const Face*>(face_address(CapabilitySet::of<Face>()));
  }

  /// A random start; independent rng streams give independent starts.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// The kinds of start that can be requested by name, for example "pca"; empty if there is only one kind.
  [[nodiscard]] std::vector<std::string> start_names() const;
  /// A start of kind `kind`. @throws ConfigError unless it is one of start_names()
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// @throws ConfigError if x is no solution of this problem: of another kind, or blocks of other shapes
  void require_own(const Solution& x) const;
  /// The objective as Alidade computes it, whatever value a solver reports. @throws as require_own()
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  /// @throws as require_own()
  [[nodiscard]] Embedding decode(const Solution& x) const;
  /// What the objective says of single answers, with what is estimated at x; nothing if it is no sum over answers on
  /// one Euclidean map. Does not refer to the problem.
  [[nodiscard]] std::optional<AnswerModel> answer_model(const Solution& x, Evaluation& evaluation) const;
  /// Facts for the row's notes, for example objects that no observation mentions.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] UnitPowers unit_powers() const;
  /// The factors for the faces and the objective; decode() already returns units of the data.
  [[nodiscard]] UnitFactors unit_factors() const;
  /// Null when the problem has no point domain.
  [[nodiscard]] const Domain* domain() const;

  /// For code that derives a problem from this one.
  [[nodiscard]] const ErasedProblem& model() const { return *model_; }

 private:
  template <class P>
  [[nodiscard]] static std::shared_ptr<const ErasedProblem> erased(P problem) {
    constexpr bool kDefined = requires { sizeof(ProblemModel<P>); };
    static_assert(kDefined, "Include problems/public/problem.hpp where a problem is made.");
    if constexpr (kDefined) return std::make_shared<const ProblemModel<P>>(std::move(problem));
    return nullptr;
  }
  /// The face of the one capability in `face`, as a `const Face*`; never null.
  [[nodiscard]] const void* face_address(CapabilitySet face) const;

  std::string name_;
  std::shared_ptr<const ErasedProblem> model_;
};

/// A problem that must have these faces, for example make_problem<SmoothFace>("mine", Mine(...)). Where a member is
/// missing or has another signature, it does not compile; the Problem's constructor takes it without that face.
template <Capability... Faces, class Given>
[[nodiscard]] Problem make_problem(std::string name, Given&& problem) {
  using P = std::remove_cvref_t<Given>;
  constexpr bool kDefined = requires { sizeof(ProblemModel<P>); };
  static_assert(kDefined, "Include problems/public/problem.hpp where a problem is made.");
  explain_problem<P>();
  if constexpr (kDefined && AnyProblem<P>) {
    static_assert((Faces::template kOfferedBy<P> && ...),
                  "A member of this face is missing or has another signature. static_assert(SmoothProblem<Mine>), or "
                  "the concept of the face that you need, says which.");
    return {std::move(name), P(std::forward<Given>(problem))};
  }
}

}  // namespace alidade
