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

constexpr std::int64_t kMaterialCount = 100;

void add_answers(const std::filesystem::path& path, const MaterialOptions& options, TripletList& triplets,
                 std::uint64_t& ties) {
  const std::string text = read_text(path), name = path.string();
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  const auto require_shape = [&](bool good, std::string_view what) {
    require<DataError>(good, "'{}': {}. Download the file again.", name, what);
  };
  require_shape(root.is_object() && root.contains("answers") && root.contains("agreement"),
                "it is not a JSON object with the lists 'answers' and 'agreement'");
  const nlohmann::json& answers = root["answers"];
  const nlohmann::json& votes = root["agreement"];
  require_shape(answers.is_array() && votes.is_array() && answers.size() == votes.size(),
                "'answers' and 'agreement' are not lists of the same length");

  const auto numbers = [&](const nlohmann::json& row, std::size_t count, std::int64_t bound, std::size_t index) {
    const auto place = [&] { return fmt::format("row {} of its lists does not have the published format", index + 1); };
    require_shape(row.is_array() && row.size() == count, place());
    std::vector<std::int64_t> out;
    for (const nlohmann::json& cell : row) {
      require_shape(cell.is_number_integer(), place());
      out.push_back(cell.get<std::int64_t>());
      require_shape(out.back() >= 0 && out.back() < bound, place());
    }
    return out;
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto ids = numbers(answers[i], 3, kMaterialCount, i);
    const auto counts = numbers(votes[i], 2, 1'000'000, i);
    const bool tie = counts[0] == counts[1];
    if (tie) {
      ++ties;
      if (options.ties == "drop") continue;
    }
    Triplet triplet{.anchor = static_cast<ObjectId>(ids[0]),
                    .near = static_cast<ObjectId>(ids[1]),
                    .far = static_cast<ObjectId>(ids[2])};
    Triplet opposite = triplet;
    std::swap(opposite.near, opposite.far);
    const bool by_votes = options.weight == "votes";
    if (by_votes) {
      triplet.weight = static_cast<double>(counts[0]);
      opposite.weight = static_cast<double>(counts[1]);
    }
    if (tie || by_votes || counts[0] > counts[1])
      if (triplet.weight > 0) triplets.add(triplet);
    if (tie || by_votes || counts[1] > counts[0])
      if (opposite.weight > 0) triplets.add(opposite);
  }
}

DatasetEntry material_appearance_dataset() {
  const DataFile train = described("material_appearance").files[0];
  const DataFile test = described("material_appearance").files[1];
  OptionList<MaterialOptions> options;
  options.text("part", &MaterialOptions::part, {"train", "test", "both"}, kDescribed)
      .text("ties", &MaterialOptions::ties, {"drop", "both"}, kDescribed)
      .text("weight", &MaterialOptions::weight, {"none", "votes"}, kDescribed);
  return with_load(
      described("material_appearance"), options,
      [train, test](const MaterialOptions& chosen, const DatasetContext& context) {
        Observations out;
        for (std::int64_t i = 0; i < kMaterialCount; ++i) out.objects.push_back(std::to_string(i));
        auto triplets = std::make_shared<TripletList>(static_cast<Index>(kMaterialCount));
        std::uint64_t ties = 0;
        if (chosen.part != "test") add_answers(locate(train, context.folder), chosen, *triplets, ties);
        if (chosen.part != "train") add_answers(locate(test, context.folder), chosen, *triplets, ties);
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
