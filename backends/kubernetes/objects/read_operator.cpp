// The GPU stack's own objects (apps/v1 DaemonSet, nvidia.com/v1 ClusterPolicy), and resource.k8s.io
// ResourceSlice and ResourceClaim.
#include <algorithm>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostDevices = 1024;

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

// An attribute is {"string": "…"}, or int, bool, version.
std::string attribute(JsonValue& value) {
  std::string text;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "string" || key == "version") text = words(field);
  });
  return text;
}

void read_attributes(JsonValue& value, DraDevice& device) {
  value.fields([&](std::string_view key, JsonValue& field) {
    // Bare names belong to the driver; others carry their domain.
    if (key.starts_with("gpu.nvidia.com/")) key.remove_prefix(15);
    if (key == "type") device.type = attribute(field);
    if (key == "uuid") device.uuid = attribute(field);
    if (key == "parentUUID") device.parent = attribute(field);
    if (key == "productName") device.product = attribute(field);
    if (key == "profile") device.profile = attribute(field);
  });
}

void read_memory(JsonValue& value, DraDevice& device) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key != "memory") return;
    field.fields([&](std::string_view inner, JsonValue& text) {
      if (inner != "value") return;
      if (auto bytes = parse_quantity(text.text().value_or(""))) device.memory = Mib{*bytes / (1024 * 1024)};
    });
  });
}

// Of effect None: only told.
void read_device_taint(JsonValue& value, std::string& first) {
  Taint taint;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "key") taint.key = words(field);
    if (key == "value") taint.value = words(field);
    if (key == "effect") taint.effect = words(field, 32);
  });
  if (first.empty() && (taint.effect == "NoSchedule" || taint.effect == "NoExecute"))
    first = taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

void read_device(JsonValue& value, DraDevice& device) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "name") device.name = words(field, 128);
    if (key == "attributes") read_attributes(field, device);
    if (key == "capacity") read_memory(field, device);
    if (key == "taints") field.items([&](JsonValue& taint) { read_device_taint(taint, device.taint); });
    if (key == "basic") read_device(field, device);  // v1alpha3 and v1beta1 put both in here
  });
}

void read_results(JsonValue& value, ResourceClaimObject& claim) {
  value.items([&](JsonValue& item) {
    ResourceClaimObject::Result result;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "driver") result.driver = words(field);
      if (key == "pool") result.pool = words(field);
      if (key == "device") result.device = words(field, 128);
      if (key == "adminAccess") result.admin = field.boolean().value_or(false);
    });
    if (claim.results.size() < kMostDevices) claim.results.push_back(std::move(result));
  });
}

// v1 puts a request into `exactly`, or several into `firstAvailable`; v1beta1 has its fields here.
void read_request(JsonValue& value, ResourceClaimObject::Wanted& wanted) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "deviceClassName") wanted.device_class = words(field);
    if (key == "count") wanted.count = std::clamp<std::int64_t>(field.integer().value_or(1), 1, kMostDevices);
    if (key == "exactly") read_request(field, wanted);
    if (key == "firstAvailable")
      field.items([&](JsonValue& one) {
        if (wanted.device_class.empty()) read_request(one, wanted);
      });
  });
}

void read_claim_spec(JsonValue& value, ResourceClaimObject& claim) {
  value.fields([&](std::string_view key, JsonValue& devices) {
    if (key != "devices") return;
    devices.fields([&](std::string_view inner, JsonValue& requests) {
      if (inner != "requests") return;
      requests.items([&](JsonValue& item) {
        ResourceClaimObject::Wanted wanted;
        read_request(item, wanted);
        if (!wanted.device_class.empty() && claim.wanted.size() < 32)
          claim.wanted.push_back(std::move(wanted));
      });
    });
  });
}

void read_claim_status(JsonValue& value, ResourceClaimObject& claim) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "allocation")
      field.fields([&](std::string_view inner, JsonValue& devices) {
        if (inner != "devices") return;
        devices.fields([&](std::string_view last, JsonValue& results) {
          if (last == "results") read_results(results, claim);
        });
      });
    if (key == "reservedFor")
      field.items([&](JsonValue& item) {
        std::string resource, name;
        item.fields([&](std::string_view inner, JsonValue& text) {
          if (inner == "resource") resource = words(text, 64);
          if (inner == "name") name = words(text);
        });
        if (resource == "pods" && claim.reserved.size() < 256) claim.reserved.push_back(std::move(name));
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
      });
  });
}

void read_object(JsonValue& value, ResourceSliceObject& slice) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, slice.meta);
    if (key != "spec") return;
    field.fields([&](std::string_view inner, JsonValue& part) {
      if (inner == "driver") slice.driver = words(part);
      if (inner == "nodeName") slice.node = words(part, 253);
      if (inner == "pool")
        part.fields([&](std::string_view last, JsonValue& text) {
          if (last == "name") slice.pool = words(text, 253);
          if (last == "generation") slice.generation = text.integer().value_or(0);
        });
      if (inner == "devices")
        part.items([&](JsonValue& item) {
          DraDevice device;
          read_device(item, device);
          if (!device.name.empty() && slice.devices.size() < kMostDevices)
            slice.devices.push_back(std::move(device));
        });
    });
  });
}

void read_object(JsonValue& value, DeviceTaintRuleObject& rule) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, rule.meta);
    if (key != "spec") return;
    field.fields([&](std::string_view inner, JsonValue& part) {
      if (inner == "taint") read_device_taint(part, rule.taint);
      if (inner != "deviceSelector") return;
      part.fields([&](std::string_view by, JsonValue& value_of) {
        if (by == "driver") rule.driver = words(value_of);
        if (by == "pool") rule.pool = words(value_of, 253);
        if (by == "device") rule.device = words(value_of, 128);
        if (by == "deviceClassName" && !words(value_of).empty()) rule.partly_known = true;
        if (by == "selectors") value_of.items([&](JsonValue&) { rule.partly_known = true; });
      });
      rule.selects = true;
    });
  });
}

void read_object(JsonValue& value, ResourceClaimObject& claim) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, claim.meta);
    if (key == "spec") read_claim_spec(field, claim);
    if (key == "status") read_claim_status(field, claim);
  });
}

}  // namespace tessera::kubernetes
