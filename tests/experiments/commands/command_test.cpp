#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <map>
#include <optional>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/forked_command.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/small_experiments.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace command_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

constexpr int kObjects = 12;

/// Answers about twelve points of a square, one in ten of them wrong.
std::vector<std::array<std::string, 3>> answers(int count = 400) {
  Rng rng(31);
  std::array<std::array<double, 2>, kObjects> place{};
  for (auto& [x, y] : place) {
    x = rng.uniform01();
    y = rng.uniform01();
  }
  const auto far_from = [&](std::size_t i, std::size_t j) {
    return std::hypot(place[i][0] - place[j][0], place[i][1] - place[j][1]);
  };
  std::vector<std::array<std::string, 3>> out;
  while (out.size() < static_cast<std::size_t>(count)) {
    const std::size_t a = rng.below(kObjects);
    std::size_t b = rng.below(kObjects), c = rng.below(kObjects);
    if (a == b || a == c || b == c) continue;
    if ((far_from(a, b) > far_from(a, c)) != (rng.uniform01() < 0.1)) std::swap(b, c);
    out.push_back({"thing " + std::to_string(a), "thing " + std::to_string(b), "thing " + std::to_string(c)});
  }
  return out;
}

std::string table_text(char separator, bool header, std::array<int, 3> order = {0, 1, 2}, int count = 400) {
  const std::array<std::string, 3> names = {"anchor", "near", "far"};
  std::string out;
  const auto add = [&](const std::array<std::string, 3>& row) {
    for (std::size_t c = 0; c < 3; ++c) {
      out += row[static_cast<std::size_t>(order[c])];
      out += c < 2 ? separator : '\n';
    }
  };
  if (header) add(names);
  for (const auto& row : answers(count)) add(row);
  return out;
}

void write_gzip(const fs::path& file, const std::string& text) {
  const gzFile out = ::gzopen(file.c_str(), "wb");
  REQUIRE(out != nullptr);
  REQUIRE(::gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  REQUIRE(::gzclose(out) == Z_OK);
}

Names listing(const fs::path& folder) {
  Names out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

ValueTable only_row(const Ended& ended) {
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  REQUIRE(lines_of(ended.out).size() == 1);
  REQUIRE(ended.out.ends_with("\n"));
  return *parse_json(ended.out, "stdout").get_if<ValueTable>();
}

std::string without_times(ValueTable row) {
  for (const char* field : {"seconds", "memory_mb", "threads", "files"}) CHECK(row.erase(field));
  for (const char* field : {"made_by", "check"}) row.erase(field);  // of rows in a folder
  return to_json(row);
}

const Names kMapFiles = {"config.resolved.toml", "embedding.csv", "embedding.npy", "heldout.csv", "manifest.json",
                         "report.html",          "runs.jsonl",    "traces",        "violated.csv"};

/// A folder with answers.csv.
struct Desk {
  Desk() { write_text(path / "answers.csv", table_text(',', true)); }
  ScratchFolder path;
};

/// How a command ended whose standard error is a terminal, and what that showed; nothing if there are no terminals.
struct Seen {
  Ended ended;
  std::string shown;
};
std::optional<Seen> on_terminal(const Names& arguments, const fs::path& folder) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    MESSAGE("skipped: there are no terminals here");
    return std::nullopt;
  }
  const std::string device = ::ptsname(terminal);
  const int held = ::open(device.c_str(), O_RDWR | O_NOCTTY);  // or else it hangs up when the command ends
  REQUIRE(held >= 0);
  Seen out{Command(arguments, folder, {}, device).wait(), ""};
  // A slow command shows more than one read brings.
  std::array<char, 4096> buffer{};
  for (pollfd ready{terminal, POLLIN, 0}; ::poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0;) {
    const ssize_t got = ::read(terminal, buffer.data(), buffer.size());
    if (got <= 0) break;
    out.shown.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(held);
  ::close(terminal);
  return out;
}

const std::string kExperiment = std::string("name = \"tiny\"\nseed = 5\nrepeats = 2\n") + kSmallEurope;

}  // namespace

TEST_CASE("embed makes a folder with the map, its row, its report and how it was made") {
  const Desk desk;
  const Ended ended = run_quietly("embed answers.csv", desk.path);
  CHECK(ended.out.starts_with("12 objects in 2 dimensions from 400 triplets, by "));
  CHECK(holds_all(ended.out, {"Held-out error 0.", "Chosen by validation: error 0.",
                              "Map: answers_map/embedding.csv\nReport: answers_map/report.html\n"}));
  CHECK(listing(desk.path) == Names{"answers.csv", "answers_map"});
  const fs::path map = desk.path / "answers_map";
  CHECK(listing(map) == kMapFiles);

  const Names csv = lines_of(content_of(map / "embedding.csv"));
  REQUIRE(csv.size() == 13);
  CHECK(csv[0] == "object,label,x1,x2");
  std::set<std::string> names;
  for (std::size_t i = 1; i < csv.size(); ++i) names.insert(csv[i].substr(0, csv[i].find(',')));
  CHECK(names.size() == kObjects);
  CHECK(names.contains("thing 7"));
  CHECK(content_of(map / "embedding.npy").substr(1, 5) == "NUMPY");
  CHECK(content_of(map / "report.html").find("thing 7") != std::string::npos);

  const std::vector<Row> rows = read_rows(map);
  REQUIRE(rows.size() == 1);
  CHECK(text_field(rows[0], "status") == "ok");
  CHECK(fs::is_regular_file(map / text_field(rows[0], "files.trace")));
  CHECK(rows[0].named_files().embedding == std::vector<std::string>{"embedding.csv"});
  const Value manifest = parse_json(content_of(map / "manifest.json"), "manifest.json");
  CHECK(text_field(*manifest.get_if<ValueTable>(), "command").ends_with("alidade embed answers.csv"));
}

