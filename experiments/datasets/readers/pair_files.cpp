#include "experiments/datasets/readers/pair_files.hpp"

#ifdef ALIDADE_HAS_BOOST_GRAPH
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#endif
#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/answer_layouts.hpp"
#include "experiments/datasets/readers/edge_list.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/connected_parts.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

struct Edge {
  ObjectPair ends;
  double weight = 1;
};

/// Without loops and weights of 0; by their ends, i < j.
std::vector<Edge> edges_of(const RawGraph& raw) {
  std::vector<Edge> out;
  for (std::size_t k = 0; k < raw.edges.size(); ++k)
    if (const auto [a, b] = raw.edges[k]; a != b && (raw.weights.empty() || raw.weights[k] != 0))
      out.push_back({{static_cast<ObjectId>(std::min(a, b)), static_cast<ObjectId>(std::max(a, b))},
                     raw.weights.empty() ? 1 : raw.weights[k]});
  std::ranges::stable_sort(out, {}, &Edge::ends);
  return out;
}

/// Gives the edges of `out` their weights, if each has one, and says so.
void read_weights(const std::vector<Edge>& edges, const RawGraph& raw, GraphFile& out) {
  const auto name = [&](ObjectId i) { return shown(raw.nodes[i].id); };
  std::vector<double> weights;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto& [ends, weight] = edges[k];
    const bool repeats = k > 0 && edges[k - 1].ends == ends;
    if (std::isnan(weight) || (repeats && weights.back() != weight)) {
      const std::string what =
          std::isnan(weight) ? "no number as its weight" : fmt::format("the weights {} and {}", weights.back(), weight);
      add_note(out, words::kTwoWeights, name(ends.i), name(ends.j), what);
      return;
    }
    if (!repeats) weights.push_back(weight);
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) return;
  out.weights = std::move(weights);
  add_note(out, words::kEdgesHaveWeights);
}

GraphFile finished(RawGraph raw, const std::string& file, bool can_merge = false) {
  require<DataError>(!raw.nodes.empty(), "'{}' is a graph without nodes. Give one with edges.", file);
  require<DataError>(raw.nodes.size() >= 2, words::kOneNode, file);
  GraphFile out;
  const std::vector<Edge> edges = edges_of(raw);
  const auto loops = static_cast<std::size_t>(
      std::ranges::count_if(raw.edges, [](const auto& edge) { return edge.first == edge.second; }));
  const std::size_t all = edges.size(), weightless = raw.edges.size() - loops - all;
  for (const Edge& edge : edges)
    if (out.edges.empty() || out.edges.back() != edge.ends) out.edges.push_back(edge.ends);
  require<DataError>(!out.edges.empty(), words::kNoEdge, file);
  for (const GraphNode& node : raw.nodes) out.objects.push_back(composed(node.name.empty() ? node.id : node.name));
  add_guess(out, raw.guesses);
  add_note(out, raw.notes);
  if (!raw.weights.empty()) read_weights(edges, raw, out);
  if (loops > 0) add_note(out, "{} edges join a node to itself and are left out.", loops);
  add_count(out, weightless, "edge of weight 0 is left out.", "edges of weight 0 are left out.");
  if (out.edges.size() < all) add_note(out, words::kRepeatedEdges, all - out.edges.size());
  add_note(out, note_on_same_names(out.objects, "nodes", [&](std::size_t a, std::size_t b) {
             return fmt::format(" (ids '{}' and '{}'), and are two objects", shown(raw.nodes[a].id),
                                shown(raw.nodes[b].id));
           }));
  ConnectedParts parts(std::ssize(out.objects));
  for (const auto& [i, j] : out.edges) parts.join(i, j);
  if (parts.count() > 1) add_note(out, words::kComponents, parts.count());
  add_note(out, notes_on_names(out.objects, can_merge));
  return out;
}

// ---- lists of edges ----

#ifdef ALIDADE_HAS_BOOST_GRAPH

/// Boost's readers recurse once per level: deeper files would exhaust the stack.
constexpr int kDeepest = 200;

// ---- GraphML ----

