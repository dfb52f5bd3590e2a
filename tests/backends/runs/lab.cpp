#include "tests/backends/runs/lab.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <future>
#include <iterator>

#include "backends/files.hpp"
#include "tests/support/patience.hpp"

namespace tessera::test {

FakeCluster::FakeCluster(std::vector<Node> nodes, std::vector<Workload> workloads) {
  for (Node& node : nodes) {
    std::vector<Workload> here;
    for (const Workload& one : workloads)
      for (const Allocation& allocation : one.allocations)
        if (allocation.node == node.name) here.push_back(one);
    NodeName name = node.name;
    worlds_[name] = std::make_unique<Adversary>(catalogue_, std::move(node), std::move(here));
  }
}

void FakeCluster::observe(NodeName node, Told<plan::NodeFacts> told) {
  hands_.post([this, node = std::move(node), told = std::move(told)] {
    if (frozen) return;
    if (blind) return told(Error{"cannot look", "the cluster does not answer", ""});
    Adversary& world = *worlds_.at(node);
    if (patient_looks > 0 && ++looks_[node] % patient_looks == 0) world.let_all_work_end();
    auto facts = world.observe(runs_[node]);
    if (answers_twice) told(facts);
    told(std::move(facts));
  });
}

void FakeCluster::perform(plan::Order order, Told<Done> told) {
  hands_.post([this, order = std::move(order), told = std::move(told)] {
    if (frozen) return;
    ++performs;
    if (before_perform) before_perform(order);
    runs_[order.node] = order.mark.run;
    Status status = worlds_.at(order.node)->perform(order.action, order.mark);
    if (freeze_after_next_perform) freeze();
    if (frozen) return;
    if (answers_twice) told(status);
    told(status);
  });
}

void FakeCluster::marks(Told<std::vector<plan::MarkedNode>> told) {
  hands_.post([this, told = std::move(told)] {
    if (frozen) return;
    told(elsewhere);
  });
}

void FakeCluster::settle() {
  std::promise<void> reached;
  hands_.post([&reached] { reached.set_value(); });
  reached.get_future().wait();
}

void FakeCluster::freeze() {
  frozen = true;
  frozen.notify_all();
}

Cluster FakeCluster::cluster() const {
  Cluster all;
  all.name = ClusterName("hpc");
  all.id = id;
  for (const auto& [name, world] : worlds_) {
    Cluster one = world->cluster();
    all.nodes.upsert(*one.nodes.find(name));
    for (const Workload& work : one.workloads.all()) all.workloads.upsert(work);
  }
  return all;
}

std::vector<std::string> FakeCluster::harm() const {
  std::vector<std::string> all;
  for (const auto& [name, world] : worlds_) all.insert(all.end(), world->harm.begin(), world->harm.end());
  return all;
}

Node small_node(const std::string& name) {
  return node(
      name,
      {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1), instance("3g.40gb", 4, 4, 2)}),
       uncut(1, 9)});
}

Workload on_slice(const std::string& id, const std::string& user, const std::string& node, int device) {
  return running(id, user, {holds(node, {{device, 1}})});
}

Lab::Lab(std::vector<Node> nodes, std::vector<Workload> workloads)
    : now_(at(0).time_since_epoch().count()), cluster_(std::move(nodes), std::move(workloads)) {
  options_.write = true;
  options_.folder = folder();
  options_.who = "root";
  options_.from = "login1";
  options_.catalogue = &catalogue();
  options_.wall = [this] { return now(); };
  options_.random = [number = std::make_shared<std::uint64_t>(0)] { return (*number)++; };
  options_.later = [this](Worker& worker, Duration delay, Worker::Task task) {
    if (cluster_.frozen) return;
    now_ += delay.count();
    worker.post(std::move(task));
  };
}

plan::Runs& Lab::room() {
  if (!room_) room_ = runs::make_runs(options_, {{name_, &cluster_}}, mailbox_);
  return *room_;
}

void Lab::die_after(int lines, bool torn) {
  auto left = std::make_shared<int>(lines);
  options_.put = [this, left, torn](int fd, std::string_view text) {
    while (!text.empty() && *left > 0) {
      std::string_view line = text.substr(0, text.find('\n') + 1);
      text.remove_prefix(line.size());
      if (!write_all(fd, line)) return errno;
      if (--*left > 0) continue;
      if (torn) write_all(fd, line.substr(0, line.size() / 2));
      cluster_.freeze();
    }
    return 0;
  };
}

