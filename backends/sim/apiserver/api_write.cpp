// Requests that change something, and those that reach into a pod.
#include <fmt/format.h>

#include <memory>

#include "backends/sim/apiserver/api_asked.hpp"
#include "backends/sim/apiserver/managed_fields.hpp"
#include "backends/sim/apiserver/patch.hpp"
#include "backends/sim/apiserver/schema.hpp"
#include "backends/sim/random.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
constexpr std::string_view kJsonPatch = "application/json-patch+json";

std::string_view media_of(const HttpRequest& request) {
  std::string_view type = request.header("Content-Type");
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return type;
}

bool is_name(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  for (char c : name)
    if (!(c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))) return false;
  return name.front() != '-' && name.front() != '.' && name.back() != '-' && name.back() != '.';
}

std::string generated(std::uint64_t seed, std::uint64_t count) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t drawn = draw(seed, 103, count);
  std::string text;
  for (int i = 0; i < 5; ++i, drawn /= kLetters.size()) text += kLetters[drawn % kLetters.size()];
  return text;
}

// A subresource "status" writes the status alone, everything else leaves it as it is.
Json part_that_counts(const Json& old, Json fresh, bool status) {
  const Json* kept = old.find("status");
  if (!status) {
    if (kept) {
      put(fresh, "status", *kept);
    } else {
      drop(fresh, "status");
    }
    return fresh;
  }
  Json copy = old;
  if (const Json* wanted = fresh.find("status")) put(copy, "status", *wanted);
  return copy;
}

// DeleteOptions, from the body or the query.
struct WriteOptions {
  std::optional<Duration> grace;
  std::string uid, version;
};
WriteOptions options_of(const Json& body, const Target& target) {
  WriteOptions options;
  std::int64_t grace = number_at(body, {"gracePeriodSeconds"}, -1);
  std::string_view asked = target.query_of("gracePeriodSeconds");
  if (grace < 0 && !asked.empty() && asked.find_first_not_of("0123456789") == std::string_view::npos &&
      asked.size() < 8)
    grace = std::stoll(std::string(asked));
  if (grace >= 0 && grace < 10'000'000) options.grace = std::chrono::seconds(grace);
  options.uid = text_at(body, {"preconditions", "uid"});
  options.version = text_at(body, {"preconditions", "resourceVersion"});
  return options;
}

Json success(const Key& key, const ResourceKind& kind, const ObjectPtr& gone) {
  Json details = object({{"name", text(key.name)}});
  if (!kind.group.empty()) put(details, "group", text(std::string(kind.group)));
  put(details, "kind", text(std::string(kind.resource)));
  if (gone) put(details, "uid", text(text_at(*gone, {"metadata", "uid"})));
  return object({{"kind", text("Status")},
                 {"apiVersion", text("v1")},
                 {"metadata", Json::map()},
                 {"status", text("Success")},
                 {"details", std::move(details)}});
}

}  // namespace

