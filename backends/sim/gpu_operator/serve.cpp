#include "backends/sim/gpu_operator/serve.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "backends/files.hpp"
#include "backends/http_server.hpp"
#include "backends/sim/actuator.hpp"
#include "backends/sim/gpu_operator/churn.hpp"
#include "backends/sim/gpu_operator/context.hpp"
#include "backends/sim/gpu_operator/faults.hpp"
#include "backends/sim/gpu_operator/installed.hpp"
#include "backends/sim/gpu_operator/services.hpp"
#include "backends/sim/kueue/kueue.hpp"
#include "backends/sim/step.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kTick{200};
constexpr Duration kBookmarks{30'000};
constexpr Duration kLongestWatch{45 * 60'000};

// One open watch.
struct Stream {
  WatchOrder order;
  HttpReply reply;
  std::uint64_t follows = 0;
  bool over = false;
  bool cut = false;  // the next line is only half sent
};

std::string config_of(const std::string& cluster,
                      const std::vector<std::pair<std::string, std::uint16_t>>& users) {
  std::string clusters, contexts, names;
  for (const auto& [name, port] : users) {
    std::string id = fmt::format("{}-{}", cluster, name);
    clusters += fmt::format("- name: {}\n  cluster:\n    server: http://127.0.0.1:{}\n", id, port);
    contexts += fmt::format("- name: {}\n  context:\n    cluster: {}\n    user: {}\n", id, id, id);
    names += fmt::format("- name: {}\n  user: {{}}\n", id);
  }
  return fmt::format(
      "apiVersion: v1\nkind: Config\ncurrent-context: {}-{}\nclusters:\n{}contexts:\n{}users:\n{}", cluster,
      users.front().first, clusters, contexts, names);
}

Status write_private(const std::string& path, const std::string& text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.ok() && write_all(file.get(), text)) return Done{};
  return Error{"cannot write the kubeconfig", path + ": " + std::strerror(errno), ""};
}

std::string word_of(std::string_view name) {
  std::string word = lower(clean(name, 63));
  for (char& c : word)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return word;
}

}  // namespace

Result<std::vector<UserPort>> parse_user_ports(std::string_view text) {
  std::vector<UserPort> users;
  std::vector<std::string> rules;
  while (!text.empty()) {
    std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(text.size(), comma + 1));
    std::size_t equals = part.find('='), colon = part.find(':');
    auto port = equals < colon ? whole_number<std::uint16_t>(part.substr(equals + 1, colon - equals - 1))
                               : std::nullopt;
    if (port && colon != std::string_view::npos && equals > 0) {
      users.push_back({std::string(part.substr(0, equals)), *port, {}});
      rules.emplace_back(part.substr(colon + 1));
    } else if (!rules.empty()) {  // a comma within the rules
      rules.back() += "," + std::string(part);
    } else {
      return Error{"cannot read --user-port", fmt::format("\"{}\"", clean(part, 128)),
                   "NAME=PORT:RULES, for example viewer=8002:view"};
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    Result<std::vector<Rule>> parsed = parse_rules(rules[i]);
    if (!parsed) return parsed.error();
    users[i].rules = std::move(*parsed);
  }
  return users;
}

struct Server::State {
  State(sim::WorldStore store, double speed, std::function<TimePoint()> wall)
      : cluster(std::move(store), speed, std::move(wall)),
        installed(install_operator(cluster)),
        kueue(install_kueue(cluster)),
        api(cluster) {
    answer_for(*installed, cluster, api);
    events = std::make_unique<EventRecorder>(cluster);
  }
  ~State() {
    worker.stop();
    streams.clear();
    servers.clear();
  }

  void begin() {
    worker.post([this] {
      tick();
      mark();
    });
  }
  void tick() {
    if (Status ok = cluster.tick(); !ok) trouble = to_line(ok.error());
    worker.after(kTick, [this] { tick(); });
  }
  void mark() {
    for (const auto& stream : std::vector(streams.begin(), streams.end()))
      if (stream->order.bookmarks) write(stream, api.bookmark(stream->order));
    worker.after(kBookmarks, [this] { mark(); });
  }

