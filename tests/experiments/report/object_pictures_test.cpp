#include "experiments/report/object_pictures.hpp"

#include <doctest/doctest.h>

#include <string>

#include "problems/core/error.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/text_holds.hpp"

namespace object_pictures_test {

using namespace alidade;
using namespace alidade::testing;
using report::ObjectPictures;

TEST_CASE("a picture is named after its object, with or without its ending, and embedded as it is") {
  const ScratchFolder scratch{{"flat white.PNG", "abc"}, {"mocha.jpg", "def"}, {"latte.txt", "no picture"}};
  ObjectPictures pictures(scratch);
  CHECK(pictures.of({"flat white", "latte", "mocha.jpg", "mocha"}) ==
        std::vector<std::string>{"data:image/png;base64,YWJj", "", "data:image/jpeg;base64,ZGVm",
                                 "data:image/jpeg;base64,ZGVm"});
}

TEST_CASE("pictures that a page cannot hold are refused, with what to do; a picture of several lists counts once") {
  const ScratchFolder scratch{{"a.png", std::string(5 << 20, 'a')}, {"b.png", std::string(4 << 20, 'b')}};
  ObjectPictures pictures(scratch);
  CHECK(pictures.of({"a"}).front().size() > (6 << 20));
  CHECK(pictures.of({"a", "c"}).back().empty());
  const std::string refusal = message_of<DataError>([&] { (void)pictures.of({"b"}); });
  CHECK(holds_all(refusal, {"more than 8 MB", "mogrify"}));
  CHECK(message_of<DataError>([&] { (void)ObjectPictures(scratch / "none"); }).find("is not a folder") !=
        std::string::npos);
}

TEST_CASE("a map shows the pictures of its objects, and says how many have none") {
  const ScratchFolder scratch;
  std::string answers = "anchor,near,far\n";
  for (int i = 0; i < 30; ++i) answers += i % 2 ? "a,b,c\n" : "b,c,d\n";
  write_text(scratch / "answers.csv", answers);
  std::filesystem::create_directory(scratch / "p");
  write_text(scratch / "p/b.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  run_well("embed answers.csv -p ste --images p -o m", scratch);
  const std::string page = content_of(scratch / "m/report.html");
  CHECK(holds_all(page, {"data:image/svg+xml;base64,", "3 of 4 objects have no picture in p."}));
  // Later reports need the folder again.
  run_well("report m --images p -o again.html", scratch);
  CHECK(content_of(scratch / "again.html").find("data:image/svg+xml") != std::string::npos);
  write_text(scratch / "p/b.svg", "");
  std::filesystem::rename(scratch / "p/b.svg", scratch / "p/other.svg");
  const Ended none = run_command("report m --images p", scratch);
  CHECK(none.status == 2);
  CHECK(none.err.find("No picture in p is named after an object of the map, such as ") != std::string::npos);
}

}  // namespace object_pictures_test
