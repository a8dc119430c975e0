#include "experiments/datasets/readers/array_files.hpp"

#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/support/scratch_folder.hpp"

namespace alidade::fuzz {
namespace {

/// Takes two bytes of length, the lower first, and so many more.
std::string_view take_part(std::string_view& bytes) {
  if (bytes.size() < 2) return {};
  const std::size_t length = static_cast<unsigned char>(bytes[0]) | std::size_t{static_cast<unsigned char>(bytes[1])}
                                                                        << 8;
  const std::string_view out = bytes.substr(2, length);
  bytes.remove_prefix(2 + out.size());
  return out;
}

}  // namespace

/// The files of categories and of poses, each with its length before it, then that of pictures.
void norb(std::string_view bytes) {
  static const testing::ScratchFolder folder;
  const std::filesystem::path dat = folder / "toys-dat.mat";
  write_file(folder / "toys-cat.mat", take_part(bytes));
  write_file(folder / "toys-info.mat", take_part(bytes));
  write_file(dat, bytes);
  const datasets::NorbViews views = datasets::read_norb(dat, {});
  claim_that(views.pictures.rows() == std::ssize(views.azimuths) * std::ssize(views.elevations) &&
                 views.pictures.cols() == views.height * views.width,
             "there is one picture of every pose");
}

}  // namespace alidade::fuzz
