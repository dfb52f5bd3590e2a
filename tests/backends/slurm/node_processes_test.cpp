// Asking one node which processes have its GPUs open: a driver that was recorded, and a Slurm that answers,
// refuses, or does not.
#include "backends/slurm/change/node_processes.hpp"

#include "engine/model/processes.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/patience.hpp"

namespace tessera::slurm {
namespace {

class SlurmNodeProcesses : public SlurmActuatorTest {
 protected:
  SlurmNodeProcesses() {
    slurmconf::SlurmSettings said;
    said.runner = scratch_.path() + "/on {node}";
    say(said);
    std::ifstream recorded(test::source_dir() + "/tests/fixtures/nvidia-580/h100-mps.xml");
    put("mps.xml", {std::istreambuf_iterator<char>(recorded), {}});
    put("pids", "PID JOBID STEPID LOCALID GLOBALID\n585 7 0 0 0\n");
    far("cat $D/pids; exit 0");
  }
  void far(const std::string& listpids) {
    put("far", "case \"$*\" in *listpids*) " + listpids +
                   ";;\n*' -L') echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: "
                   "GPU-0a1b2c3d-0000-4000-8000-000000000001)'; exit 0;;\n"
                   "*'-q -x') cat $D/mps.xml; exit 0;;\n"
                   "*-lgi|*-lci) echo 'No MIG-enabled devices found.'; exit 6;; esac\n");
  }
  // What find prints there, before all else.
  void far_find(const std::string& prints) {
    std::ifstream script(scratch_.path() + "/far");
    const std::string others{std::istreambuf_iterator<char>(script), {}};
    put("far", "case \"$*\" in *'find /proc'*) " + prints + ";; esac\n" + others);
  }
  Result<ProcessesTold> ask(const std::string& node = "n1") {
    actuator();
    return answer<ProcessesTold>([&](auto told) {
      worker_.post([this, node, told] {
        actuator_->processes().look(NodeName(node), [told](const NodeName&, Result<ProcessesTold> result) {
          told(std::move(result));
        });
      });
    });
  }
  std::size_t times(const std::string& words) const {
    const std::string all = log();
    std::size_t count = 0;
    for (std::size_t at = all.find(words); at != std::string::npos; at = all.find(words, at + 1)) ++count;
    return count;
  }
};

TEST_F(SlurmNodeProcesses, TheDriverListsThemAndSlurmOnTheNodeSaysWhoseTheyAre) {
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ(told->measured.source, Source::nvidia_smi);
  ASSERT_EQ(told->measured.gpus.size(), 1u);
  ASSERT_TRUE(told->measured.gpus[0].processes);
  EXPECT_EQ(told->measured.gpus[0].processes->size(), 3u);
  ASSERT_TRUE(told->jobs) << to_line(told->jobs.error());
  EXPECT_EQ(told->jobs->jobs.at(585), "7");
  EXPECT_EQ(times("listpids * n1"), 2u) << "before and after: " << log();
  EXPECT_EQ(times("-q -x"), 1u);
  EXPECT_EQ(times("scontrol show"), 0u) << "no controller is asked";
}

// nvidia-persistenced and monitors compute nothing: the driver lists none of them, and refuses a reset all
// the same.
TEST_F(SlurmNodeProcesses, ProgramsThatOnlyHaveAGpuOpenAreToldByProc) {
  far_find(
      "printf '/proc/640/exe /usr/bin/nvidia-persistenced\\0/proc/640/fd/3 /dev/nvidia0\\0"
      "/proc/9/exe /usr/bin/find\\0'; exit 0");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  ASSERT_TRUE(told->openers) << to_line(told->openers.error());
  ASSERT_EQ(told->openers->size(), 1u);
  EXPECT_EQ(told->openers->front().pid, 640);
  EXPECT_EQ(told->minors, BoardMinors{0});
  EXPECT_EQ(times("find /proc"), 1u) << log();
}

TEST_F(SlurmNodeProcesses, WithoutThatAnswerTheyAreUnknownAndTheDriversListStands) {
  far_find("echo 'find: /proc/1/fd: Permission denied' >&2; exit 1");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ(told->measured.gpus[0].processes->size(), 3u);
  ASSERT_FALSE(told->openers);
  EXPECT_NE(told->openers.error().reason.find("Permission denied"), std::string::npos);
}

// Of several things that are not told of a node the last one stood in the place of the others.
TEST(SlurmProcessRemarks, EachPartOfAnAnswerThatIsMissingIsRemarkedAndNoneHidesAnother) {
  Measured measured;
  for (int index : {0, 1, 2}) {
    GpuFigures gpu;  // memory is in use where the driver lists nothing
    gpu.gpu = GpuIndex{index};
    gpu.figures.memory_used = Mib{index == 2 ? 0 : 30'000};
    gpu.processes.reset();
    measured.gpus.push_back(gpu);
  }
  const ProcessesTold told{
      measured, Error{"cannot ask n1", "no scontrol there", ""}, Error{"", "Permission denied", ""}, {}};
  std::vector<Remark::Kind> kinds;
  for (const Remark& one : remarks_on(NodeName("n1"), told)) kinds.push_back(one.kind);
  using enum Remark::Kind;
  EXPECT_EQ(kinds, (std::vector<Remark::Kind>{owners, openers, hidden}));
  EXPECT_NE(remarks_on(NodeName("n1"), told).back().text.find("GPU 0, 1"), std::string::npos);
  ProcessesTold whole = told;
  whole.jobs = JobPids{};
  whole.openers = std::vector<nvidia::Opener>{};
  whole.measured.gpus.clear();
  EXPECT_TRUE(remarks_on(NodeName("n1"), whole).empty());
}

TEST(SlurmOpeners, OnlyThoseThatAreCertainlyOfNoJobAreAdded) {
  const auto opener = [](std::int64_t pid, const char* program) { return nvidia::Opener{pid, program, {0}}; };
  const std::vector<nvidia::Opener> all{
      opener(5, "/usr/bin/nv-hostengine"), opener(6, "/opt/monitor"),
      opener(7, "/usr/bin/python3"),       opener(8, "/usr/bin/nvidia-cuda-mps-server"),
      opener(9, "/usr/bin/python3"),       opener(10, "/usr/bin/nvidia-smi"),
      opener(11, "/usr/bin/nvidia-smi")};
  JobPids pids;
  pids.jobs[7] = "12", pids.jobs[11] = "12";  // "nvidia-smi --loop 5 &" in a job's script
  const auto added = [&](const JobPids* told, bool whole) {
    Measured measured;
    measured.gpus.resize(2);
    measured.gpus[1].gpu = GpuIndex{1};
    GpuProcess computes;
    computes.pid = 9;
    for (GpuFigures& gpu : measured.gpus) gpu.processes = std::vector<GpuProcess>{computes};
    add_openers(measured, of_no_job(all, told, whole), {0, 1});
    EXPECT_EQ(measured.gpus[1].processes->size(), 1u) << "they have GPU 0 open";
    std::string names;
    for (const GpuProcess& one : *measured.gpus[0].processes)
      if (one.pid != 9) names += one.name + (only_opens(one) ? " " : "? ");
    return names;
  };
  EXPECT_EQ(added(&pids, true),
            "/usr/bin/nv-hostengine /opt/monitor /usr/bin/nvidia-smi /usr/bin/nvidia-cuda-mps-server ")
      << "a server that serves none of them stands behind them";
  EXPECT_EQ(added(&pids, false), "/usr/bin/nv-hostengine /usr/bin/nvidia-cuda-mps-server ")
      << "a job's process may be missing";
  EXPECT_EQ(added(nullptr, true), "/usr/bin/nv-hostengine /usr/bin/nvidia-cuda-mps-server ");
  pids.complete = false;
  EXPECT_EQ(added(&pids, true), "/usr/bin/nv-hostengine /usr/bin/nvidia-cuda-mps-server ");
}

// Those that are neither a job's for certain nor of none were dropped, and the page said that none has the
// GPU open.
TEST(SlurmOpeners, OneThatMayBeOfAJobIsNamed) {
  const auto opener = [](std::int64_t pid, const char* program) { return nvidia::Opener{pid, program, {0}}; };
  const std::vector<nvidia::Opener> all{opener(5, "/usr/bin/nv-hostengine"), opener(6, "/opt/monitor"),
                                        opener(7, "/usr/bin/python3"), opener(8, "/usr/bin/nvtop")};
  JobPids pids;
  pids.jobs[7] = "12";
  EXPECT_EQ(unowned_text(all, &pids, true), "") << "each is a job's or of none";
  EXPECT_EQ(unowned_text(all, &pids, false),
            "monitor (6) and 1 more have GPUs open, and whether they are of a job is not known");
  EXPECT_EQ(unowned_text({opener(6, "/opt/monitor")}, nullptr, false),
            "monitor (6) has GPUs open, and whether it is of a job is not known");
}

// Several processes on one GPU: which of them uses it was not told.
TEST_F(SlurmNodeProcesses, WhereSeveralComputeOnOneGpuTheUseOfEachIsAskedFor) {
  put("pmon", "# gpu pid type sm mem command\n# Idx # C/G % % name\n 0 585 C 37 2 python3\n");
  far("cat $D/pids; exit 0;;\n*'pmon -c 1') cat $D/pmon; exit 0");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  for (const GpuProcess& one : *told->measured.gpus[0].processes)
    EXPECT_EQ(one.use, one.pid == 585 ? std::optional(Percent{37}) : std::nullopt) << one.pid;
  EXPECT_EQ(times("pmon"), 1u) << log();
}

// Jobs that share a real H200 by shards, as a real Slurm 22.05 with cgroup v2 told their processes: one
// computes, one rests, one is in a PID namespace of its own; 688 is of no job.
TEST_F(SlurmNodeProcesses, OnARealGpuEachProcessIsItsJobsAndTheStrangerIsNone) {
  const std::string folder = test::source_dir() + "/tests/fixtures/nvidia-580/h200-shared.";
  const auto recorded = [&](const char* ending) {
    std::ifstream file(folder + ending);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string answers = recorded("txt");
  const auto answer = [&](const std::string& command) {
    const std::size_t begin = answers.find("[rc=0]\n", answers.find("$ " + command + "\n")) + 7;
    return answers.substr(begin, answers.find("\n$ ", begin) + 1 - begin);
  };
  put("mps.xml", recorded("xml"));
  put("pids", answer("scontrol listpids '*' gpu01"));
  put("pmon", answer("nvidia-smi pmon -c 2"));
  far("cat $D/pids; exit 0;;\n*'pmon -c 1') cat $D/pmon; exit 0;;\n"
      "*' -L') echo 'GPU 0: NVIDIA H200 (UUID: GPU-0a1b2c3d-0000-4000-8000-000000000001)'; exit 0");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  ASSERT_TRUE(told->jobs) << to_line(told->jobs.error());
  Measured measured = told->measured;
  name_jobs(measured, *told->jobs, {}, true);
  std::string all;
  for (const GpuProcess& one : *measured.gpus[0].processes)
    all += fmt::format("{} of {} {} % {} MiB\n", one.pid, one.workload.view(), one.use ? one.use->value : -1,
                       one.memory ? one.memory->value : -1);
  EXPECT_EQ(all,
            "688 of - 0 % 2658 MiB\n780 of 3 0 % 21090 MiB\n781 of 2 97 % 714 MiB\n782 of 4 0 % 1634 MiB\n");
}

TEST_F(SlurmNodeProcesses, ADriverThatTellsNoUseOfProcessesLeavesItUnknownAndAllElseTold) {
  far("cat $D/pids; exit 0;;\n*'pmon -c 1') echo 'Not supported'; exit 3");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  ASSERT_EQ(told->measured.gpus[0].processes->size(), 3u);
  for (const GpuProcess& one : *told->measured.gpus[0].processes) EXPECT_EQ(one.use, std::nullopt);
  EXPECT_TRUE(told->jobs);
}

TEST_F(SlurmNodeProcesses, WithoutSlurmsWordTheDriversListIsToldAllTheSame) {
  far("echo 'bash: scontrol: command not found' >&2; exit 127");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ(told->measured.gpus[0].processes->size(), 3u);
  ASSERT_FALSE(told->jobs);
  EXPECT_NE(told->jobs.error().reason.find("command not found"), std::string::npos);
}

TEST_F(SlurmNodeProcesses, ADriverThatDoesNotAnswerIsAnErrorAndNoEmptyList) {
  put("far",
      "case \"$*\" in *listpids*) cat $D/pids; exit 0;; *nvidia-smi*) echo 'NVIDIA-SMI has failed "
      "because it could not communicate with the NVIDIA driver.'; exit 9;; esac\n");
  const auto told = ask();
  ASSERT_FALSE(told);
  EXPECT_NE(told.error().what.find("n1"), std::string::npos);
  EXPECT_NE(told.error().reason.find("communicate"), std::string::npos) << to_line(told.error());
}

TEST_F(SlurmNodeProcesses, ANodeThatWasAskedMomentsAgoIsNotAskedAgain) {
  ASSERT_TRUE(ask());
  const std::size_t before = times("-q -x");
  std::promise<void> over;
  worker_.post([&] {
    actuator_->processes().look(NodeName("n1"),
                                [](const NodeName&, const Result<ProcessesTold>&) { ADD_FAILURE(); });
    worker_.post([&] { over.set_value(); });
  });
  over.get_future().wait();
  EXPECT_EQ(times("-q -x"), before);
}

TEST_F(SlurmNodeProcesses, OfThoseThatWaitTheLastCounts) {
  actuator();
  std::promise<std::string> told;
  worker_.post([&] {
    NodeProcesses& all = actuator_->processes();
    auto seen = std::make_shared<std::string>();
    const auto note = [seen, &told](const NodeName& node, const Result<ProcessesTold>&) {
      *seen += node.text + " ";
      if (node.text == "n3") told.set_value(*seen);
    };
    all.look(NodeName("n1"), note);
    all.look(NodeName("n2"), note);
    all.look(NodeName("n3"), note);
  });
  auto answer = told.get_future();
  ASSERT_EQ(answer.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(answer.get(), "n1 n3 ");
}

TEST_F(SlurmNodeProcesses, WhereTheDriversCountDiffersFromSlurmsThatIsAFinding) {
  put("gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  std::ifstream recorded(test::source_dir() + "/tests/fixtures/nvidia-580/h100-mps.xml");
  std::string xml{std::istreambuf_iterator<char>(recorded), {}};
  const std::string one = xml.substr(xml.find("\t<gpu id"), xml.find("\t</gpu>") + 8 - xml.find("\t<gpu id"));
  std::string other = one;
  const auto swap = [](std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  swap(other, "000000000001", "000000000002");
  std::string first = one;
  swap(first, "<minor_number>0<", "<minor_number>1<");
  xml.replace(xml.find(one), one.size(), first + other);
  put("mps.xml", xml);
  put("far",
      "case \"$*\" in *listpids*) cat $D/pids; exit 0;;\n"
      "*' -L') echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0a1b2c3d-0000-4000-8000-000000000001)'\n"
      "echo 'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0a1b2c3d-0000-4000-8000-000000000002)'; exit 0;;\n"
      "*'-q -x') cat $D/mps.xml; exit 0;;\n"
      "*-lgi|*-lci) echo 'No MIG-enabled devices found.'; exit 6;; esac\n");
  const auto told = ask();
  ASSERT_TRUE(told) << to_line(told.error());
  Node node;
  node.name = NodeName("n1");
  std::promise<std::vector<Remark>> remarks;
  worker_.post([&] { remarks.set_value(actuator_->board_remarks({node})); });
  bool found = false;
  for (const Remark& one_remark : remarks.get_future().get())
    found |= one_remark.text == "Slurm's GPU 0 is /dev/nvidia0, which its driver counts as GPU 1";
  EXPECT_TRUE(found);
}

// Where a look is made anyway, what it lists is told, too, and Slurm is asked whose it is.
TEST_F(SlurmNodeProcesses, ALookForTheGpusTellsTheirProcessesAsWell) {
  node("State=IDLE");
  actuator();
  Node listed;
  listed.name = NodeName("n1");
  listed.health = Health::ok;
  Gpu gpu;
  gpu.slices.emplace_back();
  listed.gpus = {gpu};
  std::promise<std::pair<Measured, std::map<std::int64_t, std::string>>> told;
  worker_.post([&] {
    actuator_->on_measured([&](Measured measured, const JobPids* pids) {
      told.set_value({std::move(measured), pids ? pids->jobs : std::map<std::int64_t, std::string>{}});
    });
    actuator_->learn_boards({listed}, {}, [](bool) {});
  });
  auto answer = told.get_future();
  ASSERT_EQ(answer.wait_for(test::kPatience), std::future_status::ready) << log();
  const auto [measured, jobs] = answer.get();
  ASSERT_EQ(measured.gpus.size(), 1u);
  EXPECT_EQ(measured.gpus[0].processes->size(), 3u);
  EXPECT_TRUE(measured.gpus[0].figures.use) << "its figures are told once, and here";
  EXPECT_EQ(jobs, (std::map<std::int64_t, std::string>{{585, "7"}}));
}

TEST_F(SlurmNodeProcesses, ARunsLookAsksNoMoreThanItDid) {
  node("State=IDLE");
  actuator();
  std::promise<bool> told;
  std::promise<void> set;
  worker_.post([&] {
    actuator_->on_measured([&](const Measured& measured, const JobPids* pids) {
      told.set_value(measured.gpus.size() == 1 && !pids);
    });
    set.set_value();
  });
  set.get_future().wait();
  look();
  EXPECT_TRUE(told.get_future().get());
  EXPECT_EQ(times("listpids"), 0u) << log();
}

}  // namespace
}  // namespace tessera::slurm
