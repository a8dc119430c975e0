#include "experiments/config/sweeps.hpp"

#include <sentences/config.hpp>

#include <algorithm>

#include "experiments/config/kinds.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// A list of values of one option.
struct Lane {
  std::size_t part = 0;
  std::string key;
  std::string path;  // with its prefix
  const Value* list = nullptr;
  [[nodiscard]] const ValueArray& values() const { return *list->get_if<ValueArray>(); }
};

/// Lanes of equal length that advance together.
using Axis = std::vector<Lane>;

std::string path_of(const SweptPart& part, const std::string& key) {
  return part.prefix.empty() ? key : fmt::format("{}.{}", part.prefix, key);
}

std::vector<Lane> lanes_of(std::span<const SweptPart> parts) {
  std::vector<Lane> out;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const auto& [key, value] : *parts[p].options) {
      const auto* list = value.get_if<ValueArray>();
      const OptionInfo* info = find_option(parts[p].infos, key);
      if (!list || (info && info->kind.starts_with("list"))) continue;
      if (list->empty()) refuse_at(value.at, words::kEmptySweep, key);
      out.push_back({p, key, path_of(parts[p], key), &value});
    }
  return out;
}

/// The lane that a zip names. @throws ConfigError
Lane zipped_lane(const ZippedOptions::Name& name, const std::vector<Lane>& lanes, std::span<const SweptPart> parts) {
  if (const auto lane = std::ranges::find(lanes, name.path, &Lane::path); lane != lanes.end()) return *lane;
  std::vector<std::string> paths;
  for (const SweptPart& part : parts)
    for (const OptionInfo& info : part.infos) {
      paths.push_back(path_of(part, info.name));
      if (paths.back() != name.path) continue;
      const Value* value = part.options->find(info.name);
      refuse_at(name.at, words::kZipOfNoList, name.path, value ? "a single value" : "no value here");
    }
  refuse_at(name.at, "zip: there is no option '{}'.{}", name.path, suggestion(name.path, paths));
}

Axis zipped_axis(const ZippedOptions& zipped, const std::vector<Lane>& lanes, std::span<const SweptPart> parts) {
  Axis out;
  for (const ZippedOptions::Name& name : zipped.names) {
    out.push_back(zipped_lane(name, lanes, parts));
    const std::size_t length = out.back().values().size(), first = out.front().values().size();
    if (length != first)
      refuse_at(name.at, "zip: '{}' has {} value{} and '{}' has {}. Give both the same number of values.",
                out.front().path, first, first == 1 ? "" : "s", out.back().path, length);
  }
  return out;
}

std::vector<Axis> axes_of(std::span<const SweptPart> parts, std::span<const ZippedOptions> zip) {
  const std::vector<Lane> lanes = lanes_of(parts);
  std::vector<Axis> zipped;
  std::vector<std::string> seen;
  for (const ZippedOptions& together : zip) {
    zipped.push_back(zipped_axis(together, lanes, parts));
    for (const Lane& lane : zipped.back()) {
      if (std::ranges::find(seen, lane.path) != seen.end())
        refuse_at(together.at, "zip names '{}' twice. Leave one out.", lane.path);
      seen.push_back(lane.path);
    }
  }
  std::vector<Axis> out;
  for (const Lane& lane : lanes) {
    const auto holds = [&](const Axis& axis) { return std::ranges::find(axis, lane.path, &Lane::path) != axis.end(); };
    if (std::ranges::any_of(out, holds)) continue;
    const auto with = std::ranges::find_if(zipped, holds);
    out.push_back(with == zipped.end() ? Axis{lane} : *with);
  }
  return out;
}

/// `base` with value number `at` of every lane of the axis.
SweepPoint with_values(SweepPoint base, const Axis& axis, std::size_t at) {
  for (const Lane& lane : axis) {
    const Value& value = lane.values()[at];
    base.parts[lane.part].set(lane.key, value);
    const auto* text = value.get_if<std::string>();
    base.swept += (base.swept.empty() ? "" : ",") + lane.key + "=" + (text ? *text : value.to_text());
  }
  return base;
}

}  // namespace

std::vector<SweepPoint> expand_sweeps(std::span<const SweptPart> parts, std::span<const ZippedOptions> zip) {
  SweepPoint plain;
  for (const SweptPart& part : parts) plain.parts.push_back(*part.options);
  std::vector<SweepPoint> out = {std::move(plain)};
  for (const Axis& axis : axes_of(parts, zip)) {
    const std::size_t length = axis.front().values().size();
    if (length > kMostCombinations / out.size())
      refuse_at(axis.front().list->at, words::kSweepTooLarge, axis.front().path, kMostCombinations);
    std::vector<SweepPoint> next;
    for (const SweepPoint& base : out)
      for (std::size_t at = 0; at < length; ++at) next.push_back(with_values(base, axis, at));
    out = std::move(next);
  }
  return out;
}

std::string swept_id(const std::string& id, const std::string& swept) {
  return swept.empty() ? id : id + "[" + swept + "]";
}

}  // namespace alidade
