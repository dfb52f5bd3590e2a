// Texts that real drivers printed, and what becomes of broken ones.
#include "backends/nvidia/parse.hpp"

#include <gtest/gtest.h>

#include "backends/nvidia/node_gpus.hpp"
#include "backends/nvidia/xml.hpp"
#include "engine/mig/geometry.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::string_view kList =
    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-b4895dbf-9350-2524-a89b-98161ddd9fe4)\n"
    "  MIG 3g.40gb     Device  0: (UUID: MIG-7089d0f3-293f-58c9-8f8c-5ea666eedbde)\n"
    "  MIG 2g.20gb     Device  1: (UUID: MIG-56c30729-347f-5dd6-8da0-c3cc59e969e0)\n";

TEST(NvidiaList, ReadsGpusAndTheirMigDevices) {
  auto gpus = parse_list(kList);
  ASSERT_TRUE(gpus) << to_line(gpus.error());
  ASSERT_EQ(gpus->size(), 1u);
  EXPECT_EQ((*gpus)[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ((*gpus)[0].uuid, "GPU-b4895dbf-9350-2524-a89b-98161ddd9fe4");
  ASSERT_EQ((*gpus)[0].devices.size(), 2u);
  EXPECT_EQ((*gpus)[0].devices[1].profile, ProfileName("2g.20gb"));
  EXPECT_EQ((*gpus)[0].devices[1].device, 1);
  EXPECT_EQ((*gpus)[0].devices[1].uuid, "MIG-56c30729-347f-5dd6-8da0-c3cc59e969e0");
}

TEST(NvidiaList, ReadsTheFormBeforeR470) {
  auto gpus = parse_list(
      "GPU 0: A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)\n"
      "  MIG 1c.3g.20gb Device 0: (UUID: MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/1/0)\n");
  ASSERT_TRUE(gpus) << to_line(gpus.error());
  EXPECT_EQ((*gpus)[0].devices[0].uuid, "MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/1/0");
  EXPECT_EQ((*gpus)[0].devices[0].profile, ProfileName("1c.3g.20gb"));
}

TEST(NvidiaList, RefusesWhatIsNoListingInItsWords) {
  EXPECT_FALSE(parse_list(""));
  EXPECT_FALSE(parse_list(" \n\n"));
  auto broken = parse_list(
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
      "latest "
      "NVIDIA driver is installed and running.\n");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().reason.find("couldn't communicate"), std::string::npos);
  EXPECT_NE(broken.error().hint.find("driver"), std::string::npos);
  EXPECT_FALSE(parse_list("GPU 0: NVIDIA H100 (UUID: GPU-1"));
  EXPECT_FALSE(parse_list("  MIG 3g.40gb Device 0: (UUID: MIG-1)\n"));
  EXPECT_FALSE(parse_list("GPU 99999: NVIDIA H100 (UUID: GPU-1)\n"));
  EXPECT_FALSE(parse_list("GPU 0: X (UUID: GPU-1)\nGPU 0: X (UUID: GPU-2)\n"));
  EXPECT_FALSE(parse_list(std::string(20u << 20, 'x')));
  auto none = parse_list("No devices found.\n");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  auto hostile = parse_list("GPU 0: NVIDIA\x1b[2J H100 (UUID: GPU-1)\n");
  ASSERT_TRUE(hostile);
  EXPECT_EQ((*hostile)[0].name.find('\x1b'), std::string::npos);
}

constexpr std::string_view kInstances =
    "+-------------------------------------------------------+\n"
    "| GPU instances:                                        |\n"
    "| GPU   Name             Profile  Instance   Placement  |\n"
    "|                          ID       ID       Start:Size |\n"
    "|=======================================================|\n"
    "|   0  MIG 2g.20gb         14        3          2:2     |\n"
    "+-------------------------------------------------------+\n"
    "|   0  MIG 3g.40gb          9        2          4:4     |\n"
    "+-------------------------------------------------------+\n";
constexpr std::string_view kCompute =
    "+--------------------------------------------------------------------+\n"
    "| Compute instances:                                                 |\n"
    "| GPU     GPU       Name             Profile   Instance   Placement  |\n"
    "|       Instance                       ID        ID       Start:Size |\n"
    "|         ID                                                         |\n"
    "|====================================================================|\n"
    "|   0      3       MIG 2g.20gb          1         0          0:2     |\n"
    "+--------------------------------------------------------------------+\n"
    "|   0      2       MIG 3g.40gb          2         0          0:4     |\n"
    "+--------------------------------------------------------------------+\n";

TEST(NvidiaMig, ReadsInstances) {
  auto rows = parse_instances(kInstances);
  ASSERT_TRUE(rows) << to_line(rows.error());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].profile, ProfileName("2g.20gb"));
  EXPECT_EQ((*rows)[0].profile_id, 14);
  EXPECT_EQ((*rows)[0].id, 3);
  EXPECT_EQ((*rows)[0].at, (Placement{2, 2}));
}

