#include "experiments/tables/claims.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace claims_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

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

/// Errors of each repeat at each size: `error(n, repeat)`.
void add(std::vector<ValueTable>& rows, const std::string& method, std::int64_t repeats,
         const std::function<double(double, double)>& error, const std::vector<double>& sizes = {100}) {
  for (std::int64_t r = 0; r < repeats; ++r)
    for (const double n : sizes) rows.push_back(row(method, n, r, error(n, static_cast<double>(r))));
}

/// Differs from repeat to repeat, with a mean near 0.
double wobble(double repeat) { return 0.01 * std::sin(1 + 2.3 * repeat); }

Claim claim_of(const std::string& keys) {
  const ScratchFolder scratch{{"claims.toml", "[[claim]]\nname = \"c\"\nsays = \"A claim\"\n" + keys}};
  return read_claims(scratch / "claims.toml").front();
}

Judgement judged(const std::string& keys, const std::vector<ValueTable>& rows) { return judge(claim_of(keys), rows); }

std::string refusal(const std::string& keys, const std::vector<ValueTable>& rows) {
  return message_of<ConfigError>([&] { static_cast<void>(judged(keys, rows)); });
}

const std::string kBetter = "rule = \"better\"\nmethod = \"A\"\n";

}  // namespace

TEST_CASE("a method is better than others if it is so by a paired test, and not if it is worse") {
  std::vector<ValueTable> rows;
  // The repeats differ by far more than the methods.
  add(rows, "A", 10, [](double, double r) { return 0.2 + 0.05 * r + 0.1 * wobble(r); });
  add(rows, "B", 10, [](double, double r) { return 0.21 + 0.05 * r; });
  add(rows, "C", 10, [](double, double r) { return 0.22 + 0.05 * r; });
  const Judgement all = judged(kBetter, rows);
  CHECK(all.verdict == Verdict::holds);
  CHECK(all.repeats == 10);
  CHECK_FALSE(all.more_repeats);
  CAPTURE(all.evidence);
  CHECK(holds_all(all.evidence, {"A 0.425", "against B 0.435", "against C 0.445", "p = 0.0039"}));

  const Judgement false_claim = judged("rule = \"better\"\nmethod = \"B\"\nthan = [\"A\", \"C\"]\n", rows);
  CHECK(false_claim.verdict == Verdict::does_not_hold);
  CHECK(judged("rule = \"better\"\nmethod = \"B\"\nthan = [\"C\"]\n", rows).verdict == Verdict::holds);
  CHECK(judged("rule = \"better\"\nmethod = \"A\"\nthan = [\"B\"]\nbetter = \"higher\"\n", rows).verdict ==
        Verdict::does_not_hold);
}

TEST_CASE("with too few repeats nothing can be told, and the number that is missing is named") {
  std::vector<ValueTable> rows;
  add(rows, "A", 3, [](double, double r) { return 0.2 + 0.1 * wobble(r); });
  add(rows, "B", 3, [](double, double) { return 0.3; });
  const Judgement few = judged(kBetter, rows);
  CHECK(few.verdict == Verdict::can_not_be_told);
  CHECK(few.repeats == 3);
  CHECK(few.more_repeats == 3);  // Wilcoxon's test needs six pairs
  CHECK(judged(kBetter + "test = \"t\"\n", rows).verdict == Verdict::holds);

  std::vector<ValueTable> alike;
  add(alike, "A", 12, [](double, double r) { return 0.2 + wobble(r); });
  add(alike, "B", 12, [](double, double r) { return 0.2005 + wobble(r + 20); });
  const Judgement close = judged(kBetter, alike);
  CHECK(close.verdict == Verdict::can_not_be_told);
  REQUIRE(close.more_repeats);
  CHECK(*close.more_repeats > 100);
}

