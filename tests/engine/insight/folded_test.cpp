// Many events of a kind as one line.
#include "engine/insight/folded.hpp"

#include <gtest/gtest.h>

#include "engine/model/tell.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

LogEntry started(const std::string& job, const std::string& user, int seconds) {
  LogEntry entry{at(seconds), ClusterName("hpc"), Severity::info, "job " + job, "of " + user + " started"};
  entry.kind = Happened::started;
  entry.what = "started";
  entry.user = user;
  entry.pool = "a100";
  entry.work = WorkloadId(job);
  return entry;
}

std::vector<std::string> lines_of(const std::vector<LogEntry>& oldest_first) {
  std::vector<const LogEntry*> newest;
  for (auto entry = oldest_first.rbegin(); entry != oldest_first.rend(); ++entry) newest.push_back(&*entry);
  std::vector<std::string> lines;
  for (const insight::FoldedEvent& event : insight::folded(newest))
    lines.push_back(event.all.empty() ? event.entry->subject
                                      : text_of_many(*event.entry, static_cast<int>(event.all.size())));
  return lines;
}

TEST(FoldedEvents, JobsOfOneUserThatStartOneAfterAnotherAreOneLine) {
  std::vector<LogEntry> log;
  for (int i = 0; i < 12; ++i) {
    log.push_back(started(std::to_string(i), "alice", i * 60));
    if (i == 5) log.push_back(started("99", "bob", i * 60));
  }
  EXPECT_EQ(lines_of(log), (std::vector<std::string>{"12 jobs of alice started on pool a100", "job 99"}));
}

TEST(FoldedEvents, ThreeStayThreeLines) {
  EXPECT_EQ(lines_of({started("1", "alice", 0), started("2", "alice", 1), started("3", "alice", 2)}),
            (std::vector<std::string>{"job 3", "job 2", "job 1"}));
}

TEST(FoldedEvents, AGapBeginsANewLine) {
  std::vector<LogEntry> log;
  for (int i = 0; i < 4; ++i) log.push_back(started(std::to_string(i), "alice", i));
  for (int i = 0; i < 4; ++i) log.push_back(started(std::to_string(4 + i), "alice", 3600 + i));
  EXPECT_EQ(lines_of(log), (std::vector<std::string>{"4 jobs of alice started on pool a100",
                                                     "4 jobs of alice started on pool a100"}));
}

// It read as "4 nodes: ok → down".
TEST(FoldedEvents, OneNodeThatGoesDownAgainAndAgainIsNotSeveralNodes) {
  std::vector<LogEntry> log;
  const auto down = [&](const std::string& node, int seconds) {
    LogEntry entry{at(seconds), ClusterName("hpc"), Severity::danger, node, "ok → down"};
    entry.kind = Happened::node;
    entry.what = entry.text;
    log.push_back(std::move(entry));
  };
  for (int i = 0; i < 4; ++i) down("n1", i * 60);
  EXPECT_EQ(lines_of(log), (std::vector<std::string>{"n1", "n1", "n1", "n1"}));
  for (const char* node : {"n2", "n3", "n4"}) down(node, 300);
  EXPECT_EQ(lines_of(log), (std::vector<std::string>{"4 nodes: ok → down", "n1", "n1", "n1"}));
}

// The noun was made of the first three letters of the subject: "4 arrs of alice".
TEST(FoldedEvents, WhatManyAreCalledIsTheirKindAndNotTheFirstLettersOfAName) {
  std::vector<LogEntry> pods, others;
  for (int i = 0; i < 4; ++i) {
    const std::string id = std::to_string(i);
    pods.push_back(started("ml/pod-" + id, "alice", i));
    pods.back().subject = "pod ml/pod-" + id;
    others.push_back(started(id, "alice", i));
    others.back().subject = "array task " + id;
  }
  EXPECT_EQ(lines_of(pods), (std::vector<std::string>{"4 pods of alice started on pool a100"}));
  EXPECT_EQ(lines_of(others), (std::vector<std::string>{"4 jobs and pods of alice started on pool a100"}));
}

TEST(FoldedEvents, WhatStandsAloneIsNeverFolded) {
  std::vector<LogEntry> log(
      6, LogEntry{at(0), ClusterName("hpc"), Severity::warning, "slurmctld", "answers again"});
  EXPECT_EQ(lines_of(log).size(), 6u);
}

}  // namespace
}  // namespace tessera::test
