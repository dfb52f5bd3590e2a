#include "backends/sim/apiserver/api.hpp"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <span>

#include "backends/sim/apiserver/api_asked.hpp"
#include "backends/sim/apiserver/discovery.hpp"
#include "backends/sim/apiserver/protobuf.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {

HttpAnswer json_answer(int status, const Json& body) {
  return {status,
          {{"Cache-Control", "no-cache, private"}, {"Content-Type", "application/json"}},
          to_line(body) + "\n"};
}

Answer refuse(const Refusal& refusal) {
  Answer answer{json_answer(refusal.code, to_status(refusal)), std::nullopt};
  if (refusal.retry_after > 0)
    answer.http.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
  return answer;
}

std::variant<Json, Refusal> parse_body(std::string_view body) {
  if (is_protobuf(body)) {
    if (auto value = parse_protobuf(body)) return std::move(*value);
    return bad_request(
        "the object provided is unrecognized: protobuf of a kind that this server does not take");
  }
  Result<Json> parsed = parse_json(body, "body");
  if (parsed && parsed->kind == Json::Kind::map) return std::move(*parsed);
  std::string why = parsed ? "json: cannot unmarshal a value that is no object" : parsed.error().reason;
  return bad_request(fmt::format("the object provided is unrecognized (must be of type Object): {}", why));
}

namespace {

constexpr std::size_t kMostAnnotations = 256u << 10;  // bytes of keys and values (apimachinery, validation)
constexpr std::size_t kMostMapData = 1u << 20;        // bytes of a ConfigMap's values

std::vector<Cause> too_long(const ResourceKind& kind, const Json& object) {
  std::vector<Cause> causes;
  std::size_t size = 0;
  if (const Json* annotations = at(object, {"metadata", "annotations"}))
    for (const auto& [key, value] : annotations->fields) size += key.size() + value.text.size();
  if (size > kMostAnnotations)
    causes.push_back({"FieldValueTooLong",
                      fmt::format("Too long: must have at most {} bytes", kMostAnnotations),
                      "metadata.annotations"});
  size = 0;
  if (const Json* data = kind.resource == "configmaps" ? object.find("data") : nullptr)
    for (const auto& [key, value] : data->fields) size += value.text.size();
  if (size > kMostMapData)
    causes.push_back(
        {"FieldValueTooLong", fmt::format("Too long: must have at most {} bytes", kMostMapData), ""});
  return causes;
}

// A key of a ConfigMap becomes a file's name.
std::vector<Cause> bad_keys(const ResourceKind& kind, const Json& object) {
  std::vector<Cause> causes;
  const Json* data = kind.resource == "configmaps" ? object.find("data") : nullptr;
  if (!data) return causes;
  for (const auto& [key, value] : data->fields) {
    bool fine = !key.empty() && key.size() <= 253 && key != "." && key != "..";
    for (char c : key)
      fine = fine && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.');
    if (!fine)
      causes.push_back({"FieldValueInvalid",
                        fmt::format("Invalid value: {}: a valid config key must consist of alphanumeric "
                                    "characters, '-', '_' or '.'",
                                    to_line(text(clean(key, 253)))),
                        "data"});
  }
  return causes;
}

}  // namespace

std::optional<Refusal> why_undecodable(const std::vector<std::string>& unknown) {
  if (unknown.empty()) return std::nullopt;
  std::string all;
  for (const std::string& one : unknown)
    all += fmt::format("{}unknown field \"{}\"", all.empty() ? "" : ", ", one);
  return bad_request("strict decoding error: " + all);
}

