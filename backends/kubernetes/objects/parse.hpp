// The API's JSON → objects: lists by the page, single objects, lines of a watch, and its Status.
//
// Tolerant: an object that cannot be used (no name, a pod without a spec, a node without a status) is skipped
// and counted, a field of another type is as if it were not there. Only a text that is no JSON is an error.
// Threads: pure functions; a Parser belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/error.hpp"

namespace tessera {
class JsonDocument;
}

namespace tessera::kubernetes {

// metav1.Status: how the API says no.
struct ApiStatus {
  int code = 0;
  std::string reason;              // "Forbidden" "Expired"
  std::string message;             // in the API's words
  std::string next;                // metadata.continue of a 410: a token with which a list may go on
  std::optional<int> retry_after;  // seconds
};

template <class Object>
struct ListPage {
  std::vector<Object> items;
  std::string api;      // apiVersion of the list
  std::string version;  // resourceVersion of the list: where a watch goes on
  std::string next;     // continue; empty: the last page
  std::optional<std::int64_t> remaining;
  std::size_t skipped = 0;
  std::string first_problem;
};

enum class Change : std::uint8_t { added, modified, deleted, bookmark, error, unknown };

template <class Object>
struct WatchLine {
  Change change = Change::unknown;
  std::optional<Object> object;  // nullopt: it cannot be used, or the line carries none
  std::string version;           // resourceVersion of the object or the bookmark
  std::string problem;           // why there is no object, where one was to be
  ApiStatus status;              // of Change::error
};

class Parser {
 public:
  Parser();
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Object: one of the structs of objects.hpp.
  template <class Object>
  Result<ListPage<Object>> list(std::string_view text);
  template <class Object>
  Result<WatchLine<Object>> line(std::string_view text);
  template <class Object>
  Result<Object> object(std::string_view text);

  // nullopt: the text is no Status ("404 page not found").
  std::optional<ApiStatus> status(std::string_view text);
  // gitVersion of /version: "v1.31.2"; empty: not reported.
  std::string version(std::string_view text);

 private:
  std::unique_ptr<JsonDocument> document_;
};

// A Kubernetes quantity as whole units, rounded down: "56", "16Gi", "500m", "1e3"; nullopt: none.
std::optional<std::int64_t> parse_quantity(std::string_view text);
// In thousandths, rounded up as the scheduler does: "1500m" and "1.5" are 1500.
std::optional<std::int64_t> parse_thousandths(std::string_view text);

}  // namespace tessera::kubernetes
