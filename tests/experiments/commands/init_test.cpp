#include <doctest/doctest.h>
#include <fmt/core.h>

#include <tuple>
#include <utility>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/random.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/text_holds.hpp"

namespace init_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

/// 40 objects of three numbers and a kind.
std::string features() {
  Rng rng(5);
  std::string out = "a,b,c,kind\n";
  for (int i = 0; i < 40; ++i)
    out += fmt::format("{},{},{},{}\n", rng.normal() + 3 * (i % 2), rng.normal(), rng.normal(), i % 2 ? "odd" : "even");
  return out;
}

/// 300 answers about ten points on a line.
std::string answers() {
  Rng rng(6);
  std::string out = "anchor,near,far\n";
  for (int t = 0; t < 300;) {
    const auto a = static_cast<int>(rng.below(10)), b = static_cast<int>(rng.below(10)),
               c = static_cast<int>(rng.below(10));
    if (std::abs(a - b) >= std::abs(a - c) || a == b) continue;
    out += fmt::format("p{},p{},p{}\n", a, b, c);
    ++t;
  }
  return out;
}

/// That the file checks and that all of its runs succeed.
void carry_out(const fs::path& folder, const std::string& file, int runs) {
  run_well({"check", file}, folder);
  const Ended ran = run_well({"run", file, "--out", "out-" + file}, folder);
  CHECK(ran.out.starts_with(fmt::format("{0} runs: {0} ok, 0 failed, 0 skipped", runs)));
}

}  // namespace

TEST_CASE("init writes a commented configuration that checks and runs") {
  const ScratchFolder scratch;
  const Ended ended = run_quietly({"init"}, scratch);
  CHECK(ended.out == "Wrote experiment.toml: 2 data sets, 6 methods, 24 runs. Next: alidade run experiment.toml\n");
  const std::string text = content_of(scratch / "experiment.toml");
  // What keys mean is what their records say.
  CHECK(holds_all(text, {"# seed of all random numbers\n",
                         "# fraction of the triplets to hold out; a list sweeps: one run for each\n"}));
  CHECK(interpret(parse_config(text, "c")).name == "experiment");
  carry_out(scratch, "experiment.toml", 24);
}

TEST_CASE("lines that init comments out can be activated") {
  const ScratchFolder scratch;
  run_well({"init"}, scratch);
  std::string text = content_of(scratch / "experiment.toml");
  for (const std::string line :
       {"# memory   = ", "# folds ", "# [[method.when]]", "# dataset = \"europe[", "# problem.lambda0"}) {
    CAPTURE(line);
    REQUIRE(holds(text, "\n" + line));
    text.erase(text.find("\n" + line) + 1, 2);
  }
  const Experiment e = interpret(parse_config(text, "c"));
  CHECK(e.split.folds == 5);
  CHECK(e.memory_bytes);
  REQUIRE(e.methods.size() == 7);
  CHECK(e.methods.back().datasets == std::vector<std::string>{"europe[noise=0.1]"});
}

TEST_CASE("init takes the user's own features or answers") {
  const ScratchFolder scratch{{"my data.csv", features()}, {"answers.csv", answers()}};
  const Ended table = run_well({"init", "table.toml", "--features", "my data.csv", "--label-column", "kind"}, scratch);
  CHECK(table.out == "Wrote table.toml: 1 data set, 40 objects, 4 methods, 8 runs. Next: alidade run table.toml\n");
  carry_out(scratch, "table.toml", 8);
  // There are no triplets to hold out, and the table is of the first metric instead.
  const Ended shown = run_well("table out-table.toml", scratch);
  CHECK(holds(shown.out, "Trustworthiness (metrics.trustworthiness): mean"));
  const Ended asked = run_command("init crowd.toml --triplets answers.csv", scratch);
  CHECK(asked.out == "Wrote crowd.toml: 1 data set, 10 objects, 7 methods, 14 runs. Next: alidade run crowd.toml\n");
  carry_out(scratch, "crowd.toml", 14);
}

TEST_CASE("init takes answers of other kinds, files without a header, and distances") {
  const ScratchFolder scratch;
  const std::string plain = answers();
  write_text(scratch / "bare.csv", plain.substr(plain.find('\n') + 1));
  std::string odd = "odd,first,second\n", far = "city";
  for (int i = 0; i < 120; ++i) odd += fmt::format("p{},p{},p{}\n", 9 - i % 3, i % 5, (i + 1) % 5);
  write_text(scratch / "odd.csv", odd);
  for (int i = 0; i < 20; ++i) far += fmt::format(",p{}", i);
  for (int i = 0; i < 20; ++i) {
    far += fmt::format("\np{}", i);
    for (int j = 0; j < 20; ++j) far += fmt::format(",{}", std::abs(i - j));
  }
  write_text(scratch / "far.csv", far + "\n");
  using Arguments = std::vector<std::string>;
  for (const auto& [file, more, runs] :
       {std::tuple{"bare.toml", Arguments{"--triplets", "bare.csv", "--order", "anchor,near,far"}, 14},
        {"odd.toml", Arguments{"--triplets", "odd.csv", "--answers", "odd_one_out"}, 14},
        {"far.toml", Arguments{"--distances", "far.csv", "--name-column", "city"}, 6}}) {
    CAPTURE(file);
    Arguments words = {"init", file};
    words.insert(words.end(), more.begin(), more.end());
    run_well(words, scratch);
    carry_out(scratch, file, runs);
  }
}

