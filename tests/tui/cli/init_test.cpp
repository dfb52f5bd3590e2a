// `tessera init`: what it asks, of whom, and what it writes.
#include "tui/cli/init/init.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/init/questions.hpp"

namespace tessera::cli::init_story {
namespace {

Model place(Scheduler scheduler, const std::string& version) {
  Model model;
  reduce(model, Event{ClusterName("hpc"), 0, test::at(0),
                      ClusterSeen{scheduler, false, version, "/etc/slurm/slurm.conf", "hpc-1"}});
  return model;
}

std::vector<std::string> names(const std::vector<Question>& list) {
  std::vector<std::string> out;
  for (const Question& one : list) out.emplace_back(one.setting);
  return out;
}

bool asks(const Model& model, const std::string& setting) {
  const auto all = names(questions(model, {}));
  return std::find(all.begin(), all.end(), setting) != all.end();
}

TEST(InitQuestions, AreThoseOfTheSchedulerThatIsHere) {
  EXPECT_TRUE(asks(place(Scheduler::slurm, "slurm 22.05.8"), "slurm-runner"));
  EXPECT_FALSE(asks(place(Scheduler::slurm, "slurm 22.05.8"), "platform"));
  EXPECT_TRUE(asks(place(Scheduler::kubernetes, "v1.31.4"), "platform"));
  EXPECT_FALSE(asks(place(Scheduler::kubernetes, "v1.31.4"), "slurm-runner"));
}

// From 23.11 a reconfigure is enough; a version that cannot be read asks rather than not.
TEST(InitQuestions, RestartCommandsOnlyWhereSlurmNeedsThem) {
  for (const char* old : {"slurm 21.08.0", "slurm 22.05.8", "slurm 23.02.7", "slurm", "slurm x.y"})
    EXPECT_TRUE(asks(place(Scheduler::slurm, old), "slurm-restart-controller")) << old;
  for (const char* fresh : {"slurm 23.11.0", "slurm 24.05.1", "slurm 26.05.5"})
    EXPECT_FALSE(asks(place(Scheduler::slurm, fresh), "slurm-restart-controller")) << fresh;
}

TEST(InitQuestions, EachIsASettingOfTheConfigurationAndSaysWhyItMatters) {
  for (const Model& model :
       {place(Scheduler::slurm, "slurm 22.05.8"), place(Scheduler::kubernetes, "v1.31.4")})
    for (const Question& one : questions(model, {})) {
      const Flag* flag = find_flag(one.setting);
      ASSERT_NE(flag, nullptr) << one.setting;
      EXPECT_TRUE(flag->in_file) << one.setting;
      EXPECT_TRUE(one.ask.ends_with('?') || one.ask.find("? ") != std::string::npos) << one.ask;
      EXPECT_NE(one.why, "") << one.setting;
    }
}

TEST(InitQuestions, ProposeWhatThisMachineCanDo) {
  const Model model = place(Scheduler::slurm, "slurm 24.05.1");
  EXPECT_EQ(questions(model, {true, true})[0].answer, "ssh");
  EXPECT_EQ(questions(model, {false, true})[0].answer, "");
  EXPECT_EQ(questions(model, {true, true})[1].answer, "here");
  EXPECT_EQ(questions(model, {true, false})[1].answer, "site");
}

TEST(InitConfiguration, IsReadBackAsItWasAnswered) {
  const auto asked = questions(place(Scheduler::slurm, "slurm 22.05.8"), {true, true});
  const std::map<std::string, std::string> answers{
      {"slurm-runner", "ssh -o \"Proxy Jump\" {node}\\x {command}"},
      {"slurm-boot-file", ""},
      {"slurm-files", "site"}};
  const auto settings = gather({}, {}, {{"config.yaml", configuration(asked, answers)}});
  ASSERT_TRUE(settings) << to_line(settings.error());
  EXPECT_EQ(settings->at("slurm-runner").value, answers.at("slurm-runner"));
  EXPECT_EQ(settings->at("slurm-files").value, "site");
  EXPECT_FALSE(settings->contains("slurm-boot-file"));
}

struct Init {
  test::Scratch home;
  std::map<std::string, std::string> flags;
  std::string typed;
  bool person = true;
  bool fails = false;
  bool loads = true;
  std::vector<std::string> contexts;
  std::map<std::string, Error> broken;  // settings that do not work when they are tried
  std::vector<std::string> tried;
  Environment environment;
  std::ostringstream out, err;

  std::string file() const { return home.path() + "/tessera/config.yaml"; }

