#include "backends/kubernetes/change/restart_plugin.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <vector>

#include "backends/kubernetes/change/cut_end.hpp"
#include "backends/kubernetes/objects/components.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

struct Doomed {
  std::string ns, name, uid;
};

// Whose pods go.
struct Old {
  std::string_view component;  // as component_of() names it
  std::string ns;              // empty: any
  TimePoint before{};          // created before that
  bool others = false;         // there may be pods of it that no DaemonSet starts
};

Error cannot(const plan::Order& order, std::string_view what, std::string why, std::string hint = "") {
  return {fmt::format("cannot restart the {} of {}", what, order.node.text), std::move(why), std::move(hint)};
}

bool is_of(const Json& pod, std::string_view component) {
  for (std::string_view key : {"app", "app.kubernetes.io/name", "k8s-app"})
    if (component_of(text_at(pod, {"metadata", "labels", key})) == component) return true;
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
Result<std::vector<Doomed>> old_pods(const Json& list, const plan::Order& order, const Old& old) {
  std::vector<Doomed> doomed;
  bool any = false;
  const Json* items = at(list, {"items"});
  if (!items) return cannot(order, old.component, "the list of its pods cannot be read");
  for (const Json& pod : items->items) {
    Doomed one{text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"}),
               text_at(pod, {"metadata", "uid"})};
    if (!is_of(pod, old.component) || (!old.ns.empty() && one.ns != old.ns)) continue;
    if (old.others && !comes_again(pod)) continue;
    any = true;
    if (at(pod, {"metadata", "deletionTimestamp"})) continue;
    const auto created = parse_utc(text_at(pod, {"metadata", "creationTimestamp"}));
    if (created && *created >= old.before) continue;
    if (!created || one.uid.empty() || !comes_again(pod))
      return cannot(
          order, old.component,
          fmt::format("no DaemonSet would start {}/{} again", clean(one.ns, 64), clean(one.name, 253)),
          "delete it by hand if it is to go");
    doomed.push_back(std::move(one));
  }
  if (!any)
    return cannot(order, old.component,
                  fmt::format("no pod of a {} that tessera knows is there", old.component), "plan again");
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

// of: what is to go, by the node as it was just read, on which the run's mark stands.
void restart(const Place& place, const plan::Order& order, std::string_view component,
             std::function<Result<Old>(const Json& node, TimePoint marked)> of, Ended ended) {
  place.api->get(node_target(order.node.text), [place, order, component, of, ended](Answer node) {
    if (!node.ok()) return ended(node.error);
    const auto mark = read_mark(text_at(node.body, {"metadata", "annotations", operators::kMark}));
    if (!mark || mark->run != order.mark.run)
      return ended(cannot(order, component, "the run's mark is not on it any more",
                          "another run has taken the node over: its annotations name that run"));
    Result<Old> old = of(node.body, mark->since);
    if (!old) return ended(old.error());
    const std::string pods = "/api/v1/pods?fieldSelector=" + url_escape("spec.nodeName=" + order.node.text);
    place.api->get(pods, [place, order, old = std::move(*old), ended](Answer told) {
      if (!told.ok()) return ended(told.error);
      auto doomed = old_pods(told.body, order, old);
      if (!doomed) return ended(doomed.error());
      erase(place, std::make_shared<const std::vector<Doomed>>(std::move(*doomed)), 0, ended);
    });
  });
}

}  // namespace

void restart_plugin(const Place& place, const plan::Order& order, std::string ns, Ended ended) {
  restart(
      place, order, "device plugin",
      [ns = std::move(ns)](const Json&, TimePoint marked) -> Result<Old> {
        return Old{"device plugin", ns, marked, false};
      },
      std::move(ended));
}

// Times are told in whole seconds: one of the very second may have been there before.
void restart_dra(const Place& place, const plan::Order& order, Ended ended) {
  restart(
      place, order, kDraComponent,
      [order](const Json& node, TimePoint) -> Result<Old> {
        const CutEnd cut = end_of_cut(node);
        if (!cut.at)
          return cannot(order, kDraComponent, cut.untold,
                        cut.hint.empty() ? "restart its pod on the node by hand, then resume the run"
                                         : cut.hint + "; then resume the run");
        return Old{kDraComponent, "", *cut.at + std::chrono::seconds(1), true};
      },
      std::move(ended));
}

}  // namespace tessera::kubernetes