  void handle(const User& user, const HttpRequest& request, HttpReply reply) {
    if (request.target.starts_with("/tessera/")) return reply.send(command(request));
    std::optional<ServerFault> fault = faults.strike(request.method, request.target);
    if (fault && fault->kind == FaultKind::drop) return reply.drop();
    if (fault && fault->kind == FaultKind::busy) {
      Refusal busy{429, "TooManyRequests", "Too many requests, please try again later."};
      busy.retry_after = fault->after;
      return reply.send(refuse(busy).http);
    }
    if (fault && fault->kind == FaultKind::error)
      return reply.send(
          refuse({500, "InternalError", "Internal error occurred: etcdserver: request timed out"}).http);
    if (fault && fault->kind == FaultKind::status)
      return reply.send(refuse({fault->code, "", fmt::format("the server answers {}", fault->code)}).http);
    if (fault && fault->kind == FaultKind::garbage)
      return reply.send({200, {{"Content-Type", "text/html"}}, "<html>please log in first</html>"});
    if (fault && fault->kind == FaultKind::slow) {
      worker.after(std::chrono::seconds(fault->after),
                   [this, user, request, reply] { answer(user, request, reply, false); });
      return;
    }
    answer(user, request, std::move(reply),
           fault && (fault->kind == FaultKind::half_line || fault->kind == FaultKind::half));
  }

  // cut: the text of the answer, or the next line of a watch, breaks off in the middle.
  void answer(const User& user, const HttpRequest& request, HttpReply reply, bool cut) {
    if (Status ok = cluster.tick(); !ok)
      return reply.send(
          refuse({500, "InternalError", fmt::format("Internal error occurred: {}", to_line(ok.error()))})
              .http);
    if (services.hand_on(user, request, reply)) return;
    Answer given = api.answer(user, request);
    if (hides_all(request)) given = refuse({500, "InternalError", "Internal error occurred: no leader"});
    given.http.headers.emplace_back("Date", http_date(cluster.world().now));
    if (!given.watch && cut) given.http.body.resize(given.http.body.size() / 2);
    if (!given.watch) return reply.send(std::move(given.http));
    follow(*given.watch, std::move(given.http), std::move(reply), cut);
  }

  // A GET of a node by its name is the look that the world's faults count. What they hide is gone from lists
  // and watches, too, as long as they are due.
  bool hides_all(const HttpRequest& request) {
    constexpr std::string_view kNode = "/api/v1/nodes/";
    bool looks = request.method == "GET" && request.target.starts_with(kNode);
    if (!looks || cluster.world().traps.empty()) return false;
    std::string name = request.target.substr(kNode.size());
    name.resize(std::min({name.size(), name.find('?'), name.find('/')}));
    Hidden hidden;
    Status ok = cluster.act([&](World& world, Changes& changes) {
      hidden = strike_look(world, name, changes);
      if (hidden.vanished) forget_cordon(world, name, changes);
    });
    return hidden.unreadable || !ok;
  }
  // The node's object is gone, and its cordon with it: it registers again, open.
  static void forget_cordon(World& world, const std::string& name, Changes& changes) {
    std::optional<std::uint32_t> node = find_node(world, name);
    if (!node) return;
    world.nodes[*node].closing.reset();
    if (world.nodes[*node].condition == Condition::drained) WorldStep(world, changes).resume(*node);
  }

  void follow(WatchOrder order, HttpAnswer head, HttpReply reply, bool cut) {
    auto stream = std::make_shared<Stream>(Stream{std::move(order), reply});
    stream->cut = cut;
    reply.begin(std::move(head));
    streams.insert(stream);
    reply.on_gone([this, weak = std::weak_ptr(stream)] {
      if (auto one = weak.lock()) forget(one);
    });
    std::uint64_t id = api.follow(stream->order, [this, weak = std::weak_ptr(stream)](std::string line) {
      auto one = weak.lock();
      return one && write(one, line);
    });
    if (id == 0) return close(stream);
    stream->follows = id;
    if (stream->over) return api.unfollow(id);
    Duration lasts =
        stream->order.lasts.count() > 0 ? std::min(stream->order.lasts, kLongestWatch) : kLongestWatch;
    worker.after(lasts, [this, weak = std::weak_ptr(stream)] {
      if (auto one = weak.lock()) close(one);
    });
  }

