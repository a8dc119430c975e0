#include "experiments/datasets/readers/edge_list.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <set>

#include "experiments/datasets/readers/numeric_table.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

/// Whether a header is that of a list of nodes, as Gephi exports them.
bool lists_nodes(const std::vector<std::string_view>& row) {
  const auto names = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(row, [&](std::string_view field) { return contains(words, plain_column(field)); });
  };
  return names({"id", "node"}) && names({"label", "name", "degree", "timeset", "interval"});
}

bool is_numeral(std::string_view text) { return parse_double(text).has_value(); }
bool is_vertex_number(std::string_view text) { return vertex_number(text).has_value(); }

/// A sign between two names in place of a node, as in DOT.
bool is_edge_sign(std::string_view text) {
  static constexpr std::string_view kEdgeSigns[] = {"--",  "->", "<-",     "<->",    "---",
                                                    "-->", "=>", "\u2192", "\u2013", "\u2014"};
  return contains(kEdgeSigns, text);
}

struct EdgeRow {
  std::vector<std::string_view> fields;
  std::size_t line = 0;
  bool quoted = false;                       // its first field
  std::optional<std::string_view> weight{};  // of networkx: "" without one
};

/// The separator of a row, outside its quotes; a blank if it has no other.
char separator_of(std::string_view row) {
  for (const char separator : {'\t', ';', ','})
    if (fields_in(row, separator).count > 1) return separator;
  return ' ';
}

/// The rows of a list of edges, without comments. Fields are views into the text or into this.
class EdgeRows {
 public:
  static constexpr std::size_t kMostFirst = 20'000;
  EdgeRows(std::string_view text, const std::string& file) : text_(text), lines_(text), file_(file) {
    try {
      while (first.size() <= kMostFirst)
        if (auto row = next())
          first.push_back(std::move(*row));
        else
          return;
    } catch (const DataError&) {  // what is wrong with the rows before it is said first
      fault_ = std::current_exception();
    }
  }
  /// The next row, or nothing at the end.
  [[nodiscard]] std::optional<EdgeRow> next() {
    if (fault_) std::rethrow_exception(fault_);
    while (lines_.next()) {
      const std::string_view row = trim(lines_.line());
      if (row.empty()) continue;
      const bool remark = row.front() == '#' || row.front() == '%';
      if (line() == 1 && (row.starts_with("sep=") || row.starts_with("\"sep="))) continue;  // as Excel writes it
      if (remark && !is_name(row)) {
        if (has_rows_)
          left_out.add("line begins with # or %, as a remark does,", "lines begin with # or %, as remarks do,", line());
        continue;
      }
      has_rows_ = true;
      if (EdgeRow out = row_of(row); !repeats_header(out)) return out;
    }
    return std::nullopt;
  }
  /// Takes the first row for the header: later ones with its fields, in any case, are left out.
  void take_header() {
    header_.clear();
    for (const std::string_view field : first.front().fields) header_.push_back(lower_ascii(field));
    std::erase_if(first, [&](const EdgeRow& row) { return &row != first.data() && repeats_header(row); });
  }
  [[nodiscard]] bool has_lines() const { return line() > 0; }
  [[nodiscard]] bool has_fault() const { return fault_ != nullptr; }

  std::vector<EdgeRow> first;  // all rows, or the first kMostFirst + 1
  Reading left_out;

 private:
  [[noreturn]] void bad_quotes() const { throw DataError(fmt::format(words::kOpenQuote, at_line(file_, line()))); }
  std::vector<std::string_view> between_blanks(std::string_view row) {
    if (row.find('"') == row.npos) return words_between_blanks(row);
    std::vector<std::string_view> out;
    for (std::string& field : blank_fields(row)) out.push_back(unquoted_.emplace_back(std::move(field)));
    if (out.empty()) bad_quotes();
    return out;
  }
  std::vector<std::string_view> separated(std::string_view row) {
    RowReader reader(row, file_, separator_);
    try {
      static_cast<void>(reader.next());
    } catch (const DataError&) {  // it does not know the line
      bad_quotes();
    }
    std::vector<std::string_view> out(reader.fields().begin(), reader.fields().end());
    for (std::string_view& field : out)
      if (field.data() < text_.data() || field.data() > text_.data() + text_.size())
        field = unquoted_.emplace_back(field);
    return out;
  }

