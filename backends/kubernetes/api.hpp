// Calls of the Kubernetes API with JSON both ways, for whoever changes something: one request, one answer.
//
// What the API refuses comes back as an Error in its own words; 404 and 409 can be told apart. A server that
// is busy and says when to come back (429 with Retry-After) is asked again then, a few times; an eviction is
// not, since its 429 is a disruption budget's. Threads: the
// worker's, as HttpClient. A callback is called once; when the client goes it is dropped.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "backends/http_client.hpp"
#include "engine/json.hpp"

namespace tessera::kubernetes {

struct Answer {
  int status = 0;                 // 0: there was none
  std::optional<TimePoint> date;  // by the API server's clock
  Json body;                      // of a text that is no JSON (a log): null
  std::string text;
  Error error;  // where it was not 2xx
  bool ok() const { return status >= 200 && status < 300; }
};

class Api;
using ApiPtr = std::shared_ptr<Api>;

class Api : public std::enable_shared_from_this<Api> {
 public:
  using Then = std::function<void(Answer)>;
  Api(Worker& worker, HttpClient& client) : worker_(worker), client_(client) {}

  // The same way for one piece of work: what is not answered after `most` ends as an error, and nothing more
  // is sent then. 0: without end.
  ApiPtr for_at_most(Duration most) const;

  void get(std::string target, Then then) { call("GET", std::move(target), {}, "", std::move(then)); }
  // A log: text, not JSON.
  void read(std::string target, Then then) { call("READ", std::move(target), {}, "", std::move(then)); }
  // A list, page by page: each(item) for each, then the last answer without its items. metadata: no more than
  // that is asked for of each (meta.k8s.io/v1 PartialObjectMetadataList). An answer without items is an
  // error, and so is a list that never ends.
  using Each = std::function<void(const Json& item)>;
  void list(const std::string& target, bool metadata, Each each, Then then);
  void post(std::string target, const Json& body, Then then);
  void patch(std::string target, const Json& body, Then then);  // JSON merge patch (RFC 7386)
  void erase(std::string target, const Json& options, Then then);

 private:
  using Steady = std::chrono::steady_clock;
  struct Listing;
  void call(std::string method, std::string target, std::string_view type, std::string body, Then then);
  void ask(HttpCall request, bool json, int tries, Then then);
  void next_page(std::shared_ptr<Listing> listing, const std::string& token);
  std::optional<Duration> left() const;  // nullopt: without end
  Worker& worker_;
  HttpClient& client_;
  std::optional<Steady::time_point> until_;
};

// {"a": {"b": value}} of "a", "b", value.
Json nested(std::initializer_list<std::string_view> path, Json value);
// A map of texts; an empty value becomes null, which a merge patch takes as "away with it".
Json texts_or_null(const std::map<std::string, std::string>& texts);
// The value under a key, made as a map where there is none.
Json& child(Json& map, const std::string& key);
// The value at a path, or nullptr.
const Json* at(const Json& root, std::initializer_list<std::string_view> path);
std::string text_at(const Json& root, std::initializer_list<std::string_view> path);

}  // namespace tessera::kubernetes
