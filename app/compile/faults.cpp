#include "app/compile/faults.h"

#include "core/debug/fault_sites.h"
#include "passes/codegen/jit.h"

namespace stele {
namespace {

std::vector<FaultSite> swap_in(Rewrite& rewrite, const std::vector<OpId>& ids) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), ids)) {
    const Attribute* bitcode = op->attribute("bitcode");
    const BlobRef* blob = bitcode ? bitcode->get<BlobRef>() : nullptr;
    const BlobRef damaged = blob ? swap_operands_in_bitcode(*blob) : nullptr;
    if (damaged) sites.push_back([&rewrite, op, damaged] { rewrite.set_attribute(op, "bitcode", damaged); });
  }
  return sites;
}

std::vector<FaultSite> swapped_in_llvm(Rewrite& rewrite, const RewriteEvent& event) { return swap_in(rewrite, event.created); }

std::vector<FaultSite> miscompiled(Rewrite& rewrite, const RewriteEvent& event) { return swap_in(rewrite, event.matched); }

std::vector<std::string> signature(const Operation& op) {
  std::vector<std::string> types;
  for (const Value* operand : op.operands()) types.push_back(operand->type().str());
  for (const Value* result : op.results()) types.push_back("-> " + result->type().str());
  return types;
}

bool may_stand_for(const Operation& other, const Operation& op) {
  const Attribute *dims = op.attribute("dims"), *others = other.attribute("dims");
  const Attribute *object = op.attribute("object"), *different = other.attribute("object");
  if (!object || !different || *object == *different || !dims != !others) return false;
  return (!dims || *dims == *others) && signature(op) == signature(other);
}

// A kernel gets the machine code of another one that takes and gives the same types.
std::vector<FaultSite> wrong_kernel_linked(Rewrite& rewrite, const RewriteEvent& event) {
  std::vector<FaultSite> sites;
  for (Operation* op : ops_of(rewrite.module(), event.created)) {
    for (const Operation* other : body_ops(rewrite.module())) {
      if (other == op || !other->is("machine.kernel") || !may_stand_for(*other, *op)) continue;
      sites.push_back([&rewrite, op, attributes = other->attributes()] {
        for (const char* name : {"symbol", "object", "assembly", "iterations"}) {
          const auto found = attributes.find(name);
          if (found != attributes.end()) rewrite.set_attribute(op, name, found->second);
        }
      });
    }
  }
  return sites;
}

const Fault codegen_faults[] = {
    {"swapped-operands-in-llvm", "emit-llvm", "the first subtraction or division of a kernel's code has its operands swapped", swapped_in_llvm},
    {"miscompiled-kernel", "optimize-llvm", "LLVM's optimizer swaps the operands of a subtraction or division", miscompiled},
    {"wrong-kernel-linked", "emit-assembly", "a kernel gets the machine code of another one of the same type", wrong_kernel_linked},
};

std::vector<Fault> both() {
  std::vector<Fault> faults(core_faults().begin(), core_faults().end());
  faults.insert(faults.end(), std::begin(codegen_faults), std::end(codegen_faults));
  return faults;
}

}  // namespace

std::span<const Fault> all_faults() {
  static const std::vector<Fault> table = both();
  return table;
}

}  // namespace stele