TEST_CASE("embed prints its error's interval and tied candidates, and fits all answers") {
  const Desk desk;
  const Ended ended = run_command("embed answers.csv", desk.path);
  CHECK(ended.out.starts_with("12 objects in 2 dimensions from 400 triplets, by "));
  CHECK(holds_all(ended.out, {" (95 % interval 0.", "fitted to the other 320", "80 were held out. About ",
                              "within one standard error of the lowest error: "}));
  CHECK(ended.out.find("Warning") == std::string::npos);
  const ValueTable row = read_rows(desk.path / "answers_map").front();
  CHECK(text_field(row, "refit.written") == "true");
  std::int64_t tied = 0;
  for (const Value& candidate : *field(row, "chosen.candidates")->get_if<ValueArray>())
    tied += text_field(*candidate.get_if<ValueTable>(), "tied") == "true" ? 1 : 0;
  CHECK(number_field(row, "chosen.ties") == tied - 1);

  const ValueTable kept = only_row(run_command("embed answers.csv --set split.refit=false --json", desk.path));
  CHECK(kept.find("refit")->is_null());
  CHECK(to_json(*kept.find("heldout")) == to_json(*row.find("heldout")));
}

TEST_CASE("the last line of embed says that a map is no better than guessing") {
  const ScratchFolder scratch;
  Rng rng(60);
  std::string text = "anchor,near,far\n";
  for (int i = 0; i < 60; ++i) {
    std::array<std::uint64_t, 3> o{};
    while (o[0] == o[1] || o[0] == o[2] || o[1] == o[2])
      for (std::uint64_t& object : o) object = rng.below(30);
    text += "o" + std::to_string(o[0]) + ",o" + std::to_string(o[1]) + ",o" + std::to_string(o[2]) + "\n";
  }
  write_text(scratch / "guesses.csv", text);
  const Ended ended = run_well("embed guesses.csv -p ste", scratch);
  const Names lines = lines_of(ended.out);
  CHECK(lines.back().starts_with("Warning: This map is not shown to be better than guessing: "));
  CHECK(holds_all(lines.back(), {"contains 0.5"}));
  const ValueTable row = read_rows(scratch / "guesses_map").front();
  CHECK(row.find("warnings")->to_text().starts_with("[\"chance\", \"few_answers\""));
  CHECK(content_of(scratch / "guesses_map/report.html").find("no better than guessing") != std::string::npos);
}

TEST_CASE("the last line of embed and the page say that neighbours are hardly better than a random map's") {
  // Distances that no map can show: all nearly the same.
  const ScratchFolder scratch;
  Rng rng(61);
  std::string text;
  std::vector<std::vector<double>> apart(60, std::vector<double>(60));
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < i; ++j) apart[i][j] = apart[j][i] = 1 + 1e-3 * rng.uniform01();
  for (const auto& row : apart) {
    for (std::size_t j = 0; j < row.size(); ++j) text += (j > 0 ? "," : "") + std::to_string(row[j]);
    text += "\n";
  }
  write_text(scratch / "noise.csv", text);
  const Ended ended = run_well(
      "embed --distances noise.csv -p mds -s gradient_descent --set problem.start=random --set solver.max_iter=1",
      scratch);
  CHECK(lines_of(ended.out).back().starts_with("Warning: Neighbours on this map are "));
  const ValueTable row = read_rows(scratch / "noise_map").front();
  CHECK(row.find("warnings")->to_text() == "[\"random_neighbors\"]");
  CHECK(content_of(scratch / "noise_map/report.html").find("better than on a random map") != std::string::npos);
}

TEST_CASE("embed reads commas, tabs, semicolons and gzip, with a header or an order, to the same map") {
  const ScratchFolder scratch;
  struct Form {
    std::string folder, text;
    bool packed;
    Names more;
  };
  std::string expected;
  for (const Form& form :
       std::vector<Form>{{"comma", table_text(',', true), false, {}},
                         {"tab", table_text('\t', true), false, {}},
                         {"semicolon", table_text(';', true), false, {}},
                         {"gzip", table_text(',', true), true, {}},
                         {"no header", table_text(',', false), false, {"--order", "anchor,near,far"}},
                         {"far first", table_text('\t', true, {2, 0, 1}), false, {}},
                         {"gzip, order", table_text('\t', false), true, {"--order", "anchor,near,far"}}}) {
    CAPTURE(form.folder);
    const fs::path folder = scratch / form.folder;
    fs::create_directory(folder);
    if (form.packed)
      write_gzip(folder / "answers.txt", form.text);
    else
      write_text(folder / "answers.txt", form.text);
    Names arguments = {"embed", "answers.txt", "-o", "map"};
    arguments.insert(arguments.end(), form.more.begin(), form.more.end());
    run_quietly(arguments, folder);
    Names map = lines_of(content_of(folder / "map/embedding.csv"));
    std::ranges::sort(map);
    // Objects are numbered as they appear: with the columns in another order, in another order.
    if (form.folder == "far first") {
      CHECK(map.size() == 13);
      continue;
    }
    std::string all;
    for (const std::string& line : map) all += line + "\n";
    if (expected.empty()) expected = all;
    CHECK(all == expected);
  }
}

