#include "experiments/datasets/readers/raw_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// The words of each line that has any.
class WordLines {
 public:
  WordLines(std::string_view text, const std::string& file) : lines_(text), file_(file) {}
  [[nodiscard]] bool next() {
    for (words_.clear(); words_.empty() && lines_.next();) words_ = words_between_blanks(lines_.line());
    return !words_.empty();
  }
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  [[nodiscard]] std::string place() const { return at_line(file_, lines_.number()); }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  LineReader lines_;
  const std::string& file_;
  std::vector<std::string_view> words_;
};

/// A graph of that many vertices without edges yet.
RawGraph with_vertices(std::string_view count, const WordLines& at) {
  constexpr std::uint64_t kMost = 2'000'000;
  const auto n = vertex_number(count);
  require<DataError>(n.has_value(), "{}: '{}' is not a number of vertices. Write a whole number.", at.place(),
                     shown(count));
  require<DataError>(*n <= kMost, "{}: The graph has {} vertices, and the limit is {}. Give a part of it.", at.place(),
                     *n, kMost);
  RawGraph out;
  for (std::uint64_t i = 1; i <= *n; ++i) out.nodes.push_back({std::to_string(i), ""});
  return out;
}

std::uint64_t edge_count(std::string_view word, const WordLines& at) {
  const auto count = vertex_number(word);
  require<DataError>(count.has_value(), "{}: '{}' is not a number of edges. Write a whole number.", at.place(),
                     shown(word));
  return *count;
}

std::size_t vertex(std::string_view word, const RawGraph& graph, const WordLines& at) {
  const auto number = vertex_number(word);
  require<DataError>(number && *number >= 1 && *number <= graph.nodes.size(),
                     "{}: '{}' is not a vertex. Vertices are the numbers from 1 to {}.", at.place(), shown(word),
                     graph.nodes.size());
  return static_cast<std::size_t>(*number - 1);
}

void add_edge(std::string_view i, std::string_view j, RawGraph& graph, const WordLines& at) {
  graph.edges.emplace_back(vertex(i, graph, at), vertex(j, graph, at));
}

void add_weighted_edge(std::string_view i, std::string_view j, double weight, RawGraph& graph, const WordLines& at) {
  add_edge(i, j, graph, at);
  graph.weights.push_back(weight);
}

double weight(std::string_view word, const WordLines& at) {
  const auto value = parse_double(word);
  require<DataError>(value && std::isfinite(*value), "{}: '{}' is not a finite number.", at.place(), shown(word));
  return *value;
}

void require_all(std::uint64_t promised, std::uint64_t actual, const char* noun, const std::string& file) {
  require<DataError>(promised == actual, "'{}' promises {}, but has {}. Is it complete?", file, counted(promised, noun),
                     actual);
}

}  // namespace

RawGraph parse_dimacs(std::string_view text, const std::string& file) {
  WordLines lines(text, file);
  std::optional<RawGraph> out;
  std::uint64_t promised = 0;
  while (lines.next()) {
    const auto& words = lines.words();
    if (words[0].starts_with('c')) continue;
    if (words[0] == "p") {
      require<DataError>(!out, "{}: There is a second line 'p'. Keep one.", lines.place());
      require<DataError>(words.size() == 4, "{}: The line has {}. Write 'p edge VERTICES EDGES'.", lines.place(),
                         counted(words.size(), "word"));
      out = with_vertices(words[2], lines);
      promised = edge_count(words[3], lines);
      continue;
    }
    require<DataError>(out.has_value(), "{}: No line 'p edge VERTICES EDGES' stands above. Add it.", lines.place());
    if (words[0] == "n" || words[0] == "d" || words[0] == "v" || words[0] == "x") continue;  // of vertices, not edges
    require<DataError>(words[0] == "e" && words.size() == 3, "{}: This is not an edge. Write 'e I J'.", lines.place());
    add_edge(words[1], words[2], *out, lines);
  }
  require<DataError>(out.has_value(), "'{}' has no line 'p edge VERTICES EDGES'. Add it.", file);
  const std::uint64_t actual = out->edges.size();
  if (actual != promised && actual != 2 * promised)
    out->notes.push_back(
        fmt::format("The file promises {} and has {}. Is it complete?", counted(promised, "edge"), actual));
  return std::move(*out);
}

