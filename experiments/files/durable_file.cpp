#include "experiments/files/durable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
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

/// What a file is called until it is whole.
std::filesystem::path part_of(std::filesystem::path path) { return path += ".part"; }

/// Whether the open file is the one of that name. The name is opened, not asked for: NFS answers `stat` by what this
/// machine knew some seconds ago, `open` by what the server has. Where no more files can be opened, `stat` must do.
/// A disk that does not answer has not replaced the file: what is asked of it next says what is wrong.
bool is_at(const std::filesystem::path& path, int file) {
  struct stat named {
  }, open{};
  if (::fstat(file, &open) != 0) return true;
  const int again = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (again < 0 && errno == EACCES) return true;  // may be written and not read; then nobody replaces it
  const int code = (again < 0 ? ::stat(path.c_str(), &named) : ::fstat(again, &named)) == 0 ? 0 : errno;
  if (again >= 0) ::close(again);
  if (code != 0) return code != ENOENT && code != ENOTDIR;
  return named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

/// Reads on to the end of a file; 0 or the errno of the failure.
int read_all(int file, std::string& out) {
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// All that can be read of an open file, from its beginning.
std::string content_of(int file) {
  std::string out;
  std::vector<char> buffer(std::size_t{1} << 16);
  for (ssize_t got = 0;; out.append(buffer.data(), static_cast<std::size_t>(got))) {
    got = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(out.size()));
    if (got < 0 && errno == EINTR)
      got = 0;
    else if (got <= 0)
      return out;
  }
}

const char* what_to_do(int code) {
  switch (code) {
    case EIO:
    case ESTALE:
      return "The disk, or the network connection to it, failed. Check it, and give the same "
             "command again.";
    case EFBIG: return "The limit of file sizes is reached. Raise it (ulimit -f), and give the same command again.";
    case EMFILE:
    case ENFILE:
      return "The limit of open files is reached. Raise it (ulimit -n), and give the same command "
             "again.";
    case ENOLCK:
      return "Its file system cannot lock files. Start the lock service of NFS, or choose another "
             "folder.";
    case ENOENT:
    case ENOTDIR:
      return "Its folder is not there, or was removed while this command ran. Give the same command again, and leave "
             "the folder in its place.";
    case EACCES:
    case EPERM:
    case EROFS: return "Check that you may write there, or choose another folder.";
    case ENAMETOOLONG:
    case EISDIR: return "Choose another name.";
    case ENOMEM:
      return "The memory is used up. Free some, or raise the limit (ulimit -v), and give the same command again.";
    default: return "Choose another folder or make room.";
  }
}

[[noreturn]] void refuse(const std::filesystem::path& path, int code) {
  throw DataError(fmt::format("Cannot write {}: {}. {}", path.string(), std::strerror(code), what_to_do(code)));
}

}  // namespace

