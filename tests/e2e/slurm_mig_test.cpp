// Cutting the GPUs of a real Slurm's nodes: nvidia-smi is a stand-in, everything else is real.
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

class SlurmMig : public SlurmCut {};

TEST_F(SlurmMig, CutToSevensToBalancedToWholeWhileNeighboursRun) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  const std::string lines = file_text(lab_->folder() + "/etc/gres.conf");
  Admin admin(*lab_, with_runner(), folder());
  std::string sevens = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  EXPECT_EQ(admin.outcome(sevens), "wanted") << admin.journal(sevens);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_NE(smi("gpu01", {"-L"}).find("MIG 1g.12gb"), std::string::npos);
  // The instances lie on GPU 0, and so near its cores.
  EXPECT_NE(file_text(lab_->folder() + "/etc/gres.conf")
                .find("Type=1g.12gb File=" + lab_->folder() + "/dev/mig0-[7-13] Cores=0-31"),
            std::string::npos)
      << file_text(lab_->folder() + "/etc/gres.conf");
  Running user = run_on("gpu01", "gpu:1g.12gb:1");
  expect_untouched(neighbour);
  (void)lab_->run({"scancel", user.id});

  std::string balanced = admin.start(admin.plan("gpu01", layout("2x1g.12gb,2g.24gb,3g.47gb"), 0));
  EXPECT_EQ(admin.outcome(balanced), "wanted") << admin.journal(balanced);
  EXPECT_EQ(gres("gpu01"), "gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:7") << record("gpu01");

  std::string back = admin.undo(sevens);  // to what that run found: whole GPUs
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  EXPECT_EQ(smi("gpu01", {"-L"}).find("MIG 1g"), std::string::npos);
  EXPECT_NE(file_text(lab_->folder() + "/etc/gres.conf")
                .find("NodeName=gpu0[1-2] Name=gpu Type=h100 File=" + lab_->folder() +
                      "/dev/nvidia[0-3] Cores=0-31"),
            std::string::npos)
      << file_text(lab_->folder() + "/etc/gres.conf");
  expect_untouched(neighbour);
}

// The same by nvidia-mig-parted, which chooses the places; the first run is killed while that works, and
// another tessera takes it up.
TEST_F(SlurmMig, ByMigPartedToSevensOverAKillToBalancedToWholeWhileNeighboursRun) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  slurmconf::SlurmSettings site = with_runner();
  site.mig_tool = "nvidia-mig-parted";
  RunOptions options = command_line();
  Ran ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "7x1g.12gb"},
                    killed_at(options, "gpu01/6:"));
  ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
  Ran resumed = tessera(site, {"resume", newest_run(options)}, options);
  ASSERT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  const std::string asked = file_text(lab_->folder() + "/log/on-nodes");
  EXPECT_NE(asked.find(" nvidia-mig-parted export -o yaml\n"), std::string::npos);
  EXPECT_NE(asked.find("gpu01 nvidia-mig-parted apply -f - -c tessera\n"), std::string::npos);
  EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");

  const LabAnswer armed =
      lab_->run({simulator(), "nvidia-smi", "--state", gpus("gpu01"), "--fault", "unknown verb=apply"});
  ASSERT_EQ(armed.status, 0) << armed.out;
  Admin admin(*lab_, site, folder());
  std::string balanced = admin.start(admin.plan("gpu01", layout("2x1g.12gb,2g.24gb,3g.47gb"), 0));
  ASSERT_EQ(admin.outcome(balanced), "wanted") << admin.journal(balanced);
  EXPECT_NE(admin.journal(balanced).find("error initializing NVML: Unknown Error; attempt 2 of 5"),
            std::string::npos)
      << admin.journal(balanced);
  EXPECT_EQ(gres("gpu01"), "gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:7") << record("gpu01");
  // It makes wide ones first, and so 2g lies elsewhere than the plan expects: what stands is what counts.
  EXPECT_NE(smi("gpu01", {"mig", "-lgi"}).find("MIG 2g.24gb           14        3          0:2"),
            std::string::npos)
      << smi("gpu01", {"mig", "-lgi"});
  EXPECT_NE(file_text(lab_->folder() + "/etc/gres.conf")
                .find("Type=2g.24gb File=" + lab_->folder() + "/dev/mig0-3 Cores=0-31"),
            std::string::npos)
      << file_text(lab_->folder() + "/etc/gres.conf");
  Running user = run_on("gpu01", "gpu:2g.24gb:1");
  (void)lab_->run({"scancel", user.id});

  plan::Wish whole;
  std::string back = admin.start(admin.plan("gpu01", whole, 0));
  EXPECT_EQ(admin.outcome(back), "wanted") << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  EXPECT_EQ(smi("gpu01", {"-L"}).find("MIG 1g"), std::string::npos);
  expect_untouched(neighbour);
}

