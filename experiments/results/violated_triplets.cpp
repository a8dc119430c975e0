#include "experiments/results/violated_triplets.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "experiments/files/delimited_text.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/text_grid.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

constexpr std::string_view kViolatedHeader = "anchor,near,far,times,violated,triplets";

}  // namespace

std::string violated_to_csv(const ViolatedTriplets& violated, const std::vector<std::string>& objects) {
  const auto name = [&](ObjectId object) { return escaped(objects[object], TableFormat::csv); };
  std::string out = std::string(kViolatedHeader) + "\n";
  for (const ViolatedTriplets::Anchor& anchor : violated.anchors)
    for (const ViolatedTriplets::Violated& one : anchor.listed)
      out += fmt::format("{},{},{},{},{},{}\n", name(anchor.object), name(one.near), name(one.far), one.times,
                         anchor.violated, anchor.triplets);
  return out;
}

ViolatedTriplets parse_violated_csv(std::string_view text, const std::string& file,
                                    const std::vector<std::string>& objects) {
  std::unordered_map<std::string_view, ObjectId> places;
  for (std::size_t i = 0; i < objects.size(); ++i) places.emplace(objects[i], static_cast<ObjectId>(i));
  require<DataError>(text.starts_with(std::string(kViolatedHeader) + "\n"),
                     "{}: The header is not {}. Make the map again.", at_line(file, 1), kViolatedHeader);
  RowReader reader(text, file, ',');
  (void)reader.next();
  ViolatedTriplets out;
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == 6, "{}: The row has {} values, not 6. Make the map again.", reader.place(),
                       fields.size());
    std::array<ObjectId, 3> ids{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto entry = places.find(fields[k]);
      require<DataError>(entry != places.end(), "{}: '{}' is no object of the map. Make the map again.", reader.place(),
                         shown(fields[k]));
      ids[k] = entry->second;
    }
    std::array<std::uint64_t, 3> counts{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto count = parse_double(fields[3 + k]);
      require<DataError>(count && *count >= 1 && *count < 9e15 && *count == std::floor(*count),
                         "{}: '{}' is no count. Make the map again.", reader.place(), shown(fields[3 + k]));
      counts[k] = static_cast<std::uint64_t>(*count);
    }
    if (out.anchors.empty() || out.anchors.back().object != ids[0])
      out.anchors.push_back({ids[0], counts[1], counts[2], {}});
    out.anchors.back().listed.push_back({ids[1], ids[2], counts[0]});
  }
  return out;
}

ViolatedTriplets read_violated_csv(const std::filesystem::path& file, const std::vector<std::string>& objects) {
  return parse_violated_csv(read_bytes(file), file.string(), objects);
}

}  // namespace alidade