std::optional<std::string> file_content(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string out;
  const int code = read_all(file, out);
  ::close(file);
  errno = code;
  return code == 0 ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> content_if_there(const std::filesystem::path& path) {
  if (!is_there(path)) return std::nullopt;
  std::optional<std::string> out = file_content(path);
  require<DataError>(out.has_value(), "{}: The file cannot be read. Check its disk, and that you may read it.",
                     path.string());
  return out;
}

void write_whole_file(const std::filesystem::path& path, std::string_view content) {
  FileBatch file;
  file.write(path, content);
  file.commit();
}

void require_writable(const std::filesystem::path& path) {
  struct stat known {};
  if (::stat(path.c_str(), &known) == 0 && S_ISDIR(known.st_mode)) refuse(path, EISDIR);
  FileBatch file;  // without a commit nothing stays
  file.write(path, "");
}

void copy_whole_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  require<DataError>(in >= 0, "{}: The file cannot be read: {}.", from.string(), std::strerror(errno));
  const std::filesystem::path part = part_of(to);
  const int out = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  int code = out < 0 ? errno : 0, read_code = 0;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (code == 0) {
    const ssize_t got = ::read(in, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) code = read_code = errno;
    if (got <= 0) break;
    code = write_all(out, {buffer.data(), static_cast<std::size_t>(got)});
  }
  ::close(in);
  if (out >= 0 && ::close(out) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), to.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(part.c_str());
    require<DataError>(read_code == 0, "{}: The file cannot be read: {}.", from.string(), std::strerror(read_code));
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

FileBatch::FileBatch() = default;

FileBatch::~FileBatch() {
  for (const std::filesystem::path& path : files_) ::unlink(part_of(path).c_str());
}

void FileBatch::write(const std::filesystem::path& path, std::string_view content) {
  constexpr std::size_t kAlone = 16;  // so many syncs take less than those of all that others write to the disk
  const bool alone = files_.size() < kAlone;
  if (!alone) {
    std::unique_ptr<DiskSync>& disk = disks_[path.parent_path()];
    if (!disk) disk = std::make_unique<DiskSync>(path.has_parent_path() ? path.parent_path() : ".");
  }
  const int file = ::open(part_of(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) refuse(path, errno);
  files_.push_back(path);
  int code = write_all(file, content);
  if (code == 0 && alone && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  if (code != 0) refuse(path, code);
}

void FileBatch::commit() {
  for (const auto& [folder, disk] : disks_) disk->sync();
  std::set<std::filesystem::path> folders;
  for (const std::filesystem::path& path : files_) {
    if (::rename(part_of(path).c_str(), path.c_str()) != 0) refuse(path, errno);
    folders.insert(path.parent_path());
  }
  for (const std::filesystem::path& folder : folders) sync_folder(folder);
  files_.clear();
  disks_.clear();
}

LineFile::LineFile(std::filesystem::path path, std::chrono::milliseconds patience) : path_(std::move(path)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  do {  // repeat if another process replaced the file while this one waited
    let_go();
    open_and_lock(until);
  } while (!is_at(path_, file_));
}

void LineFile::open_and_lock(std::chrono::steady_clock::time_point until) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0 && errno == EACCES) file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
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

void LineFile::require_named() const {
  if (is_at(path_, file_)) return;
  require<DataError>(is_there(path_.has_parent_path() ? path_.parent_path() : "."),
                     "{} was removed while this command wrote to it, and all its files with it. Give the same command "
                     "again to do the runs again.",
                     path_.parent_path().string());
  keep_aside(content_of(file_).substr(0, size_), "removed or replaced", "All its lines are");
}

void LineFile::require_size(std::string_view new_line) const {
  struct stat found {};
  if (::fstat(file_, &found) != 0) refuse(path_, errno);
  if (static_cast<std::uintmax_t>(found.st_size) == size_) return;
  keep_aside(new_line, "changed by another program", "The line that it lacks is");
}

void LineFile::keep_aside(std::string_view lines, const char* what_happened, const char* what_is_kept) const {
  std::filesystem::path aside = path_;
  aside += fmt::format(".aside-{}", ::getpid());
  write_whole_file(aside, lines);
  throw DataError(
      fmt::format("{} was {} while this command wrote to it. {} kept in {}. Put the right lines into {}, "
                  "and give the same command again.",
                  path_.string(), what_happened, what_is_kept, aside.string(), path_.filename().string()));
}

void LineFile::append(std::string_view line) {
  std::string text(line);
  text += '\n';
  require_size(text);
  int code = write_all(file_, text);
  if (code == 0 && ::fsync(file_) != 0) code = errno;
  if (code != 0) {
    // Cut back to whole lines; if even that fails, readers ignore the torn one.
    if (::ftruncate(file_, static_cast<off_t>(size_)) == 0) ::lseek(file_, 0, SEEK_END);
    refuse(path_, code);
  }
  size_ += text.size();
  require_named();  // or the line went to a file that nobody finds
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