  int run() {
    test::Box box;
    int opened = 0;
    auto open = [&](const Options& options, const mig::Catalogue&) {
      Opening opening;
      auto backend = std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::uncut(0, 0)})}, std::vector<Workload>{});
      if (fails && ++opened > 1 && options.slurm_site->reach != slurmconf::Reach::none)
        backend->failure = Error{"cannot reach n1", "ssh asks for a password", "give the key to an agent"};
      backend->loads = loads;
      opening.backends.push_back(std::move(backend));
      return opening;
    };
    int asked = 0;  // a second goes by from one look at the clock to the next
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false, {}, {}};
    joins.machine.find_program = [](std::string_view name) {
      return std::optional("/usr/bin/" + std::string(name));
    };
    joins.machine.contexts = [this](const Options&) { return contexts; };
    joins.machine.try_setting = [this](const Options&, std::string_view setting,
                                       const NodeName& node) -> std::optional<Result<std::string>> {
      if (!setting.starts_with("slurm-")) return std::nullopt;
      tried.push_back(std::string(setting) + " on " + node.text);
      if (auto it = broken.find(std::string(setting)); it != broken.end())
        return Result<std::string>(it->second);
      return Result<std::string>(std::string("root on n1"));
    };
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
    ::close(ends[1]);
    Streams streams{out, err};
    streams.in_fd = ends[0];
    streams.asks = person;
    Parsed parsed;
    parsed.command = "init";
    parsed.flags = flags;
    environment["XDG_CONFIG_HOME"] = home.path();
    const int code = run_init(parsed, environment, test::catalogue(), joins, streams);
    ::close(ends[0]);
    return code;
  }
};

TEST(Init, TakesWhatAPersonTypesAndAsksAgainWhereItCannotBeUsed) {
  Init init;
  init.flags["print"] = "true";
  init.typed = "magic\n\nhost:conf1\n-\n-\n\n\n\n\n\n\nyes\n\n";
  EXPECT_EQ(init.run(), kDone) << init.err.str();
  EXPECT_NE(init.err.str().find("magic"), std::string::npos) << "the answer that was refused is named";
  EXPECT_EQ(init.err.str().find(init.file()), std::string::npos) << "a file is named that is not there yet:\n"
                                                                 << init.err.str();
  EXPECT_NE(init.out.str().find("\nslurm-runner: \"ssh\"\n"), std::string::npos) << init.out.str();
  EXPECT_NE(init.out.str().find("\nslurm-files: \"host:conf1\"\n"), std::string::npos) << init.out.str();
  EXPECT_EQ(init.out.str().find("restart"), std::string::npos) << init.out.str();
}

// Found at the first apply it would be found on a drained node.
TEST(Init, TriesAnAnswerAtOnceAndAsksAgainWhereItDoesNotWork) {
  Init init;
  init.flags["print"] = "true";
  init.broken.emplace("slurm-runner", Error{"on n1 commands run as user 1000, not as root", "", "sudo -n"});
  init.typed = "ssh\nclush -w {node} {command}\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
  EXPECT_EQ(init.run(), kDone) << init.err.str();
  const std::string told = init.err.str();
  EXPECT_NE(told.find("as user 1000"), std::string::npos) << told;
  EXPECT_NE(told.find("tried: root on n1"), std::string::npos) << "the answer about the files worked:\n"
                                                               << told;
  EXPECT_EQ(std::count(init.tried.begin(), init.tried.end(), "slurm-runner on n1"), 2);
  // Given again it is taken: a key may be about to be installed.
  EXPECT_NE(init.out.str().find("\nslurm-runner: \"clush -w {node} {command}\"\n"), std::string::npos)
      << init.out.str();
}

// It was asked of the wrong file once: every site was told that its files cannot be written.
TEST(Init, ProposesToWriteSlurmsFilesOnlyWhereThatWasTried) {
  for (const bool can : {true, false}) {
    Init init;
    init.flags["print"] = "true";
    if (!can) init.broken.emplace("slurm-files", Error{"Slurm's files cannot be written", "EACCES", ""});
    init.typed = "\n";
    init.run();
    const std::string told = init.err.str();
    EXPECT_NE(told.find(can ? "slurm-files [here]" : "slurm-files [site]"), std::string::npos) << told;
    EXPECT_NE(told.find(can ? "this user may write" : "this user may not write"), std::string::npos) << told;
  }
}

TEST(Init, WritesNoAnswersOfAFileThatDoNotWork) {
  Init init;
  init.flags["answers"] = init.home.write("answers.yaml", "slurm-runner: ssh\n");
  init.person = false;
  init.broken.emplace("slurm-runner", Error{"no answer from n1", "Permission denied (publickey)", ""});
  EXPECT_EQ(init.run(), kFinding);
  EXPECT_NE(init.err.str().find("Permission denied"), std::string::npos) << init.err.str();
  EXPECT_NE(init.err.str().find("nothing is written"), std::string::npos) << init.err.str();
  EXPECT_EQ(init.out.str(), "") << "the path of what was written";
}