TEST_CASE("the two answers of the README become a map, with a warning") {
  const std::string readme = content_of(fs::path(testing::source_folder()) / "README.md");
  const auto begin = readme.find("    anchor,near,far\n");
  REQUIRE(begin != readme.npos);
  std::string table;
  for (const std::string& line : lines_of(std::string_view(readme).substr(begin))) {
    if (!line.starts_with("    ")) break;
    table += line.substr(4) + "\n";
  }
  REQUIRE(lines_of(table).size() == 3);
  const ScratchFolder scratch{{"answers.csv", table}};
  const Ended ended = run_quietly("embed answers.csv -o coffee", scratch);
  CHECK(holds_all(ended.out, {"Too few answers to choose a method: 2.", "too few answers to hold any out"}));
  CHECK(lines_of(content_of(scratch / "coffee/embedding.csv")).size() == 5);
  CHECK(content_of(scratch / "coffee/report.html").find("Too few answers") != std::string::npos);
  // A single answer, too, though the triplets that it implies can not be parted.
  write_text(scratch / "one.csv", "anchor,picked,rest\na,b,c|d|e|f|g\n");
  const Ended one = run_well("embed one.csv --answers pick -d auto", scratch);
  CHECK(holds_all(one.out, {"Too few answers to choose a method: 1."}));
  // Whoever names what to choose among is told that nothing can be chosen.
  const Ended choosing = run_command("embed answers.csv -p tste --set choose.problem.alpha=[1,2]", scratch);
  CHECK(choosing.status == 2);
  CHECK(holds_all(choosing.err, {"Too few answers to choose"}));
}

TEST_CASE("labels colour the map, and their nearest neighbour accuracy is measured") {
  const Desk desk;
  std::string labels = "name,label\n";
  for (int i = 0; i < kObjects; ++i) labels += "thing " + std::to_string(i) + (i < 6 ? ",low\n" : ",high\n");
  write_text(desk.path / "labels.csv", labels);
  const ValueTable row = only_row(run_command("embed answers.csv --labels labels.csv -o map --json", desk.path));
  CHECK(number_field(row, "metrics.knn_accuracy").has_value());
  for (const std::string& line : lines_of(content_of(desk.path / "map/embedding.csv")))
    CHECK((line.starts_with("object,label") || line.find(",low,") != line.npos || line.find(",high,") != line.npos));
}

TEST_CASE("a map depends on the answers alone, not on their file's name or other columns") {
  const Desk desk;
  const auto made = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "embed");
    arguments.insert(arguments.end(), {"-o", "map", "--force", "--json"});
    ValueTable row = only_row(run_command(arguments, desk.path));
    // What names the data, and what labels are for.
    for (const char* field : {"experiment", "run_id", "dataset", "notes"}) CHECK(row.erase(field));
    ValueTable metrics = *row.find("metrics")->get_if<ValueTable>();
    metrics.erase("knn_accuracy");
    metrics.erase("knn_accuracy_10");
    row.set("metrics", std::move(metrics));
    return without_times(std::move(row)) + content_of(desk.path / "map/embedding.npy");
  };
  const std::string expected = made({"answers.csv"});
  const std::string text = content_of(desk.path / "answers.csv");

  fs::create_directory(desk.path / "other folder");
  write_text(desk.path / "other folder/renamed.csv", text);
  CHECK(made({"other folder/renamed.csv"}) == expected);

  write_gzip(desk.path / "packed.csv.gz", text);
  CHECK(made({"packed.csv.gz"}) == expected);

  std::string wider;
  for (const std::string& line : lines_of(text)) wider += line + (wider.empty() ? ",seconds\n" : ",1.5\n");
  write_text(desk.path / "wider.csv", wider);
  CHECK(made({"wider.csv"}) == expected);

  std::string labels = "name,label\n";  // in another order than the answers name them
  for (int i = kObjects; i-- > 0;) labels += "thing " + std::to_string(i) + (i % 2 == 0 ? ",even\n" : ",odd\n");
  write_text(desk.path / "labels.csv", labels);
  CHECK(made({"answers.csv", "--labels", "labels.csv"}) == expected);
}

TEST_CASE("a run's result depends neither on the id of its data set nor on the data sets beside it") {
  const Desk desk;
  const auto results = [&](const std::string& datasets) {
    const std::string method = "[[method]]\nproblem = \"auto\"\n";
    write_text(desk.path / "c.toml", "name = \"ids\"\nseed = 5\nrepeats = 2\n" + datasets + method);
    run_well("run c.toml -o out", desk.path);
    Names out;
    for (const std::string& line : lines_of(content_of(desk.path / "out/runs.jsonl"))) {
      ValueTable row = *parse_json(line, "row").get_if<ValueTable>();
      if (text_field(row, "dataset.name") != "triplets") continue;
      const fs::path map = desk.path / "out" / ("embeddings/" + text_field(row, "run_id") + ".npy");
      for (const char* field : {"run_id", "dataset", "plan_index"}) CHECK(row.erase(field));
      out.push_back(without_times(std::move(row)) + content_of(map));
    }
    REQUIRE(out.size() == 2);
    fs::remove_all(desk.path / "out");
    return out;
  };
  const std::string own = "[[dataset]]\nname = \"triplets\"\nfile = \"answers.csv\"\n";
  const std::string other = "[[dataset]]\nname = \"europe\"\ntriplets = 300\n";
  const Names expected = results(own);
  CHECK(results(own + "id = \"another name\"\n") == expected);
  CHECK(results(other + own) == expected);
}

