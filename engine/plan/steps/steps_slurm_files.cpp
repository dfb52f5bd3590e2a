// The last stages: Slurm's files, the daemons that read them, and the proof that the node offers what is
// wanted.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/slurm_builder.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/text.hpp"

namespace tessera::plan {

std::string SlurmBuilder::diff() const {
  auto wanted = slurm::wanted_config(after_, wanted_, product_, site_);
  if (!wanted) return "# " + wanted.error().reason + "\n# Gres=" + wanted_;
  auto files = slurmconf::set_node(site_.files, *wanted);
  if (!files) return "# " + to_line(files.error());
  return slurmconf::unified_diff(site_.files, *files);
}

std::string SlurmBuilder::why_not_written() const {
  if (site_.writer == slurmconf::Writer::site || site_.files.empty()) return "";
  auto gres = slurmconf::set_gres(site_.files, node_, wanted_);
  if (!gres) return to_line(gres.error());
  auto lines = slurmconf::set_gres_lines(*gres, node_, {});
  if (!lines) return to_line(lines.error());
  // The devices of instances are known once these stand.
  if (std::any_of(after_.gpus.begin(), after_.gpus.end(),
                  [](const Gpu& gpu) { return gpu.strategy == Strategy::mig; }))
    return "";
  auto wanted = slurm::wanted_config(after_, wanted_, product_, site_);
  return wanted ? "" : to_line(wanted.error());
}

std::string SlurmBuilder::untold() const {
  if (std::string files = slurm::unlike(change_.node, wanted_, product_, site_); !files.empty()) return files;
  const auto& unapplied = site_.unapplied;
  if (std::find(unapplied.begin(), unapplied.end(), node_) == unapplied.end()) return "";
  return "Slurm does not run with what its files say";
}

bool SlurmBuilder::settled(const Unfinished& left) const {
  auto changes = {word(Action(SetMode{})), word(Action(DestroyInstances{})), word(Action(CreateInstances{})),
                  slurm::verb::kApplyParted, slurm::verb::kWriteConfig};
  bool any = std::any_of(changes.begin(), changes.end(),
                         [&](std::string_view one) { return left.begun.contains(std::string(one)); });
  auto says = [&](std::string_view name) {
    auto told = left.words.find(std::string(name));
    return told != left.words.end() && told->second == wanted_;
  };
  if (!any) return left.back || untold().empty() || (says(slurm::key::kConfig) && says(slurm::key::kGres));
  // Files that the run has not come to are as a user likes to write them.
  const bool wrote = left.begun.contains(std::string(slurm::verb::kWriteConfig));
  return says(slurm::key::kGres) && (!wrote || says(slurm::key::kConfig));
}

void SlurmBuilder::write_config() {
  const bool far = site_.writer == slurmconf::Writer::host;
  Step& step = add(special(slurm::verb::kWriteConfig, {{"gres", wanted_}}));
  const std::string text = diff();
  auto lines = lines_in(text);
  step.commands = {lines.begin(), lines.end()};
  step.before = guarded_and_empty();
  step.before.push_back(word_is(slurm::key::kWritable, ""));
  // Another's edit must not lie beside ours: what the run found would not be what slurmctld has read.
  step.before.push_back(word_is(slurm::key::kElsewhere, ""));
  // Asked while the node was open; who takes the run up later has to ask again.
  if (in_reservation_)
    for (Condition& board : boards()) step.before.push_back(std::move(board));
  step.after = {word_is(slurm::key::kConfig, wanted_)};
  step.deadline = far ? std::chrono::minutes(5) : std::chrono::minutes(2);  // a look at the GPUs included
  step.retry = kFewRetry;
  step.undo = fmt::format("write what stood there{}; each file has a backup beside it",
                          far ? " (on " + site_.config_host + ")" : "");
}

// Slurm 23.11 and later refuse a reconfigure that takes mps or shards away from ended jobs which slurmctld
// still keeps: waited for before the new files are there, so that none are left that never take effect.
void SlurmBuilder::await_forgotten() {
  const auto known = slurmconf::effective(site_.files);
  const auto own = known.find(node_);
  const std::string offered = own == known.end() ? "" : slurm::plain_gres(own->second);
  auto leaves = [&](const char* kind) {
    return offered.find(kind) != std::string::npos && wanted_.find(kind) == std::string::npos;
  };
  if (!site_.reconfigure_suffices() || (!leaves("mps") && !leaves("shard"))) return;
  Step& step = look({word_is(slurm::key::kForgotten, "")}, std::chrono::minutes(15));
  step.before = guarded();
  step.look_every = std::chrono::seconds(5);
}

void SlurmBuilder::await_patch() {
  Step& step =
      look({word_is(slurm::key::kGres, wanted_), word_is(slurm::key::kRegistered, "yes")}, Duration{0});
  step.action = LookOnly{diff()};
  step.commands = commands_for(step.action, change_.node.name, Dialect::slurm, Scheduler::slurm, nullptr);
  if (down_ && site_.reconfigure_suffices())
    step.commands.push_back(fmt::format("on {}: restart slurmd", node_));
  for (std::string& restart : restarts_for(step, node_, site_)) step.commands.push_back(std::move(restart));
  step.before = guarded();
  step.look_every = std::chrono::seconds(1);
}

void SlurmBuilder::make_effective() {
  elsewhere(std::chrono::minutes(1));
  Conditions before = guarded_and_empty();
  before.push_back(word_is(slurm::key::kConfig, wanted_));
  before.push_back(word_is(slurm::key::kElsewhere, ""));
  Step& step = add(special(slurm::verb::kReconfigure));
  step.before = before;
  step.after = {word_is(slurm::key::kReconfigured, "yes")};
  step.retry = kFewRetry;  // each time on a fresh look: still no work there, still no other node differs
  step.undo = "the same with the files as they were";
  if (site_.reconfigure_suffices()) return start_daemon();
  if (site_.restart_controller.empty() || site_.restart_node.empty()) return ask_for_restarts();
  restart(slurm::verb::kRestartController, site_.restart_controller,
          {word_is(slurm::key::kControllerRestarted, "yes")}, before);
  // slurmd reads its devices only when it starts.
  restart(slurm::verb::kRestartNode, site_.restart_node,
          {word_is(slurm::key::kNodeRestarted, "yes"), word_is(slurm::key::kGres, wanted_)},
          {MarkIsOurs{}, NodeClosed{}});
}

// A reconfigure starts no slurmd that has ended.
void SlurmBuilder::start_daemon() {
  if (!down_) return;
  if (!site_.restart_node.empty())
    return restart(slurm::verb::kRestartNode, site_.restart_node,
                   {word_is(slurm::key::kNodeRestarted, "yes")}, {MarkIsOurs{}, NodeClosed{}});
  Step& step = look({word_is(slurm::key::kRegistered, "yes")}, std::chrono::seconds(10));
  step.commands = restarts_for(step, node_, site_);
  step.before = guarded();
}

void SlurmBuilder::restart(std::string_view what, const std::vector<std::string>& argv, Conditions after,
                           Conditions before) {
  Step& step = add(special(what));
  step.commands = {joined(argv, node_)};
  step.before = std::move(before);
  step.after = std::move(after);
  step.deadline = std::chrono::minutes(2);
  step.retry = kFewRetry;
}

void SlurmBuilder::ask_for_restarts() {
  Step& step = look({word_is(slurm::key::kGres, wanted_), word_is(slurm::key::kRegistered, "yes")},
                    std::chrono::seconds(10));
  step.commands = restarts_for(step, node_, site_);
  step.before = guarded();
}

std::vector<std::string> SlurmBuilder::restarts_for(const Step& step, const std::string& node,
                                                    const slurmconf::SlurmSetup& site) {
  auto waits_for = [&](std::string_view key) {
    return std::any_of(step.after.begin(), step.after.end(), [&](const Condition& one) {
      const auto* word = std::get_if<WordIs>(&one);
      return word && word->key == key;
    });
  };
  // The last look follows the restarts.
  const bool last_look =
      std::find(step.after.begin(), step.after.end(), Condition(Answering{})) != step.after.end();
  if (!waits_for(slurm::key::kRegistered) || last_look) return {};
  // Without a deadline the site's own automation writes the files and has them read.
  if (step.deadline.count() == 0)
    return {site.reconfigure_suffices() ? "scontrol reconfigure"
                                        : fmt::format("restart slurmctld, then slurmd on {}", node)};
  std::vector<std::string> commands;
  if (waits_for(slurm::key::kGres))
    commands.push_back(site.restart_controller.empty() ? "on the controller: restart slurmctld"
                                                       : joined(site.restart_controller, node));
  commands.push_back(site.restart_node.empty() ? fmt::format("on {}: restart slurmd", node)
                                               : joined(site.restart_node, node));
  return commands;
}

void SlurmBuilder::registered() {
  Conditions after = proof();
  after.insert(after.begin(), Answering{});
  Step& step = look(std::move(after), std::chrono::minutes(5));
  step.before = guarded();
  // A reboot in the meantime is found at once, not after the patience for a registration.
  if (!in_reservation_)
    for (Condition& board : boards()) step.before.push_back(std::move(board));
}

Conditions SlurmBuilder::boards() const {
  Conditions all;
  for (const BoardChange& board : change_.boards) {
    if (!cuts(board)) continue;
    if (board.after.mig)
      all.push_back(LayoutIs{board.gpu, board.after.instances, board.chosen});
    else
      all.push_back(ModeIs{{board.gpu}, false, false});
  }
  return all;
}

Conditions SlurmBuilder::proof() const {
  Conditions all = in_reservation_ ? Conditions{} : boards();
  all.push_back(word_is(slurm::key::kGres, wanted_));
  all.push_back(word_is(slurm::key::kRegistered, "yes"));
  return all;
}

}  // namespace tessera::plan