// Without them the next tessera, started without the flag, would find other clusters, or none.
TEST(Init, WritesTheClustersThatFlagsNameNow) {
  Init init;
  init.flags = {{"print", "true"}, {"slurm-conf", "/opt/slurm/etc/slurm.conf"}};
  init.contexts = {"lab", "prod"};
  init.typed = "\nprod,lab\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
  EXPECT_EQ(init.run(), kDone) << init.err.str();
  EXPECT_NE(init.err.str().find("found: lab, prod"), std::string::npos) << init.err.str();
  EXPECT_NE(init.out.str().find("\nslurm-conf: \"/opt/slurm/etc/slurm.conf\"\n"), std::string::npos)
      << init.out.str();
  EXPECT_NE(init.out.str().find("\ncontext: \"prod,lab\"\n"), std::string::npos) << init.out.str();
}

TEST(Init, WritesNothingWhenTheAnswersEnd) {
  Init init;
  init.flags["print"] = "true";
  init.typed = "ssh\n";
  EXPECT_EQ(init.run(), kFinding);
  EXPECT_EQ(init.out.str(), "");
}

TEST(Init, RefusesAFileOfAnswersThatItDidNotAskFor) {
  for (const char* text :
       {"slurm-runer: ssh\n", "- ssh\n", "slurm-runner: [a, b]\n", "slurm-runner: magic\n", "{"}) {
    Init init;
    init.flags = {{"print", "true"}, {"answers", init.home.write("answers.yaml", text)}};
    init.person = false;
    EXPECT_EQ(init.run(), kUsage) << text;
    EXPECT_EQ(init.out.str(), "") << text;
  }
}

TEST(Init, NeedsAPersonOrAFile) {
  Init init;
  init.flags["print"] = "true";
  init.person = false;
  EXPECT_EQ(init.run(), kUsage);
  EXPECT_NE(init.err.str().find("--answers FILE"), std::string::npos) << init.err.str();
}

// What was not seen in time is not known: neither what to ask, nor whether an answer works.
TEST(Init, AsksNothingOfAClusterThatDidNotAnswerInTime) {
  Init init;
  init.flags = {{"print", "true"}, {"timeout", "2s"}};
  init.loads = false;
  EXPECT_EQ(init.run(), kUnknown);
  EXPECT_NE(init.err.str().find("no complete answer"), std::string::npos) << init.err.str();
  EXPECT_EQ(init.out.str(), "");
}

TEST(Init, OffersWhatIsSetAlready) {
  Init init;
  init.flags["print"] = "true";
  init.environment["TESSERA_SLURM_RUNNER"] = "srun";
  init.typed = "\n\n\n\n\n\n\n\n\n\n\n\n\n";
  EXPECT_EQ(init.run(), kDone) << init.err.str();
  EXPECT_NE(init.out.str().find("\nslurm-runner: \"srun\"\n"), std::string::npos) << init.out.str();
}

// All other commands refused it; init ran the commands that it names.
TEST(Init, RefusesAConfigurationThatEveryoneCanWriteTo) {
  Init init;
  init.flags = {{"print", "true"}, {"answers", init.home.write("answers.yaml", "slurm-runner: ssh\n")}};
  init.person = false;
  init.home.write("tessera/config.yaml", "slurm-runner: /tmp/evil {node}\n");
  ASSERT_EQ(::chmod(init.file().c_str(), 0666), 0);
  EXPECT_EQ(init.run(), kUsage);
  EXPECT_NE(init.err.str().find("everyone on this machine can write to it"), std::string::npos)
      << init.err.str();
  EXPECT_EQ(init.out.str(), "");
  EXPECT_TRUE(init.tried.empty()) << init.tried.front();
}

TEST(Init, RefusesAControlCharacterInAnAnswer) {
  Init init;
  init.flags = {{"print", "true"},
                {"answers", init.home.write("answers.yaml", "slurm-stop-clients: \"a\\nb\\e]0;x\"\n")}};
  init.person = false;
  EXPECT_EQ(init.run(), kUsage);
  EXPECT_EQ(init.out.str(), "");
}

TEST(Init, SaysWhatDoesNotWorkWithTheAnswers) {
  Init init;
  init.flags = {{"print", "true"}, {"answers", init.home.write("answers.yaml", "slurm-runner: ssh\n")}};
  init.person = false;
  init.fails = true;
  EXPECT_EQ(init.run(), kDone);
  EXPECT_NE(init.err.str().find("ssh asks for a password"), std::string::npos) << init.err.str();
}

}  // namespace
}  // namespace tessera::cli::init_story
