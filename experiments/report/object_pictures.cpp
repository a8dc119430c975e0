#include "experiments/report/object_pictures.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include <array>
#include <string_view>
#include <utility>

#include "experiments/datasets/readers/names.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/report/html.hpp"
#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPictureTypes = {{{".png", "image/png"},
                                                                                         {".jpg", "image/jpeg"},
                                                                                         {".jpeg", "image/jpeg"},
                                                                                         {".gif", "image/gif"},
                                                                                         {".webp", "image/webp"},
                                                                                         {".svg", "image/svg+xml"}}};

/// "" for a file that is no picture.
std::string_view picture_type(const std::filesystem::path& file) {
  const std::string ending = lower_ascii(file.extension().string());
  for (const auto& [suffix, type] : kPictureTypes)
    if (ending == suffix) return type;
  return "";
}

double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

ObjectPictures::ObjectPictures(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code code;
  require<DataError>(std::filesystem::is_directory(folder, code), words::kPicturesNoFolder, folder.string());
  for (const std::filesystem::path& path : paths_in(folder)) {
    if (picture_type(path).empty() || !is_file(path)) continue;
    files_.emplace(datasets::composed(path.filename().string()), path);
    files_.emplace(datasets::composed(path.stem().string()), path);
  }
  require<DataError>(!files_.empty(), words::kPicturesNone, folder.string());
}

std::vector<std::string> ObjectPictures::of(const std::vector<std::string>& objects) {
  std::vector<std::string> out(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto entry = files_.find(objects[i]);
    if (entry == files_.end()) continue;
    const auto [picture, fresh] = read_.try_emplace(entry->second);
    if (fresh) {
      const std::string content = read_bytes(entry->second);
      bytes_ += content.size();
      require<DataError>(bytes_ <= kMostPictureBytes, words::kPicturesTooLarge, folder_.string(),
                         megabytes(kMostPictureBytes), entry->second.filename().string(), megabytes(content.size()),
                         folder_.string(), entry->second.extension().string());
      picture->second =
          fmt::format("data:{};base64,{}", picture_type(entry->second), base64(content.data(), content.size()));
    }
    out[i] = picture->second;
  }
  return out;
}

}  // namespace alidade::report
