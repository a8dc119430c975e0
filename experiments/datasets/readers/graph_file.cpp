#include "experiments/datasets/readers/graph_file.hpp"

#ifdef ALIDADE_HAS_BOOST_GRAPH
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "experiments/datasets/readers/dot_text.hpp"
#include "experiments/datasets/readers/name_forms.hpp"
#include "experiments/datasets/readers/odd_names.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

struct Node {
  std::string id, name;
};
/// The graph as in the file.
struct RawGraph {
  std::vector<Node> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<std::string> notes;
  std::vector<std::string> guesses{};
};

std::optional<std::uint64_t> vertex_number(std::string_view id) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size()) return std::nullopt;
  return value;
}

/// Orders nodes by their ids' values if all are whole numbers.
void order_by_value(RawGraph& graph) {
  std::vector<std::uint64_t> values;
  for (const Node& node : graph.nodes) {
    const auto value = vertex_number(node.id);
    if (!value) return;
    values.push_back(*value);
  }
  std::vector<std::size_t> order(values.size()), place(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<Node> nodes;
  for (std::size_t r = 0; r < order.size(); ++r) {
    place[order[r]] = r;
    nodes.push_back(std::move(graph.nodes[order[r]]));
  }
  graph.nodes = std::move(nodes);
  for (auto& [a, b] : graph.edges) {
    a = place[a];
    b = place[b];
  }
}

std::size_t component_count(std::size_t n, const std::vector<ObjectPair>& edges) {
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::size_t count = n;
  for (const auto& [i, j] : edges) {
    const std::size_t a = root(i), b = root(j);
    if (a == b) continue;
    parent[a] = b;
    --count;
  }
  return count;
}

GraphFile finished(RawGraph raw, const std::string& file, bool can_merge = false) {
  require<DataError>(!raw.nodes.empty(), "'{}' is a graph without nodes. Give one with edges.", file);
  require<DataError>(raw.nodes.size() >= 2,
                     "'{}' is a graph of one node. A map needs at least two nodes joined by an "
                     "edge.",
                     file);
  GraphFile out;
  std::uint64_t loops = 0;
  for (const auto& [a, b] : raw.edges) {
    if (a == b) {
      ++loops;
      continue;
    }
    out.edges.push_back({static_cast<ObjectId>(std::min(a, b)), static_cast<ObjectId>(std::max(a, b))});
  }
  std::ranges::sort(out.edges);
  const std::size_t all = out.edges.size();
  out.edges.erase(std::ranges::unique(out.edges).begin(), out.edges.end());
  require<DataError>(!out.edges.empty(),
                     "'{}' has no edge between two nodes, so no objects are similar. Give a graph with edges.", file);
  for (const Node& node : raw.nodes) out.objects.push_back(composed(node.name.empty() ? node.id : node.name));
  out.guesses = std::move(raw.guesses);
  out.notes = out.guesses;
  std::ranges::move(raw.notes, std::back_inserter(out.notes));
  if (loops > 0) out.notes.push_back(fmt::format("{} edges join a node to itself and are left out.", loops));
  if (out.edges.size() < all)
    out.notes.push_back(
        fmt::format("{} edges repeat another edge, in either direction; each repeated edge counts "
                    "once.",
                    all - out.edges.size()));
  const std::size_t components = component_count(out.objects.size(), out.edges);
  if (components > 1)
    out.notes.push_back(
        fmt::format("The graph has {} components. Their position relative to one another has no meaning.", components));
  std::ranges::move(notes_on_names(out.objects, can_merge), std::back_inserter(out.notes));
  return out;
}

// ---- lists of edges ----

bool is_header(std::string_view a, std::string_view b) {
  const auto lower = [](std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    });
    return out;
  };
  static constexpr std::pair<std::string_view, std::string_view> kHeaders[] = {
      {"source", "target"}, {"from", "to"}, {"node1", "node2"}};
  return std::ranges::any_of(kHeaders, [&](const auto& h) { return lower(a) == h.first && lower(b) == h.second; });
}

