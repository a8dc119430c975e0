// A problem of which a member is missing.
#include <alidade/problem.hpp>

struct Mine {
  const alidade::Domain& domain() const;
  alidade::Solution start(alidade::Rng&) const;
  double value(const alidade::Point&, alidade::Evaluation&) const;
};

alidade::Problem made(const Mine& mine) { return alidade::make_problem<>("mine", mine); }