TEST_CASE("the number of further repeats is that of a test's power") {
  // Differences of mean 1 and standard deviation 2: a t test needs (1.96 + 0.84)^2 * 4 = 31.4 of them.
  std::vector<ValueTable> rows;
  const std::vector<double> differences{-1, 3};
  const double spread = std::sqrt(8.0);
  for (std::int64_t r = 0; r < 2; ++r) {
    rows.push_back(row("A", 1, r, 0));
    rows.push_back(row("B", 1, r, differences[static_cast<std::size_t>(r)] * 2 / spread + 1 - 2 / spread));
  }
  CHECK(judged(kBetter + "test = \"t\"\n", rows).more_repeats == 32 - 2);
}

TEST_CASE("a claim about several columns must hold in each, or holds in the part that is named") {
  std::vector<ValueTable> rows;
  add(rows, "A", 10, [](double n, double r) { return (n < 150 ? 0.3 : 0.1) + 0.1 * wobble(r); }, {100, 200, 300});
  add(rows, "B", 10, [](double n, double) { return n < 250 ? 0.2 : 0.101; }, {100, 200, 300});
  const Judgement judgement = judged(kBetter + "cols = \"dataset.options.n\"\n", rows);
  CHECK(judgement.verdict == Verdict::holds_in_part);
  CAPTURE(judgement.evidence);
  CHECK(holds_all(judgement.evidence, {"100: A 0.3", "200: A 0.1", "300: A 0.1"}));
  CHECK(judged(kBetter + "cols = \"dataset.options.n\"\nwhere = [\"dataset.options.n=100\"]\n", rows).verdict ==
        Verdict::does_not_hold);
  CHECK(judged(kBetter + "cols = \"dataset.options.n\"\nwhere = [\"dataset.options.n=200\"]\n", rows).verdict ==
        Verdict::holds);
}

TEST_CASE("many columns are told in groups, with the method that is better") {
  std::vector<ValueTable> rows;
  const std::vector<double> sizes{1, 2, 3, 4, 5, 6};
  add(
      rows, "A", 10, [](double n, double r) { return (n < 3 ? 0.3 : 0.1) + 0.1 * wobble(r); }, sizes);
  add(
      rows, "B", 10, [](double, double) { return 0.2; }, sizes);
  const Judgement judgement = judged(kBetter + "cols = \"dataset.options.n\"\n", rows);
  CAPTURE(judgement.evidence);
  CHECK(holds_all(judgement.evidence, {"holds at 3, 4, 5, 6 (p <= 0.012", "does not hold at 1, 2 (", "B is better"}));
}

TEST_CASE("as good means worse by no more than the margin, by the interval of the difference") {
  std::vector<ValueTable> rows;
  add(rows, "A", 10, [](double, double r) { return 0.205 + 0.05 * r + 0.1 * wobble(r); });
  add(rows, "B", 10, [](double, double r) { return 0.2 + 0.05 * r; });
  const std::string claim = "rule = \"as_good\"\nmethod = \"A\"\nthan = [\"B\"]\n";
  CHECK(judged(claim + "margin = 0.01\n", rows).verdict == Verdict::holds);
  CHECK(judged(claim + "margin = 0.001\n", rows).verdict == Verdict::does_not_hold);
  const Judgement close = judged(claim + "margin = 0.005\n", rows);
  CHECK(close.verdict == Verdict::can_not_be_told);
  CHECK(close.more_repeats);
  // Without a margin, "as good" would be a test of superiority.
  CHECK(holds_all(refusal(claim, rows), {"needs the key 'margin'"}));
}

