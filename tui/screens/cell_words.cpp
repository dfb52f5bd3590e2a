#include "tui/screens/cell_words.hpp"

#include <algorithm>

namespace tessera::tui {
namespace {

void drop_start(std::string& text, std::string_view start) {
  if (text.size() > start.size() && text.starts_with(start)) text.erase(0, start.size());
}

std::string short_request(std::string one) {
  for (const std::string_view start : {"gres/", "gpu:", "nvidia.com/"}) drop_start(one, start);
  // What is left must still name something: "gpu:1" is one GPU of any type.
  constexpr std::string_view kOne = ":1";
  if (one.size() > kOne.size() && one.ends_with(kOne)) one.resize(one.size() - kOne.size());
  return one == "1" ? "gpu" : one;
}

}  // namespace

std::string short_cell(std::string_view column, std::string text) {
  if (column == "model") drop_start(text, "NVIDIA ");
  if (column != "asks") return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    out += (out.empty() ? "" : ",") + short_request(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace tessera::tui
