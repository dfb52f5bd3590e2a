// What all objects have in common, and the small forms: times, quantities, texts.
#include "backends/kubernetes/objects/read.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "backends/kubernetes/objects/parse.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostConditions = 64;

double factor_of(std::string_view suffix, bool& known) {
  constexpr std::pair<std::string_view, double> kSuffixes[] = {
      {"", 1},
      {"Ki", 1024.0},
      {"Mi", 1024.0 * 1024},
      {"Gi", 1024.0 * 1024 * 1024},
      {"m", 0.001},
      {"Ti", 1099511627776.0},
      {"Pi", 1125899906842624.0},
      {"k", 1e3},
      {"M", 1e6},
      {"G", 1e9},
      {"T", 1e12},
      {"P", 1e15},
      {"u", 1e-6},
      {"n", 1e-9},
  };
  for (const auto& [name, factor] : kSuffixes)
    if (name == suffix) return known = true, factor;
  known = false;
  return 0;
}

void read_owner(JsonValue& value, Meta& meta) {
  value.items([&](JsonValue& item) {
    std::string kind, name, api;
    bool controls = false;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "kind") kind = words(field, 64);
      if (key == "name") name = words(field);
      if (key == "apiVersion") api = words(field, 128);
      if (key == "controller") controls = field.boolean().value_or(false);
    });
    if (!controls && !meta.owner_kind.empty()) return;
    meta.owner_kind = std::move(kind);
    meta.owner_api = std::move(api);
    meta.owner_name = std::move(name);
  });
}

void read_kept(JsonValue& value, Texts& texts, bool (*is_kept)(std::string_view)) {
  constexpr std::size_t kMost = 512;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key.size() <= 320 && texts.size() < kMost && is_kept(key))
      texts[clean(key)] = Text(words(field, 4096));
  });
}

constexpr std::string_view kOrders[] = {operators::kMigConfig, operators::kPluginConfig,
                                        operators::kVgpuConfig, operators::kWorkload};

// A writer whose time is not told counts where there is no other.
void note_write(std::vector<LabelWrite>& all, LabelWrite write) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const LabelWrite& one) { return one.label == write.label; });
  if (known == all.end())
    all.push_back(std::move(write));
  else if (write.written && (!known->written || *write.written > *known->written))
    *known = std::move(write);
}

// One entry of managedFields: who last wrote what, and when.
void read_write(JsonValue& value, Written& written) {
  std::optional<TimePoint> time;
  std::string manager;
  bool state = false, plugin = false, sharing = false, upgrade = false;
  std::vector<std::string_view> orders;
  auto label = [&](std::string_view key, JsonValue&) {
    for (const std::string_view one : kOrders)
      if (key.starts_with("f:") && key.substr(2) == one) orders.push_back(one);
    state = state || key == "f:nvidia.com/mig.config.state";
    plugin = plugin || key == "f:nvidia.com/device-plugin.config";
    upgrade = upgrade || key == "f:nvidia.com/gpu-driver-upgrade-state";
    sharing = sharing || key == "f:nvidia.com/gpu.count" || key == "f:ack.node.gpu.schedule";
  };
  auto part = [&](std::string_view key, JsonValue& field) {
    if (key == "f:labels") field.fields(label);
  };
  auto whole = [&](std::string_view key, JsonValue& field) {
    if (key == "f:metadata") field.fields(part);
  };
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "manager") manager = words(field, 100);
    if (key == "time") time = time_of(field);
    if (key == "fieldsV1") field.fields(whole);
  });
  const auto later = [&](bool wrote, std::optional<TimePoint>& last) {
    if (wrote && time && (!last || *time > *last)) last = time;
  };
  later(state, written.order), later(plugin, written.plugin), later(sharing, written.sharing);
  later(upgrade, written.upgrade);
  const std::string by = manager.empty() ? "a client without a name" : manager;
  for (const std::string_view one : orders) note_write(written.orders, {std::string(one), by, time});
}

std::optional<double> quantity_of(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  bool known = false;
  number *= factor_of(text.substr(static_cast<std::size_t>(end - text.data())), known);
  return known && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> as_whole(double number) {
  return std::abs(number) > 9e18 ? std::nullopt : std::optional(static_cast<std::int64_t>(number));
}

}  // namespace

const LabelWrite* Written::of(std::string_view label) const {
  const auto known =
      std::find_if(orders.begin(), orders.end(), [&](const LabelWrite& one) { return one.label == label; });
  return known == orders.end() ? nullptr : &*known;
}

std::optional<std::int64_t> parse_quantity(std::string_view text) {
  std::int64_t whole = 0;
  auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (code == std::errc() && stop == text.data() + text.size()) return whole;  // nearly all of them
  const auto number = quantity_of(text);
  return number ? as_whole(std::floor(*number)) : std::nullopt;
}

std::optional<std::int64_t> parse_thousandths(std::string_view text) {
  const auto number = quantity_of(text);
  if (!number) return std::nullopt;
  // "0.1" is no binary fraction: what lies a hair above a thousandth is that thousandth.
  return as_whole(std::ceil(*number * 1000 - 1e-6));
}

std::string words(JsonValue& value, std::size_t limit) {
  auto text = value.text();
  return text ? clean(*text, limit) : std::string();
}

std::optional<TimePoint> time_of(JsonValue& value) {
  auto text = value.text();
  return text ? parse_utc(*text) : std::nullopt;
}

std::optional<std::int64_t> whole_of(JsonValue& value) {
  const auto text = value.text();
  const auto number = text ? parse_quantity(*text) : value.integer();
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<std::int64_t> thousandths_of(JsonValue& value) {
  if (const auto text = value.text()) {
    const auto number = parse_thousandths(*text);
    return number && *number >= 0 ? number : std::nullopt;
  }
  const auto whole = value.integer();
  if (!whole || *whole < 0 || *whole > INT64_MAX / 1000) return std::nullopt;
  return *whole * 1000;
}

void read_texts(JsonValue& value, Texts& texts, std::size_t most) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (texts.size() < most) texts[clean(key, 320)] = Text(words(field));
  });
}

void read_meta(JsonValue& value, Meta& meta, KeepLabels keep, Written* written) {
  auto any = [](std::string_view) { return true; };
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "name") meta.name = words(field, 253);
    if (key == "namespace") meta.name_space = words(field, 253);
    if (key == "resourceVersion") meta.version = words(field, 64);
    if (key == "creationTimestamp") meta.created = time_of(field);
    if (key == "deletionTimestamp") meta.deleted = time_of(field);
    if (key == "labels")
      read_kept(field, meta.labels,
                keep == KeepLabels::all       ? +any
                : keep == KeepLabels::of_node ? is_kept_node_label
                                              : is_kept_label);
    if (key == "annotations") read_kept(field, meta.annotations, is_kept_annotation);
    if (key == "ownerReferences") read_owner(field, meta);
    if (key == "managedFields" && written)
      field.items([&](JsonValue& entry) { read_write(entry, *written); });
  });
}

void read_conditions(JsonValue& value, std::vector<Condition>& conditions) {
  value.items([&](JsonValue& item) {
    Condition condition;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "type") condition.type = words(field, 128);
      if (key == "status") condition.status = words(field, 16);
      if (key == "reason") condition.reason = words(field, 128);
      if (key == "message") condition.message = words(field, 1024);
      if (key == "lastTransitionTime") condition.since = time_of(field);
    });
    if (conditions.size() < kMostConditions) conditions.push_back(std::move(condition));
  });
}

}  // namespace tessera::kubernetes
