#include "backends/runs/room.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "backends/runs/driver.hpp"
#include "backends/runs/heads.hpp"
#include "backends/runs/store.hpp"
#include "engine/plan/allowed.hpp"
#include "engine/plan/permit.hpp"
#include "engine/text.hpp"

namespace tessera::runs {
namespace {

// A step that is still to come and must not be done here.
std::optional<std::string> why_not_carried_on(const plan::Run& run, const plan::Actuator& actuator) {
  const plan::Means can = actuator.means();
  for (const auto& [node, plan] : run.plans)
    if (!run.nodes.at(node).finished())
      if (auto why = plan::why_not_allowed(plan, plan::intent_now(run, node), can)) return why;
  return std::nullopt;
}

// All that happens on the worker.
class Desk : public std::enable_shared_from_this<Desk> {
 public:
  Desk(RunsOptions options, std::vector<Changeable> clusters, EventSink& sink, std::shared_ptr<Worker> worker)
      : options_(std::move(options)),
        clusters_(std::move(clusters)),
        sink_(sink),
        worker_(std::move(worker)),
        store_(options_.folder, options_.site_folder, options_.put) {
    if (!options_.later)
      options_.later = [](Worker& hand, Duration delay, Worker::Task task) {
        hand.after(delay, std::move(task));
      };
    if (!options_.random)
      options_.random = [] {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32U) | device();
      };
  }

  void list();
  void read(const std::string& run);
  void start(plan::Plan plan, std::string undoes);
  void resume(const std::string& run, const plan::Resuming& how, bool waited = false);
  void demand(const std::string& run, const NodeName& node, plan::Demand what, const std::string& why);
  void answer(const std::string& run, const NodeName& node, plan::Ask what, bool go_on);
  void park_all(const std::string& why);
  void fault(const std::string& what) {
    refuse("", {"it was not done", "an error inside tessera: " + clean(what, 200), "please report it"});
  }

 private:
  // What a journal was like when it was last read.
  struct Known {
    Stamp stamp;
    RunHead head;
    plan::Chain chain;
    std::optional<std::vector<std::string>> changed;  // RunHead::changed, once it was worked out
  };

  template <class News>
  void tell(News news) {
    sink_.post(Event{{}, 0, options_.wall(), std::move(news)});
  }
  void refuse(const std::string& run, Error error) { tell(RunRefused{run, std::move(error)}); }
  Result<plan::Actuator*> actuator_for(const ClusterName& cluster, const char* what) const;
  std::shared_ptr<Driver> driver_of(const std::string& run) const;
  std::shared_ptr<Driver> add_driver(const std::string& run, plan::Actuator* actuator, JournalFile file,
                                     plan::Run replayed, const plan::Journal* journal);
  void over(const std::string& run, std::optional<Error> error);
  void marks_told(std::size_t cluster, Result<std::vector<plan::MarkedNode>> told);
  void changed();
  void tell_list();
  RunHead head_of_file(const JournalStore::Listed& file);
  bool is_of_another_cluster(const RunHead& head) const;

