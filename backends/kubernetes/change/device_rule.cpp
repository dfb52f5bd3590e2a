#include "backends/kubernetes/change/device_rule.hpp"

#include <fmt/format.h>

#include "backends/kubernetes/objects/dra.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/operators/labels.hpp"

namespace tessera::kubernetes {
namespace {

Error cannot(const plan::Order& order, std::string why, std::string hint = "") {
  return {"cannot keep claims off the devices of " + order.node.text, std::move(why), std::move(hint)};
}

Json rule_of(const plan::Order& order, const std::string& api) {
  Json rule = Json::map();
  rule.add("apiVersion", Json::of(api));
  rule.add("kind", Json::of(std::string("DeviceTaintRule")));
  rule.add("metadata", nested({"name"}, Json::of(operators::device_rule(order.mark.run, order.node))));
  Json& spec = rule.add("spec", Json::map());
  Json& selector = spec.add("deviceSelector", Json::map());
  selector.add("driver", Json::of(std::string(kDraDriver)));
  selector.add("pool", Json::of(order.node.text));  // the driver has one pool a node, called like it
  Json& taint = spec.add("taint", Json::map());
  taint.add("key", Json::of(std::string(operators::kMark)));
  taint.add("effect", Json::of(std::string("NoSchedule")));
  return rule;
}

std::string target_of(const Place& place, const plan::Order& order) {
  return fmt::format("/apis/{}/devicetaintrules/{}", place.site->rules_api,
                     url_escape(operators::device_rule(order.mark.run, order.node)));
}

}  // namespace

void close_devices(const Place& place, const plan::Order& order, Ended ended) {
  if (!place.site || place.site->rules_api.empty())
    return ended(cannot(order, "the API server has no DeviceTaintRules any more", "plan again"));
  place.api->get(node_target(order.node.text), [place, order, ended](Answer node) {
    if (!node.ok()) return ended(node.error);
    const auto mark = read_mark(text_at(node.body, {"metadata", "annotations", operators::kMark}));
    if (!mark || mark->run != order.mark.run)
      return ended(cannot(order, "the run's mark is not on it any more",
                          "another run has taken the node over: its annotations name that run"));
    const std::string& api = place.site->rules_api;
    place.api->post(fmt::format("/apis/{}/devicetaintrules", api), rule_of(order, api), [ended](Answer made) {
      if (made.status == 409) return ended(Done{});
      answer(ended, std::move(made));
    });
  });
}

void open_devices(const Place& place, const plan::Order& order, Ended ended) {
  if (!place.site || place.site->rules_api.empty())
    return ended(Error{"cannot open the devices of " + order.node.text + " to claims again",
                       "whether the API server has DeviceTaintRules is not known now",
                       "resume the run once its DRA driver tells of devices again"});
  place.api->erase(target_of(place, order), Json::map(), [ended](Answer gone) {
    if (gone.status == 404) return ended(Done{});
    answer(ended, std::move(gone));
  });
}

void drop_rule(const Place& place, const plan::Order& order, Ended ended) {
  if (!place.site || place.site->rules_api.empty()) return ended(Done{});
  place.api->get(target_of(place, order), [place, order, ended](Answer there) {
    if (there.status == 404 || there.status == 403) return ended(Done{});
    if (!there.ok()) return ended(there.error);
    open_devices(place, order, ended);
  });
}

}  // namespace tessera::kubernetes
