// Our reading and writing of Slurm's files held against the real programs: scontrol, patch and bash. They
// need no running cluster.
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <regex>
#include <set>

#include "backends/process.hpp"
#include "engine/hostlist.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/slurmconf/document.hpp"
#include "engine/slurmconf/generate.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurmconf {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

class SlurmconfReal : public testing::Test {
 protected:
  ~SlurmconfReal() override { worker_.stop(); }

  Outcome run(Strings argv, std::map<std::string, std::string> environment = {}, std::string input = "") {
    Command command;
    command.argv = std::move(argv);
    command.environment = std::move(environment);
    command.unset = {"SLURM_CLUSTERS", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"};
    command.input = std::move(input);
    auto promise = std::make_shared<std::promise<Result<Outcome>>>();
    auto future = promise->get_future();
    worker_.post([this, promise, command = std::move(command)] {
      processes_.run(command, [promise](Result<Outcome> result) { promise->set_value(std::move(result)); });
    });
    if (future.wait_for(test::kPatience) != std::future_status::ready) return {};
    auto result = future.get();
    EXPECT_TRUE(result) << to_line(result.error());
    return result ? *result : Outcome{};
  }

  Outcome scontrol(const std::string& conf, const std::string& hosts) {
    return run({"scontrol", "show", "hostlist", hosts}, {{"SLURM_CONF", conf}});
  }

  static bool missing(const char* program) { return !find_program(program); }

  test::Scratch scratch_;
  Worker worker_;
  Processes processes_{worker_};
};

const std::string kConf = "ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\n";

std::string pick(std::mt19937& random, const Strings& parts) { return parts[random() % parts.size()]; }

TEST_F(SlurmconfReal, FoldsAsScontrolDoes) {
  if (missing("scontrol")) GTEST_SKIP() << "no scontrol";
  const std::string conf = scratch_.write("slurm.conf", kConf);
  std::mt19937 random(20261122);
  const Strings starts{"n", "n", "n", "gpu", "r1-n", "a0b", ""};
  const Strings tails{"",   "-ib", "0",  "1",  "2",   "3",   "4",   "9",    "10",  "11",
                      "01", "02",  "08", "09", "099", "100", "101", "0999", "1000"};
  for (int round = 0; round < 150; ++round) {
    Strings names;
    std::string list;
    for (std::size_t count = 1 + random() % 12; names.size() < count;) {
      std::string name = pick(random, starts) + pick(random, tails);
      if (name.empty() || name == "-ib") continue;
      list += (names.empty() ? "" : ",") + name;
      names.push_back(std::move(name));
    }
    EXPECT_EQ(fold_hosts(names) + "\n", scontrol(conf, list).out) << list;
  }
  // Long runs, with the count of digits growing on the way.
  Strings many;
  std::string list;
  for (int i = 95; i < 12'000; ++i)
    if (i % 7 != 0 || i % 2 == 0) many.push_back("node" + std::to_string(i));
  for (const std::string& name : many) list += name + "\n";
  const std::string file = scratch_.write("names", list);
  EXPECT_EQ(fold_hosts(many) + "\n", scontrol(conf, file).out);
}

// The lines that scontrol refuses are those that we call odd; nothing else is.
TEST_F(SlurmconfReal, LinesAreOddWhereScontrolRefusesThem) {
  if (missing("scontrol")) GTEST_SKIP() << "no scontrol";
  std::mt19937 random(7);
  const Strings parts{"NodeName=a", "NodeName=b[1-3]",
                      "Feature=x",  "Feature=\"x y\"",
                      "Feature=\"", "gres =gpu:1",
                      "Gres=",      "Gres= ",
                      "MailProg=m", "word",
                      "\\",         "\\\\",
                      "#",          " ",
                      "\t",         "\"",
                      "\\#",        "\r",
                      " \\\n",      "=",
                      "Reason=a#b", "\n",
                      "\n",         "\n"};
  const std::regex told(R"(Parse error in file \S+ line (\d+):)");
  int refused = 0, compared = 0;
  for (int round = 0; round < 150; ++round) {
    std::string text = kConf;
    for (std::size_t count = random() % 14; count > 0; --count)
      text += pick(random, parts) + (random() % 3 == 0 ? " " : "");
    std::string answer = scontrol(scratch_.write("slurm.conf", text), "n1").err;
    // A setting that Slurm does not know is another fault than a line that cannot be read.
    if (answer.find("unrecognized key") != std::string::npos) continue;
    ++compared;
    std::set<int> theirs, ours;
    for (std::sregex_iterator it(answer.begin(), answer.end(), told), end; it != end; ++it)
      theirs.insert(std::stoi((*it)[1]));
    for (const Line& line : parse({"slurm.conf", text}).lines)
      if (!line.odd.empty()) ours.insert(line.number);
    EXPECT_EQ(theirs, ours) << text << "\n" << answer;
    refused += theirs.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 20) << "the lines were too tame to show anything";
  EXPECT_GT(compared - refused, 10);
}

TEST_F(SlurmconfReal, PatchTakesOurDiffs) {
  if (missing("patch")) GTEST_SKIP() << "no patch";
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::string before, after;
    for (int i = 0; i < 60; ++i) {
      std::string line = "line " + std::to_string(random() % 20) + (i == 59 && random() % 2 ? "" : "\n");
      if (random() % 12 != 0) before += line;
      if (random() % 12 != 0) after += line;
    }
    if (before == after || before.empty() || after.empty()) continue;
    const std::string path = scratch_.write("file", before);
    Outcome patched =
        run({"patch", "-s", "-o", "-", path}, {}, unified_diff(File{"a", before}, File{"b", after}));
    EXPECT_EQ(patched.exit_code, 0) << patched.err;
    EXPECT_EQ(patched.out, after);
  }
}

class MpsScriptsReal : public SlurmconfReal {
 protected:
  // Answers as nvidia-cuda-mps-control does, with a file for its daemon.
  MpsScriptsReal() {
    const std::string control =
        scratch_.write("bin/nvidia-cuda-mps-control",
                       "#!/bin/bash\n"
                       "daemon=$CUDA_MPS_PIPE_DIRECTORY/daemon\n"
                       "[ -z \"$CUDA_MPS_ACTIVE_THREAD_PERCENTAGE\" ] || exit 9\n"
                       "if [ \"$1\" = -d ]; then [ ! -e \"$daemon\" ] || exit 1; : > \"$daemon\"; exit; fi\n"
                       "[ -e \"$daemon\" ] || exit 1\n"
                       "read -r word; [ \"$word\" != quit ] || rm \"$daemon\"\n");
    EXPECT_EQ(run({"chmod", "+x", control}).exit_code, 0);
  }
  Outcome script(const std::string& text, std::map<std::string, std::string> environment,
                 Strings arguments = {}) {
    environment["PATH"] = scratch_.path() + "/bin:" + getenv("PATH");
    environment["TMPDIR"] = scratch_.path();
    Strings argv{"bash", scratch_.write("script", text)};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(argv, environment);
  }
  bool runs() { return run({"test", "-e", scratch_.path() + "/mps/pipe/daemon"}).exit_code == 0; }
};

TEST_F(MpsScriptsReal, TheDaemonLivesAsLongAsJobsNeedIt) {
  if (missing("bash") || missing("flock") || missing("timeout")) GTEST_SKIP() << "no bash, flock or timeout";
  MpsScripts scripts = mps_scripts(scratch_.path() + "/mps");
  auto job = [](const char* id) {
    return std::map<std::string, std::string>{{"SLURM_JOB_ID", id},
                                              {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "25"}};
  };
  EXPECT_EQ(script(scripts.prolog, {{"SLURM_JOB_ID", "1"}}).exit_code, 0);
  EXPECT_FALSE(runs()) << "started for a job without MPS";
  for (const char* id : {"2", "3"}) {
    Outcome prolog = script(scripts.prolog, job(id));
    EXPECT_EQ(prolog.exit_code, 0) << prolog.err;
    EXPECT_TRUE(runs());
  }
  EXPECT_EQ(script(scripts.task_prolog, job("2")).out,
            "export CUDA_MPS_PIPE_DIRECTORY=" + scratch_.path() +
                "/mps/pipe\nexport CUDA_MPS_LOG_DIRECTORY=" + scratch_.path() + "/mps/log\n");
  for (const char* id : {"1", "2"}) EXPECT_EQ(script(scripts.epilog, {{"SLURM_JOB_ID", id}}).exit_code, 0);
  EXPECT_TRUE(runs()) << "job 3 still needs it";
  EXPECT_EQ(script(scripts.epilog, {{"SLURM_JOB_ID", "3"}}).exit_code, 0);
  EXPECT_FALSE(runs());
}

TEST_F(MpsScriptsReal, AJobsOwnDaemonEndsWithIt) {
  if (missing("bash") || missing("mktemp")) GTEST_SKIP() << "no bash or mktemp";
  Outcome job =
      script(mps_scripts("/unused").job, {{"SLURM_JOB_ID", "9"}},
             {"bash", "-c", "ls \"$CUDA_MPS_PIPE_DIRECTORY\"; echo $CUDA_MPS_LOG_DIRECTORY; exit 3"});
  EXPECT_EQ(job.exit_code, 3) << job.err;
  EXPECT_TRUE(job.out.starts_with("daemon\n" + scratch_.path() + "/mps-9.")) << job.out;
  EXPECT_EQ(run({"find", scratch_.path(), "-name", "mps-9.*"}).out, "") << "left behind";
}

}  // namespace
}  // namespace tessera::slurmconf