  bool write(const std::shared_ptr<Stream>& stream, const std::string& line) {
    if (stream->over) return false;
    if (stream->cut) {
      stream->reply.write(std::string_view(line).substr(0, line.size() / 2));
      stream->reply.drop();
      forget(stream);
      return false;
    }
    return stream->reply.write(line);
  }
  void close(const std::shared_ptr<Stream>& stream) {
    if (!stream->over) stream->reply.end();
    forget(stream);
  }
  void forget(const std::shared_ptr<Stream>& stream) {
    stream->over = true;
    if (stream->follows != 0) api.unfollow(stream->follows);
    streams.erase(stream);
  }

  static HttpAnswer say(int status, std::string body) {
    return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)};
  }
  // A fault of the world: one for the MIG manager, or for a plan's actions.
  HttpAnswer arm_in_world(const std::string& line, const Error& otherwise) {
    Result<Trap> trap = parse_trap(line);
    if (!trap) return say(400, to_line(otherwise) + "\n" + to_line(trap.error()) + "\n");
    Status ok = cluster.act([&](World& world, Changes& changes) {
      world.traps.push_back({*trap, 0});
      show_hidden(world, *trap, changes);
    });
    return ok ? say(200, "armed " + to_text(*trap) + "\n") : say(500, to_line(ok.error()) + "\n");
  }

  // A node may be gone from every list now, or back.
  static void show_hidden(const World& world, const Trap& trap, Changes& changes) {
    for (std::uint32_t i = 0; counts_looks(trap.kind) && i < world.nodes.size(); ++i)
      if (concerns(trap, shown_name(world, i), "")) changes.nodes.push_back(i);
  }
  HttpAnswer disarm() {
    faults.clear();
    Status ok = cluster.act([&](World& world, Changes& changes) {
      for (const ArmedTrap& armed : std::exchange(world.traps, {})) show_hidden(world, armed.trap, changes);
    });
    return ok ? say(200, "") : say(500, to_line(ok.error()) + "\n");
  }

  // What a test does to the server itself.
  HttpAnswer command(const HttpRequest& request) {
    std::string what = request.target.substr(std::string_view("/tessera/").size());
    if (what == "faults" && request.method == "GET") {
      std::string list;
      for (const ServerFault& fault : faults.armed()) list += to_text(fault) + "\n";
      for (const ArmedTrap& armed : cluster.world().traps) list += to_text(armed.trap) + "\n";
      return say(200, list);
    }
    if (what == "churn" && request.method == "GET") return say(200, std::to_string(churn.made()) + "\n");
    if (what == "faults" && request.method == "DELETE") return disarm();
    if (request.method != "POST") return say(405, "POST it\n");
    if (what == "faults") {
      Result<ServerFault> fault = parse_fault(clean(request.body, 2048));
      if (!fault) return arm_in_world(clean(request.body, 2048), fault.error());
      faults.arm(*fault);
      return say(200, "armed " + to_text(*fault) + "\n");
    }
    if (what == "expire") return cluster.objects().forget_history(), say(200, "the history is forgotten\n");
    if (what == "hang-up") {
      for (const auto& stream : std::vector(streams.begin(), streams.end())) {
        stream->reply.drop();
        forget(stream);
      }
      return say(200, "every watch is cut off\n");
    }
    if (what == "advance") {
      std::optional<Duration> time = parse_duration(request.body);
      if (!time || *time > std::chrono::hours(24 * 30)) return say(400, "90s, 15m, 4h: at most 30d\n");
      Status ok = cluster.pass(*time);
      return ok ? say(200, utc_text(cluster.world().now) + "\n") : say(500, to_line(ok.error()) + "\n");
    }
    if (what == "churn") {
      Status ok = churn.begin(clean(request.body, 64));
      return ok ? say(200, "") : say(400, to_line(ok.error()) + "\n");
    }
    if (what == "services") {
      Status ok = services.lead(clean(request.body, 256));
      return ok ? say(200, "") : say(400, to_line(ok.error()) + "\n");
    }
    return say(404, "faults, expire, hang-up, advance, churn, services\n");
  }

  Worker worker;  // first: everything below uses it, and goes before it
  Cluster cluster;
  std::unique_ptr<Operator> installed;
  std::unique_ptr<Kueue> kueue;           // nullptr: it is not installed
  std::unique_ptr<EventRecorder> events;  // of what happens from now on
  Api api;
  ServerFaults faults;
  Churn churn{worker, cluster.objects()};
  Services services{worker};
  std::set<std::shared_ptr<Stream>> streams;
  std::vector<std::unique_ptr<HttpServer>> servers;
  std::string trouble;
  std::string announcement;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() = default;
