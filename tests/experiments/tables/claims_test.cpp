#include "experiments/tables/claims.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace claims_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

using Rows = std::vector<Row>;
using Error = std::function<double(double n, double repeat)>;

constexpr auto kHolds = Verdict::holds, kFails = Verdict::does_not_hold, kOpen = Verdict::can_not_be_told,
               kInPart = Verdict::holds_in_part;

ValueTable row(const std::string& method, double n, std::int64_t repeat, double error) {
  ValueTable out;
  out.set("status", "ok");
  out.set("method", method);
  out.set("repeat", repeat);
  out.set_path("dataset.id", "d");
  out.set_path("dataset.options.n", n);
  out.set_path("metrics.heldout_error", error);
  return out;
}

ValueTable in_fold(ValueTable row, std::int64_t fold) {
  row.set("fold", fold);
  return row;
}

/// Errors of each repeat at each size.
void add(Rows& rows, const std::string& method, std::int64_t repeats, const std::vector<double>& sizes,
         const Error& error) {
  for (std::int64_t r = 0; r < repeats; ++r)
    for (const double n : sizes) rows.push_back(row(method, n, r, error(n, static_cast<double>(r))));
}
Rows made(std::int64_t repeats, const std::vector<std::pair<std::string, Error>>& methods,
          const std::vector<double>& sizes = {100}) {
  Rows out;
  for (const auto& [method, error] : methods) add(out, method, repeats, sizes, error);
  return out;
}

/// Differs from repeat to repeat, with a mean near 0.
double wobble(double repeat) { return 0.01 * std::sin(1 + 2.3 * repeat); }
Error always(double error) {
  return [error](double, double) { return error; };
}
Error about(double error, double shift = 0) {
  return [error, shift](double, double r) { return error + wobble(r + shift); };
}
/// About `low` at sizes below `n`, else about `high`.
Error stepped(double n, double low, double high, double shift = 0) {
  return [=](double size, double r) { return (size < n ? low : high) + 0.1 * wobble(r + shift); };
}

/// "better method=A than=B,C cols=n" in TOML: the rule, then its keys; n is the size.
std::string toml(std::string_view claim) {
  std::string out;
  while (!claim.empty()) {
    const std::string_view word = claim.substr(0, claim.find(' '));
    claim.remove_prefix(std::min(claim.size(), word.size() + 1));
    const std::string name(word.substr(0, word.find('=')));
    std::string value(word.substr(std::min(word.size(), name.size() + 1)));
    if (value == "n" || value.starts_with("n=")) value = "dataset.options." + value;
    if (value == "error") value = "metrics.heldout_error";
    const bool number = value == "true" || parse_double(value),
               list = name == "than" || name == "order" || name == "where";
    const std::string text = list ? "[\"" + join(split_names(value), "\", \"") + "\"]" : "\"" + value + "\"";
    out += word.size() == name.size() ? "rule = \"" + name + "\"\n" : name + " = " + (number ? value : text) + "\n";
  }
  return out;
}

Claim claim_of(std::string_view claim, const std::string& more = "") {
  const ScratchFolder scratch{{"claims.toml", "[[claim]]\nname = \"c\"\nsays = \"A claim\"\n" + toml(claim) + more}};
  return read_claims(scratch / "claims.toml").front();
}

Judgement judged(std::string_view claim, const Rows& rows) { return judge(claim_of(claim), rows); }

/// What the rows say of a claim, and parts of the evidence.
struct Told {
  std::string claim;
  Verdict verdict;
  std::vector<std::string_view> evidence{};
};
void check(const Rows& rows, const std::vector<Told>& all) {
  for (const Told& one : all) {
    const Judgement judgement = judged(one.claim, rows);
    CAPTURE(one.claim);
    CAPTURE(judgement.evidence);
    CHECK(judgement.verdict == one.verdict);
    for (const std::string_view part : one.evidence) CHECK_MESSAGE(holds(judgement.evidence, part), part);
  }
}

/// A claim that is refused, and parts of the message.
void check_refused(const Rows& rows, std::string_view claim, std::initializer_list<std::string_view> parts) {
  CHECK(holds_all(message_of<ConfigError>([&] { return judged(claim, rows); }), parts));
}

}  // namespace