/// A first row "n m", or "n n m" as in MatrixMarket's files: how many nodes and edges follow.
struct SizeLine {
  std::uint64_t nodes = 0, edges = 0;
  static std::optional<SizeLine> of(const std::vector<std::string_view>& fields) {
    std::vector<std::uint64_t> numbers;
    for (const std::string_view field : fields) {
      const auto number = vertex_number(field);
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    if (numbers.size() == 3 && numbers[0] != numbers[1]) return std::nullopt;
    return SizeLine{numbers.front(), numbers.back()};
  }
  /// Whether as many edges follow it, among nodes with the numbers of n nodes.
  [[nodiscard]] bool fits(const RawGraph& graph) const {
    if (edges != graph.edges.size() - 1 || edges == 0) return false;
    for (std::size_t e = 1; e < graph.edges.size(); ++e)
      for (const std::size_t end : {graph.edges[e].first, graph.edges[e].second}) {
        const auto number = vertex_number(graph.nodes[end].id);
        if (!number || *number > nodes) return false;
      }
    return true;
  }
};

/// Without the first edge, and without those of its nodes that no other edge has.
void drop_first_edge(RawGraph& graph) {
  graph.edges.erase(graph.edges.begin());
  std::vector<std::size_t> place(graph.nodes.size(), 0);
  for (const auto& [a, b] : graph.edges) place[a] = place[b] = 1;
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] != 0) {
      place[i] = nodes.size();
      nodes.push_back(std::move(graph.nodes[i]));
    }
  graph.nodes = std::move(nodes);
  for (auto& [a, b] : graph.edges) {
    a = place[a];
    b = place[b];
  }
}

RawGraph parse_edges(std::string_view text, const std::string& file, MergeNames merge_names,
                     NameRule rule = NameRule::spelling) {
  RawGraph out;
  NameTable names(rule);
  std::deque<std::string> unescaped;  // names that outlive the reader of their row
  bool first = true, third = false;
  std::optional<SizeLine> sizes;  // if the first row may be one
  std::size_t line = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = trim(text.substr(begin, end - begin));
    begin = end + 1;
    ++line;
    if (row.empty() || row.front() == '#' || row.front() == '%') continue;
    if (line == 1 && row.starts_with("sep=")) continue;  // as Excel writes it
    const char separator = row.find('\t') != row.npos  ? '\t'
                           : row.find(';') != row.npos ? ';'
                           : row.find(',') != row.npos ? ','
                                                       : ' ';
    std::vector<std::string_view> fields;
    std::optional<RowReader> quoted;
    if (separator == ' ') {
      for (std::size_t at = 0; at < row.size();) {
        const std::size_t stop = std::min(row.find(' ', at), row.size());
        if (stop > at) fields.push_back(row.substr(at, stop - at));
        at = stop + 1;
      }
    } else {
      quoted.emplace(row, file, separator);
      static_cast<void>(quoted->next());
      fields.assign(quoted->fields().begin(), quoted->fields().end());
    }
    require<DataError>(fields.size() == 2 || fields.size() == 3,
                       "{}: The row has {} columns. An edge is two names; a third column is "
                       "allowed but not read.",
                       at_line(file, line), fields.size());
    require<DataError>(!fields[0].empty() && !fields[1].empty(),
                       "{}: An end of the edge has no name. Name both ends, or delete the row.", at_line(file, line));
    if (std::exchange(first, false) && is_header(fields[0], fields[1])) continue;
    third = third || fields.size() == 3;
    for (const std::size_t side : {0U, 1U})
      if (fields[side].data() < text.data() || fields[side].data() > text.data() + text.size())
        fields[side] = unescaped.emplace_back(fields[side]);
    if (out.edges.empty()) sizes = SizeLine::of(fields);
    const std::size_t a = names.number(fields[0]), b = names.number(fields[1]);
    out.edges.emplace_back(a, b);
  }
  if (const auto better = names.better_rule(merge_names)) return parse_edges(text, file, merge_names, *better);
  for (const std::string& id : names.names()) out.nodes.push_back({id, ""});
  out.guesses = names.notes("node");
  const bool sure = sizes && (sizes->edges > sizes->nodes || text.starts_with("%%MatrixMarket"));
  if (sizes && sizes->fits(out) && !sure) {
    out.notes.push_back(
        fmt::format("Does the first line say that there are {} nodes and {} edges? It was read as an "
                    "edge. If it says so, remove it.",
                    sizes->nodes, sizes->edges));
  } else if (sizes && sizes->fits(out)) {
    out.notes.push_back(
        fmt::format("The first line was read as the numbers of {} nodes and {} edges.", sizes->nodes, sizes->edges));
    drop_first_edge(out);
  }
  if (third) out.notes.emplace_back("The third column of the edges is not read.");
  order_by_value(out);
  return out;
}

#ifdef ALIDADE_HAS_BOOST_GRAPH

/// Boost's readers recurse once per level: deeper files would exhaust the stack.
constexpr int kDeepest = 200;

// ---- GraphML ----

