#include "experiments/commands/commands.hpp"

namespace alidade::commands {

Command embed_command();
Command ask_command();
Command curve_command();
Command run_command();
Command table_command();
Command ranks_command();
Command claims_command();
Command pages_command();
Command report_command();
Command figure_command();
Command diff_command();
Command cite_command();
Command check_command();
Command init_command();
Command schema_command();
Command list_command();
Command data_command();
Command merge_command();
Command verify_command();
Command repair_command();
Command certify_command();
Command sdp_command();

std::vector<Command> all_commands() {
  return {embed_command(),  ask_command(),    curve_command(),   run_command(),    table_command(), ranks_command(),
          claims_command(), pages_command(),  report_command(),  figure_command(), diff_command(),  cite_command(),
          check_command(),  init_command(),   schema_command(),  list_command(),   data_command(),  merge_command(),
          verify_command(), repair_command(), certify_command(), sdp_command()};
}

}  // namespace alidade::commands
