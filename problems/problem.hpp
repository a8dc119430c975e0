// A problem as a value: the mathematics of a method on given observations, behind narrow faces.
// A plain class becomes a Problem by having the members that the concepts below name; each concept it
// meets is a face that solvers may ask for. Solvers are compiled once, against the faces.
// Problems are immutable and safe to read from several threads; work arrays live in Evaluation.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "problems/capability.hpp"
#include "problems/core/executor.hpp"
#include "problems/embedding.hpp"
#include "problems/finite_sum.hpp"
#include "problems/programs/distance_program.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {

/// What an evaluation may use: threads, and scratch that a problem creates once and finds again. One
/// evaluation is used by one caller at a time.
class Evaluation {
 public:
  explicit Evaluation(Executor& threads) : executor(threads) {}
  Executor& executor;

  /// The scratch of type S, made by `make` at the first call. Another problem may have made it: an S must
  /// not depend on whose it is. References stay valid.
  template <class S, class Make>
  [[nodiscard]] S& scratch(Make make) {
    for (const auto& [type, held] : scratch_)
      if (type == typeid(S)) return *static_cast<S*>(held.get());
    auto made = std::make_shared<S>(make());
    scratch_.emplace_back(typeid(S), made);
    return *made;
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> scratch_;
};

// ---- faces -------------------------------------------------------------------------------------

class SmoothFace {
 public:
  virtual ~SmoothFace() = default;
  [[nodiscard]] virtual double value(const Point& x, Evaluation& evaluation) const = 0;
  /// Writes the Euclidean gradient. Same bits whatever the number of threads.
  virtual double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const = 0;
};

class FiniteSumFace {
 public:
  virtual ~FiniteSumFace() = default;
  [[nodiscard]] virtual TermIndex term_count() const = 0;
  /// The most rows that a term touches: what RunScratch must have room for.
  [[nodiscard]] virtual std::size_t rows_per_term() const = 0;
  /// Adds the gradients of the terms [first, last) at x; returns the sum of their values.
  virtual double add_terms(const Point& x, TermIndex first, TermIndex last, Point& gradient) const = 0;
  /// run_terms, compiled for this problem.
  virtual double run(Point& x, std::span<const TermIndex> terms, Index batch_size, double scale,
                     RowUpdate& update, RunScratch& scratch) const = 0;
};

/// gradient = plus - minus, both entrywise >= 0.
struct SplitGradient {
  Point plus, minus;
  /// How long a step along a coordinate is one, > 0: where the unknowns are logarithms, of which a ratio alone says no
  /// length. Entries are 1 where a problem knows no better.
  Point unit;
  explicit SplitGradient(const Domain& domain);
};
class SplitGradientFace {
 public:
  virtual ~SplitGradientFace() = default;
  /// Writes plus and minus; and unit, by those that know one. Returns the objective.
  virtual double value_and_split_gradient(const Point& x, SplitGradient& out,
                                          Evaluation& evaluation) const = 0;
};

class MajorizerFace {
 public:
  virtual ~MajorizerFace() = default;
  /// Writes the minimiser of the majoriser at x; returns the objective at x.
  virtual double minimize_majorizer(const Point& x, Point& next, Evaluation& evaluation) const = 0;
};

struct EigenRequest {
  Index size = 0;
  Index count = 0;       // eigenpairs wanted
  bool largest = true;   // which end of the spectrum, algebraically
  std::function<void(std::span<const double> x, std::span<double> y)> apply;  // y = A x, A symmetric
  /// A itself where its entries are at hand, so that it can be factored: the lowest end by shift and invert. Else null.
  std::shared_ptr<const SparseMatrix> sparse{};
  std::shared_ptr<const Matrix> dense{};
};
class EigenFace {
 public:
  virtual ~EigenFace() = default;
  [[nodiscard]] virtual EigenRequest eigen_request() const = 0;
};

class SemidefiniteFace {
 public:
  virtual ~SemidefiniteFace() = default;
  [[nodiscard]] virtual const SemidefiniteProgram& program() const = 0;
  /// The problem's objective is this times <C, X>.
  [[nodiscard]] virtual double scale() const { return 1; }
  /// A solution of the program as one of the problem, which is what a solver leaves.
  [[nodiscard]] virtual SemidefiniteSolution of_problem(SemidefiniteSolution x) const { return x; }
  /// Of a solution that of_problem gave; nothing where the program says all there is to say.
  [[nodiscard]] virtual std::optional<SemidefiniteJudgement> judge(const SemidefiniteSolution&,
                                                                   Executor&) const {
    return std::nullopt;
  }
};

class SeparationFace {
 public:
  virtual ~SeparationFace() = default;
  [[nodiscard]] virtual const DistanceProgram& distance_program() const = 0;
};

class Problem;
class BlocksFace {
 public:
  virtual ~BlocksFace() = default;
  [[nodiscard]] virtual Index block_count() const = 0;
  /// The problem of block b with all others held at x; its objective differs by a constant.
  [[nodiscard]] virtual Problem block_problem(Index b, const Solution& x) const = 0;
  [[nodiscard]] virtual Solution block_of(Index b, const Solution& x) const = 0;
  virtual void set_block(Index b, const Solution& block, Solution& x) const = 0;
};

class StagesFace {
 public:
  virtual ~StagesFace() = default;
  [[nodiscard]] virtual Index stage_count() const = 0;
  /// Stage k of a path of problems on the same domain, given the solution of the stage before (for k = 0: the start).
  [[nodiscard]] virtual Problem stage(Index k, const Solution& x) const = 0;
};

class AssignmentFace {
 public:
  virtual ~AssignmentFace() = default;
  /// Rows are assigned to columns; rectangular is allowed.
  [[nodiscard]] virtual Matrix cost() const = 0;
};

/// By which power of the data's unit the numbers of a problem are multiplied when that of the data is: of a problem whose map
/// is in units of the data and whose objective is a sum of squared distances, 1 and 2.
struct UnitPowers {
  double map = 0, objective = 0;
  std::vector<std::pair<std::string, double>> estimates{};  // by name; 0 of others
  bool of_dissimilarities = false;  // the unit is theirs even where there are features
};

/// What numbers of a problem are multiplied by to be in units of the data; other than 1 where the data were in extreme units.
struct UnitFactors {
  double map = 1, objective = 1;
};

// ---- concepts: which members of a plain class make which face ------------------------------------

template <class P>
concept HasDomain = requires(const P& p) {
  { p.domain() } -> std::convertible_to<const Domain&>;
};
template <class P>
concept SmoothProblem =
    HasDomain<P> && requires(const P& p, const Point& x, Point& g, Evaluation& evaluation) {
      { p.value(x, evaluation) } -> std::same_as<double>;
      { p.value_and_gradient(x, g, evaluation) } -> std::same_as<double>;
    };
    template <class P>
    concept SplitGradientProblem = HasDomain<P> &&
        requires(const P& p, const Point& x, SplitGradient& out, Evaluation& e) {
      { p.value_and_split_gradient(x, out, e) } -> std::same_as<double>;
    };
template <class P>
concept MajorizableProblem =
    HasDomain<P> && requires(const P& p, const Point& x, Point& next, Evaluation& evaluation) {
      { p.minimize_majorizer(x, next, evaluation) } -> std::same_as<double>;
    };
template <class P>
concept EigenProblem = requires(const P& p) {
  { p.eigen_request() } -> std::same_as<EigenRequest>;
};
template <class P>
concept SemidefiniteProblem = requires(const P& p) {
  { p.program() } -> std::convertible_to<const SemidefiniteProgram&>;
};
template <class P>
concept SeparableProblem = requires(const P& p) {
  { p.distance_program() } -> std::convertible_to<const DistanceProgram&>;
};
template <class P>
concept BlocksProblem = requires(const P& p, const Solution& x, Solution& y) {
  { p.block_count() } -> std::same_as<Index>;
  { p.block_problem(Index{}, x) } -> std::same_as<Problem>;
  { p.block_of(Index{}, x) } -> std::same_as<Solution>;
  { p.set_block(Index{}, x, y) };
};
/// Said by a member `static constexpr bool kSeparateBlocks = true`.
template <class P>
concept SeparateBlocksProblem = BlocksProblem<P> && requires { requires P::kSeparateBlocks; };
template <class P>
concept StagedProblem = requires(const P& p, const Solution& x) {
  { p.stage_count() } -> std::same_as<Index>;
  { p.stage(Index{}, x) } -> std::same_as<Problem>;
};
template <class P>
concept AssignmentProblem = requires(const P& p) {
  { p.cost() } -> std::same_as<Matrix>;
};

/// Of more than one kind of start.
template <class P>
concept StartsByName = requires(const P& p, std::string_view kind, Rng& rng) {
  { p.start_names() } -> std::same_as<std::vector<std::string>>;
  { p.start_named(kind, rng) } -> std::same_as<Solution>;
};

/// What every problem has, whatever its faces.
template <class P>
concept AnyProblem = std::copyable<P> &&
                     requires(const P& p, Rng& rng, const Solution& x, Evaluation& evaluation) {
                       { p.start(rng) } -> std::same_as<Solution>;
                       { p.objective(x, evaluation) } -> std::same_as<double>;
                       { p.decode(x) } -> std::same_as<Embedding>;
                     };

template <class P>
[[nodiscard]] constexpr CapabilitySet offered_by() {
  CapabilitySet out;
  if (SmoothProblem<P>) out.add(Capability::smooth);
  if (FiniteSumProblem<P>) out.add(Capability::finite_sum);
  if (SplitGradientProblem<P>) out.add(Capability::split_gradient);
  if (MajorizableProblem<P>) out.add(Capability::majorizer);
  if (EigenProblem<P>) out.add(Capability::eigen);
  if (SemidefiniteProblem<P>) out.add(Capability::semidefinite);
  if (SeparableProblem<P>) out.add(Capability::separation);
  if (BlocksProblem<P>) out.add(Capability::blocks);
  if (SeparateBlocksProblem<P>) out.add(Capability::separate_blocks);
  if (AssignmentProblem<P>) out.add(Capability::assignment);
  if (StagedProblem<P>) out.add(Capability::stages);
  return out;
}

// ---- the value -----------------------------------------------------------------------------------

class Problem {
 public:
  /// `name` is the catalog's; `problem` is copied in. Copies of a Problem share it.
  template <AnyProblem P>
  Problem(std::string name, P problem)
      : name_(std::move(name)), model_(std::make_shared<const Model<P>>(std::move(problem))) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CapabilitySet offers() const;
  /// A random start; independent draws for independent rng.
  [[nodiscard]] Solution start(Rng& rng) const { return model_->start(rng); }
  /// Kinds of starts that may be asked for by name, such as "pca"; none where a problem knows one kind alone.
  [[nodiscard]] std::vector<std::string> start_names() const { return model_->start_names(); }
  /// A start of that kind. @throws ConfigError unless it is one of start_names()
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return model_->start_named(kind, rng);
  }
  /// The objective in our own arithmetic, whatever a solver reports.
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return model_->objective(x, evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return model_->decode(x); }
  /// Facts worth a line in the row's notes, such as objects that no observation mentions.
  [[nodiscard]] std::vector<std::string> notes() const { return model_->notes(); }
  [[nodiscard]] UnitPowers unit_powers() const { return model_->unit_powers(); }
  /// Of the faces and the objective: decode() is in units of the data already.
  [[nodiscard]] UnitFactors unit_factors() const { return model_->unit_factors(); }

