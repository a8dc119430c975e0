#include "experiments/files/durable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "problems/core/error.hpp"
#include "problems/core/regular_file.hpp"

namespace alidade {
namespace {

/// What a file is called until it is whole.
std::filesystem::path part_of(std::filesystem::path path) { return path += ".part"; }

/// Whether the open file is the one of that name. The name is opened, not asked for: NFS answers `stat` by what this
/// machine knew some seconds ago, `open` by what the server has. Where no more files can be opened, `stat` must do.
/// A disk that does not answer has not replaced the file: what is asked of it next says what is wrong.
bool is_at(const std::filesystem::path& path, int file) {
  struct stat named {
  }, open{};
  if (::fstat(file, &open) != 0) return true;
  const int again = open_regular_file(path, O_RDONLY);
  if (again < 0 && errno == EACCES) return true;  // may be written and not read; then nobody replaces it
  if (again < 0 && says_not_regular(errno)) return false;
  const int code = (again < 0 ? ::lstat(path.c_str(), &named) : ::fstat(again, &named)) == 0 ? 0 : errno;
  if (again >= 0) ::close(again);
  if (code != 0) return code != ENOENT && code != ENOTDIR;
  return named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

/// Reads on to the end of a file, or until `out` has `limit` bytes; 0 or the errno of the failure.
int read_all(int file, std::string& out, std::size_t limit) {
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), std::min(buffer.size(), limit - out.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// How many bytes of an open file can be read, from its beginning, and whether they begin with `expected`, up to the
/// shorter of both. A part at a time: rows may be many.
struct Compared {
  std::size_t size = 0;
  bool same = true;
};
Compared compared(int file, std::string_view expected) {
  Compared out;
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(out.size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    const auto size = static_cast<std::size_t>(got);
    const std::string_view due = expected.substr(std::min(out.size, expected.size()), size);
    out.same = out.same && due == std::string_view(buffer.data(), due.size());
    out.size += size;
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
    case ENOTDIR: return "Its folder is not there. Create it, or choose another one, and give the same command again.";
    case EACCES:
    case EPERM:
    case EROFS: return "Check that you may write there, or choose another folder.";
    case ENAMETOOLONG:
    case EISDIR: return "Choose another name.";
    case ELOOP:
    case ENXIO: return "Alidade writes to regular files only: remove it, or choose another folder.";
    case ENOMEM:
      return "The memory is used up. Free some, or raise the limit (ulimit -v), and give the same command again.";
    default: return "Choose another folder or make room.";
  }
}

/// Of an open file of this process, such as /dev/stdout, or of a device.
bool is_of_system(const std::filesystem::path& path) {
  return path.native().starts_with("/dev/") || path.native().starts_with("/proc/");
}

/// Where the links of a path lead, whether or not a file is there.
std::filesystem::path end_of_links(std::filesystem::path path) {
  std::error_code code;
  constexpr int kMost = 40;
  for (int links = 0; links < kMost && !is_of_system(path) && std::filesystem::is_symlink(path, code); ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, code);
    if (code) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

/// Whether a file, which is no link, is written to where it is, and not replaced by another one.
bool is_written_through(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return !S_ISREG(status.st_mode) || is_of_system(path);
}

}  // namespace

std::optional<std::string> file_content(const std::filesystem::path& path, std::size_t limit) {
  const int file = open_regular_file(path, O_RDONLY);
  if (file < 0) return std::nullopt;
  std::string out;
  const int code = read_all(file, out, limit);
  ::close(file);
  errno = code;
  return code == 0 ? std::optional(std::move(out)) : std::nullopt;
}

bool sync_file(const std::filesystem::path& path) {
  const int file = open_regular_file(path, O_RDONLY);
  if (file < 0) return false;
  const bool kept = ::fsync(file) == 0;
  ::close(file);
  return kept;
}

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno == 0 ? EIO : errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void refuse_writing(const std::filesystem::path& path, int code) {
  throw DataError(fmt::format("Cannot write {}: {}. {}", path.string(), why_not_opened(code), what_to_do(code)));
}

void move_whole_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (!sync_file(from) || ::rename(from.c_str(), to.c_str()) != 0) refuse_writing(to, errno);
  sync_folder(to.parent_path());
}

std::optional<std::string> content_if_there(const std::filesystem::path& path) {
  if (!is_there_or_link(path)) return std::nullopt;
  std::optional<std::string> out = file_content(path);
  if (!out) refuse_unread(path, "The file", errno);
  return out;
}

void write_whole_file(const std::filesystem::path& path, std::string_view content) {
  FileBatch file;
  file.write(path, content);
  file.commit();
}

void require_writable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) refuse_writing(path, EISDIR);
  const std::filesystem::path end = end_of_links(path);
  if (is_written_through(end)) {
    if (::access(end.c_str(), W_OK) != 0) refuse_writing(path, errno);
    return;
  }
  FileBatch file;  // without a commit nothing stays
  file.write(end, "");
}

void write_output(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path end = end_of_links(path);
  if (!is_written_through(end)) return write_whole_file(end, content);
  const int file = ::open(end.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  if (file < 0) refuse_writing(path, errno);
  int code = write_all(file, content);
  if (::close(file) != 0 && code == 0) code = errno;
  if (code != 0) refuse_writing(path, code);
}

void copy_whole_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int in = open_regular_file(from, O_RDONLY);
  require<DataError>(in >= 0, "{}: The file cannot be read: {}.", from.string(), why_not_opened(errno));
  const std::filesystem::path part = part_of(to);
  const int out = create_new_file(part);
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
    refuse_writing(to, code);
  }
}

