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

// "Kueue: not admitted, queue team-a: couldn't assign flavors to pod set main: insufficient unused quota…":
// what differs from row to row stands last.
std::string short_kueue_reason(std::string_view text) {
  constexpr std::string_view kStart = "Kueue: not admitted, queue ",
                             kFlavors = "couldn't assign flavors to pod set ";
  constexpr std::string_view kEnd = ": ";
  if (!text.starts_with(kStart)) return std::string(text);
  const std::size_t queue = text.find(kEnd, kStart.size());
  if (queue == std::string_view::npos || queue + kEnd.size() == text.size()) return std::string(text);
  const std::string_view name = text.substr(kStart.size(), queue - kStart.size());
  std::string_view why = text.substr(queue + kEnd.size());
  const std::size_t set =
      why.starts_with(kFlavors) ? why.find(kEnd, kFlavors.size()) : std::string_view::npos;
  if (set != std::string_view::npos && set + kEnd.size() < why.size()) why.remove_prefix(set + kEnd.size());
  return "Kueue " + std::string(name) + ": " + std::string(why);
}

// "0/6 nodes are available: 3 Insufficient nvidia.com/gpu": kube-scheduler begins every reason with the same
// words.
std::string short_reason(std::string text) {
  text = short_kueue_reason(text);
  constexpr std::string_view kOfAll = " nodes are available: ", kVendor = "nvidia.com/";
  const std::size_t slash = text.find('/'), words = text.find(kOfAll);
  const auto is_number = [&](std::size_t from, std::size_t to) {
    return from < to && text.find_first_not_of("0123456789", from) == to;
  };
  if (words != std::string::npos && is_number(0, slash) && is_number(slash + 1, words))
    drop_start(text, std::string(text, 0, words + kOfAll.size()));
  for (std::size_t at = 0; (at = text.find(kVendor, at)) != std::string::npos;)
    text.erase(at, kVendor.size());
  return text;
}

}  // namespace

std::string short_cell(std::string_view column, std::string text) {
  if (column == "model") drop_start(text, "NVIDIA ");
  if (column == "reason") return short_reason(std::move(text));
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