TEST(NvidiaMig, ReadsTheWiderBoxAndRowsWithoutBordersBetween) {
  auto rows = parse_instances(
      "+---------------------------------------------------------+\n"
      "| GPU instances:                                          |\n"
      "| GPU   Name               Profile  Instance   Placement  |\n"
      "|                            ID       ID       Start:Size |\n"
      "|=========================================================|\n"
      "|   1  MIG 1g.24gb+me.all    65        3          0:3     |\n"
      "|   1  MIG 1g.24gb-me        67        4          9:3     |\n"
      "+---------------------------------------------------------+\n");
  ASSERT_TRUE(rows) << to_line(rows.error());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].profile, ProfileName("1g.24gb+me.all"));
  EXPECT_EQ((*rows)[1].profile, ProfileName("1g.24gb-me"));
  EXPECT_EQ((*rows)[1].at, (Placement{9, 3}));
}

TEST(NvidiaMig, SentencesStandForEmptyTables) {
  for (const char* text :
       {"No GPU instances found.\n", "No MIG-enabled devices found.\n", "No compute instances found.\n"}) {
    auto rows = parse_instances(text);
    ASSERT_TRUE(rows) << to_line(rows.error());
    EXPECT_TRUE(rows->empty());
    EXPECT_TRUE(parse_compute(text));
  }
}

// Half a table would be half a GPU: what is not shown would count as free.
TEST(NvidiaMig, ACutTableIsRefusedWhereverItIsCut) {
  std::size_t whole = 0;
  for (std::size_t size = 0; size < kInstances.size(); ++size) {
    auto rows = parse_instances(kInstances.substr(0, size));
    if (rows) {
      // Only behind a border, where nothing shows that it was cut.
      EXPECT_EQ(kInstances.substr(0, size).find_last_not_of("-+\n"), kInstances.substr(0, size).rfind('|'))
          << size;
      ++whole;
    } else {
      EXPECT_FALSE(rows.error().reason.empty());
    }
  }
  EXPECT_LT(whole, 2 * 60u);
}

TEST(NvidiaMig, RefusesPermissionsAndNonsense) {
  auto refused = parse_instances("Failed to display GPU instances: Insufficient Permissions\n");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("root"), std::string::npos);
  EXPECT_FALSE(parse_instances(""));
  std::string table(kInstances);
  auto with = [&](std::string_view from, std::string_view to) {
    std::string text = table;
    text.replace(text.find(from), from.size(), to);
    return parse_instances(text);
  };
  EXPECT_FALSE(with("2:2", "2:0"));
  EXPECT_FALSE(with("2:2", "x:2"));
  EXPECT_FALSE(with(" 14 ", " -1 "));
  EXPECT_FALSE(with("MIG 2g", "GIM 2g"));
  EXPECT_FALSE(with("   3   ", "   2   ")) << "an id that stands twice";
  auto bad = with("2:2", "?:2");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().reason.find("line 6"), std::string::npos) << bad.error().reason;
}

