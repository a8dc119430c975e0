#include <string>
#include <string_view>

#include "experiments/datasets/sets/dataset_entries.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/delimited_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::string_view kRaw =
    "https://raw.githubusercontent.com/vsdp/SDPLIB/fa11b45c1d8c896a6abad2648d5dad46d8ecefaa/data/";

std::string about_program(std::string_view constraints, std::string_view order, std::string_view optimum) {
  const bool has_optimum = optimum.find("infeasible") == optimum.npos;
  return fmt::format("{} constraints, order {}, {}{}", constraints, order, has_optimum ? "optimum " : "", optimum);
}

}  // namespace

DatasetEntry sdplib_collection() {
  DatasetEntry out{.name = "sdplib",
                   .summary = "74 semidefinite programs of SDPLIB 1.2 with their optima, for `alidade sdp`",
                   .citation =
                       "B. Borchers, SDPLIB 1.2, a library of semidefinite programming test problems, "
                       "Optimization Methods and Software 11, 1999",
                   .licence = "public collection; the repository that holds this copy states GPL 3",
                   .format =
                       "SDPA's sparse format. Optima as published, with the digits given there. For maxG51 the "
                       "published value is wrong; the value here is the one that several solvers agree on"};
  // Optima are as published, with SDPA's signs and the published digits; except maxG51, where the published
  // 4.003809e+03 is wrong. The order is the sum of the sizes of the blocks.
  RowReader rows(sdplib_csv(), "sdplib.csv", ',');
  for (static_cast<void>(rows.next()); rows.next();) {
    const auto fields = rows.fields();
    out.files.push_back({.path = fmt::format("sdplib/{}.dat-s", fields[0]),
                         .sha256 = std::string(fields[5]),
                         .url = "https://github.com/vsdp/SDPLIB",
                         .bytes = static_cast<std::uintmax_t>(*parse_double(fields[4])),
                         .downloads = {{fmt::format("{}{}.dat-s", kRaw, fields[0]), ""}},
                         .about = about_program(fields[1], fields[2], fields[3])});
  }
  return out;
}

}  // namespace alidade::datasets