TEST_CASE("a method is better than others if it is so by a paired test, and not if it is worse") {
  // The repeats differ by far more than the methods.
  const Rows rows = made(10, {{"A", [](double, double r) { return 0.2 + 0.05 * r + 0.1 * wobble(r); }},
                              {"B", [](double, double r) { return 0.21 + 0.05 * r; }},
                              {"C", [](double, double r) { return 0.22 + 0.05 * r; }}});
  const Judgement all = judged("better method=A", rows);
  CHECK(all.repeats == 10);
  CHECK_FALSE(all.more_repeats);
  check(rows, {{"better method=A", kHolds, {"A 0.425", "against B 0.435", "against C 0.445", "p = 0.0039"}},
               {"better method=B than=A,C", kFails},
               {"better method=B than=C", kHolds},
               {"better method=A than=B better=higher", kFails}});
}

TEST_CASE("with too few repeats nothing can be told, and the number that is missing is named") {
  const Rows rows = made(3, {{"A", [](double, double r) { return 0.2 + 0.1 * wobble(r); }}, {"B", always(0.3)}});
  const Judgement few = judged("better method=A", rows);
  CHECK(few.repeats == 3);
  CHECK(few.more_repeats == 3);  // Wilcoxon's test needs six pairs
  check(rows, {{"better method=A", kOpen}, {"better method=A test=t", kHolds}});
  const Judgement close = judged("better method=A", made(12, {{"A", about(0.2)}, {"B", about(0.2005, 20)}}));
  CHECK(close.verdict == kOpen);
  REQUIRE(close.more_repeats);
  CHECK(*close.more_repeats > 100);
}

TEST_CASE("the number of further repeats is that of a test's power") {
  // Differences of mean 1 and standard deviation 2: a t test needs (1.96 + 0.84)^2 * 4 = 31.4 of them.
  const double spread = std::sqrt(8.0);
  const Rows rows = made(
      2, {{"A", always(0)}, {"B", [&](double, double r) { return (r == 0 ? -1 : 3) * 2 / spread + 1 - 2 / spread; }}});
  CHECK(judged("better method=A test=t", rows).more_repeats == 32 - 2);
}

TEST_CASE("a claim about several columns must hold in each, or holds in the part that is named") {
  const Rows rows =
      made(10, {{"A", stepped(150, 0.3, 0.1)}, {"B", [](double n, double) { return n < 250 ? 0.2 : 0.101; }}},
           {100, 200, 300});
  check(rows, {{"better method=A cols=n", kInPart, {"100: A 0.3", "200: A 0.1", "300: A 0.1"}},
               {"better method=A cols=n where=n=100", kFails},
               {"better method=A cols=n where=n=200", kHolds}});
}

TEST_CASE("many columns are told in groups, with the method that is better") {
  check(made(10, {{"A", stepped(3, 0.3, 0.1)}, {"B", always(0.2)}}, {1, 2, 3, 4, 5, 6}),
        {{"better method=A cols=n",
          kInPart,
          {"holds at 3, 4, 5, 6 (p <= 0.012", "does not hold at 1, 2 (", "B is better"}}});
}

TEST_CASE("as good means worse by no more than the margin, by the interval of the difference") {
  const Rows rows = made(10, {{"A", [](double, double r) { return 0.205 + 0.05 * r + 0.1 * wobble(r); }},
                              {"B", [](double, double r) { return 0.2 + 0.05 * r; }}});
  check(rows, {{"as_good method=A than=B margin=0.01", kHolds},
               {"as_good method=A than=B margin=0.001", kFails},
               {"as_good method=A than=B margin=0.005", kOpen}});
  CHECK(judged("as_good method=A than=B margin=0.005", rows).more_repeats);
  // Without a margin, "as good" would be a test of superiority.
  check_refused(rows, "as_good method=A than=B", {"needs the key 'margin'"});
}

TEST_CASE("of many columns one differs by chance, which says nothing against a claim nor for a part of it") {
  std::vector<double> sizes;
  for (int i = 1; i <= 20; ++i) sizes.push_back(i);
  const auto differing_at_7 = [&](double shift) {
    const Error noisy = [shift](double n, double r) {
      const double noise = 0.01 * std::sin(1 + 2.3 * r + 1.7 * n);
      return 0.2 + (n == 7 ? shift + 0.3 * noise : noise);
    };
    return made(8, {{"A", noisy}, {"B", always(0.2)}}, sizes);
  };
  const std::string claim = "better method=A test=t cols=n";
  check(differing_at_7(0.0025), {{claim + " where=n=7", kFails}, {claim, kOpen}});
  check(differing_at_7(-0.0025), {{claim + " where=n=7", kHolds}, {claim, kOpen}});
  check(differing_at_7(0.1), {{claim, kFails}});
  check(differing_at_7(-0.1), {{claim, kInPart}});
}

