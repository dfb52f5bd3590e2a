#include "backends/kubernetes/objects/parse.hpp"

#include "backends/json.hpp"
#include "backends/kubernetes/objects/kueue.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

void read_status_field(std::string_view key, JsonValue& value, ApiStatus& status) {
  if (key == "code") status.code = static_cast<int>(value.integer().value_or(0));
  if (key == "reason") status.reason = words(value, 128);
  if (key == "message") status.message = words(value, 1024);
  if (key == "metadata")
    value.fields([&](std::string_view inner, JsonValue& text) {
      if (inner == "continue") status.next = text.text().value_or("");
    });
  if (key == "details")
    value.fields([&](std::string_view inner, JsonValue& number) {
      if (inner != "retryAfterSeconds") return;
      if (auto wait = number.integer(); wait && *wait > 0 && *wait < 86400)
        status.retry_after = static_cast<int>(*wait);
    });
}

// metadata of a list: where it stands and how it goes on.
template <class Object>
void read_list_meta(JsonValue& value, ListPage<Object>& page) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "resourceVersion") page.version = words(field, 64);
    // Opaque, so handed back as it came.
    if (key == "continue") page.next = field.text().value_or("");
    if (key == "remainingItemCount") page.remaining = field.integer();
  });
}

// Why an object cannot be used; empty: it can.
std::string problem_of(const Meta& meta) {
  if (meta.name.empty()) return "an object without a name";
  if (meta.unread.empty()) return "";
  return (meta.name_space.empty() ? "" : meta.name_space + "/") + meta.name + " has no " + meta.unread;
}

Change change_of(std::string_view word) {
  if (word == "ADDED") return Change::added;
  if (word == "MODIFIED") return Change::modified;
  if (word == "DELETED") return Change::deleted;
  if (word == "BOOKMARK") return Change::bookmark;
  if (word == "ERROR") return Change::error;
  return Change::unknown;
}

}  // namespace

Parser::Parser() : document_(std::make_unique<JsonDocument>()) {}
Parser::~Parser() = default;

template <class Object>
Result<ListPage<Object>> Parser::list(std::string_view text) {
  ListPage<Object> page;
  bool items = false;
  Status read = document_->read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue& value) {
      if (key == "metadata") read_list_meta(value, page);
      if (key == "apiVersion") page.api = words(value, 64);
      if (key != "items") return;
      items = true;
      value.items([&](JsonValue& item) {
        Object object;
        read_object(item, object);
        std::string problem = problem_of(object.meta);
        if (problem.empty()) return page.items.push_back(std::move(object));
        if (page.skipped++ == 0) page.first_problem = std::move(problem);
      });
    });
  });
  if (!read) return read.error();
  if (!items && page.version.empty())
    return Error{"the answer is no list", "it has neither items nor a version", ""};
  return page;
}

template <class Object>
Result<WatchLine<Object>> Parser::line(std::string_view text) {
  WatchLine<Object> line;
  Status read = document_->read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue& value) {
      if (key == "type") line.change = change_of(value.text().value_or(""));
      if (key != "object") return;
      // The type comes first: the API writes its fields in the order of its structs.
      if (line.change == Change::error) {
        value.fields(
            [&](std::string_view name, JsonValue& field) { read_status_field(name, field, line.status); });
        return;
      }
      Object object;
      read_object(value, object);
      line.version = object.meta.version;
      line.problem = problem_of(object.meta);
      // What is gone needs no more than its name.
      if (line.problem.empty() || (line.change == Change::deleted && !object.meta.name.empty())) {
        line.problem.clear();
        line.object = std::move(object);
      }
    });
  });
  if (!read) return read.error();
  return line;
}

template <class Object>
Result<Object> Parser::object(std::string_view text) {
  Object object;
  Status read = document_->read(text, [&](JsonValue& root) { read_object(root, object); });
  if (!read) return read.error();
  if (std::string problem = problem_of(object.meta); !problem.empty())
    return Error{"the answer is no object that can be used", problem, ""};
  return object;
}

std::optional<ApiStatus> Parser::status(std::string_view text) {
  ApiStatus status;
  bool is_status = false;
  Status read = document_->read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue& value) {
      if (key == "kind")
        is_status = value.text().value_or("") == "Status";
      else
        read_status_field(key, value, status);
    });
  });
  if (!read || !is_status) return std::nullopt;
  return status;
}

std::string Parser::version(std::string_view text) {
  std::string version;
  Status read = document_->read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue& value) {
      if (key == "gitVersion") version = words(value, 64);
    });
  });
  return read ? version : "";
}

#define TESSERA_PARSES(Object)                                               \
  template Result<ListPage<Object>> Parser::list<Object>(std::string_view);  \
  template Result<WatchLine<Object>> Parser::line<Object>(std::string_view); \
  template Result<Object> Parser::object<Object>(std::string_view)
TESSERA_PARSES(NodeObject);
TESSERA_PARSES(PodObject);
TESSERA_PARSES(DaemonSetObject);
TESSERA_PARSES(ClusterPolicyObject);
TESSERA_PARSES(ResourceSliceObject);
TESSERA_PARSES(ResourceClaimObject);
TESSERA_PARSES(DeviceTaintRuleObject);
TESSERA_PARSES(BudgetObject);
TESSERA_PARSES(EventObject);
TESSERA_PARSES(QuotaObject);
TESSERA_PARSES(KueueWorkload);
#undef TESSERA_PARSES

}  // namespace tessera::kubernetes
