#include "engine/guide/walk.hpp"

#include <algorithm>

namespace tessera::guide {

Walk::Walk(std::shared_ptr<const Flowchart> chart, Prefill known, Confidence pass)
    : chart_(std::move(chart)), known_(std::move(known)), pass_(pass) {
  retrace();
}

const Question* Walk::current() const { return chart_->question(at_); }
const Leaf* Walk::leaf() const { return chart_->leaf(at_); }

Answer Walk::known(std::string_view question) const {
  const auto found = known_.find(std::string(question));
  return found == known_.end() ? Answer{} : found->second;
}

const Answer* Walk::sure(const std::string& question) const {
  const auto found = known_.find(question);
  if (found == known_.end() || reopened_.count(question) > 0) return nullptr;
  const Answer& answer = found->second;
  return answer.reply != Reply::unknown && answer.confidence >= pass_ ? &answer : nullptr;
}

void Walk::retrace() {
  path_.clear();
  at_ = chart_->start();
  while (const Question* question = chart_->question(at_)) {
    WalkStep step{question->id, false, false, known(question->id)};
    const auto given = std::find_if(admin_.begin(), admin_.end(),
                                    [&](const auto& one) { return one.first == question->id; });
    if (given != admin_.end()) {
      step.yes = given->second;
      step.by_admin = true;
    } else if (const Answer* answer = sure(question->id)) {
      step.yes = answer->reply == Reply::yes;
    } else {
      return;
    }
    at_ = step.yes ? question->yes : question->no;
    path_.push_back(std::move(step));
  }
}

void Walk::answer(bool yes) {
  if (const Question* question = current()) answer(question->id, yes);
}

bool Walk::answer(std::string_view q, bool yes) {
  const Question* question = chart_->find_question(q);
  if (question == nullptr) return false;
  std::erase_if(admin_, [&](const auto& one) { return one.first == question->id; });
  admin_.emplace_back(question->id, yes);
  retrace();
  return true;
}

bool Walk::undo() {
  if (path_.empty()) return false;
  const std::string question = path_.back().question;
  std::erase_if(admin_, [&](const auto& one) { return one.first == question; });
  reopened_.insert(question);
  retrace();
  return true;
}

void Walk::refresh(Prefill known) {
  known_ = std::move(known);
  retrace();
}

std::vector<const Question*> Walk::open() const {
  std::set<std::string> reach{at_};
  // Questions stand in any order, so go round until nothing is added.
  for (bool grew = true; grew;) {
    grew = false;
    for (const Question& question : chart_->questions()) {
      if (reach.count(question.id) == 0) continue;
      const auto given = std::find_if(admin_.begin(), admin_.end(),
                                      [&](const auto& one) { return one.first == question.id; });
      const Answer* answer = sure(question.id);
      const bool yes =
          given != admin_.end() ? given->second : answer == nullptr || answer->reply == Reply::yes;
      const bool both = given == admin_.end() && answer == nullptr;
      if (yes || both) grew = reach.insert(question.yes).second || grew;
      if (!yes || both) grew = reach.insert(question.no).second || grew;
    }
  }
  std::vector<const Question*> open;
  for (const Question& question : chart_->questions()) {
    const bool given =
        std::any_of(admin_.begin(), admin_.end(), [&](const auto& one) { return one.first == question.id; });
    if (reach.count(question.id) > 0 && !given && sure(question.id) == nullptr) open.push_back(&question);
  }
  return open;
}

}  // namespace tessera::guide
