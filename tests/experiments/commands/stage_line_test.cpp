#include "experiments/commands/stage_line.hpp"

#include <doctest/doctest.h>

namespace stage_line_test {

using namespace alidade;
using commands::stage_text;
using Kind = RunStage::Kind;

TEST_CASE("a stage is named with its share and the time that it may still take") {
  CHECK(stage_text({Kind::choose, 0, 14}, 0.2, 0) == "Choosing the method: 0 of about 14 candidates, 0 s");
  CHECK(stage_text({Kind::choose, 7, 14}, 12, 10) ==
        "Choosing the method: 7 of about 14 candidates, 12 s, about 10 s left");
  CHECK(stage_text({Kind::choose, 14, 14}, 24, 20) == "Choosing the method: 14 of about 14 candidates, 24 s");
  CHECK(stage_text({Kind::bootstrap, 45, 50}, 300, 9) == "Bootstrap: 45 of 50 replicates, 5 min, about 1 s left");
  CHECK(stage_text({Kind::bootstrap, 49, 50}, 40, 9) == "Bootstrap: 49 of 50 replicates, 40 s, less than 1 s left");
  CHECK(stage_text({Kind::solve}, 7200, 7000) == "Fitting the map, 2.0 h");
  CHECK(stage_text({Kind::measure}, 1, 0) == "Measuring the map, 1 s");
  CHECK(stage_text({Kind::refit}, 2, 0) == "Fitting all answers, 2 s");
}

TEST_CASE("a line that is not shown starts no watcher and ends without a trace") {
  commands::StageLine line(false);
  line.show({Kind::solve});
  line.end();
  line.end();
}

}  // namespace stage_line_test
