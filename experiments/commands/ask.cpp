#include <sentences/commands.hpp>

#include "experiments/asking/next_questions.hpp"
#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/readers/answer_formats.hpp"
#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/readers/object_list.hpp"
#include "experiments/datasets/readers/triplet_file.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/run/run.hpp"
#include "problems/asking/sampler.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade::commands {
namespace {

struct AskRequest {
  std::optional<fs::path> file, objects;
  Settings settings;
  std::int64_t count = 50, seed = 0;
  asking::AskingRule rule;
  Words options;  // of the strategy
  std::optional<std::string> aspect;
  int threads = 1;
  std::optional<fs::path> out;
  bool force = false;
};
CommandOptions options_of(AskRequest& r) {
  constexpr auto kQuestions = "Questions";
  CommandOptions out = {
      {"[file]", "FILE", &r.file,
       "your answers so far: a CSV or TSV file (also gzipped) with the columns anchor, near, far [, weight]; none for "
       "the first questions"},
      under(kData),
      {"--objects", "FILE", &r.objects,
       "a list of all objects, one name per line or in a column `name`: for the first questions, and for objects that "
       "no answer mentions yet"},
      under(kQuestions),
      {"--count", "", &r.count, "number of questions", at_least(1)},
      {"--strategy", "NAME", &r.rule.strategy, "how questions are chosen (see `alidade list samplers`)",
       names_in([] { return asking::sampler_catalog().names(); })},
      {"--option", "NAME=VALUE", &r.options, "an option of the strategy, such as grid=21"},
      {"--random-share", "", &r.rule.random_share,
       "share of the questions that are random, in [0, 1]: an error is honest on answers to these alone",
       between(0, 1)},
      {"--first", "", &r.rule.first_answers,
       "answers per object before the strategy chooses; until then all are random", between(0, 1e6)},
      {"-d,--n-components", "", &r.rule.ensemble.n_components, "dimension of the maps that choose", between(1, 100)},
      {"--maps", "", &r.rule.ensemble.maps, "number of maps in the ensemble of information_gain", between(2, 1000)}};
  append(out, answer_options(r.settings));
  append(out,
         {under(kData),
          {"--aspect", "NAME", &r.aspect, "the aspect to ask about, if the answers have a column aspect with several"},
          under(kQuestions),
          {"--seed", "", &r.seed, kSeed},
          under(kRunning),
          {"--threads", "", &r.threads, kThreads},
          {"-o,--out", "FILE", &r.out, "the file of questions to write (CSV); default: print them"},
          {"--force", "", &r.force, "overwrite the file if it exists"}});
  return out;
}

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
void select_aspect(Observations& file, const std::string& name) {
  const auto position = std::ranges::find(file.aspects, name);
  require<ConfigError>(position != file.aspects.end(), words::kNoSuchAspect, name, suggestion(name, file.aspects));
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
  const auto text = [&](std::string_view key) {
    const std::string* set = given(request.settings, key);
    return set ? *set : std::string();
  };
  how.order = text("dataset.order");
  how.columns = text("dataset.columns");
  how.where = text("dataset.where");
  if (const std::string* kind = given(request.settings, "dataset.answers"))
    how.answers = datasets::answer_kind(*kind);
  else if (!how.columns.empty())
    how.answers = datasets::kind_of_names(how.columns).value_or(how.answers);
  if (given(request.settings, "dataset.degenerate")) how.degenerate = datasets::Degenerate::drop;
  how.weight_by_answer = given(request.settings, "dataset.weight_by_answer") != nullptr;
  if (const std::string* rule = given(request.settings, "dataset.merge_names"))
    how.merge_names = datasets::merge_names_of(*rule);
  how.objects = std::move(listed);
  how.keep_unmentioned = true;
  Observations file = answers_alone("ask", [&] { return datasets::read_triplets(*request.file, how); });
  if (request.aspect) {
    select_aspect(file, *request.aspect);
  } else {
    require<ConfigError>(file.aspects.size() <= 1, words::kAspectUnnamed, request.file->string(), file.aspects.size(),
                         join_first(file.aspects, 3), file.aspects.empty() ? "" : file.aspects.front());
  }
  out.objects = std::move(file.objects);
  out.answer = std::move(file.answer);
  out.count = tag_count(*file.triplets, out.answer);
  const datasets::AnswerCounts counts = datasets::count_answers(*file.triplets);
  out.contradictory = static_cast<double>(counts.forced_errors) >= kNoMapExplains * static_cast<double>(counts.rows);
  out.triplets = with_ordinary_weights(file.triplets).triplets;
  out.notes = std::move(file.notes);
  return out;
}

void require_sensible(const AskRequest& r) {
  require<ConfigError>(r.file || r.objects, words::kNothingToAskAbout);
  for (const char* option : {"columns", "where"})
    require<ConfigError>(r.file || !given(r.settings, std::string("dataset.") + option),
                         "--{} needs a file of answers. Leave it out.", option);
  require<ConfigError>(r.file || !r.aspect, "--aspect needs a file of answers. Leave it out.");
  require<ConfigError>(r.rule.strategy == "random" || r.count <= kMostChosen, words::kBatchTooLarge, r.count,
                       kMostChosen);
  require_process_count("--threads", r.threads);
  require<ConfigError>(!r.out || r.out->has_filename(), words::kNoQuestionFile, r.out.value_or("").string());
  require<ConfigError>(!r.out || r.force || !is_there_or_link(*r.out), words::kFileExists, r.out.value_or("").string());
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
  const std::string& strategy = request.rule.strategy;
  std::vector<bool> asked(answers.objects.size(), false);
  for (std::uint64_t i = 0; answers.triplets && i < answers.triplets->size(); ++i) {
    const Triplet t = answers.triplets->at(i);
    for (const ObjectId object : {t.anchor, t.near, t.far}) asked[object] = true;
  }
  const auto mentioned = std::ranges::count(asked, true);
  const auto known = mentioned > 0 ? mentioned : std::ssize(asked), fresh = std::ssize(asked) - known;
  const double each = static_cast<double>(answers.count) / static_cast<double>(known);
  const auto chosen = std::ranges::count_if(questions, &asking::NextQuestion::chosen);
  std::string out = fmt::format(words::kSoFar, counted(answers.count, "answer"), counted(known, "object"), each,
                                fresh > 0 ? fmt::format("; none about {}", counted(fresh, "other object")) : "");
  out += fmt::format(words::kQuestions, chosen, strategy, static_cast<Index>(questions.size()) - chosen);
  if (const auto expected = mean_information(questions, true)) {
    out += fmt::format("Expected information: {:.3f} bits per chosen question", *expected);
    if (const auto other = mean_information(questions, false)) out += fmt::format(", {:.3f} per random one", *other);
    out += ".\n";
  }
  out += note_lines(answers.notes);
  if (strategy != "random") {
    if (answers.contradictory)
      out += words::kContradictory;
    else if (all_random)
      out += fmt::format(words::kRandomUntil, request.rule.first_answers);
    else if (each < kAnswersThatHelp && strategy != "balanced")
      out += fmt::format(words::kLittleGain, kAnswersThatHelp);
  }
  if (chosen > 0 && strategy != "balanced") out += words::kNearTies;
  return out;
}

/// Chooses the questions to ask next, without repeating one that has an answer, and writes them as CSV: anchor, left,
/// right, kind (random or chosen) and the expected information in bits.
/// @throws ConfigError, DataError, also if fewer questions are left than asked for
int ask(const AskRequest& request) {
  require_sensible(request);
  asking::AskingRule rule = request.rule;
  rule.options = named_options(request.options, "grid=21");
  rule.ensemble.seed = Rng::derive(static_cast<std::uint64_t>(request.seed), "ask");
  asking::Asker asker(rule);  // refuses a wrong strategy before the file is read
  const std::string* size = given(request.settings, "max_size");
  const auto limit = size ? std::optional(bytes_of(value_from_text(*size))) : std::nullopt;
  const ReadingLimit reading(limit);

  const AnswersSoFar answers = read_answers(request);
  const asking::QuestionSpace space(static_cast<Index>(answers.objects.size()));
  const auto answered = asking::answered_questions(space, *answers.triplets);
  const auto count = static_cast<std::size_t>(request.count);
  const std::uint64_t left = space.size() - answered.size();
  require<ConfigError>(count <= left, words::kTooFewQuestions, count, answers.objects.size(), space.size(),
                       answered.size(), left);

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
  if (const std::string* kind = given(request.settings, "dataset.answers"); kind && *kind == "triplets")
    fmt::print(words::kAskAndAppend, request.file ? request.file->string() : "answers.csv");
  else
    fmt::print(words::kAskAsTriplets, request.file ? request.file->string() : "answers.csv");
  return 0;
}

}  // namespace

Command ask_command() { return command<AskRequest>("ask", options_of, ask); }

}  // namespace alidade::commands