/// How deep elements are nested; for malformed XML, at least as deep as a parser would find.
int depth_of_elements(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const auto past = [&](std::string_view end) {
      const std::size_t position = text.find(end, at);
      at = position == text.npos ? text.size() : position + end.size();
    };
    if (text.substr(at).starts_with("<!--")) {
      past("-->");
    } else if (text.substr(at).starts_with("<![CDATA[")) {
      past("]]>");
    } else if (text.substr(at).starts_with("<?")) {
      past("?>");
    } else if (text.substr(at).starts_with("</")) {
      --depth;
      past(">");
    } else {
      char quote = '\0';
      for (++at; at < text.size() && (quote != '\0' || text[at] != '>'); ++at)
        if (quote == '\0' ? text[at] == '"' || text[at] == '\'' : text[at] == quote)
          quote = quote == '\0' ? text[at] : '\0';
      if (at < text.size() && text[at - 1] != '/') deepest = std::max(deepest, ++depth);
    }
  }
  return deepest;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

/// The first line with an attribute of that value, for messages.
std::string place_of(std::string_view text, const std::string& file, std::string_view attribute,
                     const std::string& value) {
  for (const char quote : {'"', '\''}) {
    const std::size_t at = text.find(fmt::format("{}={}{}{}", attribute, quote, value, quote));
    if (at != text.npos) return at_line(file, line_of(text, at));
  }
  return fmt::format("'{}'", file);
}

using Xml = boost::property_tree::ptree;

/// A tag without the prefix of its namespace: "g:node" as "node".
std::string_view local_name(std::string_view tag) { return tag.substr(tag.rfind(':') + 1); }

/// The elements of a name inside another, in order.
std::vector<const Xml*> elements(const Xml& parent, std::string_view name) {
  std::vector<const Xml*> out;
  for (const auto& [tag, element] : parent)
    if (local_name(tag) == name) out.push_back(&element);
  return out;
}

std::string xml_attribute(const Xml& element, const char* name) {
  return element.get(Xml::path_type(fmt::format("<xmlattr>/{}", name), '/'), "");
}

bool holds_graph(const Xml& element) {
  return std::ranges::any_of(
      element, [](const auto& child) { return local_name(child.first) == "graph" || holds_graph(child.second); });
}

/// The text of the first element of a name at any depth, as yEd writes a node's label into its picture.
std::string text_within(const Xml& element, std::string_view name) {
  for (const auto& [tag, child] : element) {
    if (local_name(tag) == name)
      if (std::string text(trim(child.data())); !text.empty()) return text;
    if (std::string text = text_within(child, name); !text.empty()) return text;
  }
  return "";
}

/// What the keys of GraphML call an attribute of nodes or edges.
struct GraphMlKeys {
  std::map<std::string, std::string> nodes, edges;  // from the key's id, in lower case
  std::optional<std::string> default_weight{};      // of edges
};
GraphMlKeys keys_of(const Xml& graphml) {
  GraphMlKeys out;
  for (const Xml* key : elements(graphml, "key")) {
    const std::string of = xml_attribute(*key, "for"), id = xml_attribute(*key, "id");
    std::string name = lower_ascii(xml_attribute(*key, "attr.name"));
    if (name.empty() && (id == "weight" || id == "name" || id == "label")) name = id;
    const bool all = of.empty() || of == "all";
    if (all || of == "node") out.nodes[id] = name;
    if (!all && of != "edge") continue;
    out.edges[id] = name;
    const auto values = elements(*key, "default");
    if (name == "weight" && !values.empty()) out.default_weight = trim(values.front()->data());
  }
  return out;
}

GraphNode graphml_node(const Xml& node, const GraphMlKeys& keys, std::string id) {
  GraphNode out{std::move(id), ""};
  for (const char* wanted : {"name", "label"})
    for (const Xml* data : elements(node, "data"))
      if (const auto key = keys.nodes.find(xml_attribute(*data, "key"));
          out.name.empty() && key != keys.nodes.end() && key->second == wanted)
        out.name = trim(data->data());
  if (out.name.empty()) out.name = text_within(node, "NodeLabel");
  return out;
}

Xml parsed_xml(std::string_view text, const std::string& file) {
  namespace tree = boost::property_tree;
  require<DataError>(depth_of_elements(text) <= kDeepest, words::kDeepElements, file, kDeepest);
  Xml root;
  try {
    std::istringstream in{std::string(text)};
    tree::read_xml(in, root, tree::xml_parser::no_comments);
  } catch (const tree::xml_parser_error& error) {
    throw DataError(fmt::format(words::kBadXml, at_line(file, error.line()), error.message()));
  }
  return root;
}

