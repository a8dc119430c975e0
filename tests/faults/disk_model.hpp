// What a power failure leaves of a folder: a model of its files in which only what was synced is sure to be there.
// POSIX: fsync of a file keeps its bytes, fsync of a folder keeps its names; a name and its bytes are kept apart.
// Fed with the calls of a traced command; the bytes of files are read from the real folder when they change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/faults/traced_command.hpp"

namespace alidade::testing {

class DiskModel {
 public:
  /// A folder, an absolute path, with all it has: on disk.
  explicit DiskModel(const std::filesystem::path& folder);

  /// The calls to take note of.
  [[nodiscard]] static std::vector<long> calls();
  /// Takes note of a call that had its effect; true if a power failure may now leave something else.
  bool note(const SystemCall& call, std::int64_t result);

  /// What may be left of what was not synced. Real file systems leave something in between.
  enum class Left {
    nothing,         // neither names nor bytes
    names,           // names without bytes: a new file is empty, a longer one as long as before
    bytes,           // bytes of files whose names were synced
    names_and_half,  // names, and half of the bytes that a file gained
  };

  /// A state of the disk: paths relative to the folder, with their bytes; those of folders end in "/".
  using State = std::map<std::string, std::string>;
  [[nodiscard]] State left(Left what) const;

  /// Writes a state into an empty folder.
  static void write(const State& state, const std::filesystem::path& folder);

 private:
  struct Node {
    bool is_folder = false;
    std::string bytes, synced_bytes;
    std::map<std::string, std::shared_ptr<Node>> names, synced_names;
  };
  using NodePtr = std::shared_ptr<Node>;

  [[nodiscard]] NodePtr find(const std::string& path) const;
  /// The folder of a path, and the name in it.
  [[nodiscard]] NodePtr folder_of(const std::string& path) const;
  static NodePtr read(const std::filesystem::path& path);
  static void sync_all(Node& node);
  static void collect(const Node& node, Left what, const std::string& prefix, State& out);

  std::filesystem::path folder_;
  NodePtr root_;
};

}  // namespace alidade::testing