TEST_CASE("a drop is what is lost from the lowest level, whatever the level itself") {
  // A is worse at every level, and loses less.
  const Rows rows = made(6,
                         {{"A", [](double n, double r) { return 0.4 + 0.001 * n + 0.1 * wobble(r + n); }},
                          {"B", [](double n, double r) { return 0.1 + 0.005 * n + 0.1 * wobble(r + 3 * n); }}},
                         {0, 10, 30});
  check(rows, {{"better method=A than=B test=t cols=n", kFails},
               {"drop size=n than=B test=t method=A", kHolds, {"10: A 0.0098", "30: A 0.02999", "against B 0.15"}},
               {"drop size=n test=t method=B than=A", kFails}});
  const std::string evidence = judged("drop size=n than=B test=t method=A", rows).evidence;
  CHECK(evidence.find("0: A") == evidence.find("10: A") + 1);  // the lowest level is no column
  check_refused(rows, "drop size=n than=B test=t method=A where=n=10", {"two levels"});
}

TEST_CASE("never the worst means better than another one in each column, and not worse than only one") {
  const Rows rows = made(8,
                         {{"A", [](double n, double r) { return 0.3 + 0.1 * wobble(r + n); }},
                          {"B", stepped(2, 0.5, 0.1, 9)},
                          {"C", stepped(2, 0.1, 0.5, 17)}},
                         {1, 2});
  check(rows, {{"better method=A cols=n", kFails},
               {"never_worst cols=n method=A", kHolds},
               {"never_worst cols=n method=B", kInPart},
               {"never_worst cols=n method=B where=n=1", kFails}});
}

TEST_CASE("folds share training data, so that their differences vary more than they show") {
  Rows rows;
  const std::vector<double> gains{0.005, 0.02, 0.012, 0.018, 0.004};
  for (std::int64_t k = 0; k < 5; ++k)
    for (const auto& [name, error] : {std::pair("A", 0.2), std::pair("B", 0.2 + gains[static_cast<std::size_t>(k)])}) {
      rows.push_back(in_fold(row(name, 100, 0, error), k));
      rows.push_back(in_fold(row(name, 200, k, error), 0));  // the same numbers from independent repeats
    }
  const std::string folds = "better method=A test=t over=fold where=n=100";
  check(rows, {{"better method=A test=t where=n=200", kHolds}, {folds, kOpen, {"Nadeau and Bengio"}}});
  CHECK_FALSE(judged(folds, rows).more_repeats);  // more folds share more
}

TEST_CASE("claims compare runs of data, repeats and folds that both methods have, and say how many are left out") {
  // B is better on each fold that both have; A alone has an easy one.
  Rows rows;
  for (std::int64_t r = 0; r < 8; ++r) {
    const double error = 0.3 + wobble(static_cast<double>(r));
    for (const auto& [method, fold, value] :
         {std::tuple("A", 0, error), {"A", 1, 0.05}, {"B", 0, error - 0.02 - 0.001 * static_cast<double>(r)}})
      rows.push_back(in_fold(row(method, 100, r, value), fold));
    rows.back().set("termination", "time_limit");
  }
  for (const char* claim :
       {"better method=A", "order order=A,B", "never_worst method=A", "as_good method=A margin=0.001"})
    check(rows, {{claim, kFails, {"(8 runs that only one has left out)", "; ended by the time limit: 8 runs of B"}}});
  CHECK_FALSE(holds(judged("value method=A equals=0.2", rows).evidence, "limit"));
  // Of other data sets, none is shared.
  Rows apart = made(8, {{"A", about(0.1)}, {"B", about(0.3, 9)}});
  for (Row& one : apart)
    if (text_field(one, "method") == "B") one.set("dataset.id", "e");
  check(apart, {{"better method=A", kOpen, {"A and B share no repetition"}}});
  // A drop is from the folds of the lowest level that the other has.
  Rows levels;
  for (std::int64_t r = 0; r < 6; ++r)
    for (const double noise : {0.0, 3.0}) {
      const double k = static_cast<double>(r);
      for (const auto& [method, slope, shift] : {std::tuple("A", 0.05, 0.0), {"B", 0.06, 9.0}}) {
        levels.push_back(in_fold(row(method, noise, r, 0.1 + slope * noise + 0.1 * wobble(k + noise + shift)), 0));
        levels.back().set("dataset.id", "d[n=" + std::to_string(noise) + "]");
      }
      if (noise == 0) levels.push_back(in_fold(row("B", noise, r, 0.6), 1));
    }
  check(levels, {{"drop size=n method=B", kFails}});
  // B grows faster where both have values; A grows faster yet where B has none.
  Rows sizes;
  add(sizes, "A", 6, {10, 20, 40}, [](double n, double r) { return n * (n > 20 ? 4 : 1) * (1 + wobble(r)); });
  add(sizes, "B", 6, {10, 20}, [](double n, double r) { return std::pow(n, 1.2 + 0.1 * wobble(r)); });
  check(sizes, {{"growth size=n method=B than=A value=error",
                 kFails,
                 {"A grows with exponent 1 [", "(6 runs that only one has left out)"}}});
  for (std::size_t k = 0, count = sizes.size(); k < count; ++k)  // a hard fold of the largest size alone
    if (number_field(sizes[k], "dataset.options.n") == 20)
      sizes.push_back(in_fold(sizes[k], 1)), sizes.back().set("metrics.heldout_error", 9e9);
  CHECK(holds(judged("growth size=n method=B equals=1.2", sizes).evidence, "exponent 1.2 ["));
}

