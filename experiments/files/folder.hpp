// Folders: what is in them, and their names on disk.
// A folder that cannot be read is an error, never an empty one: what is not seen would be left out or written over.
// A name (of a new, moved or removed file) survives a power failure once its folder is synced; fsync of the file
// itself does not keep it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace alidade {

/// The paths in a folder, sorted; none if there is no such folder. @throws DataError if it cannot be read
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

/// The last name of a path: "study" of "results/study/".
[[nodiscard]] std::string folder_name(const std::filesystem::path& folder);

/// Whether a path exists. @throws DataError if this cannot be known
[[nodiscard]] bool is_there(const std::filesystem::path& path);

/// The same of the path itself: a symbolic link that leads nowhere exists too.
[[nodiscard]] bool is_there_or_link(const std::filesystem::path& path);

/// Whether a path is a regular file. @throws DataError if this cannot be known
[[nodiscard]] bool is_file(const std::filesystem::path& path);

/// The same of the path itself: a symbolic link is none.
[[nodiscard]] bool is_file_itself(const std::filesystem::path& path);

/// Syncs the names in a folder ("": the current one) to disk, as far as its file system can.
void sync_folder(const std::filesystem::path& folder);

/// Creates a folder and its parents; their names are on disk. @throws DataError
void make_folder(const std::filesystem::path& folder);

/// A lock of a folder, which dies with the process. It binds those who ask for it, and nobody where the file system
/// has no locks.
class FolderLock {
 public:
  FolderLock() = default;
  /// Waits until no other process has it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

  /// Whether a living process has the lock of this folder; false where that cannot be known.
  [[nodiscard]] static bool is_held(const std::filesystem::path& folder);

 private:
  int file_ = -1;
};

}  // namespace alidade
