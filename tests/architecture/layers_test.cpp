// Reads the #include lines of the sources and fails where a layer looks up, sideways or into a package that is
// confined to other files. The rules are functions of file names and texts, so each is also shown to catch a
// breach made for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#include "tests/architecture/text_of_file.hpp"
#include "tests/support/test_paths.hpp"

namespace layers_test {
namespace {

namespace fs = std::filesystem;
using alidade::testing::text_of_file;

struct Include {
  std::string path;
  bool angled = false;
};
struct Source {
  std::string path;  // from the root, such as "problems/core/text.hpp"
  std::string text;
  std::vector<Include> includes;
};
using Sources = std::vector<Source>;

std::optional<Include> include_of(std::string_view line) {
  const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skip();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip();
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return std::nullopt;
  const char close = line.front() == '<' ? '>' : '"';
  const auto end = line.find(close, 1);
  if (end == line.npos) return std::nullopt;
  return Include{std::string(line.substr(1, end - 1)), close == '>'};
}

Source source(std::string path, std::string text) {
  Source out{std::move(path), std::move(text), {}};
  std::istringstream lines(out.text);
  for (std::string line; std::getline(lines, line);)
    if (auto include = include_of(line)) out.includes.push_back(*std::move(include));
  return out;
}

Sources read_sources() {
  const fs::path root = alidade::testing::source_folder();
  Sources out;
  for (const char* layer : {"problems", "solvers", "experiments"})
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".hpp" && extension != ".cpp")) continue;
      out.push_back(source(fs::relative(entry.path(), root).generic_string(), text_of_file(entry.path())));
    }
  std::ranges::sort(out, {}, &Source::path);
  return out;
}

bool is_header(std::string_view path) { return path.ends_with(".hpp"); }
bool in(std::string_view path, std::string_view folder) { return path.starts_with(folder); }

// A room is a folder. Each floor lists its rooms; a source includes its own room and floors below, never a room beside
// it. The files at the top of a layer are rooms too: the catalogs, which know all.
using Floors = std::vector<std::vector<std::string_view>>;

const Floors& floors() {
  static const Floors kFloors = {
      {"problems/core"},
      {"problems/core/decompositions"},
      {"problems/spaces"},
      {"problems/evidence"},
      {"problems/programs"},
      {"problems/faces"},
      {"problems/contract"},
      {"problems/distances"},
      {"problems/triplet_sums"},
      {"problems/triplet", "problems/multiview", "problems/semidefinite", "problems/neighbor", "problems/scaling",
       "problems/spectral", "problems/asking"},
      {"problems/catalog"},
      {"problems/public"},
      {"solvers/contract"},
      {"solvers/smooth", "solvers/eigen", "solvers/assignment", "solvers/compose"},
      {"solvers/semidefinite"},
      {"solvers/semidefinite/interior", "solvers/semidefinite/admm", "solvers/semidefinite/factor",
       "solvers/semidefinite/cutting"},
      {"solvers/catalog"},
      {"solvers/public"},
      {"experiments/files", "experiments/statistics"},
      {"experiments/metrics", "experiments/datasets/readers", "experiments/external"},
      {"experiments/datasets/sets"},
      {"experiments/datasets/download"},
      {"experiments/config"},
      {"experiments/results"},
      {"experiments/asking"},
      {"experiments/run"},
      {"experiments/launch", "experiments/tables"},
      {"experiments/launch/mpi", "experiments/report"},
      {"experiments/commands"},
      {"experiments/command_line"},
      {"experiments/public"},
      {"experiments/python"},
      {"experiments/main"},
  };
  return kFloors;
}

/// "problems/triplet" of problems/triplet/soe_problem.cpp; catalogs and the main program are rooms of their own.
std::string room_of(const std::string& path) {
  const std::string noun = path.substr(0, path.rfind('.'));
  if (noun == "problems/catalog" || noun == "solvers/catalog" || noun == "experiments/main") return noun;
  return path.substr(0, path.rfind('/'));
}

/// Number of the floor, from the ground up; nothing where the house has no such room.
std::optional<std::size_t> floor_of(std::string_view room) {
  for (std::size_t f = 0; f < floors().size(); ++f)
    if (std::ranges::find(floors()[f], room) != floors()[f].end()) return f;
  return std::nullopt;
}