  RunsOptions options_;
  std::vector<Changeable> clusters_;
  EventSink& sink_;
  std::shared_ptr<Worker> worker_;
  JournalStore store_;
  std::map<std::string, std::shared_ptr<Driver>> drivers_;
  std::map<std::string, Known> known_;  // by path
  std::map<std::size_t, Result<std::vector<plan::MarkedNode>>> marks_;
  std::set<std::size_t> marks_awaited_;
  bool listed_ = false;      // lists are wanted
  bool list_waits_ = false;  // one is on its way
  bool rest_waits_ = false;  // RunsAtRest is to be told
};

Result<plan::Actuator*> Desk::actuator_for(const ClusterName& cluster, const char* what) const {
  if (!options_.write) return Error{what, "tessera was started read-only", "start it with --write"};
  for (const Changeable& one : clusters_)
    if (one.cluster == cluster) return one.actuator;
  return Error{what, "cluster " + cluster.text + " is not open here, or it cannot be changed from here",
               "open that cluster, on a host from which it can be changed"};
}

std::shared_ptr<Driver> Desk::driver_of(const std::string& run) const {
  auto it = drivers_.find(run);
  return it == drivers_.end() ? nullptr : it->second;
}

std::shared_ptr<Driver> Desk::add_driver(const std::string& run, plan::Actuator* actuator, JournalFile file,
                                         plan::Run replayed, const plan::Journal* journal) {
  Around around;
  around.worker = worker_;
  around.actuator = actuator;
  around.options = &options_;
  around.told = [this, run](const std::string& lines) { tell(RunTold{run, lines, false}); };
  around.changed = [this] { changed(); };
  around.over = [this, run, actuator](std::optional<Error> error) {
    actuator->look_again();
    over(run, std::move(error));
  };
  std::int64_t lines = journal ? static_cast<std::int64_t>(journal->entries.size()) : 0;
  TimePoint started = journal ? journal->entries.front().at : TimePoint{};
  auto driver = std::make_shared<Driver>(std::move(around), std::move(file), std::move(replayed), lines,
                                         journal ? journal->chain : plan::Chain(), started);
  drivers_[run] = driver;
  return driver;
}

void Desk::over(const std::string& run, std::optional<Error> error) {
  if (auto driver = driver_of(run)) {
    if (driver->run().finished)
      store_.forget(run);
    else
      store_.remember(run, driver->chain());
  }
  drivers_.erase(run);
  if (error) refuse(run, std::move(*error));
  changed();
  if (!drivers_.empty() || !std::exchange(rest_waits_, false)) return;
  if (listed_) tell_list();
  tell(RunsAtRest{});
}

void Desk::start(plan::Plan plan, std::string undoes) {
  const char* what = "cannot begin the run";
  auto actuator = actuator_for(plan.intent.cluster, what);
  if (!actuator) return refuse("", actuator.error());
  if (!undoes.empty() && !is_run_id(undoes)) return refuse("", {what, "no run has that name", ""});
  if (auto why = plan::why_not_begun(plan, (*actuator)->cluster_id(), (*actuator)->means()))
    return refuse("", {what, why->reason, why->hint});
  for (const plan::NodePlan& node : plan.nodes)
    if (auto why = plan::why_not_allowed(node, plan::intent_of(plan.intent, node.node), (*actuator)->means()))
      return refuse("", {what, *why, "create a new plan"});
  Result<JournalStore::Made> made =
      store_.create(run_id(options_.wall(), plan.nodes.front().node, options_.random()));
  if (!made) return refuse("", made.error());
  plan::RunStarted started;
  started.run = made->run, started.who = options_.who, started.from = options_.from;
  started.undoes = std::move(undoes), started.plan = std::move(plan);
  auto driver = add_driver(made->run, *actuator, std::move(made->file), plan::run_of(started), nullptr);
  if (Status open = driver->open(std::move(started)); !open) {
    drivers_.erase(made->run);
    return refuse("", open.error());
  }
  read(made->run);
  changed();
  driver->begin();
}

void Desk::read(const std::string& run) {
  Result<JournalStore::Seen> seen = store_.look(run);
  if (!seen) return refuse(run, seen.error());
  tell(RunTold{run, std::move(seen->text), true});
}

void Desk::resume(const std::string& run, const plan::Resuming& how, bool waited) {
  const char* what = "cannot resume the run";
  auto driven = driver_of(run);
  // It has just parked, and is let go of by a task that is queued already.
  if (driven && driven->settles() && !waited)
    return worker_->post([self = weak_from_this(), run, how] {
      if (auto desk = self.lock()) desk->resume(run, how, true);
    });
  if (driven) return refuse(run, {what, "it is driven by this tessera already", ""});
  Result<JournalStore::Taken> taken = store_.take(run);
  if (!taken) return refuse(run, taken.error());
  Result<plan::Run> replayed = plan::replay(taken->journal);
  if (!replayed) return refuse(run, replayed.error());
  if (replayed->started.run != run)
    return refuse(run, {what, "the journal by that name is that of run " + replayed->started.run,
                        "give the file its own name back"});
  if (replayed->finished)
    return refuse(run,
                  {what, "it has ended: " + replayed->finished->text, "tessera undo reverts what it did"});
  const ClusterName cluster = replayed->started.plan.intent.cluster;
  auto actuator = actuator_for(cluster, what);
  if (!actuator) return refuse(run, actuator.error());
  if (auto why = plan::why_not_here(what, cluster, replayed->started.plan.cluster_id,
                                    (*actuator)->cluster_id(), how.same_cluster))
    return refuse(run, *why);
  if (!how.seen.empty() && how.seen != taken->journal.chain.last())
    return refuse(run, {what, std::string(plan::kWrittenSince), "look at it again"});
  if (std::string why = store_.why_unarmed(run, taken->journal.chain); how.by_timer && !why.empty())
    return refuse(run,
                  {what, why, "look at it with tessera journal " + run + ", then resume it by its name"});
  plan::instruct(taken->journal, (*actuator)->means());
  replayed = plan::replay(taken->journal);
  if (auto why = why_not_carried_on(*replayed, **actuator); why && how.onward == plan::Onward::carry_on)
    return refuse(
        run,
        {what, *why,
         "the journal was edited, or the settings here differ from those of the run; --replan and --back "
         "plan new steps from the current layout"});
  auto driver = add_driver(run, *actuator, std::move(taken->file), std::move(*replayed), &taken->journal);
  tell(RunTold{run, std::move(taken->text), true});
  changed();
  driver->take_up(how);
}

void Desk::demand(const std::string& run, const NodeName& node, plan::Demand what, const std::string& why) {
  auto driver = driver_of(run);
  if (!driver)
    return refuse(run, {"cannot do that", "this tessera does not drive that run",
                        "ask where it runs, or resume it here once it has stopped"});
  if (Status done = driver->demand(node, what, why); !done) refuse(run, done.error());
}

void Desk::answer(const std::string& run, const NodeName& node, plan::Ask what, bool go_on) {
  auto driver = driver_of(run);
  if (!driver)
    return refuse(run, {"cannot take that answer", "this tessera does not drive that run",
                        "resume it here once it has stopped; then it asks again"});
  if (Status done = driver->answer(node, what, go_on); !done) refuse(run, done.error());
}

void Desk::park_all(const std::string& why) {
  if (drivers_.empty()) return tell(RunsAtRest{});
  rest_waits_ = true;
  auto all = drivers_;
  for (auto& [run, driver] : all) (void)driver->demand({}, plan::Demand::pause, why);  // names no node
}

// ── the list ──────────────────────────────────────────────────────────────────────────────────────────

void Desk::list() {
  listed_ = true;
  if (!marks_awaited_.empty()) return;  // an answer is on its way
  for (std::size_t i = 0; i < clusters_.size(); ++i) marks_awaited_.insert(i);
  if (clusters_.empty() || !options_.marks) return marks_awaited_.clear(), tell_list();
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    clusters_[i].actuator->marks([worker = worker_, self = weak_from_this(), i](auto told) {
      worker->post([self, i, told = std::move(told)]() mutable {
        if (auto desk = self.lock()) desk->marks_told(i, std::move(told));
      });
    });
  }
}

