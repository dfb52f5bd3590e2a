#include "engine/record/step.hpp"

namespace tessera::record {

Duration far_apart(const PaceReport& pace) {
  if (longest_step(pace) <= kShortestGap) return Duration{0};
  return std::chrono::ceil<std::chrono::minutes>(std::max(pace.interval, pace.figures));
}

std::string_view word(Stop stop) {
  switch (stop) {
    case Stop::unknown: break;
    case Stop::ended: return "ended";
    case Stop::cut: return "cut-off";
    case Stop::silent: return "silent";
    case Stop::damaged: return "damaged";
    case Stop::set_back: return "set-back";
  }
  return "unknown";
}

std::string_view because(Stop stop) {
  switch (stop) {
    case Stop::unknown: break;
    case Stop::ended: return "the recorder was ended there";
    case Stop::cut:
      return "the recorder was cut off there (killed, no room on its disk, or the machine went down)";
    case Stop::silent:
      return "the recorder ran and wrote nothing (no room on its disk, a clock that was set, or the machine "
             "slept)";
    case Stop::damaged: return "what was recorded there is damaged (tessera record list names the file)";
    case Stop::set_back: return "the recorder's clock was set back there";
  }
  return "";
}

std::string with_reason(std::string text, Stop stop) {
  const std::string_view words = because(stop);
  if (!words.empty()) (text += ": ") += words;
  return text;
}

Stop stop_between(const Written& before, const std::optional<Written>& after) {
  if (!before.began) return Stop::unknown;
  if (before.ended) return Stop::ended;
  return after && after->began == before.began ? Stop::silent : Stop::cut;
}

}  // namespace tessera::record
