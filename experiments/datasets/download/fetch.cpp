#include "experiments/datasets/download/fetch.hpp"

#include <sentences/datasets.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPacked = ".gz";

bool is_address(std::string_view from) { return from.starts_with("http://") || from.starts_with("https://"); }

/// "" if the file has no unpacked form.
std::string unpacked_path(const DataFile& file) {
  if (file.unpacked_sha256.empty() || !file.path.ends_with(kPacked)) return "";
  return file.path.substr(0, file.path.size() - kPacked.size());
}

fs::path with_part(fs::path path) {
  path += ".part";
  return path;
}

void forget_download(const fs::path& part) {
  std::error_code ignored;
  fs::remove(part, ignored);
}

/// Path of a download until it is whole; of an archive beside the file, with the ending of its address.
fs::path part_of(const fs::path& target, const Download& source) {
  if (source.member.empty()) return with_part(target);
  std::string name(source.url.substr(source.url.rfind('/') + 1));
  std::ranges::replace_if(
      name, [](char c) { return c == '?' || c == '&' || c == '#' || c == '%' || c == '\\'; }, '_');
  return with_part(target.parent_path() / ("archive-" + name));
}

/// Bytes that the catalog's hash confirms, and their final path.
struct Recognized {
  std::string path;
  std::optional<std::string> unpacked;  // the content, if it is not the bytes as received
};

class Fetcher {
 public:
  Fetcher(const fs::path& folder, const FetchOptions& options) : folder_(folder), options_(options) {}

  FetchedFile fetch(const DataFile& file) {
    const bool copied = !options_.from.empty() && !is_address(options_.from);
    const std::vector<Download> sources = addresses(file);
    FetchedFile out{.file = file, .state = FetchState::failed, .message = ""};
    if (sources.empty()) {
      out.state = FetchState::by_hand;
      out.message = fmt::format("See {}: {}. If you know a mirror, name it with --from.", file.url, file.by_hand);
      return out;
    }
    make_folder((folder_ / file.path).parent_path());
    std::vector<std::string> reasons;  // one sentence each
    for (const Download& source : sources) {
      try {
        say(file, fmt::format("from {}", source.url));
        if (copied)
          copy_file(file);
        else if (!fetch_from(file, source)) {
          out.state = FetchState::stopped;
          out.message = "Stopped. Give the same command again to resume.";
          return out;
        }
        out.state = FetchState::fetched;
        return out;
      } catch (const DownloadError& error) {
        reasons.emplace_back(error.what());
        const fs::path part = part_of(folder_ / file.path, source);
        std::error_code ignored;
        if (fs::is_empty(part, ignored)) forget_download(part);
        if (!copied && &source != &sources.back()) say(file, error.what());
      }
      if (copied) break;  // it has tried both names
    }
    out.message = join(reasons, " ");
    if (!file.by_hand.empty() && options_.from.empty()) out.message += fmt::format(" By hand: {}.", file.by_hand);
    return out;
  }

  /// Removes helper files of a download: all of them if the entry is complete, else the archives no longer needed.
  void tidy(const DatasetEntry& entry, bool all_there) {
    for (const fs::path& part : whole_archives_) forget_download(part);
    if (!all_there) return;
    for (const DataFile& file : entry.files) {
      const fs::path target = folder_ / file.path;
      forget_download(with_part(target));
      if (const std::string twin = unpacked_path(file); !twin.empty()) forget_download(with_part(folder_ / twin));
      for (const Download& source : file.downloads) forget_download(part_of(target, source));
    }
  }

 private:
  void say(const DataFile& file, std::string_view what) const {
    if (options_.say) options_.say(fmt::format("{}: {}", file.path, what));
  }

  [[nodiscard]] std::vector<Download> addresses(const DataFile& file) const {
    if (options_.from.empty()) return file.downloads;
    std::string base = options_.from;
    while (base.ends_with('/')) base.pop_back();
    std::vector<Download> out = {{base + "/" + file.path, ""}};
    if (const std::string twin = unpacked_path(file); !twin.empty()) out.push_back({base + "/" + twin, ""});
    return out;
  }

  [[nodiscard]] std::optional<Recognized> recognize(const DataFile& file, std::string_view bytes) const {
    const std::string hash = sha256(bytes);
    if (hash == file.sha256) return Recognized{file.path, std::nullopt};
    const std::string twin = unpacked_path(file);
    if (twin.empty()) return std::nullopt;
    if (hash == file.unpacked_sha256) return Recognized{twin, std::nullopt};
    if (!is_gzip(bytes)) return std::nullopt;
    try {
      const ReadingLimit limit(options_.archive.file_bytes);
      std::string content = unpack_gzip(bytes, file.path);
      if (sha256(content) == file.unpacked_sha256) return Recognized{twin, std::move(content)};
    } catch (const DataError&) {  // damaged, or a decompression bomb: in either case not the file
    }
    return std::nullopt;
  }

