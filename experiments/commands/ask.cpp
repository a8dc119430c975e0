#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "experiments/asking/next_questions.hpp"
#include "experiments/commands/commands.hpp"
#include "experiments/commands/named_options.hpp"
#include "experiments/commands/note_lines.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/readers/answer_columns.hpp"
#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/run/run.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

/// The largest batch that a strategy chooses: answers to a larger one come too late to help choose the rest of it.
constexpr std::int64_t kMostChosen = 10'000;

/// What is known before questions are chosen.
struct AnswersSoFar {
  std::vector<std::string> objects;
  std::shared_ptr<const TripletSource> triplets;  // of one aspect
  TripletTags answer;
  std::uint64_t count = 0;  // answers; one may imply several triplets
  bool contradictory = false;
  std::vector<std::string> notes;
};

/// The triplets of one aspect as a list of their own.
void select_aspect(datasets::TripletFile& file, const std::string& name) {
  const auto position = std::ranges::find(file.aspects, name);
  require<ConfigError>(position != file.aspects.end(), "--aspect: The answers are about no aspect '{}'.{}", name,
                       suggestion(name, file.aspects));
  const auto wanted = static_cast<std::uint32_t>(position - file.aspects.begin());
  auto list = std::make_shared<TripletList>(file.triplets->object_count());
  std::vector<std::uint32_t> answer;
  for (std::uint64_t i = 0; i < file.triplets->size(); ++i) {
    Triplet t = file.triplets->at(i);
    if (t.aspect != wanted) continue;
    t.aspect = 0;
    list->add(t);
    if (file.answer) answer.push_back((*file.answer)[static_cast<std::size_t>(i)]);
  }
  if (file.answer) file.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(answer));
  file.triplets = std::move(list);
}

AnswersSoFar read_answers(const AskRequest& request) {
  /// Of the questions answered both ways, about as many answers go either way.
  constexpr double kNoMapExplains = 0.45;
  AnswersSoFar out;
  std::optional<datasets::LabelList> listed;
  if (request.objects) listed = datasets::read_object_list(*request.objects);
  if (!request.file) {
    out.objects = std::move(listed->names);
    out.triplets = std::make_shared<const TripletList>(static_cast<Index>(out.objects.size()));
    return out;
  }
  datasets::TripletFileOptions how;
  how.order = request.order;
  how.columns = request.columns;
  how.where = join(request.where, ",");
  if (request.answers)
    how.answers = datasets::answer_kind(*request.answers);
  else if (!request.columns.empty())
    how.answers = datasets::kind_of_names(request.columns).value_or(how.answers);
  how.degenerate = request.drop_degenerate ? datasets::Degenerate::drop : datasets::Degenerate::error;
  how.weight_by_answer = request.weight_by_answer;
  if (!request.merge_names.empty()) how.merge_names = datasets::merge_names_of(request.merge_names);
  how.objects = std::move(listed);
  how.keep_unmentioned = true;
  datasets::TripletFile file = datasets::read_triplets(*request.file, how);
  if (request.aspect) {
    select_aspect(file, *request.aspect);
  } else {
    require<ConfigError>(file.aspects.size() <= 1,
                         "'{}' has answers about {} aspects ({}{}), and a question is about one. Name it: --aspect {}.",
                         request.file->string(), file.aspects.size(),
                         join(std::span(file.aspects).first(std::min<std::size_t>(file.aspects.size(), 3)), ", "),
                         file.aspects.size() > 3 ? ", ..." : "", file.aspects.empty() ? "" : file.aspects.front());
  }
  out.objects = std::move(file.objects);
  out.answer = std::move(file.answer);
  out.count = tag_count(*file.triplets, out.answer);
  const datasets::AnswerCounts counts = datasets::count_answers(*file.triplets);
  out.contradictory = static_cast<double>(counts.forced_errors) >= kNoMapExplains * static_cast<double>(counts.rows);
  out.triplets = std::move(file.triplets);
  out.notes = std::move(file.notes);
  return out;
}