void Desk::marks_told(std::size_t cluster, Result<std::vector<plan::MarkedNode>> told) {
  marks_.insert_or_assign(cluster, std::move(told));
  marks_awaited_.erase(cluster);
  if (marks_awaited_.empty()) tell_list();
}

// Several changes of one moment make one list.
void Desk::changed() {
  if (!listed_ || std::exchange(list_waits_, true)) return;
  worker_->post([self = weak_from_this()] {
    auto desk = self.lock();
    if (desk && desk->list_waits_) desk->tell_list();
  });
}

RunHead Desk::head_of_file(const JournalStore::Listed& file) {
  auto known = known_.find(file.path);
  if (known == known_.end() || known->second.stamp != file.stamp) {
    Result<JournalStore::Seen> seen = store_.look(file.run);
    RunHead head = seen ? runs::head_of(seen->journal, seen->driven) : unreadable(file.run, seen.error());
    if (seen && head.run != file.run)
      head = unreadable(file.run, {"", "the journal in this file is that of run " + head.run, ""});
    head.file = clean(file.path);
    plan::Chain chain = seen ? seen->journal.chain : plan::Chain();
    known =
        known_.insert_or_assign(file.path, Known{file.stamp, std::move(head), std::move(chain), {}}).first;
    return known->second.head;
  }
  // Who drives it shows in no stamp: with the lock, the words change too.
  RunHead& head = known->second.head;
  bool may_be_driven = head.state != RunState::finished && head.state != RunState::unreadable;
  if (may_be_driven && store_.driven(file.run) != (head.state == RunState::running)) {
    known_.erase(known);
    return head_of_file(file);
  }
  return head;
}

// Of a cluster that only has the name of one that is open here: it is listed where that cluster is. Nor is
// one of a simulated world that is not open, whose clusters have names of their own.
bool Desk::is_of_another_cluster(const RunHead& head) const {
  const bool open = std::any_of(clusters_.begin(), clusters_.end(),
                                [&](const Changeable& one) { return one.cluster == head.cluster; });
  if (options_.open_only && !open && !head.cluster.empty()) return true;
  if (head.cluster_id.empty()) return false;
  return std::any_of(clusters_.begin(), clusters_.end(), [&](const Changeable& one) {
    const std::string id = one.cluster == head.cluster ? one.actuator->cluster_id() : "";
    return !id.empty() && id != head.cluster_id;
  });
}

