#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_graph.hpp"

namespace alidade::fuzz {

void graph_dot(std::string_view bytes) { claim_graph(bytes, datasets::GraphFormat::dot); }

}  // namespace alidade::fuzz
