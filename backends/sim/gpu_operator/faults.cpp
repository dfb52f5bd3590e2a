#include "backends/sim/gpu_operator/faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kWords[] = {"busy",      "error",  "drop", "slow",
                                       "half-line", "status", "half", "garbage"};

Error no_fault(std::string_view what) {
  return {"cannot arm this fault", fmt::format("\"{}\"", clean(what, 128)),
          fmt::format("{} [path=PREFIX] [method=METHOD] [nth=N] [times=N|always] [after=SECONDS] [code=NNN]",
                      fmt::join(kWords, "|"))};
}

}  // namespace

Result<ServerFault> parse_fault(std::string_view line) {
  ServerFault fault;
  bool first = true;
  while (!line.empty()) {
    std::size_t blank = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, blank);
    line.remove_prefix(std::min(line.size(), blank + 1));
    if (word.empty()) continue;
    if (first) {
      auto kind = std::find(std::begin(kWords), std::end(kWords), word);
      if (kind == std::end(kWords)) return no_fault(word);
      fault.kind = static_cast<FaultKind>(kind - std::begin(kWords));
      first = false;
      continue;
    }
    std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return no_fault(word);
    std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    std::optional<int> number = whole_number(value, 100'000);
    if (key == "path") {
      fault.path = value;
    } else if (key == "method") {
      fault.method = value;
    } else if (key == "times" && value == "always") {
      fault.times.reset();
    } else if (!number || (key != "nth" && key != "times" && key != "after" && key != "code") ||
               (key == "code" && (*number < 400 || *number > 599))) {
      return no_fault(word);
    } else {
      if (key == "nth") fault.nth = std::max(1, *number);
      if (key == "times") fault.times = std::max(1, *number);
      if (key == "after") fault.after = *number;
      if (key == "code") fault.code = *number;
    }
  }
  if (first) return no_fault("");
  return fault;
}

std::string to_text(const ServerFault& fault) {
  std::string text(kWords[static_cast<std::size_t>(fault.kind)]);
  if (!fault.path.empty()) text += " path=" + clean(fault.path, 512);
  if (!fault.method.empty()) text += " method=" + clean(fault.method, 16);
  if (fault.kind == FaultKind::status) text += fmt::format(" code={}", fault.code);
  return text + fmt::format(" nth={} times={} after={}", fault.nth,
                            fault.times ? std::to_string(*fault.times) : "always", fault.after);
}

std::optional<ServerFault> ServerFaults::strike(std::string_view method, std::string_view target) {
  std::optional<ServerFault> struck;
  for (ServerFault& fault : armed_) {
    if (!target.starts_with(fault.path) || (!fault.method.empty() && fault.method != method)) continue;
    ++fault.seen;
    if (!struck && fault.seen >= fault.nth) struck = fault;
  }
  std::erase_if(armed_, [](const ServerFault& fault) {
    return fault.times && fault.seen >= fault.nth + *fault.times - 1;
  });
  return struck;
}

}  // namespace tessera::sim::kube
