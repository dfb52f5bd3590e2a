// The stand-in for nvidia-smi as a program: the file that keeps its GPUs, the folder of their devices, and
// what it reads.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "backends/sim/mig_parted.hpp"
#include "backends/sim/smi/parted.hpp"
#include "backends/sim/smi/smi.hpp"
#include "engine/yaml.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/driver_tables.hpp"
#include "tests/support/words.hpp"

namespace tessera::sim {
namespace smi_files_test {

using test::words;
namespace fs = std::filesystem;

Machine machine_in_file(std::string_view spec) {
  return make_machine(spec, 580, test::catalogue(), "a node").value();
}

class SmiFiles : public testing::Test {
 protected:
  SmiFiles() {
    char name[] = "/tmp/tsr-smi-XXXXXX";
    here = mkdtemp(name);
    file = here / "gpus.yaml";
  }
  ~SmiFiles() override { fs::remove_all(here); }
  SmiAnswer play(std::string_view text) {
    std::vector<std::string> all{"--state", file.string()};
    for (std::string& word : words(text)) all.push_back(std::move(word));
    return play_smi(all, test::catalogue());
  }
  bool has(const std::string& device) { return fs::is_symlink(here / "dev" / device); }

  fs::path here, file;
};

TEST_F(SmiFiles, AFileKeepsTheGpusAndAFolderTheirDevices) {
  ASSERT_EQ(play("--new h100:2,A30 --driver 535 --devices " + (here / "dev").string()).err, "");
  EXPECT_TRUE(has("nvidia0"));
  EXPECT_TRUE(has("nvidia2"));
  EXPECT_EQ(play("-- -i 1 -mig 1").exit_code, 0);
  ASSERT_EQ(play("-- mig -i 1 -cgi 9 -C").exit_code, 0);
  // GPU 1, instance 2: 3 + (15 + 2) * 9, and its compute instance behind it.
  EXPECT_TRUE(has("nvidia-caps/nvidia-cap156"));
  EXPECT_TRUE(has("nvidia-caps/nvidia-cap157"));
  std::ifstream stream(here / "dev" / "mig-minors");
  const test::Minors minors = test::minors_of({std::istreambuf_iterator<char>(stream), {}});
  EXPECT_EQ(minors.at({1, 2, std::nullopt}), 156);
  EXPECT_EQ(minors.at({1, 2, 0}), 157);
  EXPECT_EQ(play("--hold 1 2 -- mig -i 1 -dci").exit_code, 19);
  EXPECT_EQ(play("--release 1 2 -- mig -i 1 -dci").exit_code, 0);
  EXPECT_FALSE(has("nvidia-caps/nvidia-cap157"));
  EXPECT_TRUE(has("nvidia-caps/nvidia-cap156"));
  EXPECT_EQ(play("-- mig -i 1 -dgi").exit_code, 0);
  EXPECT_FALSE(has("nvidia-caps/nvidia-cap156"));
  EXPECT_EQ(play("-- mig -i 1 -cgi 9 -C").exit_code, 0);
  EXPECT_EQ(play("--reboot").exit_code, 0);
  EXPECT_FALSE(has("nvidia-caps/nvidia-cap156")) << "Hopper comes up whole";
  EXPECT_EQ(play("-- -L").out.find("MIG"), std::string::npos);
}

TEST_F(SmiFiles, MigPartedActsOnTheSameFile) {
  ASSERT_EQ(play("--new h100:1 --devices " + (here / "dev").string()).err, "");
  const std::string config = (here / "c.yaml").string();
  std::ofstream(config) << "version: v1\nmig-configs: {c: [{devices: all, mig-enabled: true, mig-devices: "
                           "{7g.80gb: 1}}]}\n";
  auto parted = [&](const std::string& text) {
    return play_parted("", words("--state " + file.string() + " " + text), TimePoint{});
  };
  EXPECT_EQ(parted("apply -f " + config + " -c c").err, "");
  EXPECT_NE(play("-- -L").out.find("MIG 7g.80gb"), std::string::npos);
  EXPECT_TRUE(has("nvidia-caps/nvidia-cap3"));
  // Faults strike it as they do nvidia-smi, once each, and what was cut stays.
  const std::string apply = "apply -f " + config + " -c c";
  for (const char* fault : {"hang verb=apply", "unknown verb=apply nth=2"})
    EXPECT_EQ(play_smi({"--state", file.string(), "--fault", fault}, test::catalogue()).exit_code, 0);
  EXPECT_TRUE(parted(apply).hangs);
  SmiAnswer failed = parted(apply);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("error initializing NVML: Unknown Error"), std::string::npos) << failed.err;
  EXPECT_NE(play("-- -L").out.find("MIG 7g.80gb"), std::string::npos);
  EXPECT_EQ(parted(apply).exit_code, 0);
  EXPECT_NE(parted("apply -f " + config + ".not -c c").err.find("No such file"), std::string::npos);
  EXPECT_EQ(play_parted("", {"export"}, TimePoint{}).exit_code, 2);
  EXPECT_EQ(play_parted((here / "none").string(), {"export"}, TimePoint{}).exit_code, 255);
}

// A lab starts the stand-in for each call: it reads no product that its node does not have.
TEST_F(SmiFiles, ACallReadsTheProductsOfItsFileAlone) {
  const auto read = [](const std::string& text) {
    const mig::Catalogue part = products_of(parse_yaml(text, "gpus.yaml").value()).value();
    std::string keys;
    for (const mig::Product& product : part.products()) keys += product.key.text + " ";
    return keys;
  };
  EXPECT_EQ(read(to_text(machine_in_file("h100:3,A30"))), "A30-24GB H100-80GB-SXM5 ");
  // A person may have written a name that the catalogue takes for a product all the same.
  std::ofstream(file) << "version: 1\ngpus: [{product: h100-80gb-sxm5, uuid: GPU-a, pci: 0:0}]\n";
  EXPECT_EQ(play("-- -L").out, "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-a)\n");
  std::ofstream(file) << "version: 1\ngpus: [{product: H1000, uuid: GPU-a, pci: 0:0}]\n";
  EXPECT_NE(play("-- -L").err.find("a key of the catalogue is expected"), std::string::npos);
}

TEST_F(SmiFiles, RefusesWhatItCannotDo) {
  EXPECT_EQ(play("-- -L").exit_code, 255) << "there is no file yet";
  EXPECT_EQ(play("--new nonsense:2").exit_code, 2);
  EXPECT_EQ(play("--new h100:99").exit_code, 2);
  EXPECT_EQ(play("--new h100").exit_code, 0);
  EXPECT_EQ(play("--new h100").exit_code, 2) << "it exists";
  EXPECT_EQ(play("--hold 1").exit_code, 2);
  EXPECT_EQ(play("--hold 0 3").exit_code, 2);
  EXPECT_EQ(play("--fault nonsense").exit_code, 2);
  EXPECT_EQ(play("--driver 1").exit_code, 2);
  EXPECT_EQ(play("--what").exit_code, 2);
  EXPECT_EQ(play_smi({"--new", "h100"}, test::catalogue()).exit_code, 2);
  for (const char* text :
       {"version: 2\ngpus: []\n", "gpus: []\n", "version: 1\n", "version: 1\ngpus: [{product: X}]\n",
        "version: 1\ngpus:\n  - {product: H100-80GB-SXM5, uuid: a, pci: b, mode: enabled, instances: "
        "[{profile: 7g.80gb, start: 0, id: 0}, {profile: 1g.10gb, start: 0, id: 7}]}\n"}) {
    auto broken = parse_machine(text, "gpus.yaml", test::catalogue());
    ASSERT_FALSE(broken) << text;
    EXPECT_NE(broken.error().reason.find("gpus.yaml:"), std::string::npos);
  }
}

}  // namespace smi_files_test
}  // namespace tessera::sim
