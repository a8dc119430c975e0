#include "experiments/commands/examples.hpp"

#include <algorithm>
#include <array>

namespace alidade::commands {
namespace {

struct Examples {
  std::string_view command, first, second;
  std::string_view next;  // "" for none
};

constexpr std::array kExamples = {
    Examples{"embed", "alidade embed answers.csv -o coffee",
             "alidade embed --features wine.csv --label-column cultivar --scale standard",
             "open coffee/report.html in a browser, or draw it for a paper: alidade figure coffee -o coffee.pdf"},
    Examples{"ask", "alidade ask answers.csv --count 50 -o questions.csv",
             "alidade ask --objects names.csv --count 100 -o questions.csv",
             "ask them, append the answers to answers.csv as anchor,near,far, and ask again"},
    Examples{"curve", "alidade curve answers.csv", "alidade curve export.csv --problem soe -o curve.csv",
             "alidade ask answers.csv --count 50, if more answers would help"},
    Examples{"run", "alidade run study.toml --jobs 2", "alidade run study.toml --set repeats=10",
             "alidade report results/study"},
    Examples{"merge", "alidade merge results/study.shard-*", "alidade merge a b -o results/study",
             "alidade report results/study"},
    Examples{"verify", "alidade verify results/study", "alidade verify theta.dat-s theta.sol",
             "alidade repair results/study, if anything is missing or changed"},
    Examples{"repair", "alidade repair results/study --jobs 2", "alidade repair results/study --no-run",
             "alidade verify results/study"},
    Examples{"certify", "alidade certify answers_map", "alidade certify answers_map answers.csv --tolerance 1e-6", ""},
    Examples{"sdp", "alidade sdp theta.dat-s -o theta.sol", "alidade sdp theta.dat-s --option tolerance=1e-7",
             "alidade verify theta.dat-s theta.sol"},
    Examples{"check", "alidade check study.toml", "alidade check study.toml --set repeats=10",
             "alidade run study.toml"},
    Examples{"init", "alidade init study.toml --triplets answers.csv",
             "alidade init study.toml --features wine.csv --label-column cultivar", "alidade run study.toml"},
    Examples{"schema", "alidade schema > alidade.schema.json", "alidade schema --format md", ""},
    Examples{"list", "alidade list", "alidade list problems ete", "alidade embed answers.csv --problem ete"},
    Examples{"table", "alidade table results/study --test wilcoxon",
             "alidade table results/study --differences STE --format latex", "alidade report results/study"},
    Examples{"ranks", "alidade ranks results/study --svg ranks.svg",
             "alidade ranks results/study --post-hoc holm --control STE", ""},
    Examples{"claims", "alidade claims claims.toml results/study",
             "alidade claims claims.toml results/zoo results/votes --format csv", "alidade help table"},
    Examples{"pages", "alidade pages tables.toml", "alidade pages tables.toml accuracy --results results --check", ""},
    Examples{"report", "alidade report results/study",
             "alidade report results/study --figures figures --width 84mm --pdf",
             "open results/study/report.html in a browser"},
    Examples{"figure", "alidade figure coffee -o coffee.pdf --width 84mm",
             "alidade figure results/study -o curves.png --only curve-grid --dpi 600", ""},
    Examples{"diff", "alidade diff results/before results/after",
             "alidade diff results/a results/b --value seconds.solve",
             "alidade report results/before results/after -o both.html"},
    Examples{"cite", "alidade cite results/study", "alidade cite results/study --format latex > methods.tex", ""},
    Examples{"data list", "alidade data list", "alidade data list --data /disk/data", "alidade data info zoo"},
    Examples{"data info", "alidade data info zoo", "alidade data info food100", "alidade data fetch zoo"},
    Examples{"data fetch", "alidade data fetch zoo house_votes", "alidade data fetch all --retries 10",
             "alidade list datasets"},
    Examples{"data verify", "alidade data verify", "alidade data verify zoo", ""},
    Examples{"completion", "source <(alidade completion bash)", "alidade completion zsh > ~/.zfunc/_alidade", ""}};

}  // namespace

std::string examples_of(std::string_view command) {
  const auto entry = std::ranges::find(kExamples, command, &Examples::command);
  if (entry == kExamples.end()) return {};
  std::string out = "Examples:\n  ";
  out.append(entry->first).append("\n  ").append(entry->second);
  if (!entry->next.empty()) out.append("\nNext: ").append(entry->next);
  return out;
}

std::string_view first_steps() {
  return R"(Alidade draws maps from comparisons such as "A is more like B than like C", and compares the methods.

A map of your answers, a table with the columns anchor,near,far:
  alidade embed answers.csv

Which method is best for them, and how sure is that?
  alidade init study.toml --triplets answers.csv
  alidade run study.toml
  alidade report results/study

The same without data of your own:
  alidade init study.toml
  alidade run study.toml

More:
  alidade list             all methods, solvers, data sets and metrics
  alidade help embed       the options of a command, with examples
  alidade --help           all commands
)";
}

}  // namespace alidade::commands
