// A moment of a recording is told before what happened before it is read.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/archive.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/replay.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/patience.hpp"

namespace tessera::test {
namespace {

using Replay = ReplayLab;

// Its events may take as long to read as the moment itself.
struct ToldInOrder final : EventSink {
  std::mutex mutex;
  std::vector<std::string> all;
  std::promise<void> loaded;
  void post(Event event) override {
    const std::lock_guard lock(mutex);
    if (std::holds_alternative<Progress>(event.what)) all.push_back("reads");
    if (std::holds_alternative<NodesListed>(event.what)) all.push_back("nodes");
    if (const auto* told = std::get_if<HistoryTold>(&event.what))
      all.push_back(std::to_string(told->entries.size()) + " events");
    if (!std::holds_alternative<Loaded>(event.what)) return;
    all.push_back("loaded");
    if (all.size() == 5 || all.size() == 8) std::exchange(loaded, std::promise<void>()).set_value();
  }
};

TEST_F(Replay, AMomentIsToldBeforeItsEventsAreRead) {
  for (int minute = 0; minute <= 125; minute += 5) {
    if (minute == 100) story_.tell(WorkloadGone{WorkloadId("2")}, minute * 60);
    if (minute == 125) story_.tell(WorkloadGone{WorkloadId("1")}, minute * 60);
    write(minute * 60);
  }
  tape_.reset();
  ToldInOrder told;
  auto opened = record::open_recordings(folder_);
  ASSERT_TRUE(opened);
  record::ReplayBackend player(std::move(opened->front()), at(120 * 60), 0, [] { return at(99'999); });
  auto first = told.loaded.get_future();
  player.start(told);
  ASSERT_EQ(first.wait_for(test::kPatience), std::future_status::ready);
  const std::vector<std::string> both{"reads", "0 events", "nodes", "1 events", "loaded"};
  EXPECT_EQ(told.all, both) << "who waits for all of it waits for its events, too";
  auto second = told.loaded.get_future();
  player.jump(at(125 * 60));
  ASSERT_EQ(second.wait_for(test::kPatience), std::future_status::ready);
  const std::vector<std::string> then(told.all.begin() + 5, told.all.end());
  EXPECT_EQ(then, (std::vector<std::string>{"2 events", "nodes", "loaded"})) << "they are at hand";
}

TEST_F(Replay, AMomentAndItsEventsAreThoseThatAreReadAtOnce) {
  for (int minute = 0; minute <= 125; minute += 5) {
    if (minute == 100) story_.tell(WorkloadGone{WorkloadId("2")}, minute * 60);
    write(minute * 60);
  }
  tape_.reset();
  const auto open = [&] { return std::move(record::open_recordings(folder_)->front()); };
  const auto subjects = [](const Model& model) {
    std::vector<std::string> all;
    for (const LogEntry& entry : model.work_log) all.push_back(entry.subject + ": " + entry.text);
    return all;
  };
  const auto at_once = open(), apart = open();
  const Result<Model> whole = at_once->at(at(125 * 60));
  ASSERT_TRUE(whole);
  EXPECT_FALSE(at_once->owes_history());
  ASSERT_EQ(subjects(*whole).size(), 1U);
  Result<Model> moment = apart->moment(at(125 * 60));
  ASSERT_TRUE(moment);
  EXPECT_TRUE(subjects(*moment).empty());
  EXPECT_TRUE(apart->owes_history());
  (void)apart->stopped();  // looks into the file again
  apart->add_history(*moment);
  EXPECT_EQ(subjects(*moment), subjects(*whole));
  EXPECT_EQ(moment->clusters.front().nodes.size(), whole->clusters.front().nodes.size());
  EXPECT_FALSE(apart->owes_history());
  apart->add_history(*moment);
  EXPECT_EQ(subjects(*moment), subjects(*whole)) << "once";
  // Where no frame lies before it, nothing is owed.
  ASSERT_TRUE(apart->moment(at(300)));
  EXPECT_FALSE(apart->owes_history());
}

}  // namespace
}  // namespace tessera::test