TEST_CASE("answers of several aspects become a map of each, with files of their own, replaced by the next map") {
  const Desk desk;
  std::string answers = "anchor,near,far,aspect\n";
  for (int i = 0; i < 300; ++i) {
    const int a = i % 10, b = (a + 1 + i % 3) % 10, c = (a + 5 + i % 2) % 10;
    for (const int object : {a, b, c}) answers += "thing " + std::to_string(object) + ",";
    answers += i % 2 == 0 ? "the/taste\n" : "the taste\n";
  }
  write_text(desk.path / "aspects.csv", answers);
  for (const char* problem : {"common_space", "disjoint"}) {
    const ValueTable row = only_row(
        run_command({"embed", "aspects.csv", "--problem", problem, "--force", "-o", "maps", "--json"}, desk.path));
    CHECK(*field(row, "files.aspects") == Value(ValueArray{Value("the/taste"), Value("the taste")}));
    CHECK(*field(row, "files.embedding") ==
          Value(ValueArray{Value("embedding.the_taste.csv"), Value("embedding.the_taste_2.csv")}));
    for (const char* file : {"embedding.the_taste.csv", "embedding.the_taste_2.csv", "embedding.the_taste.npy"})
      CHECK(fs::exists(desk.path / "maps" / file));
    CHECK_FALSE(fs::exists(desk.path / "maps/embedding.csv"));
  }
  CHECK(content_of(desk.path / "maps/report.html").find("the/taste") != std::string::npos);
  const auto advised = [&](const char* problem) {
    return run_command({"embed", "aspects.csv", "--problem", problem, "--force", "-o", "advised"}, desk.path)
               .out.find("2 aspects (the/taste, the taste)") != std::string::npos;
  };
  CHECK(advised("ste"));
  CHECK_FALSE(advised("common_space"));
  static_cast<void>(run_command("embed aspects.csv --problem ste --force -o maps", desk.path));
  CHECK(fs::exists(desk.path / "maps/embedding.csv"));
  CHECK_FALSE(fs::exists(desk.path / "maps/embedding.the_taste.csv"));
}

TEST_CASE("a solve of very many passes over few answers leaves a readable trace") {
  const Desk desk;
  const ValueTable row = only_row(
      run_command("embed answers.csv -p ste -s riemannian_sgd --set solver.max_iter=30001 -o long --json", desk.path));
  CHECK(number_field(row, "counts.iterations") == 30001);
  const Value trace = parse_json(content_of(desk.path / "long" / text_field(row, "files.trace")), "trace");
  const ValueArray& iterations = *trace.get_if<ValueTable>()->find("iteration")->get_if<ValueArray>();
  CHECK(iterations.size() <= 20001);
  CHECK(iterations.size() >= 10000);
  CHECK(iterations.front() == Value(0));
  CHECK(iterations.back() == Value(30001));
}

TEST_CASE("embed --json prints the row alone and writes nothing") {
  const Desk desk;
  const auto before = inventory(desk.path);
  const ValueTable row = only_row(run_command("embed answers.csv --json", desk.path));
  CHECK(inventory(desk.path) == before);
  CHECK(number_field(row, "n") == kObjects);
  CHECK(number_field(row, "triplets") == 320);
  CHECK(number_field(row, "heldout_triplets") == 80);
  for (const char* metric : {"metrics.train_error", "metrics.heldout_error"}) {
    CHECK(*number_field(row, metric) > 0);
    CHECK(*number_field(row, metric) < 0.3);
  }
  CHECK(*number_field(row, "seconds.solve") > 0);
  CHECK(text_field(row, "status") == "ok");

  // With a folder it does both, and both say the same.
  const ValueTable again = only_row(run_command("embed answers.csv --json --force -o map", desk.path));
  CHECK(without_times(again) == without_times(row));
  CHECK(to_json(again) + "\n" == content_of(desk.path / "map/runs.jsonl"));
}

TEST_CASE("every choice of embed reaches the row") {
  const Desk desk;
  const ValueTable row =
      only_row(run_command("embed answers.csv --json -p ete -s riemannian_sgd -d 3 --holdout 0.5 --seed 9 --set "
                           "problem.t=3 --set solver.max_iter=7 --set solver.n_init=2 --timeout 1h",
                           desk.path));
  CHECK(text_field(row, "problem") == "ete");
  CHECK(text_field(row, "solver") == "riemannian_sgd");
  CHECK(number_field(row, "n_components") == 3);
  CHECK(number_field(row, "heldout_triplets") == 200);
  CHECK(number_field(row, "seed") == 9);
  CHECK(number_field(row, "problem.options.t") == 3);
  CHECK(number_field(row, "solver.options.max_iter") == 7);
  CHECK(number_field(row, "counts.starts") == 2);

  const ValueTable all = only_row(run_command("embed answers.csv --json --holdout 0", desk.path));
  CHECK(number_field(all, "triplets") == 400);
  CHECK(field(all, "heldout_triplets")->is_null());
  const ValueTable chosen = only_row(
      run_command({"embed", "answers.csv", "--json", "-p", "tste", "--set", "choose.problem.alpha=[1, 5]"}, desk.path));
  CHECK(field(chosen, "chosen")->get_if<ValueTable>()->find("candidates")->get_if<ValueArray>()->size() == 2);
  // --set has the last word, also on what has an option of its own.
  const ValueTable set =
      only_row(run_command("embed answers.csv --json --set seed=3 --set split.holdout=0.25", desk.path));
  CHECK(number_field(set, "seed") == 3);
  CHECK(number_field(set, "heldout_triplets") == 100);
}