  /// Null when the problem has no point domain.
  [[nodiscard]] const Domain* domain() const { return model_->domain(); }

  // Each throws UnsupportedPair when the face is missing; ask offers() first.
  [[nodiscard]] const SmoothFace& smooth() const { return face(model_->smooth(), "smooth"); }
  [[nodiscard]] const FiniteSumFace& finite_sum() const {
    return face(model_->finite_sum(), "finite_sum");
  }
  [[nodiscard]] const SplitGradientFace& split_gradient() const {
    return face(model_->split_gradient(), "split_gradient");
  }
  [[nodiscard]] const MajorizerFace& majorizer() const {
    return face(model_->majorizer(), "majorizer");
  }
  [[nodiscard]] const EigenFace& eigen() const { return face(model_->eigen(), "eigen"); }
  [[nodiscard]] const SemidefiniteFace& semidefinite() const {
    return face(model_->semidefinite(), "semidefinite");
  }
  [[nodiscard]] const SeparationFace& separation() const {
    return face(model_->separation(), "separation");
  }
  [[nodiscard]] const BlocksFace& blocks() const { return face(model_->blocks(), "blocks"); }
  [[nodiscard]] const AssignmentFace& assignment() const {
    return face(model_->assignment(), "assignment");
  }
  [[nodiscard]] const StagesFace& stages() const { return face(model_->stages(), "stages"); }