void Desk::tell_list() {
  list_waits_ = false;
  RunsListed listed;
  std::set<std::string> here;
  std::vector<Error> troubles;
  for (const JournalStore::Listed& file : store_.list(troubles)) {
    RunHead head;
    if (auto driver = driver_of(file.run)) {
      head = runs::head_of(driver->run(), driver->started(), driver->last(), true);
      head.here = true;
      head.file = clean(file.path);
    } else {
      head = head_of_file(file);
      const bool stopped = head.state == RunState::parked || head.state == RunState::interrupted;
      if (file.shared && stopped) head.unarmed = store_.why_unarmed(file.run, known_.at(file.path).chain);
      if (!head.unarmed.empty()) {
        std::optional<std::vector<std::string>>& changed = known_.at(file.path).changed;
        if (!changed) changed = store_.changed(file.run);
        head.changed = *changed;
      }
      if (file.shared && head.state == RunState::finished) store_.forget(file.run);
    }
    if (is_of_another_cluster(head)) continue;
    here.insert(file.run);
    listed.runs.push_back(std::move(head));
  }
  for (const auto& [cluster, told] : marks_) {
    if (!told) {
      troubles.push_back(
          {"", "the marks of " + clusters_[cluster].cluster.text + " cannot be read: " + told.error().reason,
           ""});
      continue;
    }
    auto marked = heads_of({clusters_[cluster].cluster, *told}, here);
    listed.runs.insert(listed.runs.end(), marked.begin(), marked.end());
  }
  for (const Error& trouble : troubles) listed.runs.push_back(unreadable("", trouble));
  sort_heads(listed.runs);
  tell(std::move(listed));
}

// The port: everything is handed to the desk.
class Room final : public plan::Runs {
 public:
  Room(RunsOptions options, std::vector<Changeable> clusters, EventSink& sink)
      : worker_(std::make_shared<Worker>()),
        desk_(std::make_shared<Desk>(std::move(options), std::move(clusters), sink, worker_)) {}
  ~Room() override { worker_->stop(); }

  void list() override {
    ask([](Desk& desk) { desk.list(); });
  }
  void read(const std::string& run) override {
    ask([=](Desk& desk) { desk.read(run); });
  }
  void start(plan::Plan plan, std::string undoes) override {
    ask([plan = std::move(plan), undoes = std::move(undoes)](Desk& desk) mutable {
      desk.start(std::move(plan), std::move(undoes));
    });
  }
  void resume(const std::string& run, const plan::Resuming& how) override {
    ask([=](Desk& desk) { desk.resume(run, how); });
  }
  void demand(const std::string& run, const NodeName& node, plan::Demand what,
              const std::string& why) override {
    ask([=](Desk& desk) { desk.demand(run, node, what, why); });
  }
  void answer(const std::string& run, const NodeName& node, plan::Ask what, bool go_on) override {
    ask([=](Desk& desk) { desk.answer(run, node, what, go_on); });
  }
  void park_all(const std::string& why) override {
    ask([=](Desk& desk) { desk.park_all(why); });
  }

 private:
  template <class What>
  void ask(What what) {
    worker_->post([desk = desk_.get(), what = std::move(what)]() mutable {
      try {
        what(*desk);
      } catch (const std::exception& thrown) {  // whoever asked waits for an answer
        desk->fault(thrown.what());
      }
    });
  }
  std::shared_ptr<Worker> worker_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace

std::string journal_folder(std::string_view xdg_state_home, std::string_view home, std::string_view name) {
  std::string folder(xdg_state_home);
  // The specification wants an absolute path; anything else counts as not set.
  if (!folder.starts_with('/')) folder = home.starts_with('/') ? std::string(home) + "/.local/state" : "";
  return folder.empty() ? folder : folder + "/tessera/" + std::string(name);
}

std::function<Result<plan::Run>(const std::string& run)> journal_reader(std::string folder,
                                                                        std::string site_folder) {
  const auto store = std::make_shared<const JournalStore>(std::move(folder), std::move(site_folder), Put());
  return [store](const std::string& run) -> Result<plan::Run> {
    Result<JournalStore::Seen> seen = store->look(run);
    if (!seen) return seen.error();
    return plan::replay(seen->journal);
  };
}

std::unique_ptr<plan::Runs> make_runs(RunsOptions options, std::vector<Changeable> clusters,
                                      EventSink& sink) {
  return std::make_unique<Room>(std::move(options), std::move(clusters), sink);
}

}  // namespace tessera::runs
