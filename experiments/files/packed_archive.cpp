#include "experiments/files/packed_archive.hpp"

#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"

#ifdef ALIDADE_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#endif

namespace alidade {

#ifndef ALIDADE_HAS_ARCHIVE

bool can_unpack() { return false; }

std::vector<std::string> read_members(const std::filesystem::path&, const std::string& name,
                                      const std::vector<std::string>&, const ArchiveLimits&) {
  throw DataError(
      fmt::format("This alidade was built without libarchive and cannot unpack '{}'. Install "
                  "libarchive-dev and build it again, or unpack the file by hand.",
                  name));
}

std::vector<std::string> member_names(const std::filesystem::path& path, const std::string& name,
                                      const ArchiveLimits& limits) {
  return read_members(path, name, {}, limits);
}

#else

namespace {

bool leaves_its_folder(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != name.npos) return true;
  while (!name.empty()) {
    const auto end = std::min(name.find('/'), name.size());
    if (name.substr(0, end) == "..") return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const std::string& name, const ArchiveLimits& limits)
      : name_(name), limits_(limits), archive_(archive_read_new(), archive_read_free) {
    require<DataError>(archive_ != nullptr, "'{}' cannot be unpacked: there is no memory left. Close other programs.",
                       name_);
    archive_read_support_format_zip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_filter_gzip(archive_.get());
    if (archive_read_open_filename(archive_.get(), path.c_str(), 65536) != ARCHIVE_OK) damaged();
  }

  /// The next entry's name; nullptr after the last.
  const char* next() {
    const int code = archive_read_next_header(archive_.get(), &entry_);
    if (code == ARCHIVE_EOF) return nullptr;
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) damaged();
    require<DataError>(++entries_ <= limits_.entries, "'{}' has more than {} entries, the limit. It is not unpacked.",
                       name_, limits_.entries);
    const char* name = archive_entry_pathname(entry_);
    require<DataError>(name != nullptr && !leaves_its_folder(name),
                       "'{}' has an entry '{}' outside its folder. It is not unpacked.", name_,
                       name == nullptr ? "" : name);
    // Skipped entries must also be unpacked if the archive is packed as a whole.
    if (archive_entry_size_is_set(entry_)) count(declared());
    return name;
  }

  /// The content of the current entry.
  std::string content(std::string_view member) {
    require<DataError>(archive_entry_filetype(entry_) == AE_IFREG && archive_entry_hardlink(entry_) == nullptr &&
                           archive_entry_symlink(entry_) == nullptr,
                       "'{}' has a link or a folder for '{}', not a file. It is not unpacked.", name_, member);
    std::string out;
    std::array<char, 65536> buffer;
    for (;;) {
      const la_ssize_t got = archive_read_data(archive_.get(), buffer.data(), buffer.size());
      if (got == 0) break;
      if (got < 0) damaged();
      out.append(buffer.data(), static_cast<std::size_t>(got));
      require<DataError>(out.size() <= limits_.file_bytes,
                         "'{}' holds '{}' with more than {} bytes, the limit. It is not unpacked.", name_, member,
                         limits_.file_bytes);
      if (!archive_entry_size_is_set(entry_)) count(static_cast<std::uintmax_t>(got));
    }
    return out;
  }

  /// Reads an entry without a declared size, so that its bytes are counted.
  void pass_over(std::string_view member) {
    if (!archive_entry_size_is_set(entry_) && archive_entry_filetype(entry_) == AE_IFREG)
      static_cast<void>(content(member));
  }

 private:
  [[nodiscard]] std::uintmax_t declared() const {
    return static_cast<std::uintmax_t>(std::max<la_int64_t>(0, archive_entry_size(entry_)));
  }
  void count(std::uintmax_t bytes) {
    bytes_ += std::min(bytes, limits_.all_bytes + 1);
    require<DataError>(bytes_ <= limits_.all_bytes,
                       "'{}' would unpack to more than {} bytes, the limit. It is not unpacked.", name_,
                       limits_.all_bytes);
  }
  [[noreturn]] void damaged() {
    const char* why = archive_error_string(archive_.get());
    throw DataError(fmt::format("'{}' is not a zip or tar archive, or is damaged ({}). Download it again.", name_,
                                why == nullptr ? "unreadable" : why));
  }

  const std::string& name_;
  const ArchiveLimits& limits_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  archive_entry* entry_ = nullptr;
  std::uintmax_t bytes_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

bool can_unpack() { return true; }

std::vector<std::string> read_members(const std::filesystem::path& path, const std::string& name,
                                      const std::vector<std::string>& members, const ArchiveLimits& limits) {
  Reader reader(path, name, limits);
  std::vector<std::string> out(members.size());
  std::vector<bool> extracted(members.size(), false);
  while (contains(extracted, false)) {
    const char* next = reader.next();
    if (next == nullptr) break;
    std::string_view entry = next;
    if (entry.starts_with("./")) entry.remove_prefix(2);
    const auto at = static_cast<std::size_t>(std::ranges::find(members, entry) - members.begin());
    if (at < members.size() && !extracted[at]) {
      out[at] = reader.content(entry);
      extracted[at] = true;
    } else {
      reader.pass_over(entry);
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    require<DataError>(extracted[i], "'{}' has no file '{}'. Download it again.", name, members[i]);
  return out;
}

std::vector<std::string> member_names(const std::filesystem::path& path, const std::string& name,
                                      const ArchiveLimits& limits) {
  Reader reader(path, name, limits);
  std::vector<std::string> out;
  while (const char* next = reader.next()) {
    out.emplace_back(next);
    reader.pass_over(out.back());
  }
  return out;
}

#endif

}  // namespace alidade