  [[nodiscard]] std::size_t line() const { return lines_.number(); }
  EdgeRow row_of(std::string_view row) {
    EdgeRow out{{}, line(), row.front() == '"', std::nullopt};
    // Another separator may be part of a name.
    if (separator_ == '\0' || row.find(separator_) == row.npos) separator_ = separator_of(row);
    std::string_view ends = row, whole = lines_.line();
    if (separator_ == ' ' || row.ends_with('}')) take_attributes(ends, out);
    if (ends.size() < row.size()) separator_ = separator_of(ends);
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    out.fields = separator_ == ' ' ? between_blanks(ends) : separated(separator_ == '\t' ? whole : ends);
    return out;
  }
  bool repeats_header(const EdgeRow& row) {
    const bool repeats = !header_.empty() && std::ranges::equal(row.fields, header_, {},
                                                                [](std::string_view one) { return lower_ascii(one); });
    if (repeats) left_out.add("line repeats the header", "lines repeat the header", row.line);
    return repeats;
  }
  /// Whether a row that begins with # or % names a node so: no blank follows it, and it has two fields or more between
  /// separators, as the rows before it.
  [[nodiscard]] bool is_name(std::string_view row) const {
    return has_rows_ && separator_ != ' ' && row.size() > 1 && row[1] != ' ' && row[1] != row[0] &&
           row.find(separator_) != row.npos;
  }
  /// Takes a last field such as {'weight': 1}, as networkx writes it.
  static void take_attributes(std::string_view& row, EdgeRow& out) {
    const std::size_t open = row.rfind('{');
    if (!row.ends_with('}') || open == row.npos || open == 0 || row[open - 1] != ' ') return;
    const std::string_view inside = row.substr(open + 1, row.size() - open - 2);
    out.weight = "";
    for (const std::string_view entry : list_entries(inside)) {
      const std::size_t colon = entry.find(':');
      if (colon != entry.npos && lower_ascii(entry.substr(0, colon)).find("weight") != std::string::npos)
        out.weight = trim(entry.substr(colon + 1));
    }
    row = trim(row.substr(0, open));
  }

  std::string_view text_;
  LineReader lines_;
  const std::string& file_;
  char separator_ = '\0';
  bool has_rows_ = false;
  std::exception_ptr fault_{};
  std::vector<std::string> header_;  // in lower case
  std::deque<std::string> unquoted_;
};

/// Whether the first column holds row names, as R writes them, where the header has one field less than every row. If
/// not, the last column has no name. @throws DataError if both readings fit
bool begins_with_row_names(std::span<const EdgeRow> rows, const PairColumns& named, const std::string& file) {
  auto first = mapped(rows, [](const EdgeRow& row) { return row.fields[0]; });
  std::ranges::sort(first);
  if (std::ranges::adjacent_find(first) != first.end()) return false;
  const auto all = [&](std::size_t column, auto is) {
    return std::ranges::all_of(rows, [&](const EdgeRow& row) { return is(row.fields[column]); });
  };
  if (all(rows[0].fields.size() - 1, [](std::string_view field) { return field.empty(); })) return false;
  const std::size_t a = named.a + 1, b = named.b + 1;
  const bool numbers = all(a, is_numeral) && all(b, is_numeral);
  if (all(0, is_vertex_number)) {
    if (!numbers) return !all(std::max(a, b), is_numeral);
    if (!all(a, is_vertex_number) || !all(b, is_vertex_number)) return false;
    if (std::ranges::all_of(rows, &EdgeRow::quoted)) return true;
    throw DataError(fmt::format(words::kNamelessColumn, at_line(file, rows[0].line)));
  }
  if (all(std::max(a, b), is_numeral)) return false;
  return std::ranges::none_of(rows, [&](const EdgeRow& row) {
    return std::ranges::binary_search(first, row.fields[a]) || std::ranges::binary_search(first, row.fields[b]);
  });
}

