// Methods that are commands, beside each other in one experiment: good ones, and all that can go wrong with one.
// The commands are scripts of sh and of Python's standard library; a build without Python leaves the latter out.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "experiments/files/json.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"
#include "tests/support/child_processes.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/results_folders.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/wait_until.hpp"

namespace command_method_test {

using namespace alidade;
using namespace alidade::testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* kHead = R"(name = "own"
seed = 3
[split]
holdout = 0.2
[evaluate]
metrics = ["heldout_error", "train_error"]
[[dataset]]
name = "gaussian"
n = 20
triplets = 300
)";

/// Makes a map by the seed, or does what options.act says.
constexpr const char* kScript = R"(
import json, os, random, signal, struct, sys, time
task = json.load(open("task.json"))
options = task["options"]
act = options.get("act", "good")
def save(name, shape, numbers, order=False):
    head = ("{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }" % (order, tuple(shape))).encode()
    head += b" " * (-(11 + len(head)) % 64) + b"\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%dd" % len(numbers), *numbers))
def load(name):
    data = open(name, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size])
    count = 1
    for length in header["shape"]: count *= length
    return struct.unpack("<%d%s" % (count, header["descr"][1:].replace("i4", "i").replace("f4", "f").replace("f8", "d")), data[10 + size:])
assert sys.argv[-1] == os.getcwd() and sorted(options) == sorted(json.loads(options.get("expect", json.dumps(list(options)))))
n, d, maps = task["n"], task["d"], max(1, len(task["aspects"]))
draw = random.Random(task["seed"])
numbers = [draw.gauss(0, 1) * options.get("scale", 1.0) for _ in range(maps * n * d)]
shape = [n, d] if maps == 1 else [maps, n, d]
if act == "fails":
    print("first line\n\nno such thing: \x1b[31mperplexity", file=sys.stderr)
    sys.exit(3)
if act == "hangs" or act == "deaf":
    if act == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.system("setsid sleep 611 &")
    time.sleep(600)
if act == "late":
    save("embedding.npy", shape, numbers)
    time.sleep(600)
if act == "leaves":
    os.system("sleep 611 & setsid sh -c 'sleep 611 & sleep 611' &")
if act == "dies": os.kill(os.getpid(), signal.SIGKILL)
if act == "eats": x = bytearray(20 << 30)
if act == "nan": numbers[5] = float("nan")
if act == "shape": shape, numbers = [n + 1, d], numbers + [0.0] * d
if act == "huge": os.truncate(os.open("embedding.npy", os.O_WRONLY | os.O_CREAT), 20 << 30)
if act == "link": os.symlink("/dev/zero", "embedding.npy")
if act not in ("silent", "huge", "link", "garbage"): save("embedding.npy", shape, numbers)
if act == "garbage": open("embedding.npy", "w").write("not numbers")
if act == "text": open("result.json", "w").write("{")
if act == "says":
    json.dump({"status": "failed", "message": "no convergence"}, open("result.json", "w"))
if act == "tells":
    json.dump({"status": "max_iter", "message": "500 iterations", "version": "mine 1.2", "objective": 1.5, "iterations": 500,
               "seconds": 0.25, "kl": 0.5}, open("result.json", "w"))
    save("start.npy", shape, [1.0 * i for i in range(n * d)])
    open("trace.csv", "w").write("time,objective,map\n0,9,start.npy\n0.2,1.5,embedding.npy\n")
if act == "counts":
    json.dump({"triplets": len(load("triplets.npy")) // 3, "objects": len(open("objects.txt").read().split()),
               "files": len(os.listdir(".")), "weights": os.path.exists("weights.npy"),
               "threads": int(os.environ["OMP_NUM_THREADS"])}, open("result.json", "w"))
)";

struct Desk {
  ScratchFolder path;
  Desk() { write_text(path / "method.py", kScript); }

