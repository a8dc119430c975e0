// Maps of a table of numbers, through the built command.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace embed_features_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr int kRows = 90;

/// Three clusters in five dimensions, the second feature a thousand times the others; name and kind beside them.
std::string clusters() {
  Rng rng(7);
  std::string out = "plant,length,weight,a,b,c,kind\n";
  for (int i = 0; i < kRows; ++i) {
    const int kind = i % 3;
    out += "p" + std::to_string(i);
    for (int c = 0; c < 5; ++c) {
      const double place = 8.0 * (c == kind) + rng.normal();
      out += "," + std::to_string(c == 1 ? 1000 * place : place);
    }
    out += std::string(",") + "xyz"[kind] + "\n";
  }
  return out;
}

struct Plants {
  Plants() { write_text(at / "plants.csv", clusters()); }
  ScratchFolder at;
};

const std::vector<std::string> kColumns = {"--name-column", "plant", "--label-column", "kind", "--scale", "standard"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a table of numbers becomes a map by weighted ETE that keeps clusters, with names and labels") {
  const Plants table;
  const Ended ended = run_quietly(with({"embed", "--features", "plants.csv"}, kColumns), table.at);
  CHECK(holds_all(ended.out, {"90 objects in 2 dimensions from 5 features, by weighted_ete / ceres",
                              "trustworthiness 0.9", "has the same label"}));
  CHECK_FALSE(holds(ended.out, "error"));
  const auto lines = lines_of(content_of(table.at / "plants_map/embedding.csv"));
  REQUIRE(lines.size() == kRows + 1);
  CHECK(lines[0] == "object,label,x1,x2");
  CHECK(lines[2].starts_with("p1,y,"));
  const ValueTable row = read_rows(table.at / "plants_map")[0];
  CHECK(*number_field(row, "metrics.trustworthiness") > 0.9);
  CHECK(*number_field(row, "metrics.knn_accuracy") > 0.95);
  CHECK(field(row, "triplets")->is_null());
  CHECK(field(row, "metrics.heldout_error")->is_null());
  CHECK(number_field(row, "solver.options.max_iter") == 100);
  CHECK(text_field(row, "dataset.options.scale") == "standard");
  const std::string page = content_of(table.at / "plants_map/report.html");
  CHECK(holds_all(page, {"trustworthiness", "p89"}));
}

TEST_CASE("the user's problem, solver and dimension are used for a map of features") {
  const Plants table;
  const auto row_of = [&](const std::vector<std::string>& more) {
    const Ended ended =
        run_quietly(with(with({"embed", "--features", "plants.csv", "--json"}, kColumns), more), table.at);
    return *parse_json(ended.out, "stdout").get_if<ValueTable>();
  };
  const ValueTable sgd = row_of({"-s", "riemannian_sgd", "--set", "solver.max_iter=5", "-d", "3"});
  CHECK(text_field(sgd, "solver.name") == "riemannian_sgd");
  CHECK(number_field(sgd, "solver.options.max_iter") == 5);
  CHECK(number_field(sgd, "n_components") == 3);
  CHECK(number_field(row_of({"--set", "solver.max_iter=7"}), "solver.options.max_iter") == 7);
  CHECK(number_field(row_of({"-p", "weighted_ete", "--set", "problem.n_outliers=16"}), "problem.options.n_outliers") ==
        16);
}

TEST_CASE("a map dominated by one feature has a note, unless features were scaled") {
  const Plants table;
  const auto message_for = [&](const std::string& scale) {
    std::vector<std::string> words = with({"embed", "--features", "plants.csv", "--force"}, kColumns);
    words.back() = scale;
    if (scale.empty()) words.resize(words.size() - 2);
    const Ended ended = run_well(words, table.at);
    return holds(ended.out, "Feature 2 has 100 % of the variance of all 5");
  };
  CHECK(message_for(""));
  CHECK_FALSE(message_for("none"));  // a choice that was made
  CHECK_FALSE(message_for("standard"));
}

TEST_CASE("a few objects that weighted ETE draws much farther out than the features have them get a note") {
  const ScratchFolder scratch;
  Rng rng(2);
  std::string text = "food,a,b,c,d\n";
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("f{}", i);
    for (int c = 0; c < 4; ++c) text += fmt::format(",{:.4f}", i < 16 ? rng.normal() : 4 + 0.3 * rng.normal());
    text += "\n";
  }
  write_text(scratch / "foods.csv", text);
  const auto notes_by = [&](const std::string& problem) {
    return run_command({"embed", "--features", "foods.csv", "--scale", "standard", "-p", problem, "-o", problem},
                       scratch)
        .out;
  };
  CHECK(holds(notes_by("weighted_ete"), "weighted_ete draws "));
  CHECK_FALSE(holds(notes_by("pca"), "pca draws"));
}

TEST_CASE("threads change no bit of a map of features") {
  const Plants table;
  for (const std::string threads : {"1", "2"})
    run_well(with({"embed", "--features", "plants.csv", "--threads", threads, "-o", "by" + threads}, kColumns),
             table.at);
  CHECK(content_of(table.at / "by1/embedding.csv") == content_of(table.at / "by2/embedding.csv"));
}

