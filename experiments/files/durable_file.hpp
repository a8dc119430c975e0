// Files that are whole or absent, and a log of lines that survives kill -9.
// Whole files are written beside their place, synced and renamed; lines are appended and synced one by one.
// A full disk or a folder that cannot be written is a DataError that names the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// Replaces or creates `path` with `content`, whole or not at all. @throws DataError
void write_whole_file(const std::filesystem::path& path, std::string_view content);

/// All bytes of a file; nothing where there is none that can be read.
[[nodiscard]] std::optional<std::string> file_content(const std::filesystem::path& path);

/// Copies a file, whole or not at all; on disk only after `DiskSync::sync`, which is faster for many. @throws DataError
void copy_whole_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// For many files that are to be on a disk before one that names them.
class DiskSync {
 public:
  /// Of the disk of this folder. What others could not write to it earlier, as before a server of NFS came back, is no
  /// fault of files written from now on, and forgotten. @throws DataError if the folder cannot be read
  explicit DiskSync(const std::filesystem::path& folder);
  ~DiskSync();
  DiskSync(const DiskSync&) = delete;
  DiskSync& operator=(const DiskSync&) = delete;

  /// All that was written to the disk is on it when this returns. @throws DataError
  void sync();

 private:
  std::filesystem::path folder_;
  int file_ = -1;
};

/// Makes a folder and its parents. @throws DataError
void make_folder(const std::filesystem::path& folder);

/// A file of lines, open for appending; one process at a time holds it (a lock that dies with it).
class LineFile {
 public:
  /// Opens or creates the file and takes hold of it; what is in it stays, so that it can be read now without
  /// another process writing. @throws DataError if it cannot be opened, or is held by other processes as long as
  /// `patience`; a child of a killed process may hold its share of the lock for a moment before it dies too.
  explicit LineFile(std::filesystem::path path, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Cuts the file to its first `sound_bytes` bytes (a torn last line goes), adding a newline if asked; needed
  /// once before `append`. @throws DataError
  void go_on_after(std::uintmax_t sound_bytes, bool needs_newline);

  /// Appends `line` and a newline and syncs. On failure the file is cut back to whole lines first.
  /// @throws DataError
  void append(std::string_view line);

  /// For a forked child, whose share of the lock would outlive a killed parent: closes the file here only.
  void let_go();

  /// Puts `content`, which ends in a newline or is empty, in the place of all lines, whole or not at all; this goes on
  /// holding the file. @throws DataError
  void replace(std::string_view content);

  /// Takes the file away again if nothing is in it.
  void remove_if_empty();

 private:
  void open_and_lock(std::chrono::steady_clock::time_point until);

  std::filesystem::path path_;
  int file_ = -1;
  std::uintmax_t size_ = 0;
};

}  // namespace alidade