/// "'a', 'b' and 'c'"
std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", shown(names[i]));
  return out;
}

/// The column of a header that is called weight.
std::optional<std::size_t> weight_column(const std::vector<std::string_view>& header) {
  const auto position =
      std::ranges::find_if(header, [](std::string_view column) { return plain_column(column) == "weight"; });
  if (position == header.end()) return std::nullopt;
  return static_cast<std::size_t>(position - header.begin());
}

/// A note that names a header's columns besides those of the ends and their weight.
std::string unread_in(const std::vector<std::string_view>& header, const PairColumns& ends) {
  return note_on_unread(header,
                        [&](std::size_t c) { return c == ends.a || c == ends.b || c == weight_column(header); });
}

/// Refuses a list of edges that begins as another format does. @throws DataError
void require_edges(const std::vector<std::string_view>& first, const std::string& file) {
  const std::string word = plain_column(first[0]);
  if (first[0].starts_with('*') && plain_column(first[0].substr(1)) == "vertices")
    throw DataError(how_to_convert(kOtherFormats[2], file));
  if (first.size() == 2 && word == "graph" && first[1] == "[") throw DataError(how_to_convert(kOtherFormats[1], file));
  const bool joined = first[0].find("--") != std::string_view::npos || first[0].find("->") != std::string_view::npos;
  require<DataError>(!joined || (first.size() > 1 && !first[1].empty()), words::kEdgeOfDot, file, shown(first[0]));
  require<DataError>(!first[0].starts_with("<?xml") && !first[0].starts_with("<gexf") &&
                         !first[0].starts_with("<graphml") && first.back() != "{",
                     words::kNoEdgeList, file, shown(first[0]));
}

/// The graph of a square table with an entry for each pair of nodes, named above and beside it or not at all; nothing
/// if the rows are none. Entries other than 0 are edges. Without names it must be symmetric and of 0 and 1 alone.
std::optional<RawGraph> adjacency_of(const std::vector<EdgeRow>& rows, bool headed) {
  constexpr std::size_t kFewest = 3, kMost = EdgeRows::kMostFirst;
  const std::size_t above = headed ? 1 : 0, n = rows.size() - std::min(rows.size(), above);
  if (n < kFewest || n > kMost || rows[0].fields.size() > n + above) return std::nullopt;
  const auto entry = [&](std::size_t i, std::size_t j) { return parse_double(rows[i + above].fields[j + above]); };
  RawGraph out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<std::string_view>& fields = rows[i + above].fields;
    if (fields.size() != n + above || rows[0].fields.size() < n) return std::nullopt;
    const std::string_view name = headed ? fields[0] : std::string_view();
    if (headed && rows[0].fields[i + rows[0].fields.size() - n] != name) return std::nullopt;
    out.nodes.push_back({headed ? std::string(name) : std::to_string(i + 1), ""});
  }
  bool directed = false, weighted = false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto value = entry(i, j), back = entry(j, i);
      if (!value || !back) return std::nullopt;
      if (!headed && ((*value != 0 && *value != 1) || value != back || (i == j && *value != 0))) return std::nullopt;
      directed = directed || value != back;
      weighted = weighted || (*value != 0 && *value != 1);
      if (*value == 0 || (j < i && *back != 0)) continue;
      out.edges.emplace_back(i, j);
      out.weights.push_back(*value);
    }
  // Where every pair has an entry, these are distances.
  if (out.edges.size() >= n * (n - 1) / 2) return std::nullopt;
  if (!weighted) out.weights.clear();
  add_note(out.guesses, words::kReadAsAdjacency);
  if (directed) add_note(out, "The directions of edges are ignored.");
  return out;
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

