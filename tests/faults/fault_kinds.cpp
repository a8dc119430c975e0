#include "tests/faults/fault_kinds.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

#include <algorithm>
#include <cerrno>

namespace alidade::testing {

bool is_below(const std::string& path, const std::filesystem::path& folder) {
  const std::string& prefix = folder.native();
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

bool befalls(const FaultKind& kind, const SystemCall& call, const std::filesystem::path& folder) {
  if (std::ranges::find(kind.calls, call.number) == kind.calls.end()) return false;
  if (kind.where == FaultKind::Where::working_folder && !is_below(call.path, folder)) return false;
  return !kind.only || kind.only(call);
}

#if defined(__linux__) && defined(__x86_64__)

namespace {

Fate refused(int error) { return {Fate::Kind::refused, error}; }

bool is_pipe(const std::string& path) { return path.starts_with("pipe:") || path.starts_with("socket:"); }

bool makes_file(const SystemCall& call) {
  return call.number == SYS_creat || (call.arguments[call.number == SYS_openat ? 2 : 1] & O_CREAT) != 0;
}

bool takes_room(const SystemCall& call) {
  const bool opens = call.number == SYS_open || call.number == SYS_openat || call.number == SYS_creat;
  return !opens || makes_file(call);
}

bool takes_memory(const SystemCall& call) {
  return call.number != SYS_mmap || (call.arguments[3] & MAP_ANONYMOUS) != 0;
}

bool waits(const SystemCall& call) { return (call.arguments[2] & WNOHANG) == 0; }

bool locks(const SystemCall& call) {
  return call.number == SYS_flock || call.arguments[1] == F_SETLK || call.arguments[1] == F_SETLKW;
}

std::vector<long> all_of(const std::vector<std::vector<long>>& lists) {
  std::vector<long> out;
  for (const std::vector<long>& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  constexpr auto kAnywhere = FaultKind::Where::anywhere;
  constexpr auto kHere = FaultKind::Where::working_folder;
  const std::vector<long> opens = {SYS_open, SYS_openat, SYS_creat}, reads = {SYS_read, SYS_pread64, SYS_readv},
                          writes = {SYS_write, SYS_pwrite64, SYS_writev},
                          polls = {SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6},
                          renames = {SYS_rename, SYS_renameat, SYS_renameat2}, folders = {SYS_mkdir, SYS_mkdirat},
                          memory = {SYS_mmap, SYS_brk, SYS_mremap},
                          looks = {SYS_stat, SYS_lstat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs},
                          syncs = {SYS_fsync, SYS_fdatasync, SYS_syncfs}, fills = all_of({opens, writes, folders});
  const Fate half{Fate::Kind::shortened};
  const auto one_buffer = [](const SystemCall& call) { return call.number != SYS_readv && call.number != SYS_writev; };
  const auto on_pipe = [](const SystemCall& call) { return is_pipe(call.path); };
  static const std::vector<FaultKind> kinds = {
      {"open: EACCES", opens, refused(EACCES)},
      {"open: EIO", opens, refused(EIO)},
      {"open: EMFILE", opens, refused(EMFILE), kAnywhere},
      {"open: ENFILE", opens, refused(ENFILE), kAnywhere},
      {"open: ENOSPC", opens, refused(ENOSPC), kHere, makes_file},
      {"look: EIO", looks, refused(EIO)},
      {"list: EIO", {SYS_getdents64}, refused(EIO)},
      {"read: EIO", reads, refused(EIO)},
      {"read: EINTR", reads, refused(EINTR), kAnywhere, on_pipe},
      {"read: half", reads, half, kHere, one_buffer},
      {"read: half of a pipe", reads, half, kAnywhere, on_pipe},
      {"write: EIO", writes, refused(EIO)},
      {"write: ENOSPC", writes, refused(ENOSPC)},
      {"write: half", writes, half, kHere, one_buffer},
      {"write: EINTR", writes, refused(EINTR), kAnywhere, on_pipe},
      {"write: half into a pipe", writes, half, kAnywhere, on_pipe},
      {"sync: EIO", syncs, refused(EIO)},
      {"close: EIO", {SYS_close}, {Fate::Kind::spoiled, EIO}},
      {"truncate: EIO", {SYS_ftruncate}, refused(EIO)},
      {"rename: EIO", renames, refused(EIO)},
      {"rename: ENOSPC", renames, refused(ENOSPC)},
      {"mkdir: EACCES", folders, refused(EACCES)},
      {"mkdir: ENOSPC", folders, refused(ENOSPC)},
      {"unlink: EACCES", {SYS_unlink, SYS_unlinkat, SYS_rmdir}, refused(EACCES)},
      {"lock: ENOLCK", {SYS_flock, SYS_fcntl}, refused(ENOLCK), kHere, locks},
      {"lock: EWOULDBLOCK", {SYS_flock, SYS_fcntl}, refused(EWOULDBLOCK), kHere, locks},
      {"memory: ENOMEM", memory, refused(ENOMEM), kAnywhere, takes_memory},
      {"memory: none left", memory, refused(ENOMEM), kAnywhere, takes_memory, true},
      {"process: EAGAIN", {SYS_fork, SYS_vfork, SYS_clone, SYS_clone3}, refused(EAGAIN), kAnywhere},
      {"pipe: EMFILE", {SYS_pipe, SYS_pipe2}, refused(EMFILE), kAnywhere},
      {"disk: full", fills, refused(ENOSPC), kHere, takes_room, true},
      {"disk: dead", all_of({opens, reads, writes, renames, folders, looks, syncs}), refused(EIO), kHere, {}, true},
      {"files: no more", opens, refused(EMFILE), kAnywhere, {}, true},
      {"poll: EINTR", polls, refused(EINTR), kAnywhere},
      {"wait: EINTR", {SYS_wait4}, refused(EINTR), kAnywhere, waits},
  };
  return kinds;
}

#else

std::span<const FaultKind> fault_kinds() { return {}; }

#endif

}  // namespace alidade::testing
