// Xids, ECC errors and remapped rows in people's and programs' own words.
#include "engine/insight/hardware.hpp"

#include <gtest/gtest.h>

namespace tessera::insight {
namespace {

TEST(Hardware, AnXidIsFoundHoweverItIsWritten) {
  EXPECT_EQ(xid_in("Xid 79"), 79);
  EXPECT_EQ(xid_in("GPU 3: XID=94, see ticket 12"), 94);
  EXPECT_EQ(xid_in("NVRM: Xid (PCI:0000:3b:00): 48, pid=1234, name=python"), 48);
  EXPECT_EQ(xid_in("gpu-0 (gpu.nvidia.com/xid=79:NoSchedule)"), 79);
  EXPECT_EQ(xid_in("xid: 119"), 119);
  EXPECT_EQ(xid_in("GpuXid 63"), 63);
  for (const char* none : {"", "xid", "Xid ", "oxide 79", "taxid 5", "xid 99999", "Xid (PCI:0000:3b:00)"})
    EXPECT_EQ(xid_in(none), std::nullopt) << none;
}

TEST(Hardware, EachKnownXidSaysWhatToDoAndOthersWhereToLook) {
  EXPECT_EQ(hardware_advice("Xid 79"),
            "Xid 79: the GPU has fallen off the bus: power-cycle the node, and look at power, seating and "
            "temperature where that comes back");
  EXPECT_NE(hardware_advice("XID 95 on GPU 2").find("close the node and reset the GPU"), std::string::npos);
  EXPECT_NE(hardware_advice("Xid 7").find("NVIDIA's Xid catalog"), std::string::npos);
}

TEST(Hardware, EccAndRemappedRowsAreKnownWithoutAnXid) {
  EXPECT_NE(hardware_advice("row remap pending on GPU 4").find("reset the GPU once it is empty"),
            std::string::npos);
  EXPECT_NE(hardware_advice("Row remapping failure").find("replace it"), std::string::npos);
  EXPECT_NE(hardware_advice("uncorrectable ECC errors").find("nvidia-smi -q -d ECC"), std::string::npos);
  EXPECT_EQ(hardware_advice("fan failure, ticket 123"), "");
  EXPECT_EQ(hardware_advice("spec recce"), "");
}

TEST(Hardware, AResetIsTheWayOutOfWhatTheGpuHasAndNotOfWhatAProgramDid) {
  for (const char* yes :
       {"Xid 63", "Xid 95 on GPU 2", "XID 119", "row remap pending on GPU 4", "uncorrectable ECC errors"})
    EXPECT_TRUE(reset_helps(yes)) << yes;
  for (const char* no : {"", "fans are loud", "Xid 13", "Xid 31", "Xid 64", "Xid 79", "Xid 43",
                         "row remapping failure", "GPU has fallen off the bus"})
    EXPECT_FALSE(reset_helps(no)) << no;
}

TEST(Hardware, TheGpuOfATextIsFoundWhereItNamesExactlyOne) {
  for (const char* three :
       {"GPU 3: Xid 63", "Xid 63 on gpu3", "row remap pending, GPU #3", "GPU 3 and again GPU 3", "GPU=3"})
    EXPECT_EQ(gpu_in(three), 3) << three;
  for (const char* none :
       {"", "Xid 63", "GPU 3 and GPU 4", "GPU 2,5", "GPU 2-5", "GPU 2 and 5", "GPU: 3 ECC errors",
        "gpu:h100:8", "GPU 0000:3b:00.0", "GPU h100", "ggpu 3", "GPU 1234", "GPU", "GPU ", "GPU 3rd"})
    EXPECT_FALSE(gpu_in(none)) << none;
}

}  // namespace
}  // namespace tessera::insight
