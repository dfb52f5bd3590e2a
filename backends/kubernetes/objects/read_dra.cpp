// resource.k8s.io: ResourceSlice with the counters of partitionable devices (KEP 4815), DeviceTaintRule,
// ResourceClaim.
#include <algorithm>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostDevices = 1024;
constexpr std::size_t kMostCounterSets = 64;  // counter sets of a slice: one a GPU
constexpr std::size_t kMostCounters = 64;     // of a set
constexpr std::size_t kMostConsumed = 4;      // sets of which a device takes something
constexpr std::size_t kMostExpression = 256;

// An attribute is {"string": "…"}, or int, bool, version.
std::string attribute(JsonValue& value) {
  std::string text;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "string" || key == "version") text = words(field);
  });
  return text;
}

void read_attributes(JsonValue& value, DraDevice& device) {
  std::string address, compute, memory;  // of an AMD GPU, and of a mode that it could take
  value.fields([&](std::string_view key, JsonValue& field) {
    // Bare names belong to the driver; others carry their domain.
    if (key.starts_with("gpu.nvidia.com/")) key.remove_prefix(15);
    if (key.starts_with("gpu.amd.com/")) key.remove_prefix(12);
    if (key == "resource.kubernetes.io/pciBusID") address = attribute(field);
    if (key == "pciAddr" && address.empty()) address = attribute(field);
    if (key == "partitionProfile") device.profile = attribute(field);
    if (key == "computePartition") compute = attribute(field);
    if (key == "memoryPartition") memory = attribute(field);
    if (key == "type") device.type = attribute(field);
    if (key == "uuid") device.uuid = attribute(field);
    if (key == "parentUUID") device.parent = attribute(field);
    if (key == "productName") device.product = attribute(field);
    if (key == "profile") device.profile = attribute(field);
  });
  if (!device.type.starts_with("amdgpu")) return;
  device.parent = std::move(address);
  if (!compute.empty()) device.profile = compute + "_" + memory;
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
void read_device_taint(JsonValue& value, std::string& first, std::optional<TimePoint>& since) {
  Taint taint;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "key") taint.key = words(field);
    if (key == "value") taint.value = words(field);
    if (key == "effect") taint.effect = words(field, 32);
    if (key == "timeAdded") taint.since = time_of(field);
  });
  if (!first.empty() || (taint.effect != "NoSchedule" && taint.effect != "NoExecute")) return;
  first = taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
  since = taint.since;
}

// {"memory-slice-0": {"value": "1"}, ...}; false: one of them cannot be read, or there are too many.
bool read_counters(JsonValue& value, Counts& counters) {
  bool good = true;
  good = value.fields([&](std::string_view name, JsonValue& field) {
    std::optional<std::int64_t> amount;
    field.fields([&](std::string_view key, JsonValue& text) {
      if (key == "value") amount = parse_quantity(text.text().value_or(""));
    });
    good = good && amount && *amount >= 0 && counters.size() < kMostCounters;
    if (good) counters[clean(name, 64)] = *amount;
  }) && good;
  return good;
}

void read_counter_sets(JsonValue& value, std::vector<DraCounterSet>& sets, bool& cut_off) {
  value.items([&](JsonValue& item) {
    DraCounterSet set;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "name") set.name = words(field, 128);
      if (key == "counters") set.unread = !read_counters(field, set.counters);
    });
    if (sets.size() < kMostCounterSets)
      sets.push_back(std::move(set));
    else
      cut_off = true;
  });
}

void read_consumed(JsonValue& value, DraDevice& device) {
  value.items([&](JsonValue& item) {
    DraDevice::Consumed one;
    bool good = false;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "counterSet") one.set = words(field, 128);
      if (key == "counters") good = read_counters(field, one.counters);
    });
    if (good && !one.set.empty() && device.consumes.size() < kMostConsumed)
      device.consumes.push_back(std::move(one));
    else
      device.uncounted = true;
  });
}

void read_device(JsonValue& value, DraDevice& device) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "name") device.name = words(field, 128);
    if (key == "attributes") read_attributes(field, device);
    if (key == "capacity") read_memory(field, device);
    if (key == "taints")
      field.items([&](JsonValue& taint) { read_device_taint(taint, device.taint, device.taint_since); });
    if (key == "consumesCounters") read_consumed(field, device);
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

// "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'" and nothing else; empty: another expression.
std::string profile_in(std::string_view expression) {
  std::string text;
  for (const char c : expression.substr(0, kMostExpression))
    if (c != ' ' && c != '\n' && c != '\t') text += c == '"' ? '\'' : c;
  constexpr std::string_view kHead = "device.attributes['gpu.nvidia.com'].profile=='";
  if (expression.size() > kMostExpression || !text.starts_with(kHead) || !text.ends_with('\'')) return {};
  const std::string inner = text.substr(kHead.size(), text.size() - kHead.size() - 1);
  const auto profile = mig::canonical_profile(inner);
  return profile && inner.find('\'') == std::string::npos ? profile->text : std::string();
}

// Where several conditions are set, which devices are meant is not judged here.
void read_selectors(JsonValue& value, ResourceClaimObject::Wanted& wanted) {
  int selectors = 0;
  value.items([&](JsonValue& item) {
    ++selectors;
    item.fields([&](std::string_view key, JsonValue& cel) {
      if (key != "cel") return;
      cel.fields([&](std::string_view inner, JsonValue& text) {
        if (inner == "expression") wanted.profile = profile_in(text.text().value_or(""));
      });
    });
  });
  if (selectors != 1) wanted.profile.clear();
}

// v1 puts a request into `exactly`, or several into `firstAvailable`; v1beta1 has its fields here.
void read_request(JsonValue& value, ResourceClaimObject::Wanted& wanted) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "deviceClassName") wanted.device_class = words(field);
    if (key == "count") wanted.count = std::clamp<std::int64_t>(field.integer().value_or(1), 1, kMostDevices);
    if (key == "selectors") read_selectors(field, wanted);
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
        if (wanted.device_class != "mig.nvidia.com") wanted.profile.clear();
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
          if (last == "resourceSliceCount") slice.slices = text.integer().value_or(0);
        });
      if (inner == "devices")
        part.items([&](JsonValue& item) {
          DraDevice device;
          read_device(item, device);
          if (!device.name.empty() && slice.devices.size() < kMostDevices)
            slice.devices.push_back(std::move(device));
          else
            slice.cut_off = true;
        });
      if (inner == "sharedCounters") read_counter_sets(part, slice.counters, slice.cut_off);
    });
  });
}

void read_object(JsonValue& value, DeviceTaintRuleObject& rule) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, rule.meta);
    if (key != "spec") return;
    field.fields([&](std::string_view inner, JsonValue& part) {
      std::optional<TimePoint> since;  // not kept: a device may have come under the rule later
      if (inner == "taint") read_device_taint(part, rule.taint, since);
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
