#include "experiments/files/durable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

/// 0 or the errno of the failure.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno == 0 ? EIO : errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void sync_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

/// Whether the open file is the one of that name. Opens the name instead of using `stat`: over NFS, `stat` may answer
/// from a cache some seconds old, `open` asks the server.
bool is_at(const std::filesystem::path& path, int file) {
  const int again = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (again < 0) return errno == EACCES;  // writable but not readable; then nobody replaces it
  struct stat named {
  }, open{};
  const bool same = ::fstat(again, &named) == 0 && ::fstat(file, &open) == 0 && named.st_ino == open.st_ino &&
                    named.st_dev == open.st_dev;
  ::close(again);
  return same;
}

const char* what_to_do(int code) {
  switch (code) {
    case EIO:
    case ESTALE:
      return "The disk, or the network connection to it, failed. Check it, and give the same "
             "command again.";
    case ENOLCK:
      return "Its file system cannot lock files. Start the lock service of NFS, or choose another "
             "folder.";
    default: return "Choose another folder or make room.";
  }
}

[[noreturn]] void refuse(const std::filesystem::path& path, int code) {
  throw DataError(fmt::format("Cannot write {}: {}. {}", path.string(), std::strerror(code), what_to_do(code)));
}

}  // namespace

std::optional<std::string> file_content(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open() || std::filesystem::is_directory(path, ignored)) return std::nullopt;
  std::string out{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return std::nullopt;
  return out;
}

void write_whole_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path part = path;
  part += ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) refuse(path, errno);
  int code = write_all(file, content);
  if (code == 0 && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), path.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(part.c_str());
    refuse(path, code);
  }
  sync_folder(path.parent_path());
}

void copy_whole_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  require<DataError>(in >= 0, "{}: The file cannot be read: {}.", from.string(), std::strerror(errno));
  std::filesystem::path part = to;
  part += ".part";
  const int out = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  int code = out < 0 ? errno : 0;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (code == 0) {
    const ssize_t got = ::read(in, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) code = errno;
    if (got <= 0) break;
    code = write_all(out, {buffer.data(), static_cast<std::size_t>(got)});
  }
  ::close(in);
  if (out >= 0 && ::close(out) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), to.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(part.c_str());
    refuse(to, code);
  }
}

DiskSync::DiskSync(const std::filesystem::path& folder)
    : folder_(folder), file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) refuse(folder, errno);
  ::syncfs(file_);  // an error that nobody has seen is reported once, to the first caller
}

DiskSync::~DiskSync() { ::close(file_); }

void DiskSync::sync() {
  if (::syncfs(file_) != 0) refuse(folder_, errno);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  require<DataError>(!code && std::filesystem::is_directory(folder),
                     "Cannot make the folder {}: {}. Choose another folder.", folder.string(),
                     code ? code.message() : "something that is not a folder has this name");
}

LineFile::LineFile(std::filesystem::path path, std::chrono::milliseconds patience) : path_(std::move(path)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  do {  // repeat if another process replaced the file while this one waited
    let_go();
    open_and_lock(until);
  } while (!is_at(path_, file_));
}

void LineFile::open_and_lock(std::chrono::steady_clock::time_point until) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) refuse(path_, errno);
  while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    if (code == EWOULDBLOCK && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      continue;
    }
    let_go();
    if (code != EWOULDBLOCK) refuse(path_, code);
    throw DataError(
        fmt::format("Another alidade is writing {}. Wait for it, stop it, or choose another folder.", path_.string()));
  }
}

LineFile::~LineFile() { let_go(); }

void LineFile::let_go() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void LineFile::go_on_after(std::uintmax_t sound_bytes, bool needs_newline) {
  if (::ftruncate(file_, static_cast<off_t>(sound_bytes)) != 0 || ::lseek(file_, 0, SEEK_END) < 0) refuse(path_, errno);
  size_ = sound_bytes;
  if (needs_newline) append("");
  sync_folder(path_.parent_path());
}

void LineFile::append(std::string_view line) {
  std::string text(line);
  text += '\n';
  int code = write_all(file_, text);
  if (code == 0 && ::fsync(file_) != 0) code = errno;
  if (code != 0) {
    // Cut back to whole lines; if even that fails, readers ignore the torn one.
    if (::ftruncate(file_, static_cast<off_t>(size_)) == 0) ::lseek(file_, 0, SEEK_END);
    refuse(path_, code);
  }
  size_ += text.size();
}

void LineFile::replace(std::string_view content) {
  std::filesystem::path part = path_;
  part += ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) refuse(path_, errno);
  // Locked before it gets its name, so that no other process can lock it first.
  int code = ::flock(file, LOCK_EX | LOCK_NB) != 0 ? errno : write_all(file, content);
  if (code == 0 && ::fsync(file) != 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), path_.c_str()) != 0) code = errno;
  if (code != 0) {
    ::close(file);
    ::unlink(part.c_str());
    refuse(path_, code);
  }
  let_go();
  file_ = file;
  size_ = content.size();
  sync_folder(path_.parent_path());
}

void LineFile::remove_if_empty() {
  struct stat found {};
  if (::fstat(file_, &found) == 0 && found.st_size == 0) ::unlink(path_.c_str());
}

}  // namespace alidade