TEST_CASE("of many columns one differs by chance, which says nothing against a claim nor for a part of it") {
  std::vector<double> sizes;
  for (int i = 1; i <= 20; ++i) sizes.push_back(i);
  const auto differing_at_7 = [&](double shift) {
    std::vector<ValueTable> rows;
    const auto noise = [](double n, double r) { return 0.01 * std::sin(1 + 2.3 * r + 1.7 * n); };
    add(
        rows, "A", 8,
        [&](double n, double r) { return 0.2 + (n == 7 ? shift : 0.0) + (n == 7 ? 0.3 : 1.0) * noise(n, r); }, sizes);
    add(
        rows, "B", 8, [](double, double) { return 0.2; }, sizes);
    return rows;
  };
  const std::string claim = kBetter + "test = \"t\"\ncols = \"dataset.options.n\"\n";
  for (const double shift : {0.0025, -0.0025}) {
    CAPTURE(shift);
    const std::vector<ValueTable> rows = differing_at_7(shift);
    const Judgement alone = judged(claim + "where = [\"dataset.options.n=7\"]\n", rows);
    CAPTURE(alone.evidence);
    CHECK(alone.verdict == (shift > 0 ? Verdict::does_not_hold : Verdict::holds));
    CHECK(judged(claim, rows).verdict == Verdict::can_not_be_told);
  }
  CHECK(judged(claim, differing_at_7(0.1)).verdict == Verdict::does_not_hold);
  CHECK(judged(claim, differing_at_7(-0.1)).verdict == Verdict::holds_in_part);
}

TEST_CASE("a drop is what is lost from the lowest level, whatever the level itself") {
  std::vector<ValueTable> rows;
  const std::vector<double> noise{0, 10, 30};
  // A is worse at every level, and loses less.
  add(
      rows, "A", 6, [](double n, double r) { return 0.4 + 0.001 * n + 0.1 * wobble(r + n); }, noise);
  add(
      rows, "B", 6, [](double n, double r) { return 0.1 + 0.005 * n + 0.1 * wobble(r + 3 * n); }, noise);
  const std::string size = "than = [\"B\"]\ntest = \"t\"\n",
                    drop = "rule = \"drop\"\nsize = \"dataset.options.n\"\n" + size;
  CHECK(judged(kBetter + size + "cols = \"dataset.options.n\"\n", rows).verdict == Verdict::does_not_hold);
  const Judgement judgement = judged(drop + "method = \"A\"\n", rows);
  CAPTURE(judgement.evidence);
  CHECK(judgement.verdict == Verdict::holds);
  CHECK(holds_all(judgement.evidence, {"10: A 0.0098", "30: A 0.02999", "against B 0.15"}));
  CHECK(judgement.evidence.find("0: A") == judgement.evidence.find("10: A") + 1);  // the lowest level is no column
  CHECK(judged("rule = \"drop\"\nsize = \"dataset.options.n\"\ntest = \"t\"\nmethod = \"B\"\nthan = [\"A\"]\n", rows)
            .verdict == Verdict::does_not_hold);
  CHECK(holds_all(refusal(drop + "method = \"A\"\nwhere = [\"dataset.options.n=10\"]\n", rows), {"two levels"}));
}

TEST_CASE("never the worst means better than another one in each column, and not worse than only one") {
  std::vector<ValueTable> rows;
  const std::vector<double> sizes{1, 2};
  const auto flat = [](double error) { return [error](double n, double r) { return error + 0.1 * wobble(r + n); }; };
  add(rows, "A", 8, flat(0.3), sizes);
  add(
      rows, "B", 8, [](double n, double r) { return (n < 2 ? 0.5 : 0.1) + 0.1 * wobble(r + 9); }, sizes);
  add(
      rows, "C", 8, [](double n, double r) { return (n < 2 ? 0.1 : 0.5) + 0.1 * wobble(r + 17); }, sizes);
  const std::string claim = "rule = \"never_worst\"\ncols = \"dataset.options.n\"\nmethod = ";
  CHECK(judged(kBetter + "cols = \"dataset.options.n\"\n", rows).verdict == Verdict::does_not_hold);
  CHECK(judged(claim + "\"A\"\n", rows).verdict == Verdict::holds);
  CHECK(judged(claim + "\"B\"\n", rows).verdict == Verdict::holds_in_part);
  CHECK(judged(claim + "\"B\"\nwhere = [\"dataset.options.n=1\"]\n", rows).verdict == Verdict::does_not_hold);
}