/// Adds the nodes of a graph; their places by id.
std::map<std::string, std::size_t> take_graphml_nodes(const Xml& graph, const GraphMlKeys& keys, std::string_view text,
                                                      const std::string& file, RawGraph& out) {
  std::map<std::string, std::size_t> number;
  for (const Xml* node : elements(graph, "node")) {
    const std::string id = xml_attribute(*node, "id");
    require<DataError>(!id.empty(), "'{}': Node {} has no id. Give it one.", file, out.nodes.size() + 1);
    // Finding the line goes through the text.
    if (!number.emplace(id, out.nodes.size()).second)
      throw DataError(fmt::format("{}: Two nodes have the id '{}'. Give them different ids.",
                                  place_of(text, file, "id", id), shown(id)));
    if (holds_graph(*node))
      throw DataError(fmt::format(words::kGraphInNode, place_of(text, file, "id", id), shown(id)));
    out.nodes.push_back(graphml_node(*node, keys, id));
  }
  require<DataError>(!holds_graph(graph), words::kGraphInGraph, file);
  return number;
}

/// Names are those of the nodes' data `name` or `label`, or of yEd's labels. Parts that are not read are counted.
RawGraph parse_graphml(std::string_view text, const std::string& file) {
  const Xml root = parsed_xml(text, file);
  const auto graphml = elements(root, "graphml");
  const auto graphs = graphml.empty() ? graphml : elements(*graphml.front(), "graph");
  require<DataError>(!graphs.empty(), words::kNoGraphElement, file);
  const Xml& graph = *graphs.front();
  const GraphMlKeys keys = keys_of(*graphml.front());
  RawGraph out;
  const auto number = take_graphml_nodes(graph, keys, text, file, out);
  const bool directed_graph = xml_attribute(graph, "edgedefault") == "directed";
  bool directed = false, weighted = keys.default_weight.has_value();
  std::map<std::string, std::size_t> unread;
  for (const Xml* edge : elements(graph, "edge")) {
    std::array<std::size_t, 2> ends{};
    for (const std::size_t side : {0U, 1U}) {
      const char* const end = side == 0 ? "source" : "target";
      const std::string id = xml_attribute(*edge, end);
      require<DataError>(!id.empty(), "'{}': An edge has no {}. Name a node.", file, end);
      if (!number.contains(id))
        throw DataError(fmt::format(words::kUnknownEnd, place_of(text, file, end, id), end, shown(id)));
      ends[side] = number.at(id);
    }
    const std::string own = xml_attribute(*edge, "directed");
    directed = directed || (own.empty() ? directed_graph : own == "true");
    std::optional<std::string> weight = keys.default_weight;
    for (const Xml* data : elements(*edge, "data")) {
      const auto key = keys.edges.find(xml_attribute(*data, "key"));
      if (key == keys.edges.end() || key->second.empty()) continue;
      if (key->second == "weight")
        weight = trim(data->data());
      else
        ++unread[key->second];
    }
    weighted = weighted || weight;
    out.edges.emplace_back(ends[0], ends[1]);
    out.weights.push_back(weight ? edge_weight(*weight) : std::numeric_limits<double>::quiet_NaN());
  }
  if (!weighted) out.weights.clear();
  if (directed) add_note(out, "The directions of edges are ignored.");
  for (const auto& [name, count] : unread)
    add_note(out, "The attribute '{}' of {} is not read.", shown(name), counted(count, "edge"));
  add_count(out, elements(graph, "hyperedge").size(), words::kHyperedge, words::kHyperedges);
  if (graphs.size() > 1) add_note(out, "The file has {} graphs, and the first was read.", graphs.size());
  return out;
}

// ---- DOT ----

bool is_dot_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_dot_part(char c) { return is_dot_letter(c) || (c >= '0' && c <= '9') || c == '.'; }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

bool is_dot_word(std::string_view text, std::string_view word) { return lower_ascii(text) == word; }

