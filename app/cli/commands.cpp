#include "app/cli/commands.h"

namespace stele::cli {

std::span<const Command> commands() {
  static constexpr Command table[] = {
      {"compile", "run the pipeline on a model, and print the scoreboard after each pass", compile_command},
      {"run", "execute a model, at any point of its compile", run_command},
      {"bisect", "find the pass, the rewrite and the smallest graph that break a model", bisect_command},
      {"import", "turn another compiler's dump into a session", import_command},
      {"show", "look at a session, or at one of its snapshots", show_command},
      {"diff", "what changed between two snapshots of a session", diff_command},
      {"passes", "the passes of the pipeline, with their contracts and rules", passes_command},
      {"ops", "the op set", ops_command},
      {"test", "run folders of test cases", test_command},
      {"fuzz", "random valid graphs through the differential tester", fuzz_command},
      {"bench", "how long runs and compiles take, beside what the machine could do", bench_command},
      {"rosetta", "five compiler stacks on the same five stages", rosetta_command},
      {"gui", "open the viewer", gui_command},
      {"doctor", "what of this machine is usable", doctor_command},
  };
  return table;
}

}  // namespace stele::cli