// As after a reboot: jobs would get devices that are not there.
TEST_F(SlurmMig, ADriverThatHasOtherBoardsThanSlurmOffersIsAFinding) {
  new_gpus("mig01");
  slurm::SlurmOptions options;
  options.conf = lab_->conf();
  options.catalogue = &catalogue();
  options.said = slurmconf::slurm_setup_of(with_runner()).value();
  options.needs_boards = std::vector<NodeName>{NodeName("mig01")};
  SlurmWatch watch(options);
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  auto found = watch.cluster().remarks.find(Source::nvidia_smi);
  ASSERT_NE(found, watch.cluster().remarks.end());
  ASSERT_GE(found->second.size(), 1u);
  EXPECT_EQ(found->second[0].subject, "mig01");
  EXPECT_TRUE(found->second[0].text.starts_with(
      "its driver has 8 whole GPUs, and Slurm offers 7 × 1g.10gb, 2 × 3g.40gb: a boot destroys all "
      "instances, and the last one was at 20"))
      << found->second[0].text;
  EXPECT_NE(found->second[0].hint.find("tessera plan -n mig01 --layout none"), std::string::npos)
      << found->second[0].hint;
}

// Cut by hand unnoticed: the way out that the finding names tells Slurm, and cuts nothing.
TEST_F(SlurmMig, BoardsThatWereCutByHandAreToldToSlurmWithoutTouchingThem) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  smi("gpu01", {"-i", "0", "-mig", "1"});
  smi("gpu01", {"mig", "-i", "0", "-cgi", "19,19,19,19,19,19,19", "-C"});
  const std::string stands = smi("gpu01", {"-L"});
  ASSERT_NE(stands.find("MIG 1g.12gb"), std::string::npos) << stands;
  RunOptions options = command_line();
  slurmconf::SlurmSettings site = with_runner();
  std::vector<std::string> looks{"doctor", "--slurm-runner", site.runner, "-o", "json"};
  std::string doctor = run_tessera(looks, options).out;
  EXPECT_NE(doctor.find("its driver has 7 whole GPUs, 7 × 1g.12gb, and Slurm offers 8 whole GPUs"),
            std::string::npos)
      << doctor;
  EXPECT_NE(doctor.find("tessera plan -n gpu01 --gpu 0 --layout 7x1g.12gb"), std::string::npos) << doctor;
  // What the next boot does there, and a lock on the host where the files lie.
  const std::string lock = lab_->conf() + ".tessera-lock";
  std::filesystem::create_symlink("tessera 20261122-0200-n2 bob@b: process 7 1 elsewhere/1", lock);
  ASSERT_EQ(lab_->run({"touch", "-h", "-d", "3 hours ago", lock}).status, 0);
  looks.insert(looks.end(), {"--slurm-files", "host:cfg", "--slurm-boot-file", "/etc/mig.yaml",
                             "--slurm-boot-unit", "mig.service", "--slurm-look-deadline", "20s"});
  doctor = run_tessera(looks, options).out;
  std::filesystem::remove(lock);
  EXPECT_NE(doctor.find("there is no systemctl, so mig.service cannot be enabled"), std::string::npos)
      << doctor;
  EXPECT_NE(doctor.find("on cfg: rm " + lock), std::string::npos) << doctor;

  Ran ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "7x1g.12gb"}, options);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_EQ(smi("gpu01", {"-L"}), stands) << "the very same instances";
  EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  Running user = run_on("gpu01", "gpu:1g.12gb:1");
  (void)lab_->run({"scancel", "-f", user.id});
  ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "7x1g.12gb"}, options);
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE((ran.out + ran.err).find("already in that state"), std::string::npos) << ran.out << ran.err;

  ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "none"}, options);
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  expect_untouched(neighbour);
}