/// The text of an HTML label, in quotes: without its tags, with the common entities.
std::string quoted_html(std::string_view html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    in_tag = in_tag || c == '<';
    text += in_tag || c == '\n' ? ' ' : c;
    in_tag = in_tag && c != '>';
  }
  text = replaced(text, {{"&amp;", "&"},
                         {"&lt;", "<"},
                         {"&gt;", ">"},
                         {"&quot;", "\\\""},
                         {"&nbsp;", " "},
                         {"\"", "\\\""},
                         {"\\", "\\\\"}});
  const auto words = mapped<std::string>(words_between_blanks(text), std::identity());
  return "\"" + join(words, " ") + "\"" + std::string(static_cast<std::size_t>(std::ranges::count(html, '\n')), '\n');
}

/// The sign that closes the one at `at`; the text's end if none does.
std::size_t end_of_html(std::string_view text, std::size_t at) {
  for (int open = 0; at < text.size(); ++at) {
    open += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (open == 0) break;
  }
  return at;
}

/// Example: `a -> { x y }` becomes `a -> subgraph { x y }`, `[label=<<b>x</b>>]` becomes `[label="x"]`.
/// @throws DataError if braces are nested deeper than Boost's stack allows
std::string dot_for_boost(std::string_view text, const std::string& file) {
  std::string out;
  std::string_view last, before_last;  // tokens: names, or a sign of one character
  int depth = 0;
  const auto token = [&](std::string_view word) { before_last = std::exchange(last, word); };
  const auto copy_to = [&](std::size_t& at, std::size_t end) {
    end = std::min(end, text.size());
    out += text.substr(at, end - at);
    at = end;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    const auto after = [&](std::string_view end, std::size_t from) {
      const std::size_t position = text.find(end, from);
      return position == text.npos ? text.size() : position + end.size();
    };
    if (rest.starts_with("//") || (c == '#' && (at == 0 || text[at - 1] == '\n'))) {
      copy_to(at, text.find('\n', at));
    } else if (rest.starts_with("/*")) {
      copy_to(at, after("*/", at + 2));
    } else if (c == '"') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      token(rest.substr(0, std::min(end + 1, text.size()) - at));
      copy_to(at, end + 1);
    } else if (c == '<') {
      const std::size_t end = end_of_html(text, at);
      if (end == text.size()) {  // never closed: for the reader to refuse
        copy_to(at, end);
        continue;
      }
      out += quoted_html(text.substr(at + 1, end - at - 1));
      token(rest.substr(0, end + 1 - at));
      at = end + 1;
    } else if (is_dot_letter(c)) {
      std::size_t end = at;
      while (end < text.size() && is_dot_part(text[end])) ++end;
      const std::string_view name = text.substr(at, end - at);
      const bool quotes = std::ranges::any_of(name, is_beyond_ascii);
      out += quotes ? "\"" : "";
      copy_to(at, end);
      out += quotes ? "\"" : "";
      token(name);
    } else if (c == '{') {
      const bool named = is_dot_word(last, "subgraph") || is_dot_word(before_last, "subgraph");
      if (depth++ > 0 && !named) out += "subgraph ";
      require<DataError>(depth <= kDeepest, words::kDeepSubgraphs, file, kDeepest);
      token(rest.substr(0, 1));
      copy_to(at, at + 1);
    } else {
      if (c == '}') --depth;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') token(rest.substr(0, 1));
      copy_to(at, at + 1);
    }
  }
  return out;
}

struct WeightText {
  std::string weight;
};

/// A label without Graphviz' ends of lines, \n, \l and \r, and its escaped signs.
std::string without_dot_escapes(std::string_view label) {
  std::string out;
  for (std::size_t at = 0; at < label.size(); ++at) {
    const bool escaped = label[at] == '\\' && at + 1 < label.size();
    if (escaped) ++at;
    out += escaped && std::string_view("nlr").find(label[at]) != std::string_view::npos ? ' ' : label[at];
  }
  return std::string(trim(out));
}