/// How deep elements are nested; for malformed XML, at least as deep as a parser would find.
int depth_of_elements(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const auto past = [&](std::string_view end) {
      const std::size_t found = text.find(end, at);
      at = found == text.npos ? text.size() : found + end.size();
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

bool holds_graph(const boost::property_tree::ptree& element) {
  return std::ranges::any_of(element,
                             [](const auto& child) { return child.first == "graph" || holds_graph(child.second); });
}

/// Ids of nodes and edges to missing nodes, which Boost's reader does not report.
std::vector<Node> graphml_nodes(std::string_view text, const std::string& file) {
  namespace tree = boost::property_tree;
  require<DataError>(depth_of_elements(text) <= kDeepest,
                     "'{}' nests elements deeper than {} levels, the limit. Export the graph again.", file, kDeepest);
  tree::ptree root;
  try {
    std::istringstream in{std::string(text)};
    tree::read_xml(in, root, tree::xml_parser::no_comments);
  } catch (const tree::xml_parser_error& error) {
    throw DataError(fmt::format("{}: This is not well-formed XML ({}). Correct it, or export the graph again.",
                                at_line(file, error.line()), error.message()));
  }
  const auto graphml = root.get_child_optional("graphml");
  const auto graph = graphml ? graphml->get_child_optional("graph") : boost::none;
  require<DataError>(static_cast<bool>(graph),
                     "'{}' has no <graph> in a <graphml>. Give a GraphML file, or set the option "
                     "format.",
                     file);
  std::vector<Node> out;
  std::map<std::string, std::size_t> number;
  for (const auto& [tag, node] : *graph) {
    if (tag != "node") continue;
    const std::string id = node.get("<xmlattr>.id", "");
    require<DataError>(!id.empty(), "'{}': Node {} has no id. Give it one.", file, out.size() + 1);
    require<DataError>(number.emplace(id, out.size()).second,
                       "{}: Two nodes have the id '{}'. Give them different ids.", place_of(text, file, "id", id),
                       shown(id));
    require<DataError>(!holds_graph(node), "{}: Node '{}' contains a graph. Give a graph without graphs in nodes.",
                       place_of(text, file, "id", id), shown(id));
    out.push_back({id, ""});
  }
  // Boost's reader would merge the nodes of a nested graph into this one.
  require<DataError>(!holds_graph(*graph), "'{}' has a graph inside its graph. Give a graph without others in it.",
                     file);
  for (const auto& [tag, edge] : *graph) {
    if (tag != "edge") continue;
    for (const char* end : {"source", "target"}) {
      const std::string id = edge.get(std::string("<xmlattr>.") + end, "");
      require<DataError>(!id.empty(), "'{}': An edge has no {}. Name a node.", file, end);
      require<DataError>(number.contains(id), "{}: An edge's {} is '{}', which is not a node. Add it to the nodes.",
                         place_of(text, file, end, id), end, shown(id));
    }
  }
  return out;
}

/// The content that Boost's GraphML reader finds; vertices are numbers.
class RecordedGraph final : public boost::mutate_graph {
 public:
  RecordedGraph(RawGraph& graph, bool directed) : graph_(graph), directed_(directed) {}
  [[nodiscard]] bool is_directed() const override { return directed_; }
  boost::any do_add_vertex() override {
    require<DataError>(next_ < graph_.nodes.size(), "a node that is not declared");
    return next_++;
  }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    graph_.edges.emplace_back(boost::any_cast<std::size_t>(source), boost::any_cast<std::size_t>(target));
    return {boost::any(), true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_edge_property(const std::string&, boost::any, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string& name, boost::any vertex, const std::string& value,
                           const std::string&) override {
    std::string& own = graph_.nodes.at(boost::any_cast<std::size_t>(vertex)).name;
    if (name == "name" || (name == "label" && own.empty())) own = std::string(trim(value));
  }

 private:
  RawGraph& graph_;
  bool directed_;
  std::size_t next_ = 0;
};

RawGraph parse_graphml(std::string_view text, const std::string& file) {
  const std::vector<Node> nodes = graphml_nodes(text, file);
  for (const bool directed : {false, true}) {
    RawGraph out{nodes, {}, {}, {}};
    RecordedGraph recorded(out, directed);
    std::istringstream in{std::string(text)};
    try {
      boost::read_graphml(in, recorded, 0);
      if (directed) out.notes.emplace_back("The directions of edges are ignored.");
      return out;
    } catch (const boost::directed_graph_error&) {  // retry as directed
    } catch (const boost::undirected_graph_error&) {
      throw DataError(fmt::format("'{}' mixes directed and undirected edges. Use one kind only.", file));
    } catch (const std::exception& error) {
      throw DataError(fmt::format("'{}' is not GraphML that Boost.Graph can read ({}). Export the graph again.", file,
                                  shown(error.what())));
    }
  }
  throw DataError(fmt::format("'{}' mixes directed and undirected edges. Use one kind only.", file));
}

// ---- DOT ----

template <class Direction>
RawGraph dot_graph(const std::string& text) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, Direction, Node>;
  Graph graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&Node::id, graph));
  properties.property("label", boost::get(&Node::name, graph));
  boost::read_graphviz(text, graph, properties, "node_id");
  RawGraph out;
  for (auto [v, end] = boost::vertices(graph); v != end; ++v) {
    Node node = graph[*v];
    if (node.name == "\\N") node.name.clear();  // "its id", as of Graphviz
    out.nodes.push_back(std::move(node));
  }
  for (auto [e, end] = boost::edges(graph); e != end; ++e)
    out.edges.emplace_back(boost::source(*e, graph), boost::target(*e, graph));
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
  std::size_t fewest = 1, most = ends.size();
  if (complaint.find("<eof>") != complaint.npos) return most;  // as fewer lines would have it
  while (fewest < most) {
    const std::size_t middle = (fewest + most) / 2;
    if (dot_complaint(text.substr(0, ends[middle - 1])) == complaint)
      most = middle;
    else
      fewest = middle + 1;
  }
  return most;
}

