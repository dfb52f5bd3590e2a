#include "backends/slurm/change/start_action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/slurm/change/backups.hpp"
#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/conf_lock.hpp"
#include "backends/slurm/change/node_answers.hpp"
#include "backends/slurm/change/open_clients.hpp"
#include "backends/slurm/change/reboot.hpp"
#include "backends/slurm/change/reset_look.hpp"
#include "backends/slurm/change/unread.hpp"
#include "backends/worker.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/slurmconf/edit.hpp"
#include "engine/slurmconf/restore.hpp"
#include "engine/slurmconf/settings.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

constexpr Duration kOnNode{120000};  // a driver that resets eight GPUs takes its time
constexpr Duration kParted{300000};  // all GPUs of a node, and every order in which instances may fit
constexpr Duration kSeeEnd{15000}, kLockPatience{20000}, kLockAgain{250}, kFarLockAgain{2000};
constexpr Duration kToldFor{30000};  // nodes write one after the other

class SlurmAction : public std::enable_shared_from_this<SlurmAction> {
 public:
  SlurmAction(Hands& hands, plan::Order order, std::function<void(Status)> done)
      : hands_(hands), order_(std::move(order)) {
    done_ = [census = &hands_.eyes.census, node = order_.node, done = std::move(done)](Status status) {
      census->act_ended(node);
      done(std::move(status));
    };
  }

  void begin() {
    // Slurm reads "n[1-9]" and "a,b" as several nodes.
    if (!is_host_name(order_.node.text))
      return end(Error{"cannot change " + clean(order_.node.text, 64), "that is no name of a node", ""});
    hands_.eyes.census.act_began(order_.node);
    judged_ = take_judged(hands_.eyes, order_.node, order_.mark.run);
    if (order_.unsure) hands_.unsure.insert(order_.node);
    const auto* own = std::get_if<plan::Special>(&order_.action);
    if (own && own->verb == verb::kWriteConfig && order_.deadline.count() > 0)
      timer_ = hands_.worker.after(order_.deadline, [self = shared_from_this()] { self->give_up(); });
    std::visit(*this, order_.action);
  }

  // ── marks and drains: always on a fresh look, since others may have been quicker ──────────────────────

  void operator()(const plan::SetMark& act) {
    after_fresh_look(false, [this, act](Seen& seen) {
      const plan::NodeFacts& facts = seen.facts;
      if (facts.mark && plan::to_text(*facts.mark) == plan::to_text(order_.mark)) return end(Done{});
      if (facts.mark && !act.break_lock)
        return end(Error{"cannot mark " + node(), "marked by " + plan::to_text(*facts.mark),
                         "break its lock, or wait for it"});
      if (seen.reservation)
        local(free_reservation(hands_.commands, seen.reservation->name), "cannot take the lock over");
      if (!facts.closed && reach() != slurmconf::Reach::srun)
        drain_for(reason("GPU layout change"));
      else
        local(reserve(hands_.commands, reservation_name(order_.mark), node(), let_in(seen)),
              "cannot reserve " + node());
      next();
    });
  }
  void operator()(const plan::ClearMark&) {
    after_fresh_look(false, [this](Seen& seen) {
      if (seen.reservation && seen.facts.mark && seen.facts.mark->run == order_.mark.run) {
        if (reaches(reach(), seen.facts)) ended_first();
        local(free_reservation(hands_.commands, seen.reservation->name), "cannot give the reservation back");
      }
      next();
    });
  }
  void operator()(const plan::CloseNode& act) {
    look({order_.node, false, false, false}, [this, act](Seen& seen) {
      if (!seen.facts.closed) drain_for(reason(act.words));
      next();
    });
  }
  void operator()(const plan::OpenNode&) {
    look({order_.node, false, false, false}, [this](Seen& seen) {
      const auto& as = seen.facts.closed_as;
      if (seen.facts.closed && as && as->run == order_.mark.run) {
        if (reaches(reach(), seen.facts)) ended_first();
        open_it();
      }
      next();
    });
  }
  void operator()(const plan::Evict& act) {
    const std::string& job = act.workload.text;
    if (job.empty() || job.find_first_not_of("0123456789_+") != std::string::npos)
      return end(Error{"cannot end the job " + clean(job, 64), "that is no id of a job", ""});
    if (act.way == plan::Way::requeue) local(requeue(hands_.commands, job), "cannot requeue job " + job);
    if (act.way == plan::Way::cancel) local(cancel(hands_.commands, job), "cannot end job " + job);
    next();
  }