DiskSync::DiskSync(const std::filesystem::path& folder)
    : folder_(folder), file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) refuse_writing(folder, errno);
  ::syncfs(file_);  // an error that nobody has seen is reported once, to the first caller
}

DiskSync::~DiskSync() { ::close(file_); }

void DiskSync::sync() {
  if (::syncfs(file_) != 0) refuse_writing(folder_, errno);
}

FileBatch::FileBatch(std::stop_token stop) : stop_(std::move(stop)) {}

FileBatch::~FileBatch() {
  for (const std::filesystem::path& path : files_) ::unlink(part_of(path).c_str());
}

void FileBatch::require_going_on() const { require<DataError>(!stop_.stop_requested(), "Interrupted."); }

void FileBatch::write(const std::filesystem::path& path, std::string_view content) {
  require_going_on();
  constexpr std::size_t kAlone = 16;  // so many syncs take less than those of all that others write to the disk
  const bool alone = files_.size() < kAlone;
  if (!alone) {
    std::unique_ptr<DiskSync>& disk = disks_[path.parent_path()];
    if (!disk) disk = std::make_unique<DiskSync>(path.has_parent_path() ? path.parent_path() : ".");
  }
  const int file = create_new_file(part_of(path));
  if (file < 0) refuse_writing(path, errno);
  files_.push_back(path);
  int code = write_all(file, content);
  if (code == 0 && alone && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  if (code != 0) refuse_writing(path, code);
}

void FileBatch::commit() {
  for (const auto& [folder, disk] : disks_) disk->sync();
  std::set<std::filesystem::path> folders;
  for (const std::filesystem::path& path : files_) {
    require_going_on();
    if (::rename(part_of(path).c_str(), path.c_str()) != 0) refuse_writing(path, errno);
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
  file_ = open_regular_file(path_, O_RDWR | O_CREAT);
  if (file_ < 0 && errno == EACCES) file_ = open_regular_file(path_, O_WRONLY | O_CREAT);
  if (file_ < 0) refuse_writing(path_, errno);
  while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    if (code == EWOULDBLOCK && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      continue;
    }
    let_go();
    if (code != EWOULDBLOCK) refuse_writing(path_, code);
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
  if (::ftruncate(file_, static_cast<off_t>(sound_bytes)) != 0 || ::lseek(file_, 0, SEEK_SET) < 0)
    refuse_writing(path_, errno);
  lines_.clear();
  static_cast<void>(read_all(file_, lines_, std::numeric_limits<std::size_t>::max()));
  if (lines_.size() != sound_bytes) refuse_writing(path_, EIO);
  if (needs_newline) append("");
  sync_folder(path_.parent_path());
}

void LineFile::require_named() const {
  if (is_at(path_, file_)) return;
  struct stat status {};
  if (::fstat(file_, &status) == 0 && status.st_nlink > 0 && path_.has_parent_path() &&
      !is_there(path_.parent_path())) {
    std::error_code unknown;  // where there is no /proc
    const std::filesystem::path now = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file_), unknown);
    throw DataError(fmt::format(
        "{} was moved{} while this command wrote to it. What was done until then is there. To do the other runs, give "
        "the same command again with that folder as --out.",
        path_.parent_path().string(), unknown ? "" : " to " + now.parent_path().string()));
  }
  require<DataError>(is_there(path_.has_parent_path() ? path_.parent_path() : "."),
                     "{} was removed while this command wrote to it, and all its files with it. Give the same command "
                     "again to do the runs again.",
                     path_.parent_path().string());
  keep_aside(lines_, "removed or replaced", "All its lines are");
}

void LineFile::require_size(std::string_view new_line) const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) refuse_writing(path_, errno);
  if (static_cast<std::uintmax_t>(status.st_size) == lines_.size()) return;
  if (const Compared now = compared(file_, lines_); now.same && now.size >= lines_.size())
    keep_aside(new_line, "changed by another program", "The line that it lacks is");
  keep_aside(lines_ + std::string(new_line), "changed by another program", "All its lines are");
}

void LineFile::require_unchanged() const {
  require_named();
  const Compared now = compared(file_, lines_);
  struct stat status {};
  const bool read = ::fstat(file_, &status) == 0 && static_cast<std::uintmax_t>(status.st_size) == now.size;
  if (read && (!now.same || now.size != lines_.size()))
    keep_aside(lines_, "changed by another program", "All its lines are");
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
    if (::ftruncate(file_, static_cast<off_t>(lines_.size())) == 0) ::lseek(file_, 0, SEEK_END);
    refuse_writing(path_, code);
  }
  lines_ += text;
  require_named();  // or the line went to a file that nobody finds
}

void LineFile::replace(std::string_view content) {
  const std::filesystem::path part = part_of(path_);
  const int file = create_new_file(part);
  if (file < 0) refuse_writing(path_, errno);
  // Locked before it gets its name, so that no other process can lock it first.
  int code = ::flock(file, LOCK_EX | LOCK_NB) != 0 ? errno : write_all(file, content);
  if (code == 0 && ::fsync(file) != 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), path_.c_str()) != 0) code = errno;
  if (code != 0) {
    ::close(file);
    ::unlink(part.c_str());
    refuse_writing(path_, code);
  }
  let_go();
  file_ = file;
  lines_ = content;
  sync_folder(path_.parent_path());
}

void LineFile::remove_if_empty() {
  struct stat status {};
  if (::fstat(file_, &status) == 0 && status.st_size == 0) ::unlink(path_.c_str());
}

}  // namespace alidade