/// "ceres" of <ceres/manifold.h>, "zlib" of <zlib.h>, "boost/graph" of Boost's libraries; "" for the standard library,
/// POSIX, Eigen and fmt (which stands for std::format where there is none).
std::string package_of(const Include& include) {
  if (!include.angled || include.path.find('.') == include.path.npos) return "";
  static const std::set<std::string, std::less<>> kSystem = {"sys",   "arpa", "netinet", "asm",      "bits",
                                                             "linux", "fmt",  "Eigen",   "sentences"};
  static const std::set<std::string, std::less<>> kSystemHeaders = {"unistd.h", "fcntl.h",     "signal.h",  "poll.h",
                                                                    "dirent.h", "errno.h",     "termios.h", "pthread.h",
                                                                    "sched.h",  "immintrin.h", "dlfcn.h",   "cpuid.h"};
  const auto slash = include.path.find('/');
  if (slash == include.path.npos)
    return kSystemHeaders.contains(include.path) ? "" : include.path.substr(0, include.path.find('.'));
  const std::string top = include.path.substr(0, slash);
  if (top == "boost") return include.path.substr(0, include.path.find('/', slash + 1));
  return kSystem.contains(top) ? "" : top;
}

using Breaches = std::vector<std::string>;
std::string arrow(const Source& source, const std::string& target) { return source.path + " -> " + target; }

Breaches looking_up(const Sources& sources) {
  Breaches out;
  for (const Source& s : sources) {
    const auto from = floor_of(room_of(s.path));
    if (!from) out.push_back(s.path + ": no floor of the house has its room");
    for (const Include& i : s.includes) {
      if (i.angled || !from) continue;
      const auto to = floor_of(room_of(i.path));
      if (!to || *to > *from || (*to == *from && room_of(i.path) != room_of(s.path))) out.push_back(arrow(s, i.path));
    }
  }
  return out;
}

/// Each file that includes a decomposition of Eigen takes the compiler seconds: one room instantiates them for all.
Breaches decompositions_that_spread(const Sources& sources) {
  static const std::set<std::string, std::less<>> kCompiledOnce = {
      "Eigen/Dense", "Eigen/Eigen", "Eigen/Cholesky", "Eigen/Eigenvalues",   "Eigen/LU",
      "Eigen/QR",    "Eigen/SVD",   "Eigen/Sparse",   "Eigen/SparseCholesky"};
  Breaches out;
  for (const Source& s : sources)
    for (const Include& i : s.includes)
      if (kCompiledOnce.contains(i.path) && (is_header(s.path) || room_of(s.path) != "problems/core/decompositions"))
        out.push_back(arrow(s, i.path));
  return out;
}

/// Rooms of problems/ whose words solvers know: none with a concrete problem in it.
Breaches solvers_that_know_a_problem(const Sources& sources) {
  static const std::set<std::string, std::less<>> kVocabulary = {"problems/core",   "problems/core/decompositions",
                                                                 "problems/spaces", "problems/programs",
                                                                 "problems/faces",  "problems/contract",
                                                                 "problems/public"};
  Breaches out;
  for (const Source& s : sources)
    for (const Include& i : s.includes)
      if (in(s.path, "solvers/") && in(i.path, "problems/") && !kVocabulary.contains(room_of(i.path)))
        out.push_back(arrow(s, i.path));
  return out;
}

/// Shared mathematics is a named file: a problem includes no other problem.
Breaches problems_that_know_each_other(const Sources& sources) {
  Breaches out;
  for (const Source& s : sources)
    for (const Include& i : s.includes) {
      const std::string own = s.path.substr(0, s.path.rfind('.')) + ".hpp";
      if (s.path.find("_problem.") != s.path.npos && i.path.ends_with("_problem.hpp") && in(i.path, "problems/") &&
          room_of(i.path) != "problems/contract" && i.path != own)
        out.push_back(arrow(s, i.path));
    }
  return out;
}

/// A name that a source keeps to itself, with the namespace about it.
struct LocalName {
  std::string path, space, name;
  bool is_function = false;
};