TEST(NvidiaMig, ReadsComputeInstancesOldAndNew) {
  auto rows = parse_compute(kCompute);
  ASSERT_TRUE(rows) << to_line(rows.error());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[1].instance, 2);
  EXPECT_EQ((*rows)[1].at, (Placement{0, 4}));
  rows = parse_compute(
      "+-------------------------------------------------------+\n"
      "| Compute instances:                                    |\n"
      "| GPU     GPU       Name             Profile   Instance |\n"
      "|       Instance                       ID        ID     |\n"
      "|         ID                                            |\n"
      "|=======================================================|\n"
      "|   0      1       MIG 1c.3g.20gb       0         2     |\n"
      "+-------------------------------------------------------+\n");
  ASSERT_TRUE(rows) << to_line(rows.error());
  EXPECT_EQ((*rows)[0].profile, ProfileName("1c.3g.20gb"));
  EXPECT_EQ((*rows)[0].id, 2);
  EXPECT_FALSE((*rows)[0].at);
}

TEST(NvidiaChange, ReadsWhatWasMadeAndDestroyed) {
  Change change = parse_change(
      "Successfully created GPU instance ID  2 on GPU  0 using profile MIG 3g.20gb (ID  9)\n"
      "Successfully created compute instance ID  0 on GPU  0 GPU instance ID  2 using profile MIG 3g.20gb "
      "(ID  2)\n",
      "", 0);
  ASSERT_EQ(change.created.size(), 2u);
  EXPECT_EQ(change.created[0], (Change::Instance{0, 2, std::nullopt, 9}));
  EXPECT_EQ(change.created[1], (Change::Instance{0, 2, 0, 2}));
  EXPECT_EQ(change.refusal, Change::Refusal::none);
  EXPECT_FALSE(refusal_of(change, "create"));
  change = parse_change(
      "Successfully destroyed compute instance ID  0 from GPU  0 GPU instance ID  1\n"
      "Successfully destroyed GPU instance ID  1 from GPU  0\n",
      "", 0);
  ASSERT_EQ(change.destroyed.size(), 2u);
  EXPECT_EQ(change.destroyed[0], (Change::Instance{0, 1, 0, std::nullopt}));
  EXPECT_EQ(change.destroyed[1], (Change::Instance{0, 1, std::nullopt, std::nullopt}));
  // Very old drivers.
  change = parse_change("Successfully created GPU instance on GPU  0 using profile ID  9\n", "", 0);
  ASSERT_EQ(change.created.size(), 1u);
  EXPECT_EQ(change.created[0], (Change::Instance{0, std::nullopt, std::nullopt, 9}));
}

TEST(NvidiaChange, TellsRefusalsApartAndKeepsWhatWasDone) {
  using Refusal = Change::Refusal;
  Change change = parse_change(
      "Successfully created GPU instance ID 13 on GPU  0 using profile MIG 1g.10gb (ID 19)\n"
      "Unable to create a GPU instance on GPU  0 using profile 9: Insufficient Resources\n"
      "Failed to create GPU instances: Insufficient Resources\n",
      "", 19);
  EXPECT_EQ(change.refusal, Refusal::insufficient);
  EXPECT_EQ(change.created.size(), 1u);
  auto error = refusal_of(change, "cannot cut GPU 0 of gpu01");
  ASSERT_TRUE(error);
  EXPECT_NE(error->reason.find("using profile 9: Insufficient Resources"), std::string::npos);
  struct Case {
    const char* text;
    int code;
    Refusal refusal;
  };
  for (const Case& one : {
           Case{"Unable to create a GPU instance on GPU  0 using profile 20: In use by another client\n"
                "Failed to create GPU instances: In use by another client\n",
                19, Refusal::in_use},
           Case{"Unable to destroy GPU instance ID  3 from GPU  0: In use by another client\n"
                "Failed to destroy GPU instances: In use by another client\n",
                19, Refusal::in_use},
           Case{"Unable to create a GPU instance on GPU 0 using profile 1: Invalid Argument\n"
                "Failed to create GPU instances: Invalid Argument\n",
                2, Refusal::invalid},
           Case{"No MIG-enabled devices found.\n", 6, Refusal::mig_off},
           Case{"No GPU instances found.\n", 6, Refusal::none_found},
           Case{"Failed to display GPU instance profiles: Unknown Error\n", 255, Refusal::unknown},
           Case{"Unable to destroy GPU instances: Insufficient Permissions\n", 4, Refusal::no_permission},
           Case{"Resetting GPU 00000000:36:00.0 is not supported.\n", 3, Refusal::not_supported},
           Case{"", 6, Refusal::none_found},
           Case{"", 2, Refusal::invalid},
           Case{"something else\n", 1, Refusal::unknown},
       }) {
    Change read = parse_change(one.text, "", one.code);
    EXPECT_EQ(read.refusal, one.refusal) << one.text;
    EXPECT_FALSE(read.words.empty()) << one.text;
    EXPECT_TRUE(refusal_of(read, "x"));
    EXPECT_EQ(parse_change("", one.text, one.code).refusal, one.refusal) << "on standard error, too";
  }
}