  /// A [[method]] of the script.
  static std::string method(const std::string& act, const std::string& more = "") {
    return "[[method]]\nid = \"" + act +
           "\"\ncommand = [\"python3\", \"method.py\"]\nneeds = \"triplets\"\noptions = { act = \"" + act + "\"" +
           (more.empty() ? "" : ", " + more) + " }\n";
  }
  Ended run(const std::string& config, const std::vector<std::string>& more = {}) const {
    write_text(path / "c.toml", config);
    std::vector<std::string> words = {"run", "c.toml"};
    words.insert(words.end(), more.begin(), more.end());
    // Of its own: what other tests leave in the common one is not theirs.
    const char* const usual = std::getenv("TMPDIR");
    const std::string before = usual ? usual : "";
    fs::create_directories(path / "tmp");
    ::setenv("TMPDIR", (path / "tmp").c_str(), 1);
    const Ended out = run_command(words, path);
    if (usual)
      ::setenv("TMPDIR", before.c_str(), 1);
    else
      ::unsetenv("TMPDIR");
    return out;
  }
  [[nodiscard]] std::map<std::string, ValueTable> rows(const std::string& folder = "results/own") const {
    std::map<std::string, ValueTable> out;
    for (const Row& row : read_rows(path / folder)) out.emplace(row.method, row.table());
    return out;
  }
  /// Neither a process of a method nor a folder of its task.
  [[nodiscard]] bool left_nothing() const {
    for (const auto& entry : fs::directory_iterator(path / "tmp"))
      if (entry.path().filename().string().starts_with("alidade-task-")) return false;
    return run_line("pgrep -f 'sleep 61[1]'").status != 0;
  }
};

bool has_python() {
  if (there_is("python3")) return true;
  MESSAGE("skipped: there is no python3");
  return false;
}

std::string message(const ValueTable& row) { return text_field(row, "message"); }

}  // namespace

TEST_CASE("a script of the shell is a method beside those of the catalog") {
  Desk desk;
  write_text(desk.path / "copy.sh", "cp features.npy embedding.npy\n");
  const std::string config = R"(name = "own"
[[dataset]]
name = "s_curve"
n = 60
[[method]]
command = ["sh", "copy.sh"]
needs = "features"
options = { n_components = 3 }
[[method]]
problem = "pca"
)";
  succeeded(desk.run(config));
  const auto rows = desk.rows();
  REQUIRE(rows.contains("copy.sh"));
  const ValueTable& row = rows.at("copy.sh");
  CHECK(text_field(row, "status") == "ok");
  CHECK(text_field(row, "problem") == "command");
  CHECK(number_field(row, "metrics.trustworthiness") == 1);  // the features themselves
  CHECK(text_field(row, "problem.options.checksum").size() == 64);
  CHECK(number_field(row, "seconds.command_cpu") >= 0);
  CHECK_FALSE(number_field(row, "objective").has_value());
  CHECK(holds_all(desk.run(config).out, {"2 done before"}));
  // What follows from rows.
  CHECK(run_command("table results/own", desk.path).out.find("copy.sh") != std::string::npos);
  run_well("report results/own", desk.path);
  CHECK(run_command("cite results/own", desk.path).out.find("copy.sh") != std::string::npos);
  run_well("verify results/own", desk.path);
}

TEST_CASE("a command gets distances in the unit of their file") {
  if (!has_python()) return;
  Desk desk;
  write_text(desk.path / "second.py", R"(
import json, shutil, struct
shutil.copy("distances.npy", "embedding.npy")
json.dump({"objective": struct.unpack("<9d", open("distances.npy", "rb").read()[-72:])[1]}, open("result.json", "w"))
)");
  for (const double unit : {1.0, 1e9, 1e-9}) {
    const std::string a = shortest(3 * unit), b = shortest(4 * unit), c = shortest(5 * unit);
    write_text(desk.path / "d.csv", "0," + a + "," + b + "\n" + a + ",0," + c + "\n" + b + "," + c + ",0\n");
    succeeded(desk.run(R"(name = "own"
[[dataset]]
name = "dissimilarities"
file = "d.csv"
[[method]]
command = ["python3", "second.py"]
needs = "distances"
options = { n_components = 3 }
)",
                       {"-o", "in" + a}));
    CHECK(number_field(desk.rows("in" + a).at("second.py"), "objective").value_or(0) ==
          doctest::Approx(3 * unit).epsilon(1e-12));
  }
}