/// What stands at the left margin of a source: within its unnamed namespaces, or outside them. Aliases are left out:
/// two that agree are no harm, and of two that do not the compiler complains.
std::vector<LocalName> names_in(const Source& source, bool unnamed) {
  static const std::regex kFunction(R"((?:\[\[nodiscard\]\] )?[\w:<>,&* ]*[\w>&*] [&*]?(\w+)\(.*)");
  static const std::regex kOther(
      R"((?:static )?(?:(?:constexpr|const) [\w:<>, &*]+ (k\w+)|(?:struct|class|enum class|enum) (\w+))\b.*)");
  std::vector<LocalName> out;
  std::string space;
  bool in_unnamed = false;
  std::istringstream lines(source.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("namespace {"))
      in_unnamed = true;
    else if (line.starts_with("}  // namespace"))
      in_unnamed = false;
    else if (line.starts_with("namespace "))
      space = line.substr(10, line.find(' ', 10) - 10);
    else if (in_unnamed == unnamed && line.find_first_of(" /#}\t") != 0) {
      std::smatch match;
      if (std::regex_match(line, match, kOther))
        out.push_back({source.path, space, match[match[1].matched ? 1 : 2], false});
      else if (std::regex_match(line, match, kFunction))
        out.push_back({source.path, space, match[1], true});
    }
  }
  return out;
}

/// Sources of a room compile as one. So two of them may not keep the same name to themselves, and none may keep one
/// that hides or overloads a function of a header: what compiles alone would then mean something else beside its
/// neighbours.
Breaches names_that_collide(const Sources& sources) {
  Breaches out;
  std::map<std::string, std::vector<LocalName>> declared;  // by name: functions of headers
  for (const Source& s : sources)
    if (is_header(s.path))
      for (LocalName& name : names_in(s, false))
        if (name.is_function) declared[name.name].push_back(std::move(name));
  std::map<std::string, std::string> kept;
  for (const Source& s : sources) {
    if (is_header(s.path)) continue;
    for (const LocalName& local : names_in(s, true)) {
      if (!local.is_function) {
        const auto [first, fresh] = kept.emplace(room_of(s.path) + " " + local.space + "::" + local.name, s.path);
        const bool alone = s.path.ends_with("_kernel.cpp") || first->second.ends_with("_kernel.cpp");
        if (!fresh && !alone && first->second != s.path)
          out.push_back(s.path + " and " + first->second + " both have a " + local.name);
        continue;
      }
      for (const LocalName& header : declared[local.name])
        if ((local.space + "::").starts_with(header.space + "::") &&
            floor_of(room_of(header.path)) <= floor_of(room_of(s.path)))
          out.push_back(s.path + " hides " + local.name + " of " + header.path);
    }
  }
  return out;
}

/// Two types of one name in one namespace are one for the linker, whatever they hold: it keeps the functions of either,
/// such as copying, for both. No compiler sees it where no source includes both.
Breaches types_of_one_name(const Sources& sources) {
  static const std::regex kType(
      R"((?:struct|class|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :.*)?(?: \{.*|,))");
  Breaches out;
  std::map<std::string, std::string> homes;
  for (const Source& s : sources) {
    std::vector<std::string> spaces;
    std::istringstream lines(s.text);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (line.starts_with("namespace ") && line.ends_with("{")) {
        spaces.push_back(line.substr(10, line.size() - 11));
      } else if (line.starts_with("}  // namespace")) {
        if (!spaces.empty()) spaces.pop_back();
      } else if (std::ranges::find(spaces, "") == spaces.end() && !spaces.empty() &&
                 std::regex_match(line, match, kType)) {
        std::string name;
        for (const std::string& space : spaces) name += space.substr(0, space.find(' ')) + "::";
        name += match[1].str();
        const auto [first, fresh] = homes.emplace(name, s.path);
        if (!fresh && first->second != s.path) out.push_back(s.path + " and " + first->second + " both define " + name);
      }
    }
  }
  return out;
}

/// A namespace is its room: that of all (`alidade`), or one with the name of a folder on the way to the header.
Breaches namespaces_of_other_rooms(const Sources& sources) {
  // Two rooms of one noun; what one file holds apart; a name that is short because users write it.
  static const std::set<std::pair<std::string, std::string>> kToo = {{"problems/triplet_sums", "triplet"},
                                                                     {"solvers/semidefinite/interior", "csdp"},
                                                                     {"experiments/config", "config_keys"},
                                                                     {"solvers/public", "sdp"},
                                                                     {"experiments/public", "datasets"}};
  Breaches out;
  for (const Source& s : sources) {
    if (!is_header(s.path)) continue;
    std::istringstream lines(s.text);
    for (std::string line; std::getline(lines, line);) {
      constexpr std::string_view kRoot = "namespace alidade::";
      if (!line.starts_with(kRoot)) continue;
      const std::string name = line.substr(kRoot.size(), line.find_first_of(" :", kRoot.size()) - kRoot.size());
      const std::string folder = s.path.substr(0, s.path.rfind('/'));
      if (("/" + folder + "/").find("/" + name + "/") == std::string::npos && !kToo.contains({folder, name}))
        out.push_back(s.path + " speaks in namespace " + name);
    }
  }
  return out;
}