TEST(NvidiaParted, FailuresAreToldInItsOwnWordsWithAWayOut) {
  EXPECT_FALSE(parted_refusal("MIG configuration applied successfully\n", "", 0, "x"));
  // A warning beside success is none of our business.
  EXPECT_FALSE(parted_refusal("", "time=\"t\" level=error msg=\"late\"\n", 0, "x"));
  auto said =
      parted_refusal("",
                     "time=\"2026-11-22T10:00:00Z\" level=debug msg=\"Parsing config file...\"\n"
                     "time=\"2026-11-22T10:00:01Z\" level=error msg=\"The following GPUs could not be "
                     "reset:\\n  GPU 00000000:1B:00.0: In use by another client\"\n"
                     "time=\"2026-11-22T10:00:01Z\" level=fatal msg=\"Error applying MIG configuration with "
                     "hooks: error resetting \\\"all\\\" GPUs: exit status 255\"\n",
                     1, "cannot cut");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->what, "cannot cut");
  EXPECT_EQ(said->reason,
            "The following GPUs could not be reset:   GPU 00000000:1B:00.0: In use by another client; Error "
            "applying MIG configuration with hooks: error resetting \"all\" GPUs: exit status 255");
  EXPECT_NE(said->hint.find("slurm-stop-clients"), std::string::npos);
  said =
      parted_refusal("",
                     "FATA[0003] Error applying MIG configuration with hooks: error setting MIGConfig: error "
                     "attempting multiple config orderings: all orderings failed \n",
                     1, "");
  ASSERT_TRUE(said);
  EXPECT_TRUE(said->reason.ends_with("all orderings failed")) << said->reason;
  EXPECT_NE(said->hint.find("is gone"), std::string::npos);
  said = parted_refusal("", "sh: 1: exec: nvidia-mig-parted: not found\n", 127, "");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "sh: 1: exec: nvidia-mig-parted: not found (exit code 127)");
  EXPECT_NE(said->hint.find("slurm-mig-tool"), std::string::npos);
  EXPECT_EQ(parted_refusal("", "", 1, "")->reason, "(exit code 1)");
  // Nothing that a terminal obeys gets through, however it is wrapped.
  said = parted_refusal("", "level=fatal msg=\"\x1b[2J\\x1b\\\\\n", 1, "");
  EXPECT_EQ(said->reason.find('\x1b'), std::string::npos);
}

TEST(NvidiaChange, ReadsModesThatWaitForAReset) {
  Change change = parse_change(
      "Warning: persistence mode is disabled on device 00000000:36:00.0. See the Known Issues section.\n"
      "Enabled MIG Mode for GPU 00000000:36:00.0\n"
      "Warning: MIG mode is in pending enable state for GPU 00000000:37:00.0:In use by another client\n"
      "00000000:37:00.0 is currently being used by one or more other processes (e.g. CUDA application or a "
      "monitoring application such as another instance of nvidia-smi). Please first kill all processes using "
      "the "
      "device and retry the command or reboot the system to make MIG mode effective.\n"
      "All done.\n",
      "", 0);
  EXPECT_EQ(change.switched, (std::vector<std::string>{"00000000:36:00.0"}));
  ASSERT_EQ(change.pending.size(), 1u);
  EXPECT_EQ(change.pending[0], (Change::Pending{"00000000:37:00.0", true, "In use by another client"}));
  EXPECT_EQ(change.warnings.size(), 1u);
  EXPECT_EQ(change.refusal, Change::Refusal::none);
  change = parse_change(
      "Warning: MIG mode is in pending enable state for GPU 00000000:00:03.0:Not Supported\n"
      "Reboot the system or try nvidia-smi --gpu-reset to make MIG mode effective on GPU 00000000:00:03.0\n"
      "All done.\n",
      "", 0);
  ASSERT_EQ(change.pending.size(), 1u);
  EXPECT_EQ(change.pending[0].gpu, "00000000:00:03.0");
  EXPECT_EQ(change.pending[0].why, "Not Supported");
  change = parse_change(
      "GPU 00000000:14:00.0  was successfully reset.\nGPU 00000000:15:00.0  was successfully reset.\nAll "
      "done.\n",
      "", 0);
  EXPECT_EQ(change.reset, (std::vector<std::string>{"00000000:14:00.0", "00000000:15:00.0"}));
}