TEST_CASE("folds share training data, so that their differences vary more than they show") {
  std::vector<ValueTable> rows;
  const std::vector<double> gains{0.005, 0.02, 0.012, 0.018, 0.004};
  for (std::int64_t k = 0; k < 5; ++k)
    for (const auto& [name, error] : {std::pair("A", 0.2), std::pair("B", 0.2 + gains[static_cast<std::size_t>(k)])}) {
      rows.push_back(row(name, 100, 0, error));
      rows.back().set("fold", k);
      ValueTable repeat = row(name, 200, k, error);  // the same numbers from independent repeats
      repeat.set("fold", std::int64_t{0});
      rows.push_back(repeat);
    }
  const std::string claim = kBetter + "test = \"t\"\n";
  CHECK(judged(claim + "where = [\"dataset.options.n=200\"]\n", rows).verdict == Verdict::holds);
  const Judgement folds = judged(claim + "over = \"fold\"\nwhere = [\"dataset.options.n=100\"]\n", rows);
  CAPTURE(folds.evidence);
  CHECK(folds.verdict == Verdict::can_not_be_told);
  CHECK(holds_all(folds.evidence, {"Nadeau and Bengio"}));
  CHECK_FALSE(folds.more_repeats);  // more folds share more
}

TEST_CASE("claims compare runs of data, repeats and folds that both methods have, and say how many are left out") {
  const auto in_fold = [](ValueTable row, std::int64_t fold) {
    row.set("fold", fold);
    return row;
  };
  // B is better on each fold that both have; A alone has an easy one.
  std::vector<ValueTable> rows;
  for (std::int64_t r = 0; r < 8; ++r) {
    const double error = 0.3 + wobble(static_cast<double>(r));
    for (const auto& [method, fold, value] :
         {std::tuple("A", 0, error), {"A", 1, 0.05}, {"B", 0, error - 0.02 - 0.001 * static_cast<double>(r)}})
      rows.push_back(in_fold(row(method, 100, r, value), fold));
    rows.back().set("termination", "time_limit");
  }
  for (const char* rule :
       {"rule = \"better\"\nmethod = \"A\"\n", "rule = \"order\"\norder = [\"A\", \"B\"]\n",
        "rule = \"never_worst\"\nmethod = \"A\"\n", "rule = \"as_good\"\nmethod = \"A\"\nmargin = 0.001\n"}) {
    const Judgement judgement = judged(rule, rows);
    CAPTURE(judgement.evidence);
    CHECK(judgement.verdict == Verdict::does_not_hold);
    CHECK(holds_all(judgement.evidence,
                    {"(8 runs that only one has left out)", "; ended by the time limit: 8 runs of B"}));
  }
  CHECK(judged("rule = \"value\"\nmethod = \"A\"\nequals = 0.2\n", rows).evidence.find("limit") == std::string::npos);
  // Of other data sets, none is shared.
  std::vector<ValueTable> apart;
  add(apart, "A", 8, [](double, double r) { return 0.1 + wobble(r); });
  add(apart, "B", 8, [](double, double r) { return 0.3 + wobble(r + 9); });
  for (ValueTable& one : apart)
    if (one.find("method")->to_text() == apart.back().find("method")->to_text()) one.set_path("dataset.id", "e");
  CHECK(judged(kBetter, apart).verdict == Verdict::can_not_be_told);
  CHECK(holds_all(judged(kBetter, apart).evidence, {"A and B share no repetition"}));
  // A drop is from the folds of the lowest level that the other has.
  std::vector<ValueTable> levels;
  for (std::int64_t r = 0; r < 6; ++r)
    for (const double noise : {0.0, 3.0}) {
      const double k = static_cast<double>(r);
      levels.push_back(in_fold(row("A", noise, r, 0.1 + 0.05 * noise + 0.1 * wobble(k + noise)), 0));
      levels.push_back(in_fold(row("B", noise, r, 0.1 + 0.06 * noise + 0.1 * wobble(k + noise + 9)), 0));
      levels.back().set_path("dataset.id", "d[n=" + std::to_string(noise) + "]");
      levels[levels.size() - 2].set_path("dataset.id", "d[n=" + std::to_string(noise) + "]");
      if (noise == 0) levels.push_back(in_fold(row("B", noise, r, 0.6), 1));
    }
  CHECK(judged("rule = \"drop\"\nsize = \"dataset.options.n\"\nmethod = \"B\"\n", levels).verdict ==
        Verdict::does_not_hold);
  // B grows faster where both have values; A grows faster yet where B has none.
  std::vector<ValueTable> sizes;
  add(sizes, "A", 6, [](double n, double r) { return n * (n > 20 ? 4 : 1) * (1 + wobble(r)); }, {10, 20, 40});
  add(sizes, "B", 6, [](double n, double r) { return std::pow(n, 1.2 + 0.1 * wobble(r)); }, {10, 20});
  const Judgement growth = judged(
      "rule = \"growth\"\nsize = \"dataset.options.n\"\nmethod = \"B\"\nthan = [\"A\"]\nvalue = "
      "\"metrics.heldout_error\"\n",
      sizes);
  CAPTURE(growth.evidence);
  CHECK(growth.verdict == Verdict::does_not_hold);
  CHECK(holds_all(growth.evidence, {"A grows with exponent 1 [", "(6 runs that only one has left out)"}));
  for (std::size_t k = 0, count = sizes.size(); k < count; ++k)  // a hard fold of the largest size alone
    if (number_field(sizes[k], "dataset.options.n") == 20)
      sizes.push_back(in_fold(sizes[k], 1)), sizes.back().set_path("metrics.heldout_error", 9e9);
  CHECK(holds_all(
      judged("rule = \"growth\"\nsize = \"dataset.options.n\"\nmethod = \"B\"\nequals = 1.2\n", sizes).evidence,
      {"exponent 1.2 ["}));
}