TEST_CASE("embed takes answers of other kinds, and holds out whole ones") {
  const Desk desk;
  // The middle one of three points of a line is the most central, the one across the larger gap the odd one.
  std::string central, odd = "odd,first,second,annotator\n";
  Rng rng(8);
  for (int i = 0; i < 300; ++i) {
    std::array<int, 3> at{};
    do
      for (int& a : at) a = static_cast<int>(rng.below(15));
    while (at[0] == at[1] || at[1] == at[2] || at[0] == at[2]);
    std::ranges::sort(at);
    const auto [low, middle, high] = at;
    central += fmt::format("{}\t{}\t{}\n", high, middle, low);
    if (middle - low != high - middle)
      odd += middle - low < high - middle ? fmt::format("{},{},{},w{}\n", high, low, middle, i % 5)
                                          : fmt::format("{},{},{},w{}\n", low, high, middle, i % 5);
  }
  write_text(desk.path / "central.tsv", central);
  write_text(desk.path / "odd.csv", odd);
  const ValueTable first = only_row(
      run_command("embed central.tsv --answers most_central --order first,central,second -d 1 --json", desk.path));
  CHECK(number_field(first, "triplets").value_or(0) == 480);  // of 600
  CHECK(number_field(first, "heldout_triplets").value_or(0) == 120);
  CHECK(text_field(first, "dataset.options.answers") == "most_central");
  CHECK(number_field(first, "metrics.heldout_error").value_or(1) < 0.2);
  const ValueTable second =
      only_row(run_command("embed odd.csv --answers odd_one_out --weight-by-answer --json", desk.path));
  CHECK(text_field(second, "dataset.options.weight_by_answer") == "true");
  CHECK(number_field(second, "heldout_triplets").value_or(1) > 0);
  CHECK(static_cast<int>(number_field(second, "heldout_triplets").value_or(1)) % 2 == 0);
  CHECK(number_field(second, "metrics.heldout_error").value_or(1) < 0.2);
}

TEST_CASE("rows that name one object twice are left out on request") {
  const Desk desk;
  write_text(desk.path / "answers.csv", table_text(',', true) + "thing 1,thing 1,thing 2\n");
  CHECK(run_command("embed answers.csv --json", desk.path).status == 2);
  for (const Names& how : {Names{"--drop-degenerate"}, Names{"--set", "dataset.0.degenerate=drop"}}) {
    Names arguments = {"embed", "answers.csv", "--json"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    CHECK(number_field(only_row(run_command(arguments, desk.path)), "triplets") == 320);
  }
}

TEST_CASE("equal seeds give equal bits with any number of threads, other seeds do not") {
  const ScratchFolder scratch{{"answers.csv", table_text(',', true, {0, 1, 2}, 30000)}};
  const auto embed = [&](const std::string& folder, const Names& more) {
    Names arguments = {"embed", "answers.csv", "--json", "--force", "-o", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return without_times(only_row(run_command(arguments, scratch)));
  };
  for (const std::string solver : {"ceres", "riemannian_sgd"}) {
    CAPTURE(solver);
    const std::string one = embed("one", {"-s", solver, "--set", "solver.max_iter=20"});
    CHECK(embed("two", {"-s", solver, "--set", "solver.max_iter=20", "--threads", "2"}) == one);
    CHECK(content_of(scratch / "one/embedding.csv") == content_of(scratch / "two/embedding.csv"));
    CHECK(content_of(scratch / "one/embedding.npy") == content_of(scratch / "two/embedding.npy"));
    CHECK(embed("other", {"-s", solver, "--set", "solver.max_iter=20", "--seed", "1"}) != one);
  }
}

TEST_CASE("a map's folder can be made anywhere, and replaced by a later map") {
  const Desk desk;
  for (const std::string place : {"new", "new2/", "a/b/c", "./d/../e", "empty", "full"}) {
    CAPTURE(place);
    if (place == "empty" || place == "full") fs::create_directory(desk.path / place);
    if (place == "full") {
      fs::create_directory(desk.path / "full/photos");
      write_text(desk.path / "full/notes.txt", "keep me");
    }
    run_well({"embed", "answers.csv", "-o", place}, desk.path);
    CHECK(fs::is_regular_file((desk.path / place / "embedding.csv").lexically_normal()));
  }
  CHECK(listing(desk.path / "a/b/c") == kMapFiles);
  CHECK(content_of(desk.path / "full/notes.txt") == "keep me");
  CHECK(listing(desk.path) == Names{"a", "answers.csv", "e", "empty", "full", "new", "new2"});

  const fs::path map = desk.path / "full";
  const std::string first = content_of(map / "embedding.csv");
  write_text(map / "traces/mine.txt", "keep me too");
  run_well("embed answers.csv --force -o full --seed 8", desk.path);
  CHECK(content_of(map / "embedding.csv") != first);
  CHECK(read_rows(map).size() == 1);
  CHECK(listing(map) == Names{"config.resolved.toml", "embedding.csv", "embedding.npy", "heldout.csv", "manifest.json",
                              "notes.txt", "photos", "report.html", "runs.jsonl", "traces", "violated.csv"});
  // Of the traces only that of the new row and what was not ours.
  CHECK(listing(map / "traces").size() == 2);
  CHECK(content_of(map / "traces/mine.txt") == "keep me too");
  CHECK(fs::is_regular_file(map / text_field(read_rows(map)[0], "files.trace")));
}

TEST_CASE("a map is replaced only by --force") {
  const Desk desk;
  run_well("embed answers.csv -p ste", desk.path);
  const auto before = inventory(desk.path);
  for (const Names& words : {Names{"embed", "answers.csv"}, Names{"embed", "answers.csv", "-o", "answers_map/"}}) {
    const Ended ended = run_command(words, desk.path);
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"answers_map", "holds a map already", "--force", "-o"}));
  }
  CHECK(inventory(desk.path) == before);
  run_well("embed answers.csv -p tste --force", desk.path);
  CHECK(text_field(read_rows(desk.path / "answers_map").front(), "problem.name") == "tste");
}

