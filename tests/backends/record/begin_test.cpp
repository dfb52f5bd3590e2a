// A replay begins with the moment that was looked for already: reading it takes longest of all.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "backends/record/replays.hpp"
#include "engine/record/player.hpp"
#include "tests/backends/record/replay_lab.hpp"

namespace tessera::test {
namespace {

class Counting final : public record::Recording {
 public:
  Counting(std::unique_ptr<record::Recording> whole, int& moments)
      : whole_(std::move(whole)), moments_(moments) {}
  const ClusterName& cluster() const override { return whole_->cluster(); }
  std::optional<record::Covered> covered() override { return whole_->covered(); }
  Result<Model> at(TimePoint time) override {
    ++moments_;
    return whole_->at(time);
  }
  Duration every() const override { return whole_->every(); }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    return whole_->rounds(from, to, see);
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint from,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    return whole_->figures(nodes, from, to, goes_on);
  }

 private:
  std::unique_ptr<record::Recording> whole_;
  int& moments_;
};

class Beginning : public ReplayLab {
 protected:
  // How many moments were read until that one is shown.
  int moments_until(TimePoint then, bool shows_gaps) {
    int moments = 0;
    auto recordings = record::open_recordings(folder_);
    EXPECT_TRUE(recordings);
    std::vector<std::unique_ptr<record::Recording>> counting;
    counting.push_back(std::make_unique<Counting>(std::move(recordings->front()), moments));
    auto opened = record::replays(std::move(counting), {then, shows_gaps, 0}, [] { return at(9'999); });
    EXPECT_TRUE(opened);
    player_ = std::move(opened->front());
    player_->start(mailbox_);
    wait();
    const int shown = moments;
    after([&] { player().jump(at(300)); });
    EXPECT_GT(moments, shown) << "another moment is read";
    EXPECT_EQ(this->shown(), 300);
    player_.reset();
    return shown;
  }
};

TEST_F(Beginning, TheFirstMomentOfAReplayIsReadOnce) {
  a_while();
  for (const bool shows_gaps : {false, true}) EXPECT_EQ(moments_until(at(130), shows_gaps), 1);
  EXPECT_EQ(moments_until(at(5'000), true), 2) << "nothing is recorded of then: the nearest round is shown";
}

}  // namespace
}  // namespace tessera::test
