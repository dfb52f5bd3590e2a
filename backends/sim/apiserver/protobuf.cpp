#include "backends/sim/apiserver/protobuf.hpp"

#include <span>

namespace tessera::sim::kube {
namespace {

enum class As : std::uint8_t { text, flag, number, message, map, texts };

struct Message;
struct Field {
  std::uint64_t number;
  const char* name;
  As as;
  const Message* message = nullptr;
};
struct Message {
  std::span<const Field> fields;
};

constexpr Field kMetaMessage[] = {
    {1, "name", As::text},        {2, "generateName", As::text},    {3, "namespace", As::text},
    {5, "uid", As::text},         {6, "resourceVersion", As::text}, {11, "labels", As::map},
    {12, "annotations", As::map}, {14, "finalizers", As::texts}};
constexpr Message kMeta{kMetaMessage};
constexpr Field kConfigMapMessage[] = {
    {1, "metadata", As::message, &kMeta}, {2, "data", As::map}, {4, "immutable", As::flag}};
constexpr Field kNamespaceFields[] = {{1, "metadata", As::message, &kMeta}};
constexpr Field kPreconditionFields[] = {{1, "uid", As::text}, {2, "resourceVersion", As::text}};
constexpr Message kPreconditions{kPreconditionFields};
constexpr Field kDeleteFields[] = {{1, "gracePeriodSeconds", As::number},
                                   {2, "preconditions", As::message, &kPreconditions},
                                   {4, "propagationPolicy", As::text},
                                   {5, "dryRun", As::texts}};
constexpr Message kDelete{kDeleteFields};
constexpr Field kEvictionFields[] = {{1, "metadata", As::message, &kMeta},
                                     {2, "deleteOptions", As::message, &kDelete}};
constexpr Field kResourceFields[] = {{1, "namespace", As::text}, {2, "verb", As::text},
                                     {3, "group", As::text},     {4, "version", As::text},
                                     {5, "resource", As::text},  {6, "subresource", As::text},
                                     {7, "name", As::text}};
constexpr Message kResourceField{kResourceFields};
constexpr Field kPathFields[] = {{1, "path", As::text}, {2, "verb", As::text}};
constexpr Message kPath{kPathFields};
constexpr Field kAccessSpecFields[] = {{1, "resourceAttributes", As::message, &kResourceField},
                                       {2, "nonResourceAttributes", As::message, &kPath}};
constexpr Message kAccessSpec{kAccessSpecFields};
constexpr Field kAccessFields[] = {{1, "metadata", As::message, &kMeta},
                                   {2, "spec", As::message, &kAccessSpec}};
constexpr Field kRulesSpecFields[] = {{1, "namespace", As::text}};
constexpr Message kRulesSpec{kRulesSpecFields};
constexpr Field kRulesFields[] = {{1, "metadata", As::message, &kMeta},
                                  {2, "spec", As::message, &kRulesSpec}};

constexpr struct {
  const char* kind;
  Message message;
} kProtobufKinds[] = {
    {"ConfigMap", {kConfigMapMessage}},           {"Namespace", {kNamespaceFields}},
    {"DeleteOptions", {kDeleteFields}},           {"Eviction", {kEvictionFields}},
    {"SelfSubjectAccessReview", {kAccessFields}}, {"SelfSubjectRulesReview", {kRulesFields}},
    {"SelfSubjectReview", {kNamespaceFields}}};

struct Wire {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // of a varint
  std::string_view bytes;   // of everything that has a length
  bool has_length = false;
};

class WireReader {
 public:
  explicit WireReader(std::string_view rest) : rest_(rest) {}
  bool done() const { return rest_.empty(); }

  std::optional<Wire> next() {
    auto key = varint();
    if (!key) return std::nullopt;
    Wire wire;
    wire.number = *key >> 3;
    switch (*key & 7) {
      case 0: {
        auto value = varint();
        if (!value) return std::nullopt;
        wire.value = *value;
        return wire;
      }
      case 1: return skip(8) ? std::optional(wire) : std::nullopt;
      case 5: return skip(4) ? std::optional(wire) : std::nullopt;
      case 2: {
        auto size = varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        wire.bytes = rest_.substr(0, *size);
        wire.has_length = true;
        skip(*size);
        return wire;
      }
      default: return std::nullopt;
    }
  }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return std::nullopt;
  }
  bool skip(std::uint64_t size) {
    if (size > rest_.size()) return false;
    rest_.remove_prefix(size);
    return true;
  }
  std::string_view rest_;
};

bool add_entry(Json& map, std::string_view bytes) {
  std::string key, value;
  for (WireReader reader(bytes); !reader.done();) {
    auto wire = reader.next();
    if (!wire || !wire->has_length) return false;
    (wire->number == 1 ? key : value) = wire->bytes;
  }
  put(map, key, text(std::move(value)));
  return true;
}

std::optional<Json> read(const Message& message, std::string_view bytes) {
  Json out = Json::map();
  for (WireReader reader(bytes); !reader.done();) {
    auto wire = reader.next();
    if (!wire) return std::nullopt;
    for (const Field& field : message.fields) {
      if (field.number != wire->number) continue;
      bool scalar = field.as == As::flag || field.as == As::number;
      if (scalar == wire->has_length) return std::nullopt;
      switch (field.as) {
        case As::text:
          if (!wire->bytes.empty()) put(out, field.name, text(std::string(wire->bytes)));
          break;
        case As::flag: put(out, field.name, flag(wire->value != 0)); break;
        case As::number: put(out, field.name, number(static_cast<std::int64_t>(wire->value))); break;
        case As::map:
          if (!add_entry(child(out, field.name), wire->bytes)) return std::nullopt;
          break;
        case As::texts: {
          if (!out.find(field.name)) put(out, field.name, Json::list());
          member(out, field.name)->items.push_back(text(std::string(wire->bytes)));
          break;
        }
        case As::message: {
          auto inner = read(*field.message, wire->bytes);
          if (!inner) return std::nullopt;
          put(out, field.name, std::move(*inner));
          break;
        }
      }
    }
  }
  return out;
}

constexpr std::string_view kMagic("k8s\0", 4);

}  // namespace

bool is_protobuf(std::string_view body) { return body.starts_with(kMagic); }

// runtime.Unknown: 1 TypeMeta (1 apiVersion, 2 kind), 2 the object itself.
std::optional<Json> parse_protobuf(std::string_view body) {
  if (!is_protobuf(body)) return std::nullopt;
  std::string_view type, raw;
  for (WireReader reader(body.substr(kMagic.size())); !reader.done();) {
    auto wire = reader.next();
    if (!wire) return std::nullopt;
    if (wire->number == 1) type = wire->bytes;
    if (wire->number == 2) raw = wire->bytes;
  }
  std::string_view version, kind;
  for (WireReader reader(type); !reader.done();) {
    auto wire = reader.next();
    if (!wire) return std::nullopt;
    if (wire->number == 1) version = wire->bytes;
    if (wire->number == 2) kind = wire->bytes;
  }
  for (const auto& known : kProtobufKinds) {
    if (kind != known.kind) continue;
    auto fields = read(known.message, raw);
    if (!fields) return std::nullopt;
    Json whole = object({{"kind", text(std::string(kind))}, {"apiVersion", text(std::string(version))}});
    for (auto& field : fields->fields) whole.fields.push_back(std::move(field));
    return whole;
  }
  return std::nullopt;
}

}  // namespace tessera::sim::kube
