#include "backends/sim/backend.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "backends/owed.hpp"
#include "backends/sim/actuator.hpp"
#include "backends/sim/details.hpp"
#include "backends/sim/snapshot.hpp"
#include "backends/worker.hpp"
#include "engine/looks_into.hpp"
#include "engine/plan/effect/usual.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr Duration kFocused{1000};
constexpr Duration kIdle{5000};
// A machine that slept, or a very high speed: more than this is not caught up with in one go.
constexpr Duration kMostAtOnce{24 * 3'600'000};

class SimBackend final : public Backend, public plan::Actuator, public LooksInto {
 public:
  SimBackend(WorldStore store, double speed, std::function<TimePoint()> wall, std::shared_ptr<Worker> worker)
      : name_(clean(store.world().spec().name, 64)),
        slurm_(store.world().spec().scheduler == Scheduler::slurm),
        can_(plan::simulator_capabilities(store.world().spec().scheduler)),
        store_(std::move(store)),
        id_(store_.id(wall())),
        speed_(speed),
        wall_(std::move(wall)),
        worker_(worker ? std::move(worker) : std::make_shared<Worker>()) {
    set_clock();
  }
  ~SimBackend() override { worker_->stop(); }  // before anything that its tasks use goes away
  SimBackend(const SimBackend&) = delete;
  SimBackend& operator=(const SimBackend&) = delete;

  ClusterName name() const override { return name_; }

  void start(EventSink& sink) override {
    worker_->post([this, &sink] {
      sink_ = &sink;
      set_clock();
      tell_all();
      if (speed_ > 0 || store_.shared() || store_.together()) tick_later();
    });
  }
  void set_pace(Pace pace) override {
    worker_->post([this, pace] {
      interval_ = pace == Pace::focused ? kFocused : kIdle;
      if (sink_) tell_pace();
    });
  }
  void refresh() override {
    worker_->post([this] {
      if (!sink_) return;
      Changes news;
      Status ok = turn(news, {});
      tell_all();
      if (!ok) tell_trouble(ok.error());
    });
  }

  plan::Actuator* actuator() override { return this; }
  void look_again() override { refresh(); }
  plan::Means means() const override { return can_; }
  std::string cluster_id() const override { return id_; }

  // A simulated Kubernetes has no quotas and no queues, and each pod is listed whole.
  LooksInto* looks_into() override { return slurm_ ? this : nullptr; }
  void look_into(const WorkloadId& id, LookedInto told) override {
    worker_->post([this, id, told = std::move(told)] {
      Changes news;
      const Status ok = turn(news, {});
      tell(news);
      std::optional<Error> failure;
      if (!ok) failure = ok.error();
      if (const Error* silent = world().failing()) failure = *silent;
      std::optional<Details> details = details_of(world(), id, failure);
      if (!details) return;
      told(std::move(*details));
      post(source_report(world()));
    });
  }

  void observe(NodeName node, Told<plan::NodeFacts> told) override {
    ask<plan::NodeFacts>(std::move(told), [this, node = std::move(node)](Changes& news) {
      Result<plan::NodeFacts> facts = Error{"", "", ""};
      Status ok = turn(news, [&](World& world, Changes& changes) {
        std::vector<ArmedTrap> before = world.traps;
        facts = look(world, node, changes);
        return before != world.traps;
      });
      return ok ? std::move(facts) : Result<plan::NodeFacts>(ok.error());
    });
  }
  // While the world moves by itself, GPUs take their time as real ones do, so that a run can be watched; one
  // that stands still is asked and answers at once.
  void perform(plan::Order order, Told<Done> told) override {
    const Duration busy = speed_ > 0 ? plan::usual_on_gpus(order.action) : Duration{0};
    if (busy.count() == 0) return perform_now(std::move(order), std::move(told));
    const Duration wait(static_cast<Duration::rep>(static_cast<double>(busy.count()) / speed_));
    auto owed = std::make_shared<Owed<Done>>(std::move(told), "the simulator");
    worker_->post([this, wait, order = std::move(order), owed = std::move(owed)]() mutable {
      worker_->after(wait, [this, order = std::move(order), owed = std::move(owed)]() mutable {
        perform_now(std::move(order),
                    [owed = std::move(owed)](Status done) { owed->answer(std::move(done)); });
      });
    });
  }
  void perform_now(plan::Order order, Told<Done> told) {
    ask<Done>(std::move(told), [this, order = std::move(order)](Changes& news) -> Status {
      Performed done{Done{}};
      Status ok = turn(news, [&](World& world, Changes& changes) {
        done = sim::perform(world, order, changes);
        if (speed_ == 0) changes.add(world.advance(over_at(world, order)));
        return true;
      });
      if (done.dies) kill(getpid(), SIGKILL);
      return ok ? done.status : ok;
    });
  }
  void marks(Told<std::vector<plan::MarkedNode>> told) override {
    ask<std::vector<plan::MarkedNode>>(std::move(told),
                                       [this](Changes& news) -> Result<std::vector<plan::MarkedNode>> {
                                         Status ok = turn(news, {});
                                         if (!ok) return ok.error();
                                         return marks_of(world());
                                       });
  }

