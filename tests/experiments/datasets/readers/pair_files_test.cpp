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
using Pairs = std::vector<ObjectPair>;

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

GraphFile edges(std::string_view text) { return parse_graph(text, "g.txt", GraphFormat::edges); }
GraphFile dot(std::string_view text) { return parse_graph(text, "g.dot", GraphFormat::dot); }
GraphFile graphml(std::string_view text) { return parse_graph(text, "g.graphml", GraphFormat::graphml); }
bool has_note(const GraphFile& graph, std::string_view part) {
  return std::ranges::any_of(graph.notes, [&](const std::string& note) { return holds(note, part); });
}

std::string wrapped(const std::string& content, const std::string& keys = "",
                    const std::string& direction = "undirected") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
         "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" +
         keys + "<graph id=\"G\" edgedefault=\"" + direction + "\">\n" + content + "</graph>\n</graphml>\n";
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

TEST_CASE("weights of edges are read in every format that has them") {
  const std::vector<double> kWeights = {2, -0.5};
  const auto check = [&](const GraphFile& graph) {
    CHECK(graph.edges == std::vector<ObjectPair>{{0, 1}, {1, 2}});
    CHECK(graph.weights == kWeights);
    CHECK(has_note(graph, "Edges have weights. max_cut reads them"));
  };
  check(parse_graph("3 2\n1 2 2\n3 2 -.5\n", "g", GraphFormat::gset));
  check(parse_graph("%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 2\n2 1 2\n1 1 7\n2 3 -.5\n", "g",
                    GraphFormat::matrix_market));
  check(edges("source,target,weight\nx,y,2\ny,z,-.5\n"));
  check(edges("Weight;to;from;note\n2;y;x;a\n-0.5;y;z;b\n"));
#ifdef ALIDADE_HAS_BOOST_GRAPH
  check(dot("graph { x -- y [weight=2]; y -- z [weight=\"-0.5\"]; y -- x [weight=2] }"));
  check(
      graphml(R"(<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected">
    <node id="x"/><node id="y"/><node id="z"/><edge source="x" target="y"><data key="w">2</data></edge>
    <edge source="z" target="y"><data key="w">-0.5</data></edge></graph></graphml>)"));
#endif
}

// Builds without Boost.Graph's library explain themselves instead.
TEST_CASE("DOT of Graphviz that Boost.Graph does not know is read too") {
  if (complaint([] { return dot("graph { 1 -- 2 }"); }) != "no error") return;
  const GraphFile group = dot("digraph {\n a -> { x y } // { no\n { x y } -> b\n}\n");
  CHECK(group.objects == Names{"a", "b", "x", "y"});
  CHECK(group.edges == Pairs{{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  const GraphFile html = dot("graph {\n a [label=<<b>A &amp; \"B\"</b><br/>\n x>]; a -- b [label=<>]; b -- c }");
  CHECK(html.objects == Names{"A & \"B\" x", "b", "c"});
  const GraphFile letters = dot("graph { stra\u00dfe -- \u00fc; \u00fc -- \"b \u00e9\"; }");
  CHECK(letters.objects == Names{"b \u00e9", "stra\u00dfe", "\u00fc"});
  CHECK(dot("graph { subgraph cluster_1 { a -- b } subgraph { b -- c } }").edges == Pairs{{0, 1}, {1, 2}});
  CHECK(holds(complaint([] { return dot("graph {\n a -- b;\n c [label=<x];\n}\n"); }), "cannot read this as DOT"));
}

TEST_CASE("DOT is read with labels, chains, subgraphs and directions") {
  const std::string message = complaint([] { return dot("graph { 1 -- 2 }"); });
  if (message != "no error") {
    CHECK(holds(message, "built without Boost.Graph"));
    CHECK(holds(complaint([] { return graphml(wrapped("")); }), "built without Boost.Graph"));
    return;
  }
  const GraphFile graph =
      dot("/* cities */\ngraph europe {\n  v [label=\"Vienna\"];\n  p [label=\"Prague\", "
          "color=red];\n  v -- p -- w;\n"
          "  subgraph cluster { w -- b; }\n  w -- v\n  w -- v\n}\n");
  CHECK(graph.objects == Names{"b", "Prague", "Vienna", "w"});
  CHECK(graph.edges == Pairs{{0, 3}, {1, 2}, {1, 3}, {2, 3}});
  REQUIRE(graph.notes.size() == 1);
  CHECK(holds(graph.notes[0], "1 edges repeat"));

  const GraphFile directed = dot("digraph { 10 -> 9; 9 -> 2; 2 -> 9 }");
  CHECK(directed.objects == Names{"2", "9", "10"});
  CHECK(directed.edges == Pairs{{0, 1}, {1, 2}});
  CHECK(holds(directed.notes.at(0), "directions"));

  CHECK(holds(complaint([] { return dot("graph {\n a -- b\n b -> c\n}\n"); }),
              "g.dot:3: Boost.Graph cannot read this as DOT"));
  CHECK(holds(complaint([] { return dot("graph {\n a -- b;\n b -- ;\n c -- d;\n}\n"); }),
              "g.dot:3: Boost.Graph cannot read this as DOT"));
  CHECK(holds(complaint([] { return dot("graph {\n a -- b;\n"); }), "g.dot:2: Boost.Graph cannot read this as DOT"));
  CHECK(holds(complaint([] { return dot("a,b\nc,d\n"); }), "g.dot:1: Boost.Graph cannot read this as DOT"));
  CHECK(holds(complaint([] { return dot("graph { }"); }), "without nodes"));
  CHECK(holds(complaint([] { return dot("graph { a }"); }), "one node"));
}

TEST_CASE("GraphML is read with names, keys of any type and directions") {
  if (complaint([] { return dot("graph { 1 -- 2 }"); }) != "no error") return;
  const std::string keys =
      "<key id=\"d0\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
      "<key id=\"d1\" for=\"node\" attr.name=\"weight\" "
      "attr.type=\"double\"><default>1.5</default></key>\n"
      "<key id=\"d2\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
      "<key id=\"d3\" for=\"edge\" attr.name=\"length\" attr.type=\"int\"/>\n";
  const std::string nodes =
      "<node id=\"n0\"><data key=\"d0\">Vienna</data><data key=\"d2\">W</data></node>\n"
      "<node id=\"n1\"><data key=\"d2\">Prague</data></node>\n<node id=\"n2\"/>\n";
  const std::string content = nodes +
                              "<edge source=\"n0\" target=\"n1\"><data key=\"d3\">3</data></edge>\n"
                              "<edge source=\"n2\" target=\"n1\"/>\n";
  const GraphFile graph = graphml(wrapped(content, keys));
  CHECK(graph.objects == Names{"Vienna", "Prague", "n2"});
  CHECK(graph.edges == Pairs{{0, 1}, {1, 2}});
  CHECK(graph.notes == Names{"The attribute 'length' of 1 edge is not read."});
  const GraphFile directed = graphml(wrapped(content, keys, "directed"));
  CHECK(directed.edges == graph.edges);
  CHECK(holds(directed.notes.at(0), "directions"));

  CHECK(holds(complaint([&] { return graphml(wrapped(content + "<edge>\n", keys)); }), "This is not well-formed XML"));
  CHECK(holds(complaint([] { return graphml("<graphml>\n<graph\n</graphml>\n"); }), "g.graphml:"));
  CHECK(holds(complaint([] { return graphml("<svg></svg>"); }), "has no <graph>"));
  CHECK(holds(complaint([&] { return graphml(wrapped(nodes + "<edge source=\"n0\" target=\"n9\"/>\n", keys)); }),
              "g.graphml:11: An edge's target is 'n9', which is not a node"));
  CHECK(holds(complaint([&] { return graphml(wrapped(nodes + "<node id=\"n1\"/>", keys)); }),
              "Two nodes have the id 'n1'"));
  CHECK(graphml(wrapped(content + "<edge source=\"n0\" target=\"n2\" directed=\"true\"/>", keys)).edges ==
        Pairs{{0, 1}, {0, 2}, {1, 2}});
  CHECK(holds(
      complaint([&] { return graphml(wrapped("<node id=\"a\"><graph id=\"b\" edgedefault=\"directed\"/></node>")); }),
      "contains a graph"));
  CHECK(holds(complaint([&] { return graphml(wrapped(nodes + "<graph><node id=\"n9\"/></graph>", keys)); }),
              "has a graph inside its graph"));
  CHECK(holds(complaint([] { return graphml(wrapped("")); }), "without nodes"));
  CHECK(holds(complaint([] { return graphml(wrapped("<node id=\"a\"/>")); }), "one node"));
}

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
