// What doctor ends with: a script that asks it must not take half an answer for health.
#include "tui/cli/doctor.hpp"

#include <gtest/gtest.h>

#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::doctor_story {
namespace {

struct Doctor {
  std::vector<Remark> remarks;
  bool loads = true;
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "doctor";
    options.output = OutputFormat::json;
    options.timeout = Duration(1500);
    test::Box box;
    auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      auto backend = std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::uncut(0, 0)})}, std::vector<Workload>{});
      backend->remarks = remarks;
      backend->loads = loads;
      opening.backends.push_back(std::move(backend));
      return opening;
    };
    int asked = 0;  // a second goes by from one look at the clock to the next
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
    return run_doctor(options, test::catalogue(), joins, Streams{out, err});
  }
};

TEST(DoctorEnds, WithZeroWhereNothingNeedsAttention) {
  Doctor doctor;
  EXPECT_EQ(doctor.run(), kDone) << doctor.out.str();
  doctor.remarks = {{Remark::Grade::info, "slurm.conf", false, "a word by the way", ""}};
  EXPECT_EQ(doctor.run(), kDone) << doctor.out.str();
}

TEST(DoctorEnds, WithAFindingWhereThereIsAWarning) {
  Doctor doctor;
  doctor.remarks = {{Remark::Grade::warning, "slurm.conf", false, "nodes differ", ""}};
  EXPECT_EQ(doctor.run(), kFinding) << doctor.out.str();
  doctor.remarks[0].grade = Remark::Grade::danger;
  EXPECT_EQ(doctor.run(), kFinding) << doctor.out.str();
}

TEST(DoctorEnds, AsUnknownWhereAClusterDidNotTellAllInTime) {
  Doctor doctor;
  doctor.loads = false;
  EXPECT_EQ(doctor.run(), kUnknown);
  EXPECT_NE(doctor.err.str().find("no complete answer"), std::string::npos) << doctor.err.str();
  EXPECT_EQ(doctor.out.str(), "");
}

}  // namespace
}  // namespace tessera::cli::doctor_story
