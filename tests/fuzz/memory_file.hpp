// A file of given bytes that lies in memory, for readers that take a path.
// Linux: memfd_create(2), reached as /proc/self/fd/N; no disk is written.
// Gone at the end of the scope.
#pragma once

#include <filesystem>
#include <string_view>

namespace alidade::fuzz {

class MemoryFile {
 public:
  /// @throws std::system_error if there is no memory or no descriptor left
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

/// Writes a file on disk, for readers that take a folder.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace alidade::fuzz
