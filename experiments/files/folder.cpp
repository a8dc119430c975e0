#include "experiments/files/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/regular_file.hpp"

namespace alidade {

namespace fs = std::filesystem;

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code code;
  fs::directory_iterator at(folder.empty() ? "." : folder, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) out.push_back(at->path());
  if (code == std::errc::no_such_file_or_directory) return {};
  require<DataError>(!code, "Cannot read the folder {}: {}. Check its disk, and that you may read it.", folder.string(),
                     code.message());
  std::ranges::sort(out);
  return out;
}

namespace {

fs::file_status status_of(const fs::path& path, fs::file_status (*ask)(const fs::path&, std::error_code&)) {
  std::error_code code;
  const fs::file_status status = ask(path, code);
  require<DataError>(code != std::errc::filename_too_long,
                     "The name {} is too long for its file system. Choose a shorter one.", path.string());
  if (!fs::status_known(status))
    throw UnreadFile(
        fmt::format("Cannot read {}: {}. Check its disk, and that you may read it.", path.string(), code.message()));
  return status;
}

}  // namespace

std::string folder_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

bool is_there(const fs::path& path) { return fs::exists(status_of(path, fs::status)); }
bool is_there_or_link(const fs::path& path) { return fs::exists(status_of(path, fs::symlink_status)); }
bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path, fs::status)); }
bool is_file_itself(const fs::path& path) { return fs::is_regular_file(status_of(path, fs::symlink_status)); }

void sync_folder(const fs::path& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

void make_folder(const fs::path& folder) {
  std::error_code code, ignored;
  std::vector<fs::path> grown;  // folders that get a new name
  for (fs::path at = folder; !at.empty() && !fs::exists(at, ignored); at = at.parent_path())
    grown.push_back(at.parent_path());
  fs::create_directories(folder, code);
  require<DataError>(!code && fs::is_directory(folder, code), "Cannot make the folder {}: {}. Choose another folder.",
                     folder.string(), code ? code.message() : "something that is not a folder has this name");
  for (const fs::path& parent : grown) sync_folder(parent);
}

FolderLock::FolderLock(const fs::path& folder)
    : file_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

bool FolderLock::is_held(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return false;
  const bool out = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return out;
}

}  // namespace alidade
