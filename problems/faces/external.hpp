// The capability `external`: a program that is not a part of Alidade makes the solution.
// For the solver that runs it: what the program is given, and how its answer becomes a solution.
// experiments/external/task_folder.hpp defines such tasks; users of the face include it.
#pragma once

#include <concepts>
#include <string_view>

namespace alidade {

struct ExternalTask;

template <class P>
concept ExternalProblem = requires(const P& p) {
  { p.external_task() } -> std::convertible_to<const ExternalTask&>;
};

class ExternalFace {
 public:
  static constexpr std::string_view kName = "external";
  template <class P>
  static constexpr bool kOfferedBy = ExternalProblem<P>;
  template <class P>
  class Of;

  virtual ~ExternalFace() = default;
  [[nodiscard]] virtual const ExternalTask& external_task() const = 0;
};

template <class P>
class ExternalFace::Of final : public ExternalFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] const ExternalTask& external_task() const override { return p_.external_task(); }

 private:
  const P& p_;
};

}  // namespace alidade
