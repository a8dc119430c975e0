// A problem is made without the header for it.
#include <alidade/solve.hpp>

struct Mine {
  alidade::Solution start(alidade::Rng&) const;
  double objective(const alidade::Solution&, alidade::Evaluation&) const;
  alidade::Embedding decode(const alidade::Solution&) const;
};

alidade::Problem made(const Mine& mine) { return alidade::make_problem<alidade::SmoothFace>("mine", mine); }
