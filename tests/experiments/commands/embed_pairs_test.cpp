// All pairs of the options of `alidade embed`, made from their records: each is honoured or refused in a sentence.
// Whether an option has an effect is read off the results in the row; one that shows nothing there alone, such as
// --threads, has none to lose.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/files/json.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::commands {
Command embed_command();  // commands.cpp
}

namespace embed_pairs_test {
namespace {

using namespace alidade;
using namespace alidade::commands;
using namespace alidade::testing;

using Given = std::vector<std::pair<std::string, std::string>>;

/// A value of an option whose record does not tell one, beside the default. Files are those of `Desk`.
const std::map<std::string, std::string> kSamples = {{"--features", "features.csv"},
                                                     {"--distances", "distances.csv"},
                                                     {"--clusterings", "cards.csv"},
                                                     {"--graph", "ring.edges"},
                                                     {"--pairs", "pairs.csv"},
                                                     {"--same-different", "judged.csv"},
                                                     {"--name-column", "name"},
                                                     {"--label-column", "kind"},
                                                     {"--order", "near,anchor,far"},
                                                     {"--where", "phase=test"},
                                                     {"--labels", "labels.csv"},
                                                     {"--columns", "near,anchor,far"},
                                                     {"--groups", "groups.csv"},
                                                     {"--test", "test.csv"},
                                                     {"--object-features", "features.csv"},
                                                     {"--images", "."},
                                                     {"--n-components", "3"},
                                                     {"--missing-codes", "-99"},
                                                     {"--timeout", "50s"},
                                                     {"--max-size", "1GB"},
                                                     {"--set", "solver.max_iter=3"},
                                                     {"--onto", "onto.csv"},
                                                     {"--init", "init.csv"},
                                                     {"--metrics", "knn_accuracy"},
                                                     {"--out", "made"},
                                                     {"--problem", "tste"},
                                                     {"--solver", "riemannian_sgd"},
                                                     {"--header", "yes"},
                                                     {"--index", "no"},
                                                     {"--ellipses", "sandwich"},
                                                     {"--holdout", "0.3"},
                                                     {"--similarities", "yes"},
                                                     {"--merge-names", "yes"}};
const std::set<std::string> kInputs = {"--features", "--distances", "--clusterings",
                                       "--graph",    "--pairs",     "--same-different"};

/// Fields of a row that repeat what was asked for, or hold times.
const std::set<std::string> kNoResults = {"seconds", "run_id",    "dataset", "method",  "problem", "solver",
                                          "seed",    "memory_mb", "check",   "made_by", "threads", "experiment"};

struct Desk : ScratchFolder {
  Desk() : before(fs::current_path()) {
    Rng rng(3);
    std::string answers = "anchor,near,far,annotator,phase\n", features = "name,a,b,c,kind\n",
                cards = "user,item,cluster\n", labels = "name,label\n", distances = "name",
                judged = "participant,item1,item2,response\n", edges, pairs = "a,b,sign\n", map = "name,x,y\n",
                part = map;
    for (int i = 0; i < 8; ++i) {
      for (int k = 0; k < 9; ++k)
        answers += fmt::format("o{},o{},o{},p{},{}\n", i, (i + 1 + k % 2) % 8, (i + 3 + k % 3) % 8, k % 3,
                               k < 8 ? "test" : "main");
      features += fmt::format("o{},{},{},{},{}\n", i, rng.normal(), i + rng.normal(), rng.normal(), i % 2 ? "x" : "y");
      labels += fmt::format("o{},{}\n", i, i % 2);
      distances += fmt::format(",o{}", i);
      edges += fmt::format("o{} o{}\n", i, (i + 1) % 8);
      map += fmt::format("o{},{},{}\n", i, rng.normal(), rng.normal());
      if (i < 6) part += fmt::format("o{},{},{}\n", i, rng.normal(), rng.normal());
    }
    for (int i = 0; i < 8; ++i) {
      distances += fmt::format("\no{}", i);
      for (int j = 0; j < 8; ++j) {
        distances += fmt::format(",{}", std::abs(i - j));
        if (i < j) pairs += fmt::format("o{},o{},{}\n", i, j, j - i < 3 ? 1 : -1);
        for (int p = 0; p < 3 && i < j; ++p)
          judged += fmt::format("p{},o{},o{},{}\n", p, i, j, (i + j + p) % 3 ? "different" : "same");
      }
      for (int p = 0; p < 3; ++p) cards += fmt::format("p{},o{},{}\n", p, i, (i + p) / 3);
    }
    for (const auto& [name, text] : {std::pair<const char*, std::string>{"answers.csv", answers},
                                     {"test.csv", answers},
                                     {"features.csv", features},
                                     {"cards.csv", cards},
                                     {"labels.csv", labels},
                                     {"distances.csv", distances + "\n"},
                                     {"judged.csv", judged},
                                     {"ring.edges", edges},
                                     {"pairs.csv", pairs},
                                     {"init.csv", map},
                                     {"onto.csv", part},
                                     {"groups.csv", "annotator,group\np0,one\np1,one\np2,two\n"}})
      write_text(*this / name, text);
    fs::current_path(static_cast<const fs::path&>(*this));
  }
  ~Desk() { fs::current_path(before); }
  fs::path before;
};

std::string sample(const CommandOption& option) {
  const std::string name = option.names().back();
  if (const auto found = kSamples.find(name); found != kSamples.end()) return found->second;
  if (const Words values = option.values(); !values.empty()) return values.back();
  return "7";  // a number; a flag ignores it
}

void give(const commands::Command& embed, const std::string& name, const std::string& text) {
  const auto option = std::ranges::find_if(embed.options, [&](const auto& one) { return one.names().back() == name; });
  REQUIRE(option != embed.options.end());
  std::visit(
      [&]<class T>(const T& target) {
        if constexpr (std::is_same_v<T, SettingTarget>)
          target.settings->push_back({name, target.key, !target.flag.empty() ? target.flag : text});
        else if constexpr (std::is_same_v<T, bool*>)
          *target = true;
        else if constexpr (std::is_same_v<T, Words*> || std::is_same_v<T, std::vector<fs::path>*>)
          target->emplace_back(text);
        else if constexpr (std::is_same_v<T, int*> || std::is_same_v<T, std::int64_t*>)
          *target = name == "--bootstrap" ? 2 : 7;
        else if constexpr (std::is_same_v<T, double*> || std::is_same_v<T, std::optional<double>*>)
          *target = std::stod(text);
        else
          *target = text;
      },
      option->target);
}

struct Outcome {
  std::string row;      // without times; "" if it was refused
  std::string refusal;  // what was said then
};

/// Runs embed in this process, its output kept.
Outcome outcome(const Given& given) {
  const commands::Command embed = embed_command();
  const auto has = [&](auto... names) {
    return std::ranges::any_of(given, [&](const auto& one) { return ((one.first == names) || ...); });
  };
  if (std::ranges::none_of(given, [](const auto& one) { return kInputs.contains(one.first); })) {
    give(embed, "file", "answers.csv");
    const bool judged = std::ranges::count(given, std::pair<std::string, std::string>("--onto", "init.csv")) > 0;
    if (!has("--problem") && !judged) give(embed, "--problem", "ste");
  }
  for (const auto& [name, text] : given) give(embed, name, text);
  if (!has("--json")) give(embed, "--json", "");
  std::fflush(stdout);
  const int out = ::dup(1), err = ::dup(2), file = ::open("said", O_RDWR | O_CREAT | O_TRUNC, 0600),
            nothing = ::open("/dev/null", O_WRONLY);
  ::dup2(file, 1), ::dup2(nothing, 2);
  Outcome ended;
  std::string broken;
  try {
    if (const int status = embed.run({}); status != 0) broken = fmt::format("status {}", status);
  } catch (const Error& error) {
    ended.refusal = error.what();
  } catch (const std::exception& error) {
    broken = error.what();
  }
  std::fflush(stdout);
  ::dup2(out, 1), ::dup2(err, 2);
  for (const int one : {out, err, file, nothing}) ::close(one);
  fs::remove_all("made");
  CHECK(broken == "");
  if (!ended.refusal.empty() || !broken.empty()) return ended;
  const Value row = parse_json(content_of("said"), "said");
  for (const auto& [key, value] : *row.get_if<ValueTable>())
    if (!kNoResults.contains(key)) ended.row += key + "=" + value.to_text() + "\n";
  return ended;
}

}  // namespace

TEST_CASE("each pair of embed's options is honoured, or refused in a sentence" * doctest::timeout(120)) {
  const Desk desk;
  std::vector<std::string> inputs = {""}, names;
  std::map<std::string, std::string> value;
  for (const CommandOption& option : embed_command().options) {
    const std::string name = option.names().back();
    value[name] = sample(option);
    if (kInputs.contains(name))
      inputs.push_back(name);
    else if (name != "file")
      names.push_back(name);
  }
  const auto with = [&](const std::string& input, const std::string& one, const std::string& other = "") {
    Given given;
    for (const std::string& name : {input, one, other})
      if (!name.empty()) given.emplace_back(name, value.at(name));
    return outcome(given);
  };
  // Each option alone, with each kind of data.
  std::map<std::pair<std::string, std::string>, std::string> alone;
  std::map<std::string, std::string> plain;
  const auto check_refusal = [](const std::string& text) {
    CAPTURE(text);
    CHECK(text.size() > 20);
    CHECK(text.size() < 500);
    CHECK((text.ends_with('.') || text.ends_with(')')));
  };
  for (const std::string& input : inputs) {
    plain[input] = with(input, "").row;
    CAPTURE(input);
    CHECK(plain[input] != "");
    for (const std::string& name : names) {
      const Outcome one = with(input, name);
      CAPTURE(name);
      if (one.row.empty()) check_refusal(one.refusal);
      alone[{input, name}] = one.row;
    }
  }
  std::size_t honoured = 0, refused = 0, effects = 0;
  const auto check_pair = [&](const std::string& of, const std::string& one, const std::string& other) {
    const Outcome both = with(of, one, other);
    CAPTURE(of);
    CAPTURE(one);
    CAPTURE(other);
    ++(both.row.empty() ? refused : honoured);
    if (both.row.empty()) return check_refusal(both.refusal);
    for (const auto& [name, beside] : {std::pair(one, other), {other, one}})
      if (const std::string& its = alone[{of, name}]; !its.empty() && its != plain[of]) {
        CAPTURE(name);
        CHECK((both.row != alone[{of, beside}]));
        ++effects;
      }
  };
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto input = std::ranges::find_if(inputs, [&](const std::string& of) {
        return !alone[{of, names[i]}].empty() && !alone[{of, names[j]}].empty();
      });
      check_pair(input == inputs.end() ? "" : *input, names[i], names[j]);
    }
  value["--onto"] = "init.csv";  // holds all objects: the answers judge it
  alone[{"", "--onto"}] = with("", "--onto").row;
  for (const std::string& name : names)  // labels colour such a map, and nothing is drawn at random
    if (name != "--onto" && name != "--labels" && name != "--seed") check_pair("", name, "--onto");
  MESSAGE(honoured << " pairs honoured, " << refused << " refused; " << effects << " effects");
  CHECK(honoured > 300);
}

}  // namespace embed_pairs_test
