#include "experiments/asking/next_questions.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace alidade::asking {

std::size_t candidate_count(std::size_t questions) {
  constexpr std::size_t kLeast = 2000, kPerQuestion = 10;
  return std::max(kLeast, kPerQuestion * questions);
}

Asker::Asker(AskingRule rule)
    : rule_(std::move(rule)),
      entry_(&sampler_catalog().at(rule_.strategy)),
      sampler_(entry_->make(rule_.options)),
      ensemble_(rule_.ensemble) {}

bool Asker::all_random(const TripletSource& answers, std::uint64_t answer_count) const {
  if (rule_.strategy == "random") return true;
  if (entry_->need == SamplerNeed::nothing) return false;
  return answer_count == 0 ||
         static_cast<double>(answer_count) < rule_.first_answers * static_cast<double>(answers.object_count());
}

void Asker::learn(const std::shared_ptr<const TripletSource>& answers, const TripletTags& unit, Executor& executor) {
  if (entry_->need != SamplerNeed::nothing) ensemble_.fit(answers, unit, entry_->need == SamplerNeed::map, executor);
}

std::vector<NextQuestion> Asker::choose(const std::vector<Question>& candidates, const TripletSource& answers,
                                        std::size_t count, bool all_random, Executor& executor) const {
  count = std::min(count, candidates.size());
  const auto share = static_cast<std::size_t>(std::llround(rule_.random_share * static_cast<double>(count)));
  const std::size_t random = all_random ? count : std::min(share, count);
  Knowledge knowledge{answers, nullptr, {}};
  std::vector<double> information;
  if (entry_->need == SamplerNeed::nothing || map().size() > 0) {
    if (map().size() > 0) knowledge.map = &map();
    knowledge.maps = ensemble_.maps();
    information = sampler_->information(candidates, knowledge, executor);
  }
  std::vector<NextQuestion> out;
  const auto take = [&](std::size_t place, bool chosen) {
    NextQuestion next{candidates[place], chosen, std::nullopt, place};
    if (!information.empty()) next.information = information[place];
    out.push_back(next);
  };
  for (std::size_t q = 0; q < random; ++q) take(q, false);
  if (random == count) return out;
  const std::span<const Question> others = std::span(candidates).subspan(random);
  std::span<const double> scores = information;
  if (!scores.empty()) scores = scores.subspan(random);
  for (const std::size_t q : sampler_->choose(others, scores, count - random, knowledge)) take(random + q, true);
  return out;
}

}  // namespace alidade::asking
