#include "backends/sim/apiserver/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

struct Column {
  std::string_view name, type, format;
  int priority;
};
constexpr Column kName{"Name", "string", "name", 0};
constexpr Column kAge{"Age", "string", "", 0};

std::vector<Column> columns_of(const ResourceKind& kind) {
  const std::string_view resource = kind.resource;
  if (!kind.columns.empty()) {
    std::vector<Column> all{kName};
    for (const PrintedColumn& one : kind.columns) all.push_back({one.name, one.type, "", 0});
    return all;
  }
  if (resource == "nodes")
    return {kName,
            {"Status", "string", "", 0},
            {"Roles", "string", "", 0},
            kAge,
            {"Version", "string", "", 0},
            {"Internal-IP", "string", "", 1},
            {"External-IP", "string", "", 1},
            {"OS-Image", "string", "", 1},
            {"Kernel-Version", "string", "", 1},
            {"Container-Runtime", "string", "", 1}};
  if (resource == "pods")
    return {kName,
            {"Ready", "string", "", 0},
            {"Status", "string", "", 0},
            {"Restarts", "string", "", 0},
            kAge,
            {"IP", "string", "", 1},
            {"Node", "string", "", 1},
            {"Nominated Node", "string", "", 1},
            {"Readiness Gates", "string", "", 1}};
  if (resource == "configmaps") return {kName, {"Data", "integer", "", 0}, kAge};
  if (resource == "namespaces") return {kName, {"Status", "string", "", 0}, kAge};
  if (resource == "events")
    return {{"Last Seen", "string", "", 0},
            {"Type", "string", "", 0},
            {"Reason", "string", "", 0},
            {"Object", "string", "", 0},
            {"Message", "string", "", 0}};
  if (resource == "daemonsets")
    return {kName,
            {"Desired", "integer", "", 0},
            {"Current", "integer", "", 0},
            {"Ready", "integer", "", 0},
            {"Up-to-date", "integer", "", 0},
            {"Available", "integer", "", 0},
            {"Node Selector", "string", "", 0},
            kAge};
  if (resource == "replicasets")
    return {kName,
            {"Desired", "integer", "", 0},
            {"Current", "integer", "", 0},
            {"Ready", "integer", "", 0},
            kAge};
  if (resource == "poddisruptionbudgets")
    return {kName,
            {"Min Available", "string", "", 0},
            {"Max Unavailable", "string", "", 0},
            {"Allowed Disruptions", "integer", "", 0},
            kAge};
  if (resource == "resourceslices")
    return {kName, {"Node", "string", "", 0}, {"Driver", "string", "", 0}, {"Pool", "string", "", 0}, kAge};
  if (resource == "resourceclaims") return {kName, {"State", "string", "", 0}, kAge};
  return {kName, kAge};
}

std::string or_none(std::string text) { return text.empty() ? "<none>" : text; }

std::string age_of(const Json& object, Path path, TimePoint now) {
  std::string_view since = view_at(object, path);
  if (since.empty()) return "<unknown>";
  return age_text(std::max(Duration(0), now - parse_utc(since).value_or(TimePoint{})));
}