TEST_CASE("what a killed embed left of the same map is removed by the next, what a living one makes is not") {
  const Desk desk;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  REQUIRE(::waitpid(dead, nullptr, 0) == dead);
  std::array<char, 256> host{};
  REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
  const std::string part = ".part-" + std::string(host.data()) + "-";
  const std::string gone = "map" + part + std::to_string(dead), alive = "map" + part + std::to_string(::getpid()),
                    other = "other" + part + std::to_string(dead);
  for (const std::string& folder : {gone, alive, other}) fs::create_directories(desk.path / folder / "traces");
  run_well("embed answers.csv -o map", desk.path);
  CHECK(listing(desk.path) == Names{"answers.csv", "map", alive, other});
  fs::create_directories(desk.path / "map" / gone.substr(3) / "traces");
  run_well("embed answers.csv -o map --force", desk.path);
  CHECK(!fs::exists(desk.path / "map" / gone.substr(3)));
}

TEST_CASE("an aspect's long name becomes a file's short one") {
  const ScratchFolder scratch;
  const std::string name(300, 'x'), cut(100, 'x');
  std::string text = "anchor,near,far,aspect\n";
  for (int i = 0; i < 60; ++i)
    text += "p" + std::to_string(i % 6) + ",p" + std::to_string(i % 6 + 1) + ",p" + std::to_string(i % 6 + 2) + "," +
            name + (i % 2 == 0 ? "a" : "b") + "\n";
  write_text(scratch / "long.csv", text);
  run_well("embed long.csv -p common_space -o map", scratch);
  CHECK(fs::exists(scratch / ("map/embedding." + cut + ".csv")));
  CHECK(fs::exists(scratch / ("map/embedding." + cut + "_2.csv")));
}

TEST_CASE("embed --bootstrap adds ellipses of every object, and a map without takes them away") {
  const Desk desk;
  const Names method{"embed", "answers.csv", "-p", "ste", "-o", "m", "--force"};
  const auto with = [&](const Names& more) {
    Names words = method;
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words, desk.path);
  };
  const Ended ended = succeeded(with({"--bootstrap", "10"}));
  CHECK(holds_all(ended.out, {"Bootstrap: 10 replicates, each from resampled triplets. A typical object moves by 0."}));
  const Names csv = lines_of(content_of(desk.path / "m/ellipses.csv"));
  REQUIRE(csv.size() == 13);
  CHECK(csv[0].starts_with("object,replicates,sd1,sd2,"));
  CHECK(csv[1].substr(0, csv[1].find(',')) ==
        lines_of(content_of(desk.path / "m/embedding.csv"))[1].substr(0, csv[1].find(',')));
  const ValueTable row = read_rows(desk.path / "m")[0];
  CHECK(field(row, "files.ellipses")->to_text() == "[\"ellipses.csv\"]");
  CHECK(number_field(row, "uncertainty.replicates") == 10);

  CHECK(with({}).status == 0);
  CHECK(listing(desk.path / "m") == kMapFiles);
  const Ended one = with({"--bootstrap", "1"});
  CHECK(one.status == 2);
  CHECK(holds_all(one.err, {"bootstrap must be 0 (none) or at least 2"}));
}

TEST_CASE("the folder of a map is named after its file") {
  const Desk desk;
  for (const auto& [file, folder] : std::map<std::string, std::string>{
           {"taste.v1.csv", "taste.v1_map"}, {"taste.v2.csv.gz", "taste.v2_map"}, {"plain", "plain_map"}}) {
    fs::copy_file(desk.path / "answers.csv", desk.path / file);
    run_well({"embed", file}, desk.path);
    CHECK(listing(desk.path / folder) == kMapFiles);
  }
}

TEST_CASE("an interrupted embed says so and writes the map that it has reached") {
  const Desk desk;
  const RunClock::ByHand clock;  // the grace lasts; by the real clock: timing/process_limits_test.cpp
  commands::EmbedRequest request;
  request.file = "answers.csv";
  request.problem = "ste";
  request.solver = "riemannian_sgd";
  request.overrides = {"solver.max_iter=50", "solver.n_init=1000000000"};
  request.out = "a/map";
  for (const int signal : {SIGINT, SIGTERM}) {
    ForkedCommand command([&] { return commands::embed(request, {"alidade", "embed"}); }, desk.path);
    REQUIRE(wait_until([&] { return fs::exists(desk.path / "a") && testing::seconds_spent(command.pid()) > 0.3; }));
    command.send(signal);
    const Ended ended = command.wait();
    CHECK(ended.status == 130);
    CHECK(holds_all(ended.out, {"cancelled", "Map: a/map/embedding.csv"}));
    CHECK(holds_all(ended.err, {"alidade: Interrupted. The map reached so far was written; it is not finished."}));
    const ValueTable row = read_rows(desk.path / "a/map").at(0);
    CHECK(text_field(row, "status") == "cancelled");
    fs::remove_all(desk.path / "a");
  }
}

TEST_CASE("run, table and report of an experiment") {
  const ScratchFolder scratch{{"c.toml", kExperiment}};
  const Ended first = run_quietly("run c.toml --jobs 2", scratch);
  CHECK(holds_all(first.out, {"4 ok", "0 failed", "0 done before", "results/tiny\n"}));
  CHECK(listing(scratch / "results/tiny") ==
        Names{"config.resolved.toml", "embeddings", "logs", "manifest.json", "runs.jsonl", "traces"});
  const Ended second = run_well("run c.toml", scratch);
  CHECK(holds_all(second.out, {"0 ok", "4 done before"}));

  // The resolved configuration is one, and goes on with the same runs.
  CHECK(run_command("run results/tiny/config.resolved.toml", scratch).out == second.out);

  for (const auto& [format, mark] : std::map<std::string, std::string>{
           {"md", "| ste / ceres"}, {"csv", "ste / ceres"}, {"latex", "\\begin{tabular}"}}) {
    const Ended table = run_quietly({"table", "results/tiny", "--format", format}, scratch);
    CHECK(table.out.find(mark) != std::string::npos);
  }
  const Ended shaped =
      run_well("table results/tiny --rows problem,solver --cols repeat --value objective --over seed", scratch);
  CHECK(holds_all(shaped.out, {"riemannian_sgd"}));

  const Ended report = run_well("report results/tiny", scratch);
  CHECK(report.out == "results/tiny/report.html\n");
  CHECK(report.err.empty());
  const Ended elsewhere = run_command("report results/tiny -o page.html", scratch);
  CHECK(elsewhere.out == "page.html\n");
  for (const char* page : {"results/tiny/report.html", "page.html"})
    CHECK(content_of(scratch / page).find("riemannian_sgd") != std::string::npos);
}

