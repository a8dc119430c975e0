#include "experiments/commands/commands.hpp"

namespace alidade::commands {

Command embed_command(), ask_command(), curve_command(), run_command(), table_command(), ranks_command(),
    claims_command(), pages_command(), report_command(), figure_command(), diff_command(), cite_command(),
    check_command(), init_command(), schema_command(), list_command(), data_command(), merge_command(),
    verify_command(), repair_command(), certify_command(), sdp_command();

std::vector<Command> all_commands() {
  return {embed_command(),  ask_command(),    curve_command(),   run_command(),    table_command(), ranks_command(),
          claims_command(), pages_command(),  report_command(),  figure_command(), diff_command(),  cite_command(),
          check_command(),  init_command(),   schema_command(),  list_command(),   data_command(),  merge_command(),
          verify_command(), repair_command(), certify_command(), sdp_command()};
}

}  // namespace alidade::commands
