#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
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

Observations signs(std::string_view text, const PairSignFileOptions& options = {}) {
  return parse_pair_signs(text, "p.csv", options);
}

}  // namespace

TEST_CASE("edge lists are read with every separator, comments, headers and weights") {
  for (const char* text : {"# a comment\nx y\ny z\n", "x,y\ny,z\n", "x\ty\r\ny\tz\r\n", "x;y\n\ny;z",
                           "% here\nx  y 3\ny z 4\n", "source,target\nx,y\ny,z\n", "\"x\",y\ny,\"z\"\n"}) {
    CAPTURE(text);
    const GraphFile graph = edges(text);
    CHECK(graph.objects == Names{"x", "y", "z"});
    CHECK(graph.edges == Pairs{{0, 1}, {1, 2}});
  }
  CHECK(edges("10 9\n9 2\n").objects == Names{"2", "9", "10"});
  CHECK(edges("10 9\n9 2\n").edges == Pairs{{0, 1}, {1, 2}});
  CHECK(holds(edges("x y 3\n").notes.at(0), "third column"));
}

TEST_CASE("an edge counts once in either order, loops are left out, and notes say so") {
  const GraphFile graph = edges("a b\nb a\na b\nb c\nc c\nd e\n");
  CHECK(graph.edges == Pairs{{0, 1}, {1, 2}, {3, 4}});
  REQUIRE(graph.notes.size() == 3);
  CHECK(holds(graph.notes[0], "1 edges join a node"));
  CHECK(holds(graph.notes[1], "2 edges repeat another"));
  CHECK(holds(graph.notes[2], "2 components"));
  const PairSigns made = signs_of_graph(graph);
  CHECK(made.symmetric());
  CHECK(made.similar_count() == 6);
  CHECK(made.dissimilar_count() == 14);
}

TEST_CASE("graphs that cannot be drawn are refused with the place of the error") {
  CHECK(holds(complaint([] { return edges("a b\nb c d e\n"); }), "g.txt:2: The row has 4 columns"));
  CHECK(holds(complaint([] { return edges("# x\na b\nlonely\n"); }), "g.txt:3: The row has 1 column"));
  CHECK(holds(complaint([] { return edges("a,b\n,c\n"); }), "g.txt:2: An end of the edge has no name"));
  CHECK(holds(complaint([] { return edges("# nothing\n"); }), "begin with # or %"));
  CHECK(holds(complaint([] { return edges("a a\n"); }), "one node"));
  CHECK(holds(complaint([] { return edges("a a\nb b\n"); }), "no edge between two nodes"));
  CHECK(graph_format_of("a/b.graphml.gz") == GraphFormat::graphml);
  CHECK(graph_format_of("a/b.gv") == GraphFormat::dot);
  CHECK(graph_format_of("b.tsv") == GraphFormat::edges);
  CHECK(holds(complaint([] { return graph_format_of("b.png"); }), "--set dataset.0.format="));
}

