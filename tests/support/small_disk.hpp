// A file system of 64 kB (or more) mounted on a scratch folder, to see what happens when a disk is full.
// Needs the right to mount (root outside of a locked container); `mounted()` says whether it was had.
// Taken off again at the end of the scope.
#pragma once

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/scratch_folder.hpp"

namespace alidade::testing {

class SmallDisk {
 public:
  enum class Access { read_write, read_only };
  explicit SmallDisk(int kilobytes = 64, Access access = Access::read_write) {
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    const unsigned long flags = access == Access::read_only ? MS_RDONLY : 0;
    if (::mount("tmpfs", path().c_str(), "tmpfs", flags, size.c_str()) == 0)
      mounted_ = true;
    else
      why_not_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const std::filesystem::path& path() const { return scratch_.path(); }
  /// Fills the disk up to its last `spared` bytes with a file called "filler".
  void fill(std::uintmax_t spared = 0) const {
    std::ofstream filler(path() / "filler", std::ios::binary);
    const std::uintmax_t free = std::filesystem::space(path()).available;
    filler << std::string(static_cast<std::size_t>(free > spared ? free - spared : 0), 'x');
  }

 private:
  ScratchFolder scratch_;
  bool mounted_ = false;
  std::string why_not_;
};

}  // namespace alidade::testing
