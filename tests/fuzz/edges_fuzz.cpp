#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_graph.hpp"

namespace alidade::fuzz {

void edges(std::string_view bytes) { claim_graph(bytes, datasets::GraphFormat::edges); }

}  // namespace alidade::fuzz
