#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/readers/pair_files.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "problems/core/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace pair_files_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::datasets;
using Names = std::vector<std::string>;

template <class Call>
std::string complaint(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    CHECK_FALSE(holds(error.what(), "\n"));
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("the format of a graph is that of its file's name, and others are refused with a way to convert them") {
  using enum GraphFormat;
  for (const auto& [file, format] : std::vector<std::pair<const char*, GraphFormat>>{{"a/b.graphml.gz", graphml},
                                                                                     {"b.gv", dot},
                                                                                     {"b.tsv", edges},
                                                                                     {"a.mtx.gz", matrix_market},
                                                                                     {"a.col", dimacs},
                                                                                     {"G1.gset", gset}})
    CHECK(graph_format_of(file) == format);
  CHECK(holds(complaint([] { return graph_format_of("b.png"); }), "--set dataset.0.format="));
  for (const char* file : {"g.gexf", "g.gml", "g.net", "g.net.gz"})
    CHECK(holds_all(complaint([&] { return graph_format_of(file); }),
                    {"which Alidade does not read. Save the graph as GraphML", "nx.write_graphml(nx.Graph(nx.read_"}));
}

// Builds without Boost.Graph's library explain themselves instead.
TEST_CASE("files of graphs and pair signs become datasets with names, signs and notes") {
  const ScratchFolder scratch;
  const auto write = [&](const char* name, std::string_view text) {
    write_text(scratch / name, text);
    return (scratch / name).string();
  };
  const auto load = [](const char* dataset, const std::string& file, const char* key = nullptr, Value value = {}) {
    ValueTable options;
    options.set("file", file);
    if (key) options.set(key, std::move(value));
    return dataset_catalog().at(dataset).load(options, {});
  };
  const Observations graph = load("graph", write("ring.edges", "a b\nb c\nc d\nd a\na a\n"));
  CHECK(graph.name == "ring");
  CHECK(graph.objects == Names{"a", "b", "c", "d"});
  CHECK(graph.pair_signs->similar_count() == 8);
  CHECK(graph.pair_signs->dissimilar_count() == 4);
  CHECK(graph.notes.size() == 1);
  CHECK(graph.kinds() == Names{"pair_signs"});
  const std::string plain = write("ring.data", "a b\nb c\n");
  CHECK(holds(complaint([&] { return load("graph", plain); }), "--set dataset.0.format="));
  CHECK(load("graph", plain, "format", "edges").object_count() == 3);

  const std::string pairs = write("pairs.csv", "a,b,+1\na,c,-1\n");
  CHECK(load("pair_signs", pairs).pair_signs->dissimilar_count() == 2);
  CHECK(load("pair_signs", pairs, "ordered", true).pair_signs->dissimilar_count() == 1);
  CHECK(load("pair_signs", pairs, "others", "dissimilar").pair_signs->dissimilar_count() == 4);
}

}  // namespace pair_files_test
