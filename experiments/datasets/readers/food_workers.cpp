#include "experiments/datasets/readers/food_workers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "experiments/files/json.hpp"
#include "experiments/files/tar_archive.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

/// A value's member of the given kind; `where` begins the message.
template <class T>
const T& member(const Value& value, std::string_view key, const std::string& where, std::string_view kind) {
  const auto* table = value.get_if<ValueTable>();
  const Value* entry = table ? table->find(key) : nullptr;
  const T* out = entry ? entry->get_if<T>() : nullptr;
  require<DataError>(out != nullptr, "{} has no '{}' that is {}. Download the file again.", where, key, kind);
  return *out;
}

class Reader {
 public:
  void add_screen(const Value& screen, std::int64_t worker, const std::string& where) {
    if (member<bool>(screen, "is_catchtrial", where, "true or false")) return;
    const auto& probe = member<std::string>(screen, "probe", where, "a text");
    const std::vector<std::string> picks = texts(screen, "near_answer", where), shown = texts(screen, "images", where);
    const std::uint32_t number = worker_number(worker);
    for (const std::string& pick : picks) {
      require<DataError>(std::ranges::find(shown, pick) != shown.end() && pick != probe,
                         "{}: '{}' was picked, but is not among the photos to pick from. Download the file again.",
                         where, pick);
      for (const std::string& left : shown) {
        if (std::ranges::find(picks, left) != picks.end()) continue;
        require<DataError>(left != probe, "{}: The probe '{}' is among its own photos. Download the file again.", where,
                           probe);
        // One after the other, since numbers are given in this order.
        const ObjectId anchor = object(probe), near = object(pick), far = object(left);
        out.rows.push_back({anchor, near, far, number, screens_});
      }
    }
    ++screens_;
  }

  FoodAnswers out;

 private:
  static std::vector<std::string> texts(const Value& screen, std::string_view key, const std::string& where) {
    std::vector<std::string> out;
    for (const Value& item : member<ValueArray>(screen, key, where, "a list")) {
      const auto* text = item.get_if<std::string>();
      require<DataError>(text != nullptr, "{} has something in '{}' that is not text. Download the file again.", where,
                         key);
      out.push_back(*text);
    }
    return out;
  }
  ObjectId object(const std::string& name) {
    const auto [at, fresh] = object_of_.emplace(name, static_cast<ObjectId>(out.objects.size()));
    if (fresh) out.objects.push_back(name);
    return at->second;
  }
  std::uint32_t worker_number(std::int64_t id) {
    const auto [at, fresh] = worker_of_.emplace(id, static_cast<std::uint32_t>(out.workers.size()));
    if (fresh) out.workers.push_back(id);
    return at->second;
  }

  std::map<std::string, ObjectId> object_of_;
  std::map<std::int64_t, std::uint32_t> worker_of_;
  std::uint32_t screens_ = 0;
};

}  // namespace

FoodAnswers read_food_answers(std::string_view tar, const std::string& name) {
  std::vector<ArchivedFile> files = read_tar(tar, name);
  std::erase_if(files, [](const ArchivedFile& file) { return !file.name.ends_with(".json"); });
  std::ranges::sort(files, {}, &ArchivedFile::name);
  Reader reader;
  for (const ArchivedFile& file : files) {
    const std::string place = name + "/" + file.name;
    const Value hits = parse_json(file.content, place);
    const auto* list = hits.get_if<ValueArray>();
    require<DataError>(list != nullptr, "{} is not a list of HITs. Download the file again.", place);
    for (std::size_t h = 0; h < list->size(); ++h) {
      const std::string hit = fmt::format("{}: HIT {}", place, h + 1);
      const auto worker = member<std::int64_t>((*list)[h], "worker_id", hit, "a whole number");
      const auto& screens = member<ValueArray>((*list)[h], "HIT_screens", hit, "a list");
      for (std::size_t s = 0; s < screens.size(); ++s)
        reader.add_screen(screens[s], worker, fmt::format("{}, screen {}", hit, s + 1));
    }
  }
  require<DataError>(!reader.out.rows.empty(), "'{}' holds no answers. Download it again.", name);
  return std::move(reader.out);
}

Observations by_worker(FoodAnswers answers, Index limit, Index min_triplets, bool whole_screens) {
  std::vector<std::uint64_t> triplets(answers.workers.size(), 0);
  for (const FoodAnswers::Row& row : answers.rows) ++triplets[row.worker];
  std::vector<std::uint32_t> order(answers.workers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t w) { return triplets[w] < static_cast<std::uint64_t>(min_triplets); });
  std::ranges::sort(order, [&](std::uint32_t v, std::uint32_t w) {
    return triplets[v] > triplets[w] || (triplets[v] == triplets[w] && answers.workers[v] < answers.workers[w]);
  });
  require<DataError>(!order.empty(), "No worker gave {} triplets. Lower min_triplets.", min_triplets);
  if (std::ssize(order) > limit) order.resize(static_cast<std::size_t>(limit));

  constexpr std::uint32_t kLeftOut = 0xffffffffU;
  std::vector<std::uint32_t> aspect(answers.workers.size(), kLeftOut);
  Observations out;
  for (std::uint32_t t = 0; t < order.size(); ++t) {
    aspect[order[t]] = t;
    out.aspects.push_back(fmt::format("worker {}", answers.workers[order[t]]));
  }
  auto list = std::make_shared<TripletList>(static_cast<Index>(answers.objects.size()));
  std::vector<std::uint32_t> who, screens;
  for (const FoodAnswers::Row& row : answers.rows) {
    if (aspect[row.worker] == kLeftOut) continue;
    list->add({.anchor = row.probe, .near = row.pick, .far = row.left, .aspect = aspect[row.worker]});
    who.push_back(aspect[row.worker]);
    screens.push_back(row.screen);
  }
  if (order.size() < answers.workers.size())
    out.notes.push_back(fmt::format("{} of {} workers are included, with {} of {} triplets.", order.size(),
                                    answers.workers.size(), list->size(), answers.rows.size()));
  out.objects = std::move(answers.objects);
  out.annotators = out.aspects;
  out.annotator = std::make_shared<const std::vector<std::uint32_t>>(std::move(who));
  if (whole_screens) out.answer = std::make_shared<const std::vector<std::uint32_t>>(std::move(screens));
  out.triplets = std::move(list);
  return out;
}

}  // namespace alidade::datasets