RawGraph parse_matrix_market(std::string_view text, const std::string& file) {
  WordLines lines(text, file);
  require<DataError>(lines.next() && lines.words().size() == 5 && lines.words()[0] == "%%MatrixMarket",
                     "'{}' does not begin with '%%MatrixMarket matrix coordinate FIELD SYMMETRY'. Is it of another "
                     "format? Say which: --set dataset.0.format=edges (in a config: format = \"edges\").",
                     file);
  const std::string form = lower_ascii(lines.words()[2]), field = lower_ascii(lines.words()[3]);
  require<DataError>(form == "coordinate", "{}: The matrix is dense ('{}'). Give a sparse one ('coordinate').",
                     lines.place(), shown(form));
  require<DataError>(field == "real" || field == "double" || field == "integer" || field == "pattern",
                     "{}: The entries are '{}'. Give real, integer or pattern entries.", lines.place(), shown(field));
  require<DataError>(lower_ascii(lines.words()[4]) != "skew-symmetric",
                     "{}: The matrix is skew-symmetric: each entry has the opposite sign in the other direction, so it "
                     "is no undirected graph. Give a symmetric or a general one.",
                     lines.place());
  const std::size_t width = field == "pattern" ? 2 : 3;
  std::optional<RawGraph> out;
  std::uint64_t promised = 0, actual = 0;
  while (lines.next()) {
    const auto& words = lines.words();
    if (words[0].starts_with('%')) continue;
    if (!out) {
      require<DataError>(words.size() == 3, "{}: The line has {}. Write 'ROWS COLUMNS ENTRIES'.", lines.place(),
                         counted(words.size(), "word"));
      require<DataError>(words[0] == words[1], "{}: The matrix is {} x {}. That of a graph is square.", lines.place(),
                         shown(words[0]), shown(words[1]));
      out = with_vertices(words[0], lines);
      promised = edge_count(words[2], lines);
      continue;
    }
    require<DataError>(words.size() == width, "{}: The entry has {}, and entries of '{}' have {}.", lines.place(),
                       counted(words.size(), "word"), field, width);
    ++actual;
    const double value = width == 3 ? weight(words[2], lines) : 1;
    if (value != 0)
      add_weighted_edge(words[0], words[1], value, *out, lines);
    else
      static_cast<void>(vertex(words[0], *out, lines) + vertex(words[1], *out, lines));
  }
  require<DataError>(out.has_value(), "'{}' has no line 'ROWS COLUMNS ENTRIES'. Add it.", file);
  require_all(promised, actual, "entry", file);
  return std::move(*out);
}

RawGraph parse_gset(std::string_view text, const std::string& file) {
  WordLines lines(text, file);
  require<DataError>(lines.next(), "'{}' is empty. Write a line 'VERTICES EDGES' and the edges below.", file);
  require<DataError>(lines.words().size() == 2, "{}: The line has {}. Write 'VERTICES EDGES'.", lines.place(),
                     counted(lines.words().size(), "word"));
  RawGraph out = with_vertices(lines.words()[0], lines);
  const std::uint64_t promised = edge_count(lines.words()[1], lines);
  while (lines.next()) {
    const auto& words = lines.words();
    require<DataError>(words.size() == 2 || words.size() == 3, "{}: The line has {}. Write 'I J' or 'I J WEIGHT'.",
                       lines.place(), counted(words.size(), "word"));
    add_weighted_edge(words[0], words[1], words.size() == 3 ? weight(words[2], lines) : 1, out, lines);
  }
  require_all(promised, out.edges.size(), "edge", file);
  return out;
}

}  // namespace alidade::datasets
