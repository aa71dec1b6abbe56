#include "core/debug/repro.h"

#include <charconv>

#include "core/ir/text.h"

namespace stele {
namespace {

constexpr std::string_view first_line = "// stele repro 1";

void add_constants(Builder& builder, const std::string& name, const std::vector<Tensor>& tensors) {
  Function& function = builder.add_function(name, true);
  builder.at_end(function.body());
  std::vector<Value*> values;
  std::vector<Type> types;
  for (const Tensor& tensor : tensors) {
    types.push_back(tensor.type());
    values.push_back(builder.create_value("stablehlo.constant", {}, tensor.type(), {{"value", tensor}}));
  }
  builder.set_results(function, types);
  builder.create("func.return", values, {});
}

std::vector<Tensor> constants_of(const Module& module, const std::string& name, const std::string& file) {
  const Function* function = module.function(name);
  if (!function || function->body().empty()) fail("{}: holds no function @{}", file, name);
  std::vector<Tensor> tensors;
  for (const Value* value : function->body().terminator()->operands()) {
    const Tensor* tensor = constant_of(value);
    if (!tensor) fail("{}: @{} returns what is no constant", file, name);
    tensors.push_back(*tensor);
  }
  return tensors;
}

// A copy of the module with main alone.
std::unique_ptr<Module> main_alone(const Module& module) {
  auto copy = std::make_unique<Module>();
  copy->name = module.name;
  copy->symbols = module.symbols;
  Builder builder(*copy);
  Function& main = builder.add_function("main");
  ValueMap mapping;
  for (const Value* argument : module.main().body().arguments()) {
    mapping[argument] = builder.add_argument(main.body(), argument->type(), argument->name());
  }
  for (const auto& [name, value] : module.main().attributes()) builder.set_function_attribute(main, name, value);
  builder.set_results(main, module.main().result_types(), module.main().output_names());
  builder.at_end(main.body());
  builder.clone_body(module.main().body(), mapping);
  return copy;
}

std::string binding_text(const Binding& binding) {
  std::string text;
  for (const auto& [name, value] : binding) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

template <typename Number>
Number number_of(const std::string& text, const std::string& file, const char* key) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail("{}: {} is '{}', expected a number", file, key, text);
  return value;
}

Binding binding_of(const std::string& text, const std::string& file) {
  Binding binding;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t equals = part.find('=');
    if (equals == std::string::npos) fail("{}: binding is '{}', expected name=size", file, part);
    binding[part.substr(0, equals)] = number_of<int64_t>(part.substr(equals + 1), file, "binding");
    at = end + 1;
  }
  return binding;
}

// The lines "// key: value" that the text begins with.
std::map<std::string, std::string> header_of(std::string_view text) {
  std::map<std::string, std::string> header;
  while (text.starts_with("//")) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t colon = line.find(": ");
    if (colon != std::string_view::npos && colon > 3) header[std::string(line.substr(3, colon - 3))] = line.substr(colon + 2);
    if (line.size() == text.size()) break;
    text.remove_prefix(line.size() + 1);
  }
  return header;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

bool is_repro(std::string_view text) { return text.starts_with(first_line); }

std::string write_repro(const Repro& repro) {
  std::string text = fmt::format("{}\n", first_line);
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("// {}: {}\n", key, one_line(value));
  };
  line("pass", repro.pass);
  line("rule", repro.rule);
  line("number", std::to_string(repro.number));
  line("fault", repro.fault);
  if (!repro.fault.empty()) line("site", std::to_string(repro.site));
  line("verdict", repro.verdict);
  line("note", repro.note);
  line("binding", binding_text(repro.binding));
  line("target", repro.options.target);
  line("threads", std::to_string(repro.options.threads));
  line("bound", repro.tolerance.exact ? "exact" : fmt::format("{:.17g}", repro.tolerance.relative));
  line("derivation", repro.tolerance.derivation);
  text += "// replay with: stele run THIS_FILE\n";
  auto whole = main_alone(*repro.module);
  Builder builder(*whole);
  add_constants(builder, "inputs", repro.inputs);
  add_constants(builder, "expected", repro.expected);
  PrintOptions options;
  options.resources = true;
  return text + print(*whole, options);
}

Repro read_repro(std::string_view text, const std::string& file) {
  std::map<std::string, std::string> header = header_of(text);
  ParseOptions options;
  options.file = file;
  const auto whole = parse(text, options);
  Repro repro;
  repro.inputs = constants_of(*whole, "inputs", file);
  repro.expected = constants_of(*whole, "expected", file);
  if (!whole->function("main")) fail("{}: holds no function @main", file);
  repro.module = main_alone(*whole);
  repro.pass = header["pass"];
  repro.rule = header["rule"];
  repro.fault = header["fault"];
  repro.verdict = header["verdict"];
  repro.note = header["note"];
  if (header.contains("number")) repro.number = number_of<uint64_t>(header["number"], file, "number");
  if (header.contains("site")) repro.site = number_of<int>(header["site"], file, "site");
  if (header.contains("threads")) repro.options.threads = number_of<int>(header["threads"], file, "threads");
  if (header.contains("target")) repro.options.target = header["target"];
  repro.binding = binding_of(header["binding"], file);
  repro.options.binding = repro.binding;
  repro.tolerance = header["bound"] == "exact" ? Tolerance::bitwise()
                                               : Tolerance{false, number_of<double>(header["bound"], file, "bound"), header["derivation"]};
  return repro;
}

Replay replay(const Repro& repro, const Pipeline& pipeline, std::span<const Fault> faults, KernelRunner* runner) {
  SuspectPass suspect;
  for (const PipelineEntry& entry : pipeline) {
    if (entry.pass->name == repro.pass) suspect.pass = entry.pass;
  }
  if (!suspect.pass) fail("the repro is about pass '{}', which the pipeline has not", repro.pass);
  if (!repro.fault.empty()) {
    suspect.fault = find_fault(faults, repro.fault);
    if (!suspect.fault) fail("the repro injects fault '{}', which is not known", repro.fault);
    suspect.site = repro.site;
  }
  Subject subject(repro.module, pipeline, repro.options, repro.inputs, repro.binding, runner);
  Replay result;
  const Outputs before = try_execute(subject, *repro.module, repro.inputs);
  const Judge judge = [&](const std::vector<Tensor>& outputs) { return compare_all(outputs, repro.expected, repro.tolerance); };
  result.before = before.failure.empty() ? judge(before.values) : invalid(before.failure);
  const PassOutcome outcome = run_suspect(*repro.module, suspect, subject.options());
  result.fault_applied = outcome.fault_applied;
  if (!outcome.failure.empty()) {
    result.after = invalid(outcome.failure);
  } else {
    const Outputs after = try_execute(subject, *outcome.module, repro.inputs);
    result.after = after.failure.empty() ? judge(after.values) : invalid(after.failure);
  }
  if (!result.after.ok()) result.culprit = find_culprit(subject, *repro.module, repro.inputs, suspect, judge);
  result.executions = subject.executions();
  return result;
}

}  // namespace stele