const std::string& Server::announcement() const { return state_->announcement; }
std::uint16_t Server::port() const { return state_->servers.front()->port(); }

Result<std::unique_ptr<Server>> Server::start(ServeOptions options) {
  if (options.world.scenario.empty() && options.world.state_file.empty())
    options.world.scenario = "kubernetes";
  double speed = options.world.speed.value_or(1.0);
  if (!(speed >= 0 && speed <= 100'000))
    return Error{"impossible simulator speed", fmt::format("{}", speed), ""};
  Result<std::vector<sim::WorldStore>> stores = open_stores(options.world);
  if (!stores) return stores.error();
  auto chosen = std::find_if(stores->begin(), stores->end(), [&](const sim::WorldStore& one) {
    const ClusterSpec& spec = one.world().spec();
    return spec.scheduler == Scheduler::kubernetes &&
           (options.cluster.empty() || clean(spec.name, 64) == options.cluster);
  });
  if (chosen == stores->end())
    return Error{"no Kubernetes cluster to serve",
                 options.cluster.empty() ? "the scenario has none" : "the scenario has none of that name",
                 "tessera-sim serve --kubernetes --sim=kubernetes"};
  auto state = std::make_unique<State>(std::move(*chosen), speed, options.world.wall);
  std::string name = word_of(state->cluster.world().spec().name);

  HttpListen admin;
  if (auto port = whole_number<std::uint16_t>(options.listen); port || options.listen.empty()) {
    admin.port = port.value_or(0);
  } else {
    admin.socket_path = options.listen;
  }
  std::vector<std::pair<std::string, std::uint16_t>> reachable;
  auto listen = [&](const HttpListen& where, User user) -> Status {
    std::string who = user.name;
    auto server =
        HttpServer::listen(state->worker, where,
                           [own = state.get(), user = std::move(user)](HttpRequest request, HttpReply reply) {
                             own->handle(user, request, std::move(reply));
                           });
    if (!server) return server.error();
    std::uint16_t port = (*server)->port();
    state->announcement += where.socket_path.empty()
                               ? fmt::format("{}: http://127.0.0.1:{}\n", clean(who, 64), port)
                               : fmt::format("{}: unix:{}\n", clean(who, 64), where.socket_path);
    if (port != 0) reachable.emplace_back(word_of(who), port);
    state->servers.push_back(std::move(*server));
    return Done{};
  };
  if (Status ok = listen(admin, User{}); !ok) return ok.error();
  for (const UserPort& one : options.users)
    if (Status ok = listen({"", one.port}, User{one.name, one.rules}); !ok) return ok.error();
  if (!options.kubeconfig.empty()) {
    if (reachable.empty())
      return Error{"cannot write a kubeconfig", "kubectl cannot talk to a Unix socket", "--listen PORT"};
    if (Status ok = write_private(options.kubeconfig, config_of(name, reachable)); !ok) return ok.error();
    state->announcement += fmt::format("kubectl --kubeconfig {} get nodes\n", options.kubeconfig);
  }
  state->begin();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

}  // namespace tessera::sim::kube
