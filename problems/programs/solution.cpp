#include "problems/programs/solution.hpp"

namespace alidade {

// Not in the header: a product of matrices would cost every file that includes it half a second to compile.
Matrix SemidefiniteSolution::Block::dense() const { return factored ? values * values.transpose() : values; }

}  // namespace alidade
