// The stage on the node itself: its GPUs are cut by one of NVIDIA's tools, and its next boot is told.
#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/files/boot_layout.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/slurm_builder.hpp"

namespace tessera::plan {
namespace {

// nvidia-smi returns when it is done: what the GPUs do not show soon after it has not made.
constexpr Duration kAfterDriver = std::chrono::seconds(10);

}  // namespace

void SlurmBuilder::recut() {
  stop_clients();
  if (site_.mig_tool == slurmconf::MigTool::mig_parted)
    recut_by_parted();
  else
    recut_by_smi();
  read_back();
  boot_file();
  boot_unit();
}

void SlurmBuilder::recut_by_smi() {
  for (const BoardChange& board : change_.boards)
    if (!board.destroyed.empty() && !board.dragged) destroy(board);
  switch_modes();
  for (const BoardChange& board : change_.boards)
    if (!board.created.empty()) create(board);
}

// Modes, resets, clearing and creating are one act of the tool. Run again it leaves alone what is so already.
void SlurmBuilder::recut_by_parted() {
  const std::string text = recut_layout(change_.node, change_.boards);
  Step& step = add(special(slurm::verb::kApplyParted, {{"config", kLayoutName}, {"text", text}}));
  step.commands.front() = there(step.commands.front());  // the lines after it are its input
  step.before = for_cutting();
  step.after = boards();
  for (const BoardChange& board : change_.boards)
    if (cuts(board) && board.after.mig) step.after.push_back(ModeIs{{board.gpu}, true, false});
  step.deadline = std::chrono::minutes(6);
  step.look_every = std::chrono::seconds(2);
  step.retry = kBusyRetry;
  step.undo = "have it make the layout that was found";
}

// By srun also the way to what is not known any more once the node is drained: another tessera that takes the
// run up comes back to here.
void SlurmBuilder::read_back() {
  Step& step = in_reservation_ ? add(special(slurm::verb::kOpenToLook)) : add(LookOnly{});
  if (in_reservation_)
    step.commands = {opening_command(change_.node.name, Scheduler::slurm) +
                     "  # if this run has drained it: the reservation keeps others off"};
  step.before = guarded();
  step.after = boards();
  step.deadline = std::chrono::seconds(10);
  step.retry = in_reservation_ ? kFewRetry : Retry{};
}

bool SlurmBuilder::has_clients() const { return !site_.stop_clients.empty(); }

void SlurmBuilder::stop_clients() {
  if (!has_clients()) return;
  Step& step = add(special(slurm::verb::kStopClients));
  step.commands = site_.stop_clients;
  run_there(step);
  step.before = guarded_and_empty();
  step.after = {word_is(slurm::key::kClients, "stopped")};
  step.deadline = std::chrono::minutes(2);
  step.retry = kFewRetry;
  step.undo = "start them again";
}

void SlurmBuilder::start_clients() {
  if (site_.start_clients.empty()) return;
  Step& step = add(special(slurm::verb::kStartClients));
  step.commands = site_.start_clients;
  run_there(step);
  step.before = guarded();
  step.after = {word_is(slurm::key::kClients, "started")};
  step.deadline = std::chrono::minutes(2);
  step.retry = kFewRetry;
}

// Into steps that end with the release. A drained node takes no step by srun: there it is open again by then,
// under the reservation.
void SlurmBuilder::add_within(std::vector<Step>& steps, std::string_view verb,
                              void (SlurmBuilder::*stage)()) {
  auto there = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* own = std::get_if<Special>(&step.action);
    return own && own->verb == verb;
  });
  if (there) return;
  const bool by_srun = site_.reach == slurmconf::Reach::srun;
  std::swap(steps, steps_);  // the stages write into steps_
  closed_ = false;
  // What is done is believed only of a node that bears our mark.
  if (std::none_of(steps_.begin(), steps_.end(),
                   [](const Step& step) { return std::holds_alternative<SetMark>(step.action); })) {
    mark();
    std::rotate(steps_.begin(), steps_.end() - 1, steps_.end());
  }
  const std::size_t before = steps_.size();
  (this->*stage)();
  auto place = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) {
    return by_srun ? std::holds_alternative<ClearMark>(step.action)
                   : std::holds_alternative<OpenNode>(step.action);
  });
  std::rotate(place, steps_.begin() + static_cast<std::ptrdiff_t>(before), steps_.end());
  std::swap(steps, steps_);
}