TEST_CASE("files of numbered vertices count those without edges") {
  const auto parsed = [](GraphFormat format, std::string_view text) { return parse_graph(text, "g", format); };
  constexpr std::string_view kDimacs = "c a comment\np edge 4 2\ne 1 2\ne 3 2\n", kGset = "4 2\n1 2 1\n3 2\n",
                             kMarket = "%%MatrixMarket matrix coordinate pattern symmetric\n% x\n4 4 2\n2 1\n3 2\n";
  for (const GraphFile& graph : {parsed(GraphFormat::dimacs, kDimacs), parsed(GraphFormat::gset, kGset),
                                 parsed(GraphFormat::matrix_market, kMarket)}) {
    CHECK(graph.objects == Names{"1", "2", "3", "4"});
    CHECK(graph.edges == std::vector<ObjectPair>{{0, 1}, {1, 2}});
  }
  // DIMACS' files of colouring may give each edge twice.
  CHECK(parsed(GraphFormat::dimacs, "p col 3 1\ne 1 2\ne 2 1\n").edges.size() == 1);
  CHECK(holds(parsed(GraphFormat::dimacs, "p col 3 7\ne 1 2\n").notes[0], "promises 7 edges and has 1"));
  const GraphFile weighted = parsed(GraphFormat::matrix_market,
                                    "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 .5\n2 3 0\n1 1 2\n");
  CHECK(weighted.edges.size() == 1);
  CHECK(weighted.weights == std::vector<double>{0.5});
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

TEST_CASE("edges with two weights, or some without one, have none, and that is said") {
  const GraphFile two = edges("source,target,weight\nx,y,2\ny,x,3\n");
  CHECK(two.weights.empty());
  CHECK(holds(two.notes.at(0), "Weights of edges are not read: the edge between 'x' and 'y' has the weights 2 and 3"));
  const GraphFile none = edges("source,target,weight\nx,y,2\ny,z,heavy\n");
  CHECK(none.weights.empty());
  CHECK(holds(none.notes.at(0), "the edge between 'y' and 'z' has no number as its weight"));
  CHECK(edges("source,target,weight\nx,y,1\ny,z,1\n").notes.empty());
}

TEST_CASE("wrong files of numbered vertices are refused with the line") {
  const auto refused = [](GraphFormat format, std::string_view text) {
    return complaint([&] { return parse_graph(text, "g", format); });
  };
  constexpr GraphFormat kDimacs = GraphFormat::dimacs, kGset = GraphFormat::gset, kMarket = GraphFormat::matrix_market;
  CHECK(holds(refused(kDimacs, "e 1 2\n"), "g:1: No line 'p edge VERTICES EDGES' stands above"));
  CHECK(
      holds(refused(kDimacs, "p edge 2 1\ne 1 3\n"), "g:2: '3' is not a vertex. Vertices are the numbers from 1 to 2"));
  CHECK(holds(refused(kDimacs, "p edge 2 1\ne 0 1\n"), "g:2: '0' is not a vertex"));
  CHECK(holds(refused(kDimacs, "p edge 2 1\n1 2\n"), "g:2: This is not an edge. Write 'e I J'"));
  CHECK(holds(refused(kDimacs, ""), "has no line 'p edge"));
  CHECK(holds(refused(kDimacs, "p edge 99999999999 1\n"), "the limit is 2000000"));
  CHECK(holds(refused(kGset, "3 2\n1 2 1\n"), "promises 2 edges, but has 1"));
  CHECK(holds(refused(kGset, "3 1\n1 2 nan\n"), "g:2: 'nan' is not a finite number"));
  CHECK(holds(refused(kGset, "x\n"), "g:1: The line has 1 word"));
  CHECK(holds(refused(kMarket, "3 3 1\n1 2\n"), "does not begin with '%%MatrixMarket"));
  CHECK(holds(refused(kMarket, "%%MatrixMarket matrix array real general\n"), "g:1: The matrix is dense"));
  CHECK(
      holds(refused(kMarket, "%%MatrixMarket matrix coordinate complex general\n"), "g:1: The entries are 'complex'"));
  CHECK(
      holds(refused(kMarket, "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n"), "g:2: The matrix is 2 x 3"));
  CHECK(holds(refused(kMarket, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n"),
              "g:3: The entry has 2 words"));
  CHECK(graph_format_of("a.mtx.gz") == kMarket);
  CHECK(graph_format_of("a.col") == kDimacs);
  CHECK(graph_format_of("G1.gset") == kGset);
}

// Builds without Boost.Graph's library explain themselves instead.
TEST_CASE("a first line of an edge list may be the numbers of nodes and edges") {
  const GraphFile sizes = edges("4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n");
  CHECK(sizes.objects == Names{"1", "2", "3", "4"});
  CHECK(sizes.edges.size() == 5);
  REQUIRE(sizes.notes.size() == 1);
  CHECK(holds(sizes.notes[0], "4 nodes and 5 edges"));
  const GraphFile market = edges("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 2\n");
  CHECK(market.objects == Names{"1", "2", "3", "4"});
  CHECK(market.edges.size() == 3);
  CHECK_FALSE(market.notes.empty());
  // With fewer edges than nodes, it could be an edge itself.
  const GraphFile ring = edges("4 3\n3 2\n2 1\n1 4\n");
  CHECK(ring.edges.size() == 4);
  REQUIRE(ring.notes.size() == 1);
  CHECK(holds(ring.notes[0], "read as an edge"));
  CHECK(edges("4 9\n1 2\n2 3\n").objects == Names{"1", "2", "3", "4", "9"});
  CHECK(edges("sep=;\nx;y\ny;z\n").objects == Names{"x", "y", "z"});
}

TEST_CASE("a header of an edge list says where the ends of an edge are") {
  const Names path{"a", "b", "c", "d"};
  const Pairs steps{{0, 1}, {1, 2}, {2, 3}};
  for (const char* text : {
           "id,source,target\n0,a,b\n1,b,c\n2,c,d\n",
           "Label,Source,Target\nx,a,b\ny,b,c\n,c,d\n",
           "weight,source,target\n1,a,b\n1,b,c\n2,c,d\n",
           "Source,Target,Type,Id,Label,Weight\na,b,Undirected,0,,1\nb,c,Undirected,1,,1\nc,d,Undirected,2,,2\n",
           "\"\",\"from\",\"to\"\n\"1\",\"a\",\"b\"\n\"2\",\"b\",\"c\"\n\"3\",\"c\",\"d\"\n",
           "\tsource\ttarget\n\ta\tb\n\tb\tc\n\tc\td\n",
           "Quelle;Ziel;Typ\na;b;x\nb;c;\nc;d;x\n",
           "node_1,node_2,w\na,b,1\nb,c,2\nc,d,3\n",
       }) {
    CAPTURE(text);
    const GraphFile graph = edges(text);
    CHECK(graph.objects == path);
    CHECK(graph.edges == steps);
  }
  CHECK(edges("Target,Source\nb,a\nc,b\n").objects.size() == 3);
  CHECK(holds(edges("id,source,target,kind\n0,a,b,x\n").notes.at(0), "2 columns were not read: id, kind"));
  // Names that may be those of nodes are a header only if no other row has them.
  CHECK(edges("a b\nb c\nc a\n").objects == Names{"a", "b", "c"});
  const GraphFile likely = edges("a b\nx y\ny z\nz x\n");
  CHECK(likely.objects == Names{"x", "y", "z"});
  CHECK(holds(likely.guesses.at(0), "('a' and 'b') was read as a header"));
  CHECK(edges("id,a,b,w\n0,x,y,1\n1,y,z,1\n").objects == Names{"x", "y", "z"});
  CHECK(holds(complaint([] { return edges("a,knows,b\nb,knows,c\n"); }), "g.txt:1: 'a' and 'b' may name columns"));
  const GraphFile relations = edges("head,relation,tail\nx,likes,y\ny,likes,z\n");
  CHECK(relations.edges == Pairs{{0, 1}, {1, 2}});
  REQUIRE(relations.notes.size() == 2);
  CHECK(holds(relations.notes[1], "Column 'relation' was not read"));
  CHECK(edges("source target\na b\nx y\n").objects == Names{"a", "b", "x", "y"});
  CHECK(holds(complaint([] { return edges("source,target\n"); }), "no edges"));
  CHECK(holds(complaint([] { return edges("source,target\na,b\na,b,c,d\n"); }), "g.txt:3: The row has 4 columns"));
}

TEST_CASE("a first line that is likely a header is noted, never dropped in silence") {
  const GraphFile friends = edges("person,friend\nx,y\ny,z\nz,x\n");
  CHECK(friends.objects.size() == 5);
  CHECK(holds(friends.notes.at(0), "Is the first line a header? No other line has its names 'person' and 'friend'"));
  const GraphFile numbers = edges("person,friend\n1,2\n2,3\n");
  CHECK(numbers.objects == Names{"1", "2", "3"});
  CHECK(holds(numbers.guesses.at(0), "'person' and 'friend'"));
  CHECK(holds(edges("id,person,friend\n0,x,y\n1,y,z\n").notes.at(0), "'id' and 'person'"));
  CHECK(holds(edges("0,x,y\n1,y,z\n").notes.at(0), "third column of the edges, with 'z', is not read"));
  CHECK(holds(complaint([] { return edges("Id,Label,Degree\n0,Anna,3\n1,Bert,2\n"); }), "a list of nodes"));
}

TEST_CASE("quotes, row names and signs between the names of an edge list") {
  const Names path{"a", "b", "c", "d"};
  const Pairs steps{{0, 1}, {1, 2}, {2, 3}};
  for (const char* text : {"\"from\" \"to\"\n\"1\" \"a\" \"b\"\n\"2\" \"b\" \"c\"\n\"3\" \"c\" \"d\"\n",
                           "\"x\" \"y\"\n\"1\" \"a\" \"b\"\n\"2\" \"b\" \"c\"\n\"3\" \"c\" \"d\"\n",
                           "from,to,weight\n1,a,b,1\n2,b,c,1\n3,c,d,2\n", "from to\na b 1\nb c 1\nc d 2\n",
                           "a -- b\nb -- c\nc -- d\n", "a,->,b\nb,->,c\nc,->,d\n", "a\t-\tb\nb\t-\tc\nc\t-\td\n"}) {
    CAPTURE(text);
    const GraphFile graph = edges(text);
    CHECK(graph.objects == path);
    CHECK(graph.edges == steps);
    CHECK_FALSE(graph.notes.empty());
  }
  CHECK(edges("\"from\" \"to\"\n\"1\" 1 2\n\"2\" 2 3\n").objects == Names{"1", "2", "3"});
  CHECK(edges("from to\n1 2 0.5\n2 3 0.4\n").objects == Names{"1", "2", "3"});
  CHECK(holds(complaint([] { return edges("from to\n1 2 3\n2 3 4\n"); }), "g.txt:2: The row has one column more"));
  CHECK(edges("\"New York\" \"Paris\"\n\"Paris\" \"Rome\"\n").objects == Names{"New York", "Paris", "Rome"});
  CHECK(edges("\"a\"\t\"b, c\"\n\"b, c\"\t\"d\"\n").objects == Names{"a", "b, c", "d"});
  CHECK(edges("x,y\ny,\"u;v\"\nx;y,z\n").objects == Names{"x", "y", "u;v", "x;y", "z"});
  CHECK(holds(complaint([] { return edges("a b\n\"b c\n"); }), "g.txt:2: A quote is not closed"));
  CHECK(holds(complaint([] { return edges("a,b\n\"b,c\n"); }), "g.txt:2: A quote is not closed"));
  CHECK(holds(complaint([] { return edges("a -- b\nb c d\n"); }), "g.txt:2: There is 'c' between"));
  CHECK(holds(complaint([] { return edges("a b\nb -- c\n"); }), "g.txt:2: '--' is in place of"));
}

TEST_CASE("other formats of graphs are refused with a way to convert them") {
  for (const char* file : {"g.gexf", "g.gml", "g.net", "g.net.gz"}) {
    const std::string message = complaint([&] { return graph_format_of(file); });
    CHECK(holds_all(message,
                    {"which Alidade does not read. Save the graph as GraphML", "nx.write_graphml(nx.Graph(nx.read_"}));
  }
  CHECK(holds(complaint([] { return edges("*Vertices 2\n1 \"a\"\n2 \"b\"\n"); }), "Pajek"));
  CHECK(holds(complaint([] { return edges("graph [\n node [\n"); }), "GML"));
  for (const char* text : {"a -- b;\nb -- c;\n", "a->b\nb->c\n"})
    CHECK(holds(complaint([&] { return edges(text); }), "an edge in DOT"));
  CHECK(holds(complaint([] { return edges("graph {\n a -- b\n"); }), "no list of edges"));
}

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

TEST_CASE("pair signs are read by header or in order, and hold both ways unless ordered") {
  const Observations read = signs("sign,b,a\n+1,mug,cup\n-1,fork,cup\n0,fork,mug\n1,mug,cup\n");
  CHECK(read.objects == Names{"cup", "mug", "fork"});
  CHECK(read.pair_signs->sign(0, 1) == 1);
  CHECK(read.pair_signs->sign(1, 0) == 1);
  CHECK(read.pair_signs->sign(2, 0) == -1);
  CHECK(read.pair_signs->sign(1, 2) == 0);
  CHECK(read.pair_signs->similar_count() == 2);
  REQUIRE(read.notes.size() == 1);
  CHECK(holds(read.notes[0], "1 row repeats"));

  const Observations ordered = signs("10;9;1\n9;10;-1\n2;9;-1\n", {.ordered = true});
  CHECK(ordered.objects == Names{"2", "9", "10"});
  CHECK(ordered.pair_signs->sign(2, 1) == 1);
  CHECK(ordered.pair_signs->sign(1, 2) == -1);
  CHECK(ordered.pair_signs->sign(0, 1) == -1);
  CHECK(ordered.pair_signs->sign(1, 0) == 0);

  const Observations rest = signs("a,b,1\nb,c,1\n", {.others = PairSigns::Others::dissimilar});
  CHECK(rest.pair_signs->sign(0, 2) == -1);
}

TEST_CASE("signs in words are those of yes and no, under any name of the third column") {
  const Observations expected = signs("a,b,sign\ncup,mug,+1\ncup,fork,-1\n");
  for (const char* text :
       {"a,b,same\ncup,mug,yes\ncup,fork,no\n", "item1,item2,judgement\ncup,mug,same\ncup,fork,different\n",
        "a,b,sign\ncup,mug,+\ncup,fork,-\n", "cup,mug,true\ncup,fork,false\n",
        "word1,word2,related\ncup,mug,yes\ncup,fork,no\n"}) {
    CAPTURE(text);
    const Observations given = signs(text);
    CHECK(given.objects == expected.objects);
    CHECK(given.pair_signs->sign(0, 1) == 1);
    CHECK(given.pair_signs->sign(0, 2) == -1);
  }
}

TEST_CASE("pair signs in a file with more columns and no header are read by place, with a note") {
  CHECK(holds(signs("0,1,1,1\n1,2,-1,1\n").notes.at(0), "There is no header: columns 1, 2 and 3"));
  CHECK(signs("id,a,b,sign\n0,x,y,1\n").notes == Names{"Column 'id' was not read."});
}

TEST_CASE("contradicting or malformed pair signs are refused with their lines") {
  CHECK(holds(complaint([] { return signs("a,b,1\nb,c,1\nb,a,-1\n"); }),
              "p.csv:3: 'a' and 'b' have the sign -1 here and 1 on line 1"));
  CHECK(complaint([] { return signs("a,b,1\nb,a,-1\n", {.ordered = true}); }) == "no error");
  CHECK(holds(complaint([] { return signs("a,b,1\na,a,1\n"); }), "p.csv:2: 'a' is paired with itself"));
  CHECK(holds(complaint([] { return signs("a,b,perhaps\nc,d,1\na,d,maybe\n"); }),
              "p.csv:3: The sign is 'maybe'. Give +1"));
  CHECK(holds(complaint([] { return signs("a,b,2\n"); }), "The sign is '2'"));
  CHECK(holds(complaint([] { return signs("a,b,1\na,b\n"); }), "p.csv:2: The row has 2 columns"));
  CHECK(holds(complaint([] { return signs("a,,1\n"); }), "p.csv:1: The row names one object only"));
  CHECK(holds(complaint([] { return signs("a,b,sign\n"); }), "no rows"));
  CHECK(holds(complaint([] { return signs("x,y,sign\nu,v,1\n"); }), "has no column 'a'"));
  CHECK(holds(complaint([] { return signs("a,b\n"); }), "2 columns. A row is two objects and a sign"));
  CHECK(holds(complaint([] { return signs("a,b,0\n", {.others = PairSigns::Others::dissimilar}); }),
              "others = \"unknown\""));
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
