#include "experiments/files/gzip_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "experiments/files/folder.hpp"
#include "experiments/files/reading_limit.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

class OpenFile {
 public:
  // Without blocking: whoever opens a pipe that nobody writes to would wait for ever.
  explicit OpenFile(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] bool is_open() const { return file_ >= 0; }

  /// Waits until a pipe has bytes or an end; files always have. @throws DataError at the end of ReadingLimit
  void wait(const std::string& name) const {
    constexpr int kLookEvery = 100;  // milliseconds
    struct pollfd here {
      file_, POLLIN, 0
    };
    while (::poll(&here, 1, kLookEvery) <= 0)
      require<DataError>(ReadingLimit::seconds_left() > 0,
                         "'{}' was not read within the time limit: it is a pipe, and whoever writes to it did not "
                         "finish. Start the program that writes, or give more time with --timeout.",
                         name);
  }
  /// As read(2), all of `room` unless the file ends before.
  [[nodiscard]] ssize_t read(char* to, std::size_t room, const std::string& name) const {
    std::size_t filled = 0;
    while (filled < room) {
      wait(name);
      const ssize_t got = ::read(file_, to + filled, room - filled);
      if (got == 0) break;
      if (got > 0) filled += static_cast<std::size_t>(got);
      if (got < 0 && errno != EINTR && errno != EAGAIN) return -1;
    }
    return static_cast<ssize_t>(filled);
  }

 private:
  int file_;
};

struct Inflater {
  z_stream stream{};
  // 32: accept a wrapper of gzip or of zlib.
  Inflater() { usable = inflateInit2(&stream, 32 + MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (usable) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  bool usable = false;
};

// The highest ratio of deflate. With it, a false length in a file's last four bytes cannot make us allocate more memory
// than the packed bytes could fill.
constexpr std::size_t kLargestRatio = 1032;

std::size_t expected_size(std::string_view bytes) {
  if (bytes.size() < 18 || !is_gzip(bytes)) return 4 * bytes.size() + 64;
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[bytes.size() - 4 + i])) << (8 * i);
  return std::min(length, bytes.size() * kLargestRatio) + 1;
}

constexpr std::string_view kCheck = " Check its name and that you may read it.";

/// What to do about a file that is not there: another has its name but for capitals.
std::string other_case_of(const std::filesystem::path& path) {
  const std::string wanted = lower_ascii(path.filename().string());
  for (const std::filesystem::path& one : paths_in(path.parent_path()))
    if (lower_ascii(one.filename().string()) == wanted)
      return fmt::format(" Did you mean '{}'?", (path.parent_path() / one.filename()).string());
  return std::string(kCheck);
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string read_bytes(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code ignored;
  require<DataError>(!std::filesystem::is_directory(path, ignored), "'{}' is a folder. Name a file in it.", name);
  require<DataError>(
      !std::filesystem::is_character_file(path, ignored) && !std::filesystem::is_block_file(path, ignored),
      "'{}' is a device, which may have no end. Name a file.", name);  // pipes are welcome
  const OpenFile file(path);
  if (!file.is_open()) {
    const int reason = errno;
    throw DataError(fmt::format("'{}' cannot be read ({}).{}", name, std::generic_category().message(reason),
                                reason == ENOENT ? other_case_of(path) : std::string(kCheck)));
  }
  std::string bytes;
  const auto size = std::filesystem::file_size(path, ignored);
  if (!ignored) require_readable_size(size, name, "has");
  // One byte more than the size, so that the first read sees the end; pipes have no size.
  std::size_t room = ignored ? 65536 : static_cast<std::size_t>(size) + 1;
  std::size_t filled = 0;
  for (;;) {
    bytes.resize(filled + room);
    const ssize_t got = file.read(bytes.data() + filled, room, name);
    require<DataError>(got >= 0, "Reading '{}' failed after {} bytes. Check its disk.", name, filled);
    filled += static_cast<std::size_t>(got);
    require_readable_size(filled, name, "has");
    if (static_cast<std::size_t>(got) < room) break;
    room = filled;
  }
  bytes.resize(filled);
  return bytes;
}

namespace {

/// Unpacks packed bytes, one stream after the other.
struct Unpacker {
  std::string_view bytes, name;
  std::string text{};
  std::size_t filled = 0, at = 0;

  /// The stream at `at`, which moves behind it. Returns what is wrong with it; "" if it is sound.
  std::string next_stream() {
    // One byte beyond the limit tells that it is exceeded.
    const std::size_t most_room = ReadingLimit::bytes_unpacked(bytes.size()) + 1;
    Inflater inflater;
    z_stream& stream = inflater.stream;
    for (int code = inflater.usable ? Z_OK : Z_MEM_ERROR; code != Z_STREAM_END;) {
      if (stream.avail_in == 0) {
        const std::size_t part = std::min<std::size_t>(bytes.size() - at, std::numeric_limits<uInt>::max());
        // zlib reads through this pointer and never writes.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
        stream.avail_in = static_cast<uInt>(part);
        at += part;
      }
      if (filled == text.size())
        text.resize(std::min(text.empty() ? expected_size(bytes) : 2 * text.size(), most_room));
      const std::size_t space = std::min<std::size_t>(text.size() - filled, std::numeric_limits<uInt>::max());
      stream.next_out = reinterpret_cast<Bytef*>(text.data() + filled);
      stream.avail_out = static_cast<uInt>(space);
      if (code != Z_MEM_ERROR) code = inflate(&stream, Z_NO_FLUSH);
      filled += space - stream.avail_out;
      require_unpacked_size(filled, bytes.size(), name);
      if (code == Z_STREAM_END) break;
      require<DataError>(code != Z_MEM_ERROR, "'{}' cannot be unpacked: there is no memory left. Close other programs.",
                         name);
      const bool starved = stream.avail_in == 0 && at == bytes.size() && stream.avail_out != 0;
      if (starved && (code == Z_OK || code == Z_BUF_ERROR)) return "is cut short";
      if (code != Z_OK && code != Z_BUF_ERROR)
        return fmt::format("is damaged ({})", stream.msg ? stream.msg : "unreadable");
    }
    at -= stream.avail_in;
    return "";
  }
  std::string all() {
    text.resize(filled);
    return std::move(text);
  }
};

}  // namespace

std::string unpack_gzip(std::string_view bytes, std::string_view name) {
  Unpacker out{bytes, name};
  while (out.at < bytes.size()) {
    // Some tapes and tools pad the last block with zeros.
    const bool member = is_gzip(bytes.substr(out.at));
    if (!member && bytes.find_first_not_of('\0', out.at) == std::string_view::npos) break;
    const std::string why = member ? out.next_stream() : "is followed by other bytes";
    require<DataError>(why.empty(), "'{}' is a gzip file that {}. Download or copy it again.", name, why);
  }
  return out.all();
}

std::optional<std::string> unpack_zlib(std::string_view bytes, std::string_view name) {
  Unpacker out{bytes, name};
  return out.next_stream().empty() ? std::optional(out.all()) : std::nullopt;
}

std::string read_text(const std::filesystem::path& path) {
  std::string text = read_bytes(path);
  if (is_gzip(text)) text = unpack_gzip(text, path.string());
  require<DataError>(!text.empty(), "'{}' is empty. Give a file with data.", path.string());
  return text;
}

}  // namespace alidade