std::string node_status(const Json& node) {
  std::string status = "Unknown";
  if (const Json* conditions = at(node, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"type"}) == "Ready")
        status = view_at(one, {"status"}) == "True" ? "Ready" : "NotReady";
  return flag_at(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string address_of(const Json& node, std::string_view type) {
  if (const Json* addresses = at(node, {"status", "addresses"}))
    for (const Json& one : addresses->items)
      if (view_at(one, {"type"}) == type) return text_at(one, {"address"});
  return {};
}

std::string pod_status(const Json& pod) {
  if (at(pod, {"metadata", "deletionTimestamp"})) return "Terminating";
  std::string status = text_at(pod, {"status", "phase"});
  if (std::string reason = text_at(pod, {"status", "reason"}); !reason.empty()) status = reason;
  if (const Json* containers = at(pod, {"status", "containerStatuses"}))
    for (const Json& one : containers->items)
      if (std::string reason = text_at(one, {"state", "waiting", "reason"}); !reason.empty()) return reason;
  if (const Json* conditions = at(pod, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (view_at(one, {"reason"}) == "SchedulingGated") return "SchedulingGated";
  return status;
}

void add_node(Json& cells, const Json& node, TimePoint now) {
  auto add = [&](std::string value) { cells.items.push_back(text(std::move(value))); };
  add(node_status(node));
  std::string roles;
  if (const Json* labels = at(node, {"metadata", "labels"}))
    for (const auto& [key, value] : labels->fields)
      if (key.starts_with("node-role.kubernetes.io/"))
        roles += (roles.empty() ? "" : ",") + key.substr(std::string_view("node-role.kubernetes.io/").size());
  add(or_none(roles));
  add(age_of(node, {"metadata", "creationTimestamp"}, now));
  add(text_at(node, {"status", "nodeInfo", "kubeletVersion"}));
  add(or_none(address_of(node, "InternalIP")));
  add(or_none(address_of(node, "ExternalIP")));
  add(text_at(node, {"status", "nodeInfo", "osImage"}));
  add(text_at(node, {"status", "nodeInfo", "kernelVersion"}));
  add(text_at(node, {"status", "nodeInfo", "containerRuntimeVersion"}));
}

void add_pod(Json& cells, const Json& pod, TimePoint now) {
  auto add = [&](std::string value) { cells.items.push_back(text(std::move(value))); };
  std::size_t all = 0, ready = 0;
  std::int64_t restarts = 0;
  if (const Json* containers = at(pod, {"spec", "containers"})) all = containers->items.size();
  if (const Json* containers = at(pod, {"status", "containerStatuses"}))
    for (const Json& one : containers->items) {
      ready += flag_at(one, {"ready"});
      restarts += number_at(one, {"restartCount"});
    }
  add(fmt::format("{}/{}", ready, all));
  add(pod_status(pod));
  add(std::to_string(restarts));
  add(age_of(pod, {"metadata", "creationTimestamp"}, now));
  add(or_none(text_at(pod, {"status", "podIP"})));
  add(or_none(text_at(pod, {"spec", "nodeName"})));
  add("<none>");
  add("<none>");
}

std::string shown(const Json* value) {
  if (!value) return "N/A";
  return value->kind == Json::Kind::integer ? std::to_string(value->integer) : value->text;
}

void add_event(Json& cells, const Json& event, TimePoint now) {
  auto add = [&](std::string value) { cells.items.push_back(text(std::move(value))); };
  add(age_of(event, {"lastTimestamp"}, now));
  add(text_at(event, {"type"}));
  add(text_at(event, {"reason"}));
  std::string kind = text_at(event, {"involvedObject", "kind"});
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  add(kind + "/" + text_at(event, {"involvedObject", "name"}));
  add(text_at(event, {"message"}));
}

// Of a list the first item whose field has that value: "type=Admitted". nullptr: none has.
const Json* item_where(const Json& list, std::string_view step) {
  const std::size_t equals = step.find('=');
  if (list.kind != Json::Kind::list || equals == std::string_view::npos) return nullptr;
  for (const Json& one : list.items)
    if (view_at(one, {step.substr(0, equals)}) == step.substr(equals + 1)) return &one;
  return nullptr;
}

// What stands at the end of that path (names by blanks; "type=Admitted": of a list the item with that value);
// nullptr: nothing.
const Json* found_at(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (at && !path.empty()) {
    const std::size_t end = std::min(path.find(' '), path.size());
    const std::string_view step = path.substr(0, end);
    at = step.find('=') == std::string_view::npos ? at->find(step) : item_where(*at, step);
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return at;
}

// A server tells numbers as numbers, and times by their age.
Json printed(const Json& object, const PrintedColumn& column, TimePoint now) {
  const Json* found = found_at(object, column.path);
  if (column.type == "integer") return found && found->kind == Json::Kind::integer ? *found : Json();
  if (!found || found->kind != Json::Kind::text) return column.type == "date" ? text("<unknown>") : text("");
  if (column.type != "date") return *found;
  return text(age_text(std::max(Duration(0), now - parse_utc(found->text).value_or(TimePoint{}))));
}

Json cells_of(const ResourceKind& kind, const Json& one, TimePoint now) {
  const std::string_view resource = kind.resource;
  Json cells = Json::list();
  auto count = [&](Path path) { cells.items.push_back(number(number_at(one, path))); };
  auto add = [&](std::string value) { cells.items.push_back(text(std::move(value))); };
  if (resource == "events") return add_event(cells, one, now), cells;
  add(text_at(one, {"metadata", "name"}));
  for (const PrintedColumn& column : kind.columns) cells.items.push_back(printed(one, column, now));
  if (!kind.columns.empty()) return cells;
  if (resource == "nodes") return add_node(cells, one, now), cells;
  if (resource == "pods") return add_pod(cells, one, now), cells;
  if (resource == "configmaps") {
    const Json* data = one.find("data");
    cells.items.push_back(number(data ? static_cast<std::int64_t>(data->fields.size()) : 0));
  } else if (resource == "namespaces") {
    add(text_at(one, {"status", "phase"}));
  } else if (resource == "daemonsets") {
    for (const char* field : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                              "updatedNumberScheduled", "numberAvailable"})
      count({"status", field});
    std::string selector;
    if (const Json* wanted = at(one, {"spec", "template", "spec", "nodeSelector"}))
      for (const auto& [key, value] : wanted->fields)
        selector += (selector.empty() ? "" : ",") + key + "=" + value.text;
    add(or_none(selector));
  } else if (resource == "replicasets") {
    count({"spec", "replicas"});
    count({"status", "replicas"});
    count({"status", "readyReplicas"});
  } else if (resource == "poddisruptionbudgets") {
    add(shown(at(one, {"spec", "minAvailable"})));
    add(shown(at(one, {"spec", "maxUnavailable"})));
    count({"status", "disruptionsAllowed"});
  } else if (resource == "resourceslices") {
    add(text_at(one, {"spec", "nodeName"}));
    add(text_at(one, {"spec", "driver"}));
    add(text_at(one, {"spec", "pool", "name"}));
  } else if (resource == "resourceclaims") {
    // As printersv1 of Kubernetes 1.34 words it.
    const Json* reserved = at(one, {"status", "reservedFor"});
    add(!at(one, {"status", "allocation"})     ? "pending"
        : reserved && !reserved->items.empty() ? "allocated,reserved"
                                               : "allocated");
  }
  add(age_of(one, {"metadata", "creationTimestamp"}, now));
  return cells;
}

}  // namespace

std::string age_text(Duration age) {
  std::int64_t seconds = age.count() / 1000, minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  auto pair = [](std::int64_t a, char x, std::int64_t b, char y) {
    return b == 0 ? fmt::format("{}{}", a, x) : fmt::format("{}{}{}{}", a, x, b, y);
  };
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return fmt::format("{}d", days);
  return pair(days / 365, 'y', days % 365, 'd');
}

Json partial_metadata(const Json& whole) {
  const Json* metadata = whole.find("metadata");
  return object({{"kind", text("PartialObjectMetadata")},
                 {"apiVersion", text("meta.k8s.io/v1")},
                 {"metadata", metadata ? *metadata : Json::map()}});
}

Json to_table(const ResourceKind& kind, std::span<const ObjectPtr> objects, TimePoint now, RowObject include,
              bool columns) {
  Json definitions = Json::list();
  for (const Column& column : columns_of(kind)) {
    if (!columns) break;
    definitions.items.push_back(object({{"name", text(std::string(column.name))},
                                        {"type", text(std::string(column.type))},
                                        {"format", text(std::string(column.format))},
                                        {"description", text("")},
                                        {"priority", number(column.priority)}}));
  }
  Json rows = Json::list();
  for (const ObjectPtr& one : objects) {
    Json row = object({{"cells", cells_of(kind, *one, now)}});
    put(row, "object",
        include == RowObject::none    ? Json()
        : include == RowObject::whole ? *one
                                      : partial_metadata(*one));
    rows.items.push_back(std::move(row));
  }
  return object({{"kind", text("Table")},
                 {"apiVersion", text("meta.k8s.io/v1")},
                 {"metadata", Json::map()},
                 {"columnDefinitions", columns ? std::move(definitions) : Json()},
                 {"rows", std::move(rows)}});
}

}  // namespace tessera::sim::kube
