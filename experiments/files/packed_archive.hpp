// Named files out of an archive that came from elsewhere: zip, tar, and tar packed by gzip.
// Read by libarchive; nothing is ever written under a name that the archive chose.
// An archive is not trusted: names that leave their folder, links and sizes beyond stated limits are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace alidade::datasets {

struct ArchiveLimits {
  std::uintmax_t file_bytes = std::uintmax_t{256} << 20;  // of one file that is asked for, unpacked
  std::uintmax_t all_bytes = std::uintmax_t{1} << 30;     // of all files, unpacked
  std::size_t entries = 100'000;
};

/// Whether this program was built with libarchive.
[[nodiscard]] bool can_unpack();

/// The contents of the files `members`, in their order. Stops reading at the last of them. `name`
/// stands for the archive in messages. O(archive).
/// @throws DataError, one line, if it is no archive or damaged, lacks one of them, has a link or
/// folder in its place, an entry whose name leaves the archive's folder, or more than the limits
/// allow; or without libarchive.
[[nodiscard]] std::vector<std::string> read_members(const std::filesystem::path& archive, const std::string& name,
                                                    const std::vector<std::string>& members,
                                                    const ArchiveLimits& limits = {});

}  // namespace alidade::datasets
