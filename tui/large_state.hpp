// What is worked out on the planner's thread because the cluster is too large to do it between two pictures:
// the overview's table of demand, why work waits, and the next hours of a change.
//
// Plain values that UiState holds as constant values: a change makes a new one. Threads: owned by the UI
// thread; a question is read by the planner's thread, too, and never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/plan.hpp"
#include "engine/whatif/whatif.hpp"
#include "engine/why/demand.hpp"
#include "engine/why/why.hpp"
#include "tui/narrowed.hpp"

namespace tessera::tui {

// A row of the overview's table of demand.
struct DemandRow {
  ClusterName cluster;
  why::Demand demand;
};

struct DemandQuestion {
  Model model;  // its clusters alone
  const mig::Catalogue* catalogue = nullptr;
  TimePoint at{};  // as they stood then
};
struct DemandCounted {
  std::shared_ptr<const DemandQuestion> question;
  std::vector<DemandRow> rows;
  std::vector<ClusterName> left_out;  // they did not tell what waited
};

struct WhyQuestion {
  std::shared_ptr<const ClusterThen> then;
  bool knows_means = false;  // what can be changed there is known
  WorkloadId id;
  std::shared_ptr<const Details> details;  // what was asked for it alone; null: nothing
};
struct WhyFound {
  std::shared_ptr<const WhyQuestion> question;
  std::shared_ptr<const why::Answer> answer;  // null: it does not wait
};

struct HoursQuestion {
  std::shared_ptr<const ClusterThen> then;
  plan::Plan plan;
  int hours = whatif::kUsualHours;
  std::string wish;  // of the editor, by which it is known again
};
struct HoursPlayed {
  std::shared_ptr<const HoursQuestion> question;
  std::shared_ptr<const whatif::Comparison> played;
};

template <class Question, class Answer>
struct AskedLarge {
  std::uint64_t revision = 0;  // the model's, of `question`
  TimePoint asked_at{}, told_at{};
  Duration took{0};  // to work out `answer`
  std::shared_ptr<const Question> question;
  std::shared_ptr<const Answer> answer;  // the last; old where it is of another question

  bool working() const { return question && (!answer || answer->question != question); }
};
using AskedDemand = AskedLarge<DemandQuestion, DemandCounted>;
using AskedWhy = AskedLarge<WhyQuestion, WhyFound>;
using AskedHours = AskedLarge<HoursQuestion, HoursPlayed>;

// Null: nothing was asked yet. The hours of a plan are asked for by its page (PlanView).
struct LargeState {
  std::shared_ptr<const AskedDemand> demand;
  std::shared_ptr<const AskedWhy> why;
  std::shared_ptr<const AskedHours> hours;  // of the layout editor
};

using LargeAnswer = std::variant<std::shared_ptr<const DemandCounted>, std::shared_ptr<const WhyFound>,
                                 std::shared_ptr<const HoursPlayed>>;

}  // namespace tessera::tui
