#include "engine/record/until.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::record {
namespace {

class Ending : public Recording {
 public:
  Ending(Recording& whole, TimePoint end) : whole_(&whole), end_(end) {}
  const ClusterName& cluster() const override { return whole_->cluster(); }
  std::optional<Covered> covered() override {
    auto covered = whole_->covered();
    if (!covered || covered->from > end_) return std::nullopt;
    covered->to = std::min(covered->to, end_);
    return covered;
  }
  Result<Model> at(TimePoint time) override { return whole_->at(std::min(time, end_)); }
  Result<Model> moment(TimePoint time) override { return whole_->moment(std::min(time, end_)); }
  bool owes_history() const override { return whole_->owes_history(); }
  void add_history(Model& moment) override { whole_->add_history(moment); }
  bool damaged_behind() const override { return whole_->damaged_behind(); }
  Duration figures_every() const override { return whole_->figures_every(); }
  Duration every() const override { return whole_->every(); }
  std::optional<std::vector<history::ToldIdle>> idle() const override { return whole_->idle(); }
  Stop stopped() override {
    // What is behind the end is as if it were not recorded.
    const auto covered = whole_->covered();
    return covered && covered->to > end_ ? Stop::unknown : whole_->stopped();
  }
  Result<std::vector<DayFile>> days() override { return whole_->days(); }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const Round&)>& see) override {
    return whole_->rounds(from, std::min(to, end_), see);
  }
  std::vector<TimePoint> cuts(TimePoint from, TimePoint to) override {
    return whole_->cuts(from, std::min(to, end_));
  }
  void read_pieces(std::size_t count, const std::function<void(std::size_t, Recording&)>& read,
                   const std::function<void(std::size_t)>& then) override {
    whole_->read_pieces(
        count,
        [&](std::size_t piece, Recording& whole) {
          Ending until_then(whole, end_);
          read(piece, until_then);
        },
        then);
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint from,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    return whole_->figures(nodes, from, std::min(to, end_), goes_on);
  }

 private:
  Recording* whole_;
  TimePoint end_;
};

class Until final : public Ending {
 public:
  Until(std::unique_ptr<Recording> whole, TimePoint end) : Ending(*whole, end), owned_(std::move(whole)) {}

 private:
  std::unique_ptr<Recording> owned_;
};

}  // namespace

std::unique_ptr<Recording> until(std::unique_ptr<Recording> whole, TimePoint end) {
  return std::make_unique<Until>(std::move(whole), end);
}

}  // namespace tessera::record