Answer Api::create(Asked& asked) {
  auto body = parse_body(asked.request.body);
  if (auto* refusal = std::get_if<Refusal>(&body)) return refuse(*refusal);
  Json fresh = std::get<Json>(std::move(body));
  const ResourceKind& kind = *asked.call.kind;
  if (kind.namespaced && asked.call.ns.empty())
    return refuse(bad_request("an empty namespace may not be set during creation"));
  std::string ns = text_at(fresh, {"metadata", "namespace"});
  if (!ns.empty() && ns != asked.call.ns)
    return refuse(
        bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  if (kind.namespaced && !cluster_.objects().find({"namespaces", "", asked.call.ns}))
    return refuse(not_found("namespaces", asked.call.ns));
  if (view_at(fresh, {"kind"}) != kind.kind)
    return refuse(bad_request(
        fmt::format("{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered", kind.kind,
                    kind.version, kind.kind, clean(view_at(fresh, {"kind"}), 64))));
  child(fresh, "metadata");
  Key key = asked.key();
  key.name = text_at(fresh, {"metadata", "name"});
  if (std::string prefix = text_at(fresh, {"metadata", "generateName"}); key.name.empty() && !prefix.empty())
    key.name = prefix + generated(cluster_.seed(), cluster_.objects().version());
  if (!is_name(key.name)) {
    std::string why = key.name.empty()
                          ? "Required value: name or generateName is required"
                          : fmt::format(
                                "Invalid value: {}: a lowercase RFC 1123 subdomain must consist of lower "
                                "case alphanumeric characters, '-' or '.', and must start and end with "
                                "an alphanumeric character",
                                to_line(text(clean(key.name, 253))));
    return refuse(
        invalid(kind.kind, kind.group, clean(key.name, 253),
                {{key.name.empty() ? "FieldValueRequired" : "FieldValueInvalid", why, "metadata.name"}}));
  }
  if (asked.strict())
    if (auto refusal = why_undecodable(unknown_fields(kind, fresh))) return refuse(*refusal);
  prune(kind, fresh);
  put_at(fresh, {"metadata", "name"}, text(key.name));
  if (auto refusal = why_invalid(kind, fresh)) return refuse(*refusal);
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp"})
    drop(child(fresh, "metadata"), field);
  if (asked.dry_run())
    return asked.object(std::make_shared<const Json>(std::move(fresh)), 201, cluster_.now());
  Written written = kind.resource == "pods" ? cluster_.create_pod(key, std::move(fresh))
                                            : cluster_.objects().create(key, std::move(fresh));
  if (!written.ok()) return refuse(*written.refusal);
  return asked.object(written.object, 201, cluster_.now());
}

Answer Api::store_changed(Asked& asked, const Json& old, Json fresh, std::optional<std::string> expected) {
  const ResourceKind& kind = *asked.call.kind;
  for (const char* field : {"name", "namespace", "uid"}) {
    std::string before = text_at(old, {"metadata", field}), after = text_at(fresh, {"metadata", field});
    if (std::string_view(field) == "name" && before != after)
      return refuse(bad_request(fmt::format(
          "the name of the object ({}) does not match the name on the URL ({})", clean(after, 253), before)));
    if (std::string_view(field) == "uid" && !after.empty() && before != after)
      return refuse(
          conflict(kind.key(), asked.call.name,
                   fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                               clean(after, 64), before)));
  }
  if (asked.strict())
    if (auto refusal = why_undecodable(unknown_fields(kind, fresh))) return refuse(*refusal);
  prune(kind, fresh);
  if (auto refusal = why_invalid(kind, fresh)) return refuse(*refusal);
  put(fresh, "kind", text(std::string(kind.kind)));
  put(fresh, "apiVersion", text(text_at(old, {"apiVersion"})));
  fresh = part_that_counts(old, std::move(fresh), asked.call.subresource == "status");
  // Of other kinds what counts is not in labels and annotations: half of it would mislead whoever asks.
  if (kind.resource == "nodes")
    note_write(old, fresh,
               manager_of(asked.target.query_of("fieldManager"), asked.request.header("User-Agent")),
               cluster_.now());
  if (asked.dry_run())
    return asked.object(std::make_shared<const Json>(std::move(fresh)), 200, cluster_.now());
  Written written = cluster_.objects().update(asked.key(), std::move(fresh), std::move(expected));
  if (!written.ok()) return refuse(*written.refusal);
  return asked.object(written.object, 200, cluster_.now());
}

Answer Api::update(Asked& asked) {
  ObjectPtr old = cluster_.objects().find(asked.key());
  if (!old) return refuse(not_found(asked.key().resource, asked.call.name));
  auto body = parse_body(asked.request.body);
  if (auto* refusal = std::get_if<Refusal>(&body)) return refuse(*refusal);
  Json fresh = std::get<Json>(std::move(body));
  std::string seen = text_at(fresh, {"metadata", "resourceVersion"});
  return store_changed(asked, *old, std::move(fresh), seen.empty() ? std::nullopt : std::optional(seen));
}

