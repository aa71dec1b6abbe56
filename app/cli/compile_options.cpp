#include "app/cli/compile_options.h"

#include "app/compile/model.h"

namespace stele::cli {

void CompileArguments::declare(Arguments& arguments) {
  arguments.option("--stack", stack, "the compiler stack (stele)");
  arguments.option("--target", target, "cpu");
  arguments.option("--dim", dims, "size of a free dim, NAME=SIZE; may be given several times");
  arguments.option("--threads", threads, "threads of the compiled code; 0: as many as the machine has");
}

PassOptions CompileArguments::options() const {
  if (stack != "stele") fail("--stack {}: no such stack, expected stele", stack);
  if (target == "cuda") throw Unavailable("--target cuda: this build generates code for the cpu alone");
  if (target != "cpu") fail("--target {}: no such target, expected cpu or cuda", target);
  if (threads < 0 || threads > 4096) fail("--threads {}: expected 0 to 4096", threads);
  PassOptions options;
  options.target = target;
  options.threads = static_cast<int>(threads);
  options.binding = parse_dims(dims);
  return options;
}

}  // namespace stele::cli
