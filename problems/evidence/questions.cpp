#include "problems/evidence/questions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "problems/evidence/triplet_chunks.hpp"

namespace alidade {
namespace {

/// Places of the triplets with `has` by anchor: those of i lie from first[i] to first[i + 1]. Takes less memory than to
/// sort all triplets at once, and less time. There are fewer than 2^32, as tags number them.
struct ByAnchor {
  std::vector<std::uint64_t> first;
  std::vector<std::uint32_t> triplets;
  template <class Has>
  ByAnchor(const TripletSource& source, const Has& has) : first(static_cast<std::size_t>(source.object_count()) + 1) {
    source.each([&](std::uint64_t place, const Triplet& t) { first[t.anchor + 1] += has(place) ? 1 : 0; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    triplets.resize(static_cast<std::size_t>(first.back()));
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    source.each([&](std::uint64_t place, const Triplet& t) {
      if (has(place)) triplets[static_cast<std::size_t>(next[t.anchor]++)] = static_cast<std::uint32_t>(place);
    });
  }
};

/// Groups of numbers that belong together: the root of each group stands for it.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[root(i)] = root(j); }

 private:
  std::vector<std::size_t> parent_;
};

void each_question_of(const TripletSource& triplets, const ByAnchor& by_anchor,
                      const std::function<void(std::span<const std::uint64_t>)>& visit) {
  struct Answer {
    ObjectId first, second;
    std::uint32_t aspect;
    std::uint64_t place;
    [[nodiscard]] auto question() const { return std::tuple(first, second, aspect); }
  };
  std::vector<Answer> answers;
  std::vector<Triplet> of_anchor;
  std::vector<std::uint64_t> places;
  for (std::size_t anchor = 0; anchor + 1 < by_anchor.first.size(); ++anchor) {
    const auto end_of = [&](std::size_t i) {
      return by_anchor.triplets.begin() + static_cast<std::ptrdiff_t>(by_anchor.first[i]);
    };
    places.assign(end_of(anchor), end_of(anchor + 1));
    of_anchor.resize(places.size());
    triplets.gather(places, of_anchor);
    answers.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Triplet& t = of_anchor[i];
      answers.push_back({std::min(t.near, t.far), std::max(t.near, t.far), t.aspect, places[i]});
    }
    std::ranges::sort(answers, {}, [](const Answer& a) { return std::tuple_cat(a.question(), std::tuple(a.place)); });
    for (auto begin = answers.begin(); begin != answers.end();) {
      places.clear();
      auto end = begin;
      for (; end != answers.end() && end->question() == begin->question(); ++end) places.push_back(end->place);
      begin = end;
      visit(places);
    }
  }
}

}  // namespace

void each_question(const TripletSource& triplets, const std::function<void(std::span<const std::uint64_t>)>& visit) {
  each_question_of(triplets, ByAnchor(triplets, [](std::uint64_t) { return true; }), visit);
}

void each_repeated_question(const TripletSource& triplets,
                            const std::function<void(std::span<const std::uint64_t>)>& visit) {
  const std::vector<bool> some = may_be_repeated(triplets);
  each_question_of(triplets, ByAnchor(triplets, [&](std::uint64_t place) { return some[place]; }),
                   [&](std::span<const std::uint64_t> places) {
                     if (places.size() > 1) visit(places);
                   });
}

std::vector<bool> may_be_repeated(const TripletSource& triplets) {
  constexpr std::uint64_t kBits = 64;
  // The last of the cells that questions share at random.
  const std::uint64_t last = std::bit_ceil(8 * triplets.size() + kBits) - 1;
  std::vector<std::uint64_t> once((last + 1) / kBits), again(once.size());
  const auto cell = [&](const Triplet& t) {
    std::uint64_t z = std::uint64_t{std::min(t.near, t.far)} << 32 | std::max(t.near, t.far);
    for (const std::uint64_t more : {std::uint64_t{t.anchor}, std::uint64_t{t.aspect}}) {
      z = (z + more) * 0x9e3779b97f4a7c15ULL;
      z ^= z >> 32;
    }
    return z & last;
  };
  each_in_chunks(triplets, [&](std::size_t) {
    return [&](std::uint64_t, const Triplet& t) {
      const std::uint64_t c = cell(t), bit = std::uint64_t{1} << c % kBits;
      const auto set = [&](std::vector<std::uint64_t>& in) {
        return std::atomic_ref(in[c / kBits]).fetch_or(bit, std::memory_order_relaxed);
      };
      if ((set(once) & bit) != 0) set(again);
    };
  });
  std::vector<bool> out(triplets.size());
  each_in_chunks(triplets, [&](std::size_t) {
    return [&](std::uint64_t place, const Triplet& t) {
      const std::uint64_t c = cell(t);
      if ((again[c / kBits] >> c % kBits & 1) != 0) out[place] = true;
    };
  });
  return out;
}

Questions questions_of(const TripletSource& triplets, const TripletTags& answer) {
  Questions out;
  if (!triplets.stored()) return out;
  std::uint64_t origins = 0;
  for (std::uint64_t i = 0; i < triplets.size(); ++i) origins = std::max(origins, triplets.origin_index(i) + 1);
  std::vector<std::uint32_t> of(static_cast<std::size_t>(origins));
  const auto tag_of = [&](std::uint64_t place) -> std::uint32_t& {
    return of[static_cast<std::size_t>(triplets.origin_index(place))];
  };
  std::uint32_t count = 0;
  each_question(triplets, [&](std::span<const std::uint64_t> places) {
    for (const std::uint64_t place : places) tag_of(place) = count;
    ++count;
  });
  const auto answer_of = [&](std::uint64_t place) {
    return answer ? (*answer)[static_cast<std::size_t>(triplets.origin_index(place))]
                  : static_cast<std::uint32_t>(place);
  };
  if (answer) {
    Groups groups(count);
    std::vector<std::uint32_t> question_of(
        tag_count(triplets, answer) == 0 ? 0 : *std::ranges::max_element(*answer) + 1, count);
    for (std::uint64_t place = 0; place < triplets.size(); ++place) {
      std::uint32_t& question = question_of[answer_of(place)];
      if (question == count)
        question = tag_of(place);
      else
        groups.join(tag_of(place), question);
    }
    std::vector<std::uint32_t> number(count, count);
    std::uint32_t next = 0;
    for (std::uint64_t place = 0; place < triplets.size(); ++place) {
      std::uint32_t& group_number = number[groups.root(tag_of(place))];
      if (group_number == count) group_number = next++;
      tag_of(place) = group_number;
    }
    count = next;
  }
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> first_answer(count, kNone);
  std::vector<bool> again(count, false);
  for (std::uint64_t place = 0; place < triplets.size(); ++place) {
    std::uint32_t& first = first_answer[tag_of(place)];
    if (first == kNone)
      first = answer_of(place);
    else if (first != answer_of(place))
      again[tag_of(place)] = true;
  }
  std::uint64_t repeated = 0;
  for (std::uint64_t place = 0; place < triplets.size(); ++place) repeated += again[tag_of(place)] ? 1 : 0;
  out.of = std::make_shared<const std::vector<std::uint32_t>>(std::move(of));
  out.count = count;
  out.repeated = static_cast<double>(repeated) / static_cast<double>(std::max<std::uint64_t>(triplets.size(), 1));
  return out;
}

std::optional<Questions> few_repeated_questions(const TripletSource& triplets, const TripletTags& answer) {
  constexpr std::uint64_t kFewest = 20, kOfObject = 20;
  if (triplets.stored() && !answer) {  // else one answer asks several
    const std::vector<bool> some = may_be_repeated(triplets);
    if (2 * static_cast<std::uint64_t>(std::ranges::count(some, true)) < triplets.size()) return std::nullopt;
  }
  Questions out = questions_of(triplets, answer);
  const auto most = kOfObject * static_cast<std::uint64_t>(triplets.object_count() * triplets.aspect_count());
  if (out.repeated < 0.5 || out.count < kFewest || out.count >= most) return std::nullopt;
  return out;
}

}  // namespace alidade
