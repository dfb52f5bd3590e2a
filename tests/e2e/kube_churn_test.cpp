// A console that is open while pods come, go and change by the thousand.
#include <gtest/gtest.h>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

class KubeChurn : public KubeChangeLab {
 protected:
  int churned() { return std::atoi(do_to_server("GET", "churn", "").c_str()); }
  // Rows of the table that are about that namespace.
  static int rows_of(const Pty& pty, const std::string& name) {
    int count = 0;
    for (int y = 2; y < 42; ++y) count += pty.row(y).find(name) != std::string::npos;
    return count;
  }
};

TEST_F(KubeChurn, KeysAreAnsweredMeanwhileAndTheEndIsThatOfAFreshList) {
  constexpr int kEach = 2000;
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press("5") && pty.wait_for("sft-")) << pty.screen();
  ASSERT_EQ(do_to_server("POST", "churn", std::to_string(kEach) + " 2s come-and-go"), "");
  ASSERT_TRUE(pty.wait_until([&] { return rows_of(pty, "training") > 20; })) << pty.screen();
  for (const auto& [key, name] :
       {std::pair("2", "nodes"), std::pair("3", "gpus"), std::pair("5", "workloads")}) {
    pty.send(key);
    ASSERT_TRUE(pty.wait_until([&, said = std::string("› ") + name] {
      return pty.row(0).find(said) != std::string::npos;
    })) << pty.screen();
  }
  EXPECT_LT(churned(), 2 * kEach) << "the burst was over before the keys were answered";
  do_to_server("POST", "hang-up", "");  // every watch breaks off, and goes on where it was
  do_to_server("POST", "expire", "");   // or, if it was too late, from a fresh list
  ASSERT_TRUE(pty.wait_until([&] { return rows_of(pty, "training") == 1; })) << pty.screen();
  // As a fresh list has it, node by node.
  Ran fresh = run({"workloads", "-o", "json"});
  ASSERT_EQ(json_size(fresh.out), 1u) << fresh.out << fresh.err;
  std::string id = json_at(fresh.out, "/0/id");
  EXPECT_TRUE(pty.has(id.substr(1, id.size() - 2))) << fresh.out << pty.screen();
  ASSERT_TRUE(pty.press("2"));
  for (const char* node : {"h1", "h2", "t1"}) EXPECT_TRUE(pty.has(node)) << pty.screen();
}

}  // namespace
}  // namespace tessera::test