TEST_CASE("run overrides its configuration, and its exit status reports a failed run") {
  const ScratchFolder scratch{{"c.toml", kExperiment}};
  const Ended ended = run_well({"run", "c.toml", "--out", "r", "--threads", "2", "--set", "repeats=1", "--set",
                                "method.0.solver.max_iter=3", "--set", "dataset.0.noise=[0.0, 0.2]"},
                               scratch);
  CHECK(ended.out.starts_with("4 runs: 4 ok"));
  for (const ValueTable& row : read_rows(scratch / "r"))
    if (text_field(row, "solver") == "ceres") CHECK(number_field(row, "solver.options.max_iter") == 3);

  const Names absent = {"run", "c.toml", "--out", "absent", "--set", "dataset.0={name=food100}", "--data", "nowhere"};
  const Ended failed = run_command(absent, scratch);
  CHECK(failed.status == 1);
  CHECK(failed.err.empty());
  CHECK(holds_all(failed.out, {"4 failed"}));
  // Four runs, one reason.
  const auto lines = lines_of(failed.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].starts_with("failed: "));
  CHECK(holds_all(lines[1], {" on food100 and 3 more: There is no 'food100/"}));
}

TEST_CASE("run reports runs of an earlier configuration in its folder") {
  const ScratchFolder scratch{{"c.toml", kExperiment}};
  const Names first = {"run", "c.toml", "--out", "r", "--set", "repeats=2"};
  run_well(first, scratch);
  CHECK(run_command(first, scratch).err.empty());
  Names more = first;
  more.back() = "repeats=3";  // continues what is there
  CHECK(run_command(more, scratch).err.empty());
  const auto rows = read_rows(scratch / "r").size();
  Names other = more;
  other.insert(other.end(), {"--set", "seed=99"});
  const Ended ended = run_well(other, scratch);
  CHECK(ended.err.find(fmt::format("r also holds {} runs on 'europe' with other settings", rows)) != std::string::npos);
  const Ended table = run_well({"table", "r", "--format", "json"}, scratch);
  CHECK(holds(table.err, fmt::format("{} runs with other settings are left out", rows)));
  CHECK(holds(table.out, "\"n\": 3"));
  CHECK_FALSE(holds(table.out, "\"n\": 6"));
  CHECK_FALSE(holds(run_well({"table", "r", "--cols", "dataset,made_by"}, scratch).err, "other settings"));
  other.insert(other.end(), {"--set", "method.0.id=\"another\""});
  CHECK(holds(run_well(other, scratch).err, "r also holds 3 runs that this config does not plan"));
  CHECK(holds(run_well("table r", scratch).err, "6 runs with other settings are left out"));
  // Fewer repeats of another split: the further ones of the former split are no part of its cells.
  run_well("run c.toml --out r --set repeats=2 --set split.holdout=0.5", scratch);
  CHECK(holds(run_well({"table", "r", "--format", "json"}, scratch).out, "\"n\": 2"));
}

TEST_CASE("check prints the runs and whether gradients are right, and solves nothing") {
  const ScratchFolder scratch{{"c.toml", kExperiment}};
  const auto before = inventory(scratch);
  const Ended ended = run_quietly("check c.toml --set repeats=5", scratch);
  CHECK(ended.out.starts_with("tiny: 1 dataset x 2 methods x 5 repeats = 10 runs\n"));
  CHECK(holds_all(ended.out, {"ste / ceres: fits; gradient right"}));
  CHECK(ended.out.find("WRONG") == std::string::npos);
  CHECK(run_command("check c.toml --set dataset.0={name=food100} --data nowhere", scratch).status == 1);
  write_text(scratch / "few.csv", "anchor,near,far\na,b,c\n");
  CHECK(run_command({"check", "c.toml", "--set", "dataset.0={name=triplets, file=few.csv}"}, scratch).status == 0);
  fs::remove(scratch / "few.csv");
  CHECK(inventory(scratch) == before);
}

TEST_CASE("check is not misled by kinks within a step, as where objects on a line meet") {
  const ScratchFolder scratch{
      {"c.toml",
       "name = \"kinks\"\nseed = 1\n[[dataset]]\nname = \"gaussian\"\nn = 1000\ndimensions = 1\n"
       "triplets = 200000\n[[method]]\nproblem = { name = \"soe\", n_components = 1 }\n"}};
  const Ended ended = run_well("check c.toml", scratch);
  CHECK(holds_all(ended.out, {"fits; gradient right"}));
}

TEST_CASE("check judges the gradient of a truncated sum where nothing is cut off") {
  const ScratchFolder scratch{{"c.toml",
                               "name = \"cut\"\nseed = 1\n[[dataset]]\nname = \"cylinder\"\nazimuths = "
                               "40\nelevations = 12\n[[method]]\n"
                               "problem = { name = \"nerv_sparse\", cutoff = 2.0 }\n"}};
  const Ended ended = run_well("check c.toml", scratch);
  CHECK(holds_all(ended.out, {"fits; gradient right"}));
}