// The whole program is killed in the middle; another one takes the run up from its journal, on or back.
// Whatever becomes of it, the clients of the GPUs run again in the end.
TEST_F(SlurmMig, KilledAnywhereItIsTakenUpByTheCommandLine) {
  slurmconf::SlurmSettings site = with_runner();
  const std::string clients = lab_->folder() + "/clients";
  script("client", "echo $1 > " + clients + "\n");
  site.stop_clients = lab_->folder() + "/client stopped";
  site.start_clients = lab_->folder() + "/client started";
  RunOptions options = command_line();
  struct Blow {
    const char* at;  // what is told of the step before
    const char* layout;
    bool back;
    const char* gres;
  };
  for (const Blow& blow :
       {Blow{"gpu01/7:", "7x1g.12gb", true, "gpu:h100:8"}, Blow{"gpu01/7:", "7x1g.12gb", false, kSevens},
        Blow{"gpu01/10:", "none", false, "gpu:h100:8"}}) {
    Ran ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", blow.layout},
                      killed_at(options, blow.at));
    ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
    EXPECT_NE(record("gpu01").find("Reason=tessera "), std::string::npos) << record("gpu01");
    EXPECT_EQ(file_text(clients), "stopped\n");
    std::vector<std::string> words{"resume", newest_run(options)};
    if (blow.back) words.emplace_back("--back");
    Ran resumed = tessera(site, words, options);
    if (!blow.back) EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
    EXPECT_EQ(gres("gpu01"), blow.gres) << record("gpu01") << resumed.out << resumed.err;
    EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
    EXPECT_EQ(file_text(clients), "started\n") << resumed.out << resumed.err;
  }
}

// The node reboots while slurmd is restarted: what was cut is gone. Nothing is opened on a promise.
TEST_F(SlurmMig, ARebootInTheMiddleStopsItAndPlanningAgainGoesOn) {
  slurmconf::SlurmSettings site = with_runner();
  std::string again;
  for (const std::string& word : fresh_gpus("gpu01")) again += " '" + word + "'";
  site.restart_node = lab_->folder() + "/reboot-once";
  script("reboot-once", "if mkdir " + lab_->folder() + "/rebooted 2> /dev/null; then rm -f " + gpus("gpu01") +
                            "; " + again + " > /dev/null; fi\nexec " + lab_->restart_command("slurmd-gpu01") +
                            "\n");
  Admin admin(*lab_, site, folder());
  std::string run = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  std::string why = admin.outcome(run);
  EXPECT_NE(why.find("GPU 0 has nothing"), std::string::npos) << why << admin.journal(run);
  EXPECT_NE(record("gpu01").find("Reason=tessera " + run), std::string::npos) << record("gpu01");
  EXPECT_NE(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  admin.resume(run, plan::Onward::replan);
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_NE(smi("gpu01", {"-L"}).find("MIG 1g.12gb"), std::string::npos);
}

// A reboot took its instances, so slurmd found no devices and gave up; nothing brings such a node back by
// itself.
TEST_F(SlurmMig, ANodeThatIsDownAfterARebootIsCutAgainAndComesBack) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  const std::string file = lab_->folder() + "/etc/slurm.conf";
  auto return_to_service = [&](char how) {
    std::string conf = file_text(file);
    const std::size_t at = conf.find("ReturnToService=");
    ASSERT_NE(at, std::string::npos);
    conf[at + 16] = how;
    std::ofstream(file) << conf;
    EXPECT_EQ(lab_->run({"scontrol", "reconfigure"}).status, 0);
  };
  return_to_service('0');
  lab_->signal("slurmd-gpu01", SIGKILL);
  ASSERT_EQ(
      lab_->run({"scontrol", "update", "NodeName=gpu01", "State=DOWN", "Reason=Node unexpectedly rebooted"})
          .status,
      0);
  {
    Admin admin(*lab_, with_runner(), folder());
    std::string run = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
    EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  }
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  // Slurm pings a node that it has resumed before it believes in it; that the job below runs is the proof.
  for (const char* flag : {"DOWN", "DRAIN"})
    EXPECT_EQ(field(record("gpu01"), "State").find(flag), std::string::npos) << record("gpu01");
  Running user = run_on("gpu01", "gpu:1g.12gb:1");
  (void)lab_->run({"scancel", user.id});
  expect_untouched(neighbour);
  return_to_service('2');
}

class SlurmSrun : public SlurmCutBySrun {};