// Of driver 575.57.08, cut to what matters.
constexpr std::string_view kQuery = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Fri Jul 11 08:43:27 2025</timestamp>
	<driver_version>575.57.08</driver_version>
	<attached_gpus>1</attached_gpus>
	<gpu id="00000000:00:09.0">
		<product_name>NVIDIA H100 80GB HBM3</product_name>
		<persistence_mode>Enabled</persistence_mode>
		<mig_mode>
			<current_mig>Enabled</current_mig>
			<pending_mig>Enabled</pending_mig>
		</mig_mode>
		<mig_devices>
			<mig_device>
				<index>0</index>
				<gpu_instance_id>2</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<device_attributes>
					<shared>
						<multiprocessor_count>60</multiprocessor_count>
						<copy_engine_count>3</copy_engine_count>
					</shared>
				</device_attributes>
				<ecc_error_count><volatile_count><sram_uncorrectable>0</sram_uncorrectable></volatile_count></ecc_error_count>
				<fb_memory_usage>
					<total>40448 MiB</total>
					<reserved>0 MiB</reserved>
					<used>298 MiB</used>
					<free>40151 MiB</free>
				</fb_memory_usage>
			</mig_device>
			<mig_device>
				<index>1</index>
				<gpu_instance_id>3</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<fb_memory_usage><total>20096 MiB</total><used>0 MiB</used></fb_memory_usage>
			</mig_device>
		</mig_devices>
		<uuid>GPU-b4895dbf-9350-2524-a89b-98161ddd9fe4</uuid>
		<minor_number>0</minor_number>
		<fb_memory_usage><total>81559 MiB</total><used>310 MiB</used></fb_memory_usage>
		<compute_mode>Default</compute_mode>
		<utilization><gpu_util>N/A</gpu_util></utilization>
		<temperature><gpu_temp>34 C</gpu_temp></temperature>
		<gpu_power_readings><instant_power_draw>70.12 W</instant_power_draw></gpu_power_readings>
		<processes>
			<process_info>
				<gpu_instance_id>2</gpu_instance_id>
				<compute_instance_id>0</compute_instance_id>
				<pid>4711</pid>
				<type>C</type>
				<process_name>python &lt;train&gt; &amp; more</process_name>
				<used_memory>280 MiB</used_memory>
			</process_info>
		</processes>
	</gpu>
</nvidia_smi_log>
)";

TEST(NvidiaQuery, ReadsModesDevicesAndClients) {
  auto query = parse_query(kQuery);
  ASSERT_TRUE(query) << to_line(query.error());
  EXPECT_EQ(query->driver, "575.57.08");
  ASSERT_EQ(query->gpus.size(), 1u);
  const QueriedGpu& gpu = query->gpus[0];
  EXPECT_EQ(gpu.pci, "00000000:00:09.0");
  EXPECT_EQ(gpu.mig_now, true);
  EXPECT_EQ(gpu.minor, 0);
  EXPECT_EQ(gpu.memory, Mib{81559});
  EXPECT_EQ(gpu.telemetry.temperature, Celsius{34});
  EXPECT_FALSE(gpu.telemetry.use);
  ASSERT_EQ(gpu.devices.size(), 2u);
  EXPECT_EQ(gpu.devices[0].sm, 60);
  EXPECT_EQ(gpu.devices[0].memory, Mib{40448});
  EXPECT_EQ(gpu.devices[0].used, Mib{298});
  ASSERT_EQ(gpu.clients.size(), 1u);
  EXPECT_EQ(gpu.clients[0].name, "python <train> & more");
  EXPECT_EQ(gpu.clients[0].instance, 2);
}