template <class Direction>
RawGraph dot_graph(const std::string& text) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, Direction, GraphNode, WeightText>;
  Graph graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&GraphNode::id, graph));
  properties.property("label", boost::get(&GraphNode::name, graph));
  for (const char* name : {"weight", "Weight", "WEIGHT"})
    properties.property(name, boost::get(&WeightText::weight, graph));
  boost::read_graphviz(text, graph, properties, "node_id");
  RawGraph out;
  for (auto [v, end] = boost::vertices(graph); v != end; ++v) {
    GraphNode node = graph[*v];
    if (node.name == "\\N") node.name.clear();  // "its id", as of Graphviz
    node.name = without_dot_escapes(node.name);
    out.nodes.push_back(std::move(node));
  }
  bool weighted = false;
  for (auto [e, end] = boost::edges(graph); e != end; ++e) {
    out.edges.emplace_back(boost::source(*e, graph), boost::target(*e, graph));
    out.weights.push_back(edge_weight(graph[*e].weight));
    weighted = weighted || !graph[*e].weight.empty();
  }
  if (!weighted) out.weights.clear();
  return out;
}

/// Boost must know the kind in advance, and its first error tells which it is.
RawGraph any_dot_graph(const std::string& text) {
  try {
    return dot_graph<boost::undirectedS>(text);
  } catch (const boost::directed_graph_error&) {
    RawGraph out = dot_graph<boost::bidirectionalS>(text);
    out.notes.emplace_back("The directions of edges are ignored.");
    return out;
  }
}

/// Boost's error for a text that is no DOT, or nothing.
std::optional<std::string> dot_complaint(const std::string& text) {
  try {
    static_cast<void>(any_dot_graph(text));
  } catch (const boost::bad_graphviz_syntax& error) {
    return error.errmsg;
  }
  return std::nullopt;
}

/// Boost does not give the line of an error. It is the last of the fewest lines that give the same error as the whole
/// text; fewer lines only end too early.
std::size_t line_of_complaint(const std::string& text, const std::string& complaint) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n' || at + 1 == text.size()) ends.push_back(at + 1);
  std::size_t low = 1, high = ends.size();
  if (complaint.find("<eof>") != complaint.npos) return high;  // as fewer lines would have it
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (dot_complaint(text.substr(0, ends[middle - 1])) == complaint)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

RawGraph parse_dot(std::string_view dot, const std::string& file) {
  const std::string text = dot_for_boost(dot, file);
  try {
    RawGraph out = any_dot_graph(text);
    order_by_value(out);
    return out;
  } catch (const boost::bad_graphviz_syntax& error) {
    throw DataError(
        fmt::format(words::kBadDot, at_line(file, line_of_complaint(text, error.errmsg)), shown(error.errmsg)));
  } catch (const boost::graph_exception& error) {
    throw DataError(fmt::format("'{}' cannot be read as DOT ({}). Export the graph again.", file, shown(error.what())));
  }
}

#else

[[noreturn]] RawGraph needs_boost_graph(const std::string& file) {
  throw DataError(fmt::format(words::kNoBoostGraph, file));
}
RawGraph parse_graphml(std::string_view, const std::string& file) { needs_boost_graph(file); }
RawGraph parse_dot(std::string_view, const std::string& file) { needs_boost_graph(file); }

#endif

/// Before ".gz".
std::string ending_of(const std::filesystem::path& path) {
  return (path.extension() == ".gz" ? path.stem() : path).extension().string();
}

/// A format of graphs: its name, the ends of its files' names, and what reads it; that of edges takes more.
struct GraphReader {
  std::string_view name, endings;
  RawGraph (*parse)(std::string_view text, const std::string& file);
};
constexpr std::array<GraphReader, 6> kReaders = {{{"graphml", ".graphml .xml", parse_graphml},
                                                  {"dot", ".dot .gv", parse_dot},
                                                  {"edges", ".csv .tsv .txt .edges .edgelist .el", nullptr},
                                                  {"dimacs", ".col .clq", parse_dimacs},
                                                  {"matrix_market", ".mtx", parse_matrix_market},
                                                  {"gset", ".gset .rud", parse_gset}}};  // as GraphFormat

std::optional<GraphFormat> format_by_ending(std::string_view end) {
  for (std::size_t k = 0; k < kReaders.size(); ++k)
    for (const std::string_view ending : words_between_blanks(kReaders[k].endings))
      if (end == ending) return static_cast<GraphFormat>(k);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> vertex_number(std::string_view id) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  return value;
}

double edge_weight(std::string_view text) {
  const auto value = parse_double(trim(text));
  return value && std::isfinite(*value) ? *value : std::numeric_limits<double>::quiet_NaN();
}