TEST_CASE("equal differences in all repeats are a decision") {
  std::vector<ValueTable> rows;
  add(rows, "A", 5, [](double, double) { return 560.0; });
  add(rows, "B", 5, [](double, double) { return 1229.0; });
  for (const char* test : {"t", "wilcoxon"}) {
    const std::string claim = kBetter + "test = \"" + test + "\"\n";
    CHECK(judged(claim, rows).verdict == Verdict::holds);
    CHECK(holds_all(judged(claim, rows).evidence, {"the same in all 5 repeats"}));
    CHECK(judged(claim + "better = \"higher\"\n", rows).verdict == Verdict::does_not_hold);
  }
}

TEST_CASE("equal differences of values that vary are chance, unless there is no difference") {
  std::vector<ValueTable> rows;
  add(rows, "A", 2, [](double, double r) { return 0.05 + 0.025 * r; });
  add(rows, "B", 2, [](double, double r) { return 0.075 + 0.025 * r; });
  add(rows, "C", 2, [](double, double r) { return 0.05 + 0.025 * r; });
  for (const char* test : {"t", "wilcoxon"})
    CHECK(judged(kBetter + "than = [\"B\"]\ntest = \"" + test + "\"\n", rows).verdict == Verdict::can_not_be_told);
  CHECK(judged("rule = \"as_good\"\nmargin = 0.01\nmethod = \"A\"\nthan = [\"C\"]\n", rows).verdict == Verdict::holds);
}

TEST_CASE("equal values have no interval: only several instruction sets that agree tell") {
  std::vector<ValueTable> one;
  add(one, "A", 5, [](double, double) { return 0.2536; });
  for (ValueTable& of : one) of.set_path(kInstructionSet, "avx512");
  const std::string claim = "rule = \"value\"\nmethod = \"A\"\nequals = 0.257\nmargin = 0.0005\n";
  const Judgement alone = judged(claim, one);
  CHECK(alone.verdict == Verdict::can_not_be_told);
  CHECK(holds_all(alone.evidence, {"0.2536 in all 5 repeats, on avx512"}));
  const auto with_other = [&](double value) {
    std::vector<ValueTable> both = one;
    add(both, "A", 5, [value](double, double) { return value; });
    for (std::size_t i = 5; i < both.size(); ++i) both[i].set_path(kInstructionSet, "avx2");
    return judged(claim, both);
  };
  CHECK(with_other(0.2568).verdict == Verdict::can_not_be_told);
  CHECK(with_other(0.2536).verdict == Verdict::not_reached);
  CHECK(holds_all(with_other(0.2568).evidence, {"on avx2: 0.2568", "on avx512: 0.2536"}));
}