void require_sensible(const AskRequest& r) {
  require<ConfigError>(r.file || r.objects,
                       "ask: no answers and no objects are given. Name a file of answers, or give --objects FILE for "
                       "the first questions. See alidade ask --help.");
  require<ConfigError>(r.file || r.columns.empty(), "--columns needs a file of answers. Leave it out.");
  require<ConfigError>(r.file || r.where.empty(), "--where needs a file of answers. Leave it out.");
  require<ConfigError>(r.file || !r.aspect, "--aspect needs a file of answers. Leave it out.");
  require<ConfigError>(r.count >= 1, "--count must be at least 1, not {}.", r.count);
  require<ConfigError>(r.strategy == "random" || r.count <= kMostChosen,
                       "--count {} is too many to choose at once. Ask in batches of at most {}, or give --strategy "
                       "random.",
                       r.count, kMostChosen);
  require<ConfigError>(r.random_share >= 0 && r.random_share <= 1, "--random-share must be in [0, 1], not {:g}.",
                       r.random_share);
  require<ConfigError>(r.first_answers >= 0 && r.first_answers <= 1e6, "--first must be in [0, 1e6], not {:g}.",
                       r.first_answers);
  require<ConfigError>(r.n_components >= 1 && r.n_components <= 100, "--n-components must be in [1, 100], not {}.",
                       r.n_components);
  require<ConfigError>(r.maps >= 2 && r.maps <= 1000, "--maps must be in [2, 1000], not {}.", r.maps);
  require_process_count("--threads", r.threads);
  require<ConfigError>(!r.out || r.out->has_filename(), "'{}' is not a file. Name the file of the questions.",
                       r.out.value_or("").string());
  require<ConfigError>(!r.out || r.force || !is_there_or_link(*r.out),
                       "'{}' exists already. Give --force to overwrite it, or another name.",
                       r.out.value_or("").string());
  if (r.out) require_writable(*r.out);
}

std::string csv_of(const std::vector<asking::NextQuestion>& questions, const std::vector<std::string>& objects) {
  TextGrid grid{{"anchor", "left", "right", "kind", "information"}, {}, 4};
  const auto name = [&](ObjectId object) { return escaped(objects[object], TableFormat::csv); };
  for (const asking::NextQuestion& next : questions)
    grid.lines.push_back({name(next.question.anchor), name(next.question.left), name(next.question.right),
                          next.chosen ? "chosen" : "random",
                          next.information ? fmt::format("{:.4f}", *next.information) : ""});
  return to_text(grid, TableFormat::csv);
}