TEST_CASE("list names all entries, and shows one in detail") {
  const Ended all = run_quietly({"list"});
  CHECK(holds_all(all.out, {"ete", "tste", "riemannian_sgd", "ceres", "europe", "food100", "heldout_error"}));
  const Ended problem = run_well("list problems ete");
  CHECK(
      holds_all(problem.out, {"Equation: min over Y", "Reference:", "t_prime", "n_components", "Solvers that fit: "}));
  for (const Names& words : {Names{"list", "solvers", "ceres"}, Names{"list", "datasets", "europe"},
                             Names{"list", "datasets"}, Names{"list", "metrics", "knn_accuracy"}}) {
    const Ended one = run_quietly(words);
    CHECK(one.out.size() > 50);
  }
}

TEST_CASE("data lists the known data sets and hashes the present files") {
  const ScratchFolder scratch;
  const Ended list = run_quietly({"data", "list", "--data", scratch.path().string()});
  CHECK(holds_all(list.out, {"\nfood100 "}));
  const Ended missing = run_command({"data", "verify", "zoo", "--data", scratch.path().string()});
  CHECK(missing.status == 1);
  CHECK(holds_all(missing.out, {"missing"}));
  fs::create_directory(scratch / "zoo");
  write_text(scratch / "zoo/zoo.data", "not the animals\n");
  const Ended differs = run_command({"data", "verify", "zoo", "--data", scratch.path().string()});
  CHECK(differs.status == 1);
  CHECK(holds_all(differs.out, {"differs"}));
  CHECK(differs.err.empty());
}

TEST_CASE("help and version are printed on request") {
  for (const Names& words : {Names{"--help"}, Names{"embed", "--help"}, Names{"run", "-h"}, Names{"check", "--help"},
                             Names{"list", "--help"}, Names{"table", "--help"}, Names{"ranks", "--help"},
                             Names{"report", "--help"}, Names{"data", "--help"}, Names{"data", "verify", "--help"}}) {
    const Ended ended = run_quietly(words);
    CHECK(holds_all(ended.out, {"--help"}));
  }
  // Both ways to ask give the same, but for the line that says how to call it.
  for (const Names& command : {Names{}, Names{"table"}, Names{"data"}, Names{"data", "fetch"}}) {
    Names asked = command, help = {"help"};
    asked.emplace_back("--help");
    help.insert(help.end(), command.begin(), command.end());
    const Ended ended = run_well(help);
    CHECK(lines_of(ended.out).size() == lines_of(run_command(asked).out).size());
  }
  CHECK(run_command("help data fetch").out.find("Usage: alidade data fetch ") != std::string::npos);
  CHECK(run_command({"--help"}).out.find("embed") != std::string::npos);
  CHECK(run_command("embed --help").out.find("--holdout") != std::string::npos);
  const Ended version = run_well({"--version"});
  CHECK(version.out.starts_with("alidade 0."));
}

TEST_CASE("the program alone shows what one can do first, and help has examples that work") {
  const Ended alone = run_quietly({});
  CHECK(holds_all(alone.out, {"alidade embed answers.csv\n", "alidade report results/study\n"}));
  CHECK(lines_of(alone.out).size() < 24);
  // Each example is of the command, and each of its options is one that the help lists.
  for (const Names& command :
       {Names{"embed"}, Names{"ask"}, Names{"run"}, Names{"table"}, Names{"report"}, Names{"init"}, Names{"check"},
        Names{"sdp"}, Names{"ranks"}, Names{"verify"}, Names{"repair"}, Names{"merge"}, Names{"list"}, Names{"certify"},
        Names{"data", "fetch"}}) {
    Names words = {"help"};
    words.insert(words.end(), command.begin(), command.end());
    const std::string help = run_command(words).out;
    CAPTURE(command.back());
    const auto begin = help.find("Examples:\n");
    REQUIRE(begin != std::string::npos);
    std::istringstream lines(help.substr(begin));
    std::string line;
    std::getline(lines, line);
    int examples = 0;
    while (std::getline(lines, line) && line.starts_with("  alidade ")) {
      ++examples;
      CHECK(line.find(command.back()) != std::string::npos);
      std::istringstream parts(line);
      for (std::string word; parts >> word;)
        if (word.starts_with("-")) CHECK(help.substr(0, begin).find(word) != std::string::npos);
    }
    CHECK(examples == 2);
    CHECK(help.find(" TEXT") == std::string::npos);
  }
}

TEST_CASE("results that cannot be printed are an error") {
  if (!fs::exists("/dev/full")) {
    MESSAGE("skipped: there is no /dev/full");
    return;
  }
  const Desk desk;
  for (const Names& words : {Names{"list"}, Names{"embed", "answers.csv", "--json"}, Names{"--version"}}) {
    const Ended ended = Command(words, desk.path, "/dev/full").wait();
    CHECK(ended.status == 2);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(holds_all(ended.err, {"No space left on device"}));
  }
}

TEST_CASE("progress is shown on a terminal, with the time left, and erased at the end") {
  const ScratchFolder scratch{{"c.toml", kExperiment}};
  const std::optional<Seen> run = on_terminal({"run", "c.toml"}, scratch);
  if (!run) return;
  CHECK(run->ended.status == 0);
  CHECK(run->ended.out.starts_with("4 runs: 4 ok"));
  CHECK(holds_all(run->shown, {"/4 runs, 0 failed, ", " left"}));
  CHECK(run->shown.ends_with("\r\033[K"));

  write_text(scratch / "answers.csv", table_text(',', true, {0, 1, 2}, 30000));
  const Names embed = {"embed", "answers.csv", "--bootstrap", "10"};
  const std::optional<Seen> made = on_terminal(embed, scratch);
  REQUIRE(made);
  CHECK(made->ended.status == 0);
  CHECK(holds_all(made->shown, {"\r\033[K", " candidates, "}));
  CHECK(made->shown.ends_with("\r\033[K"));
}

}  // namespace command_test
