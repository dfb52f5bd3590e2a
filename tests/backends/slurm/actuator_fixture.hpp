// An actuator with a scontrol and a way to the node that are the test's own.
//
// Threads: the test's; the actuator has its worker.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>

#include "backends/slurm/change/actuator.hpp"
#include "backends/slurm/change/backups.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/slurmconf/settings.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {

inline const plan::RunMark kOurMark{"20261122-0300-n1", "root", "ctl", {}};
inline constexpr const char* kOurs =
    "Reason=tessera 20261122-0300-n1 root@ctl: cut [root@2026-11-22T03:00:00]";

inline constexpr const char* kTheirs = "tessera 20261122-0200-n2 bob@b";

class SlurmActuatorTest : public testing::Test {
 protected:
  // By a command of the site's own, a stand-in.
  RunnerOptions by_command() const {
    RunnerOptions wanted;
    wanted.reach = slurmconf::Reach::custom;
    wanted.custom = {scratch_.path() + "/on", "{node}"};
    return wanted;
  }
  std::string text(const std::string& name) const {
    std::ifstream stream(scratch_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  SlurmActuatorTest() {
    program("scontrol",
            "echo \"scontrol $*\" >> $D/log\n"
            "case \"$*\" in\n"
            "  *config) cat $D/config;;\n"
            "  *'show node'*) cat $D/node; exit $(cat $D/node-code 2> /dev/null || echo 0);;\n"
            "  *job) cat $D/jobs;;\n"
            "  *reservation) case $1 in create) ;; *) cat $D/reservations; exit;; esac;;\n"
            "  *partition) cat $D/partitions;;\n"
            "esac\n"
            "[ \"$1\" = -- ] && shift\n"
            "case $1 in update|create|delete|reconfigure|requeue|reboot)\n"
            "  if [ -e $D/refuse ]; then cat $D/refuse >&2; exit 1; fi;; esac\n");
    program("scancel", "echo \"scancel $*\" >> $D/log\n");
    // The way to the node: as a command with {node}.
    program("on", "echo \"on $*\" >> $D/log\nif [ -e $D/far ]; then . $D/far; fi\nshift\nexec \"$@\"\n");
    put("config",
        "SLURM_VERSION = 22.05.8\nHASH_VAL = Match\nSlurmUser = slurm(64030)\nAuthType = auth/munge\n");
    put("jobs", "No jobs in the system\n");
    put("reservations", "No reservations in the system\n");
    put("partitions", "No partitions in the system\n");
    put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2\n");
    put("gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
    node("State=IDLE");
  }
  ~SlurmActuatorTest() override { worker_.stop(); }

  // slurmctld has read all files unless a test says when it started.
  void put(const std::string& name, const std::string& text) {
    const bool started = name != "config" || text.find("BOOT_TIME") != std::string::npos;
    scratch_.write(name, started ? text : "BOOT_TIME = 2199-01-01T00:00:00\n" + text);
  }
  void program(const std::string& name, const std::string& text) {
    ::chmod(scratch_.write(name, "#!/bin/sh\nD=" + scratch_.path() + "\n" + text).c_str(), 0755);
  }
  void node(const std::string& rest) {
    put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 " + rest + "\n");
  }
  // A driver with one whole GPU; more cases may follow.
  std::string one_board() {
    put("xml",
        "<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>570.1</driver_version>"
        "<attached_gpus>1</attached_gpus><gpu id=\"00000000:1B:00.0\"><product_name>NVIDIA H100 80GB HBM3"
        "</product_name><uuid>GPU-1</uuid><mig_mode><current_mig>Disabled</current_mig>"
        "<pending_mig>Disabled</pending_mig></mig_mode><mig_devices>None</mig_devices><processes></processes>"
        "</gpu></nvidia_smi_log>\n");
    return "case \"$*\" in *' -L') echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)'; exit 0;;\n"
           "*'-q -x') cat $D/xml; exit 0;; *-lgi|*-lci) echo 'No MIG-enabled devices found.'; exit 6;;\n";
  }
  void reserved() {
    put("reservations",
        "ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n1 Users=root State=ACTIVE\n");
  }
  std::string log() const {
    std::ifstream stream(scratch_.path() + "/log");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  bool asked(const std::string& words) const { return log().find(words) != std::string::npos; }

  // Settings as a site says them, before the first call.
  void say(slurmconf::SlurmSettings said) {
    auto site = slurmconf::slurm_setup_of(said);
    ASSERT_TRUE(site) << to_line(site.error());
    options_.said = *site;
  }
  SlurmActuator& actuator() {
    if (actuator_) return *actuator_;
    options_.bin = site_.bin = scratch_.path();
    options_.clock = [this] { return TimePoint{now_.load()}; };
    options_.interval = interval_;
    actuator_ = std::make_unique<SlurmActuator>(worker_, processes_, calls_, options_, site_, [] {});
    std::promise<void> known;
    worker_.post([&] {
      const std::string conf = scratch_.path() + "/slurm.conf";
      actuator_->know("22.05.8", conf, read_conf_files(conf));
      known.set_value();
    });
    known.get_future().wait();
    return *actuator_;
  }
  template <class T>
  static Result<T> answer(const std::function<void(std::function<void(Result<T>)>)>& ask) {
    auto promise = std::make_shared<std::promise<Result<T>>>();
    auto future = promise->get_future();
    ask([promise](Result<T> told) { promise->set_value(std::move(told)); });
    if (future.wait_for(test::kPatience) != std::future_status::ready) return Error{"no answer", "", ""};
    return future.get();
  }
  plan::NodeFacts look() {
    auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
    EXPECT_TRUE(told) << (told ? "" : to_line(told.error()));
    return told ? *told : plan::NodeFacts{};
  }
  Status perform(plan::Action action, Duration deadline = Duration{0}) {
    plan::Order order{NodeName("n1"), std::move(action), kOurMark, "n1/1", deadline};
    return answer<Done>([&](auto told) { actuator().perform(order, told); });
  }
  // By a run that was killed before its last act had an answer.
  Status perform_unsure(plan::Action action) {
    plan::Order order{NodeName("n1"), std::move(action), kOurMark, "n1/1", Duration{0}, true};
    return answer<Done>([&](auto told) { actuator().perform(order, told); });
  }
  Status special(std::string_view what, std::map<std::string, std::string> arguments = {}) {
    return perform(plan::Special{std::string(what), std::move(arguments)});
  }
  static std::string word(const plan::NodeFacts& facts, std::string_view name) {
    auto found = facts.words.find(std::string(name));
    return found == facts.words.end() ? "not told" : found->second;
  }

  Duration interval_{1};                     // looks as often as they are asked for
  std::atomic<Duration> now_ = Duration{0};  // since the epoch, by the clock of the cluster
  test::Scratch scratch_;
  SlurmOptions options_;
  SlurmClient site_;
  Worker worker_;
  Processes processes_{worker_};
  Pacer pacer_{Duration(0), Pacer::Instant::clock::now()};
  Calls calls_{processes_, pacer_};
  std::unique_ptr<SlurmActuator> actuator_;
};

}  // namespace tessera::slurm