constexpr std::size_t kFilesPerPackage = 2;  // or one of each layer

Breaches packages_that_spread(const Sources& sources) {
  Breaches out;
  std::map<std::string, std::set<std::string>> users;
  for (const Source& s : sources)
    for (const Include& i : s.includes) {
      const std::string package = package_of(i);
      if (package.empty() || s.path == "experiments/python/arrays.hpp") continue;  // of one module's two sources
      if (is_header(s.path)) out.push_back(arrow(s, "<" + i.path + ">"));
      users[package].insert(s.path);
    }
  for (const auto& [package, files] : users)
    if (std::set<std::string> layers;
        files.size() > kFilesPerPackage && !std::ranges::all_of(files, [&](const std::string& file) {
          return layers.insert(file.substr(0, file.find('/'))).second;
        })) {
      std::string line = package + " is in";
      for (const std::string& file : files) line += " " + file;
      out.push_back(line);
    }
  return out;
}

Breaches names_without_meaning(const Sources& sources) {
  Breaches out;
  for (const Source& s : sources) {
    const std::string stems = "/" + s.path.substr(0, s.path.rfind('.')) + "/";
    for (const char* name : {"util", "utils", "common", "helper", "helpers", "misc"})
      if (stems.find("/" + std::string(name) + "/") != stems.npos) out.push_back(s.path);
  }
  return out;
}

/// Includes by the path from the root, of files that exist, in no cycle; headers guarded and opened by a comment
/// of three lines.
Breaches untidy(const Sources& sources) {
  Breaches out;
  std::map<std::string, const Source*> by_path;
  for (const Source& s : sources) by_path[s.path] = &s;
  for (const Source& s : sources) {
    for (const Include& i : s.includes)
      if (!i.angled && !by_path.contains(i.path)) out.push_back(arrow(s, i.path));
    if (!is_header(s.path)) continue;
    if (s.text.find("#pragma once") == s.text.npos) out.push_back(s.path + ": no #pragma once");
    std::istringstream lines(s.text);
    std::string line;
    for (int n = 0; n < 3; ++n)
      if (!std::getline(lines, line) || !line.starts_with("// ")) {
        out.push_back(s.path + ": does not open with three lines that say what it is");
        break;
      }
  }
  std::map<std::string, int> state;  // 1: being visited, 2: done
  const auto visit = [&](const auto& self, const Source& s) -> void {
    state[s.path] = 1;
    for (const Include& i : s.includes) {
      const auto entry = by_path.find(i.path);
      if (i.angled || entry == by_path.end()) continue;
      if (state[i.path] == 1) out.push_back("a cycle through " + arrow(s, i.path));
      if (state[i.path] == 0) self(self, *entry->second);
    }
    state[s.path] = 2;
  };
  for (const Source& s : sources)
    if (state[s.path] == 0) visit(visit, s);
  return out;
}

void check_none(const Breaches& breaches) {
  for (const std::string& breach : breaches) FAIL_CHECK(breach);
}

TEST_CASE("the sources are found and their includes read") {
  const Sources sources = read_sources();
  CHECK(sources.size() > 60);
  std::size_t includes = 0;
  for (const Source& s : sources) includes += s.includes.size();
  CHECK(includes > 5 * sources.size());
  CHECK(std::ranges::any_of(sources, [](const Source& s) { return s.path == "problems/core/text.hpp"; }));
  CHECK(include_of("  #  include \"a/b.hpp\"  // why")->path == "a/b.hpp");
  CHECK(include_of("#include <vector>")->angled);
  CHECK_FALSE(include_of("// #include <vector>"));
  CHECK_FALSE(include_of("#define X"));
}

