#include "backends/figures/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/http_client.hpp"
#include "engine/slurmconf/settings.hpp"
#include "engine/text.hpp"

namespace tessera::figures {
namespace {

// What names of namespaces, services and ports may hold (RFC 1123).
bool is_label(std::string_view text) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), allowed);
}

Error wrong(std::string_view text, std::string hint) {
  return {"cannot use this setting", "\"" + clean(text, 200) + "\"", std::move(hint)};
}

}  // namespace

std::string ServicePlace::target() const {
  return fmt::format("/api/v1/namespaces/{}/services/{}{}:{}/proxy", url_escape(name_space),
                     https ? "https:" : "", url_escape(service), url_escape(port));
}

Result<ServicePlace> parse_service_place(std::string_view text) {
  constexpr std::string_view kHttps = "https:";
  const Error error = wrong(text, "NAMESPACE/SERVICE:PORT, like monitoring/prometheus-k8s:9090");
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return error;
  ServicePlace place;
  place.name_space = text.substr(0, slash);
  std::string_view rest = text.substr(slash + 1);
  place.https = rest.starts_with(kHttps);
  if (place.https) rest.remove_prefix(kHttps.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return error;
  place.service = rest.substr(0, colon);
  place.port = rest.substr(colon + 1);
  if (!is_label(place.name_space) || !is_label(place.service) || !is_label(place.port)) return error;
  return place;
}

Result<std::string> parse_root_url(std::string_view text) {
  const bool web = text.starts_with("http://") || text.starts_with("https://");
  const bool plain =
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (!web || !plain || text.find_first_of("?#\"'`") != std::string_view::npos)
    return wrong(text, "the root of the server: http://prometheus.site:9090");
  const std::string_view host = text.substr(text.find("//") + 2);
  if (host.substr(0, host.find('/')).find('@') != std::string_view::npos)
    return wrong("(a URL with a login in it)", "keep logins out of URLs: curl reads them from a netrc file");
  std::string root(text);
  while (root.ends_with('/')) root.pop_back();
  if (root.size() <= std::string_view("https:/").size())
    return wrong(text, "the root of the server: http://prometheus.site:9090");
  return root;
}

Result<std::vector<std::string>> parse_command_with(std::string_view text, std::string_view place) {
  auto words = slurmconf::split_command(text);
  if (!words) return wrong(text, words.error().reason + ": " + words.error().hint);
  const bool there = std::any_of(words->begin(), words->end(), [&](const std::string& word) {
    return word.find(place) != std::string::npos;
  });
  if (!there || words->front().find(place) != std::string::npos)
    return wrong(text, fmt::format("a command with {} in one of its words", place));
  return words;
}

}  // namespace tessera::figures
