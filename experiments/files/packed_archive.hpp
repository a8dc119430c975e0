// Reads named files from a downloaded archive: zip, tar, and tar packed by gzip.
// libarchive reads it; nothing is ever written under a name from the archive.
// Archives are not trusted: names that leave their folder, links and sizes beyond the limits are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace alidade {

struct ArchiveLimits {
  std::uintmax_t file_bytes = std::uintmax_t{256} << 20;  // of one requested file, unpacked
  std::uintmax_t all_bytes = std::uintmax_t{1} << 30;     // of all files, unpacked
  std::size_t entries = 100'000;
};

/// Whether this program was built with libarchive.
[[nodiscard]] bool can_unpack();

/// The contents of the files `members`, in their order. Stops reading at the last of them. Messages call the archive
/// `name`. O(archive).
/// @throws DataError, one line, if it is no archive or damaged, if a file is missing or is a link or folder, if an
/// entry's name leaves the archive's folder, if a limit is exceeded, or without libarchive.
[[nodiscard]] std::vector<std::string> read_members(const std::filesystem::path& archive, const std::string& name,
                                                    const std::vector<std::string>& members,
                                                    const ArchiveLimits& limits = {});

/// The names of all files in the archive. @throws as read_members
[[nodiscard]] std::vector<std::string> member_names(const std::filesystem::path& archive, const std::string& name,
                                                    const ArchiveLimits& limits = {});

}  // namespace alidade
