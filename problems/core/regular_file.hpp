// How files in folders of results and logs are opened: regular files only, and through no symbolic link.
// Whoever may write to such a folder could otherwise plant a link, by which a command of another user overwrites or
// shows a private file, or a pipe, at which it waits for ever. Files that users name are opened in their own ways.
#pragma once

#include <filesystem>
#include <string>

namespace alidade {

/// Opens a regular file; `flags` as of open(2), and with O_CREAT the mode is what umask leaves of 0666. Never waits.
/// Returns the descriptor, or -1 and errno: ELOOP of a link, ENXIO of a pipe or device, EISDIR of a folder.
[[nodiscard]] int open_regular_file(const std::filesystem::path& path, int flags);

/// Creates a file that was not there, to write to. What has this name already, left by a killed command or planted,
/// is removed first and never opened. Returns the descriptor, or -1 and errno.
[[nodiscard]] int create_new_file(const std::filesystem::path& path);

/// Whether an errno of these says that something else than a regular file has the name.
[[nodiscard]] bool says_not_regular(int code);

/// What an errno of these says, in words.
[[nodiscard]] std::string why_not_opened(int code);

}  // namespace alidade
