// What readers make of files: reader_cases.txt holds files, how each is read, and what comes of it, word for word.
// A line "= ..." says what the cases below it show. A case begins with the data set and its options, then have lines of
// the file ("|"; "/": without an end), and what was read (">") or why it was not ("!"). Escapes are \\, \n and \x00.
// It is called t.csv unless an option :file=t.json says otherwise; :+NAME=CONTENT is another file beside it.
// ALIDADE_NEW_CASES=FILE writes the cases as they come out now. Read the difference before you take it.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/pair_judgements.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/dataset_loading.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_paths.hpp"

namespace reader_cases_test {

using namespace alidade;
using namespace alidade::testing;

using Lines = std::vector<std::string>;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", c);
    else
      out.append(c == '\\' ? "\\" : "") += c;
  return out;
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = text[at] == '\\' ? text[++at] : '\0';
    if (next == 'x')
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16)), at += 2;
    else
      out += next == 'n' ? '\n' : text[at];
  }
  return out;
}

/// All that was read, in lines "> what: ...".
Lines lines_of(const Observations& data) {
  Lines out;
  const auto add = [&](std::string_view what, const Lines& parts, std::string_view between) {
    if (!parts.empty()) out.push_back(fmt::format("> {}: {}", what, escaped(join(parts, between))));
  };
  const auto rows = [&](std::string_view what, const Matrix& values) {
    Lines all;
    for (Index i = 0; i < values.rows(); ++i) {
      all.emplace_back();
      for (const double value : values.row(i))
        all.back() += fmt::format("{}{:.6g}", all.back().empty() ? "" : " ", value);
    }
    add(what, all, " / ");
  };
  add("objects", data.objects, ", ");
  if (std::ranges::any_of(data.labels, [](const auto& label) { return !label.empty(); }))
    add("labels", data.labels, ", ");
  add("aspects", data.aspects, ", ");
  add("annotators", data.annotators, ", ");
  Lines triplets, pairs, times;
  if (data.triplets && !data.attributes && data.dissimilarities.empty()) triplets = named_triplets(data);
  for (std::size_t t = 0; t < triplets.size(); ++t) {
    const Triplet one = data.triplets->at(t);
    if (one.weight != 1) triplets[t] += fmt::format(" *{:.6g}", one.weight);
    if (!data.aspects.empty()) triplets[t] += " @" + data.aspects[one.aspect];
    if (data.annotator) triplets[t] += " by " + data.annotators[(*data.annotator)[t]];
    if (data.answer) triplets[t] += fmt::format(" #{}", (*data.answer)[t]);
  }
  add("triplets", triplets, "; ");
  for (const double time : data.response_times) times.push_back(fmt::format("{:.6g}", time));
  add("times", times, " ");
  const bool others = data.pair_signs && data.pair_signs->others() == PairSigns::Others::dissimilar;
  for (Index i = 0; data.pair_signs && i < data.object_count(); ++i)
    for (Index j = 0; j < data.object_count(); ++j) {
      const int sign = data.pair_signs->sign(i, j), back = data.pair_signs->sign(j, i);
      if (sign == 0 || (sign == back && j < i) || (sign < 0 && others)) continue;
      pairs.push_back(fmt::format("{} {}{} {}", data.objects[static_cast<std::size_t>(i)], sign > 0 ? "+" : "-",
                                  sign == back ? "" : ">", data.objects[static_cast<std::size_t>(j)]));
    }
  add("pairs", pairs, "; ");
  if (others) out.emplace_back("> other pairs: dissimilar");
  if (data.pair_signs && !data.pair_signs->weights().empty())
    out.push_back(fmt::format("> weights: {:g}", fmt::join(data.pair_signs->weights(), " ")));
  if (data.features)
    rows("features", Matrix::NullaryExpr(data.features->rows(), data.features->cols(), [&](Index i, Index c) {
           return data.frame.of_data((*data.features)(i, c), c);
         }));
  for (const Dissimilarities& one : data.dissimilarities) {
    rows("distances", one.values);
    rows("weights", one.weights);
  }
  for (Index a = 0; data.attributes && a < data.attributes->aspect_count(); ++a) {
    const AttributeTable::Aspect& aspect = data.attributes->aspects()[static_cast<std::size_t>(a)];
    Lines values;
    for (const std::int32_t code : aspect.codes)
      values.push_back(code < 0 ? "-" : aspect.values[static_cast<std::size_t>(code)]);
    add(aspect.name, values, ", ");
  }
  for (const std::string& note : data.notes)
    add(std::ranges::find(data.guesses, note) == data.guesses.end() ? "note" : "guess", {note}, "");
  return out;
}

