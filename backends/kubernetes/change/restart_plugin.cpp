#include "backends/kubernetes/change/restart_plugin.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "backends/kubernetes/objects/components.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

struct Doomed {
  std::string ns, name, uid;
};

Error cannot(const plan::Order& order, std::string why, std::string hint = "") {
  return {"cannot restart the device plugin of " + order.node.text, std::move(why), std::move(hint)};
}

bool is_plugin(const Json& pod) {
  for (std::string_view key : {"app", "app.kubernetes.io/name", "k8s-app"})
    if (component_of(text_at(pod, {"metadata", "labels", key})) == "device plugin") return true;
  return false;
}

bool comes_again(const Json& pod) {
  const Json* owners = at(pod, {"metadata", "ownerReferences"});
  if (!owners) return false;
  for (const Json& owner : owners->items)
    if (text_at(owner, {"kind"}) == "DaemonSet") return true;
  return false;
}

// Of all pods of the node those that are to go; none: it has been done.
Result<std::vector<Doomed>> old_pods(const Json& list, const plan::Order& order, const std::string& ns,
                                     TimePoint marked) {
  std::vector<Doomed> doomed;
  bool any = false;
  const Json* items = at(list, {"items"});
  if (!items) return cannot(order, "the list of its pods cannot be read");
  for (const Json& pod : items->items) {
    Doomed one{text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"}),
               text_at(pod, {"metadata", "uid"})};
    if (!is_plugin(pod) || (!ns.empty() && one.ns != ns)) continue;
    any = true;
    if (at(pod, {"metadata", "deletionTimestamp"})) continue;
    const auto created = parse_utc(text_at(pod, {"metadata", "creationTimestamp"}));
    if (created && *created >= marked) continue;
    if (!created || one.uid.empty() || !comes_again(pod))
      return cannot(
          order, fmt::format("no DaemonSet would start {}/{} again", clean(one.ns, 64), clean(one.name, 253)),
          "delete it by hand if it is to go");
    doomed.push_back(std::move(one));
  }
  if (!any) return cannot(order, "no pod of a device plugin that tessera knows is there", "plan again");
  return doomed;
}

// One after the other: there is one, all but always.
void erase(const Place& place, std::shared_ptr<const std::vector<Doomed>> pods, std::size_t next,
           Ended ended) {
  if (next >= pods->size()) return ended(Done{});
  const Doomed& pod = (*pods)[next];
  std::string target = fmt::format("/api/v1/namespaces/{}/pods/{}", url_escape(pod.ns), url_escape(pod.name));
  place.api->erase(std::move(target), nested({"preconditions", "uid"}, Json::of(pod.uid)),
                   [place, pods, next, ended](Answer gone) {
                     if (!gone.ok() && gone.status != 404) {
                       gone.error.what =
                           fmt::format("cannot delete {}/{}", (*pods)[next].ns, (*pods)[next].name);
                       return ended(gone.error);
                     }
                     erase(place, pods, next + 1, ended);
                   });
}

}  // namespace

void restart_plugin(const Place& place, const plan::Order& order, std::string ns, Ended ended) {
  place.api->get(node_target(order.node.text), [place, order, ns = std::move(ns), ended](Answer node) {
    if (!node.ok()) return ended(node.error);
    const auto mark = read_mark(text_at(node.body, {"metadata", "annotations", operators::kMark}));
    if (!mark || mark->run != order.mark.run)
      return ended(cannot(order, "the run's mark is not on it any more",
                          "another run has taken the node over: its annotations name that run"));
    const std::string pods = "/api/v1/pods?fieldSelector=" + url_escape("spec.nodeName=" + order.node.text);
    place.api->get(pods, [place, order, ns, marked = mark->since, ended](Answer told) {
      if (!told.ok()) return ended(told.error);
      auto doomed = old_pods(told.body, order, ns, marked);
      if (!doomed) return ended(doomed.error());
      erase(place, std::make_shared<const std::vector<Doomed>>(std::move(*doomed)), 0, ended);
    });
  });
}

}  // namespace tessera::kubernetes
