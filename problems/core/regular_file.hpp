// How files in folders of results and logs are opened: regular files only, and through no symbolic link.
// Whoever may write to such a folder could otherwise plant a link, by which a command of another user overwrites or
// shows a private file, or a pipe, at which it waits for ever. Files that users name are opened in their own ways.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "problems/core/error.hpp"

namespace alidade {

/// Opens a regular file; `flags` as of open(2), and with O_CREAT the mode is what umask leaves of 0666. Never waits.
/// Returns the descriptor, or -1 and errno: ELOOP of a link, ENXIO of a pipe or device, EISDIR of a folder.
[[nodiscard]] int open_regular_file(const std::filesystem::path& path, int flags);

/// Creates a file that was not there, to write to, and locks it. What has this name, left by a killed command or
/// planted, is removed first; while another process holds the lock of a file of this name, this one waits.
/// Returns the descriptor, or -1 and errno.
[[nodiscard]] int create_new_file(const std::filesystem::path& path);

/// Whether an errno of these says that something else than a regular file has the name.
[[nodiscard]] bool says_not_regular(int code);

/// What an errno of these says, in words.
[[nodiscard]] std::string why_not_opened(int code);

/// A file is there and this machine cannot read it now: its disk, its limits or its rights are at fault, not the file.
class UnreadFile : public DataError {
 public:
  using DataError::DataError;
};

/// Throws what an errno says of a file that could not be read: UnreadFile, or DataError if there is none or it is no
/// regular file. `what`: such as "The trace".
[[noreturn]] void refuse_unread(const std::filesystem::path& path, std::string_view what, int code);

}  // namespace alidade