TEST_CASE("what goes wrong with a command is a failed row that says so, beside good ones") {
  if (!has_python()) return;
  Desk desk;
  std::string config = std::string("timeout = 600\nmemory = \"3GB\"\n") + kHead;
  const std::map<std::string, std::vector<std::string>> wrong = {
      {"fails", {"exit status 3", "first line", "perplexity"}},
      {"dies", {"signal 9"}},
#ifndef ALIDADE_SANITIZED  // sanitizers reserve terabytes of address space, so that it can not be limited
      {"eats", {"MemoryError"}},
#endif
      {"nan", {"NaN"}},
      {"shape", {"21 x 2", "20 x 2"}},
      {"huge", {"more than"}},
      {"link", {"not a plain file"}},
      {"garbage", {"not a .npy file"}},
      {"silent", {"left no embedding.npy"}},
      {"text", {"result.json"}},
      {"says", {"no convergence"}}};
  const std::vector<std::string> good = {"good", "tells", "counts", "leaves"};
  for (const auto& [act, words] : wrong) config += Desk::method(act);
  for (const std::string& act : good) config += Desk::method(act);
  config += "[[method]]\nid = \"absent\"\ncommand = \"no_such_program\"\nneeds = [\"triplets\"]\n";
  config += "[[method]]\nid = \"unfit\"\ncommand = [\"python3\", \"method.py\"]\nneeds = \"features\"\n";
  config += "[[method]]\nproblem = \"ste\"\nsolver = { name = \"ceres\", max_iter = 5 }\n";
  const Ended ended = desk.run(config, {"--jobs", "2"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  auto rows = desk.rows();
  REQUIRE(rows.size() == wrong.size() + good.size() + 3);
  for (const auto& [act, words] : wrong) {
    CAPTURE(act);
    CAPTURE(message(rows[act]));
    CHECK(text_field(rows[act], "status") == "failed");
    for (const std::string& word : words) CHECK(message(rows[act]).find(word) != std::string::npos);
    CHECK(message(rows[act]).find('\x1b') == std::string::npos);
    CHECK(message(rows[act]).find("..") == std::string::npos);
  }
  for (const std::string& act : good) {
    CAPTURE(act);
    CAPTURE(message(rows[act]));
    CHECK(text_field(rows[act], "status") == "ok");
    CHECK(number_field(rows[act], "metrics.heldout_error").has_value());
  }
  CHECK(text_field(rows["absent"], "status") == "failed");
  CHECK(message(rows["absent"]).find("no program 'no_such_program'") != std::string::npos);
  CHECK(text_field(rows["unfit"], "status") == "skipped");
  const ValueTable& tells = rows["tells"];
  CHECK(text_field(tells, "termination") == "max_iter");
  CHECK(message(tells) == "500 iterations");
  CHECK(number_field(tells, "objective") == 1.5);
  CHECK(number_field(tells, "counts.iterations") == 500);
  CHECK(number_field(tells, "seconds.command_own") == 0.25);
  CHECK(number_field(tells, "estimates.kl") == 0.5);
  CHECK(to_json(*field(tells, "via")) == "[\"mine 1.2\"]");
  const std::string trace = content_of(desk.path / "results/own" / text_field(tells, "files.trace"));
  CHECK(holds_all(trace, {"[0.0,0.2]", "[9.0,1.5]", "heldout_error"}));
  // 240 of 300 answers: those held out are not shown, nor is anything else.
  CHECK(number_field(rows["counts"], "estimates.triplets") == 240);
  CHECK(number_field(rows["counts"], "estimates.objects") == 20);
  CHECK(number_field(rows["counts"], "estimates.files") == 9);
  CHECK(number_field(rows["counts"], "estimates.threads") == 1);
  CHECK(desk.left_nothing());
}

TEST_CASE("a command that goes on after the time limit is ended, and its map is taken where there is one") {
  if (!has_python()) return;
  Desk desk;
  std::string config = std::string("timeout = 5\n") + kHead;
  for (const char* act : {"hangs", "deaf", "late"}) config += Desk::method(act);
  const Ended ended = desk.run(config, {"--jobs", "2"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  auto rows = desk.rows();
  for (const char* act : {"hangs", "deaf"}) {
    CHECK(text_field(rows[act], "status") == "failed");
    CHECK(message(rows[act]).find("time limit") != std::string::npos);
  }
  CHECK(text_field(rows["late"], "status") == "ok");
  CHECK(text_field(rows["late"], "termination") == "time_limit");
  CHECK(desk.left_nothing());
}

TEST_CASE("options of a command sweep, and choose chooses among them") {
  if (!has_python()) return;
  Desk desk;
  const Ended ended = desk.run(std::string(kHead) + R"([[method]]
id = "swept"
command = ["python3", "method.py"]
needs = "triplets"
options = { scale = [1, 2.5], n_components = 3, expect = '["expect", "scale"]' }
[[method]]
id = "chosen"
command = ["python3", "method.py"]
needs = "triplets"
choose = { problem.scale = [1.0, 3.0], problem.n_components = [1, 2] }
)");
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  auto rows = desk.rows();
  CHECK(rows.size() == 3);
  CHECK(number_field(rows["swept[scale=2.5]"], "n_components") == 3);
  CHECK(number_field(rows["swept[scale=2.5]"], "problem.options.scale") == 2.5);
  CHECK(number_field(rows["chosen"], "chosen.problem.scale").has_value());
  // The same seed gives the same map in another unit.
  CHECK(number_field(rows["swept[scale=1]"], "metrics.train_error") ==
        number_field(rows["swept[scale=2.5]"], "metrics.train_error"));
  // The resolved config is the same experiment.
  run_well("run results/own/config.resolved.toml --out again", desk.path);
  CHECK(comparable(desk.path / "again") == comparable(desk.path / "results/own"));
}

TEST_CASE("a command with aspects makes a map of each") {
  if (!has_python()) return;
  Desk desk;
  write_text(desk.path / "fruit.csv",
             "name,colour,size\napple,red,big\ncherry,red,small\npea,green,small\nmelon,green,big\nlime,green,small\n");
  const Ended ended = desk.run(R"(name = "own"
[[dataset]]
name = "attributes"
file = "fruit.csv"
name_column = "name"
[[method]]
command = ["python3", "method.py"]
needs = "aspects"
)");
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(to_json(*field(desk.rows()["method.py"], "files.aspects")) == R"(["colour","size"])");
}

TEST_CASE("rows of commands do not depend on the number of jobs, and a killed experiment goes on") {
  if (!has_python()) return;
  Desk desk;
  const std::string config =
      "repeats = 3\n" + std::string(kHead) + Desk::method("good") + Desk::method("tells") + Desk::method("fails");
  static_cast<void>(desk.run(config, {"--out", "one"}));
  static_cast<void>(desk.run(config, {"--out", "three", "--jobs", "3"}));
  CHECK(comparable(desk.path / "one").size() == 9);
  CHECK(comparable(desk.path / "one") == comparable(desk.path / "three"));
  CHECK(comparable_files(desk.path / "one") == comparable_files(desk.path / "three"));

  write_text(desk.path / "c.toml", config + Desk::method("hangs", "wait = 733"));
  {
    Command killed({"run", "c.toml", "--out", "killed"}, desk.path);
    pid_t child = 0, command = 0;
    REQUIRE(wait_until([&] {
      for (const pid_t one : children_of(killed.pid()))
        for (const pid_t below : children_of(one)) child = one, command = below;
      return lines_of(content_of(desk.path / "killed/runs.jsonl")).size() >= 3 && command != 0;
    }));
    killed.send(SIGKILL);
    CHECK(killed.wait().status == -SIGKILL);
    CHECK(wait_until([&] { return !fs::exists("/proc/" + std::to_string(command)); }));  // it dies with its parent
  }
  static_cast<void>(desk.run(config, {"--out", "killed"}));
  const auto expected = comparable(desk.path / "one");
  const auto resumed = comparable(desk.path / "killed");
  for (const auto& [id, row] : expected) CHECK(resumed.at(id) == row);
}

TEST_CASE("check runs nothing of a command, and another script is another method") {
  Desk desk;
  write_text(desk.path / "mark.sh", "touch '" + (desk.path / "mark").string() + "'\ncp features.npy embedding.npy\n");
  const std::string config = R"(name = "own"
[[dataset]]
name = "s_curve"
n = 30
[[method]]
command = ["sh", "mark.sh"]
needs = "features"
options = { n_components = 3 }
)";
  write_text(desk.path / "c.toml", config);
  const Ended checked = run_well("check c.toml", desk.path);
  CHECK(holds_all(checked.out, {"mark.sh: fits"}));
  CHECK_FALSE(fs::exists(desk.path / "mark"));
  CHECK(desk.run(config).status == 0);
  CHECK(fs::exists(desk.path / "mark"));
  CHECK(desk.run(config).status == 0);
  CHECK(rows_in(desk.path / "results/own").size() == 1);
  write_text(desk.path / "mark.sh", "cp features.npy embedding.npy\n# another\n");
  CHECK(desk.run(config).status == 0);
  CHECK(rows_in(desk.path / "results/own").size() == 2);
  fs::copy_file(desk.path / "results/own/config.resolved.toml", desk.path / "resolved.toml");
  write_text(desk.path / "mark.sh", "cp features.npy embedding.npy\n");
  const Ended refused = run_command("run resolved.toml", desk.path);
  CHECK(refused.status == 2);
  CHECK(holds_all(refused.err, {"checksum"}));
}

TEST_CASE("a [[method]] that mixes a command with a problem, or lacks its evidence, is refused") {
  Desk desk;
  const auto said = [&](const std::string& method) {
    write_text(desk.path / "c.toml", std::string(kHead) + "[[method]]\n" + method);
    const Ended ended = run_command("check c.toml", desk.path);
    CHECK(ended.status == 2);
    return ended.err;
  };
  CHECK(said("command = \"sh\"\n").find("has no needs") != std::string::npos);
  CHECK(said("command = \"sh\"\nneeds = \"triplet\"\n").find("triplets") != std::string::npos);
  CHECK(said("command = \"sh\"\nneeds = \"triplets\"\nproblem = \"ste\"\n").find("in place of problem") !=
        std::string::npos);
  CHECK(said("problem = \"ste\"\nneeds = \"triplets\"\n").find("of a command") != std::string::npos);
  CHECK(said("command = \"sh\"\nneeds = \"triplets\"\noptions = { n_components = 0 }\n").find("n_components") !=
        std::string::npos);
}

/// The block of code under `<!-- mark -->` of the page on such methods.
std::string documented(const std::string& mark) {
  const std::string page = content_of(std::string(source_folder()) + "/experiments/external/README.md");
  const auto begin = page.find("\n", page.find("```", page.find("<!-- " + mark + " -->"))) + 1;
  return page.substr(begin, page.find("```", begin) - begin);
}

/// An interpreter of Python that has a package; "" if there is none.
std::string python_with(const std::string& module) {
  for (const char* python : {"python3", "/usr/bin/python3"})
    if (run_line(std::string(python) + " -c 'import " + module + "'").status == 0) return python;
  MESSAGE("skipped: there is no Python with " << module);
  return "";
}

TEST_CASE("the documented methods in Python and R run") {
  Desk desk;
  const std::string python = python_with("numpy");
  std::string config = "name = \"own\"\n[[dataset]]\nname = \"s_curve\"\nn = 60\n[[method]]\nproblem = \"pca\"\n";
  if (!python.empty()) {
    write_text(desk.path / "my_method.py", documented("method in Python"));
    config += "[[method]]\nid = \"in Python\"\ncommand = [\"" + python +
              "\", \"my_method.py\"]\nneeds = \"features\"\noptions = { strength = [0.5, 1.0] }\n";
  }
  const bool in_r = there_is("Rscript");
  if (in_r) {
    write_text(desk.path / "my_method.R", documented("method in R"));
    config += "[[method]]\nid = \"in R\"\ncommand = [\"Rscript\", \"my_method.R\"]\nneeds = \"distances\"\n";
  }
  succeeded(desk.run(config));
  auto rows = desk.rows();
  // Both are principal components, as ours.
  const auto ours = number_field(rows["pca / lanczos"], "metrics.trustworthiness");
  for (const auto& [name, row] : rows) {
    CAPTURE(name);
    if (name != "in Python[strength=0.5]")
      CHECK(number_field(row, "metrics.trustworthiness") == doctest::Approx(*ours).epsilon(1e-3));
    if (name.starts_with("in")) CHECK(number_field(row, "seconds.command_own").has_value());
  }
  CHECK(rows.size() == 1U + (python.empty() ? 0U : 2U) + (in_r ? 1U : 0U));
}

TEST_SUITE("heavy") {
  TEST_CASE("one table has methods in R and Python, and those that fail, hang, lie and take 20 GB") {
    Desk desk;
    const std::string python = python_with("numpy");
    if (python.empty() || !there_is("Rscript")) return;
    write_text(desk.path / "my_method.py", documented("method in Python"));
    write_text(desk.path / "cmdscale.R", run_command({"list", "adapters", "cmdscale.R"}, desk.path).out);
    std::string config =
        "name = \"own\"\ntimeout = 30\nmemory = \"3GB\"\n[[dataset]]\nname = \"s_curve\"\nn = 60\n[[method]]\n"
        "problem = \"pca\"\n[[method]]\nid = \"in Python\"\ncommand = [\"" +
        python +
        "\", \"my_method.py\"]\nneeds = \"features\"\n[[method]]\nid = \"in R\"\n"
        "command = [\"Rscript\", \"cmdscale.R\"]\nneeds = \"distances\"\n";
    for (std::string method :
         {Desk::method("fails"), Desk::method("hangs"), Desk::method("shape"), Desk::method("eats")})
      config += method.replace(method.find("triplets"), 8, "features");
    static_cast<void>(desk.run(config, {"--jobs", "2"}));
    const std::string table =
        run_command({"table", "results/own", "--value", "metrics.trustworthiness"}, desk.path).out;
    const auto lines = lines_of(table);
    CAPTURE(table);
    for (const auto& [name, row] : desk.rows()) {
      CAPTURE(name);
      CAPTURE(message(row));
      const bool good = name.starts_with("in ") || name.starts_with("pca");
      CHECK(text_field(row, "status") == (good ? "ok" : "failed"));
      CHECK(std::ranges::count_if(lines, [&](const std::string& line) {
              return line.starts_with("| " + name + " ") && (line.find("1 failed") == line.npos) == good;
            }) == 1);
    }
    CHECK(lines.size() >= 8);
  }

  TEST_CASE("adapters run the programs that are installed, and the others say what to install") {
    Desk desk;
    const std::string python = python_with("sklearn");
    run_well("init c.toml --peers", desk.path);
    CHECK(fs::exists(desk.path / "adapters/cblearn_map.py"));
    CHECK(run_command("check c.toml", desk.path).out.find("cblearn SOE: fits") != std::string::npos);
    std::string config = "name = \"own\"\ntimeout = 120\n[[dataset]]\nname = \"s_curve\"\nn = 60\n";
    const auto add = [&](const std::string& id, const std::string& program, const std::string& adapter,
                         const std::string& needs, const std::string& options) {
      write_text(desk.path / adapter, run_command({"list", "adapters", adapter}, desk.path).out);
      config += "[[method]]\nid = \"" + id + "\"\ncommand = [\"" + program + "\", \"" + adapter + "\"]\nneeds = \"" +
                needs + "\"\noptions = { " + options + " }\n";
    };
    const std::string interpreter = python.empty() ? "python3" : python;
    for (const char* method : {"TSNE", "MDS", "Isomap", "LocallyLinearEmbedding", "SpectralEmbedding"})
      if (!python.empty())
        add(method, python, "scikit_learn.py", "features", "method = \"" + std::string(method) + "\"");
    if (!python.empty()) add("of distances", python, "scikit_learn.py", "distances", "method = \"MDS\", n_init = 1");
    const std::vector<std::pair<std::string, std::string>> others = {{"umap_learn.py", "umap-learn"},
                                                                     {"open_tsne.py", "openTSNE"},
                                                                     {"pacmap_map.py", "pacmap"},
                                                                     {"trimap_map.py", "trimap"}};
    for (const auto& [adapter, package] : others) add(adapter, interpreter, adapter, "features", "");
    const bool in_r = there_is("Rscript");
    const std::vector<std::tuple<std::string, std::string, std::string>> of_r = {
        {"cmdscale.R", "distances", ""},
        {"mass.R", "distances", "method = \"sammon\""},
        {"vegan.R", "distances", "starts = 2"},
        {"rtsne.R", "features", "perplexity = 10"},
        {"uwot.R", "features", ""},
        {"smacof.R", "distances", "type = \"ordinal\""}};
    for (const auto& [adapter, needs, options] : of_r)
      if (in_r) add(adapter, "Rscript", adapter, needs, options);
    static_cast<void>(desk.run(config));
    for (const auto& [id, row] : desk.rows()) {
      CAPTURE(id);
      CAPTURE(message(row));
      if (text_field(row, "status") == "ok") {
        CHECK(number_field(row, "metrics.trustworthiness") > 0.8);
        CHECK(to_json(*field(row, "via")).size() > 8);
      } else {
        CHECK((message(row).find("Install it") != std::string::npos));
        CHECK(id.find('.') != std::string::npos);
      }
    }
  }
}

}  // namespace command_method_test
