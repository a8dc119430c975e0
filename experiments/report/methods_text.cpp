#include "experiments/report/methods_text.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "experiments/config/config_file.hpp"
#include "experiments/config/experiment.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/sorted_piles.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/report/ranks.hpp"
#include "experiments/report/report_model.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "solvers/catalog.hpp"

namespace alidade::report {
namespace {

/// Takes what stands before `end` from `rest`, and `end`; all of it where `end` does not stand there.
std::string_view taken(std::string_view& rest, std::string_view end) {
  const auto at = rest.find(end);
  const std::string_view out = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + end.size());
  return out;
}

std::vector<Publication> read_bibliography() {
  std::vector<Publication> out;
  std::string_view rest = embedded_text("bibliography.bib");
  for (taken(rest, "\n\n"); !rest.empty();) {
    Publication entry;
    entry.marks = taken(rest, " -> ");
    entry.words = taken(rest, "\n");
    entry.bibtex = rest.substr(0, rest.find("\n}\n") + 3);
    rest.remove_prefix(std::min(rest.size(), entry.bibtex.size() + 1));
    std::string_view key = entry.bibtex;
    taken(key, "{");
    entry.key = taken(key, ",");
    out.push_back(entry);
  }
  return out;
}

}  // namespace

const std::vector<Publication>& bibliography() {
  static const std::vector<Publication> kAll = read_bibliography();
  return kAll;
}

std::vector<const Publication*> named_in(std::string_view reference) {
  std::vector<std::pair<std::size_t, const Publication*>> cited;
  for (const Publication& entry : bibliography()) {
    std::size_t first = std::string_view::npos;
    for (std::string_view rest = entry.marks; !rest.empty();) first = std::min(first, reference.find(taken(rest, "|")));
    if (first != std::string_view::npos) cited.emplace_back(first, &entry);
  }
  std::ranges::stable_sort(cited, {}, &std::pair<std::size_t, const Publication*>::first);
  return mapped(cited, [](const auto& one) { return one.second; });
}

namespace {

constexpr std::size_t kListedMetrics = 8;

std::string percent_of(double share) { return fmt::format("{:.3g} %", 100 * share); }

class Methods {
 public:
  Methods(const ReportModel& all, CitationStyle style) : all_(all), style_(style) {
    for (const Row& row : all_.rows)
      if (row.ended_well()) ended_.push_back(&row);
    require<DataError>(!ended_.empty(), words::kNoneEndedWell, all_.sources.front().folder.string());
    for (const ReportModel::Source& source : all_.sources)
      plans_.push_back(source.configuration && !given()
                           ? interpret(parse_config(*source.configuration, source.experiment))
                           : Experiment());
  }

  MethodsText text() {
    std::string out = program() + " " + data();
    if (!given()) out += " " + methods();
    for (std::size_t s = 0; s < all_.sources.size(); ++s)
      if (all_.sources[s].configuration)
        if (std::string words = design(s); !words.empty()) out += " " + words;
    for (const std::string& words :
         {measures(), error(), people(), left_out(), all_.single() ? "" : note_on_other_people(all_.rows, true),
          all_.single() ? "" : uncertainty()})
      if (!words.empty()) out += " " + words;
    if (const std::size_t bad = all_.rows.size() - ended_.size(); bad > 0)
      out += fmt::format(" {} of {} gave no result.", bad, counted(all_.rows.size(), "run"));
    const auto cut =
        static_cast<std::size_t>(std::ranges::count_if(ended_, [](const Row* row) { return row->ended_by_time(); }));
    if (cut > 0 && all_.single()) out += " The solve was ended by its time limit.";
    if (cut > 0 && !all_.single())
      out += fmt::format(" {} of {} {} ended by the time limit.", cut, counted(all_.rows.size(), "run"),
                         cut == 1 ? "was" : "were");
    std::string figure = caption();
    if (style_ == CitationStyle::latex) out = for_latex(out), figure = for_latex(figure);
    MethodsText text{out + "\n", figure, table(), program_entry()};
    for (const Publication* entry : used_) text.bibtex += fmt::format("\n{}", entry->bibtex);
    for (const std::string& entry : data_entries_) text.bibtex += "\n" + entry;
    return text;
  }

