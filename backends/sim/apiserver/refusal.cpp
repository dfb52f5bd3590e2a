#include "backends/sim/apiserver/refusal.hpp"

#include <fmt/format.h>

namespace tessera::sim::kube {

std::string_view group_of(std::string_view resource) {
  std::size_t dot = resource.find('.');
  return dot == std::string_view::npos ? std::string_view() : resource.substr(dot + 1);
}

std::string_view plural_of(std::string_view resource) { return resource.substr(0, resource.find('.')); }

Json to_status(const Refusal& refusal) {
  Json metadata = Json::map();
  if (!refusal.next.empty()) put(metadata, "continue", text(refusal.next));
  Json status = object({{"kind", text("Status")},
                        {"apiVersion", text("v1")},
                        {"metadata", std::move(metadata)},
                        {"status", text("Failure")},
                        {"message", text(refusal.message)}});
  if (!refusal.reason.empty()) put(status, "reason", text(refusal.reason));
  Json details = Json::map();
  if (!refusal.name.empty()) put(details, "name", text(refusal.name));
  if (!refusal.group.empty()) put(details, "group", text(refusal.group));
  if (!refusal.kind.empty()) put(details, "kind", text(refusal.kind));
  if (!refusal.causes.empty()) {
    Json causes = Json::list();
    for (const Cause& cause : refusal.causes) {
      Json one = object({{"reason", text(cause.reason)}, {"message", text(cause.message)}});
      if (!cause.field.empty()) put(one, "field", text(cause.field));
      causes.items.push_back(std::move(one));
    }
    put(details, "causes", std::move(causes));
  }
  if (refusal.retry_after > 0) put(details, "retryAfterSeconds", number(refusal.retry_after));
  if (!details.fields.empty()) put(status, "details", std::move(details));
  put(status, "code", number(refusal.code));
  return status;
}

namespace {

Refusal about(int code, std::string_view reason, std::string message, std::string_view resource,
              std::string_view name) {
  Refusal refusal{code, std::string(reason), std::move(message)};
  refusal.name = name;
  refusal.group = group_of(resource);
  refusal.kind = plural_of(resource);
  return refusal;
}

}  // namespace

Refusal not_found(std::string_view resource, std::string_view name) {
  return about(404, "NotFound", fmt::format("{} \"{}\" not found", resource, name), resource, name);
}

Refusal already_exists(std::string_view resource, std::string_view name) {
  return about(409, "AlreadyExists", fmt::format("{} \"{}\" already exists", resource, name), resource, name);
}

Refusal conflict(std::string_view resource, std::string_view name, std::string_view why) {
  if (why.empty())
    why = "the object has been modified; please apply your changes to the latest version and try again";
  return about(409, "Conflict",
               fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource, name, why), resource,
               name);
}

Refusal bad_request(std::string message) { return {400, "BadRequest", std::move(message)}; }

Refusal invalid(std::string_view kind, std::string_view group, std::string_view name,
                std::vector<Cause> causes) {
  std::string all;
  // One sentence for each, but the same sentence once, as the server aggregates them.
  std::vector<std::string> said;
  for (const Cause& cause : causes) {
    std::string one = cause.field + ": " + cause.message;
    bool again = false;
    for (const std::string& old : said) again = again || old == one;
    if (!again) said.push_back(one);
  }
  for (const std::string& one : said) all += (all.empty() ? "" : ", ") + one;
  if (said.size() > 1) all = "[" + all + "]";
  std::string shown(kind);
  if (!group.empty()) shown += "." + std::string(group);
  Refusal refusal{422, "Invalid", fmt::format("{} \"{}\" is invalid: {}", shown, name, all)};
  refusal.name = name;
  refusal.group = group;
  refusal.kind = kind;
  refusal.causes = std::move(causes);
  return refusal;
}

Refusal expired(std::string message) { return {410, "Expired", std::move(message)}; }

Refusal method_not_allowed() {
  return {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"};
}

Refusal unsupported_media(std::string_view accepted) {
  return {415, "UnsupportedMediaType",
          fmt::format("the body of the request was in an unknown format - accepted media types include: {}",
                      accepted)};
}

}  // namespace tessera::sim::kube