/// Without the first edge and its copies, and without those of its nodes that no other edge has.
void drop_first_edge(RawGraph& graph) {
  const auto first = graph.edges.front();
  for (std::size_t e = graph.edges.size(); e-- > 0;) {
    if (graph.edges[e] != first) continue;
    graph.edges.erase(graph.edges.begin() + static_cast<std::ptrdiff_t>(e));
    if (!graph.weights.empty()) graph.weights.erase(graph.weights.begin() + static_cast<std::ptrdiff_t>(e));
  }
  std::vector<bool> used(graph.nodes.size());
  for (const auto& [a, b] : graph.edges) used[a] = used[b] = true;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) kept.push_back(i);
  keep_nodes(graph, kept);
}

/// What the first row of a list of edges is, and with it where the ends of an edge are.
struct EdgeLayout {
  PairColumns columns;
  bool header = false;
  bool maybe_header = false;            // two names that can be nodes as well: other rows decide
  bool arrows = false;                  // a sign stands between the ends
  std::size_t width = 3;                // the most fields of a row
  std::optional<std::size_t> weight{};  // the column of weights
  std::vector<std::string> notes{};
};

/// @throws DataError for a list of nodes
EdgeLayout layout_of_edges(const EdgeRow& head, std::span<const EdgeRow> rows, const std::string& file) {
  require_edges(head.fields, file);
  EdgeLayout out;
  const std::size_t named = head.fields.size();
  const auto is_wider = [&](const EdgeRow& row) { return row.fields.size() == named + 1; };
  const bool wider = !rows.empty() && std::ranges::all_of(rows, is_wider);
  const bool arrows = named >= 3 && (is_edge_sign(head.fields[1]) || head.fields[1] == "-");
  const auto ends = arrows ? std::nullopt : pair_columns(head.fields);
  require<DataError>(ends || !lists_nodes(head.fields), words::kListOfNodes, at_line(file, head.line),
                     quoted_list(head.fields));
  if (!ends) {
    const bool names = std::ranges::none_of(head.fields, is_numeral);
    if (named == 2 && wider && names && !is_edge_sign(rows[0].fields[1]) && begins_with_row_names(rows, {}, file)) {
      out.header = true;
      out.columns = {1, 2};
      add_note(out, words::kHeaderWithoutRowNames, quoted_list(head.fields));
      return out;
    }
    if (arrows) {
      out.arrows = true;
      out.columns = {0, 2};
      out.width = 4;
      add_note(out, "'{}' between two names was read as an edge between them.", shown(head.fields[1]));
    }
    return out;
  }
  out.columns = *ends;
  out.width = named;
  const bool row_names = wider && begins_with_row_names(rows, *ends, file);
  const bool weighted = named == 3 && std::max(ends->a, ends->b) == 1 && !rows.empty() && rows[0].fields.size() == 3 &&
                        !is_numeral(head.fields[2]) && is_numeral(rows[0].fields[2]);
  if (ends->may_be_names && !weighted && !row_names) {
    out.maybe_header = true;
    out.width = std::max(named, std::size_t{3});
    return out;
  }
  out.header = true;
  out.weight = weight_column(head.fields);
  add_note(out, unread_in(head.fields, *ends));
  if (wider) {
    out.width = named + 1;
    if (row_names) {
      ++out.columns.a;
      ++out.columns.b;
      if (out.weight) ++*out.weight;
    }
    add_note(out, row_names ? words::kRowNamesInList : "The header does not name the last column, which is not read.");
  }
  return out;
}