/// Mean expected information of the questions of one kind; nothing if none has any.
std::optional<double> mean_information(const std::vector<asking::NextQuestion>& questions, bool chosen) {
  double sum = 0;
  Index count = 0;
  for (const asking::NextQuestion& next : questions)
    if (next.chosen == chosen && next.information) {
      sum += *next.information;
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

/// What the reader of the questions should know, line by line.
std::string summary_of(const AskRequest& request, const AnswersSoFar& answers, bool all_random,
                       const std::vector<asking::NextQuestion>& questions) {
  constexpr double kAnswersThatHelp = 10;  // per object; measured, see experiments/RESULTS.md
  const double each = static_cast<double>(answers.count) / static_cast<double>(answers.objects.size());
  const auto chosen = std::ranges::count_if(questions, &asking::NextQuestion::chosen);
  const std::string unit = answers.count == 1 ? "answer" : "answers";
  std::string out = fmt::format("So far: {} {} about {}, {:.1f} per object.\n", answers.count, unit,
                                counted(answers.objects.size(), "object"), each);
  out += fmt::format("Questions: {} chosen by {}, {} random.\n", chosen, request.strategy,
                     static_cast<Index>(questions.size()) - chosen);
  if (const auto expected = mean_information(questions, true)) {
    out += fmt::format("Expected information: {:.3f} bits per chosen question", *expected);
    if (const auto other = mean_information(questions, false)) out += fmt::format(", {:.3f} per random one", *other);
    out += ".\n";
  }
  out += note_lines(answers.notes);
  if (request.strategy != "random") {
    if (answers.contradictory)
      out +=
          "Note: Nearly all questions were answered both ways. No map explains such answers, so all questions are "
          "random.\n";
    else if (all_random)
      out += fmt::format(
          "Note: All questions are random until there are {:g} answers per object. Before, no strategy beats random "
          "questions.\n",
          request.first_answers);
    else if (each < kAnswersThatHelp && request.strategy != "balanced")
      out += fmt::format(
          "Note: Below about {:g} answers per object, chosen questions tell little more than random "
          "ones.\n",
          kAnswersThatHelp);
  }
  if (chosen > 0 && request.strategy != "balanced")
    out +=
        "Note: Chosen questions are near ties, where every map errs often. Measure an error on answers to questions "
        "of the kind random alone.\n";
  return out;
}

}  // namespace

int ask(const AskRequest& request) {
  require_sensible(request);
  asking::AskingRule rule;
  rule.strategy = request.strategy;
  rule.options = named_options(request.options, "grid=21");
  rule.random_share = request.random_share;
  rule.first_answers = request.first_answers;
  rule.ensemble.n_components = request.n_components;
  rule.ensemble.maps = request.maps;
  rule.ensemble.seed = Rng::derive(static_cast<std::uint64_t>(request.seed), "ask");
  asking::Asker asker(rule);  // refuses a wrong strategy before the file is read
  const auto limit = request.max_size ? std::optional(bytes_of(value_from_text(*request.max_size))) : std::nullopt;
  const ReadingLimit reading(limit);

  const AnswersSoFar answers = read_answers(request);
  const asking::QuestionSpace space(static_cast<Index>(answers.objects.size()));
  const auto answered = asking::answered_questions(space, *answers.triplets);
  const auto count = static_cast<std::size_t>(request.count);
  const std::uint64_t left = space.size() - answered.size();
  require<ConfigError>(count <= left,
                       "--count {} is too many: {} objects make {} questions, of which {} have an answer and {} are "
                       "left. Lower --count, or name more objects by --objects.",
                       count, answers.objects.size(), space.size(), answered.size(), left);

  Executor executor(request.threads);
  const bool all_random = answers.contradictory || asker.all_random(*answers.triplets, answers.count);
  if (!all_random && answers.triplets->size() > 0) asker.learn(answers.triplets, answers.answer, executor);
  // Other questions once there are other answers: what was a candidate and not chosen is not random any more.
  const std::uint64_t key = Rng::derive(rule.ensemble.seed, "questions", answers.count);
  const std::size_t candidates = all_random ? count : asking::candidate_count(count);
  std::vector<asking::NextQuestion> questions = asker.choose(asking::draw_questions(space, answered, candidates, key),
                                                             *answers.triplets, count, all_random, executor);
  Rng order = Rng::stream(key, "order");  // so that neither kind comes first
  order.shuffle(std::span(questions));

  const std::string csv = csv_of(questions, answers.objects);
  const std::string summary = summary_of(request, answers, all_random, questions);
  if (!request.out) {
    fmt::print("{}", csv);
    say("{}", summary);
    return 0;
  }
  write_output(*request.out, csv);
  fmt::print("{}Wrote {}. ", summary, request.out->string());
  if (request.answers == "triplets")
    fmt::print("Next: ask them, append the answers to {} as anchor,near,far, and ask again.\n",
               request.file ? request.file->string() : "answers.csv");
  else
    fmt::print("Next: ask them. Their answers are triplets: to go on, write those of {} as triplets too.\n",
               request.file ? request.file->string() : "answers.csv");
  return 0;
}

}  // namespace alidade::commands
