// The console shows the cluster that --cluster names, and no other one.
#include <gtest/gtest.h>

#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

class Named final : public Backend {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  ClusterName name() const override { return ClusterName(name_); }
  void start(EventSink&) override {}
  void set_pace(Pace) override {}
  void refresh() override {}

 private:
  std::string name_;
};

struct Shown {
  int code = -1;
  std::string names, err;
};

// Two clusters, the first of which has an exporter beside its scheduler.
Shown console(std::vector<std::string> arguments) {
  test::Box box;
  std::ostringstream out, err;
  Shown shown;
  const auto open = [](const Options&, const mig::Catalogue&) {
    Opening opening;
    for (const char* name : {"hpc", "hpc", "prod"}) opening.backends.push_back(std::make_unique<Named>(name));
    return opening;
  };
  const auto show = [&](const Options&, const mig::Catalogue&, std::span<const BackendPtr> backends,
                        plan::Runs*) {
    for (const BackendPtr& one : backends) shown.names += one->name().text + " ";
    return 0;
  };
  Joins joins{box, box, open, show, [] { return test::at(0); }, {}, true};
  shown.code = run(arguments, {}, joins, Streams{out, err});
  shown.err = err.str();
  return shown;
}

TEST(ConsoleCluster, OnlyTheNamedClusterIsShown) {
  EXPECT_EQ(console({}).names, "hpc hpc prod ");
  EXPECT_EQ(console({"-c", "prod"}).names, "prod ");
  EXPECT_EQ(console({"--cluster", "hpc"}).names, "hpc hpc ") << "with what measures it";
}

TEST(ConsoleCluster, AClusterThatIsNotHereIsRefusedWithThoseThatAre) {
  const Shown shown = console({"-c", "prodd"});
  EXPECT_EQ(shown.code, kUsage);
  EXPECT_EQ(shown.names, "");
  EXPECT_NE(shown.err.find("no such cluster: \"prodd\""), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find("clusters here: hpc, prod"), std::string::npos) << shown.err;
}

}  // namespace
}  // namespace tessera::cli