/// How the first row differs from the others.
struct FirstRow {
  bool alone = false;  // its two names are in no other row, but perhaps in copies of it, as joined files have them
  bool odd = false;    // unlike every other edge, which has an end that is a number or in more than one edge
};
FirstRow first_row_of(const RawGraph& graph) {
  if (graph.edges.size() < 2) return {};
  std::vector<std::size_t> count(graph.nodes.size(), 0);
  const auto [first, second] = graph.edges.front();
  for (const auto& [a, b] : graph.edges) {
    if (a == first && b == second) continue;
    ++count[a];
    ++count[b];
  }
  if (first == second || count[first] != 0 || count[second] != 0) return {};
  if (is_numeral(graph.nodes[first].id) || is_numeral(graph.nodes[second].id)) return {};
  const auto fits = [&](std::size_t node) { return count[node] > 1 || is_numeral(graph.nodes[node].id); };
  return {true, std::ranges::all_of(graph.edges, [&](const auto& edge) {
            return edge == graph.edges.front() || fits(edge.first) || fits(edge.second);
          })};
}

/// Reads the edges row by row, then judges what the first row was.
class EdgeList {
 public:
  EdgeList(std::string_view text, const std::string& file) : text_(text), file_(file), rows_(text, file) {}

  RawGraph read(MergeNames merge_names) {
    const std::vector<EdgeRow>& rows = rows_.first;
    if (rows.empty()) static_cast<void>(rows_.next());
    require<DataError>(!rows.empty() || !rows_.has_lines(), words::kOnlyRemarks, file_);
    for (const bool headed : {false, true})
      if (auto matrix = rows_.has_fault() ? std::nullopt : adjacency_of(rows, headed)) return *std::move(matrix);
    if (!rows.empty()) add_rows();
    require_edges_below(layout_.header);
    const std::vector<std::uint32_t> number = names_.merge(merge_names);
    for (auto& [a, b] : out_.edges) a = number[a], b = number[b];
    for (const std::string& id : names_.names()) out_.nodes.push_back({id, ""});
    out_.guesses = names_.notes("node");
    out_.notes = std::move(layout_.notes);
    add_note(out_, rows_.left_out.notes());
    judge_first_row();
    judge_weights();
    note_third_column();
    order_by_value(out_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] const EdgeRow& head() const { return rows_.first.front(); }

  void add_rows() {
    const std::vector<EdgeRow>& rows = rows_.first;
    if (const auto ends = pair_columns(head().fields); ends && !ends->may_be_names) rows_.take_header();
    layout_ = layout_of_edges(head(), std::span(rows).subspan(1), file_);
    if (layout_.header) rows_.take_header();
    for (std::size_t r = layout_.header ? 1 : 0; r < rows.size(); ++r) add(rows[r]);
    while (const auto row = rows_.next()) add(*row);
  }

  void add(const EdgeRow& row) {
    const auto [a, b, may_be_names] = layout_.columns;
    const std::vector<std::string_view>& fields = row.fields;
    const std::string place = at_line(file_, row.line);
    require<DataError>(fields.size() > std::max(a, b) && fields.size() <= layout_.width, words::kEdgeWidth, place,
                       counted(fields.size(), "column"));
    require<DataError>(!fields[a].empty() && !fields[b].empty(), words::kNamelessEnd, place);
    require<DataError>(!layout_.arrows || is_edge_sign(fields[1]) || fields[1] == "-", words::kOtherSign, place,
                       shown(fields[1]), shown(head().fields[1]));
    for (const std::size_t side : {a, b})
      require<DataError>(!is_edge_sign(fields[side]), words::kSignForName, place, shown(fields[side]));
    if (!layout_.header && !layout_.arrows && fields.size() == 3 && !fields[2].empty()) {
      third_ = true;
      if (word_.empty() && !out_.edges.empty() && !is_numeral(fields[2])) word_ = fields[2];
    }
    if (out_.edges.empty() && !layout_.header) sizes_ = SizeLine::of(fields);
    const std::size_t i = names_.number(fields[a]), j = names_.number(fields[b]);
    out_.edges.emplace_back(i, j);
    if (row.weight) {
      out_.weights.resize(out_.edges.size() - 1, 1);
      out_.weights.push_back(row.weight->empty() ? 1 : edge_weight(*row.weight));
    } else if (layout_.weight) {
      out_.weights.push_back(weight_of(*layout_.weight < fields.size() ? fields[*layout_.weight] : ""));
    }
  }

  /// NaN if it is no number.
  double weight_of(std::string_view text) {
    double value = edge_weight(text);
    if (const auto spaced = spaced_number(text)) value = *spaced, spaced_ = true;
    if (std::isnan(value) && has_decimal_comma(text)) {
      const std::size_t at = text.find(',');
      value = edge_weight(with_decimal_point(text));
      if (text.size() != at + 4 || at > 3 || text.front() == '0') comma_ = Comma::decimal;
      if (comma_ == Comma::none) comma_ = Comma::unknown;
    } else if (const auto with = std::isnan(value) ? number_with_unit(text) : std::nullopt) {
      units_.insert(with->unit);
      return with->value;
    }
    if (!std::isnan(value)) units_.insert("");
    return value;
  }

  /// Says how weights were read, or why they were not.
  void judge_weights() {
    if (units_.size() > 1 || comma_ == Comma::unknown) {
      out_.weights.clear();
      add_note(out_, units_.size() > 1 ? words::kUnlikeUnits : words::kUnclearCommas);
      return;
    }
    if (comma_ == Comma::decimal) add_note(out_.guesses, "Decimal commas are read as points.");
    if (spaced_) add_note(out_.guesses, "Spaces before thousands in weights of edges were left out.");
    if (units_.size() == 1 && !units_.begin()->empty()) add_note(out_.guesses, words::kUnitOfWeights, *units_.begin());
  }

  void require_edges_below(bool header) const {
    require<DataError>(!header || !out_.edges.empty(), "'{}' has a header but no edges. Give edges below it.", file_);
  }

  /// Sizes, a header or an edge.
  void judge_first_row() {
    if (sizes_ && sizes_->fits(out_)) {
      const bool sure = sizes_->edges > sizes_->nodes || text_.starts_with("%%MatrixMarket");
      const auto sizes = fmt::format("{} nodes and {} edges", sizes_->nodes, sizes_->edges);
      add_note(out_, sure ? fmt::format("The first line was read as the numbers of {}.", sizes)
                          : fmt::format(words::kMaybeSizes, sizes));
      if (sure) drop_first_edge(out_);
    } else if (!rows_.first.empty() && !layout_.header && !layout_.arrows) {
      judge_header();
    }
  }

  void judge_header() {
    const std::size_t a = layout_.columns.a, b = layout_.columns.b;
    const auto [alone, odd] = first_row_of(out_);
    const std::string ends = quoted_list({head().fields[a], head().fields[b]});
    const bool by_place = a + b == 1 && head().fields.size() <= 3;  // whether or not it is a header
    require<DataError>(alone || by_place, words::kColumnsOrNodes, at_line(file_, head().line), ends);
    const bool numbers = alone && !third_ &&
                         std::all_of(out_.nodes.begin() + 2, out_.nodes.end(),
                                     [](const GraphNode& node) { return is_numeral(node.id); });
    if (alone && (!by_place || (odd && (layout_.maybe_header || numbers)))) {
      add_note(out_.guesses, words::kReadAsHeaderOfEdges, ends);
      drop_first_edge(out_);
      add_note(out_, unread_in(head().fields, layout_.columns));
      third_ = false;
      word_ = {};
      require_edges_below(true);
    } else if (alone && (odd || layout_.maybe_header)) {
      add_note(out_, words::kMaybeHeaderOfEdges, ends);
    }
  }

  void note_third_column() {
    if (!word_.empty())
      add_note(out_, words::kThirdColumnOfWords, shown(word_));
    else if (third_)
      add_note(out_, words::kThirdColumn);
  }

  std::string_view text_;
  const std::string& file_;
  NameTable names_;
  EdgeRows rows_;
  EdgeLayout layout_{};
  RawGraph out_{};
  std::optional<SizeLine> sizes_{};                                  // if the first row may be one
  std::set<std::string> units_{};                                    // of weights; "": a number alone
  enum class Comma { none, unknown, decimal } comma_ = Comma::none;  // what commas in weights are
  bool spaced_ = false;                                              // whether weights have spaces before thousands
  bool third_ = false;       // whether rows have a third column, which is not read
  std::string_view word_{};  // in it
};

}  // namespace

