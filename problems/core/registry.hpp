// A catalog: an explicit list of named entries, in the order given, with lookup by name.
// Entries do not register themselves (such objects vanish from static libraries); catalog.cpp lists them, and a program
// adds its own before it uses any.
// Looking up an unknown name throws ConfigError with the nearest known one.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {

/// `Entry` has a member `name`.
template <class Entry>
class Registry {
 public:
  /// `noun` names the kind of entry in messages: "problem", "solver".
  Registry(std::string noun, std::vector<Entry> entries) : noun_(std::move(noun)), entries_(std::move(entries)) {}

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Entry& entry : entries_) out.push_back(entry.name);
    return out;
  }
  [[nodiscard]] const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_)
      if (entry.name == name) return &entry;
    for (const Entry& entry : unlisted_)
      if (entry.name == name) return &entry;
    return nullptr;
  }
  /// `place` begins the message ("config.toml:3:7: "). @throws ConfigError
  [[nodiscard]] const Entry& at(std::string_view name, std::string_view place = {}) const {
    if (const Entry* entry = find(name)) return *entry;
    throw ConfigError(fmt::format("{}There is no {} '{}'.{}", place, noun_, name, suggestion(name, names())));
  }

  /// Appends an entry. References to earlier ones end here, so a program adds its own before it uses any, from its only
  /// thread. @throws ConfigError if the name is empty or taken
  void add(Entry entry) {
    require<ConfigError>(!entry.name.empty(), "A {} to add has no name.", noun_);
    require<ConfigError>(find(entry.name) == nullptr, "There is a {} '{}' already. Give yours another name.", noun_,
                         entry.name);
    entries_.push_back(std::move(entry));
  }
  /// Adds an entry that is found by its name and not listed; references to others stay. For the only thread of a
  /// program. @pre the name is not taken
  void add_unlisted(Entry entry) { unlisted_.push_back(std::move(entry)); }

 private:
  std::string noun_;
  std::vector<Entry> entries_;
  std::deque<Entry> unlisted_;
};

}  // namespace alidade
