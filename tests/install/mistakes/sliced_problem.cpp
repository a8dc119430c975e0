// A problem is made of a class that others derive from: the copy would be of the base.
#include <alidade/problem.hpp>

struct Base {
  virtual ~Base() = default;
  virtual double loss(double x) const { return x; }
  const alidade::Domain& domain() const;
  alidade::Solution start(alidade::Rng&) const;
  double value(const alidade::Point&, alidade::Evaluation&) const;
  double value_and_gradient(const alidade::Point&, alidade::Point&, alidade::Evaluation&) const;
  alidade::Embedding decode(const alidade::Solution&) const;
};

alidade::Problem made(const Base& base) { return {"base", base}; }
