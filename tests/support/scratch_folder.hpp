// A folder of one test's own, under the temporary folder, removed with its content at the end of the scope.
// The name is unique to process and object, so tests may run beside each other.
// What should be kept for a look belongs in the failure message, not here.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace alidade::testing {

class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("alidade_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace alidade::testing