void order_by_value(RawGraph& graph) { keep_nodes(graph, value_order(mapped(graph.nodes, &GraphNode::id))); }

void keep_nodes(RawGraph& graph, std::span<const std::size_t> order) {
  std::vector<std::size_t> place(graph.nodes.size());
  std::vector<GraphNode> nodes;
  for (const std::size_t i : order) {
    place[i] = nodes.size();
    nodes.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(nodes);
  for (auto& [a, b] : graph.edges) a = place[a], b = place[b];
}

std::string how_to_convert(const OtherFormat& format, const std::string& file) {
  constexpr std::string_view kToGraphml =
      "Save the graph as GraphML (in Gephi: File, Export, Graph file), or convert it with Python: ";
  const std::string begin = fmt::format("'{}' is {}, which Alidade does not read. ", file, format.name);
  if (format.call.empty()) return begin + "Save the graph as GraphML, DOT or a list of edges (CSV).";
  return fmt::format(words::kConvertByPython, begin, kToGraphml, fmt::format(fmt::runtime(format.call), file));
}

bool is_graph_by_name(const std::filesystem::path& path) {
  const auto format = format_by_ending(ending_of(path));
  return format && *format != GraphFormat::edges;
}

GraphFormat graph_format_of(const std::filesystem::path& path) {
  const std::string end = ending_of(path);
  if (const auto format = format_by_ending(end)) return *format;
  for (const OtherFormat& other : kOtherFormats)
    if (end == other.ending) throw ConfigError(how_to_convert(other, path.string()));
  throw ConfigError(fmt::format(words::kUnknownEnding, path.string()));
}

GraphFormat graph_format_named(std::string_view name) {
  return static_cast<GraphFormat>(std::ranges::find(kReaders, name, &GraphReader::name) - kReaders.begin());
}

GraphFile parse_graph(std::string_view text, const std::string& name, GraphFormat format, MergeNames merge_names) {
  const GraphReader& reader = kReaders[static_cast<std::size_t>(format)];
  if (reader.parse != nullptr) return finished(reader.parse(composed(text), name), name);
  return finished(parse_edges(text, name, merge_names), name, true);
}

GraphFile read_graph(const std::filesystem::path& path, GraphFormat format, MergeNames merge_names) {
  std::string text = read_utf8(path), title;
  if (format == GraphFormat::edges) title = blank_title_lines(text);
  GraphFile out = parse_graph(text, path.string(), format, merge_names);
  if (!title.empty()) add_guesses(out, {title});
  return out;
}

PairSigns signs_of_graph(const GraphFile& graph) {
  std::vector<ObjectPair> joined;
  for (const auto& [i, j] : graph.edges) {
    joined.push_back({i, j});
    joined.push_back({j, i});
  }
  const auto n = static_cast<Index>(graph.objects.size());
  if (graph.weights.empty()) return {n, std::move(joined), {}, PairSigns::Others::dissimilar};
  std::vector<double> weights;
  for (const double weight : graph.weights) weights.insert(weights.end(), 2, weight);
  return PairSigns::weighted_graph(n, std::move(joined), weights);
}

namespace {

constexpr std::array<std::string_view, 3> kColumns = {"a", "b", "sign"};

std::optional<int> sign_of(std::string_view text) {
  const auto number = parse_double(text);
  const std::string word = lower_ascii(text);
  if (!number && (means("same answers", word) || means("yes", word) || word == "+")) return 1;
  if (!number && (means("different answers", word) || means("no", word) || word == "-")) return -1;
  if (!number || (*number != 1 && *number != -1 && *number != 0)) return std::nullopt;
  return static_cast<int>(*number);
}

/// The columns of a, b and sign, if the reader's row is a header.
std::optional<std::array<std::size_t, 3>> columns_of_header(const RowReader& reader, const std::string& named) {
  const std::vector<std::string> ours =
      named_header(named, {kColumns.begin(), kColumns.end()}, reader.fields(), reader.place());
  const TableFields header(ours.begin(), ours.end());
  auto sign = find_column(header, kColumns[2], reader.place());
  const auto ends = pair_columns(header, true);
  if (!sign && ends && header.size() == kColumns.size()) {  // the column that is left, by any name that is no sign
    const std::size_t left = 3 - ends->a - ends->b;
    const std::string name = lower_ascii(header[left]);
    if (!parse_double(name) && !means("yes", name) && !means("no", name) && name != "+" && name != "-") sign = left;
  }
  if (!sign) return std::nullopt;
  require<DataError>(ends.has_value(), words::kNoColumnOfSigns, reader.place(),
                     kColumns[find_column(header, kColumns[0], reader.place()) ? 1 : 0]);
  return std::array<std::size_t, 3>{ends->a, ends->b, *sign};
}

/// The sign of each pair in a table with columns a, b and sign, by its numbers, and how many rows repeat another.
struct SignedPairs {
  std::map<ObjectPair, std::pair<int, std::size_t>> all{};  // the sign, and its line
  std::uint64_t repeated = 0;
};
/// @throws DataError if a row pairs an object with itself, or contradicts another
SignedPairs signed_pairs(const Table& table, const std::array<std::size_t, 3>& at, NameTable& ids, bool ordered) {
  SignedPairs out;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& fields = table.rows[r];
    const Place& place = table.places[r];
    ObjectPair pair{ids.number(fields[at[0]]), ids.number(fields[at[1]])};
    const auto sign = sign_of(fields[at[2]]);
    require<DataError>(sign.has_value(), words::kNoSign, place, shown(fields[at[2]]));
    require<DataError>(pair.i != pair.j, "{}: '{}' is paired with itself. Delete the row.", place,
                       shown(fields[at[0]]));
    if (!ordered && pair.j < pair.i) std::swap(pair.i, pair.j);  // the same in either order
    const auto [entry, fresh] = out.all.emplace(pair, std::pair(*sign, place.line));
    const auto [before, line] = entry->second;
    require<DataError>(fresh || before == *sign, words::kTwoSigns, place, shown(ids.names()[pair.i]),
                       shown(ids.names()[pair.j]), *sign, before, line);
    out.repeated += fresh ? 0 : 1;
  }
  return out;
}

}  // namespace