 private:
  struct Base {
    virtual ~Base() = default;
    [[nodiscard]] virtual CapabilitySet offers() const = 0;
    [[nodiscard]] virtual Solution start(Rng& rng) const = 0;
    [[nodiscard]] virtual std::vector<std::string> start_names() const = 0;
    [[nodiscard]] virtual Solution start_named(std::string_view kind, Rng& rng) const = 0;
    [[nodiscard]] virtual double objective(const Solution& x, Evaluation& e) const = 0;
    [[nodiscard]] virtual Embedding decode(const Solution& x) const = 0;
    [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
    [[nodiscard]] virtual UnitPowers unit_powers() const = 0;
    [[nodiscard]] virtual UnitFactors unit_factors() const = 0;
    [[nodiscard]] virtual const Domain* domain() const = 0;
    [[nodiscard]] virtual const SmoothFace* smooth() const = 0;
    [[nodiscard]] virtual const FiniteSumFace* finite_sum() const = 0;
    [[nodiscard]] virtual const SplitGradientFace* split_gradient() const = 0;
    [[nodiscard]] virtual const MajorizerFace* majorizer() const = 0;
    [[nodiscard]] virtual const EigenFace* eigen() const = 0;
    [[nodiscard]] virtual const SemidefiniteFace* semidefinite() const = 0;
    [[nodiscard]] virtual const SeparationFace* separation() const = 0;
    [[nodiscard]] virtual const BlocksFace* blocks() const = 0;
    [[nodiscard]] virtual const AssignmentFace* assignment() const = 0;
    [[nodiscard]] virtual const StagesFace* stages() const = 0;
  };
  template <class P>
  struct Model;
  struct Adapted;  // adapters of problem.cpp
  struct SumOfTerms;
  struct AllRows;
  struct InUnits;
  friend Problem adapt(const Problem& problem, CapabilitySet needs);
  friend Problem in_units(const Problem& problem, double unit, FeatureFrame frame);