  // ── the node's driver: under our own mark, by the look that the run has just judged ────────────────────

  void operator()(const plan::DestroyInstances& act) {
    after_look(true, [this, act](Seen& seen) {
      const Gpu* gpu = plan::find_gpu(seen.facts.node, act.gpu);
      std::vector<int> ids, with_compute;
      for (const plan::InstanceAt& one : act.instances) {
        const Slice* slice = gpu ? plan::find_instance(*gpu, one) : nullptr;
        if (!slice || !slice->instance_id) continue;
        ids.push_back(*slice->instance_id);
        if (!slice->compute.empty()) with_compute.push_back(*slice->instance_id);
      }
      if (!with_compute.empty())
        driver(nvidia::destroy_compute(act.gpu, with_compute), "cannot destroy instances");
      if (!ids.empty()) driver(nvidia::destroy_instances(act.gpu, ids), "cannot destroy instances");
      next();
    });
  }
  void operator()(const plan::CreateInstances& act) {
    after_look(true, [this, act](Seen& seen) {
      const Gpu* gpu = plan::find_gpu(seen.facts.node, act.gpu);
      const mig::Catalogue* catalogue = hands_.eyes.catalogue;
      const mig::Product* product = gpu && catalogue ? mig::product_of(*gpu, *catalogue) : nullptr;
      // An instance without its compute instance is of no use to anybody: it was cut off half-way.
      if (gpu)
        for (const Slice& slice : gpu->slices)
          if (slice.instance_id && slice.compute.empty())
            driver(nvidia::create_compute(act.gpu, *slice.instance_id), "cannot create compute instances");
      driver(nvidia::create(act.gpu, act.instances, product, act.chosen), "cannot create instances");
      next();
    });
  }
  void operator()(const plan::SetMode& act) {
    after_look(false, [this, act](Seen&) {
      driver(nvidia::set_mode(act.gpus, act.mig), act.mig ? "cannot switch MIG on" : "cannot switch MIG off");
      next();
    });
  }
  void operator()(const plan::ResetGpus& act) {
    after_look(false, [this, act](Seen& seen) {
      hands_.remember(order_, plan::resets::kBefore, uuids_of(seen.facts.node));
      on_node(there(nvidia::reset(act.gpus)), reset_judge(act.gpus.size(), node()));
      then_remember(plan::resets::kDone, plan::gpu_numbers(act.gpus));
      next();
    });
  }
  void operator()(const plan::Configure&) {
    end(Error{"cannot share GPUs on " + node(), "Slurm's way of sharing is set in its files", ""});
  }
  void operator()(const plan::LookOnly&) { next(); }

  // ── files and daemons ─────────────────────────────────────────────────────────────────────────────────

  void operator()(const plan::Special& act) {
    const slurmconf::SlurmSetup& said = hands_.eyes.said;
    const auto value = [&](const char* name) { return plan::argument_of(act, name); };
    if (plan::is_node_act(act)) return on_whole_node(act);
    if (plan::is_reboot(act) || plan::is_reset_look(act))
      return (plan::is_reboot(act) ? reboot : read_reset_back)(
          hands_, order_, act, [self = shared_from_this()](Status ended) { self->end(std::move(ended)); });
    if (act.verb == verb::kStopClients) return clients(said.stop_clients, "stopped");
    if (act.verb == verb::kStartClients) return clients(said.start_clients, "started");
    if (act.verb == verb::kApplyParted) return apply_parted(value("config"), value("text"));
    if (act.verb == verb::kWriteBootFile) return boot_file(value("path"), value("text"));
    if (act.verb == verb::kBootUnit) return boot_unit(value("unit"), value("state"));
    if (act.verb == verb::kWriteConfig) return write_config(value("gres"));
    if (act.verb == verb::kOpenToLook) return open_to_look();
    if (act.verb == verb::kReconfigure) {
      reread();
      then_remember(key::kReconfigured, "yes");
    } else if (act.verb == verb::kRestartController && !said.restart_controller.empty()) {
      site_command(restart_command(said.restart_controller, node()), "cannot restart the controller");
      then([this] { hands_.eyes.census.forget_config(); });
      then_remember(key::kControllerRestarted, "yes");
    } else if (act.verb == verb::kRestartNode && !said.restart_node.empty()) {
      site_command(restart_command(said.restart_node, node()), "cannot restart slurmd");
      then_remember(key::kNodeRestarted, "yes");
    } else {
      return end(Error{"cannot change " + node(), "'" + clean(act.verb, 64) + "' is not set up here", ""});
    }
    next();
  }

