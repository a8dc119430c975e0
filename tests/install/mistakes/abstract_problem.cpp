// A problem is made of a base class.
#include <alidade/problem.hpp>

struct Base {
  virtual ~Base() = default;
  virtual double loss(double) const = 0;
  const alidade::Domain& domain() const;
  alidade::Solution start(alidade::Rng&) const;
  double value(const alidade::Point&, alidade::Evaluation&) const;
  alidade::Embedding decode(const alidade::Solution&) const;
};

alidade::Problem made(const Base& base) { return {"base", base}; }
