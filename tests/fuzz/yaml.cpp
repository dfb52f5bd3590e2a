// The YAML reader: any bytes give a value with places inside the text, or an error without control
// characters.
#include "engine/yaml.hpp"

#include <cstdint>
#include <cstdlib>

#include "engine/text.hpp"

namespace {

void check(const tessera::Yaml& yaml, int lines, int depth) {
  if (yaml.line < 1 || yaml.line > lines || yaml.column < 1 || depth > 32) std::abort();
  if (yaml.as_int() && !yaml.as_number()) std::abort();
  for (const tessera::Yaml& item : yaml.items) check(item, lines, depth + 1);
  for (const auto& [key, value] : yaml.fields) {
    if (yaml.find(key) != &value) std::abort();
    check(value, lines, depth + 1);
  }
}

}  // namespace

int fuzz_yaml(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const tessera::Result<tessera::Yaml> result = tessera::parse_yaml(text, "fuzz.yaml");
  if (!result) {
    const std::string line = to_line(result.error());
    if (tessera::clean(line, line.size()) != line) std::abort();
    return 0;
  }
  int lines = 1;
  for (const char c : text) lines += c == '\n' || c == '\r' ? 1 : 0;
  check(*result, lines, 0);
  return 0;
}