std::optional<Refusal> why_invalid(const ResourceKind& kind, const Json& object) {
  const Json* metadata = object.find("metadata");
  if (!metadata || metadata->kind != Json::Kind::map) return bad_request("metadata: expected an object");
  for (const char* field : {"labels", "annotations"}) {
    const Json* map = metadata->find(field);
    if (!map || map->is_null()) continue;
    bool fine = map->kind == Json::Kind::map;
    for (const auto& [name, value] : map->fields) fine = fine && value.kind == Json::Kind::text;
    if (!fine)
      return bad_request(
          fmt::format("{} in version \"{}\" cannot be handled as a {}: json: cannot unmarshal into Go "
                      "struct field ObjectMeta.metadata.{} of type string",
                      kind.kind, kind.version, kind.kind, field));
  }
  std::string name = text_at(object, {"metadata", "name"});
  if (const Json* labels = metadata->find("labels"))
    if (std::vector<Cause> causes = bad_labels(*labels); !causes.empty())
      return invalid(kind.kind, kind.group, name, std::move(causes));
  for (std::vector<Cause> causes : {too_long(kind, object), bad_keys(kind, object)})
    if (!causes.empty()) return invalid(kind.kind, kind.group, name, std::move(causes));
  if (kind.resource == "configmaps")
    if (const Json* data = object.find("data"))
      for (const auto& [key, value] : data->fields)
        if (value.kind != Json::Kind::text)
          return bad_request(
              fmt::format("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot "
                          "unmarshal into Go struct field ConfigMap.data of type string: {}",
                          clean(key, 256)));
  if (const Json* closed = at(object, {"spec", "unschedulable"});
      kind.resource == "nodes" && closed && closed->kind != Json::Kind::boolean && !closed->is_null())
    return bad_request(
        "Node in version \"v1\" cannot be handled as a Node: json: cannot unmarshal into Go struct "
        "field NodeSpec.spec.unschedulable of type bool");
  return std::nullopt;
}

Form Api::Asked::form() const {
  std::string_view accept = request.header("Accept");
  std::string_view first = accept.substr(0, accept.find(','));
  if (first.find("as=Table") != std::string_view::npos) return Form::table;
  if (first.find("as=PartialObjectMetadata") != std::string_view::npos) return Form::metadata;
  return Form::objects;
}

RowObject Api::Asked::rows() const {
  std::string_view include = target.query_of("includeObject");
  if (include == "None") return RowObject::none;
  return include == "Object" ? RowObject::whole : RowObject::metadata;
}

// The same object under another version of its group.
Json Api::Asked::as_served(const Json& object) const {
  Json copy = object;
  if (call.kind) put(copy, "apiVersion", text(call.kind->api_version()));
  return copy;
}

Answer Api::Asked::object(const ObjectPtr& one, int status, TimePoint now) const {
  switch (form()) {
    case Form::table: {
      Json table = to_table(*call.kind, std::span(&one, 1), now, rows());
      put_at(table, {"metadata", "resourceVersion"}, text(text_at(*one, {"metadata", "resourceVersion"})));
      return {json_answer(status, table), std::nullopt};
    }
    case Form::metadata: return {json_answer(status, partial_metadata(*one)), std::nullopt};
    case Form::objects: break;
  }
  return {json_answer(status, as_served(*one)), std::nullopt};
}

Api::Api(ServedCluster& cluster) : cluster_(cluster) {}

