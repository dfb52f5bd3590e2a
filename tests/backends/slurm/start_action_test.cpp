// What an earlier act left half done, and what belongs to another run.
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm::deeds_story {
namespace {

namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

// nvidia-smi was cut off between an instance and its compute instance: no job could use it.
TEST_F(SlurmActuatorTest, AnInstanceThatWasCutOffHalfWayGetsItsComputeInstance) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("xml",
      "<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>570.1</driver_version>"
      "<attached_gpus>1</attached_gpus><gpu id=\"00000000:1B:00.0\"><product_name>NVIDIA H100 80GB HBM3"
      "</product_name><uuid>GPU-1</uuid><mig_mode><current_mig>Enabled</current_mig>"
      "<pending_mig>Enabled</pending_mig></mig_mode><mig_devices>None</mig_devices><processes></processes>"
      "</gpu></nvidia_smi_log>\n");
  put("instances",
      "+---------------------------------------------------------+\n"
      "| GPU instances:                                          |\n"
      "| GPU   Name               Profile  Instance   Placement  |\n"
      "|                            ID       ID       Start:Size |\n"
      "|=========================================================|\n"
      "|   0  MIG 1g.10gb           19        7          0:1     |\n"
      "+---------------------------------------------------------+\n");
  put("far",
      "case \"$*\" in *' -L') echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)'; exit 0;;\n"
      "*'-q -x') cat $D/xml; exit 0;; *-lgi) cat $D/instances; exit 0;;\n"
      "*-lci) echo 'No compute instances found: Not Found'; exit 6;;\n"
      "*-cci) echo 'Successfully created compute instance ID  0 on GPU  0 GPU instance ID  7 using profile "
      "MIG 1g.10gb (ID  0)'; exit 0;;\n"
      "*-cgi*) echo 'Successfully created GPU instance ID  8 on GPU  0 using profile MIG 1g.10gb (ID 19)'; "
      "exit 0;; esac\n");
  plan::CreateInstances create;
  create.gpu = GpuIndex{0};
  create.instances = {{ProfileName("1g.10gb"), {1, 1}, std::nullopt}};
  create.chosen = true;
  Status made = perform(create);
  ASSERT_TRUE(made) << to_line(made.error()) << log();
  EXPECT_TRUE(asked("nvidia-smi mig -i 0 -gi 7 -cci")) << log();
  EXPECT_TRUE(asked("-cgi")) << log();
}

// One console drives two runs on a node, one after the other.
TEST_F(SlurmActuatorTest, EachRunOnANodeHasDoneWhatItHasDoneItself) {
  slurmconf::SlurmSettings said;
  said.restart_node = scratch_.path() + "/restart {node}";
  said.restart_controller = scratch_.path() + "/restart all";
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  program("restart", "echo \"restart $*\" >> $D/log\n");
  node("State=IDLE+DRAIN Reason=tessera 20261122-0200-n1 bob@b: his [bob@2026-11-22T02:00:00]");
  plan::Order theirs{NodeName("n1"),
                     plan::Special{std::string(verb::kRestartNode), {}},
                     {"20261122-0200-n1", "bob", "b", {}},
                     "n1/1",
                     Duration{0}};
  ASSERT_TRUE(answer<Done>([&](auto told) { actuator().perform(theirs, told); }));
  EXPECT_EQ(word(look(), key::kNodeRestarted), "yes");
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  EXPECT_EQ(word(look(), key::kNodeRestarted), "not told");
  ASSERT_TRUE(special(verb::kRestartController));
  const plan::NodeFacts ours = look();
  EXPECT_EQ(word(ours, key::kControllerRestarted), "yes");
  EXPECT_EQ(word(ours, key::kNodeRestarted), "not told") << "that was the other run";
}

}  // namespace
}  // namespace tessera::slurm::deeds_story
