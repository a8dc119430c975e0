// A manifold derived from one of ours would be cut down to that one.
#include <alidade/manifolds.hpp>

struct Mine : alidade::Euclidean {};

alidade::Manifold made() { return Mine{}; }