Answer Api::answer(const User& user, const HttpRequest& request) {
  std::optional<Target> target = parse_target(request.target);
  if (!target) return refuse(bad_request("the request's path or query cannot be read"));
  if (auto document = discover_api(*target, cluster_.version(), cluster_.kinds()))
    return {{200, {{"Content-Type", document->type}}, std::move(document->body)}, std::nullopt};
  std::optional<Call> call = parse_call(request.method, *target, cluster_.kinds());
  if (!call || !call->kind->is_served_by(cluster_.version()))
    return {{404,
             {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
             "404 page not found\n"},
            std::nullopt};
  if (call->verb.empty()) return refuse(method_not_allowed());
  Access access = access_of(*call);
  if (call->kind->create_only && call->verb == "create")
    access.verb.clear();  // everyone may ask about themselves
  if (!access.verb.empty() && !user.allows(access)) return refuse(forbidden(user, access));
  Asked asked{user, request, std::move(*target), std::move(*call)};
  Answer answer = dispatch(asked);
  if (request.method != "GET") {
    if (Status ok = cluster_.settle(); !ok)
      return refuse({500, "InternalError", fmt::format("Internal error occurred: {}", to_line(ok.error()))});
  }
  return answer;
}

Answer Api::dispatch(Asked& asked) {
  const Call& call = asked.call;
  if (call.kind->create_only) return call.verb == "create" ? review(asked) : refuse(method_not_allowed());
  if (call.subresource == "eviction")
    return call.verb == "create" ? evict(asked) : refuse(method_not_allowed());
  if (call.subresource == "log" || call.subresource == "proxy") return behind(asked);
  if (call.verb == "get") return get(asked);
  if (call.verb == "list") return list(asked);
  if (call.verb == "watch") return watch(asked);
  if (call.verb == "patch") return patch(asked);
  if (call.verb == "update") return update(asked);
  if (!call.subresource.empty()) return refuse(method_not_allowed());
  if (call.verb == "create") return create(asked);
  return remove(asked);
}

Answer Api::get(Asked& asked) {
  ObjectPtr one = cluster_.objects().find(asked.key());
  if (!one) return refuse(not_found(asked.key().resource, asked.call.name));
  return asked.object(one, 200, cluster_.now());
}

namespace {

Refusal bad_version(std::string_view text) {
  return bad_request(
      fmt::format("invalid resource version \"{}\": strconv.ParseUint: parsing \"{}\": invalid syntax",
                  clean(text, 64), clean(text, 64)));
}

Refusal too_large(std::uint64_t wanted, std::uint64_t now) {
  Refusal refusal{504, "Timeout",
                  fmt::format("Timeout: Too large resource version: {}, current: {}", wanted, now)};
  refusal.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  refusal.retry_after = 1;
  return refusal;
}

}  // namespace

std::variant<Selector, Refusal> Api::Asked::selector() const {
  auto parsed =
      parse_selector(target.query_of("labelSelector"), target.query_of("fieldSelector"), call.kind->resource);
  // A watch or list of one name.
  if (auto* selector = std::get_if<Selector>(&parsed); selector && !call.name.empty())
    selector->fields.push_back({Requirement::Is::in, "metadata.name", {call.name}});
  return parsed;
}

Answer Api::list(Asked& asked) {
  auto selector = asked.selector();
  if (auto* refusal = std::get_if<Refusal>(&selector)) return refuse(*refusal);
  ListRequest request{asked.call.kind->key(), asked.call.ns, std::get<Selector>(std::move(selector))};
  request.next = asked.target.query_of("continue");
  if (std::string_view limit = asked.target.query_of("limit"); !limit.empty()) {
    auto value = whole_number<std::uint64_t>(limit);
    if (!value) return refuse(bad_request(fmt::format("invalid limit \"{}\"", clean(limit, 64))));
    request.limit = *value;
  }
  std::string_view version = asked.target.query_of("resourceVersion");
  if (!version.empty() && version != "0" && request.next.empty()) {
    auto value = whole_number<std::uint64_t>(version);
    if (!value) return refuse(bad_version(version));
    if (*value > cluster_.objects().version()) return refuse(too_large(*value, cluster_.objects().version()));
    if (asked.target.query_of("resourceVersionMatch") == "Exact") request.exact = *value;
  }
  ObjectPage page = cluster_.objects().list(request);
  if (page.refusal) return refuse(*page.refusal);
  Json metadata = object({{"resourceVersion", text(std::to_string(page.version))}});
  if (!page.next.empty()) put(metadata, "continue", text(page.next));
  if (page.remaining) put(metadata, "remainingItemCount", number(*page.remaining));
  const ResourceKind& kind = *asked.call.kind;
  if (asked.form() == Form::table) {
    Json table = to_table(kind, page.items, cluster_.now(), asked.rows());
    put(table, "metadata", std::move(metadata));
    return {json_answer(200, table), std::nullopt};
  }
  bool partial = asked.form() == Form::metadata;
  Json items = Json::list();
  for (const ObjectPtr& one : page.items) {
    Json item = partial ? partial_metadata(*one) : *one;
    // Items of a list do not repeat what they are; those of a custom resource do.
    if (!partial && !kind.custom) drop(item, "kind"), drop(item, "apiVersion");
    items.items.push_back(std::move(item));
  }
  Json whole =
      object({{"kind", text(partial ? "PartialObjectMetadataList" : std::string(kind.kind) + "List")},
              {"apiVersion", text(partial ? "meta.k8s.io/v1" : kind.api_version())},
              {"metadata", std::move(metadata)},
              {"items", std::move(items)}});
  return {json_answer(200, whole), std::nullopt};
}

Answer Api::watch(Asked& asked) {
  auto selector = asked.selector();
  if (auto* refusal = std::get_if<Refusal>(&selector)) return refuse(*refusal);
  WatchOrder order;
  order.kind = asked.call.kind;
  order.ns = asked.call.ns;
  order.selector = std::get<Selector>(std::move(selector));
  order.form = asked.form();
  order.rows = asked.rows();
  order.bookmarks = asked.target.flag("allowWatchBookmarks");
  std::string_view version = asked.target.query_of("resourceVersion");
  if (!version.empty() && version != "0") {
    order.from = whole_number<std::uint64_t>(version);
    if (!order.from) return refuse(bad_version(version));
  }
  if (auto seconds = whole_number<std::uint64_t>(asked.target.query_of("timeoutSeconds"));
      seconds && *seconds < 1'000'000)
    order.lasts = std::chrono::seconds(*seconds);
  Answer answer;
  answer.http.headers = {{"Cache-Control", "no-cache, private"}, {"Content-Type", "application/json"}};
  answer.watch = std::move(order);
  return answer;
}

namespace {

std::string_view event_word(Verb verb) {
  switch (verb) {
    case Verb::added: return "ADDED";
    case Verb::modified: return "MODIFIED";
    case Verb::deleted: return "DELETED";
  }
  return "";
}

std::string line_of(std::string_view type, const Json& object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, to_line(object));
}

// What a watcher is shown, in the form that it asked for; the first row of a table brings its columns.
struct Answerer {
  WatchOrder order;
  ServedCluster* cluster = nullptr;
  bool first = true;

  std::string line(Verb verb, const ObjectPtr& object) {
    if (order.form == Form::table) {
      Json table = to_table(*order.kind, std::span(&object, 1), cluster->now(), order.rows, first);
      put_at(table, {"metadata", "resourceVersion"}, text(text_at(*object, {"metadata", "resourceVersion"})));
      first = false;
      return line_of(event_word(verb), table);
    }
    if (order.form == Form::metadata) return line_of(event_word(verb), partial_metadata(*object));
    std::string version = order.kind->api_version();
    if (view_at(*object, {"apiVersion"}) == version) return line_of(event_word(verb), *object);
    Json copy = *object;
    put(copy, "apiVersion", text(std::move(version)));
    return line_of(event_word(verb), copy);
  }
};

}  // namespace