Answer Api::patch(Asked& asked) {
  ObjectPtr old = cluster_.objects().find(asked.key());
  std::string_view media = media_of(asked.request);
  bool custom = asked.call.kind->custom;
  if (media != kMerge && media != kJsonPatch && (media != kStrategic || custom))
    return refuse(unsupported_media(custom ? "application/json-patch+json, application/merge-patch+json"
                                           : "application/json-patch+json, application/merge-patch+json, "
                                             "application/strategic-merge-patch+json"));
  if (!old) return refuse(not_found(asked.key().resource, asked.call.name));
  Result<Json> parsed = parse_json(asked.request.body, "patch");
  if (!parsed) return refuse(bad_request(fmt::format("error decoding patch: {}", parsed.error().reason)));
  std::variant<Json, Refusal> merged = Json();
  if (media == kJsonPatch) {
    merged = json_patch(*old, *parsed);
  } else if (parsed->kind != Json::Kind::map) {
    return refuse(bad_request("error decoding patch: json: cannot unmarshal a value that is no object"));
  } else if (media == kMerge) {
    merged = merge_patch(*old, *parsed);
  } else {
    merged = strategic_patch(*old, *parsed);
  }
  if (auto* refusal = std::get_if<Refusal>(&merged)) return refuse(*refusal);
  Json fresh = std::get<Json>(std::move(merged));
  if (fresh.kind != Json::Kind::map) return refuse(bad_request("the patch leaves no object"));
  // A patch that names a version is one that must not be overtaken.
  std::string seen = text_at(fresh, {"metadata", "resourceVersion"});
  bool named = seen != text_at(*old, {"metadata", "resourceVersion"});
  return store_changed(asked, *old, std::move(fresh), named ? std::optional(seen) : std::nullopt);
}

Answer Api::remove(Asked& asked) {
  Json body = Json::map();
  if (!asked.request.body.empty()) {
    auto parsed = parse_body(asked.request.body);
    if (auto* refusal = std::get_if<Refusal>(&parsed)) return refuse(*refusal);
    body = std::get<Json>(std::move(parsed));
  }
  WriteOptions options = options_of(body, asked.target);
  bool pods = asked.call.kind->resource == "pods";
  if (!asked.call.name.empty()) {
    ObjectPtr there = cluster_.objects().find(asked.key());
    if (!there) return refuse(not_found(asked.key().resource, asked.call.name));
    if (asked.dry_run()) return asked.object(there, 200, cluster_.now());
    Written written = pods ? cluster_.delete_pod(asked.key(), options.grace, options.uid, options.version)
                           : cluster_.objects().remove(asked.key(), options.uid, options.version);
    if (!written.ok()) return refuse(*written.refusal);
    if (pods) return asked.object(written.object, 200, cluster_.now());
    return {json_answer(200, success(asked.key(), *asked.call.kind, written.object)), std::nullopt};
  }
  auto selector = asked.selector();
  if (auto* refusal = std::get_if<Refusal>(&selector)) return refuse(*refusal);
  for (const ObjectPtr& one : cluster_.objects().all(asked.call.kind->key(), asked.call.ns)) {
    if (!std::get<Selector>(selector).matches(*one)) continue;
    Key key{asked.call.kind->key(), text_at(*one, {"metadata", "namespace"}),
            text_at(*one, {"metadata", "name"})};
    if (asked.dry_run()) continue;
    if (pods) {
      cluster_.delete_pod(key, options.grace);
    } else {
      cluster_.objects().erase(key);
    }
  }
  return list(asked);
}