RawGraph parse_edges(std::string_view text, const std::string& file, MergeNames merge_names) {
  return EdgeList(text, file).read(merge_names);
}

namespace {

/// A file of a graph whose vertices have the numbers from 1 on, line by line.
class NumberedGraph {
 public:
  NumberedGraph(std::string_view text, const std::string& file) : lines_(text), file_(file) {}

  /// Goes to the next line with words; false at the end.
  [[nodiscard]] bool next() {
    for (words.clear(); words.empty() && lines_.next();) words = words_between_blanks(lines_.line());
    return !words.empty();
  }
  [[nodiscard]] std::string place() const { return at_line(file_, lines_.number()); }
  [[nodiscard]] std::string word_count() const { return counted(words.size(), "word"); }

  /// Takes the two words for the numbers of vertices and of edges, none of which there are yet.
  void take_sizes(std::string_view vertices, std::string_view edges) {
    constexpr std::uint64_t kMost = 2'000'000;
    const std::uint64_t n = whole(vertices, "vertices");
    require<DataError>(n <= kMost, words::kTooManyVertices, place(), n, kMost);
    for (std::uint64_t i = 1; i <= n; ++i) graph.nodes.push_back({std::to_string(i), ""});
    promised = whole(edges, "edges");
    has_sizes = true;
  }
  /// The edge between the vertices of two words.
  [[nodiscard]] std::pair<std::size_t, std::size_t> edge(std::size_t first) const {
    return {vertex(words[first]), vertex(words[first + 1])};
  }
  [[nodiscard]] double weight(std::size_t at) const {
    const auto value = parse_double(words[at]);
    require<DataError>(value && std::isfinite(*value), "{}: '{}' is not a finite number.", place(), shown(words[at]));
    return *value;
  }
  [[nodiscard]] RawGraph with_all(std::uint64_t actual, const char* noun) {
    require<DataError>(promised == actual, "'{}' promises {}, but has {}. Is it complete?", file_,
                       counted(promised, noun), actual);
    return std::move(graph);
  }