Observations parse_pair_signs(const RowReader& rows, const PairSignFileOptions& options) {
  std::array<std::size_t, 3> at{0, 1, 2};
  const auto has_header = [&](const RowReader& first) {
    require<DataError>(first.fields().size() >= kColumns.size(), words::kTooNarrowForSigns, first.place(),
                       first.fields().size());
    const auto named = columns_of_header(first, options.choice.columns);
    at = named.value_or(at);
    return named.has_value();
  };
  Table table(rows, {.has_header = has_header, .wanted = "pairs of objects, each with a sign"});
  ChosenRows left_out;
  leave_out_thingless(table, {at[0], at[1]}, left_out.notes);
  choose_rows(table, at, options.choice.where, left_out);
  NameTable ids = NameTable::of(table, at[0], at[1], "object", options.choice.merge_names);
  const SignedPairs pairs = signed_pairs(table, at, ids, options.ordered);
  Observations out;
  const OrderedNames objects(ids.names());
  out.objects = objects.names;
  std::vector<ObjectPair> similar, dissimilar;
  for (const auto& [raw, one] : pairs.all) {
    const int sign = one.first;
    require<DataError>(sign != 0 || options.others != PairSigns::Others::dissimilar, words::kUnknownPairsAmongAll,
                       rows.file());
    if (sign == 0) continue;
    const ObjectPair pair{objects.place[raw.i], objects.place[raw.j]};
    std::vector<ObjectPair>& list = sign > 0 ? similar : dissimilar;
    list.push_back(pair);
    if (!options.ordered) list.push_back({pair.j, pair.i});
  }
  add_guess(out, ids.notes("object"));
  if (table.header.empty() && table.width() > kColumns.size()) add_note(out, words::kSignsByPlace);
  add_note(out, table.notes());
  add_said(out, left_out);
  add_note(out, note_on_unread(table.header, at, left_out.by));
  add_count(out, pairs.repeated, "row repeats another row.", "rows repeat another row.");
  out.pair_signs = std::make_shared<PairSigns>(static_cast<Index>(out.objects.size()), std::move(similar),
                                               std::move(dissimilar), options.others);
  add_note(out, notes_on_names(out.objects));
  return out;
}

}  // namespace alidade::datasets