void Lab::close_dead_room() {
  // A run that ends or parks before that line never freezes: that is a failure, and no wait for ever.
  // No event tells of it.
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (; !cluster_.frozen && std::chrono::steady_clock::now() < end; take()) {
    pollfd news{mailbox_.wake_fd(), POLLIN, 0};
    ::poll(&news, 1, 20);
  }
  EXPECT_TRUE(cluster_.frozen) << "the run did not come to the line after which it was to die";
  close();
  cluster_.settle();  // what was asked for before the death is not done after it
  cluster_.freeze_after_next_perform = false;
  cluster_.frozen = false;
  options_.put = nullptr;
}

plan::Plan Lab::plan(const std::string& layout, std::vector<std::string> nodes,
                     plan::ChangeOptions options) const {
  plan::Intent intent = wants(layout);
  intent.nodes.clear();
  for (const std::string& name : nodes) intent.nodes.emplace_back(name);
  intent.options = options;
  auto made = plan::make_plan(cluster_.cluster(), catalogue(), intent, cluster_.means(), {}, now());
  EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
  return made ? *made : plan::Plan{};
}

void Lab::take() {
  for (Event& event : mailbox_.take()) {
    if (auto* lines = std::get_if<RunTold>(&event.what)) {
      std::string& text = told[lines->run];
      text = lines->from_start ? lines->lines : text + lines->lines;
    } else if (auto* no = std::get_if<RunRefused>(&event.what)) {
      refused.push_back(std::move(*no));
    } else if (auto* listed = std::get_if<RunsListed>(&event.what)) {
      lists.push_back(std::move(*listed));
    } else if (std::holds_alternative<RunsAtRest>(event.what)) {
      ++rests;
    }
  }
}

bool Lab::wait_on(const EventSource& source, const std::function<bool()>& until) {
  while (!until()) {
    pollfd news{source.wake_fd(), POLLIN, 0};
    if (::poll(&news, 1, static_cast<int>(kPatience / std::chrono::milliseconds(1))) <= 0) return false;
  }
  return true;
}

bool Lab::wait(const std::function<bool()>& until) {
  return wait_on(mailbox_, [&] {
    take();
    return until();
  });
}

std::string Lab::start(const plan::Plan& plan, const std::string& undoes) {
  take();
  auto before = told;
  std::size_t refusals = refused.size();
  room().start(plan, undoes);
  std::string run;
  EXPECT_TRUE(wait([&] {
    for (const auto& [id, text] : told)
      if (!before.contains(id)) run = id;
    return !run.empty() || refused.size() > refusals;
  }));
  return run;
}

bool Lab::wait_finished(const std::string& run) {
  return wait([&] { return told[run].find("\"kind\":\"run-finished\"") != std::string::npos; });
}

bool Lab::wait_stopped(const std::string& run) {
  return wait([&] {
    if (told[run].empty()) return false;
    plan::Run folded = told_run(run);
    bool more = !summary(folded).running.empty() || !nodes_to_begin(folded).empty() || end_of(folded);
    return folded.finished || !more;
  });
}

plan::Run Lab::told_run(const std::string& run) const {
  auto journal = plan::parse_journal(told.at(run), run);
  EXPECT_TRUE(journal.ok()) << (journal ? "" : to_line(journal.error()));
  return plan::replay(*journal).value();
}

// The room does one thing after the other. What it is at when this is asked has queued all that follows from
// it once the first answer is here; all that has been done once the second one is.
void Lab::settle() {
  constexpr const char* kNone = "none-of-that-name";
  for (int i = 0; i < 2; ++i) {
    auto is_it = [&](const RunRefused& one) { return one.run == kNone; };
    room().read(kNone);
    EXPECT_TRUE(wait([&] { return std::any_of(refused.begin(), refused.end(), is_it); }));
    std::erase_if(refused, is_it);
  }
}

// A list that was on its way already would tell of an earlier moment.
RunsListed Lab::list() {
  settle();
  std::size_t before = lists.size();
  room().list();
  EXPECT_TRUE(wait([&] { return lists.size() > before; }));
  return lists.empty() ? RunsListed{} : lists.back();
}

const RunHead* Lab::find(const RunsListed& listed, const std::string& run) const {
  for (const RunHead& head : listed.runs)
    if (head.run == run) return &head;
  ADD_FAILURE() << "run " << run << " is not listed";
  static const RunHead none;
  return &none;
}

std::string Lab::disk(const std::string& run) const {
  std::ifstream stream(file(run), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tessera::test
