// Machines that two schedulers hand out, in a sentence.
#include "engine/insight/shared_machines.hpp"

#include <gtest/gtest.h>

namespace tessera::insight {
namespace {

SharedMachine machine(const std::string& node) {
  SharedMachine one;
  one.slurm = ClusterName("hpc"), one.kubernetes = ClusterName("prod");
  one.kubernetes_node = NodeName(node);
  one.free_in_both = 2;
  return one;
}

// A row that is cut to the terminal's width held names alone.
TEST(SharedMachines, NamesThatDoNotFoldLeaveRoomForTheSentence) {
  std::vector<SharedMachine> machines;
  for (const char* node :
       {"ip-10-2-33-101.ec2.internal", "ip-10-7-2-9.ec2.internal", "ip-10-4-91-17.ec2.internal"})
    machines.push_back(machine(node));
  EXPECT_EQ(
      shared_lines(machines),
      std::vector<std::string>{"ip-10-2-33-101.ec2.internal and 2 more: hpc and prod hand out the same GPUs, "
                               "and 6 free slices stand in the rows of both"});
  EXPECT_EQ(shared_lines({machine("n1"), machine("n2")}).front().substr(0, 8), "n[1-2]: ");
}

// Nothing was said of it, as if both had none free.
TEST(SharedMachines, OneOfWhichItIsNotKnownIsNamedAndAddsNothing) {
  SharedMachine untold = machine("n3"), none = machine("n4");
  untold.free_in_both.reset();
  none.free_in_both = 0;
  EXPECT_EQ(
      shared_lines({untold, none}),
      std::vector<std::string>{"n3: hpc and prod hand out the same GPUs, and how many free slices stand "
                               "in the rows of both is not known"});
  EXPECT_EQ(shared_lines({machine("n1"), untold}).front(),
            "n1: hpc and prod hand out the same GPUs, and 2 free slices stand in the rows of both");
  EXPECT_EQ(shared_lines({machine("n1"), untold}).size(), 2u);
}

}  // namespace
}  // namespace tessera::insight
