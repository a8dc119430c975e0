// The files of a tar archive in memory: ustar and GNU tar with names of at most 255 bytes.
// POSIX 1003.1, ustar interchange format; check sums of headers are verified.
// Contents are views into the bytes, which must outlive them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

struct ArchivedFile {
  std::string name;  // with its folders
  std::string_view content;
};

/// Regular files in the archive's order; folders, links and comments are skipped. Messages call the archive `name`.
/// O(files).
/// @throws DataError if it is no tar archive, is damaged or truncated, or has longer names.
[[nodiscard]] std::vector<ArchivedFile> read_tar(std::string_view bytes, std::string_view name);

}  // namespace alidade