  std::vector<std::string_view> words;  // of the line
  RawGraph graph{};
  bool has_sizes = false;
  std::uint64_t promised = 0;  // edges

 private:
  [[nodiscard]] std::uint64_t whole(std::string_view word, std::string_view what) const {
    const auto number = vertex_number(word);
    require<DataError>(number.has_value(), "{}: '{}' is not a number of {}. Write a whole number.", place(),
                       shown(word), what);
    return *number;
  }
  [[nodiscard]] std::size_t vertex(std::string_view word) const {
    const auto number = vertex_number(word);
    require<DataError>(number && *number >= 1 && *number <= graph.nodes.size(), words::kNoVertex, place(), shown(word),
                       graph.nodes.size());
    return static_cast<std::size_t>(*number - 1);
  }

  LineReader lines_;
  const std::string& file_;
};

}  // namespace

RawGraph parse_dimacs(std::string_view text, const std::string& file) {
  NumberedGraph in(text, file);
  while (in.next()) {
    const std::string_view kind = in.words[0];
    if (kind.starts_with('c')) continue;
    if (kind == "p") {
      require<DataError>(!in.has_sizes, "{}: There is a second line 'p'. Keep one.", in.place());
      require<DataError>(in.words.size() == 4, "{}: The line has {}. Write 'p edge VERTICES EDGES'.", in.place(),
                         in.word_count());
      in.take_sizes(in.words[2], in.words[3]);
      continue;
    }
    require<DataError>(in.has_sizes, "{}: No line 'p edge VERTICES EDGES' stands above. Add it.", in.place());
    if (kind == "n" || kind == "d" || kind == "v" || kind == "x") continue;  // of vertices, not edges
    require<DataError>(kind == "e" && in.words.size() == 3, "{}: This is not an edge. Write 'e I J'.", in.place());
    in.graph.edges.push_back(in.edge(1));
  }
  require<DataError>(in.has_sizes, "'{}' has no line 'p edge VERTICES EDGES'. Add it.", file);
  const std::uint64_t actual = in.graph.edges.size();
  if (actual != in.promised && actual != 2 * in.promised)
    add_note(in.graph, "The file promises {} and has {}. Is it complete?", counted(in.promised, "edge"), actual);
  return std::move(in.graph);
}

