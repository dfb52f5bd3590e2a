#include "backends/kubernetes/past_way.hpp"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "backends/figures/ask_and_wait.hpp"
#include "backends/figures/prometheus.hpp"
#include "backends/json.hpp"
#include "backends/kubernetes/explain.hpp"
#include "backends/wait_unless.hpp"
#include "backends/worker.hpp"

namespace tessera::kubernetes {
namespace {

constexpr int kPastPage = 500, kMostPastPages = 1000;
// Names alone; a server that does not know this answers with whole nodes, which have their names, too.
constexpr const char* kNamesAlone =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

using Names = std::set<std::string, std::less<>>;

class Way {
 public:
  Way(const ProxyOptions& proxy, const figures::ServicePlace& service, std::function<bool()> stopped)
      : stopped_(std::move(stopped)),
        root_(service.target()),
        doing_("get services/proxy in namespace " + service.name_space) {
    worker_.post([this, proxy] {
      proxy_.emplace(worker_, processes_, proxy);
      client_.emplace(worker_, HttpEndpoint{proxy_->socket(), "", 0});
      proxy_->start([this](const Status& status) {
        if (!std::exchange(told_, true)) serves_.set_value(status);
      });
    });
  }
  ~Way() { worker_.stop(); }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  // Its first word counts: who asks once does not wait for kubectl to be started again.
  Status wait(Duration patience) {
    std::future<Status> word = serves_.get_future();
    if (auto told = wait_unless(word, stopped_, patience)) return std::move(*told);
    return Error{"cannot reach the API server",
                 fmt::format("kubectl proxy did not serve within {} s", patience.count() / 1000),
                 "try kubectl get nodes; a longer --timeout"};
  }

  Result<Names> nodes() {
    Names names;
    std::string next;
    int pages = 0;
    do {
      HttpCall call;
      call.target = fmt::format("/api/v1/nodes?limit={}{}", kPastPage,
                                next.empty() ? "" : "&continue=" + url_escape(next));
      call.headers.emplace_back("Accept", kNamesAlone);
      auto came = get(std::move(call), "list nodes");
      if (!came) return came.error();
      if (came->status != 200) return explain_response("list nodes", *came, parser_, "");
      auto rest = add_names(came->body, names);
      if (!rest) return rest.error();
      const bool circle = !next.empty() && *rest == next;
      next = std::move(*rest);
      if (circle) return endless("it does not go on: one page refers to itself as the next");
      if (++pages >= kMostPastPages && !next.empty())
        return endless(fmt::format("it does not end: {} objects on {} pages so far", names.size(), pages));
    } while (!next.empty());
    return names;
  }

  Result<HttpResponse> ask(const std::string& path) {
    HttpCall call;
    call.target = root_ + path;
    call.deadline = figures::kPastAnswer;
    call.limit = figures::kMostPrometheus;
    auto came = get(std::move(call), doing_);
    if (came && came->status != 200 && parser_.status(came->body))
      return explain_response(doing_, *came, parser_, "");
    return came;
  }

 private:
  static Error endless(std::string why) {
    return {"cannot list nodes", std::move(why), "the API server, or a proxy before it, is out of order"};
  }

  Result<HttpResponse> get(HttpCall call, const std::string& doing) {
    const auto answer = std::make_shared<std::promise<Result<HttpResponse>>>();
    std::future<Result<HttpResponse>> future = answer->get_future();
    worker_.post([this, answer, call = std::move(call)]() mutable {
      client_->request(std::move(call),
                       [answer](Result<HttpResponse> came) { answer->set_value(std::move(came)); });
    });
    auto came = wait_unless(future, stopped_);
    if (!came) return Error{"cannot " + doing, "it was given up", ""};
    if (!*came) return explain_silence(doing, came->error(), "");
    return std::move(*came);
  }

  // Returns where the list goes on; empty: it is whole.
  Result<std::string> add_names(const std::string& body, Names& names) {
    std::string next;
    const auto text_in = [](JsonValue& object, std::string_view wanted) {
      std::string found;
      object.fields([&](std::string_view key, JsonValue value) {
        if (key == wanted)
          if (const auto text = value.text()) found = std::string(*text);
      });
      return found;
    };
    Status read = document_.read(body, [&](JsonValue& list) {
      list.fields([&](std::string_view key, JsonValue value) {
        if (key == "metadata") next = text_in(value, "continue");
        if (key != "items") return;
        value.items([&](JsonValue item) {
          item.fields([&](std::string_view field, JsonValue metadata) {
            if (field == "metadata") names.insert(text_in(metadata, "name"));
          });
        });
      });
    });
    if (!read) return Error{"cannot list nodes", read.error().reason, read.error().hint};
    return next;
  }

  const std::function<bool()> stopped_;
  const std::string root_, doing_;
  Parser parser_;
  JsonDocument document_;
  std::promise<Status> serves_;
  bool told_ = false;  // the worker's thread
  Worker worker_;
  Processes processes_{worker_};
  std::optional<Proxy> proxy_;
  std::optional<HttpClient> client_;
};

}  // namespace

Result<std::unique_ptr<usage::KeptUse>> past_behind(const ProxyOptions& proxy,
                                                    const figures::ServicePlace& service, figures::PastOf of,
                                                    Duration patience) {
  auto way = std::make_shared<Way>(proxy, service, of.stopped);
  if (Status serves = way->wait(patience); !serves) return serves.error();
  auto nodes = way->nodes();
  if (!nodes) return nodes.error();
  figures::PastRoundsOptions wanted;
  wanted.of = std::move(of);
  wanted.scheduler = Scheduler::kubernetes;
  wanted.ask = [way](const std::string& path) { return way->ask(path); };
  wanted.node_of = [known = std::move(*nodes)](const figures::MetricLine& series) {
    return figures::node_by_labels(series, [&](std::string_view name) {
      const auto found = known.find(name);
      return found == known.end() ? std::string() : *found;
    });
  };
  return figures::past_rounds(std::move(wanted));
}

}  // namespace tessera::kubernetes
