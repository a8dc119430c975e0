#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tests/support/command_line.hpp"
#include "tests/support/refused_commands.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"

namespace bad_input_test {

using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

std::string gzip(const std::string& text, const fs::path& scratch) {
  const fs::path file = scratch / "packed";
  const gzFile out = ::gzopen(file.c_str(), "wb");
  REQUIRE(::gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  REQUIRE(::gzclose(out) == Z_OK);
  return content_of(file);
}

/// A file and what is said of it.
struct Case {
  std::string what, content;
  Names parts;
};

/// A folder with good answers, labels and a configuration.
struct Desk {
  Desk() {
    write_text(path / "good.csv", sixty_answers());
    write_text(path / "c.toml", std::string("name = \"tiny\"\n") + kOneRun);
  }
  void refused(const Names& arguments, const Names& parts) const { check_refused(arguments, path, parts); }
  ScratchFolder path;
};

}  // namespace

TEST_CASE("files that are no files of answers are refused") {
  const Desk desk;
  const std::string packed = gzip(sixty_answers(), desk.path);
  fs::remove(desk.path / "packed");
  const std::string head = "anchor,near,far\n", heavy = "anchor,near,far,weight\n";
  for (const Case& bad : std::vector<Case>{
           {"empty", "", {"bad.csv' is empty"}},
           {"blank lines only", "\n\n\n", {"bad.csv", "no rows"}},
           {"a header only", head, {"bad.csv' has a header but no rows"}},
           {"a column too many",
            head + "a,b,c\na,b,c,d\n",
            {"bad.csv:3: The row has 4 columns where the header has 3"}},
           {"a column too few", head + "a,b,c\n\na,b\n", {"bad.csv:3: "}},
           {"one column",
            head + "a b c\n",
            {"bad.csv:2: The row has 1 column where the header has 3", "comma, tab or semicolon"}},
           {"a column too few in line 5", head + "a,b,c\nb,c,a\na,c,b\na,b\n", {"bad.csv:5: The row has 2 columns"}},
           {"a weight that is not a number", heavy + "a,b,c,1\nb,a,c,NaN\n", {"bad.csv:3: The weight 'NaN'"}},
           {"an infinite weight", heavy + "a,b,c,inf\n", {"bad.csv:2: The weight 'inf'"}},
           {"a negative weight", heavy + "a,b,c,-0.5\n", {"bad.csv:2: The weight '-0.5'", ">= 0"}},
           {"a weight that is a word", heavy + "a,b,c,much\n", {"bad.csv:2: The weight 'much'"}},
           {"only weights of 0", heavy + "a,b,c,0\nb,a,c,0\n", {"weight 0 to every row"}},
           {"anchor and near the same", head + "a,b,c\na,a,c\n", {"bad.csv:3: anchor and near are both 'a'"}},
           {"near and far the same", head + "a,c,c\n", {"bad.csv:2: near and far are both 'c'"}},
           {"an object without a name", head + "a,b,c\na,,c\n", {"bad.csv:3: 'near' is empty"}},
           {"a header with a slip", "anchor,nera,far\na,b,c\n", {"bad.csv:1: ", "no column 'near'", "'nera'"}},
           {"no header", "a,b,c\nb,a,c\n", {"bad.csv:1: ", "--order anchor,near,far"}},
           {"a quote that is not closed", head + "a,b,c\na,\"b,c\n", {"bad.csv:3: ", "never closed"}},
           {"rubbish", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0\x01", 20), {"bad.csv' is a picture"}},
           {"rubbish", std::string("\x88QNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\0\x01", 20), {"bad.csv:3: ", "not a text"}},
           {"zeros", std::string(5000, '\0'), {"bad.csv:1: "}},
           {"gzip cut short", packed.substr(0, packed.size() / 2), {"bad.csv' is a gzip file that is cut short"}},
           {"gzip without its end", packed.substr(0, packed.size() - 3), {"cut short"}},
           {"gzip damaged",
            packed.substr(0, 30) + "xxxxxxxxxxxxxxxx" + packed.substr(46),
            {"bad.csv' is a gzip file that is damaged"}},
           {"gzip of nothing", gzip("", desk.path), {"bad.csv' is empty"}},
       }) {
    CAPTURE(bad.what);
    fs::remove(desk.path / "packed");
    write_text(desk.path / "bad.csv", bad.content);
    check_refused({"embed", "bad.csv"}, desk.path, bad.parts);
    check_refused({"embed", "bad.csv", "--json"}, desk.path, bad.parts);
    check_refused({"embed", "bad.csv", "-o", "deep/er/map"}, desk.path, bad.parts);
  }
}

TEST_CASE("files of another kind of answers are refused") {
  const Desk desk;
  struct Answers {
    std::string kind, content;
    Names parts;
  };
  for (const Answers& bad : std::vector<Answers>{
           {"odd_one_out", "odd,first,second\na,b,c\na,b,b\n", {"bad.csv:3: first and second are both 'b'"}},
           {"odd_one_out", "odd,first,second\na,b\n", {"bad.csv:2: The row has 2 columns where the header has 3"}},
           {"odd_one_out", "anchor,near,far\na,b,c\n", {"bad.csv:1: ", "--answers triplets"}},
           {"most_central", "central,first,second\na,,c\n", {"bad.csv:2: 'first' is empty"}},
           {"pick", "anchor,picked,rest\np,a|b,b|c\n", {"bad.csv:2: picked and rest are both 'b'"}},
           {"pick", "anchor,picked,rest\np,a|,b\n", {"bad.csv:2: ", "'a|'", "empty name"}},
           {"pick", "anchor,picked,rest\np,a,\n", {"bad.csv:2: 'rest' is empty"}},
           {"triplets",
            "one,two,three\na,b,c\n",
            {"--columns", "--order", "(In a config: columns, order and answers.)"}},
           {"pick", "anchor,picked,rset\np,a,b\n", {"bad.csv:1: ", "no column 'rest'", "'rset'"}},
           {"ranked", "anchor,ranked\np,a|b|a\n", {"bad.csv:2: ranked names 'a' twice"}},
           {"ranked", "anchor,ranked\np,a\n", {"bad.csv:2: The ranking names only one object"}},
           {"ranked", "anchor,ranked\np,a=b\n", {"None of the 1 answers"}},
           {"quadruplets", "i,j,k,l\na,b,a,c\na,b,c,d\n", {"bad.csv:3: ", "share no object"}},
           {"quadruplets", "i,j,k,l\na,b,a,b\n", {"bad.csv:2: ", "both the pair 'a', 'b'"}},
           {"quadruplets", "i,j,k,l\n", {"has a header but no rows"}},
           {"odd_on_out", "odd,first,second\na,b,c\n", {"--answers: ", "'odd_on_out'", "'odd_one_out'"}},
           {"triplets", "anchor,near,far,annotator\na,b,c,\n", {"bad.csv:2: 'annotator' is empty"}},
       }) {
    CAPTURE(bad.content);
    write_text(desk.path / "bad.csv", bad.content);
    check_refused({"embed", "bad.csv", "--answers", bad.kind}, desk.path, bad.parts);
  }
  desk.refused({"embed", "good.csv", "--set", "dataset.0.ranked=adjacent"}, {"answers = ranked"});
  desk.refused({"embed", "good.csv", "--answers", "pick", "--order", "anchor,picked"}, {"lacks 'rest'"});
}

TEST_CASE("fewer than three objects make no map") {
  const Desk desk;
  write_text(desk.path / "bad.csv", "anchor,near,far\na,b,a\nb,a,b\n");
  check_refused({"embed", "bad.csv"}, desk.path, {"bad.csv:2: "});
  check_refused({"embed", "bad.csv", "--drop-degenerate"}, desk.path, {"at least 3 objects"});
}

TEST_CASE("identical objects make no map of features") {
  const Desk desk;
  std::string same = "a,b\n";
  for (int i = 0; i < 40; ++i) same += "1,2\n";
  write_text(desk.path / "same.csv", same);
  for (const char* problem : {"pca", "classical_mds", "isomap", "lle", "hlle", "laplacian_eigenmaps", "mds", "sammon",
                              "cca", "local_mds", "tsne", "nerv", "weighted_ete"}) {
    CAPTURE(problem);
    desk.refused({"embed", "--features", "same.csv", "-p", problem}, {"Give objects that differ"});
  }
}

TEST_CASE("missing files and folders are refused") {
  const Desk desk;
  desk.refused({"embed", "GOOD.csv"}, {"GOOD.csv' cannot be read", "Did you mean '", "/good.csv'?"});
  desk.refused({"run", "C.toml"}, {"Did you mean 'c.toml'?"});
  fs::create_directory(desk.path / "folder");
  const std::string long_name(300, 'x');
  desk.refused({"embed", "none.csv"}, {"none.csv'", "(No such file or directory)"});
  desk.refused({"embed", "none/none.csv"}, {"No such file or directory"});
  desk.refused({"embed", "good.csv/x"}, {"Not a directory"});
  desk.refused({"embed", "folder"}, {"folder' holds no .csv, .tsv, .txt or .json file"});
  desk.refused({"embed", "folder/"}, {"folder/' holds no .csv, .tsv, .txt or .json file"});
  desk.refused({"embed", "folder/*.csv"}, {"No file matches", "folder/*.csv'"});
  desk.refused({"embed", "good.csv", "good.csv"}, {"unexpected argument 'good.csv'", "name their folder"});
  desk.refused({"embed", "--features", "folder"}, {"folder' is a folder"});
  desk.refused({"embed", ""}, {"'' is not a file"});
  desk.refused({"embed", long_name}, {"File name too long"});
  desk.refused({"embed", "good.csv", "--labels", "none.csv"}, {"none.csv'"});
  desk.refused({"embed", "good.csv", "--labels", "folder"}, {"is a folder"});
  desk.refused({"embed", "good.csv", "--labels", ""}, {"'' is not a file"});
  for (const char* verb : {"run", "check"}) {
    desk.refused({verb, "none.toml"}, {"none.toml'", "(No such file or directory)"});
    desk.refused({verb, "folder"}, {"'folder' is a folder"});
    desk.refused({verb, long_name}, {"File name too long"});
  }
  desk.refused({"table", "none"}, {"none", "no"});
  desk.refused({"table", "folder"}, {"folder:", "results folder"});
  fs::create_directories(desk.path / "results/study");
  write_text(desk.path / "results/study/runs.jsonl", "");
  desk.refused({"table", "study"}, {"study:", "results folder", "Did you mean results/study?"});
  desk.refused({"report", "none"}, {"none"});
  desk.refused({"report", "good.csv"}, {"good.csv"});
}

TEST_CASE("objects missing from the list of labels are refused") {
  const Desk desk;
  std::string labels = "name,label\n";
  for (int i = 0; i < 9; ++i) labels += "p" + std::to_string(i) + ",x\n";
  write_text(desk.path / "labels.csv", labels);
  write_text(desk.path / "bad.csv", sixty_answers() + "p1,p2,P33\n");
  desk.refused({"embed", "bad.csv", "--labels", "labels.csv"},
               {"bad.csv:62: The object 'P33' is not among the 9 listed", "'p3'"});
  write_text(desk.path / "labels.csv", "name,label\np1,x\np1,y\n");
  desk.refused({"embed", "good.csv", "--labels", "labels.csv"}, {"labels.csv", "p1"});
  write_text(desk.path / "labels.csv", "who,what,why\np1,x,y\n");
  desk.refused({"embed", "good.csv", "--labels", "labels.csv"}, {"labels.csv:1: ", "'name'"});
  write_text(desk.path / "labels.csv", "");
  desk.refused({"embed", "good.csv", "--labels", "labels.csv"}, {"labels.csv' is empty"});
}

TEST_CASE("command lines with unknown commands, options or names are refused") {
  const Desk desk;
  desk.refused({"embed", "good.csv", "--dim", "3"}, {"embed has no option '--dim'", "Here it is --n-components."});
  desk.refused({"embed", "good.csv", "--random-state=1"}, {"no option '--random-state'", "Here it is --seed."});
  desk.refused({"embed", "good.csv", "-p", "ste", "-s", "lbfgs"}, {"--solver: ", "no solver 'lbfgs'", "ceres"});
  desk.refused({"emded", "good.csv"}, {"alidade has no command 'emded'", "'embed'"});
  desk.refused({"embed"}, {"embed:", "--features FILE", "--distances FILE", "See alidade embed --help."});
  desk.refused({"embed", "good.csv", "--holdot", "0.1"}, {"embed has no option '--holdot'", "'--holdout'"});
  desk.refused({"embed", "good.csv", "--holdot=0.1"}, {"no option '--holdot'", "'--holdout'"});
  desk.refused({"embed", "good.csv", "-z"}, {"no option '-z'"});
  desk.refused({"embed", "good.csv", "more.csv"}, {"embed:", "argument 'more.csv'"});
  desk.refused({"embed", "good.csv", "--seed"}, {"embed: --seed needs a value"});
  desk.refused({"embed", "good.csv", "--seed", "x"}, {"embed: --seed takes a whole number, not 'x'"});
  desk.refused({"embed", "good.csv", "--seed", "1", "--seed", "2"}, {"embed: --seed is given more than once"});
  desk.refused({"embed", "good.csv", "--seed", "-1"}, {"--seed: ", "'seed'", "not -1"});
  desk.refused({"embed", "good.csv", "--seed", "99999999999999999999"}, {"seed"});
  desk.refused({"embed", "good.csv", "--holdout", "half"}, {"--holdout takes a number, not 'half'"});
  desk.refused({"embed", "good.csv", "--threads", "two"}, {"--threads takes a whole number, not 'two'"});
  desk.refused({"list", "problem"}, {"not 'problem'", "problems, solvers"});
  desk.refused({"list", "problems", "etee"}, {"There is no problem 'etee'", "'ete'"});
  desk.refused({"list", "solvers", "lbfgs"}, {"There is no solver 'lbfgs'", "ceres"});
  desk.refused({"list", "datasets", "food"}, {"There is no dataset 'food'", "'food100'"});
  desk.refused({"list", "metrics", "hold_out_error"}, {"There is no metric 'hold_out_error'", "'heldout_error'"});
  desk.refused({"list", "", "ete"}, {"'ete'", "alidade list problems"});
  desk.refused({"data"}, {"data:", "subcommand", "See alidade data --help."});
  desk.refused({"data", "verfy"}, {"data has no command 'verfy'", "'verify'"});
  desk.refused({"data", "verify", "zooo"}, {"There is no dataset 'zooo'", "'zoo'"});
  desk.refused({"run"}, {"run:", "argument 'config'", "See alidade run --help"});
  desk.refused({"help", "tabel"}, {"alidade has no command 'tabel'", "'table'"});
  desk.refused({"help", "data", "fech"}, {"alidade data has no command 'fech'", "'fetch'"});
  desk.refused({"run", "c.toml", "--job", "2"}, {"no option '--job'", "'--jobs'"});
}

TEST_CASE("options out of bounds, of another kind, or unknown are refused") {
  const Desk desk;
  const auto refused = [&](const Names& more, const Names& parts) {
    Names arguments = {"embed", "good.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    desk.refused(arguments, parts);
  };
  refused({"-p", "stee"}, {"--problem: There is no problem 'stee'", "'ste'"});
  refused({"-s", "csdp"}, {"'csdp' fits none of the problems", "'auto'"});
  refused({"-s", "cerez"}, {"--solver: There is no solver 'cerez'", "'ceres'"});
  refused({"-d", "0"}, {"--n-components: ", "'n_components'", "not 0"});
  refused({"-d", "-2"}, {"'n_components'", "not -2"});
  refused({"-d", "1000000000"}, {"'n_components'", "not 1000000000"});
  refused({"-d", "2.5"}, {"'n_components'", "a whole number, not 2.5"});
  refused({"-d", "many"}, {"'n_components'", "a whole number, not \"many\""});
  refused({"-d", "2.5", "-p", "ete"}, {"'n_components'", "a whole number, not 2.5"});
  refused({"--set", "problem.t=3"}, {"problem 'auto' chooses by itself and has no option 't'"});
  refused({"--set", "t=3"}, {"--set: 't' is an option of a problem. Write problem.t=VALUE."});
  refused({"--set", "max_iter=3"}, {"--set: 'max_iter' is an option of a solver. Write solver.max_iter=VALUE."});
  refused({"--set", "noise=0.1"}, {"'noise' is an option of a data set. Write dataset.0.noise=VALUE."});
  refused({"--set", "repeets=3"}, {"The config has no option 'repeets'. Did you mean 'repeats'?"});
  refused({"--images", "nowhere"}, {"--images: nowhere is not a folder"});
  refused({"--images", "."}, {"holds no pictures", ".png"});
  refused({"--set", "solver.max_iter=3"}, {"solver 'auto' goes with problem 'auto'"});
  refused({"--set", "choose.problem.t=[1]"}, {"problem 'auto'", "Leave out choose"});
  refused({"-s", "continuation", "-p", "tste"}, {"continuation needs stages"});
  refused({"--holdout", "1.0"}, {"--holdout: ", "'holdout'", "[0, 1)"});
  refused({"--holdout", "-0.1"}, {"'holdout'", "not -0.1"});
  refused({"--holdout", "nan"}, {"'holdout'", "not nan"});
  refused({"--holdout", "0.9999"}, {"Holding out 60 of 60 triplets leaves none"});
  refused({"--threads", "0"}, {"--threads", "a whole number in [1, 512], not 0"});
  refused({"--threads", "-1"}, {"--threads", "not -1"});
  refused({"--threads", "100000"}, {"--threads", "not 100000"});
  refused({"--timeout", "soon"}, {"--timeout: \"soon\" is not a duration"});
  refused({"--timeout", "0"}, {"0 is not a duration"});
  refused({"--order", "anchor,near"}, {"'anchor,near' lacks 'far'"});
  refused({"--order", "anchor,near,fra"}, {"'fra'", "'far'"});
  refused({"--order", "far,near,anchor"}, {"good.csv:1: ", "Leave the order out"});
  refused({"-p", "tste", "--set", "problem.alpah=2"}, {"--set: ", "problem 'tste' has no option 'alpah'", "'alpha'"});
  refused({"-p", "tste", "--set", "problem.alpha=big"}, {"--set: ", "'alpha' must be a number", "\"big\""});
  refused({"-p", "tste", "--set", "problem.alpha=-3"}, {"--set: ", "'alpha'", "not -3"});
  refused({"-p", "tste", "--set", "solver.max_iter=1e99"}, {"'max_iter'"});
  refused({"-p", "tste", "--set", "solver.max_iter=2.5"}, {"'max_iter'", "a whole number", "not 2.5"});
  refused({"-p", "tste", "--set", "solver.direction=up"}, {"'direction' has no choice 'up'"});
  refused({"--set", "problem.alpha"}, {"PATH=VALUE", "'problem.alpha'"});
  refused({"--set", "problem..alpha=1"}, {"--set problem..alpha"});
  refused({"--set", "problems.alpha=1"}, {"no option 'problems'", "'problem'"});
  refused({"-p", "tste", "--set", "problem.alpha=[1, 2]"}, {"embed makes one map", "choose.problem"});
  refused({"--set", "repeats=2"}, {"embed makes one map"});
  refused({"--set", "method.0.id=x"}, {"embed has one method"});
  refused({"-p", "tste", "--set", "choose.problem.alpha=[]"}, {"no candidates"});
  refused({"-p", "tste", "--set", "choose.problem.t=[1]"}, {"problem 'tste' has no option 't'"});
}

TEST_CASE("places that cannot be written are refused") {
  const Desk desk;
  desk.refused({"embed", "good.csv", "-o", std::string(250, 'n')}, {"The name nnn", "is too long for its file system"});
  write_text(desk.path / "plain", "text");
  fs::create_directory(desk.path / "mine");
  write_text(desk.path / "mine/report.html", "my own page");
  fs::create_directory(desk.path / "other");
  fs::create_directory(desk.path / "other/traces");
  fs::create_symlink("nowhere", desk.path / "dangling");
  run_well("run c.toml --out results", desk.path);
  const std::string long_name(300, 'x');
  // Root may write everywhere, so that forbidden folders are those that can not be: below a file.
  desk.refused({"embed", "good.csv", "-o", "plain"}, {"plain is not a folder"});
  desk.refused({"embed", "good.csv", "-o", "plain/x"}, {"plain/x: Not a directory"});
  desk.refused({"embed", "good.csv", "-o", "new/" + long_name}, {"File name too long"});
  desk.refused({"embed", "good.csv", "-o", ""}, {"-o", "the name of a folder"});
  desk.refused({"embed", "good.csv", "-o", "dangling"}, {"write dangling"});
  desk.refused({"embed", "good.csv", "-o", "results"}, {"results holds the results of an experiment"});
  desk.refused({"embed", "good.csv", "-o", "mine"}, {"mine holds a 'report.html'"});
  desk.refused({"embed", "good.csv", "-o", "other/"}, {"other holds a 'traces'"});
  desk.refused({"embed", "good.csv", "-o", "/proc/nothing"}, {"/proc/nothing"});
  desk.refused({"run", "c.toml", "--out", "plain"}, {"plain"});
  desk.refused({"run", "c.toml", "--out", "plain/x"}, {"plain/x", "Not a directory"});
  desk.refused({"run", "c.toml", "--out", long_name}, {"is too long for its file system"});
  desk.refused({"run", "c.toml", "--out", "/proc/nothing"}, {"/proc/nothing"});
  desk.refused({"run", "c.toml", "--out", "results", "--set", "name=another"},
               {"results holds", "'tiny'", "'another'", "--out"});
  desk.refused({"report", "results", "-o", "plain/page.html"}, {"plain/page.html: Not a directory"});
  desk.refused({"report", "results", "-o", "mine"}, {"mine: Is a directory"});

  const SmallDisk sealed(64, SmallDisk::Access::read_only);
  if (!sealed.mounted()) {
    MESSAGE("without a disk that can only be read: can not mount one (" << sealed.why_not() << ")");
    return;
  }
  const std::string folder = sealed.path().string();
  desk.refused({"embed", "good.csv", "-o", folder}, {"Read-only file system"});
  desk.refused({"embed", "good.csv", "-o", folder + "/map"}, {"Read-only file system"});
  desk.refused({"run", "c.toml", "--out", folder}, {"Read-only file system"});
  desk.refused({"run", "c.toml", "--out", folder + "/results"}, {"Read-only file system"});
  desk.refused({"report", "results", "-o", folder + "/page.html"}, {"Read-only file system"});
}

TEST_CASE("a device is no file of answers") {
  const Desk desk;
  desk.refused({"embed", "/dev/zero"}, {"'/dev/zero'", "Name a file"});
  desk.refused({"embed", "--features", "/dev/zero"}, {"'/dev/zero'", "Name a file"});
}

TEST_CASE("a map whose page alone has no room stays, and no earlier page beside it") {
  const Desk desk;
  for (const char* pages : {"none", "an earlier one"}) {
    CAPTURE(pages);
    const alidade::testing::Ended ended = alidade::testing::run_line(
        "ulimit -f 40; '" + std::string(alidade_command()) + "' embed good.csv -p ste -o limited --force", desk.path);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(holds_all(ended.err, {"The map is written, but not its page", " limited/report.html: ", "ulimit -f",
                                "Then: alidade report limited"}));
    CHECK(holds_all(ended.out, {"Map: limited/embedding.csv", "Report: not made yet"}));
    CHECK(fs::exists(desk.path / "limited/embedding.npy"));
    CHECK_FALSE(fs::exists(desk.path / "limited/report.html"));
    CHECK(run_command("report limited", desk.path).status == 0);
  }
  const alidade::testing::Ended ended = alidade::testing::run_line(
      "ulimit -f 0; '" + std::string(alidade_command()) + "' embed good.csv -p ste -o none", desk.path);
  CHECK(ended.status == 2);
  CHECK_FALSE(fs::exists(desk.path / "none"));
}

TEST_CASE("an unknown instruction set is refused before any work; a known one is used") {
  const Desk desk;
  const auto with = [&](const std::string& set) {
    return alidade::testing::run_line(
        "ALIDADE_INSTRUCTION_SET=" + set + " '" + std::string(alidade_command()) + "' embed good.csv -p ste -o map",
        desk.path);
  };
  const alidade::testing::Ended ended = with("mmx");
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(holds_all(ended.err, {"ALIDADE_INSTRUCTION_SET", "'mmx'", "avx2"}));
  CHECK(!fs::exists(desk.path / "map"));
  CHECK(with("baseline").status == 0);
}

TEST_CASE("a full disk") {
  const SmallDisk disk;
  if (!disk.mounted()) {
    MESSAGE("skipped: can not mount a small disk (" << disk.why_not() << ")");
    return;
  }
  const Desk desk;
  run_well("run c.toml --out results", desk.path);
  const auto check_full = [&](const Names& arguments) {
    const auto before = inventory(disk.path());
    desk.refused(arguments, {"No space left on device"});
    CHECK(inventory(disk.path()) == before);
  };
  const std::string folder = disk.path().string();
  disk.fill(8'000);  // the page of a report is larger
  check_full({"embed", "good.csv", "-o", folder + "/map"});
  check_full({"embed", "good.csv", "-o", folder});
  check_full({"report", "results", "-o", folder + "/page.html"});
  disk.fill();
  check_full({"embed", "good.csv", "-o", folder + "/map"});
  check_full({"run", "c.toml", "--out", folder + "/results"});
  check_full({"run", "c.toml", "--out", folder});
  check_full({"merge", "results", "--out", folder + "/merged"});
  check_full({"init", folder + "/new.toml"});
  check_full({"table", "results", "--target", "1%", "--best-known", folder + "/best.json"});

  desk.refused({"report", "results", "--figures", folder + "/figures"}, {"No space left on device"});
  CHECK(inventory(disk.path() / "figures").empty());

  // Full in the middle of a merge: no row before its files, and given again it goes on.
  for (const std::uintmax_t room : {12'000U, 20'000U, 28'000U}) {
    CAPTURE(room);
    disk.fill(room);
    desk.refused({"merge", "results", "--out", folder + "/merged"}, {"No space left on device"});
    CHECK(content_of(disk.path() / "merged/runs.jsonl").empty());
    fs::remove(disk.path() / "filler");
    run_well({"merge", "results", "--out", folder + "/merged"}, desk.path);
    CHECK(content_of(disk.path() / "merged/runs.jsonl") == content_of(desk.path / "results/runs.jsonl"));
    fs::remove_all(disk.path() / "merged");
  }
  disk.fill();

  // Full in the middle of an experiment: the rows that are there are whole, and it goes on from them.
  disk.fill(30'000);
  const Names arguments = {"run", "c.toml", "--out", folder + "/results", "--set", "repeats=9"};
  const Ended ended = run_command(arguments, desk.path);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(lines_of(ended.err).size() == 1);
  CHECK(holds_all(ended.err, {"No space left on device"}));
  const Names rows = lines_of(content_of(disk.path() / "results/runs.jsonl"));
  CHECK(rows.size() < 9);
  for (const std::string& row : rows) CHECK((row.starts_with("{\"schema\":1,") && row.ends_with("}")));
  for (const std::string& line : inventory(disk.path())) CHECK(line.find(".part") == std::string::npos);
}

TEST_CASE("malformed configurations are refused") {
  const Desk desk;
  const std::string data = "[[dataset]]\nname = \"europe\"\n",
                    method = "[[method]]\nproblem = \"ste\"\nsolver = \"ceres\"\n";
  for (const Case& bad : std::vector<Case>{
           {"empty", "", {"bad.toml' is empty"}},
           {"comments only", "# to do\n", {"bad.toml' is empty"}},
           {"not TOML", "name = \"x\"\n[[dataset\n", {"bad.toml:2:"}},
           {"a string left open", "name = \"x\n", {"bad.toml:1:"}},
           {"a key twice", "name = \"x\"\nname = \"y\"\n", {"bad.toml:2:"}},
           {"rubbish",
            std::string("\x7f"
                        "ELF\x02\x01\0\0\xff\xfe",
                        10),
            {"bad.toml:1:"}},
           {"no name", data + method, {"has no name"}},
           {"no data", "name = \"x\"\n" + method, {"at least one [[dataset]]"}},
           {"no methods", "name = \"x\"\n" + data, {"at least one [[method]]"}},
           {"a key with a slip", "name = \"x\"\nrepeat = 3\n" + data + method, {"bad.toml:2:1: ", "'repeats'"}},
           {"an unknown dataset",
            "name = \"x\"\n[[dataset]]\nname = \"europ\"\n" + method,
            {"bad.toml:3:1: ", "'europe'"}},
           {"an unknown problem",
            "name = \"x\"\n" + data + "[[method]]\nproblem = \"stte\"\nsolver = \"ceres\"\n",
            {"bad.toml:5:1: ", "'ste'"}},
           {"an unknown solver",
            "name = \"x\"\n" + data + "[[method]]\nproblem = \"ste\"\nsolver = \"cerse\"\n",
            {"bad.toml:6:1: ", "'ceres'"}},
           {"an unknown metric",
            "name = \"x\"\n[evaluate]\nmetrics = [\"trian_error\"]\n" + data + method,
            {"bad.toml:3:12: ", "'train_error'"}},
           {"an unknown option", "name = \"x\"\n" + data + "nose = 1\n" + method, {"bad.toml:4:1: ", "'noise'"}},
           {"out of bounds", "name = \"x\"\n" + data + "noise = 2\n" + method, {"bad.toml:4:1: ", "not 2"}},
           {"text for a number", "name = \"x\"\nrepeats = \"3\"\n" + data + method, {"bad.toml:2:1: ", "not \"3\""}},
           {"an empty sweep", "name = \"x\"\n" + data + "noise = []\n" + method, {"bad.toml:4:1: ", "empty list"}},
           {"two of one id",
            "name = \"x\"\n" + data + data + method,
            {"bad.toml:4:", "Two datasets are called 'europe'"}},
           {"one fold", "name = \"x\"\n[split]\nfolds = 1\n" + data + method, {"bad.toml:3:1: ", "at least 2"}},
           {"all held out", "name = \"x\"\n[split]\nholdout = 1.0\n" + data + method, {"bad.toml:3:1: ", "[0, 1)"}},
           {"a negative seed", "name = \"x\"\nseed = -1\n" + data + method, {"bad.toml:2:1: ", "not -1"}},
           {"a time that is none",
            "name = \"x\"\ntimeout = \"soon\"\n" + data + method,
            {"bad.toml:2:1: ", "duration"}},
           {"a format of the future", "schema = 2\nname = \"x\"\n" + data + method, {"bad.toml:1:1: ", "[1, 1]"}},
       }) {
    CAPTURE(bad.what);
    write_text(desk.path / "bad.toml", bad.content);
    check_refused({"run", "bad.toml"}, desk.path, bad.parts);
    check_refused({"run", "bad.toml", "--out", "deep/er"}, desk.path, bad.parts);
    check_refused({"check", "bad.toml"}, desk.path, bad.parts);
  }
}

TEST_CASE("impossible runs are refused") {
  const Desk desk;
  for (const std::string number : {"0", "-2", "100000"}) {
    desk.refused({"run", "c.toml", "--jobs", number}, {"a whole number in [1, 512], not " + number});
    desk.refused({"run", "c.toml", "--threads", number}, {"a whole number in [1, 512], not " + number});
  }
  desk.refused({"run", "c.toml", "--jobs", "many"}, {"--jobs", "many"});
  desk.refused({"run", "c.toml", "--set", "repeats"}, {"PATH=VALUE", "'repeats'"});
  desk.refused({"run", "c.toml", "--set", "repeats=0"}, {"--set: ", "'repeats'", "not 0"});
  desk.refused({"run", "c.toml", "--set", "method.1.id=x"}, {"'1' is not an index"});
  desk.refused({"run", "c.toml", "--set", "name=../x"}, {"Leave out '/'"});
  desk.refused({"check", "c.toml", "--set", "split.folds=-1"}, {"--set: ", "'folds'", "not -1"});
}

TEST_CASE("broken results, and results without the requested fields, are refused") {
  const Desk desk;
  run_well("run c.toml --out r", desk.path);
  desk.refused({"table", "r", "--value", "metrics.heldout_eror"}, {"metrics.heldout_eror", "metrics.heldout_error"});
  desk.refused({"table", "r", "--rows", "metod"}, {"'metod'", "'method'"});
  desk.refused({"table", "r", "--value", "zz"}, {"'zz'", "metrics.train_error"});
  desk.refused({"table", "r", "--by", "terms"}, {"--by", "Add --target"});
  desk.refused({"table", "r", "--alpha", "0.1"}, {"--alpha", "Add --test"});
  desk.refused({"table", "r", "--profile", "--test", "t"}, {"--test compares means"});
  desk.refused({"table", "r", "--profile", "--data-profile", "--target", "1%"}, {"--profile and --data-profile"});
  desk.refused({"table", "r", "--target", "1%", "--best-known", "."}, {"--best-known", "file"});
  desk.refused({"ranks", "r", "--control", "x"}, {"--control", "Add --post-hoc holm"});
  desk.refused({"table", "r", "--format", "mdd"}, {"'mdd'", "'md'"});
  desk.refused({"table", "r", "--confidence", "2"}, {"onfidence", "2"});
  const std::string row = content_of(desk.path / "r/runs.jsonl");
  write_text(desk.path / "r/runs.jsonl", row + "{\"schema\":1,\n" + row);
  for (const Names& words : {Names{"table", "r"}, Names{"report", "r"}, Names{"run", "c.toml", "--out", "r"}})
    desk.refused(words, {"runs.jsonl:2: "});
  write_text(desk.path / "r/runs.jsonl", "{\"schema\":99,\"run_id\":\"x\"}\n");
  for (const Names& words : {Names{"table", "r"}, Names{"report", "r"}, Names{"run", "c.toml", "--out", "r"}})
    desk.refused(words, {"runs.jsonl:1: ", "format 99"});
}

}  // namespace bad_input_test
