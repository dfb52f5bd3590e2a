// Findings in a recording are those that the console and the doctor list.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "engine/json.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/cli/record_options.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/record/record.hpp"

namespace tessera::cli::record_story {
namespace {

class KeepingTape final : public record::Tape {
 public:
  explicit KeepingTape(std::string& lines) : lines_(lines) {}
  bool wants_key(TimePoint) const override { return true; }
  Status write(std::string_view text, TimePoint, bool) override {
    lines_ += text;
    return Done{};
  }

 private:
  std::string& lines_;
};

// A node that is drained, and a job that asks for two MIG instances: the second is no word of any source.
std::vector<Node> nodes() {
  Node drained = test::node("n1", {test::uncut(0, 0)});
  drained.health = Health::drained;
  drained.reason = "dimm";
  return {drained, test::node("n2", {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})})};
}
std::vector<Workload> work() {
  Workload two = test::waiting("7", "alice", "gpu:1g.10gb");
  two.requests.front().count = 2;
  return {two};
}

Opening standing() {
  Opening opening;
  opening.backends.push_back(std::make_unique<test::StandingBackend>(nodes(), work()));
  return opening;
}

std::set<std::string> recorded(const Options& options) {
  test::Box box;
  int now = 0;
  std::string lines;
  Joins joins{box,
              box,
              [](const Options&, const mig::Catalogue&) { return standing(); },
              {},
              [&] { return test::at(++now); },
              {},
              false};
  joins.tape = [&](const std::string&, const ClusterName&,
                   record::Keep) -> Result<std::unique_ptr<record::Tape>> {
    return std::unique_ptr<record::Tape>(std::make_unique<KeepingTape>(lines));
  };
  std::ostringstream out, err;
  EXPECT_EQ(run_record(options, test::catalogue(), joins, Streams{out, err}), kDone) << err.str();
  std::set<std::string> found;
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) {
    const auto json = parse_json(line, "line");
    if (const Json* finding = json ? json->find("finding") : nullptr) found.insert(finding->text);
  }
  return found;
}

TEST(RecordedFindings, AreThoseThatTheDoctorLists) {
  const Options options = record_options();
  Model model;
  test::Box box;
  standing().backends.front()->start(box);
  for (const Event& event : box.take()) reduce(model, event);
  std::set<std::string> listed;
  for (const insight::Finding& one :
       doctor_findings(model, model.clusters.front(), test::catalogue(), options, test::at(1)))
    listed.insert(one.subject + ": " + (one.cause.empty() ? one.text : one.cause));
  const std::set<std::string> found = recorded(options);
  EXPECT_EQ(found, listed);
  EXPECT_TRUE(found.contains("n1: drained, no workload on it: dimm"));
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const std::string& one) {
    return one.starts_with("job 7: asks for 2 MIG instances");
  })) << "a habit of work, which no source tells";
}

}  // namespace
}  // namespace tessera::cli::record_story