struct Case {
  std::string dataset{};
  ValueTable options{};
  std::vector<std::pair<std::string, std::string>> files{};
  Lines outcome{}, as_written{};  // all lines above the outcome
  std::size_t line = 0;
};

/// The lines that come of it.
Lines outcome_of(const Case& one) {
  const ScratchFolder scratch;
  for (const auto& [name, text] : one.files) write_text(scratch / name, text);
  Lines out;
  try {
    out = lines_of(datasets::dataset_catalog().at(one.dataset).load(one.options, {.folder = scratch.path()}));
  } catch (const Error& error) {
    out = {"! " + escaped(error.what())};
  }
  const std::string folder = scratch.path().string() + "/";
  for (std::string& line : out)
    for (std::size_t at = 0; (at = line.find(folder)) != line.npos;) line.erase(at, folder.size());
  return out;
}

/// Of "pick :answers=pick :weight_by_answer=true".
Case begun(std::string_view line, Lines heads, std::size_t number) {
  Case out{.as_written = std::move(heads), .line = number};
  std::string file = "t.csv";
  for (std::size_t end = 0; end != line.npos; line.remove_prefix(end == line.npos ? 0 : end + 2)) {
    end = line.find(" :");
    const std::string part = unescaped(line.substr(0, end));
    const std::size_t sign = part.find('=');
    const std::string value = sign == part.npos ? "" : part.substr(sign + 1);
    if (out.dataset.empty())
      out.dataset = part;
    else if (part[0] == '+')
      out.files.emplace_back(part.substr(1, sign - 1), value);
    else if (part.starts_with("file="))
      file = value;
    else
      out.options.set(part.substr(0, sign), value == "true" ? Value(true) : Value(value));
  }
  out.options.set("file", file);
  if (!file.starts_with("people")) out.files.emplace_back(file, "");
  return out;
}

std::vector<Case> cases() {
  const std::string file = std::string(source_folder()) + "/tests/experiments/datasets/readers/reader_cases.txt";
  std::vector<Case> out;
  Lines heads;  // of the next case
  std::size_t number = 0;
  for (const std::string& line : alidade::testing::lines_of(content_of(file))) {
    ++number;
    const char kind = line.empty() ? '=' : line[0];
    if (kind == '=') {
      heads.push_back(line);
      continue;
    }
    if (std::string_view("|/>!").find(kind) == std::string_view::npos)
      out.push_back(begun(line, std::exchange(heads, {}), number));
    Case& one = out.back();
    (kind == '>' || kind == '!' ? one.outcome : one.as_written).push_back(line);
    if (kind == '|' || kind == '/') one.files.back().second += unescaped(line.substr(1)) + (kind == '|' ? "\n" : "");
  }
  return out;
}

TEST_CASE("files are read and refused as the cases have it") {
  std::string now;
  for (const Case& one : cases()) {
    const Lines outcome = outcome_of(one);
    CAPTURE(one.line);
    if (join(outcome, "").find("built without Boost.Graph") != std::string::npos) continue;
    CHECK(join(outcome, "\n") == join(one.outcome, "\n"));
    for (const Lines& lines : {one.as_written, outcome}) now += join(lines, "\n") + "\n";
  }
  if (const char* file = std::getenv("ALIDADE_NEW_CASES")) write_text(file, now);
}

}  // namespace reader_cases_test
