// The triplets that a map violates, by their anchor, as a file beside the map.
// CSV: anchor,near,far,times,violated,triplets; one line per triplet, `times` as often as it was given. `violated` and
// `triplets` are of the anchor: how many of its triplets the map violates, of how many. A long list is cut: then a
// sum of `times` is less than `violated`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problems/evidence/observations.hpp"

namespace alidade {

/// The anchors of violated triplets, ascending.
struct ViolatedTriplets {
  struct Violated {
    ObjectId near = 0, far = 0;  // `far` is on the map no farther from the anchor than `near`
    std::uint64_t times = 0;
  };
  struct Anchor {
    ObjectId object = 0;
    std::uint64_t violated = 0, triplets = 0;
    std::vector<Violated> listed;  // the most frequent first
  };
  std::vector<Anchor> anchors;
};

[[nodiscard]] std::string violated_to_csv(const ViolatedTriplets& violated, const std::vector<std::string>& objects);

/// `objects`: names of the map's objects, each once. @throws DataError "file:line: ..." for a header, a line or an
/// object that is not of this map
[[nodiscard]] ViolatedTriplets parse_violated_csv(std::string_view text, const std::string& file,
                                                  const std::vector<std::string>& objects);
[[nodiscard]] ViolatedTriplets read_violated_csv(const std::filesystem::path& file,
                                                 const std::vector<std::string>& objects);

}  // namespace alidade
