// Files that are whole or absent, and a log of lines that survives kill -9.
// Whole files are written beside their place, synced and renamed; lines are appended and synced one by one.
// A full disk or a folder that cannot be written is a DataError that names the file.
// Only regular files are read and written, and no symbolic link is followed (problems/core/regular_file.hpp), except by
// `write_output`.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/files/folder.hpp"

namespace alidade {

/// Replaces or creates `path` with `content`, whole or not at all. @throws DataError
void write_whole_file(const std::filesystem::path& path, std::string_view content);

/// Writes a file that the user names: through links, and into devices and pipes, all of which stay what they are.
/// A regular file is replaced whole or not at all. @throws DataError
void write_output(const std::filesystem::path& path, std::string_view content);

/// Tries what `write_output` would do, and changes nothing. For a check before long work. @throws DataError
void require_writable(const std::filesystem::path& path);

/// All bytes of a file, or the first `limit`; nothing if it cannot be read, and then errno says why (see
/// why_not_opened).
[[nodiscard]] std::optional<std::string> file_content(const std::filesystem::path& path,
                                                      std::size_t limit = std::numeric_limits<std::size_t>::max());
/// All bytes of a file; nothing if there is none. @throws DataError if it is there and cannot be read
[[nodiscard]] std::optional<std::string> content_if_there(const std::filesystem::path& path);

/// Syncs the bytes of a file to disk; whether they are on it.
[[nodiscard]] bool sync_file(const std::filesystem::path& path);

/// Writes all bytes; 0 or the errno of the failure.
[[nodiscard]] int write_all(int file, std::string_view bytes);
/// Says why a file cannot be written, by errno, and what to do. @throws DataError
[[noreturn]] void refuse_writing(const std::filesystem::path& path, int code);

/// Gives a file its final name on the same disk, with its bytes synced. @throws DataError naming `to`
void move_whole_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Copies a file, whole or not at all. It is on disk only after `DiskSync::sync`, which is faster for many files.
/// @throws DataError
void copy_whole_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Syncs many files to disk at once, before a file that names them is written.
class DiskSync {
 public:
  /// For the disk of this folder. Earlier write errors of others, such as before an NFS server came back, are ignored:
  /// they do not concern files written from now on. @throws DataError if the folder cannot be read
  explicit DiskSync(const std::filesystem::path& folder);
  ~DiskSync();
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  /// On return, everything written to the disk so far is on it. @throws DataError
  void sync();

 private:
  std::filesystem::path folder_;
  int file_ = -1;
};

/// Files that get their names together once all are on disk. To sync thousands one by one takes minutes: beyond a few,
/// whole disks are synced. Example:
///
///     FileBatch files;
///     for (...) files.write(folder / name, content);
///     files.commit();
class FileBatch {
 public:
  /// Once `stop` is requested, `write` and `commit` throw DataError.
  explicit FileBatch(std::stop_token stop = {});
  /// Without `commit` nothing stays.
  ~FileBatch();
  FileBatch(const FileBatch&) = delete;
  FileBatch& operator=(const FileBatch&) = delete;

  /// Writes `content` beside `path`, as "PATH.part". @throws DataError
  void write(const std::filesystem::path& path, std::string_view content);
  /// On return, all files have their names and are on disk. @throws DataError; some may then have their names.
  void commit();

 private:
  void require_going_on() const;

  std::stop_token stop_;
  std::vector<std::filesystem::path> files_;                          // of which each is "PATH.part" so far
  std::map<std::filesystem::path, std::unique_ptr<DiskSync>> disks_;  // by folders, of files that are not synced alone
};

/// A file of lines, open for appending. One process at a time holds it, by a lock that dies with the process.
class LineFile {
 public:
  /// Opens or creates the file and locks it. Its content stays and can be read now, while no other process writes.
  /// @throws DataError if it cannot be opened, or if others hold it for `patience`: a child of a killed process may
  /// keep the lock for a moment.
  explicit LineFile(std::filesystem::path path, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Cuts the file to its first `sound_bytes` bytes, without a torn last line, and adds a newline if `needs_newline`.
  /// Call once before `append`. @throws DataError
  void go_on_after(std::uintmax_t sound_bytes, bool needs_newline);

  /// Appends `line` and a newline and syncs. On failure the file is cut back to whole lines first.
  /// If the file was removed, replaced or changed by others since, all lines are written to "<path>.aside-<pid>" (the
  /// new line alone where others only added to it). @throws DataError
  void append(std::string_view line);

  /// Checks that the file still has its name: if not, all lines are kept aside as by `append`. @throws DataError
  void require_named() const;

  /// Checks also that the file has the lines that this command read and wrote, to the byte; or as by `append`. O(size).
  /// @throws DataError
  void require_unchanged() const;

  /// For a forked child, which would keep the lock of a killed parent: closes the file here only.
  void let_go();

  /// Replaces all lines by `content`, which ends in a newline or is empty, whole or not at all; the file stays locked.
  /// @throws DataError
  void replace(std::string_view content);

  /// Removes the file if it is empty.
  void remove_if_empty();

 private:
  void open_and_lock(std::chrono::steady_clock::time_point until);
  /// Throws DataError unless the file still has the size it had, before `new_line` is written.
  void require_size(std::string_view new_line) const;
  [[noreturn]] void keep_aside(std::string_view lines, const char* what_happened, const char* what_is_kept) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::string lines_;  // all of them: what others take out of the file is kept aside
};

}  // namespace alidade