std::uint64_t Api::follow(const WatchOrder& order, Emit emit) {
  ObjectStore& objects = cluster_.objects();
  auto teller = std::make_shared<Answerer>(Answerer{order, &cluster_});
  if (order.from && *order.from <= objects.version()) {
    auto missed = objects.since(*order.from, order.kind->key());
    if (!missed) {
      emit(line_of("ERROR", to_status(expired(fmt::format("too old resource version: {} ({})", *order.from,
                                                          objects.version())))));
      return 0;
    }
    for (const Change& change : *missed)
      if (auto verb = seen_as(change, order.selector, order.ns))
        if (!emit(teller->line(*verb, change.object))) return 0;
  } else if (!order.from) {
    for (const ObjectPtr& one : objects.all(order.kind->key(), order.ns))
      if (order.selector.matches(*one) && !emit(teller->line(Verb::added, one))) return 0;
  }
  auto id = std::make_shared<std::uint64_t>(0);
  *id =
      objects.watch(order.kind->key(), [teller, emit = std::move(emit), id, &objects](const Change& change) {
        auto verb = seen_as(change, teller->order.selector, teller->order.ns);
        if (verb && !emit(teller->line(*verb, change.object))) objects.unwatch(*id);
      });
  return *id;
}

std::string Api::bookmark(const WatchOrder& order) const {
  Json mark =
      object({{"kind", text(std::string(order.kind->kind))},
              {"apiVersion", text(order.kind->api_version())},
              {"metadata", object({{"resourceVersion", text(std::to_string(cluster_.objects().version()))},
                                   {"creationTimestamp", Json()}})}});
  if (order.form == Form::table) {
    Json table = to_table(*order.kind, {}, cluster_.now(), order.rows, false);
    put(table, "metadata", *mark.find("metadata"));
    return line_of("BOOKMARK", table);
  }
  return line_of("BOOKMARK", mark);
}

}  // namespace tessera::sim::kube