TEST_CASE("equal differences in all repeats are a decision, but of values that vary chance, unless there is none") {
  const Rows equal = made(5, {{"A", always(560)}, {"B", always(1229)}});
  const Error rising = [](double, double r) { return 0.05 + 0.025 * r; };
  const Rows varying =
      made(2, {{"A", rising}, {"B", [&](double n, double r) { return 0.025 + rising(n, r); }}, {"C", rising}});
  Rows of_a_file = equal, of_starts = made(9, {{"A", rising}, {"B", [](double, double r) { return 0.5 + 0.03 * r; }}});
  for (Rows* rows : {&of_a_file, &of_starts})
    for (Row& row : *rows) row.set("dataset.options.test", "test.csv");
  for (const std::string test : {"t", "wilcoxon"}) {
    check(equal, {{"better method=A test=" + test, kHolds, {"the same in all 5 repeats"}},
                  {"better method=A better=higher test=" + test, kFails}});
    CHECK_FALSE(holds(judged("better method=A test=" + test, equal).evidence, "p <"));
    check(of_a_file, {{"better method=A test=" + test, kOpen, {"the same in all 5 repeats, which hold out the same"}},
                      {"as_good margin=1 method=A test=" + test, kOpen}});
    check(of_starts, {{"better method=A test=" + test, kOpen, {"in repeats that hold out the same answers"}}});
    check(varying, {{"better method=A than=B test=" + test, kOpen}});
  }
  check(varying, {{"as_good margin=0.01 method=A than=C", kHolds}});
}

TEST_CASE("equal values have no interval: only several instruction sets that agree tell") {
  const auto on = [](const char* set, double value) {
    Rows out = made(5, {{"A", always(value)}});
    for (Row& of : out) of.set(kInstructionSet, set);
    return out;
  };
  const std::string claim = "value method=A equals=0.257 margin=0.0005";
  check(on("avx512", 0.2536), {{claim, kOpen, {"0.2536 in all 5 repeats, on avx512"}}});
  const auto with_other = [&](double value) {
    Rows both = on("avx512", 0.2536), other = on("avx2", value);
    both.insert(both.end(), other.begin(), other.end());
    return both;
  };
  check(with_other(0.2568), {{claim, kOpen, {"on avx2: 0.2568", "on avx512: 0.2536"}}});
  check(with_other(0.2536), {{claim, Verdict::not_reached}});
}

TEST_CASE("a growth over a change of algorithm is told from size to size") {
  // In proportion to the size within each algorithm; the second, from 3000 on, is ten times as fast.
  const Error cost = [](double n, double r) { return (n < 3000 ? 1e-2 : 1e-3) * n * (1 + 0.001 * std::sin(r * n)); };
  const std::string of = "growth value=error size=n method=A equals=1 margin=0.05";
  check(made(6, {{"A", cost}}, {1000, 2000, 4000, 8000}),
        {{of, kFails},
         {of + " each_step=true",
          kInPart,
          {"1000 to 2000: A grows with exponent 1", "2000 to 4000: A grows with exponent -"}}});
}

