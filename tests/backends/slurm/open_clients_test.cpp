// Who has a GPU open, named once the driver has refused a change for it.
#include "backends/slurm/change/open_clients.hpp"

#include <fmt/format.h>

#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

const std::vector<nvidia::Opener> kOpeners = {{812, "/usr/bin/nv-hostengine", {0, 1}},
                                              {584, "/usr/bin/python3.11", {0}},
                                              {900, "/opt/monitor", {1}},
                                              {901, "", {3}}};
JobPids pids_of(std::map<std::int64_t, std::string> jobs, bool complete = true) {
  return {std::move(jobs), complete, ""};
}
slurmconf::SlurmSetup stopping(std::vector<std::string> lines) {
  slurmconf::SlurmSetup said;
  said.stop_clients = std::move(lines);
  return said;
}
const char* const kStop =
    "stop it, or name it in slurm-stop-clients and slurm-start-clients: a run then stops it and starts it "
    "again";

TEST(OpenClients, EachIsNamedWithItsJobOrWithWhatARunDoesAboutIt) {
  const JobPids jobs = pids_of({{584, "7"}});
  const auto said = stopping({"systemctl stop nvidia-dcgm"});
  EXPECT_EQ(
      clients_text(kOpeners, &jobs, true, {GpuIndex{0}}, {0, 1}, said),
      "nv-hostengine (812) has GPU 0 open and belongs to no job: slurm-stop-clients names it, and it runs "
      "all the same; python3.11 (584) has GPU 0 open and is of job 7");
  EXPECT_EQ(clients_text(kOpeners, &jobs, true, {GpuIndex{1}}, {0, 1}, stopping({})),
            std::string("nv-hostengine (812) has GPU 1 open and belongs to no job: ") + kStop +
                "; monitor (900) has GPU 1 open and belongs to no job: " + kStop);
  EXPECT_EQ(
      clients_text({kOpeners[2]}, &jobs, true, {}, {}, stopping({"/opt/site/stop"})),
      "monitor (900) has /dev/nvidia1 open and belongs to no job: whether slurm-stop-clients stops it is "
      "not known");
}

// The driver counts GPUs by their place on the bus, and a device file has a number of its own.
TEST(OpenClients, GpusAreThoseOfTheDriversCountAndElseTheirFilesAreNamed) {
  const JobPids jobs = pids_of({});
  const std::vector<nvidia::Opener> one = {{900, "/opt/monitor", {1}}};
  EXPECT_TRUE(
      clients_text(one, &jobs, true, {GpuIndex{0}}, {1, 0}, {}).starts_with("monitor (900) has GPU 0 open"));
  EXPECT_EQ(clients_text(one, &jobs, true, {GpuIndex{1}}, {1, 0}, {}), "");
  EXPECT_TRUE(clients_text(one, &jobs, true, {GpuIndex{0}}, {}, {})
                  .starts_with("monitor (900) has /dev/nvidia1 open"))
      << "where the count is not known none is left out";
}

TEST(OpenClients, WhoseAProcessIsIsNotKnownWhereSlurmDidNotTellAllOfItsOwn) {
  const JobPids some = pids_of({}, false);
  for (const JobPids* told : {static_cast<const JobPids*>(nullptr), &some}) {
    EXPECT_EQ(clients_text({kOpeners[1]}, told, true, {}, {}, {}),
              "python3.11 (584) has /dev/nvidia0 open, and of which job it is is not known");
    EXPECT_TRUE(clients_text({kOpeners[0]}, told, true, {}, {}, {}).find("belongs to no job") !=
                std::string::npos)
        << "a service is of none whatever is told";
  }
  EXPECT_TRUE(
      clients_text({kOpeners[3]}, &some, true, {}, {}, {}).starts_with("process 901 has /dev/nvidia3 open"));
}

// proctrack/linuxproc and pgid lose a program that leaves its job's processes (setsid): it is in no list, and
// to tell an admin to stop it would end work.
TEST(OpenClients, WhereSlurmDoesNotTrackEveryProcessOneThatIsNotListedMayBeAJobs) {
  const JobPids others = pids_of({{700, "7"}});
  EXPECT_EQ(clients_text({kOpeners[1]}, &others, false, {}, {}, {}),
            "python3.11 (584) has /dev/nvidia0 open, and of which job it is is not known");
  EXPECT_TRUE(clients_text({kOpeners[1]}, &others, true, {}, {}, {})
                  .starts_with("python3.11 (584) has /dev/nvidia0 open and belongs to no job"));
}

TEST(OpenClients, NvidiaSmiMayBeAJobsOwnAndItsNameProvesNothing) {
  const std::vector<nvidia::Opener> smi = {{77, "/usr/bin/nvidia-smi", {0}}};
  const JobPids none = pids_of({}), some = pids_of({}, false);
  const std::string unknown = "nvidia-smi (77) has /dev/nvidia0 open, and of which job it is is not known";
  EXPECT_EQ(clients_text(smi, nullptr, true, {}, {}, {}), unknown);
  EXPECT_EQ(clients_text(smi, &some, true, {}, {}, {}), unknown);
  EXPECT_EQ(clients_text(smi, &none, false, {}, {}, {}), unknown);
  EXPECT_TRUE(clients_text(smi, &none, true, {}, {}, {}).find("belongs to no job") != std::string::npos);
}

TEST(OpenClients, ManyAreCounted) {
  std::vector<nvidia::Opener> many;
  for (int i = 0; i < 9; ++i) many.push_back({100 + i, "/bin/p", {0}});
  const JobPids jobs = pids_of({});
  EXPECT_TRUE(clients_text(many, &jobs, true, {}, {}, {}).ends_with("; and 3 more"));
}