/// How deep braces are nested, ignoring quotes and comments.
int depth_of_braces(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at).starts_with("/*")) {
      at = std::min(text.find("*/", at + 2), text.size());
    } else if (c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}') {
      --depth;
    }
  }
  return deepest;
}

RawGraph parse_dot(std::string_view given, const std::string& file) {
  const std::string text = dot_for_boost(given);
  require<DataError>(depth_of_braces(text) <= kDeepest,
                     "'{}' nests subgraphs deeper than {} levels. Export the graph with fewer.", file, kDeepest);
  try {
    RawGraph out = any_dot_graph(text);
    order_by_value(out);
    return out;
  } catch (const boost::bad_graphviz_syntax& error) {
    throw DataError(fmt::format("{}: Boost.Graph cannot read this as DOT ({}). Correct it, or export the graph again.",
                                at_line(file, line_of_complaint(text, error.errmsg)), shown(error.errmsg)));
  } catch (const boost::graph_exception& error) {
    throw DataError(fmt::format("'{}' cannot be read as DOT ({}). Export the graph again.", file, shown(error.what())));
  }
}

#else

[[noreturn]] RawGraph needs_boost_graph(const std::string& file) {
  throw DataError(
      fmt::format("'{}' is GraphML or DOT, but this alidade was built without Boost.Graph, which "
                  "reads them. Install it (Debian: libboost-graph-dev) and build again, or give a "
                  "list of edges.",
                  file));
}
RawGraph parse_graphml(std::string_view, const std::string& file) { needs_boost_graph(file); }
RawGraph parse_dot(std::string_view, const std::string& file) { needs_boost_graph(file); }

#endif

}  // namespace

GraphFormat graph_format_of(const std::filesystem::path& path) {
  const std::filesystem::path unpacked = path.extension() == ".gz" ? path.stem() : path;
  const std::string end = unpacked.extension().string();
  if (end == ".graphml" || end == ".xml") return GraphFormat::graphml;
  if (end == ".dot" || end == ".gv") return GraphFormat::dot;
  for (const char* edges : {".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"})
    if (end == edges) return GraphFormat::edges;
  throw ConfigError(
      fmt::format("'{}' does not end in .graphml, .dot, .gv, .csv, .tsv, .txt or .edges. Set the "
                  "option format: \"graphml\", \"dot\" or \"edges\".",
                  path.string()));
}

GraphFile parse_graph(std::string_view text, const std::string& name, GraphFormat format, MergeNames merge_names) {
  switch (format) {
    case GraphFormat::graphml: return finished(parse_graphml(text, name), name);
    case GraphFormat::dot: return finished(parse_dot(text, name), name);
    case GraphFormat::edges: break;
  }
  return finished(parse_edges(text, name, merge_names), name, true);
}

GraphFile read_graph(const std::filesystem::path& path, GraphFormat format, MergeNames merge_names) {
  return parse_graph(read_utf8(path), path.string(), format, merge_names);
}

PairSigns signs_of_graph(const GraphFile& graph) {
  std::vector<ObjectPair> similar;
  for (const auto& [i, j] : graph.edges) {
    similar.push_back({i, j});
    similar.push_back({j, i});
  }
  return {static_cast<Index>(graph.objects.size()), std::move(similar), {}, PairSigns::Others::dissimilar};
}

}  // namespace alidade::datasets