// policy/v1 and v1beta1 post the same to pods/NAME/eviction; servers before 1.22 know the older one only.
Answer Api::evict(Asked& asked) {
  auto body = parse_body(asked.request.body);
  if (auto* refusal = std::get_if<Refusal>(&body)) return refuse(*refusal);
  const Json& eviction = std::get<Json>(body);
  if (view_at(eviction, {"kind"}) != "Eviction")
    return refuse(bad_request("an Eviction of policy/v1 or policy/v1beta1 is expected"));
  std::string version = text_at(eviction, {"apiVersion"});
  bool old = version == "policy/v1beta1";
  if (!old && (version != "policy/v1" || eviction_version(cluster_.version()) != "v1"))
    return refuse(
        bad_request(fmt::format("no kind \"Eviction\" is registered for version \"{}\" in scheme "
                                "\"pkg/api/legacyscheme/scheme.go:30\"",
                                clean(version, 64))));
  if (asked.strict())
    if (auto refusal = why_undecodable(unknown_in_eviction(eviction))) return refuse(*refusal);
  if (text_at(eviction, {"metadata", "name"}) != asked.call.name)
    return refuse(bad_request("name in URL does not match name in Eviction object"));
  const Json* given = eviction.find("deleteOptions");
  WriteOptions options = options_of(given ? *given : Json::map(), asked.target);
  if (!asked.dry_run()) {
    Written written =
        cluster_.evict_pod({"pods", asked.call.ns, asked.call.name}, options.grace, options.uid);
    if (!written.ok()) return refuse(*written.refusal);
  }
  Json done = object({{"kind", text("Status")},
                      {"apiVersion", text("v1")},
                      {"metadata", Json::map()},
                      {"status", text("Success")},
                      {"code", number(201)}});
  return {json_answer(201, done), std::nullopt};
}

Answer Api::review(Asked& asked) {
  auto body = parse_body(asked.request.body);
  if (auto* refusal = std::get_if<Refusal>(&body)) return refuse(*refusal);
  const Json& posted = std::get<Json>(body);
  std::string_view resource = asked.call.kind->resource;
  Json reviewed = resource == "selfsubjectaccessreviews"  ? review_access(asked.user, posted)
                  : resource == "selfsubjectrulesreviews" ? review_rules(asked.user, posted)
                                                          : review_self(asked.user);
  return {json_answer(201, reviewed), std::nullopt};
}

// pods/NAME/log and pods/[SCHEME:]NAME[:PORT]/proxy.
Answer Api::behind(Asked& asked) {
  Behind behind;
  behind.logs = asked.call.subresource == "log";
  behind.path = asked.call.rest;
  behind.container = asked.target.query_of("container");
  std::string name = asked.call.name;
  if (!behind.logs) {
    if (name.starts_with("http:")) name.erase(0, 5);
    if (name.starts_with("https:")) {
      behind.https = true;
      name.erase(0, 6);
    }
    if (std::size_t colon = name.find(':'); colon != std::string::npos) {
      behind.port = name.substr(colon + 1);
      name.resize(colon);
    }
  }
  behind.pod = {"pods", asked.call.ns, name};
  ObjectPtr pod = cluster_.objects().find(behind.pod);
  if (!pod) return refuse(not_found("pods", name));
  const Json* containers = at(*pod, {"spec", "containers"});
  if (behind.logs && !behind.container.empty()) {
    bool known = false;
    for (const Json& one : containers ? containers->items : std::vector<Json>())
      known = known || view_at(one, {"name"}) == behind.container;
    if (!known)
      return refuse(bad_request(
          fmt::format("container {} is not valid for pod {}", clean(behind.container, 253), name)));
  }
  if (behind.container.empty() && containers && !containers->items.empty())
    behind.container = text_at(containers->items.front(), {"name"});
  if (view_at(*pod, {"status", "phase"}) != "Running")
    return refuse(bad_request(fmt::format(
        "container \"{}\" in pod \"{}\" is waiting to start: ContainerCreating", behind.container, name)));
  for (const Hook& hook : hooks_)
    if (auto answer = hook(behind)) return {std::move(*answer), std::nullopt};
  if (behind.logs) {
    std::string line =
        fmt::format("{} {} started\n", text_at(*pod, {"status", "startTime"}), behind.container);
    return {{200, {{"Content-Type", "text/plain"}}, std::move(line)}, std::nullopt};
  }
  return refuse({503, "ServiceUnavailable",
                 fmt::format("error trying to reach service: dial tcp {}:{}: connect: connection refused",
                             text_at(*pod, {"status", "podIP"}), clean(behind.port, 16))});
}

}  // namespace tessera::sim::kube