TEST_CASE("embed --metrics measures what it names, or nothing; the map is the same") {
  const Plants table;
  const auto measured = [&](const std::vector<std::string>& option, const std::string& out) {
    run_well(with(with({"embed", "--features", "plants.csv", "-o", out}, option), kColumns), table.at);
    CHECK(content_of(table.at / out / "embedding.csv").size() > 0);
    const Value row = parse_json(content_of(table.at / out / "runs.jsonl"), "a row");
    return *row.get_if<ValueTable>()->find("metrics")->get_if<ValueTable>();
  };
  const ValueTable all = measured({}, "all");
  const ValueTable some = measured({"--metrics", "continuity,knn_accuracy"}, "some");
  CHECK(all.size() > 10);
  CHECK(some.size() == 2);
  CHECK(*some.find("continuity")->get_if<double>() == *all.find("continuity")->get_if<double>());
  CHECK(measured({"--metrics", "none"}, "none").empty());
  CHECK(content_of(table.at / "all/embedding.csv") == content_of(table.at / "none/embedding.csv"));

  const Ended wrong =
      run_command(with({"embed", "--features", "plants.csv", "--metrics", "continuty"}, kColumns), table.at);
  CHECK(wrong.status == 2);
  CHECK(holds_all(wrong.err, {"--metrics", "continuity"}));
}

TEST_CASE("options of answers with a table of features, and the reverse, are refused by name") {
  const Plants table;
  write_text(table.at / "answers.csv", "anchor,near,far\na,b,c\n");
  const auto refused = [&](const std::vector<std::string>& words, std::string_view part) {
    const Ended ended = run_command(with({"embed"}, words), table.at);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out == "");
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(holds(ended.err, part));
  };
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--order", "anchor,near,far"},
                                                 {"--answers", "pick"},
                                                 {"--weight-by-answer"},
                                                 {"--drop-degenerate"},
                                                 {"--holdout", "0.1"},
                                                 {"--bootstrap", "20"}})
    refused(
        with({"--features", "plants.csv"}, option),
        option[0] +
            (option[0] == "--holdout" || option[0] == "--bootstrap"
                 ? " needs answers or distances or ratings of pairs (--distances) or clusterings (--clusterings) or "
                   "judgements of pairs (--same-different)"
             : option[0] == "--order" ? " needs answers or clusterings (--clusterings)"
                                      : " needs answers") +
            ", but plants.csv holds a table of features. Leave the option out.");
  refused({"--features", "plants.csv", "--onto", "old"}, "old holds no embedding.csv");
  refused({"--features", "plants.csv", "-d", "auto"}, "--n-components auto needs answers");
  for (const char* option : {"--name-column", "--label-column", "--scale"})
    refused({"answers.csv", option, "none"}, std::string(option) + " needs a table of features");
  refused({"answers.csv", "--features", "plants.csv"}, "Leave out answers.csv or --features plants.csv");
  refused({}, "--features FILE");
  refused({"--features", "nothing.csv"}, "nothing.csv'");
  refused({"--features", "plants.csv", "--scale", "big"}, "'big'");
  refused(with({"--features", "plants.csv", "-p", "ste"}, kColumns), "ste needs triplets");
  refused(with({"--features", "plants.csv", "--set", "choose.problem.t=[2,3]"}, kColumns),
          "plants has no triplets. Give each option one value");
  refused({"--features", "plants.csv", "--label-column", "kinds"}, "has no column 'kinds'");
  refused({"--features", "answers.csv"}, "answers.csv");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(table.at)) left.push_back(entry.path().filename().string());
  CHECK(left.size() == 2);  // nothing was written
}

TEST_CASE("a matrix of distances becomes a map by NeRV; options that do not fit are refused by name") {
  const ScratchFolder at;
  Rng rng(3);
  std::vector<std::pair<double, double>> places;
  for (int i = 0; i < 60; ++i) places.emplace_back(rng.normal(), rng.normal());
  std::string text;
  for (int i = 0; i < 60; ++i) text += (i > 0 ? ",town" : "town") + std::to_string(i);
  for (const auto& [x, y] : places) {
    text += "\n";
    for (std::size_t j = 0; j < places.size(); ++j)
      text += (j > 0 ? "," : "") + std::to_string(std::hypot(x - places[j].first, y - places[j].second));
  }
  write_text(at / "towns.csv", text + "\n");
  const Ended ended = run_quietly("embed --distances towns.csv", at);
  CHECK(holds(ended.out, "60 objects in 2 dimensions from distances, by nerv / "));
  // The plane that they came from shows them all.
  CHECK((holds(ended.out, "trustworthiness 1.0") || holds(ended.out, "trustworthiness 0.99")));
  const auto lines = lines_of(content_of(at / "towns_map/embedding.csv"));
  REQUIRE(lines.size() == 61);
  CHECK(lines[1].starts_with("town0,"));

  const auto refused = [&](const std::vector<std::string>& words, std::string_view part) {
    const Ended failed = run_command(with({"embed", "--distances", "towns.csv", "--force"}, words), at);
    CAPTURE(failed.err);
    CHECK(failed.status == 2);
    CHECK(lines_of(failed.err).size() == 1);
    CHECK(holds(failed.err, part));
  };
  refused({"--features", "towns.csv"}, "Leave out --features towns.csv or --distances towns.csv");
  refused({"answers.csv"}, "Leave out answers.csv or --distances towns.csv");
  refused({"--holdout", "0.1"},
          "--holdout needs answers, clusterings (--clusterings) or people, but towns.csv does not say who judged the "
          "pairs");
  refused({"--scale", "standard"}, "--scale needs a table of features");
  refused({"--onto", "old"}, "--onto needs answers or a table of features (--features), but towns.csv holds");
  refused({"-p", "ste"}, "ste needs triplets");
  refused({"--set", "dataset.0.asymmetry=often"}, "asymmetry");
}

