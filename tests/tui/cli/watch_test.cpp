// --watch with a script for a cluster: what it says while sources fail and come back, and how it leaves.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <sstream>

#include "tests/tui/cli/silent_backend.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/list.hpp"

namespace tessera::cli {
namespace watch_test {

using test::on_hpc;

// Each take() is one act of the play; after the last one the reader has left.
class Script final : public EventSource {
 public:
  explicit Script(std::ostream& out) : out_(out), fd_(eventfd(1, EFD_NONBLOCK)) {}
  ~Script() override { close(fd_); }
  int wake_fd() const override { return fd_; }
  std::vector<Event> take() override {
    if (acts.empty()) {
      out_.setstate(std::ios::badbit);
      return {};
    }
    std::vector<Event> act = std::move(acts.front());
    acts.pop_front();
    return act;
  }

  std::deque<std::vector<Event>> acts;

 private:
  std::ostream& out_;
  int fd_;
};

class Unheard final : public EventSink {
  void post(Event) override {}
};

Event report(std::optional<Error> failure) {
  return on_hpc(SourceReport{Source::slurm_nodes, std::move(failure), Duration(5)});
}

std::size_t times(const std::string& text, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

TEST(Watch, ASourceThatFailsLaterIsToldOnceUntilItIsWellAgain) {
  std::ostringstream out, err;
  Script script(out);
  const Error down{"scontrol failed", "no answer", "is slurmctld running?"};
  const Error other{"scontrol failed", "permission denied", ""};
  script.acts = {{on_hpc(NodesListed{{test::node("n1", {})}}), report(std::nullopt), on_hpc(Loaded{})},
                 {report(down)},
                 {report(down)},
                 {report(other)},
                 {report(std::nullopt)},
                 {report(down)}};
  Unheard sink;
  const mig::Catalogue catalogue;
  auto open = [](const Options&, const mig::Catalogue&) {
    Opening opening;
    opening.backends.push_back(std::make_unique<test::SilentBackend>());
    return opening;
  };
  Options options;
  options.command = "nodes";
  options.watch = true;
  Joins joins{script, sink, open, {}, [] { return test::at(0); }, {}, false};
  EXPECT_EQ(run_list(options, catalogue, joins, Streams{out, err}), 0);
  EXPECT_NE(out.str().find("n1"), std::string::npos);
  EXPECT_EQ(times(err.str(), "hpc: scontrol failed: no answer"), 2u) << err.str();
  EXPECT_EQ(times(err.str(), "permission denied"), 1u) << err.str();
}

// An answer that could be read in part is printed, and nothing of it passes for the whole.
TEST(Watch, AListThatIsNotWholeIsSaidSoAndEndsWith3) {
  auto run = [](const std::string& command, std::vector<Event> told, std::string& out, std::string& err) {
    std::ostringstream to, complaints;
    Script script(to);
    script.acts = {std::move(told)};
    Unheard sink;
    const mig::Catalogue catalogue;
    auto open = [](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(std::make_unique<test::SilentBackend>());
      return opening;
    };
    Options options;
    options.command = command;
    options.output = OutputFormat::wide;
    Joins joins{script, sink, open, {}, [] { return test::at(0); }, {}, false};
    int code = run_list(options, catalogue, joins, Streams{to, complaints});
    out = to.str();
    err = complaints.str();
    return code;
  };
  auto jobs = [](std::optional<Error> failure, std::string note, bool incomplete) {
    return std::vector<Event>{on_hpc(NodesListed{{test::node("n1", {})}}), report(std::nullopt),
                              on_hpc(SourceReport{Source::slurm_jobs, std::move(failure), Duration(5),
                                                  std::move(note), incomplete}),
                              on_hpc(Loaded{})};
  };
  const Error refused{"cannot list the jobs", "scontrol ended with status 1", ""};
  std::string out, err;
  EXPECT_EQ(run("nodes", jobs(std::nullopt, "", false), out, err), kDone) << err;
  EXPECT_EQ(err, "");
  for (const char* command : {"nodes", "workloads"}) {
    EXPECT_EQ(run(command, jobs(std::nullopt, "line 2: the record of job 8 is cut short", true), out, err),
              kUnknown);
    EXPECT_NE(err.find("hpc: scontrol show job: not all of it could be read: line 2: the record of job 8"),
              std::string::npos)
        << err;
    EXPECT_EQ(run(command, jobs(refused, "", false), out, err), kUnknown);
    EXPECT_NE(err.find("cannot list the jobs: scontrol ended with status 1"), std::string::npos) << err;
  }
  EXPECT_EQ(run("nodes", jobs(refused, "", false), out, err), kUnknown);
  std::string head = out.substr(0, out.find('\n')), row = out.substr(out.find('\n') + 1);
  const std::size_t work = head.find("WORK") + 3;
  ASSERT_LT(work, row.size());
  EXPECT_EQ(row[work], '?') << out;
  // Nodes that could not be read are missing from it.
  std::vector<Event> few{on_hpc(NodesListed{{test::node("n1", {})}}),
                         on_hpc(SourceReport{Source::slurm_nodes, std::nullopt, Duration(5),
                                             "line 9: the record of n2 is cut short", true}),
                         on_hpc(SourceReport{Source::slurm_jobs, std::nullopt, Duration(5), "", false}),
                         on_hpc(Loaded{})};
  EXPECT_EQ(run("nodes", few, out, err), kUnknown);
  EXPECT_NE(err.find("the record of n2 is cut short"), std::string::npos) << err;
  // Jobs that a site hides from others are no broken answer.
  EXPECT_EQ(run("nodes", jobs(std::nullopt, "PrivateData=jobs: hidden", false), out, err), kDone);
  EXPECT_NE(err.find("PrivateData=jobs: hidden"), std::string::npos) << err;
}

extern "C" void wake(int) {}

TEST(Watch, AReaderThatStallsCannotHoldWhatHasToLeave) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  struct sigaction waking {
  }, before{};
  waking.sa_handler = wake;
  ASSERT_EQ(sigaction(SIGALRM, &waking, &before), 0);
  const itimerval often{{0, 5000}, {0, 5000}}, never{};
  int asked = 0;
  {
    DescriptorBuffer buffer(ends[1], [&] { return ++asked > 2; });
    std::ostream out(&buffer);
    setitimer(ITIMER_REAL, &often, nullptr);
    out << std::string(1 << 20, 'x') << std::flush;
    setitimer(ITIMER_REAL, &never, nullptr);
    EXPECT_EQ(buffer.failure(), EINTR);
    EXPECT_FALSE(out.good());
  }
  EXPECT_EQ(asked, 3);
  sigaction(SIGALRM, &before, nullptr);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace watch_test
}  // namespace tessera::cli
