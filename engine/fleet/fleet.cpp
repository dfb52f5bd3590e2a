#include "engine/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/fleet/in_order.hpp"

namespace tessera::fleet {

bool Fleet::has_windows() const {
  return std::any_of(pools.begin(), pools.end(), [](const Pool& pool) { return !pool.windows.empty(); });
}

bool Pool::is_exception(const std::string& node) const {
  return std::any_of(exceptions.begin(), exceptions.end(),
                     [&](const Exception& one) { return one.nodes.contains(node); });
}

bool same_rule(const Rule& a, const Rule& b) {
  return a.kind == b.kind && a.wish == b.wish && a.preset == b.preset && a.demand == b.demand;
}

std::string_view word(OnFailure what) { return what == OnFailure::stop ? "stop" : "go-on"; }

std::string to_text(const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::as_is: return "as it is";
    case Rule::Kind::preset: return rule.preset;
    case Rule::Kind::demand: {
      std::string text;
      for (const auto& [profile, count] : rule.demand)
        text += fmt::format("{}>={} {}", text.empty() ? "" : ", ", count, profile);
      return text;
    }
    case Rule::Kind::wish: break;
  }
  std::string text;
  for (const plan::BoardWish& one : rule.wish.boards)
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        one.gpu ? fmt::format("GPU {}: ", one.gpu->value) : "",
                        plan::to_text(in_order(one.wish)));
  return text;
}

}  // namespace tessera::fleet
