// Pictures of objects, from a folder whose files are named after them, for a page that needs no other file.
// An object's picture is NAME.png, .jpg, .jpeg, .gif, .webp or .svg; a name with such an ending is its own file.
// Pictures are kept as they are, as data URIs; a page takes small ones only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace alidade::report {

/// Bytes of all pictures of a page.
inline constexpr std::size_t kMostPictureBytes = std::size_t{8} << 20;

class ObjectPictures {
 public:
  /// Lists the pictures of a folder. @throws DataError if it is no folder, or has none
  explicit ObjectPictures(const std::filesystem::path& folder);

  /// Data URIs of these objects' pictures, "" for an object without one. A picture that several lists use counts once.
  /// @throws DataError if the pictures so far exceed kMostPictureBytes
  [[nodiscard]] std::vector<std::string> of(const std::vector<std::string>& objects);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> files_;  // by name, with and without its ending
  std::map<std::filesystem::path, std::string> read_;   // data URIs
  std::size_t bytes_ = 0;
};

}  // namespace alidade::report