  Problem(std::string name, std::shared_ptr<const Base> model)
      : name_(std::move(name)), model_(std::move(model)) {}

  template <class Face>
  [[nodiscard]] const Face& face(const Face* found, std::string_view capability) const {
    if (!found) throw_missing(capability);
    return *found;
  }
  [[noreturn]] void throw_missing(std::string_view capability) const;
  [[noreturn]] static void throw_no_start(std::string_view kind);

  std::string name_;
  std::shared_ptr<const Base> model_;
};

template <class P>
struct Problem::Model final : Problem::Base {
  explicit Model(P p) : problem(std::move(p)) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  struct Smooth final : SmoothFace {
    const P* p = nullptr;
    double value(const Point& x, Evaluation& e) const override { return p->value(x, e); }
    double value_and_gradient(const Point& x, Point& g, Evaluation& e) const override {
      return p->value_and_gradient(x, g, e);
    }
  };
  struct FiniteSum final : FiniteSumFace {
    const P* p = nullptr;
    TermIndex term_count() const override { return p->term_count(); }
    std::size_t rows_per_term() const override { return alidade::rows_per_term(*p); }
    double add_terms(const Point& x, TermIndex first, TermIndex last, Point& g) const override {
      Index widest = 0;
      for (const BlockShape& block : *x.layout()) widest = std::max(widest, block.cols);
      TermGradient term(widest, rows_per_term());
      double sum = 0;
      for (TermIndex t = first; t < last; ++t) {
        term.clear();
        sum += p->term(x, t, term);
        for (const auto& entry : term.entries()) {
          const BlockShape& shape = (*x.layout())[entry.block];
          double* row = g.flat().data() + shape.offset + entry.row * shape.cols;
          for (Index c = 0; c < shape.cols; ++c) row[c] += entry.gradient[c];
        }
      }
      return sum;
    }
    double run(Point& x, std::span<const TermIndex> terms, Index batch_size, double scale,
               RowUpdate& update, RunScratch& scratch) const override {
      return run_terms(*p, x, terms, batch_size, scale, update, scratch);
    }
  };
  struct Splitting final : SplitGradientFace {
    const P* p = nullptr;
    double value_and_split_gradient(const Point& x, SplitGradient& out,
                                    Evaluation& e) const override {
      return p->value_and_split_gradient(x, out, e);
    }
  };
  struct Majorizer final : MajorizerFace {
    const P* p = nullptr;
    double minimize_majorizer(const Point& x, Point& next, Evaluation& e) const override {
      return p->minimize_majorizer(x, next, e);
    }
  };
  struct Eigen final : EigenFace {
    const P* p = nullptr;
    EigenRequest eigen_request() const override { return p->eigen_request(); }
  };
  struct Semidefinite final : SemidefiniteFace {
    const P* p = nullptr;
    const SemidefiniteProgram& program() const override { return p->program(); }
  };
  struct Separation final : SeparationFace {
    const P* p = nullptr;
    const DistanceProgram& distance_program() const override { return p->distance_program(); }
  };
  struct Blocks final : BlocksFace {
    const P* p = nullptr;
    Index block_count() const override { return p->block_count(); }
    Problem block_problem(Index b, const Solution& x) const override {
      return p->block_problem(b, x);
    }
    Solution block_of(Index b, const Solution& x) const override { return p->block_of(b, x); }
    void set_block(Index b, const Solution& block, Solution& x) const override {
      p->set_block(b, block, x);
    }
  };
  struct Assignment final : AssignmentFace {
    const P* p = nullptr;
    Matrix cost() const override { return p->cost(); }
  };
  struct Stages final : StagesFace {
    const P* p = nullptr;
    Index stage_count() const override { return p->stage_count(); }
    Problem stage(Index k, const Solution& x) const override { return p->stage(k, x); }
  };

