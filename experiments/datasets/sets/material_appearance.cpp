#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/datasets/readers/answer_notes.hpp"
#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/files/gzip_file.hpp"
#include "problems/core/error.hpp"

namespace alidade::datasets {
namespace {

struct MaterialOptions {
  std::string part = "train";
  std::string ties = "drop";
  std::string weight = "none";
};

constexpr std::uint32_t kMaterialCount = 100;

/// The objects of each question, and how often each of its two answers was given.
struct MaterialAnswers {
  std::vector<std::array<std::uint32_t, 3>> objects;
  std::vector<std::array<std::uint32_t, 2>> votes;
};
MaterialAnswers read_material_answers(const std::filesystem::path& path) {
  MaterialAnswers out;
  bool good = false;
  try {
    const nlohmann::json root = nlohmann::json::parse(read_text(path));
    root.at("answers").get_to(out.objects);
    root.at("agreement").get_to(out.votes);
    good = out.objects.size() == out.votes.size();
  } catch (const nlohmann::json::exception&) {  // said below
  }
  for (const auto& ids : out.objects) good = good && std::ranges::max(ids) < kMaterialCount;
  require<DataError>(good,
                     "'{}' is not a JSON object with the lists 'answers', of three objects from 0 to {} each, and "
                     "'agreement', of the votes for either answer. Download the file again.",
                     path.string(), kMaterialCount - 1);
  return out;
}

void add_answers(const std::filesystem::path& path, const MaterialOptions& options, TripletList& triplets,
                 std::uint64_t& ties) {
  const auto [objects, votes] = read_material_answers(path);
  const bool by_votes = options.weight == "votes";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto [near_votes, far_votes] = votes[i];
    const bool tie = near_votes == far_votes;
    ties += tie ? 1 : 0;
    if (tie && options.ties == "drop") continue;
    Triplet triplet{.anchor = objects[i][0], .near = objects[i][1], .far = objects[i][2]};
    Triplet opposite{.anchor = objects[i][0], .near = objects[i][2], .far = objects[i][1]};
    if (by_votes) {
      triplet.weight = near_votes;
      opposite.weight = far_votes;
    }
    if ((tie || by_votes || near_votes > far_votes) && triplet.weight > 0) triplets.add(triplet);
    if ((tie || by_votes || far_votes > near_votes) && opposite.weight > 0) triplets.add(opposite);
  }
}

DatasetEntry material_appearance_dataset() {
  OptionList<MaterialOptions> options;
  options.text("part", &MaterialOptions::part, {"train", "test", "both"}, kDescribed)
      .text("ties", &MaterialOptions::ties, {"drop", "both"}, kDescribed)
      .text("weight", &MaterialOptions::weight, {"none", "votes"}, kDescribed);
  return with_load(
      described("material_appearance"), options,
      [files = described("material_appearance").files](const MaterialOptions& chosen, const DatasetContext& context) {
        Observations out;
        for (std::uint32_t i = 0; i < kMaterialCount; ++i) out.objects.push_back(std::to_string(i));
        auto triplets = std::make_shared<TripletList>(static_cast<Index>(kMaterialCount));
        std::uint64_t ties = 0;
        if (chosen.part != "test") add_answers(locate(files[0], context.folder), chosen, *triplets, ties);
        if (chosen.part != "train") add_answers(locate(files[1], context.folder), chosen, *triplets, ties);
        require<DataError>(triplets->size() > 0,
                           "The material answers have no triplet left. Set "
                           "ties = \"both\", or another part.");
        if (ties > 0)
          out.notes.push_back(fmt::format("{} questions have no majority and are {}.", ties,
                                          chosen.ties == "drop" ? "left out" : "counted with both answers"));
        for (std::string& note : describe(count_answers(*triplets))) out.notes.push_back(std::move(note));
        out.triplets = std::move(triplets);
        return out;
      });
}

}  // namespace

std::vector<DatasetEntry> material_datasets() { return {material_appearance_dataset()}; }

}  // namespace alidade::datasets