TEST_CASE("a growth over a change of algorithm is told from size to size") {
  // In proportion to the size within each algorithm; the second, from 3000 on, is ten times as fast.
  std::vector<ValueTable> rows;
  const auto cost = [](double n, double r) { return (n < 3000 ? 1e-2 : 1e-3) * n * (1 + 0.001 * std::sin(r * n)); };
  add(rows, "A", 6, cost, {1000, 2000, 4000, 8000});
  const std::string of =
      "value = \"metrics.heldout_error\"\nrule = \"growth\"\nsize = \"dataset.options.n\"\nmethod = \"A\"\nequals = 1\n"
      "margin = 0.05\n";
  CHECK(judged(of, rows).verdict == Verdict::does_not_hold);
  const Judgement steps = judged(of + "each_step = true\n", rows);
  CAPTURE(steps.evidence);
  CHECK(steps.verdict == Verdict::holds_in_part);
  CHECK(holds_all(steps.evidence, {"1000 to 2000: A grows with exponent 1", "2000 to 4000: A grows with exponent -"}));
}

TEST_CASE("an order holds if each method is better than the next") {
  std::vector<ValueTable> rows;
  for (const auto& [name, error] : {std::pair("A", 0.1), std::pair("B", 0.2), std::pair("C", 0.3)})
    add(rows, name, 10, [error](double, double r) { return error + wobble(r + 100 * error); });
  CHECK(judged("rule = \"order\"\norder = [\"A\", \"B\", \"C\"]\n", rows).verdict == Verdict::holds);
  CHECK(judged("rule = \"order\"\norder = [\"A\", \"C\", \"B\"]\n", rows).verdict == Verdict::does_not_hold);
}

TEST_CASE("a published value must lie in the interval, give or take its rounding") {
  std::vector<ValueTable> rows;
  add(rows, "A", 10, [](double, double r) { return 0.2 + wobble(r); });
  const std::string claim = "rule = \"value\"\nmethod = \"A\"\n";
  CHECK(judged(claim + "equals = 0.2\n", rows).verdict == Verdict::holds);
  CHECK(judged(claim + "equals = 0.25\n", rows).verdict == Verdict::not_reached);
  CHECK(judged(claim + "equals = 0.25\nmargin = 0.05\n", rows).verdict == Verdict::holds);
  const Judgement wide = judged(claim + "equals = 0.2\nwidest = 0.001\n", rows);
  CHECK(wide.verdict == Verdict::can_not_be_told);
  CHECK(wide.more_repeats);
  std::vector<ValueTable> one;
  add(one, "A", 1, [](double, double) { return 0.2; });
  CHECK(judged(claim + "equals = 0.2\n", one).verdict == Verdict::can_not_be_told);
  CHECK(judged(claim + "equals = 0.2\n", one).more_repeats == 1);
}