TEST_F(SlurmSrun, CutInsideAReservationDrainedOnlyThenAndBack) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  slurmconf::SlurmSettings site = by_srun();
  site.start_clients = "touch " + lab_->folder() + "/clients-started";
  Admin admin(*lab_, site, folder());
  std::string run = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"step-begun\",\"step\":\"gpu01/5\"")) << admin.journal(run);
  EXPECT_NE(reservations().find("ReservationName=tessera+" + run), std::string::npos) << reservations();
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  EXPECT_EQ(reservations().find("tessera+"), std::string::npos) << reservations();
  EXPECT_TRUE(std::filesystem::exists(lab_->folder() + "/clients-started"));
  Running user = run_on("gpu01", "gpu:1g.12gb:1");
  (void)lab_->run({"scancel", "-f", user.id});
  std::string back = admin.undo(run);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  expect_untouched(neighbour);
}

// Killed once the node is drained, its GPUs cannot be asked any more; the next tessera can all the same.
TEST_F(SlurmSrun, KilledOnceDrainedItIsTakenUpOrSaysHowToGoBack) {
  slurmconf::SlurmSettings site = by_srun();
  RunOptions options = command_line();
  const std::string drained = "gpu01/9:";  // the step after the drain
  Ran ran = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "7x1g.12gb"},
                    killed_at(options, drained));
  ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
  EXPECT_NE(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  Ran back = tessera(site, {"resume", newest_run(options), "--back"}, options);
  EXPECT_NE(back.code, 0) << back.out << back.err;
  EXPECT_NE((back.out + back.err).find("scontrol update NodeName=gpu01 State=RESUME"), std::string::npos)
      << back.out << back.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8");
  Ran resumed = tessera(site, {"resume", newest_run(options)}, options);
  EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  EXPECT_EQ(reservations().find("tessera+"), std::string::npos) << reservations();

  // The same once more, and back by the way out that was told.
  ran =
      tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "none"}, killed_at(options, drained));
  ASSERT_EQ(ran.code, 128 + SIGKILL) << ran.out << ran.err;
  resume("gpu01");
  back = tessera(site, {"resume", newest_run(options), "--back"}, options);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01") << back.out << back.err;
  EXPECT_EQ(reservations().find("tessera+"), std::string::npos) << reservations() << back.out << back.err;
}

// Nodes without files of their own: slurmctld gives them theirs.
TEST(SlurmConfigless, TheControllersFilesAreChangedAndANodesCopyNever) {
  if (!SlurmLab::possible_configless()) GTEST_SKIP() << "needs a real Slurm and a mount namespace";
  SlurmLab lab("", SlurmLab::Kind::configless);
  ASSERT_EQ(lab.trouble(), "");
  Scratch scratch;
  slurmconf::SlurmSettings said;
  said.restart_controller = lab.restart_command("slurmctld");
  said.restart_node = lab.restart_command("slurmd-{node}");
  said.devices = "gpu=" + lab.folder() + "/dev/nvidia{gpu}";
  plan::Wish mps;
  mps.strategy = Strategy::mps;
  mps.replicas = 100;
  const std::string copy = lab.folder() + "/spool/gpu01/conf-cache/slurm.conf", found = file_text(copy);
  ASSERT_NE(found.find("gpu01"), std::string::npos);
  {
    // As on the node itself, where Slurm's commands find nothing but the copy.
    Admin there(lab, said, scratch.path() + "/there", "root", Duration(0), copy);
    std::string run = there.start(there.plan("gpu01", mps));
    std::string why = there.outcome(run);
    EXPECT_NE(why.find("copy that slurmd keeps of the controller's files"), std::string::npos) << why;
    EXPECT_EQ(file_text(copy), found);
    EXPECT_EQ(lab.run({"scontrol", "-o", "show", "node", "gpu01"}).out.find("DRAIN"), std::string::npos);
  }
  Admin admin(lab, said, scratch.path() + "/runs", "root", std::chrono::hours(1));
  std::string run = admin.start(admin.plan("gpu01", mps));
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  std::string gres = lab.run({"scontrol", "-o", "show", "node", "gpu01"}).out;
  EXPECT_NE(gres.find("mps:h100:800"), std::string::npos) << gres;
  EXPECT_EQ(file_text(copy), file_text(lab.conf())) << "the node has fetched what the controller has";
}

}  // namespace
}  // namespace tessera::test
