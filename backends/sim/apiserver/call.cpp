#include "backends/sim/apiserver/call.hpp"

#include <algorithm>

namespace tessera::sim::kube {
namespace {

constexpr std::size_t kMostTarget = 16'384;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text, bool query) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (query && text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return std::nullopt;
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    }
    if (out.back() == '\0') return std::nullopt;
  }
  return out;
}

std::string verb_of(std::string_view method, const Target& target, const Call& call) {
  bool one = !call.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (target.flag("watch")) return "watch";
    return one ? "get" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT" && one) return "update";
  if (method == "PATCH" && one) return "patch";
  if (method == "DELETE") return one ? "delete" : "deletecollection";
  return "";
}

}  // namespace

std::string_view Target::query_of(std::string_view name) const {
  auto found = query.find(name);
  return found == query.end() ? std::string_view() : std::string_view(found->second);
}

bool Target::flag(std::string_view name) const {
  std::string_view value = query_of(name);
  return value == "true" || value == "1";
}

std::optional<Target> parse_target(std::string_view text) {
  if (text.empty() || text.front() != '/' || text.size() > kMostTarget) return std::nullopt;
  Target target;
  std::size_t question = text.find('?');
  std::string_view path = text.substr(0, question);
  auto whole = decode(path, false);
  if (!whole) return std::nullopt;
  target.path = std::move(*whole);
  while (!path.empty()) {
    path.remove_prefix(1);
    std::size_t slash = path.find('/');
    auto part = decode(path.substr(0, slash), false);
    if (!part) return std::nullopt;
    if (!part->empty()) target.parts.push_back(std::move(*part));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash);
  }
  std::string_view query =
      question == std::string_view::npos ? std::string_view() : text.substr(question + 1);
  while (!query.empty()) {
    std::size_t end = std::min(query.find('&'), query.size());
    std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(query.size(), end + 1));
    std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals), true);
    auto value = decode(pair.substr(std::min(pair.size(), equals + 1)), true);
    if (!name || !value) return std::nullopt;
    target.query.emplace(std::move(*name), std::move(*value));
  }
  return target;
}

std::optional<Call> parse_call(std::string_view method, const Target& target, const Kinds& kinds) {
  const std::vector<std::string>& parts = target.parts;
  std::size_t at = 0;
  std::string_view group, version;
  if (parts.size() >= 3 && parts[0] == "api") {
    version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    group = parts[1];
    version = parts[2];
    at = 3;
  } else {
    return std::nullopt;
  }
  Call call;
  // "namespaces/x/pods": in a namespace; "namespaces/x": the namespace itself.
  if (parts[at] == "namespaces" && parts.size() >= at + 3 && parts[at + 2] != "status" &&
      parts[at + 2] != "finalize") {
    call.ns = parts[at + 1];
    at += 2;
  }
  call.kind = kinds.find(group, version, parts[at]);
  if (!call.kind || (!call.ns.empty() && !call.kind->namespaced)) return std::nullopt;
  if (parts.size() > at + 1) call.name = parts[at + 1];
  if (parts.size() > at + 2) call.subresource = parts[at + 2];
  if (!call.subresource.empty() && !call.kind->has(call.subresource)) return std::nullopt;
  if (call.subresource == "proxy") {
    call.rest = "/";
    for (std::size_t i = at + 3; i < parts.size(); ++i) call.rest += (i > at + 3 ? "/" : "") + parts[i];
  } else if (parts.size() > at + 3) {
    return std::nullopt;
  }
  if (call.kind->namespaced && !call.name.empty() && call.ns.empty()) return std::nullopt;
  call.verb = verb_of(method, target, call);
  return call;
}

}  // namespace tessera::sim::kube