TEST(NvidiaQuery, ReadsABoardThatCannotBeCut) {
  auto query = parse_query(
      "<nvidia_smi_log><gpu id=\"0\"><uuid>GPU-1</uuid><mig_mode><current_mig>N/A</current_mig>"
      "<pending_mig>N/A</pending_mig></mig_mode><mig_devices>\n None\n</mig_devices></gpu></nvidia_smi_log>");
  ASSERT_TRUE(query) << to_line(query.error());
  EXPECT_FALSE(query->gpus[0].mig_now);
  EXPECT_TRUE(query->gpus[0].devices.empty());
}

TEST(NvidiaQuery, EveryCutIsAnError) {
  std::string_view text = kQuery.substr(0, kQuery.rfind('>') + 1);
  for (std::size_t size = 0; size < text.size(); ++size) {
    auto query = parse_query(text.substr(0, size));
    ASSERT_FALSE(query) << size;
    EXPECT_FALSE(query.error().reason.empty());
  }
}

TEST(NvidiaQuery, RefusesHostileXml) {
  for (const char* text :
       {"<a></b>", "<a", "<a>", "<a/><b/>", "text", "<a>&bad;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
        "<!DOCTYPE x [<!ENTITY e \"x\">]><nvidia_smi_log/>", "<nvidia_smi_log><![CDATA[x]]></nvidia_smi_log>",
        "<nvidia_smi_log></nvidia_smi_log></nvidia_smi_log>", "<other/>", "<nvidia_smi_log a=b/>", "<!-- x",
        "<nvidia_smi_log><gpu "
        "id='0'><uuid>G</uuid><mig_mode><current_mig>Perhaps</current_mig></mig_mode></gpu></nvidia_smi_log>",
        "<nvidia_smi_log><gpu "
        "id='0'><uuid>G</uuid><mig_devices><mig_device><index>0</index></mig_device></mig_devices></gpu></"
        "nvidia_smi_log>",
        "<nvidia_smi_log><gpu id='0'></gpu></nvidia_smi_log>"})
    EXPECT_FALSE(parse_query(text)) << text;
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<nvidia_smi_log>";
  EXPECT_FALSE(parse_query(deep));
  auto refused =
      parse_query("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("communicate"), std::string::npos);
}

class NodeGpusTest : public testing::Test {
 protected:
  NodeAnswers answers{std::string(kList), std::string(kQuery), std::string(kInstances),
                      std::string(kCompute)};
  mig::Catalogue catalogue = std::move(mig::Catalogue::built_in().value());
  TimePoint at{std::chrono::seconds(1'800'000'000)};
};

TEST_F(NodeGpusTest, JoinsTheAnswers) {
  auto node = node_gpus(answers, &catalogue, at);
  ASSERT_TRUE(node) << to_line(node.error());
  EXPECT_EQ(node->driver, "575.57.08");
  ASSERT_EQ(node->gpus.size(), 1u);
  const Gpu& gpu = node->gpus[0];
  EXPECT_EQ(gpu.product, ProductKey("H100-80GB-SXM5"));
  EXPECT_EQ(gpu.mig_mode, MigMode::enabled);
  EXPECT_EQ(gpu.strategy, Strategy::mig);
  EXPECT_EQ(gpu.origin, (Origin{Source::nvidia_smi, at}));
  ASSERT_EQ(gpu.slices.size(), 2u);
  EXPECT_EQ(gpu.slices[0].profile, ProfileName("2g.20gb"));
  EXPECT_EQ(gpu.slices[0].placement, (Placement{2, 2}));
  EXPECT_EQ(gpu.slices[0].told_held, std::nullopt) << "no program: a scheduler may have given it away";
  EXPECT_EQ(gpu.slices[1].instance_id, 2);
  EXPECT_EQ(gpu.slices[1].told_held, true);
  EXPECT_EQ(gpu.slices[1].memory_used, Mib{298});
  EXPECT_EQ(gpu.slices[1].compute, (std::vector<ComputeInstance>{{0, ProfileName("3g.40gb")}}));
  ASSERT_EQ(node->devices.size(), 2u);
  EXPECT_EQ(node->devices[0].instance, 2);
  EXPECT_EQ(node->devices[0].uuid, "MIG-7089d0f3-293f-58c9-8f8c-5ea666eedbde");
  EXPECT_EQ(node->boards[0].clients.size(), 1u);
  auto layout = mig::observed_layout(*catalogue.by_key("H100-80GB-SXM5"), gpu);
  ASSERT_TRUE(layout);
  EXPECT_EQ(mig::to_text(*catalogue.by_key("H100-80GB-SXM5"), *layout), "2g.20gb@2,3g.40gb@4");
}

TEST_F(NodeGpusTest, AnswersThatDoNotFitAreNotBelieved) {
  auto with = [&](std::string NodeAnswers::*which, std::string_view from, std::string_view to) {
    NodeAnswers changed = answers;
    std::string& text = changed.*which;
    text.replace(text.find(from), from.size(), to);
    return node_gpus(changed, &catalogue, at);
  };
  EXPECT_FALSE(with(&NodeAnswers::instances, "|   0  MIG 3g", "|   1  MIG 3g"));
  EXPECT_FALSE(with(&NodeAnswers::compute, "|   0      2 ", "|   0      5 "));
  EXPECT_FALSE(with(&NodeAnswers::query, "<compute_instance_id>0", "<compute_instance_id>1"));
  EXPECT_FALSE(with(&NodeAnswers::query, "<current_mig>Enabled", "<current_mig>Disabled"));
  EXPECT_FALSE(with(&NodeAnswers::list, "UUID: GPU-b", "UUID: GPU-c"));
  EXPECT_FALSE(with(&NodeAnswers::list,
                    "  MIG 2g.20gb     Device  1: (UUID: MIG-56c30729-347f-5dd6-8da0-c3cc59e969e0)\n", ""));
  NodeAnswers more = answers;  // a GPU that came back between the two questions
  const std::size_t begin = more.query.find("<gpu id="), end = more.query.find("</gpu>") + 6;
  std::string second = more.query.substr(begin, end - begin);
  second.replace(second.find("GPU-b"), 5, "GPU-d");
  more.query.insert(end, second);
  EXPECT_FALSE(node_gpus(more, &catalogue, at));
  NodeAnswers denied = answers;
  denied.instances = "Insufficient Permissions\n";
  auto refused = node_gpus(denied, &catalogue, at);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("root"), std::string::npos);
  auto pending = with(&NodeAnswers::query, "<pending_mig>Enabled", "<pending_mig>Disabled");
  ASSERT_TRUE(pending) << to_line(pending.error());
  EXPECT_EQ(pending->gpus[0].mig_mode, MigMode::disable_pending);
}

constexpr const char* kPmonHead =
    "# gpu         pid   type     sm    mem    enc    dec    command\n"
    "# Idx           #    C/G      %      %      %      %    name\n";

TEST(ParsePmon, EachProcessHasItsUseAndWithoutASampleNone) {
  auto use = parse_process_use(std::string(kPmonHead) +
                               "    0        585     C     37     12      -      -    python3 -u\n"
                               "    0        586     C      0      0      -      -    python3\n"
                               "    1        700     C      -      -      -      -    nvtop\n"
                               "    2          -     -      -      -      -      -    -\n");
  ASSERT_TRUE(use) << to_line(use.error());
  EXPECT_EQ(*use, (ProcessUse{{{0, 585}, Percent{37}}, {{0, 586}, Percent{0}}, {{1, 700}, std::nullopt}}));
}

TEST(ParsePmon, WhatIsNoListingIsAnErrorAndNoUse) {
  for (const std::string& text :
       {std::string(), std::string("Failed to initialize NVML: Unknown Error\n"),
        std::string("# gpu pid type mem command\n 0 585 C 37 python3\n"),
        kPmonHead + std::string("    0        585     C    137     12      -      -    x\n"),
        kPmonHead + std::string("    0        585\n"),
        kPmonHead + std::string("    0  99999999999999999999  C 3\n"),
        kPmonHead + std::string("    \x1b[31m        585     C    37     12      -      -    x\n")}) {
    auto use = parse_process_use(text);
    EXPECT_FALSE(use) << text;
    if (!use) EXPECT_EQ(to_line(use.error()).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::nvidia
