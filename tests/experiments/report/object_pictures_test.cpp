#include "experiments/report/object_pictures.hpp"

#include <doctest/doctest.h>

#include <string>

#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"

namespace object_pictures_test {

using namespace alidade;
using namespace alidade::testing;
using report::ObjectPictures;

TEST_CASE("a picture is named after its object, with or without its ending, and embedded as it is") {
  const ScratchFolder scratch;
  write_text(scratch.path() / "flat white.PNG", "abc");
  write_text(scratch.path() / "mocha.jpg", "def");
  write_text(scratch.path() / "latte.txt", "no picture");
  ObjectPictures pictures(scratch.path());
  CHECK(pictures.of({"flat white", "latte", "mocha.jpg", "mocha"}) ==
        std::vector<std::string>{"data:image/png;base64,YWJj", "", "data:image/jpeg;base64,ZGVm",
                                 "data:image/jpeg;base64,ZGVm"});
}

TEST_CASE("pictures that a page cannot hold are refused, with what to do; a picture of several lists counts once") {
  const ScratchFolder scratch;
  write_text(scratch.path() / "a.png", std::string(5 << 20, 'a'));
  write_text(scratch.path() / "b.png", std::string(4 << 20, 'b'));
  ObjectPictures pictures(scratch.path());
  CHECK(pictures.of({"a"}).front().size() > (6 << 20));
  CHECK(pictures.of({"a", "c"}).back().empty());
  const std::string refusal = message_of<DataError>([&] { (void)pictures.of({"b"}); });
  CHECK(refusal.find("more than 8 MB") != std::string::npos);
  CHECK(refusal.find("mogrify") != std::string::npos);
  CHECK(message_of<DataError>([&] { (void)ObjectPictures(scratch.path() / "none"); }).find("is not a folder") !=
        std::string::npos);
}

TEST_CASE("a map shows the pictures of its objects, and says how many have none") {
  const ScratchFolder scratch;
  std::string answers = "anchor,near,far\n";
  for (int i = 0; i < 30; ++i) answers += i % 2 ? "a,b,c\n" : "b,c,d\n";
  write_text(scratch.path() / "answers.csv", answers);
  std::filesystem::create_directory(scratch.path() / "p");
  write_text(scratch.path() / "p/b.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  const Ended made = run_command({"embed", "answers.csv", "-p", "ste", "--images", "p", "-o", "m"}, scratch.path());
  CAPTURE(made.err);
  REQUIRE(made.status == 0);
  const std::string page = content_of(scratch.path() / "m/report.html");
  CHECK(page.find("data:image/svg+xml;base64,") != std::string::npos);
  CHECK(page.find("3 of 4 objects have no picture in p.") != std::string::npos);
  // Later reports need the folder again.
  CHECK(run_command({"report", "m", "--images", "p", "-o", "again.html"}, scratch.path()).status == 0);
  CHECK(content_of(scratch.path() / "again.html").find("data:image/svg+xml") != std::string::npos);
  write_text(scratch.path() / "p/b.svg", "");
  std::filesystem::rename(scratch.path() / "p/b.svg", scratch.path() / "p/other.svg");
  const Ended none = run_command({"report", "m", "--images", "p"}, scratch.path());
  CHECK(none.status == 2);
  CHECK(none.err.find("No picture in p is named after an object of the map, such as ") != std::string::npos);
}

}  // namespace object_pictures_test
