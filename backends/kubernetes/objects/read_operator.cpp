// The GPU stack's own objects: apps/v1 DaemonSet, nvidia.com/v1 ClusterPolicy.
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

std::string app_of(const Texts& labels) {
  for (std::string_view key : {"app", "app.kubernetes.io/name", "k8s-app"})
    if (auto found = labels.find(key); found != labels.end()) return found->second.str();
  return {};
}

void read_template(JsonValue& value, DaemonSetObject& set) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") {
      Meta meta;
      read_meta(field, meta);
      set.app = app_of(meta.labels);
    }
    if (key == "spec")
      field.fields([&](std::string_view inner, JsonValue& selector) {
        if (inner == "nodeSelector") read_texts(selector, set.node_selector);
      });
  });
}

// spec.<part>.config.{name,default}, spec.<part>.enabled
void read_part(JsonValue& value, std::string* name, std::string* fallback, std::optional<bool>* enabled) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "enabled" && enabled) *enabled = field.boolean();
    if (key == "config")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "name" && name) *name = words(text);
        if (inner == "default" && fallback) *fallback = words(text);
      });
  });
}

std::optional<TimePoint> not_ready_since(JsonValue& value) {
  std::vector<Condition> conditions;
  read_conditions(value, conditions);
  for (const Condition& one : conditions)
    if (one.type == "Ready" && one.status == "False") return one.since;
  return std::nullopt;
}

void read_policy_spec(JsonValue& value, ClusterPolicyObject& policy) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "migManager") read_part(field, &policy.mig_config, nullptr, &policy.mig_manager);
    if (key == "devicePlugin")
      read_part(field, &policy.plugin_config, &policy.plugin_config_default, nullptr);
    if (key == "driver")
      field.fields([&](std::string_view part, JsonValue& config) {
        if (part != "licensingConfig") return;
        config.fields([&](std::string_view inner, JsonValue& text) {
          if (inner == "secretName" || (inner == "configMapName" && policy.licence_secret.empty()))
            policy.licence_secret = words(text);
        });
      });
    if (key == "mig")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "strategy") policy.mig_strategy = words(text, 32);
      });
  });
}

}  // namespace

void read_object(JsonValue& value, DaemonSetObject& set) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, set.meta);
    if (key == "spec")
      field.fields([&](std::string_view inner, JsonValue& form) {
        if (inner == "template") read_template(form, set);
      });
    if (key == "status")
      field.fields([&](std::string_view inner, JsonValue& number) {
        if (inner == "desiredNumberScheduled") set.desired = number.integer().value_or(0);
        if (inner == "numberReady") set.ready = number.integer().value_or(0);
      });
  });
}

void read_object(JsonValue& value, ClusterPolicyObject& policy) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, policy.meta);
    if (key == "spec") read_policy_spec(field, policy);
    if (key == "status")
      field.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "state") policy.state = words(text, 32);
        if (inner == "conditions") policy.not_ready_since = not_ready_since(text);
      });
  });
}

}  // namespace tessera::kubernetes