RawGraph parse_matrix_market(std::string_view text, const std::string& file) {
  NumberedGraph in(text, file);
  require<DataError>(in.next() && in.words.size() == 5 && in.words[0] == "%%MatrixMarket", words::kNoMatrixMarket,
                     file);
  const std::string form = lower_ascii(in.words[2]), field = lower_ascii(in.words[3]);
  require<DataError>(form == "coordinate", words::kDenseMatrix, in.place(), shown(form));
  require<DataError>(field == "real" || field == "double" || field == "integer" || field == "pattern",
                     words::kOtherEntries, in.place(), shown(field));
  require<DataError>(lower_ascii(in.words[4]) != "skew-symmetric", words::kSkewSymmetric, in.place());
  const std::size_t width = field == "pattern" ? 2 : 3;
  std::uint64_t actual = 0;
  while (in.next()) {
    if (in.words[0].starts_with('%')) continue;
    if (!in.has_sizes) {
      require<DataError>(in.words.size() == 3, "{}: The line has {}. Write 'ROWS COLUMNS ENTRIES'.", in.place(),
                         in.word_count());
      require<DataError>(in.words[0] == in.words[1], "{}: The matrix is {} x {}. That of a graph is square.",
                         in.place(), shown(in.words[0]), shown(in.words[1]));
      in.take_sizes(in.words[0], in.words[2]);
      continue;
    }
    require<DataError>(in.words.size() == width, "{}: The entry has {}, and entries of '{}' have {}.", in.place(),
                       in.word_count(), field, width);
    ++actual;
    const double value = width == 3 ? in.weight(2) : 1;
    const auto edge = in.edge(0);
    if (value != 0) in.graph.edges.push_back(edge), in.graph.weights.push_back(value);
  }
  require<DataError>(in.has_sizes, "'{}' has no line 'ROWS COLUMNS ENTRIES'. Add it.", file);
  return in.with_all(actual, "entry");
}

RawGraph parse_gset(std::string_view text, const std::string& file) {
  NumberedGraph in(text, file);
  require<DataError>(in.next(), words::kEmptyGset, file);
  require<DataError>(in.words.size() == 2, "{}: The line has {}. Write 'VERTICES EDGES'.", in.place(), in.word_count());
  in.take_sizes(in.words[0], in.words[1]);
  while (in.next()) {
    require<DataError>(in.words.size() == 2 || in.words.size() == 3,
                       "{}: The line has {}. Write 'I J' or 'I J WEIGHT'.", in.place(), in.word_count());
    in.graph.weights.push_back(in.words.size() == 3 ? in.weight(2) : 1);
    in.graph.edges.push_back(in.edge(0));
  }
  return in.with_all(in.graph.edges.size(), "edge");
}

}  // namespace alidade::datasets
