// Which exporters of a cluster are asked, and when: those of nodes on screen more often than the others.
#include "backends/kubernetes/exporters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

#include "backends/kubernetes/store.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/support/patience.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kIdle = "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-0\"} 0\n";
constexpr const char* kFailing = "DCGM_FI_DEV_XID_ERRORS{gpu=\"2\",UUID=\"GPU-b\"} 79\n";

// Two nodes with an exporter each; rounds follow each other at once.
class ExporterRounds : public testing::Test {
 protected:
  ~ExporterRounds() override {
    worker_.stop();
    exporters_.reset();
  }

  void begin(Duration others) {
    worker_.post([this, others] {
      exporters_.emplace(worker_, client_, calls(others));
      exporters_->go();
    });
  }
  void view(const std::string& node) {
    worker_.post([this, node] { exporters_->set_viewed({NodeName(node)}); });
  }
  void in_all() {
    worker_.post([this] { exporters_->go(); });
  }
  Duration round() {
    std::promise<Duration> round;
    worker_.post([&] { round.set_value(exporters_->round()); });
    return round.get_future().get();
  }
  int asked(const std::string& node) const {
    const auto all = script_.asked();
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const HttpScript::Asked& one) {
      return one.target.find("pods/dcgm-" + node) != std::string::npos;
    }));
  }
  bool until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + test::kPatience;
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      changed_.wait_for(lock, 10ms);
    }
    return true;
  }

  std::atomic<bool> a_answers = true, b_answers = true, b_fails = false;
  std::atomic<int> minute = 0;  // by the wall clock
  int more = 0;                 // exporters beside the two; set before begin()
  std::vector<Remark> remarks;  // of the last round; read inside until()
  int rounds = 0;

 private:
  ExporterCalls calls(Duration others) {
    ExporterCalls calls;
    calls.where = [count = more] {
      std::vector<Exporter> all{{"a", "gpu-operator", "dcgm-a"}, {"b", "gpu-operator", "dcgm-b"}};
      for (int i = 0; i < count; ++i)
        all.push_back({"m" + std::to_string(i), "gpu-operator", "dcgm-m" + std::to_string(i)});
      return all;
    };
    calls.told = [](const Exporter&, DcgmReadings) {};
    calls.round = [this](std::size_t, Duration, std::vector<Remark> told) {
      const std::lock_guard lock(mutex_);
      remarks = std::move(told);
      ++rounds;
      changed_.notify_all();
    };
    calls.every = [] { return Duration(1); };
    calls.others = [others] { return others; };
    calls.clock = [this] { return TimePoint(std::chrono::minutes(minute)); };
    return calls;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  HttpScript script_{[this](const HttpScript::Asked& asked) -> HttpScript::Answer {
    if (asked.target.find("dcgm-a") != std::string::npos && !a_answers) return {502, "no route", {}};
    if (asked.target.find("dcgm-b") != std::string::npos && !b_answers) return {502, "no route", {}};
    if (asked.target.find("dcgm-b") != std::string::npos && b_fails) return {200, kFailing, {}};
    return {200, kIdle, {}};
  }};
  Worker worker_;
  HttpClient client_{worker_, {script_.socket(), "", 0}};
  std::optional<Exporters> exporters_;
};

TEST_F(ExporterRounds, ANodeOnScreenIsAskedInEachRoundAndTheOthersAreLeftAlone) {
  begin(1440min);
  ASSERT_TRUE(until([&] { return rounds >= 3; }));
  EXPECT_EQ(asked("a"), 1) << "nobody looks at it";
  EXPECT_EQ(asked("b"), 1);
  view("a");
  ASSERT_TRUE(until([&] { return asked("a") >= 4; }));
  EXPECT_EQ(asked("b"), 1);
  view("b");
  ASSERT_TRUE(until([&] { return asked("b") >= 3; }));
  const int before = asked("a");
  ASSERT_TRUE(until([&] { return asked("b") >= 6; }));
  EXPECT_LE(asked("a"), before + 1) << "at most the question that was under way";
}

TEST_F(ExporterRounds, TheOthersAreAskedAgainWhenTheirTimeHasCome) {
  begin(Duration(50));
  ASSERT_TRUE(until([&] { return asked("a") >= 3 && asked("b") >= 3; }));
}

// Two exporters, four a second.
TEST_F(ExporterRounds, ARoundIsAsLongAsItMayTakeAndAsLongAsTheOthersAreLeftAlone) {
  begin(Duration(50));
  ASSERT_TRUE(until([&] { return rounds >= 1; }));
  EXPECT_GE(round(), Duration(501));
  begin(1440min);
  EXPECT_EQ(round(), 1440min);
}

// What the first nodes told was forgotten after five minutes, while the first round still asked the others.
TEST_F(ExporterRounds, WhatTheFirstNodesToldStandsUntilAFirstRoundOverThousandsHasEnded) {
  more = 4'998;
  begin(2min);
  const Duration every = round();
  EXPECT_GE(every, Duration(1'250'000)) << "four a second";
  EXPECT_EQ(rounds, 0);
  EXPECT_GE(readings_last(every), every);
}

TEST_F(ExporterRounds, AFreshLookAsksAllOfThem) {
  begin(1440min);
  ASSERT_TRUE(until([&] { return rounds >= 1; }));
  // A look that comes while a round is under way is that round.
  ASSERT_TRUE(until([&] {
    in_all();
    return asked("a") >= 2 && asked("b") >= 2;
  }));
}

TEST_F(ExporterRounds, WhatOneDidNotAnswerStandsUntilItIsAskedAgain) {
  b_answers = false;
  begin(1440min);
  view("a");
  ASSERT_TRUE(until([&] { return asked("a") >= 4 && rounds >= 4; }));
  {
    const int now = rounds;
    ASSERT_TRUE(until([&] { return rounds > now && remarks.size() == 1; }));
  }
  ASSERT_TRUE(until([&] { return remarks.front().text.find("does not answer on b") != std::string::npos; }))
      << "rounds that did not ask it know no better";
  b_answers = true;
  view("b");
  ASSERT_TRUE(until([&] { return remarks.empty(); }));
}

// Its text names who is silent: with each that joined them it seemed to have begun at that time.
TEST_F(ExporterRounds, ARemarkIsAsOldAsTheLongestSilenceOfThoseThatItNames) {
  const auto silent_since = [&](const std::string& names, int since) {
    return until([&] {
      return remarks.size() == 1 &&
             remarks.front().text.find("does not answer on " + names + ":") != std::string::npos &&
             remarks.front().seen == TimePoint(std::chrono::minutes(since));
    });
  };
  b_answers = false, minute = 1;
  begin(Duration(1));
  ASSERT_TRUE(silent_since("b", 1));
  minute = 9, a_answers = false;
  ASSERT_TRUE(silent_since("a, b", 1));
  minute = 20, b_answers = true;
  ASSERT_TRUE(silent_since("a", 9));
}

TEST_F(ExporterRounds, AFaultStandsUntilItsExporterTellsOfItNoMore) {
  b_fails = true;
  begin(1440min);
  view("a");
  ASSERT_TRUE(until([&] { return rounds >= 3 && remarks.size() == 1; })) << "rounds that ask only a";
  EXPECT_EQ(remarks.front().subject, "b");
  EXPECT_NE(remarks.front().text.find("GPU 2"), std::string::npos) << remarks.front().text;
  b_fails = false;
  view("b");
  ASSERT_TRUE(until([&] { return remarks.empty(); }));
}

}  // namespace
}  // namespace tessera::kubernetes
