#include "engine/mig/built_in.hpp"

#include <set>
#include <string_view>

#include "engine/embedded.hpp"

namespace tessera::mig {

namespace {

constexpr std::string_view kProductBegins = "\n  - key: ";

// Text of those products of a file whose keys are wanted; each takes its key out of them.
std::string take_products(std::string_view file, std::set<std::string_view>& wanted) {
  std::string taken;
  std::size_t at = file.find(kProductBegins);
  while (at != std::string_view::npos) {
    const std::size_t next = file.find(kProductBegins, at + 1);
    const std::string_view product = file.substr(at, next == std::string_view::npos ? next : next - at);
    const std::string_view behind = product.substr(kProductBegins.size());
    if (wanted.erase(behind.substr(0, behind.find('\n'))) > 0) taken += product;
    at = next;
  }
  return taken;
}

}  // namespace

Result<Catalogue> built_in_of(std::span<const std::string> keys) {
  std::set<std::string_view> wanted(keys.begin(), keys.end());
  std::string text = "products:";
  for (const embedded::File& file : embedded::catalogue()) text += take_products(file.text, wanted);
  if (keys.empty() || !wanted.empty()) return Catalogue::built_in();
  return Catalogue::parse(text, "the built-in catalogue");
}

}  // namespace tessera::mig
