#include "experiments/datasets/readers/pair_sign_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "experiments/datasets/readers/column_roles.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/datasets/readers/table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/table_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"a", "b", "sign"};

std::optional<int> sign_of(std::string_view text) {
  const auto number = parse_double(text);
  if (!number || (*number != 1 && *number != -1 && *number != 0)) return std::nullopt;
  return static_cast<int>(*number);
}

struct Row {
  ObjectPair pair;
  int sign;
  std::size_t line;
};

/// The columns of a, b and sign, if the reader's row is a header.
std::optional<std::array<std::size_t, 3>> columns_of_header(const RowReader& reader) {
  if (!find_column(reader.fields(), kColumns[2], reader.place())) return std::nullopt;
  std::array<std::size_t, 3> out{};
  const std::vector<std::string_view> header(reader.fields().begin(), reader.fields().end());
  if (const auto ends = pair_columns(header))
    return std::array<std::size_t, 3>{ends->a, ends->b, *find_column(header, kColumns[2], reader.place())};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    const auto column = find_column(reader.fields(), kColumns[c], reader.place());
    require<DataError>(column.has_value(), "{}: The header has no column '{}'. Name the columns a, b and sign.",
                       reader.place(), kColumns[c]);
    out[c] = *column;
  }
  return out;
}

/// The pairs of both signs, each once, and how many rows repeat another.
struct SignedPairs {
  std::vector<ObjectPair> similar, dissimilar;
  std::uint64_t repeated = 0;
};
/// @throws DataError on rows that contradict each other
SignedPairs pairs_of(std::vector<Row> rows, const std::vector<ObjectId>& number, const std::vector<std::string>& names,
                     bool ordered, const std::string& name) {
  SignedPairs out;
  std::ranges::stable_sort(rows, {}, &Row::pair);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& row = rows[r];
    if (r > 0 && rows[r - 1].pair == row.pair) {
      const Row& before = rows[r - 1];
      require<DataError>(before.sign == row.sign,
                         "{}: '{}' and '{}' have the sign {} here and {} on line {}. Keep one of "
                         "the rows.",
                         at_line(name, row.line), shown(names[row.pair.i]), shown(names[row.pair.j]), row.sign,
                         before.sign, before.line);
      ++out.repeated;
      continue;
    }
    if (row.sign == 0) continue;
    std::vector<ObjectPair>& list = row.sign > 0 ? out.similar : out.dissimilar;
    const ObjectPair pair{number[row.pair.i], number[row.pair.j]};
    list.push_back(pair);
    if (!ordered) list.push_back({pair.j, pair.i});
  }
  return out;
}

}  // namespace

Observations parse_pair_signs(std::string_view text, const std::string& name, const PairSignFileOptions& options) {
  std::array<std::size_t, 3> at{0, 1, 2};
  const auto has_header = [&](const RowReader& first) {
    require<DataError>(first.fields().size() >= kColumns.size(),
                       "{}: The row has {} columns. A row is two objects and a sign, such as 'cup,mug,+1'.",
                       first.place(), first.fields().size());
    const auto named = columns_of_header(first);
    at = named.value_or(at);
    return named.has_value();
  };
  const Table table(RowReader(text, name, detect_separator(text, kColumns.size())),
                    {.has_header = has_header, .wanted = "pairs of objects, each with a sign"});
  std::vector<std::string_view> spellings;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& row = table.rows[r];
    spellings.insert(spellings.end(), {row[at[0]], row[at[1]]});
    require<DataError>(!row[at[0]].empty() && !row[at[1]].empty(),
                       "{}: The row names one object only. Name both, or delete the row.", table.places[r]);
    require<DataError>(sign_of(row[at[2]]).has_value(),
                       "{}: The sign is '{}'. Give +1 (similar), -1 (dissimilar) or 0 (unknown).", table.places[r],
                       shown(row[at[2]]));
  }
  NameTable ids = NameTable::of(spellings, options.merge_names);
  std::vector<Row> rows;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableFields& fields = table.rows[r];
    const int sign = *sign_of(fields[at[2]]);
    const ObjectId i = ids.number(fields[at[0]]), j = ids.number(fields[at[1]]);
    require<DataError>(i != j, "{}: '{}' is paired with itself. Delete the row.", table.places[r],
                       shown(fields[at[0]]));
    // An unordered pair is the same in either order.
    const bool turned = !options.ordered && j < i;
    rows.push_back({turned ? ObjectPair{j, i} : ObjectPair{i, j}, sign, table.places[r].line});
  }
  const bool unknown = std::ranges::find(rows, 0, &Row::sign) != rows.end();
  Observations out;
  std::vector<ObjectId> number(ids.names().size());
  for (const std::size_t i : value_order(ids.names())) {
    number[i] = static_cast<ObjectId>(out.objects.size());
    out.objects.push_back(ids.names()[i]);
  }
  auto [similar, dissimilar, repeated] = pairs_of(std::move(rows), number, ids.names(), options.ordered, name);
  require<DataError>(
      !unknown || options.others != PairSigns::Others::dissimilar,
      "'{}' has pairs of sign 0 (unknown), but all pairs without a row count as dissimilar, so unknown ones cannot be "
      "stored. Delete these rows, or list the dissimilar pairs and give --set dataset.0.others=unknown (in a config: "
      "others = \"unknown\").",
      name);
  out.guesses = ids.notes("object");
  out.notes = out.guesses;
  if (table.header.empty() && table.width() > kColumns.size())
    out.notes.emplace_back(
        "There is no header: columns 1, 2 and 3 were read as a, b and sign, and the others not. If that is wrong, "
        "name the columns a, b and sign in a first line.");
  std::ranges::move(table.notes(), std::back_inserter(out.notes));
  if (repeated > 0) out.notes.push_back(counted(repeated, "row repeats another row.", "rows repeat another row."));
  out.pair_signs = std::make_shared<PairSigns>(static_cast<Index>(out.objects.size()), std::move(similar),
                                               std::move(dissimilar), options.others);
  std::ranges::move(notes_on_names(out.objects), std::back_inserter(out.notes));
  return out;
}

Observations read_pair_signs(const std::filesystem::path& path, const PairSignFileOptions& options) {
  const TableText table = read_table_text(path);
  Observations out = parse_pair_signs(table.text, path.string(), options);
  add_guesses(out, table.guesses);
  return out;
}

}  // namespace alidade::datasets