TEST_CASE("a room includes rooms below it, never one above or beside it") { check_none(looking_up(read_sources())); }
TEST_CASE("names that a source keeps to itself do not meet in its room") {
  check_none(names_that_collide(read_sources()));
}
TEST_CASE("a type is defined once") { check_none(types_of_one_name(read_sources())); }
TEST_CASE("a namespace is that of its room") { check_none(namespaces_of_other_rooms(read_sources())); }
TEST_CASE("solvers know the vocabulary, never a concrete problem") {
  check_none(solvers_that_know_a_problem(read_sources()));
}
TEST_CASE("concrete problems do not know each other") { check_none(problems_that_know_each_other(read_sources())); }
TEST_CASE("a package is confined to one or two sources, never a header") {
  check_none(packages_that_spread(read_sources()));
}
TEST_CASE("decompositions of Eigen are compiled in one room") {
  check_none(decompositions_that_spread(read_sources()));
}
TEST_CASE("no file is named for having no name") { check_none(names_without_meaning(read_sources())); }
TEST_CASE("includes are from the root and without cycles, headers guarded and introduced") {
  check_none(untidy(read_sources()));
}

TEST_CASE("no line is longer than what .clang-format says, but for text") {
  const auto length = [](std::string_view line) {  // in characters of UTF-8
    return std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  };
  for (const Source& s : read_sources()) {
    std::istringstream lines(s.text);
    for (std::string line; std::getline(lines, line);)
      if (length(line) > 120 && line.find('"') == std::string::npos) FAIL_CHECK(s.path << ": " << line);
  }
}

TEST_CASE("every test source has a namespace of its name, and suites where CMake finds them") {
  const fs::path tests = alidade::testing::test_folder();
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    const std::string path = fs::relative(entry.path(), tests).generic_string();
    if (!path.ends_with("_test.cpp")) continue;
    CAPTURE(path);
    // Tests of a folder may compile as one, so that each keeps its names in a namespace of its own.
    const std::string text = text_of_file(entry.path());
    const std::regex own("\nnamespace ([a-z_]+::)*" + entry.path().stem().string() + " \\{\n");
    CHECK(std::regex_search(text, own));
    // Entries of ctest are made of the lines that begin so.
    if (path.starts_with("architecture/")) continue;
    CHECK_FALSE(std::regex_search(text, std::regex("\n +TEST_SUITE|doctest::test_suite")));
    ++count;
  }
  CHECK(count > 30);
}