 private:
  using Act = std::function<bool(World&, Changes&)>;  // whether anything changed

  template <class T, class Work>
  void ask(Told<T> told, Work work) {
    worker_->post(
        [this, owed = std::make_shared<Owed<T>>(std::move(told), "the simulator"), work = std::move(work)] {
          Changes news;
          Result<T> result = work(news);
          tell(news);
          owed->answer(std::move(result));
        });
  }

  // Everything below runs on the worker's thread.
  const World& world() const { return store_.world(); }

  void set_clock() {
    base_wall_ = wall_();
    base_ = last_ = world().now;
  }

  // One turn at the world: first what others did, then the time that has gone by, then `act`. Adds to `news`
  // what is different; tells the clock when it does not run as it was told.
  Status turn(Changes& news, const Act& act) {
    bool jumped = false;
    Status ok = store_.with(news, [&](World& world) {
      // Time that another process let pass has passed for us, too.
      jumped = world.now != last_;
      bool moved = false;
      if (jumped) {
        set_clock();
      } else if (speed_ > 0) {
        news.add(world.advance(target()));
        moved = world.now != last_;
      }
      bool changed = act && act(world, news);
      last_ = world.now;
      return moved || changed;
    });
    news.tidy();
    last_ = world().now;
    if (speed_ == 0 && world().now != base_) jumped = true;
    if (jumped) {
      set_clock();
      post(ClockSet{base_wall_, speed_});
    }
    return ok;
  }

  template <class What>
  void post(What what) {
    if (sink_) sink_->post({name_, kGeneration, world().now, std::move(what)});
  }

  TimePoint target() {
    Duration passed = std::chrono::duration_cast<Duration>(wall_() - base_wall_);
    TimePoint to = base_ + Duration(static_cast<std::int64_t>(static_cast<double>(passed.count()) * speed_));
    TimePoint now = world().now;
    if (to >= now && to - now <= kMostAtOnce) return to;
    // The wall clock jumped: go on from here, and say so.
    base_ = std::clamp(to, now, now + kMostAtOnce);
    base_wall_ = wall_();
    if (sink_) sink_->post({name_, kGeneration, base_, ClockSet{base_wall_, speed_}});
    return base_;
  }

  void tell_pace() { post(PaceReport{0, interval_}); }
  void tell_trouble(const Error& error) {
    troubled_ = true;
    post(SourceReport{Source::simulator, error, Duration(0), ""});
  }

  void tell_all() {
    TimePoint wall = base_wall_;
    if (speed_ > 0) {
      wall = wall_();
      base_wall_ = wall;
      base_ = world().now;
    }
    tell_pace();
    for (Event& event : snapshot(world(), wall, speed_, kGeneration)) {
      if (auto* seen = std::get_if<ClusterSeen>(&event.what)) seen->id = id_;
      sink_->post(std::move(event));
    }
  }

  void tell(const Changes& news) {
    if (!sink_ || world().failing()) return;
    for (Event& event : events_of(world(), news, kGeneration)) sink_->post(std::move(event));
  }

  void tick_later() {
    worker_->after(interval_, [this] {
      tick();
      tick_later();
    });
  }

  void tick() {
    // In a world that stands still nothing is told unless another process changed it.
    if (speed_ == 0 && !store_.is_stale() && !troubled_) return;
    Changes news;
    if (Status ok = turn(news, {}); !ok) return tell_trouble(ok.error());
    troubled_ = false;
    if (speed_ > 0 && !world().failing()) add_telemetry(news);
    tell(news);
    post(source_report(world()));
  }

  // Each tick another part of the nodes, so that all have had their turn after five seconds; a very large
  // place takes longer, for the sake of whoever draws it.
  void add_telemetry(Changes& changes) {
    constexpr std::size_t kMostNodes = 200;
    std::size_t nodes = world().nodes.size();
    std::size_t turns = std::max<std::size_t>(5, nodes / kMostNodes);
    if (interval_ > kFocused) turns = std::max<std::size_t>(1, turns / 5);
    for (std::size_t i = turn_++ % turns; i < nodes; i += turns)
      changes.nodes.push_back(static_cast<std::uint32_t>(i));
    changes.tidy();
  }

  static constexpr std::uint64_t kGeneration = 1;

  const ClusterName name_;
  const bool slurm_;
  const plan::Means can_;
  WorldStore store_;
  const std::string id_;
  double speed_;
  std::function<TimePoint()> wall_;
  EventSink* sink_ = nullptr;
  TimePoint base_wall_{};
  TimePoint base_{};
  TimePoint last_{};  // the world's time when we last let go of it
  Duration interval_ = kFocused;
  std::size_t turn_ = 0;
  bool troubled_ = false;  // the state file could not be used
  std::shared_ptr<Worker> worker_;
};

}  // namespace

BackendPtr make_backend(WorldStore store, double speed, std::function<TimePoint()> wall,
                        std::shared_ptr<Worker> worker) {
  return std::make_unique<SimBackend>(std::move(store), speed, std::move(wall), std::move(worker));
}

}  // namespace tessera::sim
