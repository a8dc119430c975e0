// A folder of one test's own, under the temporary folder, removed with its content at the end of the scope, and files
// in it: const ScratchFolder at{{"answers.csv", text}}; run_command("embed answers.csv", at); content_of(at / "x").
// The name is unique to process and object, so tests may run beside each other.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace alidade::testing {

[[nodiscard]] inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Makes the file's folder too.
inline void write_text(const std::filesystem::path& file, std::string_view text) {
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

class ScratchFolder {
 public:
  /// With files of these names and contents.
  ScratchFolder(std::initializer_list<std::pair<const char*, std::string_view>> files) : ScratchFolder() {
    for (const auto& [name, text] : files) write_text(path_ / name, text);
  }
  /// With what `fill` writes to it.
  explicit ScratchFolder(void (*fill)(const std::filesystem::path&)) : ScratchFolder() { fill(path_); }
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
  operator const std::filesystem::path&() const { return path_; }  // where a path is asked for
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace alidade::testing