void SlurmBuilder::tidy_node(std::vector<Step>& steps, const Unfinished& left) {
  auto begun = [&](std::string_view verb) { return left.begun.contains(std::string(verb)); };
  if (begun(slurm::verb::kStopClients))
    add_within(steps, slurm::verb::kStartClients, &SlurmBuilder::start_clients);
  auto kept = left.words.find(std::string(slurm::key::kBootFile));
  if (begun(slurm::verb::kWriteBootFile) &&
      (kept == left.words.end() || kept->second != digest(boot_layout(change_.node, {}))))
    add_within(steps, slurm::verb::kWriteBootFile, &SlurmBuilder::boot_file);
  if (!begun(slurm::verb::kBootUnit)) return;
  if (left.back)
    take_back_boot_unit(steps);
  else
    add_within(steps, slurm::verb::kBootUnit, &SlurmBuilder::boot_unit);
}

void SlurmBuilder::take_back_boot_unit(std::vector<Step>& steps) {
  if (site_.boot_unit.empty() || steps.empty()) return;
  std::erase_if(steps, [](const Step& step) {
    const auto* own = std::get_if<Special>(&step.action);
    return own && own->verb == slurm::verb::kBootUnit;
  });
  add_within(steps, slurm::verb::kBootUnit, &SlurmBuilder::boot_unit_off);
}

Conditions SlurmBuilder::for_cutting() const {
  Conditions conditions = guarded_and_empty();
  if (has_clients()) conditions.push_back(word_is(slurm::key::kClients, "stopped"));
  return conditions;
}

void SlurmBuilder::destroy(const BoardChange& board) {
  Step& step = add(DestroyInstances{board.gpu, board.destroyed}, board.product);
  run_there(step);
  step.before = for_cutting();
  if (!board.kept.empty()) step.before.push_back(InstancesStand{board.gpu, board.kept});
  step.after = {InstancesGone{board.gpu, board.destroyed}};
  if (!board.kept.empty()) step.after.push_back(InstancesStand{board.gpu, board.kept});
  step.deadline = kAfterDriver;
  step.retry = kBusyRetry;
  step.undo = fmt::format("create {} again", to_text(board.destroyed));
}

void SlurmBuilder::switch_modes() {
  bool later = change_.needs.reset;
  for (bool on : {false, true}) {
    std::vector<GpuIndex> gpus = switched(change_, on);
    if (gpus.empty()) continue;
    Step& step = add(SetMode{gpus, on});
    run_there(step);
    step.before = for_cutting();
    for (GpuIndex gpu : gpus) step.after.push_back(ModeIs{{gpu}, on, later});
    step.deadline = kAfterDriver;
    step.retry = kBusyRetry;
    step.undo = fmt::format("MIG {} again", on ? "off" : "on");
  }
  if (!later) return;
  std::vector<GpuIndex> all;
  for (const Gpu& gpu : change_.node.gpus) all.push_back(gpu.index);
  Step& step = add(ResetGpus{all});
  run_there(step);
  step.before = for_cutting();
  expect_settled(step, change_);
}

void SlurmBuilder::create(const BoardChange& board) {
  Step& step = add(creation_of(board), board.product);
  run_there(step);
  step.before = for_cutting();
  expect_created(step, board);
  step.deadline = kAfterDriver;
}

void SlurmBuilder::boot_file() {
  if (site_.boot_file.empty()) return;
  std::string text = boot_layout(change_.node, change_.boards);
  Step& step = add(special(slurm::verb::kWriteBootFile, {{"path", site_.boot_file}, {"text", text}}));
  run_there(step);
  step.before = guarded();
  step.after = {word_is(slurm::key::kBootFile, digest(text))};
  step.retry = kFewRetry;
  step.undo = "write the layout that was found";
}

void SlurmBuilder::switch_boot_unit(bool on) {
  const std::string& unit = site_.boot_unit;
  const auto& without = site_.without_systemd;
  if (unit.empty() || std::find(without.begin(), without.end(), node_) != without.end()) return;
  const std::string state = on ? "enabled" : "disabled";
  Step& step = add(special(slurm::verb::kBootUnit, {{"unit", unit}, {"state", state}}));
  run_there(step);
  step.before = guarded();
  step.after = {word_is(slurm::key::kBootUnit, state)};
  step.deadline = std::chrono::seconds(30);
  step.retry = kFewRetry;
  step.undo = on ? "disable it, if this run has enabled it" : "enable it again";
}

}  // namespace tessera::plan
