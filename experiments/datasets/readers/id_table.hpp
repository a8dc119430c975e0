// Numbers distinct ids by first appearance: a hash table with open addressing over views.
// For files of millions of ids; each is hashed once. The texts must outlive the table.
// Numbers have 32 bits, as ObjectId does.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace alidade::datasets {

class IdTable {
 public:
  IdTable() : slots_(64, kEmpty) {}

  /// The number of `id`, new or known. Expected O(length).
  [[nodiscard]] std::uint32_t number(std::string_view id) {
    const std::uint64_t hash = hash_of(id);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const std::uint32_t number = slots_[slot];
      if (number == kEmpty) {
        const auto fresh = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(id);
        hashes_.push_back(hash);
        slots_[slot] = fresh;
        if (2 * ids_.size() > slots_.size()) grow();
        return fresh;
      }
      if (hashes_[number] == hash && ids_[number] == id) return number;
    }
  }
  [[nodiscard]] const std::vector<std::string_view>& ids() const { return ids_; }

  [[nodiscard]] static std::uint64_t hash_of(std::string_view id) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ id.size();
    const auto mix = [&hash](const char* at, std::size_t count) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, count);
      hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32;
    };
    for (; id.size() >= 8; id.remove_prefix(8)) mix(id.data(), 8);
    if (!id.empty()) mix(id.data(), id.size());
    return hash;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffffU;

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t i = 0; i < ids_.size(); ++i) {
      std::size_t slot = hashes_[i] & mask;
      while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
      slots_[slot] = i;
    }
  }

  std::vector<std::string_view> ids_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

}  // namespace alidade::datasets