class RefusedChange : public SlurmActuatorTest {
 protected:
  Status refused(const std::string& find, const std::string& words = "In use by another client",
                 int cpus = 0) {
    slurmconf::SlurmSettings said;
    said.runner = scratch_.path() + "/on {node}";
    said.stop_clients = "systemctl stop nvidia-dcgm";
    say(said);
    put("node", fmt::format("NodeName=n1 Gres=gpu:2 CPUAlloc={} CPUTot=64 State={}+DRAIN {}\n", cpus,
                            cpus > 0 ? "MIXED" : "IDLE", kOurs));
    put("far",
        "case \"$*\" in *'-mig 1'*) echo 'Unable to enable MIG Mode: " + words + "'; exit 19;; *find*) " +
            find +
            "; exit 0;; *listpids*) echo 'PID      JOBID    STEPID   LOCALID GLOBALID'; echo '584 7 0 0 0'; "
            "exit 0;; esac\n");
    return perform(plan::SetMode{{GpuIndex{0}}, true});
  }
};

TEST_F(RefusedChange, TheErrorNamesWhoHasTheGpuOpen) {
  const Status said = refused(
      R"(printf '/proc/812/exe /usr/bin/nv-hostengine\0/proc/812/fd/5 /dev/nvidia0\0/proc/584/exe /usr/bin/python3\0/proc/584/fd/9 /dev/nvidia0\0')");
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().reason.find("In use by another client"), std::string::npos) << to_line(said.error());
  EXPECT_EQ(
      said.error().hint,
      "python3 (584) has /dev/nvidia0 open and is of job 7; nv-hostengine (812) has /dev/nvidia0 open and "
      "belongs to no job: slurm-stop-clients names it, and it runs all the same");
}

TEST_F(RefusedChange, WhereItCannotBeAskedTheDriversWordsStandAndThatIsSaid) {
  const Status said = refused("echo 'find: unknown predicate' >&2; exit 1");
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().hint.find("who has it open is not known: "), std::string::npos) << said.error().hint;
  EXPECT_NE(said.error().hint.find("a program or an instance still uses it"), std::string::npos);
}

constexpr const char* kPython = R"(printf '/proc/585/exe /usr/bin/python3\0/proc/585/fd/9 /dev/nvidia0\0')";
void expect_of_none(const Status& said, bool none) {
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().hint.find("python3 (585) has /dev/nvidia0 open and belongs to no job") == 0, none)
      << said.error().hint;
  EXPECT_EQ(said.error().hint.ends_with("of which job it is is not known"), !none) << said.error().hint;
}

// 585 is in no list of Slurm's: a program of job 7 that has left its processes, or none of Slurm's.
TEST_F(RefusedChange, ThatAProcessIsOfNoJobIsNotSaidWhereSlurmFollowsParents) {
  put("config", "SLURM_VERSION = 22.05.8\nSlurmUser = slurm(64030)\nProctrackType = proctrack/linuxproc\n");
  expect_of_none(refused(kPython), false);
}

TEST_F(RefusedChange, ThatAProcessIsOfNoJobIsSaidWhereSlurmTracksThemByCgroup) {
  put("config", "SLURM_VERSION = 22.05.8\nSlurmUser = slurm(64030)\nProctrackType = proctrack/cgroup\n");
  expect_of_none(refused(kPython), true);
}

TEST_F(RefusedChange, WhereAJobThatRunsThereIsNotInTheListOnesOwnerIsNotKnown) {
  put("config", "SLURM_VERSION = 22.05.8\nSlurmUser = slurm(64030)\nProctrackType = proctrack/cgroup\n");
  const auto busy_with = [&](const std::string& job) {
    put("jobs", "JobId=" + job +
                    " JobName=t UserId=al(1) JobState=RUNNING NodeList=n1 NumNodes=1\n   Nodes=n1 "
                    "CPU_IDs=0-7 Mem=1 GRES=\n");
    return refused(kPython, "In use by another client", 8);
  };
  expect_of_none(busy_with("9"), false);
  expect_of_none(busy_with("7"), true);
}

TEST_F(RefusedChange, TheControllerIsNotAskedForThoseOfWhichItTellsNothing) {
  EXPECT_FALSE(refused(R"(printf '/proc/584/exe /usr/bin/python3\0/proc/584/fd/9 /dev/nvidia0\0')"));
  const std::string before = log();
  EXPECT_LT(before.rfind("show node"), before.rfind("listpids")) << before;
}

// A site's own command, of whose refusals nothing is known.
TEST_F(RefusedChange, WithoutAdviceOfTheRefusalTheTextBeginsWithItsOwnWords) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.stop_clients = "systemctl stop nvidia-dcgm";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const auto stop = [&](const std::string& find) {
    put("far", "case \"$*\" in *systemctl*) echo 'In use by another client' >&2; exit 1;; *find*) " + find +
                   ";; *listpids*) echo 'PID JOBID STEPID LOCALID GLOBALID'; exit 0;; esac\n");
    const Status told = special(plan::slurm::verb::kStopClients);
    return told ? "done" : told.error().hint;
  };
  EXPECT_EQ(stop("printf '/proc/9/exe /usr/bin/find\\0'; exit 0"), "no program has it open any more");
  EXPECT_TRUE(stop("echo 'find: no' >&2; exit 1").starts_with("who has it open is not known: "));
}

TEST_F(RefusedChange, OfAnotherRefusalNothingIsAsked) {
  const Status said = refused("exit 1", "Insufficient Permissions");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().hint.find("open"), std::string::npos) << said.error().hint;
  EXPECT_FALSE(asked("find")) << log();
}

}  // namespace
}  // namespace tessera::slurm
