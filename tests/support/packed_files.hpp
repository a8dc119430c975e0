// Archives for tests, byte by byte, so that they can also be what no packer writes: names that leave the folder,
// links, false sizes. Zip without compression, POSIX tar, gzip.
// Names of tar entries have at most 99 bytes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::testing {

struct PackedFile {
  std::string name, content;
  char tar_type = '0';  // '1': hard link, '2': symbolic link
  std::string tar_link{};
};

[[nodiscard]] inline std::string tar_of(const std::vector<PackedFile>& files) {
  std::string out;
  for (const PackedFile& file : files) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view text) { header.replace(at, text.size(), text); };
    char size[13];
    std::snprintf(size, sizeof size, "%011zo", file.content.size());
    put(0, file.name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, size);
    put(136, "00000000000");
    put(148, "        ");
    header[156] = file.tar_type;
    put(157, file.tar_link);
    put(257, "ustar");
    put(263, "00");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    put(148, std::string_view(text, 7));
    out += header + file.content;
    out.resize((out.size() + 511) / 512 * 512, '\0');
  }
  return out + std::string(1024, '\0');
}

[[nodiscard]] inline std::string zip_of(const std::vector<PackedFile>& files) {
  const auto number = [](std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 255U);
  };
  std::string out, directory;
  for (const PackedFile& file : files) {
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(file.content.data()), static_cast<uInt>(file.content.size()));
    const auto what = [&](std::string& to) {
      number(to, 20, 2), number(to, 0, 2), number(to, 0, 2), number(to, 0, 4);
      number(to, crc, 4), number(to, file.content.size(), 4), number(to, file.content.size(), 4);
      number(to, file.name.size(), 2), number(to, 0, 2);
    };
    const std::size_t at = out.size();
    out += "PK\x03\x04";
    what(out);
    out += file.name + file.content;
    directory += "PK\x01\x02";
    number(directory, 20, 2);
    what(directory);
    number(directory, 0, 2), number(directory, 0, 2), number(directory, 0, 2), number(directory, 0, 4);
    number(directory, at, 4);
    directory += file.name;
  }
  const std::size_t begin = out.size();
  out += directory + "PK\x05\x06";
  number(out, 0, 4), number(out, files.size(), 2), number(out, files.size(), 2);
  number(out, directory.size(), 4), number(out, begin, 4), number(out, 0, 2);
  return out;
}

[[nodiscard]] inline std::string gzip_of(std::string_view bytes, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace alidade::testing