TEST_CASE("each rule catches a breach") {
  const auto caught = [](auto rule, std::string path, const std::string& line) {
    return rule({source(std::move(path), line + "\n")}).size();
  };
  CHECK(caught(looking_up, "problems/x.hpp", "#include \"solvers/contract/solver.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/triplet/x.cpp", "#include \"experiments/results/rows.hpp\"") == 1);
  CHECK(caught(looking_up, "solvers/smooth/x.cpp", "#include \"experiments/results/rows.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/core/x.hpp", "#include \"problems/spaces/point.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/contract/problem.cpp", "#include \"problems/triplet/x.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/triplet/x.cpp", "#include \"problems/spectral/y.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/triplet/x.cpp", "#include \"problems/catalog.hpp\"") == 1);
  CHECK(caught(looking_up, "problems/catalog.cpp", "#include \"problems/triplet/x.hpp\"") == 0);
  CHECK(caught(looking_up, "problems/attic/x.cpp", "") == 1);
  CHECK(caught(looking_up, "experiments/run/x.cpp", "#include \"tests/support/approx.hpp\"") == 1);
  CHECK(caught(looking_up, "experiments/run/x.cpp", "#include \"experiments/tables/y.hpp\"") == 1);
  CHECK(caught(looking_up, "experiments/run/x.cpp", "#include \"solvers/contract/solver.hpp\"") == 0);

  CHECK(caught(solvers_that_know_a_problem, "solvers/smooth/x.cpp", "#include \"problems/triplet/x.hpp\"") == 1);
  CHECK(caught(solvers_that_know_a_problem, "solvers/smooth/x.cpp", "#include \"problems/core/text.hpp\"") == 0);
  CHECK(caught(solvers_that_know_a_problem, "solvers/smooth/x.cpp", "#include \"problems/contract/problem.hpp\"") == 0);

  const auto strangers = problems_that_know_each_other;
  CHECK(caught(strangers, "problems/triplet/a_problem.cpp", "#include \"problems/triplet/b_problem.hpp\"") == 1);
  CHECK(caught(strangers, "problems/triplet/a_problem.cpp", "#include \"problems/triplet/a_problem.hpp\"") == 0);
  CHECK(caught(strangers, "problems/triplet/a_problem.hpp", "#include \"problems/triplet/loss.hpp\"") == 0);

  const auto room = [](std::string path, const std::string& line) {
    return source(std::move(path), "namespace a::b {\nnamespace {\n" + line + "\n}  // namespace\n}\n");
  };
  const Source header = source("problems/core/h.hpp", "namespace a {\n[[nodiscard]] int size_of(int x);\n}\n");
  CHECK(names_that_collide({room("solvers/eigen/a.cpp", "constexpr int kMost = 3;"),
                            room("solvers/eigen/b.cpp", "constexpr int kMost = 4;")})
            .size() == 1);
  CHECK(names_that_collide(
            {room("solvers/eigen/a.cpp", "struct Parts {"), room("solvers/smooth/b.cpp", "struct Parts {")})
            .empty());
  CHECK(names_that_collide({header, room("solvers/eigen/a.cpp", "int size_of(long x) {")}).size() == 1);
  CHECK(names_that_collide({header, room("solvers/eigen/a.cpp", "int length_of(long x) {")}).empty());

  const auto type = [](std::string path, const std::string& line) {
    return source(std::move(path), "namespace a {\n" + line + "\n}  // namespace a\n");
  };
  CHECK(types_of_one_name({type("problems/x.hpp", "struct Parts {"), type("solvers/y.hpp", "class Parts final : Z {")})
            .size() == 1);
  CHECK(types_of_one_name({type("problems/x.hpp", "struct Parts {"), type("solvers/y.hpp", "struct Parts;")}).empty());
  CHECK(types_of_one_name({type("problems/x.hpp", "struct Parts {"), type("x.cpp", "struct Parts::One {")}).empty());
  CHECK(types_of_one_name({type("problems/x.hpp", "struct Parts {"), room("x.cpp", "struct Parts {")}).empty());

  CHECK(caught(namespaces_of_other_rooms, "problems/neighbor/x.hpp", "namespace alidade::spectral {") == 1);
  CHECK(caught(namespaces_of_other_rooms, "problems/neighbor/x.hpp", "namespace alidade::neighbor {") == 0);
  CHECK(caught(namespaces_of_other_rooms, "experiments/datasets/sets/x.hpp", "namespace alidade::datasets {") == 0);
  CHECK(caught(namespaces_of_other_rooms, "problems/core/x.hpp", "namespace alidade {") == 0);

  CHECK(caught(packages_that_spread, "solvers/x.hpp", "#include <ceres/ceres.h>") == 1);
  CHECK(caught(packages_that_spread, "solvers/x.cpp", "#include <ceres/ceres.h>") == 0);
  CHECK(caught(packages_that_spread, "solvers/x.hpp",
               "#include <Eigen/Core>\n#include <vector>\n#include <unistd.h>") == 0);
  CHECK(packages_that_spread({source("problems/a.cpp", "#include <zlib.h>\n"),
                              source("problems/b.cpp", "#include <zlib.h>\n"),
                              source("solvers/c.cpp", "#include <zlib.h>\n")})
            .size() == 1);
  CHECK(packages_that_spread({source("problems/a.cpp", "#include <zlib.h>\n"),
                              source("solvers/b.cpp", "#include <zlib.h>\n"),
                              source("experiments/c.cpp", "#include <zlib.h>\n")})
            .empty());

  CHECK(caught(decompositions_that_spread, "solvers/eigen/x.cpp", "#include <Eigen/Cholesky>") == 1);
  CHECK(caught(decompositions_that_spread, "problems/core/decompositions/x.hpp", "#include <Eigen/SVD>") == 1);
  CHECK(caught(decompositions_that_spread, "problems/core/decompositions/x.cpp",
               "#include <Eigen/SVD>\n#include <Eigen/Core>") == 0);

  CHECK(caught(names_without_meaning, "problems/utils/x.hpp", "") == 1);
  CHECK(caught(names_without_meaning, "solvers/helpers.cpp", "") == 1);
  CHECK(caught(names_without_meaning, "solvers/commons.cpp", "") == 0);

  CHECK(caught(untidy, "solvers/x.cpp", "#include \"../problems/point.hpp\"") == 1);
  CHECK(caught(untidy, "solvers/x.hpp", "// One line.\n#pragma once") == 1);
  CHECK(caught(untidy, "solvers/x.hpp", "// One.\n// Two.\n// Three.") == 1);
  CHECK(caught(untidy, "solvers/x.hpp", "// One.\n// Two.\n// Three.\n#pragma once") == 0);
  CHECK(caught(untidy, "solvers/x.hpp", "// 1\n// 2\n// 3\n#pragma once\n#include \"solvers/x.hpp\"") == 1);
}

}  // namespace
}  // namespace layers_test
