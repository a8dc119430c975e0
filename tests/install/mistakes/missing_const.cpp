// The gradient is there, but not for const objects, as solvers hold them.
#include <alidade/problem.hpp>

struct Mine {
  const alidade::Domain& domain() const;
  alidade::Solution start(alidade::Rng&) const;
  double objective(const alidade::Solution&, alidade::Evaluation&) const;
  double value(const alidade::Point&, alidade::Evaluation&) const;
  double value_and_gradient(const alidade::Point&, alidade::Point&, alidade::Evaluation&);
  alidade::Embedding decode(const alidade::Solution&) const;
};

alidade::Problem made(const Mine& mine) { return {"mine", mine}; }
