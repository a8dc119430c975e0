// Tables of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat), as text separated by commas.
// ReadStat reads them; a build without it refuses them and says how to save them as CSV.
// Codes of nominal variables are written as their labels, 1 as "left", and numbers whose format is a date as dates. A
// value that is missing is empty.
#pragma once

#include <filesystem>

#include "experiments/files/table_text.hpp"

namespace alidade {

/// By the end of its name.
[[nodiscard]] bool is_study_file(const std::filesystem::path& path);

/// O(cells). @throws DataError if the file is damaged, or without ReadStat
[[nodiscard]] TableText read_study_file(const std::filesystem::path& path);

}  // namespace alidade
