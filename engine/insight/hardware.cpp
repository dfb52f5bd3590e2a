#include "engine/insight/hardware.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::insight {
namespace {

struct Meaning {
  int first, last;
  std::string_view text;
};
constexpr Meaning kXids[] = {
    {13, 13,
     "a program's error on the GPU: look at the program first, and reset the GPU where others meet it too"},
    {31, 31,
     "a page fault, mostly a program's own: look at the program first, and reset the GPU "
     "where others meet it too"},
    {43, 45, "a program's channel was stopped after its own error: the GPU itself is healthy"},
    {48, 48, "a double-bit ECC error: reset the GPU once it is empty, and replace it where that comes back"},
    {61, 62, "the GPU's microcontroller stopped: reset the GPU, and replace it where that comes back"},
    {63, 63, "a row of memory was remapped and the change is pending: reset the GPU once it is empty"},
    {64, 64, "remapping a row of memory failed: take the GPU out of use and replace it"},
    {74, 74,
     "an NVLink error: reset the GPU and its peers, and look at the links where that comes back "
     "(nvidia-smi nvlink -e)"},
    {79, 79,
     "the GPU has fallen off the bus: power-cycle the node, and look at power, seating "
     "and temperature where that comes back"},
    {92, 92, "many single-bit ECC errors: watch it, and reset the GPU once it is empty"},
    {94, 94,
     "a contained ECC error, on which the program that met it failed: reset the GPU once it is empty"},
    {95, 95, "an uncontained ECC error: close the node and reset the GPU before anything else starts there"},
    {119, 120,
     "the GPU's system processor does not answer: reset the GPU, and power-cycle the node where that fails"},
    {140, 140, "an ECC error that was not corrected: close the node and reset the GPU"},
    {143, 143, "the GPU did not initialise: power-cycle the node"},
    {149, 150, "an NVLink error: reset the GPU and its peers"},
    {154, 154, "the driver names what the GPU needs now: nvidia-smi -q has it under GPU Recovery Action"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::optional<XidPlace> next_xid(std::string_view text, std::size_t from) {
  const std::string low = lower(text);
  for (std::size_t at = low.find("xid", from); at != std::string::npos; at = low.find("xid", at + 3)) {
    if (at > 0 && is_letter(low[at - 1]) && !low.substr(0, at).ends_with("gpu")) continue;
    std::size_t i = at + 3;
    // "(PCI:0000:3b:00)" is the device, and not the number.
    while (i < low.size() && (low[i] == ' ' || low[i] == ':' || low[i] == '=' || low[i] == '#')) ++i;
    if (i < low.size() && low[i] == '(' && low.substr(i).starts_with("(pci"))
      if (const std::size_t close = low.find(')', i); close != std::string::npos) i = close + 1;
    while (i < low.size() && (low[i] == ' ' || low[i] == ':' || low[i] == '=' || low[i] == '(')) ++i;
    int number = 0, digits = 0;
    for (; i < low.size() && is_digit(low[i]) && digits < 4; ++i, ++digits)
      number = number * 10 + (low[i] - '0');
    if (digits > 0 && digits < 4) return XidPlace{number, i - static_cast<std::size_t>(digits), i};
  }
  return std::nullopt;
}

std::optional<int> xid_in(std::string_view text) {
  const std::optional<XidPlace> found = next_xid(text, 0);
  return found ? std::optional(found->number) : std::nullopt;
}

bool is_of_a_program(int xid) {
  return xid == 13 || xid == 31 || (xid >= 43 && xid <= 45) || xid == 68 || xid == 69;
}

bool reset_helps(std::string_view text) {
  const std::optional<int> xid = xid_in(text);
  return !(xid && is_of_a_program(*xid)) && hardware_advice(text).find("reset the GPU") != std::string::npos;
}

// "…,5", "…-5", "… and 5": another number follows.
static bool goes_on_counting(std::string_view rest) {
  const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  skip_blanks();
  for (std::string_view joint : {",", "-", "/", "&", "+", "and "}) {
    if (!rest.starts_with(joint)) continue;
    rest.remove_prefix(joint.size());
    skip_blanks();
    return !rest.empty() && is_digit(rest.front());
  }
  return false;
}

std::optional<int> gpu_in(std::string_view text) {
  const std::string low = lower(text);
  std::optional<int> found;
  for (std::size_t at = low.find("gpu"); at != std::string::npos; at = low.find("gpu", at + 3)) {
    if (at > 0 && is_letter(low[at - 1])) continue;
    std::size_t i = at + 3;
    while (i < low.size() && (low[i] == ' ' || low[i] == '#' || low[i] == ':' || low[i] == '=')) ++i;
    // "GPU: 3 ECC errors" counts errors.
    if (low.substr(at + 3, i - at - 3).find(": ") != std::string::npos) continue;
    int number = 0, digits = 0;
    for (; i < low.size() && is_digit(low[i]) && digits < 4; ++i, ++digits)
      number = number * 10 + (low[i] - '0');
    // "gpu:h100:8" is a resource, and "gpu0000:3b:00" a place on the bus.
    if (digits == 0 || digits > 3 || (i < low.size() && (is_letter(low[i]) || is_digit(low[i])))) continue;
    if ((found && *found != number) || goes_on_counting(std::string_view(low).substr(i))) return std::nullopt;
    found = number;
  }
  return found;
}

std::string hardware_advice(std::string_view text) {
  if (const std::optional<int> xid = xid_in(text)) {
    for (const Meaning& one : kXids)
      if (*xid >= one.first && *xid <= one.last) return fmt::format("Xid {}: {}", *xid, one.text);
    return fmt::format(
        "Xid {}: NVIDIA's Xid catalog says what it means, and dmesg on the node has the whole line", *xid);
  }
  const std::string low = lower(text);
  const auto has = [&](std::string_view part) { return low.find(part) != std::string::npos; };
  if (has("remap") && has("fail"))
    return "remapping a row of memory failed: take the GPU out of use and replace it";
  if (has("remap") || has("retired page") || has("page retirement"))
    return "rows of memory are remapped by a reset: reset the GPU once it is empty (nvidia-smi -q -d "
           "ROW_REMAPPER)";
  if (has("uncorrectable ecc") || has("double bit") || has("ecc error"))
    return "nvidia-smi -q -d ECC on the node counts them: reset the GPU once it is empty, and replace it "
           "where they come back";
  if (has("fallen off the bus"))
    return "power-cycle the node, and look at power, seating and temperature where that comes back";
  return "";
}

}  // namespace tessera::insight