TEST_CASE("init takes settings of the config and of the data set, in the lines of the file") {
  const ScratchFolder scratch;
  std::string trials = "who,a,b,c,key\n";
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const auto a = static_cast<int>(rng.below(6)), b = (a + 1 + static_cast<int>(rng.below(2))) % 6, c = (b + 2) % 6;
    if (a != c) trials += fmt::format("w{},s{},s{},s{},{}\n", i % 3, a, b, c, rng.below(2));
  }
  write_text(scratch / "trials.csv", trials);
  write_text(scratch / "far.csv", "0,1,2\n3,0,1\n2,1,0\n");
  run_well({"init", "trials.toml", "--triplets", "trials.csv", "--columns", "a,b,c,key,annotator=who",
            "--drop-degenerate", "--set", "repeats=1", "--set", "split.holdout=0.1", "--set", "split.folds=0", "--set",
            "uncertainty.bootstrap=5", "--set", "timeout=\"2min\""},
           scratch);
  const std::string text = content_of(scratch / "trials.toml");
  for (const char* line :
       {"\nrepeats    = 1       ", "\ntimeout    = \"2min\"", "\nholdout    = 0.1  # ",
        "\nfolds      = 0    # number of folds", "\n[uncertainty]\nbootstrap = 5\n\n[[dataset]]\n",
        "\nanswers = \"two_choice\"\n", "\ncolumns = \"a,b,c,key,annotator=who\"\n", "\ndegenerate = \"drop\"\n"})
    CHECK_MESSAGE(holds(text, line), line << text);
  carry_out(scratch, "trials.toml", 7);

  const std::vector<std::string> asymmetric = {"init", "far.toml", "--distances", "far.csv"};
  const Ended refused = run_command(asymmetric, scratch);
  CHECK(refused.status == 2);
  CHECK(holds(refused.err, "--set dataset.0.asymmetry=mean"));
  std::vector<std::string> mended = asymmetric;
  mended.insert(mended.end(), {"--set", "dataset.0.asymmetry=mean"});
  run_well(mended, scratch);
  CHECK(holds(content_of(scratch / "far.toml"), "\nasymmetry = \"mean\" "));

  for (const auto& [setting, remedy] : {std::pair{"method.0.id=x", "Edit the rest in the file"},
                                        {"repeats=0", "repeats"},
                                        {"repeets=2", "'repeats'"},
                                        {"dataset.0.ordr=a", "'order'"}}) {
    const Ended wrong = run_command(
        {"init", "-", "--triplets", "trials.csv", "--columns", "a,b,c,key", "--drop-degenerate", "--set", setting},
        scratch);
    CAPTURE(wrong.err);
    CHECK(wrong.status == 2);
    CHECK(wrong.out.empty());
    CHECK(holds(wrong.err, remedy));
  }
}

TEST_CASE("init prints the config if its name is -") {
  const ScratchFolder scratch;
  const Ended ended = run_well("init - --set seed=4", scratch);
  CHECK(interpret(parse_config(ended.out, "c")).seed == 4);
  CHECK(inventory(scratch).empty());
}

TEST_CASE("init overwrites nothing unless told to, and refuses data that it cannot read") {
  const ScratchFolder scratch{{"mine.toml", "precious"}, {"data.csv", features()}};
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& reason) {
    const auto before = alidade::testing::inventory(scratch);
    const Ended ended = run_command(arguments, scratch);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(holds(ended.err, reason));
    CHECK(alidade::testing::inventory(scratch) == before);
  };
  refused({"init", "mine.toml"}, "'mine.toml' exists already. Give --force");
  refused({"init", "x.toml", "--features", "none.csv"}, "'none.csv'");
  write_text(scratch / "words.csv", "x,kind,colour\n1,a,red\n2,a,red\n3,7,red\n4,b,blue\n5,b,blue\n");
  refused({"init", "x.toml", "--features", "words.csv"}, "Column 'kind' holds 'a'");
  refused({"init", "x.toml", "--features", "data.csv", "--triplets", "data.csv"},
          "only one of --triplets, --features and --distances");
  refused({"init", "x.toml", "--label-column", "kind"}, "--features too");
  refused({"init", "x.toml", "--answers", "pick"}, "--triplets too.");
  refused({"init", "x.toml", "--triplets", "data.csv", "--distances", "data.csv"},
          "only one of --triplets, --features and --distances");
  refused({"init", "x.toml", "--scale", "standard"}, "--scale needs a table of features. Give --features too.");
  refused({"init", "x.toml", "--scale", "range", "--triplets", "data.csv"}, "--scale needs a table of features.");
  refused({"init", "x.toml", "--labels", "l.csv"}, "--labels needs your own data.");
  refused({"init", "x.toml", "--drop-degenerate", "--features", "data.csv"},
          "--drop-degenerate needs a file of answers. Give --triplets too.");
  refused({"init", "no/such/folder.toml"}, "no/such");
  run_well("init mine.toml --force", scratch);
  CHECK(content_of(scratch / "mine.toml") != "precious");
}

TEST_CASE("schema prints JSON for editors and Markdown for readers") {
  const ScratchFolder scratch;
  const Ended json = run_well({"schema"}, scratch);
  const Value schema = parse_json(json.out, "schema");
  CHECK(*schema.get_if<ValueTable>()->find("$schema") == Value("http://json-schema.org/draft-07/schema#"));
  const Ended text = run_well("schema --format md", scratch);
  CHECK(text.out.starts_with("# Configs\n"));
  CHECK(holds_all(run_command("schema --format xml", scratch).err, {"'xml'", "json or md"}));
}

}  // namespace init_test
