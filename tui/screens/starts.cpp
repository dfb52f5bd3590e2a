#include "tui/screens/starts.hpp"

#include <fmt/format.h>

#include <chrono>

#include "engine/query/value.hpp"
#include "engine/text.hpp"

namespace tessera::tui {

std::string when_text(const whatif::Comparison& forecast, const std::optional<TimePoint>& at) {
  if (!at) return "no start";
  const Duration wait = *at - forecast.from;
  return wait < std::chrono::minutes(1) ? "now" : "in " + query::duration_text(wait.count() / 1000);
}

std::string start_text(const whatif::Comparison& forecast, const whatif::Moved& one) {
  const std::string user = one.user.empty() ? "" : clean(one.user, 60) + ", ";
  return fmt::format("{} ({}): {}, without the plan {}", clean(one.id.text, 100),
                     user + clean(one.request, 100), when_text(forecast, one.changed),
                     when_text(forecast, one.left));
}

}  // namespace tessera::tui