TEST_CASE("a growth is the exponent of the value in the size, and its interval that over repeats") {
  std::vector<ValueTable> rows;
  const std::vector<double> sizes{1000, 4000, 20'000};
  const auto power = [](double exponent) {
    return [exponent](double n, double r) { return 1e-3 * (1 + 0.1 * r) * std::pow(n, exponent + wobble(r)); };
  };
  add(rows, "A", 8, power(1.2), sizes);
  add(
      rows, "B", 8, [&](double n, double r) { return power(1.5)(n, r + 30); }, sizes);
  const std::string of = "value = \"metrics.heldout_error\"\nrule = \"growth\"\nsize = \"dataset.options.n\"\n";
  const Judgement equal = judged(of + "method = \"A\"\nequals = 1.2\n", rows);
  CHECK(equal.verdict == Verdict::holds);
  CHECK(holds_all(equal.evidence, {"A grows with exponent 1.2"}));
  CHECK(judged(of + "method = \"A\"\nequals = 1.3\n", rows).verdict == Verdict::does_not_hold);
  CHECK(judged(of + "method = \"A\"\nat_most = 1.3\n", rows).verdict == Verdict::holds);
  CHECK(judged(of + "method = \"A\"\nat_most = 1.1\n", rows).verdict == Verdict::does_not_hold);
  CHECK(judged(of + "method = \"A\"\nthan = [\"B\"]\n", rows).verdict == Verdict::holds);
  CHECK(judged(of + "method = \"B\"\nthan = [\"A\"]\n", rows).verdict == Verdict::does_not_hold);
  std::vector<ValueTable> once;
  add(once, "A", 1, power(1.2), sizes);
  CHECK(judged(of + "method = \"A\"\nequals = 1.2\n", once).more_repeats == 1);
}

TEST_CASE("bounds must hold for every value, and failed runs leave them open") {
  std::vector<ValueTable> rows;
  add(rows, "A", 5, [](double, double r) { return 0.2 + wobble(r); });
  CHECK(judged("rule = \"within\"\nat_least = 0.1\nat_most = 0.3\n", rows).verdict == Verdict::holds);
  CHECK(judged("rule = \"within\"\nat_most = 0.2\n", rows).verdict == Verdict::does_not_hold);
  ValueTable failed = row("A", 100, 5, 0.2);
  failed.set("status", "failed");
  rows.push_back(failed);
  const Judgement open = judged("rule = \"within\"\nat_most = 0.3\n", rows);
  CHECK(open.verdict == Verdict::can_not_be_told);
  CHECK(holds_all(open.evidence, {"5 of 5 within (1 failed)"}));
  CHECK(judged("rule = \"within\"\nat_most = 0.2\n", rows).verdict == Verdict::does_not_hold);
  CHECK(holds_all(judged("rule = \"value\"\nmethod = \"A\"\nequals = 0.2\n", rows).evidence, {"(1 failed)"}));
  // A mean within the bounds hides no value outside them.
  rows = {row("A", 100, 0, 0.1), row("A", 200, 0, 0.4)};
  CHECK(judged("rule = \"within\"\nat_most = 0.3\n", rows).verdict == Verdict::does_not_hold);
}

TEST_CASE("a method without values leaves a claim open; a misspelt one is an error with its place") {
  std::vector<ValueTable> rows;
  add(rows, "SOE", 10, [](double, double r) { return 0.2 + wobble(r); });
  ValueTable failed = row("STE", 100, 0, 0);
  failed.set("status", "failed");
  failed.erase("metrics");
  rows.push_back(failed);
  const Judgement open = judged("rule = \"better\"\nmethod = \"SOE\"\nthan = [\"STE\"]\n", rows);
  CHECK(open.verdict == Verdict::can_not_be_told);
  CHECK(holds_all(open.evidence, {"STE has no value (1 failed)"}));
  CHECK(holds_all(refusal("rule = \"better\"\nmethod = \"SEO\"\nthan = [\"STE\"]\n", rows),
                  {"claims.toml:1:", "claim 'c'", "There is no row 'SEO'.", "Did you mean 'SOE'?"}));
  CHECK(holds_all(refusal("rule = \"better\"\nmethod = \"SOE\"\nthan = [\"STE\"]\nwhere = [\"dataset=x\"]\n", rows),
                  {"claims.toml:1:", "dataset"}));
  CHECK(holds_all(refusal("rule = \"better\"\nmethod = \"SOE\"\nthan = [\"STE\"]\nvalue = \"metrics.x\"\n", rows),
                  {"claims.toml:1:", "metrics.x"}));
  CHECK(holds_all(refusal("rule = \"better\"\nmethod = \"SOE\"\nthan = [\"SOE\"]\n", rows), {"with itself"}));
}

TEST_CASE("a name of two setups is an error, since a test would average them") {
  std::vector<ValueTable> rows;
  add(rows, "A", 6, [](double, double r) { return 0.2 + wobble(r); }, {100, 200});
  add(rows, "B", 6, [](double, double r) { return 0.3 + wobble(r + 9); }, {100, 200});
  CHECK(holds_all(refusal(kBetter, rows),
                  {"claims.toml:1:", "'A' is the name of several setups", "dataset.options.n", "'where'"}));
  CHECK(judged(kBetter + "cols = \"dataset.options.n\"\n", rows).verdict == Verdict::holds);
}

TEST_CASE("a bad file of claims is one error with its line") {
  const auto of = [](const std::string& text) {
    const ScratchFolder scratch{{"claims.toml", text}};
    return message_of<ConfigError>([&] { static_cast<void>(read_claims(scratch / "claims.toml")); });
  };
  const std::string head = "[[claim]]\nname = \"c\"\nsays = \"A claim\"\n";
  CHECK(holds_all(of("schema = 1\n"), {"claims.toml: there is no [[claim]]"}));
  CHECK(holds_all(of("claims = 3\n"), {"claims.toml:1:1:", "unknown key 'claims'"}));
  CHECK(holds_all(of(head), {"claims.toml:1:", "has no 'rule'"}));
  CHECK(holds_all(of("[[claim]]\nrule = \"better\"\nsays = \"x\"\n"), {"claims.toml:1:", "has no 'name'"}));
  CHECK(holds_all(of(head + "rule = \"beter\"\n"), {"claims.toml:4:", "'beter'", "Did you mean 'better'?"}));
  CHECK(holds_all(of(head + "rule = \"better\"\n"), {"claims.toml:1:", "needs the key 'method'"}));
  CHECK(holds_all(of(head + "rule = \"better\"\nmethod = \"A\"\nthen = [\"B\"]\n"), {"claims.toml:6:", "'then'"}));
  CHECK(holds_all(of(head + "rule = \"order\"\norder = [\"A\"]\n"), {"two methods or more"}));
  CHECK(holds_all(of(head + "rule = \"value\"\nmethod = \"A\"\nequals = \"much\"\n"),
                  {"claims.toml:6:", "'equals' must be a number"}));
  CHECK(holds_all(of(head + "rule = \"within\"\n"), {"'at_least' or 'at_most'"}));
  CHECK(holds_all(of(head + "rule = \"within\"\nat_least = 2\nat_most = 1\n"), {"no value is within"}));
  CHECK(holds_all(of(head + "rule = \"better\"\nmethod = \"A\"\nequals = 3\n"), {"has no key 'equals'"}));
  CHECK(holds_all(of(head + "rule = \"growth\"\nmethod = \"A\"\nsize = \"n\"\n"), {"needs one of"}));
  const std::string good = head + "rule = \"better\"\nmethod = \"A\"\n";
  CHECK(holds_all(of(good + good), {"claims.toml:6:", "line 1 has a claim of the same name"}));
}

TEST_CASE("claims print as Markdown and CSV, whatever their words hold") {
  std::vector<ValueTable> rows;
  add(rows, "A", 3, [](double, double r) { return 0.2 + 0.1 * wobble(r); });
  add(rows, "B", 3, [](double, double) { return 0.3; });
  Claim claim = claim_of(kBetter + "paper = \"P19\"\nfigure = \"Fig. 3\"\npublished = \".98 | .82\"\n");
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
  const std::string of_paper =
      kBetter + "paper = \"P19\"\ntried = \"more steps\"\nearlier = \"holds\"\nchanged = \"a stop\"\n";
  const std::vector<Claim> claims{claim_of(of_paper), claim_of(of_paper), claim_of(of_paper + "ours = true\n")};
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
