// One program for all fuzzers of a room: `fuzz_engine --target=yaml`, and then libFuzzer's own flags.
//
// Each tests/fuzz/NAME.cpp has one function, fuzz_NAME; which there are is reported by CMake. A program for
// each would be compiled and linked thirty times over.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#define FUZZ_TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include FUZZ_TARGETS
#undef FUZZ_TARGET

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

Target target_called(std::string_view wanted) {
#define FUZZ_TARGET(name) \
  if (wanted == #name) return fuzz_##name;
#include FUZZ_TARGETS
#undef FUZZ_TARGET
  return nullptr;
}

Target& chosen() {
  static Target target = nullptr;
  return target;
}

}  // namespace

// libFuzzer's two ways into a program.
extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view kFlag = "--target=";
  for (int i = 1; i < *count; ++i) {
    std::string_view word = (*words)[i];
    if (word.starts_with(kFlag)) chosen() = target_called(word.substr(kFlag.size()));
  }
  if (chosen()) return 0;
  std::fputs("which fuzzer? --target=NAME, one of:", stderr);
#define FUZZ_TARGET(name) std::fputs(" " #name, stderr);
#include FUZZ_TARGETS
#undef FUZZ_TARGET
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen()(data, size);
}