 private:
  // ---- citations: marks that for_latex() leaves alone

  std::string cited(std::string_view reference) {
    const auto publications = named_in(reference);
    if (publications.empty()) return "";
    std::vector<std::string> words, keys;
    for (const Publication* entry : publications) {
      add_new(used_, entry);
      words.emplace_back(entry->words);
      keys.emplace_back(entry->key);
    }
    return style_ == CitationStyle::text ? " (" + join(words, "; ") + ")" : "~\x01" + join(keys, ",") + "\x02";
  }
  static std::string for_latex(const std::string& text) {
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
      const auto mark = rest.find("~\x01");
      out += escaped(rest.substr(0, mark), TableFormat::latex);
      if (mark == rest.npos) break;
      rest.remove_prefix(mark + 2);
      const auto end = rest.find('\x02');
      out += fmt::format("~\\cite{{{}}}", rest.substr(0, end));
      rest.remove_prefix(std::min(rest.size(), end) + (end == rest.npos ? 0 : 1));
    }
    return out;
  }

  // ---- sentences

  /// Whether a single map was taken as it is.
  [[nodiscard]] bool given() const { return all_.single() && ended_.front()->problem.name == kGivenMap; }
  [[nodiscard]] std::string version() const {
    std::set<std::string> all;
    for (const ReportModel::Source& source : all_.sources)
      for (const ValueTable& command : source.manifest)
        if (const std::string one = text_field(command, "program.version"); !one.empty()) all.insert(one);
    return listed({all.begin(), all.end()});
  }
  [[nodiscard]] std::string program_entry() const {
    const std::string one = version();
    return fmt::format("@misc{{alidade,\n  title = {{Alidade}},\n  note = {{{}maps from comparisons}}\n}}\n",
                       one.empty() ? "" : "version " + one + ", ");
  }
  [[nodiscard]] std::string program() const {
    const std::string one = version();
    const std::string name = "Alidade" + (one.empty() ? "" : " " + one) +
                             (style_ == CitationStyle::latex ? std::string("~\x01") + "alidade\x02" : "");
    if (all_.single()) return fmt::format("The map was {} with {}.", given() ? "judged" : "made", name);
    return fmt::format(
        "{} on {} with {}.",
        all_.methods.size() == 1 ? "One method was run" : fmt::format("{} methods were compared", all_.methods.size()),
        counted(all_.datasets.size(), "data set"), name);
  }