 private:
  using Task = std::function<void()>;  // ends in next() or end()
  using Judge = std::function<std::optional<Error>(const NodeAnswer&)>;

  const std::string& node() const { return order_.node.text; }
  slurmconf::Reach reach() const { return hands_.eyes.said.reach; }
  const std::string& conf() const { return hands_.eyes.conf; }
  std::string lock_mark() const { return plan::to_text(order_.mark); }
  std::string reason(const std::string& words) const {
    return fmt::format("{}: {}", plan::to_text(order_.mark), clean(words, 400));
  }
  void then(Task what) {
    tasks_.push_back([this, what = std::move(what)] {
      what();
      next();
    });
  }
  void then_remember(std::string_view name, std::string value) {
    then([this, name, value = std::move(value)] { hands_.remember(order_, name, value); });
  }

  void after_look(bool boards, std::function<void(Seen&)> then) {
    if (!judged_) return after_fresh_look(boards, std::move(then));
    if (judged_->reservation) reservation_ = judged_->reservation->name;
    hands_.worker.post([self = shared_from_this(), then = std::move(then)] {
      self->done_ ? then(*self->judged_) : self->end(Done{});
    });
  }
  void after_fresh_look(bool boards, std::function<void(Seen&)> then,
                        std::shared_ptr<const Census> recent = nullptr) {
    look(LookAt{order_.node, boards, false, true}, std::move(then), std::move(recent));
  }
  void look(LookAt what, std::function<void(Seen&)> then, std::shared_ptr<const Census> census = nullptr) {
    auto seen_it = [self = shared_from_this(), then = std::move(then)](Result<Seen> seen) {
      if (!seen || !self->done_) return self->end(seen ? Status(Done{}) : seen.error());
      if (!seen->facts.known)
        return self->end(Error{"cannot change " + self->node(), "Slurm does not list this node", ""});
      if (seen->reservation) self->reservation_ = seen->reservation->name;
      then(*seen);
    };
    look_at(hands_.eyes, std::move(what), std::move(seen_it), std::move(census));
  }
  void local(Command command, std::string what) {
    tasks_.push_back([this, command = std::move(command), what = std::move(what)]() mutable {
      command.deadline = within(command.deadline);
      auto done = [census = &hands_.eyes.census, then = ended(what, command.deadline)](Result<Outcome> ran) {
        census->forget_reservations();  // it may have been about one, whatever came of it
        then(std::move(ran));
      };
      hands_.calls.run(command, std::move(done), Calls::Kind::change);
    });
  }
  // Nodes of one run are drained and opened together, where they come to it together.
  void change_node(Calls::Make make, std::string what) {
    tasks_.push_back([this, make = std::move(make), what = std::move(what)] {
      const Duration limit = within(make("").deadline);
      hands_.calls.change_node(
          node(),
          [make, limit](const std::string& nodes) {
            Command command = make(nodes);
            command.deadline = limit;
            return command;
          },
          ended(what, limit));
    });
  }
  // Why it is closed is asked again here: it may have changed since the run looked.
  void on_whole_node(const plan::Special& act) {
    look({order_.node, false, false, false}, [this, act](Seen& seen) {
      const auto left = plan::reason_after(act, order_.node, order_.mark, plan::reason_now(act, seen.facts));
      if (!left) return end(left.error());
      if (*left) (*left)->empty() ? open_it() : drain_for(**left);
      next();
    });
  }
  void drain_for(std::string why) {
    change_node([commands = &hands_.commands,
                 why = std::move(why)](const std::string& nodes) { return drain(*commands, nodes, why); },
                "cannot drain " + node());
  }
  void open_it() {
    change_node([commands = &hands_.commands](const std::string& nodes) { return open(*commands, nodes); },
                "cannot open " + node());
  }
  void site_command(Command command, std::string what) {
    tasks_.push_back([this, command = std::move(command), what = std::move(what)]() mutable {
      command.deadline = within(command.deadline);
      hands_.processes.run(command, ended(what, command.deadline));
    });
  }
  Processes::Finished ended(const std::string& what, Duration deadline) {
    return [self = shared_from_this(), what, deadline](Result<Outcome> ran) {
      if (!ran) return self->end(ran.error());
      if (auto error = explain_change(what, *ran, deadline)) return self->end(std::move(*error));
      self->next();
    };
  }
  // What is left of the order's time, at least a moment, so that the command itself tells that it is late.
  Duration within(Duration limit) const {
    if (order_.deadline.count() <= 0) return limit;
    auto gone = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun_);
    return std::min(limit, std::max<Duration>(order_.deadline - gone, Duration{1000}));
  }
  NodeCommand there(std::vector<std::string> argv) const {
    NodeCommand command;
    command.node = order_.node;
    command.argv = std::move(argv);
    command.reservation = reservation_;
    command.deadline = kOnNode;
    command.changes = true;
    return command;
  }
  // Slurm 23.11 and later: also refused for a while after a job has ended (see await_forgotten in
  // engine/plan). The new files must not stay: the next start of slurmctld would make them true, unwatched.
  void reread() {
    tasks_.push_back([this] {
      Command command = reconfigure(hands_.commands);
      command.deadline = within(command.deadline);
      auto done = [self = shared_from_this(), limit = command.deadline](Result<Outcome> ran) {
        if (!ran) return self->end(ran.error());
        auto error = explain_change("cannot have Slurm read its files again", *ran, limit);
        if (!error) {
          self->hands_.written.erase(self->order_.node);
          return self->next();
        }
        if (ran->err.find("Unspecified error") == std::string::npos) return self->end(std::move(*error));
        self->put_back(std::move(*error));
      };
      hands_.calls.change_all(std::move(command), std::move(done));
    });
  }
  void put_back(Error error) {
    auto known = hands_.written.find(order_.node);
    if (known == hands_.written.end() || known->second.run != order_.mark.run) {
      error.hint = "the new files are in place, and take effect when slurmctld restarts. " + error.hint;
      return end(std::move(error));
    }
    write_alone([this, error = std::move(error)] {
      Written written = std::move(hands_.written[order_.node]);
      hands_.written.erase(order_.node);
      write_files(written.after, written.before, [self = shared_from_this(), error](const Status& done) {
        Error told = error;
        if (done)
          told.hint = "Slurm's files are back as they were. ";
        else
          told.hint = "the new files are still in place (" + done.error().reason +
                      "), and take effect when slurmctld restarts. ";
        self->end_with_memory(std::move(told));
      });
    });
  }
  // Until when, if an ended job is the reason.
  void end_with_memory(Error error) {
    look_at(hands_.eyes, {order_.node, false, true}, [self = shared_from_this(), error](Result<Seen> seen) {
      Error told = error;
      if (seen)
        if (auto known = seen->facts.words.find(std::string(key::kForgotten));
            known != seen->facts.words.end() && !known->second.empty())
          told.reason += ": " + known->second;
      told.hint += "Then resume the run; slurmctld's log has more";
      self->end(std::move(told));
    });
  }
  void on_node(NodeCommand command, Judge judge) {
    ended_first();
    tasks_.push_back(
        [this, command = std::move(command), judge = std::move(judge)] { run_there(command, judge); });
  }
  void run_there(NodeCommand command, const Judge& judge) {
    command.deadline = within(command.deadline);
    hands_.runner.run(command, [self = shared_from_this(), judge](Result<NodeAnswer> answer) {
      if (!answer) {
        self->hands_.unsure.insert(self->order_.node);
        return self->end(answer.error());
      }
      name_clients(self->hands_, self->order_, self->reservation_, judge(*answer),
                   [self](Status told) { told ? self->next() : self->end(std::move(told)); });
    });
  }
  // An earlier change was given up without an answer: it may still run there, and another or jobs would meet
  // it.
  void ended_first() {
    tasks_.push_back([this] {
      if (!hands_.unsure.contains(order_.node)) return next();
      NodeCommand look = there(nvidia::find_changes());
      look.changes = false;
      look.deadline = within(kSeeEnd);
      hands_.runner.run(look, [self = shared_from_this()](Result<NodeAnswer> found) {
        if (!found) return self->end(found.error());
        auto why = why_not_ended(*found, "cannot change the GPUs of " + self->node());
        if (why) return self->end(std::move(*why));
        self->hands_.unsure.erase(self->order_.node);
        self->next();
      });
    });
  }
  void driver(nvidia::Argv argv, std::string what) {
    on_node(there(std::move(argv)), [what = what + " on " + node()](const NodeAnswer& answer) {
      return nvidia::refusal_of(nvidia::parse_change(answer.out, answer.err, answer.exit_code), what);
    });
  }
  void plain(NodeCommand command, std::string what) {
    on_node(std::move(command),
            [what = std::move(what)](const NodeAnswer& answer) { return plain_refusal(answer, what); });
  }

  void clients(const std::vector<std::string>& lines, std::string word) {
    after_look(false, [this, lines, word](Seen&) {
      for (const std::string& line : lines) {
        auto argv = slurmconf::split_command(line);
        if (!argv) return end(argv.error());
        plain(there(std::move(*argv)), fmt::format("'{}' failed on {}", line, node()));
      }
      then_remember(key::kClients, word);
      next();
    });
  }
  void apply_parted(const std::string& config, const std::string& text) {
    after_look(false, [this, config, text](Seen&) {
      NodeCommand command = there(nvidia::parted_apply(config));
      command.input = text;
      command.deadline = kParted;
      on_node(std::move(command), [what = "cannot cut the GPUs of " + node()](const NodeAnswer& answer) {
        return nvidia::parted_refusal(answer.out, answer.err, answer.exit_code, what);
      });
      next();
    });
  }
  // In place in one step, so that a boot in between finds the old layout or the new one.
  void boot_file(const std::string& path, const std::string& text) {
    after_look(false, [this, path, text](Seen&) {
      const std::string what = "cannot write the boot file on " + node();
      NodeCommand write = there({"tee", path + ".tessera-new"});
      write.input = text;
      plain(std::move(write), what);
      plain(there({"mv", "-f", path + ".tessera-new", path}), what);
      next();
    });
  }
  void boot_unit(const std::string& unit, const std::string& state) {
    after_look(false, [this, unit, on = state == "enabled"](Seen&) {
      const char* verb = on ? "enable" : "disable";
      plain(there({"systemctl", verb, unit}), fmt::format("cannot {} {} on {}", verb, unit, node()));
      next();
    });
  }
  // Only what this run has drained, and only while its reservation keeps all others off.
  void open_to_look() {
    after_fresh_look(false, [this](Seen& seen) {
      const plan::NodeFacts& facts = seen.facts;
      bool by_us = facts.closed_as && facts.closed_as->run == order_.mark.run;
      bool held = seen.reservation && facts.mark && facts.mark->run == order_.mark.run;
      if (facts.closed && (!by_us || !held))
        return end(Error{"cannot ask the GPUs of " + node(),
                         "it is drained, and srun reaches no drained node: " + facts.closed_reason,
                         "resume the node, then the run"});
      if (facts.closed) open_it();
      next();
    });
  }
  void write_config(const std::string& gres) {
    write_alone([this, gres] { write_locked(gres); });
  }
  // One at a time, from the look to the last word: in this process in turn, beside it by the lock.
  void write_alone(Task task) {
    writes_ = true;
    locked_task_ = std::move(task);
    hands_.writers.push_back([self = shared_from_this()] { self->lock_files(Duration(0)); });
    if (hands_.writers.size() == 1) hands_.worker.post(hands_.writers.front());
  }
  void lock_files(Duration waited) {
    if (!done_) return end(Done{});  // given up while others were at it
    auto told = [self = shared_from_this(), waited](const Result<std::optional<ConfLock>>& holder) {
      if (!holder) return self->end(holder.error());
      self->locked_ = !holder->has_value();
      if (self->locked_) return self->done_ ? self->locked_task_() : self->end(Done{});
      const HostFiles* far = self->hands_.eyes.host_files;
      Duration patience = kLockPatience;
      if (self->order_.deadline.count() > 0) patience = std::min(patience, self->order_.deadline / 2);
      // There is no need to wait for one that has died.
      if (waited >= patience || (*holder)->maker == ConfLock::Maker::gone)
        return self->end(locked_by(**holder, far ? lock_of_real(self->conf()) : lock_of(self->conf()),
                                   far ? far->host().text : "", self->hands_.eyes.clock()));
      const Duration again = self->hands_.eyes.host_files ? kFarLockAgain : kLockAgain;
      self->hands_.worker.after(again, [self, waited, again] { self->lock_files(waited + again); });
    };
    if (conf().empty()) return locked_task_();  // it will say so
    if (hands_.eyes.host_files) return hands_.eyes.host_files->lock(conf(), lock_mark(), told);
    told(lock_conf_files(conf(), lock_mark()));
  }
  void write_locked(const std::string& gres) {
    // Files and GPUs are read now, under the lock. Of the controller's words only its version and the
    // reservation count here, and the run has just judged them.
    auto census = judged_ ? hands_.eyes.census.recent(kToldFor) : nullptr;
    if (!census) hands_.eyes.census.forget_config();  // which files Slurm reads hangs on its version
    auto write = [this, gres](Seen& seen) {
      const auto before = seen.site.files;
      if (before.empty())
        return end(
            Error{"cannot write Slurm's files", "they cannot be read here", "--slurm-conf names them"});
      const Node& boards = seen.facts.node;
      const mig::Product* product = nullptr;
      for (const Gpu& gpu : boards.gpus)
        if (gpu.product && hands_.eyes.catalogue) product = hands_.eyes.catalogue->by_key(gpu.product->text);
      auto wanted = plan::slurm::wanted_config(boards, gres, product, seen.site);
      if (!wanted) return end(wanted.error());
      auto after = slurmconf::set_node(before, *wanted);
      if (!after) return end(after.error());
      const HostFiles* far = hands_.eyes.host_files;
      for (const auto& found : far ? found_by_runs(before, far->backups()) : found_by_runs(before)) {
        auto back = slurmconf::restored(before, *after, found);
        if (std::exchange(*after, back) != back) break;
      }
      hands_.unseen.erase(order_.node);  // whatever was restarted was so for the files before
      const auto changed = far ? far->times_beside() : times_beside(before);
      write_files(before, *after,
                  [self = shared_from_this(), before, after = *after, changed](const Status& written) {
                    if (written) {
                      self->hands_.written[self->order_.node] = {self->order_.mark.run, before, after};
                      self->hands_.eyes.stood.wrote(before, after, changed);
                    }
                    self->end(written);
                  });
    };
    after_fresh_look(true, write, std::move(census));
  }
  void write_files(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after,
                   const std::function<void(Status)>& then) {
    if (!done_) return end(Done{});
    if (!hands_.eyes.host_files) {
      Status written = write_conf_files(before, after, order_.mark.run);
      if (written) drop_old_backups(after, hands_.eyes.clock());
      return then(std::move(written));
    }
    auto written = [self = shared_from_this(), then](const Status& done) {
      if (!done) return then(done);
      self->hands_.eyes.host_files->drop_old_backups(self->hands_.eyes.clock(), [then] { then(Done{}); });
    };
    hands_.eyes.host_files->write(before, after, order_.mark.run, std::move(written),
                                  [self = shared_from_this()] { return self->done_ != nullptr; });
  }

  // Whoever waits is told; nothing more is begun, and what is under way ends by itself.
  void give_up() {
    timer_ = 0;
    tasks_.clear();
    if (done_)
      std::exchange(done_, nullptr)(
          Error{"gave up on " + node(),
                fmt::format("not done within {} s; what was begun may still come to its end there",
                            order_.deadline.count() / 1000),
                "look at the files before the next try"});
  }
  void next() {
    if (tasks_.empty() || !done_) return end(Done{});
    if (order_.deadline.count() > 0 && std::chrono::steady_clock::now() - begun_ >= order_.deadline)
      return end(Error{"gave up on " + node(),
                       fmt::format("not all of it was done within {} s", order_.deadline.count() / 1000),
                       "what was done until then stays"});
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
  }
  void end(Status status) {
    tasks_.clear();
    if (std::exchange(locked_, false)) {
      if (hands_.eyes.host_files)
        return hands_.eyes.host_files->unlock(
            conf(), lock_mark(),
            [self = shared_from_this(), status = std::move(status)] { self->end(status); });
      unlock_conf_files(conf(), lock_mark());
    }
    if (std::exchange(writes_, false)) {
      hands_.writers.pop_front();
      if (!hands_.writers.empty()) hands_.worker.post(hands_.writers.front());
    }
    if (timer_ != 0) hands_.worker.cancel(std::exchange(timer_, 0));
    if (done_) std::exchange(done_, nullptr)(std::move(status));
  }

  Hands& hands_;
  const plan::Order order_;
  std::function<void(Status)> done_;
  std::deque<Task> tasks_;
  std::string reservation_;
  std::optional<Seen> judged_;  // the look that this act follows from, where it is still fresh
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Task locked_task_;
  std::uint64_t timer_ = 0;
  bool writes_ = false;  // stands among the writers
  bool locked_ = false;
};

}  // namespace

void start_action(Hands& hands, const plan::Order& order, std::function<void(Status)> done) {
  std::make_shared<SlurmAction>(hands, order, std::move(done))->begin();
}

}  // namespace tessera::slurm