  [[nodiscard]] DownloadHooks hooks(const DataFile& file) const {
    DownloadHooks out;
    if (options_.progress)
      out.progress = [this, &file](std::uintmax_t have, std::optional<std::uintmax_t> all) {
        options_.progress(file.path, have, all);
      };
    out.retrying = [this, &file](const std::string& line) { say(file, line); };
    out.pause = options_.pause;
    out.stop = options_.stop;
    return out;
  }

  [[nodiscard]] static std::string refusal(const DataFile& file, const std::string& where, std::string_view bytes) {
    return fmt::format(words::kOtherBytes, where, bytes.size(), sha256(bytes), file.sha256);
  }

  /// Gives what arrived its place; else says what is wrong with it.
  std::string store(const DataFile& file, const Download& source, const fs::path& part) {
    const bool packed = !source.member.empty();
    std::string bytes;
    try {
      bytes = packed ? read_members(part, source.url, {source.member}, options_.archive).front() : read_bytes(part);
    } catch (const DataError& error) {
      if (!packed || whole_archives_.contains(part)) throw;  // a fault of the disk, not of the archive
      return error.what();
    }
    const std::optional<Recognized> recognized = recognize(file, bytes);
    if (!recognized)
      return refusal(file, packed ? fmt::format("{} in {}", source.member, source.url) : source.url, bytes);
    const fs::path target = folder_ / recognized->path;
    if (packed) whole_archives_.insert(part);
    if (packed || recognized->unpacked)
      write_whole_file(target, recognized->unpacked ? *recognized->unpacked : bytes);
    else
      move_whole_file(part, target);
    if (!packed) forget_download(part);
    return "";
  }

  /// False if stopped. @throws DownloadError
  bool fetch_from(const DataFile& file, const Download& source) {
    const fs::path part = part_of(folder_ / file.path, source);
    for (bool again = false;; again = true) {
      const Downloaded got = whole_archives_.contains(part)
                                 ? Downloaded{.complete = true}
                                 : download(source.url, part, options_.download, hooks(file));
      if (!got.complete) return false;
      const std::string why = store(file, source, part);
      if (why.empty()) return true;
      forget_download(part);
      if (!got.pieced || again) throw DownloadError(why);
      say(file, "the parts do not fit together; downloading from the start");
    }
  }

  void copy_file(const DataFile& file) {
    fs::path source = fs::path(options_.from) / file.path;
    std::error_code ignored;
    if (const std::string twin = unpacked_path(file); !fs::exists(source, ignored) && !twin.empty())
      source = fs::path(options_.from) / twin;
    std::string bytes;
    try {
      bytes = read_bytes(source);
    } catch (const DataError& error) {
      throw DownloadError(error.what());
    }
    const std::optional<Recognized> recognized = recognize(file, bytes);
    if (!recognized) throw DownloadError(refusal(file, source.string(), bytes));
    write_whole_file(folder_ / recognized->path, recognized->unpacked ? *recognized->unpacked : bytes);
  }

  const fs::path& folder_;
  const FetchOptions& options_;
  std::set<fs::path> whole_archives_;
};

}  // namespace

std::string_view to_string(FetchState state) {
  constexpr std::array<std::string_view, 6> kWords = {"present", "fetched", "by hand", "differs", "failed", "stopped"};
  return kWords[static_cast<std::size_t>(state)];
}

std::vector<FetchedFile> fetch(const DatasetEntry& entry, const fs::path& folder, const FetchOptions& options) {
  if (!options.from.empty() && !is_address(options.from)) {
    const bool may_be_folder = options.from.find("://") == std::string::npos;
    require<ConfigError>(may_be_folder, words::kNeitherAddressNorFolder, options.from);
    std::error_code ignored;
    require<ConfigError>(fs::is_directory(options.from, ignored),
                         "There is no folder '{}'. Name an existing folder with --from.", options.from);
  }
  std::vector<FetchedFile> out;
  const auto there = [](const FileCheck& check) { return check.state == FileState::present; };
  if (std::ranges::all_of(verify(entry, folder), there)) {
    for (const DataFile& file : entry.files) out.push_back({.file = file, .state = FetchState::present, .message = ""});
    Fetcher(folder, options).tidy(entry, true);  // of a command that was killed just before its end
    return out;
  }
  make_folder(folder);
  const LineFile lock(folder / ".fetch.lock");
  Fetcher fetcher(folder, options);
  bool all_there = true;
  for (const FileCheck& check : verify(entry, folder)) {
    FetchedFile done{.file = check.file, .state = FetchState::present, .message = ""};
    if (check.state == FileState::differs) {
      done.state = FetchState::differs;
      done.message = fmt::format(words::kFileDiffers, check.path.string(), check.found_sha256);
    } else if (check.state == FileState::missing) {
      done = fetcher.fetch(check.file);
    }
    all_there = all_there && (done.state == FetchState::present || done.state == FetchState::fetched);
    out.push_back(std::move(done));
    if (out.back().state == FetchState::stopped) break;
  }
  fetcher.tidy(entry, all_there);
  return out;
}

}  // namespace alidade::datasets