  /// A face of `problem` where the concept holds, else nothing.
  template <bool kHas, class Face>
  struct Held {
    explicit Held(const P& p) { face.p = &p; }
    Face face;
    [[nodiscard]] const Face* get() const { return &face; }
  };
  template <class Face>
  struct Held<false, Face> {
    explicit Held(const P&) {}
    // Not a Face*: to convert that, clang makes the face with all its functions.
    [[nodiscard]] std::nullptr_t get() const { return nullptr; }
  };

  CapabilitySet offers() const override {
    CapabilitySet out = offered_by<P>();
    if (const Domain* where = domain(); where && !where->has_border()) out.add(Capability::borderless);
    return out;
  }
  Solution start(Rng& rng) const override { return problem.start(rng); }
  std::vector<std::string> start_names() const override {
    if constexpr (StartsByName<P>) return problem.start_names();
    return {};
  }
  Solution start_named(std::string_view kind, Rng& rng) const override {
    if constexpr (StartsByName<P>) return problem.start_named(kind, rng);
    throw_no_start(kind);
  }
  double objective(const Solution& x, Evaluation& e) const override { return problem.objective(x, e); }
  Embedding decode(const Solution& x) const override { return problem.decode(x); }
  std::vector<std::string> notes() const override {
    if constexpr (requires { problem.notes(); }) return problem.notes();
    return {};
  }
  UnitPowers unit_powers() const override {
    if constexpr (requires { problem.unit_powers(); }) return problem.unit_powers();
    return {};
  }
  UnitFactors unit_factors() const override { return {}; }
  const Domain* domain() const override {
    if constexpr (HasDomain<P>) return &problem.domain();
    return nullptr;
  }
  const SmoothFace* smooth() const override { return smooth_.get(); }
  const FiniteSumFace* finite_sum() const override { return finite_sum_.get(); }
  const SplitGradientFace* split_gradient() const override { return split_gradient_.get(); }
  const MajorizerFace* majorizer() const override { return majorizer_.get(); }
  const EigenFace* eigen() const override { return eigen_.get(); }
  const SemidefiniteFace* semidefinite() const override { return semidefinite_.get(); }
  const SeparationFace* separation() const override { return separation_.get(); }
  const BlocksFace* blocks() const override { return blocks_.get(); }
  const AssignmentFace* assignment() const override { return assignment_.get(); }
  const StagesFace* stages() const override { return stages_.get(); }

  P problem;
  Held<SmoothProblem<P>, Smooth> smooth_{problem};
  Held<FiniteSumProblem<P>, FiniteSum> finite_sum_{problem};
  Held<SplitGradientProblem<P>, Splitting> split_gradient_{problem};
  Held<MajorizableProblem<P>, Majorizer> majorizer_{problem};
  Held<EigenProblem<P>, Eigen> eigen_{problem};
  Held<SemidefiniteProblem<P>, Semidefinite> semidefinite_{problem};
  Held<SeparableProblem<P>, Separation> separation_{problem};
  Held<BlocksProblem<P>, Blocks> blocks_{problem};
  Held<AssignmentProblem<P>, Assignment> assignment_{problem};
  Held<StagedProblem<P>, Stages> stages_{problem};
};

/// A Problem with the exact adapters applied that `needs` asks for; it keeps the faces it has.
/// @pre fit(...).fits
[[nodiscard]] Problem adapt(const Problem& problem, CapabilitySet needs);

/// A problem made of data that were divided by `unit`: it hands out its maps, their estimates and the projector, which takes
/// features in `frame`, in units of the data.
[[nodiscard]] Problem in_units(const Problem& problem, double unit, FeatureFrame frame);

}  // namespace alidade
