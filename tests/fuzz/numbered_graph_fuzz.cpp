#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/read_graph.hpp"

namespace alidade::fuzz {

/// A choice of the format, then the file.
void numbered_graph(std::string_view bytes) {
  using datasets::GraphFormat;
  constexpr GraphFormat kFormats[] = {GraphFormat::dimacs, GraphFormat::matrix_market, GraphFormat::gset};
  const GraphFormat format = kFormats[take_choice(bytes, 3)];
  claim_graph(bytes, format);
}

}  // namespace alidade::fuzz
