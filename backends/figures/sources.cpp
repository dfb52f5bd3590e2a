#include "backends/figures/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "backends/figures/prometheus.hpp"

namespace tessera::figures {
namespace {

constexpr std::size_t kMostMetrics = 8u << 20;  // bytes; eight GPUs of seven instances tell half a megabyte
constexpr Duration kExporterAnswer{10000};

Error in(std::string_view setting, Error error) {
  error.reason = std::string(setting) + ": " + error.reason;
  return error;
}

std::string value_of(const std::map<std::string, std::string>& by_setting, const std::string& name) {
  const auto found = by_setting.find(name);
  return found == by_setting.end() ? std::string() : found->second;
}

// Which of two is to be asked is not guessed: the figures of the other one would be missing in silence.
Error too_many(std::string reason) {
  return {"cannot use this setting", std::move(reason),
          "keep one of them: a service for Kubernetes and a URL for Slurm may stand side by side"};
}

Status read_places(std::string_view text, FigureSources& sources) {
  std::string_view service;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find("://") != std::string_view::npos) {
      auto url = parse_root_url(one);
      if (!url) return url.error();
      if (!sources.url.empty())
        return too_many(fmt::format("two URLs are named: {} and {}", sources.url, *url));
      sources.url = std::move(*url);
    } else {
      auto place = parse_service_place(one);
      if (!place) return place.error();
      if (sources.service) return too_many(fmt::format("two services are named: {} and {}", service, one));
      sources.service = std::move(*place), service = one;
    }
  }
  return Done{};
}

Result<std::optional<SiteCommand>> read_command(const std::string& text, std::string_view place,
                                                Duration deadline, std::size_t most) {
  if (text.empty()) return std::optional<SiteCommand>();
  auto words = parse_command_with(text, place);
  if (!words) return words.error();
  return std::optional(SiteCommand{std::move(*words), place, deadline, most});
}

}  // namespace

Result<FigureSources> read_figure_sources(const std::map<std::string, std::string>& by_setting) {
  FigureSources sources;
  if (Status read = read_places(value_of(by_setting, "prometheus"), sources); !read)
    return in("prometheus", read.error());
  auto prometheus =
      read_command(value_of(by_setting, "prometheus-command"), "{url}", kPrometheusAnswer, kMostPrometheus);
  if (!prometheus) return in("prometheus-command", prometheus.error());
  sources.prometheus = std::move(*prometheus);
  auto exporter =
      read_command(value_of(by_setting, "slurm-exporter"), "{node}", kExporterAnswer, kMostMetrics);
  if (!exporter) return in("slurm-exporter", exporter.error());
  sources.exporter = std::move(*exporter);
  if (sources.exporter && !sources.url.empty())
    return Error{"cannot use this setting", "slurm-exporter: Prometheus is asked for the same figures",
                 "leave out slurm-exporter, or the URL of prometheus"};
  if (sources.url.empty() != !sources.prometheus)
    return sources.url.empty()
               ? Error{"cannot use this setting", "prometheus-command: there is no URL to ask for",
                       "add the server's root: prometheus: http://prometheus.site:9090"}
               : Error{"cannot use this setting", "prometheus: a URL is asked for by a command of the site's",
                       "add prometheus-command: curl -sSf --max-time 10 {url}"};
  return sources;
}

}  // namespace tessera::figures
