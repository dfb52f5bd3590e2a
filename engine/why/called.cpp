#include "engine/why/called.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/model/kueue.hpp"
#include "engine/number.hpp"

namespace tessera::why {
namespace {

// "3-9:2,12" holds 5.
bool lists(std::string_view ranges, int task) {
  while (!ranges.empty()) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    ranges.remove_prefix(std::min(range.size() + 1, ranges.size()));
    const std::string_view ends = range.substr(0, range.find(':')), from = ends.substr(0, ends.find('-'));
    const auto first = whole_number<int>(from);
    const auto last = from.size() == ends.size() ? first : whole_number<int>(ends.substr(from.size() + 1));
    const auto step =
        ends.size() == range.size() ? std::optional(1) : whole_number<int>(range.substr(ends.size() + 1));
    if (first && last && step && *step > 0 && *first <= task && task <= *last && (task - *first) % *step == 0)
      return true;
  }
  return false;
}

// Tasks of an array that wait are one line of the list: "19_[3-6,9%2]" is 19, and each of 19_3 to 19_6 and
// 19_9.
bool is_of_array(std::string_view id, std::string_view called) {
  const std::size_t open = id.find("_[");
  if (open == std::string_view::npos || !id.ends_with(']') || !called.starts_with(id.substr(0, open)))
    return false;
  called.remove_prefix(open);
  if (called.empty()) return true;
  const std::string_view tasks = id.substr(open + 2, id.size() - open - 3);
  const auto task = called.front() == '_' ? whole_number<int>(called.substr(1)) : std::nullopt;
  return task && lists(tasks.substr(0, tasks.find('%')), *task);
}

// A Workload of Kueue by the job that it is of: "train", "team/train" where Job/train of the namespace team
// has it.
bool is_of_queued(const Workload& one, const std::string& called) {
  const std::size_t slash = one.user.find('/');
  if (!waits_for_kueue(one) || slash == std::string::npos) return false;
  const std::string owner = one.user.substr(slash + 1);
  return called == owner || called == one.group + "/" + owner;
}

// "Job ml/train" in its parts.
struct Owner {
  std::string kind, name_space, name;
};
Owner owner_in(const std::string& subject) {
  const std::size_t blank = subject.find(' '), slash = subject.find('/', blank);
  if (blank == std::string::npos || slash == std::string::npos) return {};
  return {subject.substr(0, blank), subject.substr(blank + 1, slash - blank - 1), subject.substr(slash + 1)};
}

bool is_called(const Owner& owner, std::string_view called) {
  const auto is = [&](const std::string& name) {
    return !name.empty() && (called == name || called == owner.name_space + "/" + name ||
                             called == owner.kind + " " + owner.name_space + "/" + name);
  };
  // The rest is a digest of its pods' template.
  const std::size_t dash = owner.kind == "ReplicaSet" ? owner.name.rfind('-') : std::string::npos;
  return is(owner.name) || (dash != std::string::npos && is(owner.name.substr(0, dash)));
}

}  // namespace

std::vector<Called> works_called(const Model& model, const std::string& name) {
  std::vector<Called> all, of_arrays;
  for (const Cluster& cluster : model.clusters)
    for (const Workload& one : cluster.workloads.all()) {
      if (one.id.text == name || (one.kind == WorkloadKind::pod && one.id.text.ends_with("/" + name)))
        all.push_back({&cluster, &one});
      else if (is_of_queued(one, name) || (one.kind != WorkloadKind::pod && is_of_array(one.id.text, name)))
        of_arrays.push_back({&cluster, &one});
    }
  return all.empty() ? of_arrays : all;
}

std::vector<Refused> refused_called(const Model& model, const std::string& name) {
  std::vector<Refused> all;
  for (const Cluster& cluster : model.clusters)
    for (const auto& [source, remarks] : cluster.remarks)
      for (const Remark& one : remarks)
        if (one.kind == Remark::Kind::refused && is_called(owner_in(one.subject), name))
          all.push_back({&cluster, &one, source});
  return all;
}

Workload as_work(const Refused& refused) {
  const Owner owner = owner_in(refused.remark->subject);
  Workload work;
  work.kind = WorkloadKind::pod;
  work.id = WorkloadId(owner.name_space + "/" + owner.name);
  work.name = owner.name, work.group = owner.name_space, work.user = owner.kind + "/" + owner.name;
  work.state = WorkloadState::pending;
  return work;
}

Answer answer_of(const Refused& refused) {
  Answer answer;
  answer.waits = true;
  answer.topic = Topic::limit;
  // An event of the last twenty minutes: its controller may not have tried again since the quota has room.
  answer.sentence = {refused.remark->text, Certainty::likely, refused.source};
  const std::vector<std::string>& commands = refused.remark->commands;
  answer.help.push_back({Help::admin, "raise the quota, or wait until some of it ends",
                         commands.empty() ? "" : commands.front(), Certainty::likely});
  if (commands.size() > 1)
    answer.help.push_back({Help::admin,
                           "raise the quota so that one more of its pods may start, if that is wanted",
                           commands[1], Certainty::likely});
  return answer;
}

}  // namespace tessera::why
