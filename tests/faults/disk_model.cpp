#include "tests/faults/disk_model.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#endif

#include <algorithm>

#include "tests/faults/fault_kinds.hpp"

namespace alidade::testing {

namespace fs = std::filesystem;

DiskModel::DiskModel(const fs::path& folder) : folder_(folder), root_(read(folder)) {}

DiskModel::NodePtr DiskModel::read(const fs::path& path) {
  auto out = std::make_shared<Node>();
  out->is_folder = fs::is_directory(path);
  if (out->is_folder) {
    for (const auto& entry : fs::directory_iterator(path)) out->names[entry.path().filename()] = read(entry.path());
  } else {
    out->bytes = content_of(path);
  }
  out->synced_bytes = out->bytes;
  out->synced_names = out->names;
  return out;
}

DiskModel::NodePtr DiskModel::find(const std::string& path) const {
  if (!is_below(path, folder_)) return nullptr;
  NodePtr at = root_;
  for (const fs::path& name : fs::path(path).lexically_relative(folder_)) {
    if (name == ".") continue;
    const auto entry = at->names.find(name.string());
    if (entry == at->names.end()) return nullptr;
    at = entry->second;
  }
  return at;
}

DiskModel::NodePtr DiskModel::folder_of(const std::string& path) const { return find(fs::path(path).parent_path()); }

void DiskModel::sync_all(Node& node) {
  node.synced_bytes = node.bytes;
  node.synced_names = node.names;
  for (const auto& [name, below] : node.names) sync_all(*below);
}

std::vector<long> DiskModel::calls() {
#if defined(__linux__) && defined(__x86_64__)
  return {SYS_open,      SYS_openat,   SYS_creat,     SYS_write,  SYS_pwrite64, SYS_writev,
          SYS_ftruncate, SYS_fsync,    SYS_fdatasync, SYS_syncfs, SYS_mkdir,    SYS_mkdirat,
          SYS_unlink,    SYS_unlinkat, SYS_rmdir,     SYS_rename, SYS_renameat, SYS_renameat2};
#else
  return {};
#endif
}

bool DiskModel::note(const SystemCall& call, std::int64_t result) {
#if defined(__linux__) && defined(__x86_64__)
  if (result < 0 || !is_below(call.path, folder_)) return false;
  const std::string name = fs::path(call.path).filename();
  const NodePtr node = find(call.path);
  switch (call.number) {
    case SYS_open:
    case SYS_openat:
    case SYS_creat: {
      const std::uint64_t flags =
          call.number == SYS_creat ? O_CREAT | O_TRUNC : call.arguments[call.number == SYS_openat ? 2 : 1];
      const bool is_new = !node && (flags & O_CREAT) != 0, emptied = node && (flags & O_TRUNC) != 0;
      if (const NodePtr in = folder_of(call.path); is_new && in) in->names[name] = std::make_shared<Node>();
      if (emptied) node->bytes.clear();
      return is_new || emptied;
    }
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_ftruncate:
      if (node) node->bytes = content_of(call.path);
      return node != nullptr;
    case SYS_fsync:
    case SYS_fdatasync:
      if (!node) return false;
      node->synced_bytes = node->bytes;
      node->synced_names = node->names;
      return true;
    case SYS_syncfs: sync_all(*root_); return true;
    case SYS_mkdir:
    case SYS_mkdirat:
      if (const NodePtr in = folder_of(call.path)) {
        in->names[name] = std::make_shared<Node>();
        in->names[name]->is_folder = true;
      }
      return true;
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rmdir:
      if (const NodePtr in = folder_of(call.path)) in->names.erase(name);
      return true;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2: {
      const NodePtr from = folder_of(call.path), to = folder_of(call.new_path);
      if (!node || !from || !to) return false;
      from->names.erase(name);
      to->names[fs::path(call.new_path).filename()] = node;
      return true;
    }
    default: return false;
  }
#else
  static_cast<void>(call);
  static_cast<void>(result);
  return false;
#endif
}

void DiskModel::collect(const Node& node, Left what, const std::string& prefix, State& out) {
  const bool new_names = what == Left::names || what == Left::names_and_half;
  for (const auto& [name, below] : new_names ? node.names : node.synced_names) {
    const std::string path = prefix + name;
    if (below->is_folder) {
      out[path + "/"] = "";
      collect(*below, what, path + "/", out);
    } else if (what == Left::bytes) {
      out[path] = below->bytes;
    } else if (what == Left::names_and_half && below->bytes.size() > below->synced_bytes.size()) {
      out[path] = below->bytes.substr(0, (below->bytes.size() + below->synced_bytes.size() + 1) / 2);
    } else {
      out[path] = below->synced_bytes;
    }
  }
}

DiskModel::State DiskModel::left(Left what) const {
  State out;
  collect(*root_, what, "", out);
  return out;
}

void DiskModel::write(const State& state, const fs::path& folder) {
  for (const auto& [path, bytes] : state) {
    if (path.ends_with('/')) {
      fs::create_directories(folder / path);
    } else {
      fs::create_directories((folder / path).parent_path());
      write_text(folder / path, bytes);
    }
  }
}

}  // namespace alidade::testing
