// The simulated API server: a request of a user becomes an answer, or the order for a watch.
//
// Answers are those of a Kubernetes server of the version that the scenario tells (1.20 to 1.34), as kubectl
// knows them; what an older or newer one does not serve is 404. They are: discovery, tables, paging,
// watches with bookmarks, three kinds of patches, evictions, logs, access reviews, and Status objects when it
// refuses. Nothing here listens or waits, and nothing knows of GPUs: the cluster behind it does (served.hpp).
// Threads: a plain object; used on one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backends/http_server.hpp"
#include "backends/sim/apiserver/call.hpp"
#include "backends/sim/apiserver/rbac.hpp"
#include "backends/sim/apiserver/served.hpp"
#include "backends/sim/apiserver/table.hpp"

namespace tessera::sim::kube {

// How a client wants objects: as they are, as rows of a table, or their metadata alone.
enum class Form : std::uint8_t { objects, table, metadata };

struct WatchOrder {
  const ResourceKind* kind = nullptr;
  std::string ns;
  Selector selector;
  Form form = Form::objects;
  RowObject rows = RowObject::metadata;
  std::optional<std::uint64_t> from;  // nullopt: what stands now first, as ADDED
  bool bookmarks = false;
  Duration lasts{0};  // 0: as long as the client stays
};

struct Answer {
  HttpAnswer http;
  std::optional<WatchOrder> watch;  // http is the head of its stream
};

class Api {
 public:
  explicit Api(ServedCluster& cluster);

  Answer answer(const User& user, const HttpRequest& request);

  // Calls emit for each line of the watch, first with what has happened since `from`; false from emit ends
  // it. Returns 0 when it is over at once (the version is too old: an ERROR line was emitted).
  using Emit = std::function<bool(std::string line)>;
  std::uint64_t follow(const WatchOrder& order, Emit emit);
  void unfollow(std::uint64_t id) { cluster_.objects().unwatch(id); }
  // The line with which a client learns how far it has come.
  std::string bookmark(const WatchOrder& order) const;

  // What pods/NAME/proxy and pods/NAME/log answer, asked in turn; nullopt: nothing by this one.
  struct Behind {
    Key pod;
    std::string path;       // proxy: "/metrics"
    std::string port;       // proxy: "9400"; empty: not reported
    bool https = false;     // proxy: the scheme that was asked for
    std::string container;  // log; empty: the first
    bool logs = false;
  };
  using Hook = std::function<std::optional<HttpAnswer>(const Behind&)>;
  void add_hook(Hook hook) { hooks_.push_back(std::move(hook)); }

 private:
  struct Asked;  // one request with all that is known of it
  Answer dispatch(Asked& asked);
  Answer get(Asked& asked);
  Answer list(Asked& asked);
  Answer watch(Asked& asked);
  Answer create(Asked& asked);
  Answer update(Asked& asked);
  Answer patch(Asked& asked);
  Answer remove(Asked& asked);
  Answer evict(Asked& asked);
  Answer behind(Asked& asked);
  Answer review(Asked& asked);
  // Writes `fresh` over what stands: the rules that hold for every change of an object.
  Answer store_changed(Asked& asked, const Json& old, Json fresh, std::optional<std::string> expected);

  ServedCluster& cluster_;
  std::vector<Hook> hooks_;
};

HttpAnswer json_answer(int status, const Json& body);
Answer refuse(const Refusal& refusal);
// Why a server would not store this object; nullopt: it would.
std::optional<Refusal> why_invalid(const ResourceKind& kind, const Json& object);
// Why a server that was asked to (fieldValidation=Strict, Kubernetes 1.25 on) refuses fields that it does not
// know (schema.hpp reports which). nullopt: it would not.
std::optional<Refusal> why_undecodable(const std::vector<std::string>& unknown);
// A body as an object: JSON, or protobuf of the kinds for which kubectl sends it.
std::variant<Json, Refusal> parse_body(std::string_view body);

}  // namespace tessera::sim::kube
