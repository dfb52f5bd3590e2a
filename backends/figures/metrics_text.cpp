#include "backends/figures/metrics_text.hpp"

#include <algorithm>
#include <charconv>

#include "engine/text.hpp"

namespace tessera::figures {
namespace {

constexpr std::size_t kLongestMetric = 16384;  // bytes of a line
constexpr std::size_t kMostMetricLabels = 64;
constexpr std::size_t kLongestMetricLabel = 512;

bool is_metric_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

std::string_view take_name(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && is_metric_name(rest[end])) ++end;
  std::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  return name;
}

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
}

// What stands between quotes, up to and with the closing one; false: it does not end.
bool take_quoted(std::string_view& rest, std::string& value) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return true;
    }
    if (rest[i] != '\\') {
      value += rest[i];
      continue;
    }
    if (++i == rest.size()) return false;
    value += rest[i] == 'n' ? '\n' : rest[i];
  }
  return false;
}

// "{a="1",b="2"}"; nullptr: well, else what is wrong.
const char* take_labels(std::string_view& rest, MetricLine& line) {
  rest.remove_prefix(1);
  while (true) {
    skip_blanks(rest);
    if (!rest.empty() && rest.front() == '}') break;
    std::string_view name = take_name(rest);
    skip_blanks(rest);
    if (name.empty() || rest.empty() || rest.front() != '=') return "a label has no name or no value";
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (rest.empty() || rest.front() != '"') return "a label's value is not quoted";
    rest.remove_prefix(1);
    std::string value;
    if (!take_quoted(rest, value)) return "the labels do not end";
    if (line.labels.size() == kMostMetricLabels) return "it has too many labels";
    line.labels.emplace_back(name, clean(value, kLongestMetricLabel));
    skip_blanks(rest);
    if (!rest.empty() && rest.front() == ',')
      rest.remove_prefix(1);
    else if (rest.empty() || rest.front() != '}')
      return "the labels do not end";
  }
  rest.remove_prefix(1);
  return nullptr;
}

// A number, and perhaps a time behind it, which is not needed here.
const char* take_value(std::string_view rest, double& value) {
  skip_blanks(rest);
  if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
  auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (code != std::errc()) return "its value is no number";
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return "its value is no number";
  return nullptr;
}

const char* take_metric(std::string_view rest, MetricLine& line) {
  skip_blanks(rest);
  if (!rest.empty() && rest.front() == '{')
    if (const char* wrong = take_labels(rest, line)) return wrong;
  return take_value(rest, line.value);
}

}  // namespace

std::string_view MetricLine::label(std::string_view key) const {
  auto found = std::find_if(labels.begin(), labels.end(), [&](const auto& one) { return one.first == key; });
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<double> read_metric_value(std::string_view text) {
  double value = 0;
  if (take_value(text, value)) return std::nullopt;
  return value;
}

MetricsRead read_metrics(std::string_view text, const std::function<bool(std::string_view)>& wanted,
                         const std::function<void(const MetricLine&)>& told) {
  MetricsRead read;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    skip_blanks(rest);
    if (rest.empty() || rest.front() == '#') continue;
    MetricLine line;
    line.name = take_name(rest);
    if (line.name.empty() || !wanted(line.name)) continue;
    const char* wrong = rest.size() > kLongestMetric ? "it is too long" : take_metric(rest, line);
    if (!wrong) {
      ++read.told;
      told(line);
    } else if (read.skipped++ == 0) {
      read.problem = "line " + std::to_string(number) + ": " + wrong;
    }
  }
  return read;
}

}  // namespace tessera::figures