TEST_CASE("an order holds if each method is better than the next") {
  check(made(10, {{"A", about(0.1, 10)}, {"B", about(0.2, 20)}, {"C", about(0.3, 30)}}),
        {{"order order=A,B,C", kHolds}, {"order order=A,C,B", kFails}});
}

TEST_CASE("a published value must lie in the interval, give or take its rounding") {
  const Rows rows = made(10, {{"A", about(0.2)}}), one = made(1, {{"A", always(0.2)}});
  check(rows, {{"value method=A equals=0.2", kHolds},
               {"value method=A equals=0.25", Verdict::not_reached},
               {"value method=A equals=0.25 margin=0.05", kHolds},
               {"value method=A equals=0.2 widest=0.001", kOpen}});
  CHECK(judged("value method=A equals=0.2 widest=0.001", rows).more_repeats);
  check(one, {{"value method=A equals=0.2", kOpen}});
  CHECK(judged("value method=A equals=0.2", one).more_repeats == 1);
}

TEST_CASE("a growth is the exponent of the value in the size, and its interval that over repeats") {
  const std::vector<double> sizes{1000, 4000, 20'000};
  const auto power = [](double exponent, double shift) -> Error {
    return
        [=](double n, double r) { return 1e-3 * (1 + 0.1 * (r + shift)) * std::pow(n, exponent + wobble(r + shift)); };
  };
  const std::string of = "growth value=error size=n ";
  check(made(8, {{"A", power(1.2, 0)}, {"B", power(1.5, 30)}}, sizes),
        {{of + "method=A equals=1.2", kHolds, {"A grows with exponent 1.2"}},
         {of + "method=A equals=1.3", kFails},
         {of + "method=A at_most=1.3", kHolds},
         {of + "method=A at_most=1.1", kFails},
         {of + "method=A than=B", kHolds},
         {of + "method=B than=A", kFails}});
  CHECK(judged(of + "method=A equals=1.2", made(1, {{"A", power(1.2, 0)}}, sizes)).more_repeats == 1);
}

TEST_CASE("bounds must hold for every value, and failed runs leave them open") {
  Rows rows = made(5, {{"A", about(0.2)}});
  check(rows, {{"within at_least=0.1 at_most=0.3", kHolds}, {"within at_most=0.2", kFails}});
  rows.push_back(row("A", 100, 5, 0.2));
  rows.back().set("status", "failed");
  check(rows, {{"within at_most=0.3", kOpen, {"5 of 5 within (1 failed)"}},
               {"within at_most=0.2", kFails},
               {"value method=A equals=0.2", kHolds, {"(1 failed)"}}});
  // A mean within the bounds hides no value outside them.
  check({row("A", 100, 0, 0.1), row("A", 200, 0, 0.4)}, {{"within at_most=0.3", kFails}});
}

TEST_CASE("a method without values leaves a claim open; a misspelt one is an error with its place") {
  Rows rows = made(10, {{"SOE", about(0.2)}});
  rows.push_back(row("STE", 100, 0, 0));
  rows.back().set("status", "failed");
  ValueTable bare = rows.back();
  bare.erase("metrics");
  rows.back() = bare;
  check(rows, {{"better method=SOE than=STE", kOpen, {"STE has no value (1 failed)"}}});
  check_refused(rows, "better method=SEO than=STE",
                {"claims.toml:1:", "claim 'c'", "There is no row 'SEO'.", "Did you mean 'SOE'?"});
  check_refused(rows, "better method=SOE than=STE where=dataset=x", {"claims.toml:1:", "dataset"});
  check_refused(rows, "better method=SOE than=STE value=metrics.x", {"claims.toml:1:", "metrics.x"});
  check_refused(rows, "better method=SOE than=SOE", {"with itself"});
}

TEST_CASE("a name of two setups is an error, since a test would average them") {
  const Rows rows = made(6, {{"A", about(0.2)}, {"B", about(0.3, 9)}}, {100, 200});
  check_refused(rows, "better method=A",
                {"claims.toml:1:", "'A' is the name of several setups", "dataset.options.n", "'where'"});
  check(rows, {{"better method=A cols=n", kHolds}});
}

TEST_CASE("a bad file of claims is one error with its line") {
  const auto refused = [](const std::string& text, const std::vector<std::string_view>& parts) {
    const ScratchFolder scratch{{"claims.toml", text}};
    CAPTURE(text);
    const std::string message = message_of<ConfigError>([&] { return read_claims(scratch / "claims.toml"); });
    for (const std::string_view part : parts) CHECK_MESSAGE(holds(message, part), message);
  };
  refused("schema = 1\n", {"claims.toml: there is no [[claim]]"});
  refused("claims = 3\n", {"claims.toml:1:1:", "unknown key 'claims'"});
  refused("[[claim]]\nrule = \"better\"\nsays = \"x\"\n", {"claims.toml:1:", "has no 'name'"});
  const std::string head = "[[claim]]\nname = \"c\"\nsays = \"A claim\"\n", good = head + toml("better method=A");
  refused(good + good, {"claims.toml:6:", "line 1 has a claim of the same name"});
  struct Refused {
    const char* claim;
    std::vector<std::string_view> parts;
  };
  for (const auto& [claim, parts] : {Refused{"", {"claims.toml:1:", "has no 'rule'"}},
                                     {"beter", {"claims.toml:4:", "'beter'", "Did you mean 'better'?"}},
                                     {"better", {"claims.toml:1:", "needs the key 'method'"}},
                                     {"better method=A then=B", {"claims.toml:6:", "'then'"}},
                                     {"order order=A", {"two methods or more"}},
                                     {"value method=A equals=much", {"claims.toml:6:", "'equals' must be a number"}},
                                     {"within", {"'at_least' or 'at_most'"}},
                                     {"within at_least=2 at_most=1", {"no value is within"}},
                                     {"better method=A equals=3", {"has no key 'equals'"}},
                                     {"growth method=A size=n", {"needs one of"}}})
    refused(head + toml(claim), parts);
}

TEST_CASE("claims print as Markdown and CSV, whatever their words hold") {
  const Rows rows = made(3, {{"A", [](double, double r) { return 0.2 + 0.1 * wobble(r); }}, {"B", always(0.3)}});
  const Claim claim = claim_of("better method=A", "paper = \"P19\"\nfigure = \"Fig. 3\"\npublished = \".98 | .82\"\n");
  const std::vector<Claim> claims{claim};
  const std::vector<Judgement> judgements{judge(claim, rows)};
  const std::string markdown = to_text(claims, judgements, TableFormat::markdown);
  CAPTURE(markdown);
  CHECK(holds_all(markdown, {"P19, Fig. 3", ".98 \\| .82", "can not be told; with about 3 more repeats it could"}));
  const std::string csv = to_text(claims, judgements, TableFormat::csv);
  CHECK(holds_all(csv,
                  {"name,paper,figure,claim,published,results,rule,repeats,evidence,verdict,more_repeats,ours,tried\n",
                   "c,P19,Fig. 3,A claim,.98 | .82,,better,3,", ",can not be told,3,false,\n"}));
}

TEST_CASE("what does not hold says what was tried, and ours is counted apart") {
  const std::string of_paper = "paper = \"P19\"\ntried = \"more steps\"\nearlier = \"holds\"\nchanged = \"a stop\"\n";
  const std::vector<Claim> claims{claim_of("better method=A", of_paper), claim_of("better method=A", of_paper),
                                  claim_of("better method=A ours=true", of_paper)};
  const std::vector<Judgement> judgements{{.verdict = Verdict::does_not_hold, .evidence = "A 2 against B 1"},
                                          {.verdict = Verdict::not_run, .evidence = "no results"},
                                          {.verdict = Verdict::holds, .evidence = "A 1 against B 2"}};
  const std::string shown = to_text(claims, judgements, TableFormat::markdown);
  CAPTURE(shown);
  CHECK(holds_all(shown, {"A 2 against B 1. Tried: more steps", "**does not hold**", "not run again", "ours (P19)",
                          "ours: **holds**"}));
  CHECK(shown.find("B 2. Tried") == shown.npos);
  const std::string summary = summary_text(claims, judgements);
  CAPTURE(summary);
  CHECK(holds_all(summary,
                  {"Of 2 claims of 1 paper, holds: 0, ", "does not hold: 1", "| ours       |      1 |     1 |"}));
  CHECK(holds_all(changes_text(claims, judgements), {"holds   | **does not hold** | a stop"}));
}

}  // namespace claims_test