TEST_CASE("max_cut of a weighted graph is a map of all its axes, with its cut") {
  const ScratchFolder folder{{"ring.gset", "4 4\n1 2 1\n2 3 1\n3 4 1\n1 4 -1\n"}};
  const Ended ended = run_well("embed --graph ring.gset -p max_cut", folder);
  CHECK(holds_all(ended.out, {"4 objects in 2 dimensions from 4 similar pairs",
                              "Cut by a plane through the centre: 2, at least 82.84 % of the largest cut (proven)",
                              "no map of any dimension that max_cut allows has an objective below -2.4142"}));
  CHECK(holds_all(content_of(folder / "ring_map/report.html"),
                  {"makes a cut of <strong>2</strong>", "at least <strong>82.8 %</strong> of the largest cut"}));
}

TEST_CASE("a graph and pairs with signs become maps by PSDE, with a proven bound") {
  const ScratchFolder at;
  // A ring of 12, once as edges and once as pairs whose others are not similar.
  std::string edges = "# a ring\n", pairs = "a,b,sign\n";
  for (int i = 0; i < 12; ++i)
    for (int j = i + 1; j < 12; ++j) {
      const bool joined = j == i + 1 || (i == 0 && j == 11);
      if (joined) edges += fmt::format("{} {}\n", i, j);
      pairs += fmt::format("{},{},{}\n", i, j, joined ? 1 : -1);
    }
  write_text(at / "ring.edges", edges);
  write_text(at / "ring.csv", pairs);
  for (const auto& [option, file] : {std::pair{"--graph", "ring.edges"}, {"--pairs", "ring.csv"}}) {
    const Ended ended = run_quietly({"embed", option, file, "-o", file + std::string("_map"), "--json"}, at);
    const ValueTable row = *parse_json(ended.out, "stdout").get_if<ValueTable>();
    CHECK(text_field(row, "termination") == "converged");
    CHECK(number_field(row, "objective").value_or(0) == doctest::Approx(-0.194931).epsilon(1e-5));
    CHECK(number_field(row, "metrics.sign_violations") == 0);
    CHECK(lines_of(content_of(at / (file + std::string("_map")) / "embedding.csv")).size() == 13);
  }

  const Ended shown = run_command("embed --graph ring.edges", at);
  CHECK(holds_all(shown.out,
                  {"12 objects in 2 dimensions from 12 similar pairs, by psde / low_rank: converged",
                   "1.0000 are similar", "Proven: no map of any dimension that psde allows has an objective below"}));
  CHECK(fs::exists(at / "ring_map/report.html"));

  const auto refused = [&](const std::vector<std::string>& words, std::string_view part) {
    const Ended failed = run_command(with({"embed", "--force"}, words), at);
    CAPTURE(failed.err);
    CHECK(failed.status == 2);
    CHECK(lines_of(failed.err).size() == 1);
    CHECK(holds(failed.err, part));
  };
  refused({"--graph", "ring.edges", "--pairs", "ring.csv"}, "a graph or of a list of pairs, not of both");
  refused({"ring.csv", "--pairs", "ring.csv"}, "Leave out ring.csv or --pairs ring.csv");
  refused({"--graph", "ring.edges", "--holdout", "0.1"},
          "or judgements of pairs (--same-different), but ring.edges holds a graph");
  refused({"--pairs", "ring.csv", "--scale", "standard"}, "--scale needs a table of features (--features), but");
  refused({"--pairs", "ring.csv", "--onto", "map"}, "--onto needs answers or a table of features");
  refused({"--graph", "ring.edges", "--labels", "ring.csv"}, "--labels needs");
  refused({"ring.graphml"}, "ring.graphml is a graph by the end of its name. Give it as one: alidade embed --graph");
  refused({"--graph", "ring.csv", "-p", "ste"}, "ste needs triplets");
  refused({"--graph", "none.edges"}, "none.edges");
  refused({"--graph", "ring.ring"}, "ring.ring");
  write_text(at / "torn.csv", "a,b,sign\nx,y,1\nx,y,-1\n");
  refused({"--pairs", "torn.csv"}, "torn.csv:3");
}

}  // namespace embed_features_test