  std::string data() {
    std::vector<std::string> parts;
    for (const std::string& dataset : all_.datasets) {
      const auto row = std::ranges::find_if(ended_, [&](const Row* one) { return one->dataset.id == dataset; });
      if (row == ended_.end()) continue;
      const std::string file = std::filesystem::path(text_field((*row)->dataset.options, "file")).filename().string();
      std::string part = (file.empty() || dataset != (*row)->dataset.name ? dataset : file) + " (" +
                         shown_number(**row, "n") + " objects";
      if (const std::int64_t triplets = (*row)->all_triplets(); triplets > 0)
        part += ", " + with_commas(triplets) +
                (of_pairs(**row)                               ? " triplets implied by judgements of pairs"
                 : datasets::is_of_piles((*row)->dataset.name) ? " triplets implied by objects sorted into piles"
                                                               : " triplets");
      if (const std::size_t people = all_.single() ? annotator_count() : most_judges(dataset); people > 0)
        part += " by " + counted(people, "annotator");
      parts.push_back(part + ")");
      add_data_entry((*row)->dataset.name);
    }
    return "The data were " + listed(parts) + ".";
  }
  /// Whether people judged pairs; triplets are implied by that, to judge the map.
  [[nodiscard]] static bool of_pairs(const Row& row) {
    return row.notes &&
           std::ranges::any_of(*row.notes, [](const auto& note) { return note.starts_with("Each pair "); });
  }
  /// Which objects of a map that was extended are of these data; "" of another map.
  [[nodiscard]] static std::string added_to_map(const Row& row) {
    constexpr std::string_view kOnto = " on a finished map of ";
    for (const std::string& note : row.notes.value_or(std::vector<std::string>()))
      if (const auto at = note.find(kOnto); at != note.npos) {
        const std::string rest = note.substr(at + kOnto.size());
        return fmt::format(words::kAddedToMap, note.substr(0, at), note.starts_with("1 ") ? "was" : "were",
                           rest.substr(0, rest.find_first_not_of("0123456789")));
      }
    return "";
  }
  /// How many people gave the answers of a single map; 0 if that is not known.
  [[nodiscard]] std::size_t annotator_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(judged_annotators(all_), [](const auto& one) { return one.estimate.answers > 0; }));
  }
  /// Of a comparison: how many people gave the answers held out of a run; 0 if that is not known.
  [[nodiscard]] std::size_t most_judges(const std::string& dataset) const {
    std::int64_t out = 0;
    for (const Row* row : ended_)
      if (row->dataset.id == dataset && row->heldout && row->heldout->unit == "annotators")
        out = std::max(out, row->heldout->independent.value_or(0));
    return static_cast<std::size_t>(out);
  }
  void add_data_entry(const std::string& name) {
    const datasets::DatasetEntry* entry = datasets::dataset_catalog().find(name);
    if (!entry || entry->citation.empty() || entry->citation == "generated" || !entry_of_.insert(name).second) return;
    data_entries_.push_back(fmt::format("@misc{{data_{},\n  title = {{Data set {}}},\n  note = {{{}}}\n}}\n", name,
                                        for_latex(name), for_latex(entry->citation)));
  }

  // "20 %", or "20 %, 50 % or 80 %" where data sets differ in it.
  [[nodiscard]] static std::string held_out(const Experiment& e) {
    std::vector<std::string> shares;
    for (const DatasetSetup& setup : e.datasets) {
      const double holdout = training_rule(setup).holdout;
      add_new(shares, percent_of(holdout > 0 ? holdout : e.split.holdout));
    }
    return listed(shares, "or");
  }

  // From the config of a folder: what was held out, the seed; and the repeats that its rows are of.
  [[nodiscard]] std::string design(std::size_t source) const {
    if (given()) return "It was made elsewhere and taken as it is; nothing was fitted to these triplets.";
    const Experiment& e = plans_[source];
    std::vector<std::string> parts;
    const std::string added = all_.single() ? added_to_map(*ended_.front()) : "";
    if (!added.empty()) parts.push_back(added);
    const bool answers = std::ranges::any_of(ended_, [](const Row* row) { return row->triplets.has_value(); });
    if (e.split.folds > 0)
      parts.push_back(fmt::format("Errors are from {}-fold cross-validation.", e.split.folds));
    else if (const Row& row = *ended_.front(); all_.single() && e.split.by_annotator &&
                                               row.heldout_triplets == (row.refit ? row.refit->triplets : std::nullopt))
      parts.push_back(fmt::format(words::kJudgedByPeople,
                                  counted(row.heldout ? row.heldout->independent.value_or(0) : 0, "person", "people")));
    else if (e.split.holdout > 0 && answers)
      parts.push_back(
          held_out(e) +
          (e.split.by_annotator ? " of the triplets, all those of whole annotators, were" : " of the triplets were") +
          (all_.single() ? " held out, to judge a map of the others." : " held out of each fit."));
    if (e.split.objects > 0)
      parts.push_back(e.split.objects < 1 ? percent_of(e.split.objects) + " of the objects were held out."
                                          : fmt::format("{:.0f} objects were held out.", e.split.objects));
    if (e.split.refit && answers && added.empty())
      parts.push_back(fmt::format(words::kFittedToAll, of_pairs(*ended_.front()) ? "judgements" : "triplets"));
    std::set<std::string> repeats;
    for (std::size_t i = 0; i < all_.rows.size(); ++i)
      if (all_.source_of[i] == source && all_.rows[i].ended_well()) repeats.insert(text_field(all_.rows[i], "repeat"));
    const auto planned = static_cast<std::size_t>(e.repeats);
    if (planned > 1)
      parts.push_back(
          fmt::format(words::kSameForAllMethods, repeats.size() == planned
                                                     ? std::to_string(planned)
                                                     : fmt::format("{} of {} planned", repeats.size(), planned)));
    const bool chosen = std::ranges::any_of(ended_, [](const Row* row) { return !row->chosen.is_null(); });
    if (chosen) parts.push_back(fmt::format(words::kValidatedOn, percent_of(e.split.validation)));
    parts.push_back(fmt::format("All random numbers come from seed {}.", e.seed));
    return join(parts, " ");
  }

  std::string methods() {
    std::vector<std::string> sentences;
    for (const std::string& method : all_.methods) {
      std::map<std::string, std::size_t> problems, solvers;  // a method may choose them anew in each run
      const Row* first = nullptr;
      for (const Row* row : ended_) {
        if (row->method != method) continue;
        if (!first) first = row;
        ++problems[row->problem.name];
        ++solvers[row->solver.name];
      }
      if (!first) continue;
      std::vector<std::string> what, how;
      const MethodSetup setup = setup_of(method);
      for (const auto& [name, runs] : problems)
        what.push_back(with_part(problem_catalog(), name, setup.problem_options, "problem", "of"));
      for (const auto& [name, runs] : solvers)
        how.push_back(with_part(solver_catalog(), name, setup.solver_options, "solver", "by"));
      std::string sentence = all_.single() ? "The method was " : method + ": ";
      sentence += fmt::format("{}, solved by {}", listed(what), listed(how));
      if (first->n_components) sentence += fmt::format(", in {}", counted(*first->n_components, "dimension"));
      if (const std::string names = chosen_options(table_field(*first, "chosen")); !names.empty())
        sentence += "; chosen: " + names;
      sentences.push_back(sentence + ".");
    }
    return (all_.single() ? "" : "The methods were these. ") + join(sentences, " ");
  }
  /// As planned; empty where no folder has a config.
  [[nodiscard]] MethodSetup setup_of(const std::string& method) const {
    for (const Experiment& plan : plans_)
      for (const MethodSetup& one : plan.methods)
        if (one.id == method) return one;
    return {};
  }
  /// "disjoint (...) of tste (...)": an entry, and that of the catalog which its option names.
  std::string with_part(const auto& catalog, const std::string& name, const ValueTable& options,
                        std::string_view option, std::string_view link) {
    std::string out = name + cited(reference_of(catalog, name));
    if (const Value* part = options.find(option)) {
      const std::string its = named_options(*part, name, option, name).name;
      out += fmt::format(" {} {}{}", link, its, cited(reference_of(catalog, its)));
    }
    return out;
  }
  /// What candidates of the problem differ in: the rest was not chosen.
  static std::string chosen_options(const ValueTable& choice) {
    std::vector<std::string> out;
    const ValueArray& list = list_field(choice, "candidates");
    const auto differs = [&](const Value& candidate, const std::string& key) {
      const ValueTable& its = *candidate.get_if<ValueTable>();
      return (key == "problem" || text_field(its, "problem") == text_field(choice, "problem")) &&
             text_field(its, key) != text_field(choice, key);
    };
    for (const auto& [key, value] : choice)
      if (!judgement_fields().contains(key) &&
          (list.empty() || std::ranges::any_of(list, [&](const Value& one) { return differs(one, key); })))
        out.push_back(key.substr(key.find('.') + 1));
    return listed(out);
  }
  static std::string reference_of(const auto& catalog, const std::string& name) {
    const auto* entry = catalog.find(name);
    return entry ? entry->reference : "";
  }

  /// What was measured; of a single map with its values, but for the error, which has a sentence of its own.
  [[nodiscard]] std::string measures() const {
    std::vector<std::string> parts;
    const Row& row = *ended_.front();
    std::vector<std::string> fields = metric_fields(all_.rows);
    if (!all_.single() && !fields.empty()) fields = {default_metric(all_.rows)};  // the table's
    if (all_.single())
      std::erase_if(fields, [&](const std::string& name) {
        return name.starts_with("metrics.preservation_") || name.find("smoothed_") != name.npos ||
               name.find("nerv_") != name.npos || name.ends_with("_20") ||
               (row.has_heldout_interval() && name.ends_with("_error"));
      });
    for (const std::string& name : std::span(fields).first(std::min(fields.size(), kListedMetrics)))
      if (const metrics::MetricEntry* entry = metrics::metric_catalog().find(name.substr(name.find('.') + 1))) {
        const std::string title = title_of(name), value = all_.single() ? " " + shown_number(row, name) : "";
        std::string_view what = entry->summary;
        if (what.starts_with(entry->name + ": ")) what.remove_prefix(entry->name.size() + 2);
        parts.push_back(fmt::format("{}{} ({})", title, value, what));
      }
    if (parts.empty()) return "";
    std::string out = "Measured: " + join(parts, "; ") + ".";
    if (!all_.single()) return out + " The values stand in the table.";
    const double most = (static_cast<double>(row.n.value_or(0)) - 1) / 2;  // neighbours, and the perplexity
    for (const std::string_view told : {"12 nearest neighbours", "20 nearest neighbours", "perplexity 20"})
      for (auto at = out.find(told); at != out.npos; at = out.find(told, at + 1))
        if (const auto digits = out.find_first_of("12", at); std::stod(out.substr(digits, 2)) > most)
          out.replace(digits, 2, fmt::format("{:.3g}", told.front() == 'p' ? most : std::floor(most)));
    return out;
  }
  /// The held-out error of a single map, with its interval and over what that is.
  [[nodiscard]] std::string error() const {
    const Row& row = *ended_.front();
    if (!all_.single() || !row.has_heldout_interval()) return "";
    const ResultRow::HeldOut& held = *row.heldout;
    std::string out = fmt::format(words::kErrorByWilson, of_pairs(row) ? "" : words::kErrorIs, *held.error, *held.low,
                                  *held.high, with_commas(row.heldout_triplets.value_or(0)));
    if (held.unit == "annotators" || held.unit == "answers" || held.unit == "questions")
      out += fmt::format(" in clusters, the {} {}", with_commas(held.independent.value_or(0)), held.unit);
    out += of_pairs(row) ? ")." : "); guessing has 0.5.";
    if (const std::string likelihood = likelihood_text(row); !likelihood.empty()) out += " " + likelihood;
    if (std::ranges::any_of(warnings_of(row), is_about_chance)) out += words::kGuessingHas;
    if (warns_of(row, RowWarning::undetermined)) out += " " + warning_text(RowWarning::undetermined, row);
    return out;
  }
  /// Who guesses, and which groups there are, by a single map.
  [[nodiscard]] std::string people() const {
    std::vector<std::string> guessers, out, groups;
    std::map<std::size_t, std::vector<std::string>> members;
    for (const JudgedAnnotator& one : judged_annotators(all_)) {
      if (one.estimate.likely_guesser) guessers.push_back(one.estimate.name);
      if (one.estimate.group > 0) members[one.estimate.group].push_back(one.estimate.name);
    }
    if (!guessers.empty())
      out.push_back(fmt::format("{} more than half of the time, by the model: {}; all of their answers were kept.",
                                counted(guessers.size(), "annotator guesses", "annotators guess"), listed(guessers)));
    for (const auto& [number, names] : members)
      groups.push_back(fmt::format("{} ({})", names.size(), join(names, ", ")));
    if (!groups.empty()) out.push_back(fmt::format(words::kGroupsInPaper, groups.size(), listed(groups)));
    return join(out, " ");
  }
  /// What was made of the data of a single map before it was drawn, and what was left out.
  [[nodiscard]] std::string left_out() const {
    constexpr std::array kAdvice = {" To leave one out:", " Are near and far exchanged",
                                    " The map by times is probably", " To use them in place"};
    constexpr std::array kMade = {" the other way round",
                                  " one side, whatever ",
                                  "All annotators together chose ",
                                  " no more than by chance",
                                  "Each pair has ",
                                  "Similarities were turned ",
                                  "Perplexity lowered ",
                                  " imply ",
                                  "Held out were ",
                                  "see the objects alike? ",
                                  "The answers are those of ",
                                  "Response times ("};
    std::vector<std::string> out;
    if (all_.single()) out = ended_.front()->notes.value_or(out);
    std::erase_if(out, [&](const std::string& text) {
      return !text.ends_with("left out.") &&
             std::ranges::none_of(kMade, [&](const char* made) { return text.find(made) != text.npos; });
    });
    for (std::string& text : out) {
      for (const char* advice : kAdvice)
        if (const auto at = text.find(advice); at != text.npos) text.resize(at);
      constexpr std::string_view kAsks = "? The test ", kWhole = "Held out were ";
      if (const auto asks = text.find(kAsks); asks != text.npos && text.starts_with("Do "))  // no question in a paper
        text.replace(asks, kAsks.size(), ", the test ").replace(0, 3, "On whether ");
      if (text.starts_with(kWhole))  // design() says it
        if (const auto end = text.find(". "); end != text.npos) text.erase(0, end + 2);
      constexpr std::string_view kThese = "how often these ";
      if (const auto at = text.find(kThese); at != text.npos)
        text.replace(at, kThese.size(), "how often maps of other people ");
    }
    return join(out, " ");
  }
  [[nodiscard]] std::string uncertainty() const {
    for (const bool by_bootstrap : {false, true})
      for (const Row* row : ended_) {
        if (!row->uncertainty || (row->uncertainty->source == "bootstrap") != by_bootstrap) continue;
        const ResultRow::Uncertainty& its = *row->uncertainty;
        if (!by_bootstrap) return fmt::format(words::kPlacesByObjective, its.source);
        if (its.replicates == 0) continue;
        const std::string message = its.message ? " " + *its.message : "";
        return fmt::format(words::kPlacesByBootstrap, counted(its.replicates, "bootstrap replicate"),
                           its.resampled.value_or("")) +
               message.substr(0, message.find(" For others: --"));
      }
    return "";
  }

  /// Of the figure of a single map.
  [[nodiscard]] std::string caption() const {
    const Row& row = *ended_.front();
    if (!all_.single() || !(row.has_heldout_interval() || row.metric("trustworthiness"))) return "";
    const bool several = row.named_files().embedding.value_or(std::vector<std::string>()).size() > 1;
    const std::string space = counted(row.n_components.value_or(2), "dimension");
    std::string out = several ? fmt::format(words::kMapsOfAspects, row.n.value_or(0), space)
                              : fmt::format(words::kMapOfObjects, row.n.value_or(0), space);
    if (const std::string places = uncertainty(); !places.empty()) out += " " + places;
    return out;
  }
  /// The candidates that validation compared for a single map; the held-out errors of several methods.
  [[nodiscard]] std::string table() const {
    const TableFormat format = style_ == CitationStyle::latex ? TableFormat::latex : TableFormat::markdown;
    if (!all_.single()) {
      if (metric_fields(all_.rows).empty()) return "";
      ComparisonTable out = tested_comparison(all_, default_metric(all_.rows));
      out.request.format = format;
      return to_text(out);
    }
    const ValueArray& all = list_field(*ended_.front(), "chosen.candidates");
    std::multimap<double, const ValueTable*> by_error;  // the lowest of each problem counts
    for (const Value& one : all)
      if (const ValueTable& its = *one.get_if<ValueTable>(); const auto error = number_field(its, "validation_error"))
        by_error.emplace(*error, &its);
    TextGrid grid{{"Method", "Validation error", "Standard error"}, {}, 1};
    std::set<std::string> problems;
    for (const auto& [error, candidate] : by_error)
      if (const Value* problem = candidate->find("problem"); !problem || problems.insert(plain_text(*problem)).second)
        grid.lines.push_back({escaped(candidate_name(*candidate, all), format), fmt::format("{:.3f}", error),
                              fmt::format("{:.3f}", number_field(*candidate, "standard_error").value_or(0))});
    if (grid.lines.size() < 2) return "";
    return fmt::format("{}Table: {}\n\n{}", format == TableFormat::latex ? "% " : "", words::kCandidatesOfMap,
                       to_text(grid, format));
  }

  const ReportModel& all_;
  CitationStyle style_;
  std::vector<const Row*> ended_;  // rows of runs that ended well
  std::vector<Experiment> plans_;  // of the sources; empty ones without a config, and of a given map
  std::vector<const Publication*> used_;
  std::vector<std::string> data_entries_;
  std::set<std::string> entry_of_;
};

}  // namespace

MethodsText methods_text(std::span<const std::filesystem::path> results_folders, CitationStyle style) {
  const ReportModel all = gather_report(results_folders, {});
  return Methods(all, style).text();
}

}  // namespace alidade::report
