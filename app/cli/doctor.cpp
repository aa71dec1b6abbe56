// stele doctor: what of this machine is usable.

#include <dlfcn.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "core/ir/error.h"

namespace stele::cli {
namespace {

struct Finding {
  std::string what;
  bool usable;
  std::string detail;
};

class Library {
 public:
  explicit Library(const char* name) : library_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (library_) ::dlclose(library_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  explicit operator bool() const { return library_ != nullptr; }
  template <typename Function>
  Function* symbol(const char* name) const {
    return library_ ? reinterpret_cast<Function*>(::dlsym(library_, name)) : nullptr;
  }

 private:
  void* library_;
};

Finding gpu() {
  const Library driver("libcuda.so.1");
  if (!driver) return {"GPU", false, "no CUDA driver (libcuda.so.1)"};
  auto* init = driver.symbol<int(unsigned)>("cuInit");
  auto* count_of = driver.symbol<int(int*)>("cuDeviceGetCount");
  auto* name_of = driver.symbol<int(char*, int, int)>("cuDeviceGetName");
  int count = 0;
  const int status = init ? init(0) : -1;
  if (status != 0 || !count_of || count_of(&count) != 0 || count == 0) return {"GPU", false, fmt::format("driver there, no device (status {})", status)};
  char name[128] = "unnamed";
  if (name_of) name_of(name, sizeof name, 0);
  return {"GPU", true, fmt::format("{} device{}: {}", count, count == 1 ? "" : "s", name)};
}

Finding cupti() {
  for (const char* name : {"libcupti.so", "libcupti.so.12", "libcupti.so.13"}) {
    if (Library(name)) return {"CUPTI", true, name};
  }
  return {"CUPTI", false, "libcupti.so is not there"};
}

Finding gl() {
  const bool egl = static_cast<bool>(Library("libEGL.so.1"));
  const char* display = std::getenv("DISPLAY");
  if (!egl) return {"OpenGL", false, "libEGL.so.1 is not there"};
  return {"OpenGL", true, display && *display ? fmt::format("EGL, X display {}", display) : "EGL without a display: pictures, no window"};
}

Finding isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::string found;
  const auto add = [&](bool there, const char* name) {
    if (there) found += (found.empty() ? "" : " ") + std::string(name);
  };
  add(__builtin_cpu_supports("sse4.2"), "sse4.2");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512bf16"), "avx512bf16");
  add(__builtin_cpu_supports("avx512vnni"), "avx512vnni");
  return {"vector ISA", true, "x86-64 " + found};
#elif defined(__aarch64__)
  return {"vector ISA", true, "aarch64 neon"};
#else
  return {"vector ISA", false, "unknown"};
#endif
}

Finding threads() {
  const unsigned count = std::thread::hardware_concurrency();
  return {"threads", count > 0, std::to_string(count)};
}

Finding memory() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return {"memory", false, "unknown"};
  const double gib = static_cast<double>(info.totalram) * info.mem_unit / (1024.0 * 1024 * 1024);
  return {"memory", true, fmt::format("{:.1f} GiB", gib)};
}

Finding llvm() {
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"}) {
    const Library library(name);
    if (library) return {"LLVM", true, name};
  }
  return {"LLVM", false, "libLLVM 19 is not there"};
}

}  // namespace

Runner doctor_command(Arguments&) {
  return [](const Context& context) -> int {
    Json json = {{"findings", Json::array()}};
    Table table({{"", Table::Align::left}, {"usable", Table::Align::left}, {"what was found", Table::Align::left}});
    for (const Finding& finding : {threads(), isa(), memory(), llvm(), gl(), gpu(), cupti()}) {
      table.add({finding.what, finding.usable ? "yes" : "no", finding.detail});
      json["findings"].push_back({{"what", finding.what}, {"usable", finding.usable}, {"detail", finding.detail}});
    }
    if (context.json) {
      print_json(json);
    } else {
      std::fputs(table.str(context.colour).c_str(), stdout);
    }
    return done;
  };
}

}  // namespace stele::cli
