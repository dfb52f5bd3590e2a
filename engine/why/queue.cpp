// Who comes before one job, and what the objects beside a pod say.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/array_tasks.hpp"
#include "engine/why/details.hpp"

namespace tessera::why {
namespace {

constexpr std::size_t kMostRelated = 8;   // that are told of
constexpr std::size_t kMostUnjudged = 4;  // limits that are named

std::string parts_of(const PriorityTold& told) {
  std::vector<PriorityPart> parts = told.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PriorityPart& a, const PriorityPart& b) { return a.points > b.points; });
  std::string text;
  for (const PriorityPart& one : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name, one.points);
  return text;
}

void add_priority(Answer& answer, const Details& details) {
  const auto add = [&](std::string text) {
    answer.more.push_back({std::move(text), Certainty::certain, Source::none, word(Teller::priority)});
  };
  for (const PriorityTold& told : details.priorities) {
    if (told.place > 0)
      add(fmt::format("place {} of {} by priority among those that wait for the partition {}", told.place,
                      told.among, told.partition));
    const std::string parts = parts_of(told);
    add(details.priorities.size() > 1
            ? fmt::format("its priority in {} is {}: {}", told.partition, told.total, parts)
            : fmt::format("its priority is {}: {}", told.total, parts));
  }
}

// Who said it: in a simulated cluster the simulator, whatever a real one would have been asked.
Statement told_by(Teller teller, const Workload& of, std::string text, Certainty certainty) {
  if (of.origin.source == Source::simulator) return {std::move(text), certainty, Source::simulator};
  return {std::move(text), certainty, Source::none, word(teller)};
}

void add_limits(Answer& answer, const Workload& job, const Details& details) {
  if (details.limits_enforced == false) return;
  const std::vector<Checked> all = check_limits(details, job);
  std::size_t reached = 0;
  std::string open;  // those that cannot be judged
  std::size_t unjudged = 0;
  for (const Checked& one : all) {
    if (!one.reached && unjudged++ < kMostUnjudged) open += (open.empty() ? "" : ", ") + name_of(*one.limit);
    if (one.reached != true) continue;
    ++reached;
    answer.more.push_back(told_by(one.limit->teller, job, sentence_of(one), Certainty::certain));
  }
  if (unjudged > kMostUnjudged) open += fmt::format(" (+{})", unjudged - kMostUnjudged);
  const auto asked = std::find_if(details.asked.begin(), details.asked.end(),
                                  [](const Inquiry& one) { return one.source == Teller::limits; });
  if (asked == details.asked.end() || asked->failure || !asked->note.empty() || reached > 0) return;
  const bool certain = answer.topic != Topic::limit && unjudged == 0;
  std::string text = "no limit of its QOS and association keeps it from starting";
  if (unjudged > 0)
    text = fmt::format("no limit that can be judged keeps it from starting; these cannot be: {}", open);
  else if (!certain)
    text = "none of the limits that were told is reached: what was in use may have ended meanwhile";
  answer.more.push_back(
      told_by(Teller::limits, job, std::move(text), certain ? Certainty::likely : Certainty::unknown));
}

// Slurm's dependencies in words, by their type.
constexpr std::pair<std::string_view, std::string_view> kDependencies[] = {
    {"after", "it waits until job {} has begun"},
    {"afterany", "it waits until job {} has ended"},
    {"afterok", "it waits until job {} has ended well"},
    {"afternotok", "it waits until job {} has failed"},
    {"aftercorr", "it waits until the same task of the array {} has ended well"},
    {"afterburstbuffer", "it waits until job {} has written its burst buffer back"},
};

// "afterok:12_3+5" → "afterok", "12_3", "+5"
struct DependsOn {
  std::string_view type, job, after;
};
DependsOn read_dependency(std::string_view name) {
  const auto colon = name.find(':');
  DependsOn read{name.substr(0, colon), {}, {}};
  if (colon == std::string_view::npos) return read;
  read.job = name.substr(colon + 1);
  const auto plus = read.job.find('+');
  if (plus == std::string_view::npos) return read;
  read.after = read.job.substr(plus);
  read.job = read.job.substr(0, plus);
  return read;
}

std::string dependency_text(const Related& one) {
  const DependsOn on = read_dependency(one.name);
  std::string text = fmt::format("it waits for its dependency {}", one.name);
  if (on.type == "singleton") text = "it waits until the earlier jobs of its name and its owner have ended";
  for (const auto& [type, words] : kDependencies)
    if (on.type == type && !on.job.empty() && on.after.empty())
      text = fmt::format(fmt::runtime(words), on.job);
  if (one.text == "any") text = fmt::format("{}, or another of these is met", text);
  return one.state == "failed" ? fmt::format("{}, which can no longer come true", text) : text;
}

// "PersistentVolumeClaim data: Pending: storage class fast", "event: FailedMount, 12 times: …"
std::string sentence_of(const Related& one) {
  if (one.source == Teller::job && one.kind == "Dependency") return dependency_text(one);
  std::string text = one.name.empty() ? one.kind : fmt::format("{} {}", one.kind, one.name);
  if (!one.state.empty()) text += fmt::format(": {}", one.state);
  if (one.count > 1) text += fmt::format(", {} times", one.count);
  if (!one.text.empty()) text += fmt::format(": {}", one.text);
  return text;
}

// Those that are short first.
void add_licences(Answer& answer, const Details& details) {
  const auto is_short = [](const Licence& one) { return one.free && *one.free < one.asked; };
  std::vector<Licence> all = details.licences;
  std::stable_partition(all.begin(), all.end(), is_short);
  for (const Licence& one : all) {
    const bool listed = one.free && one.total;
    std::string text =
        listed ? fmt::format("{} of {} licences {} are free, and it asks for {}", *one.free, *one.total,
                             one.name, one.asked)
               : fmt::format("the licence {}, of which it asks for {}, is not listed", one.name, one.asked);
    if (one.one_of) text = fmt::format("{}, or for another", text);
    answer.more.push_back({std::move(text), listed ? Certainty::certain : Certainty::unknown, Source::none,
                           word(Teller::licences)});
  }
}

// What the scheduler's own message says already is not said twice.
void add_related(Answer& answer, const Workload& pod, const Details& details) {
  std::vector<const Related*> all;
  for (const Related& one : details.related) {
    if (against_node(one) || !unjudged_in(one).empty()) continue;
    if (one.text.empty() || one.text != pod.reason) all.push_back(&one);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Related* a, const Related* b) { return a->in_the_way > b->in_the_way; });
  if (all.size() > kMostRelated) all.resize(kMostRelated);
  for (const Related* one : all)
    answer.more.push_back({sentence_of(*one), Certainty::certain, Source::none, word(one->source)});
}

void forget(std::vector<std::string>& untold, std::string_view begin) {
  std::erase_if(untold, [&](const std::string& one) { return one.starts_with(begin); });
}

// What a pod itself says of these is held against each node, or named as not judged.
constexpr std::string_view kToldByPod[] = {
    "its CPUs and memory", "its node selector, affinity and tolerations", "its priority class"};

// What was asked for is known now, or it is known why not.
void settle_untold(Answer& answer, const Details& details) {
  if (!details.priorities.empty()) forget(answer.untold, "its priority, and its place in the queue");
  if (details.limits_enforced == false) forget(answer.untold, "the limits of its QOS and association");
  for (const Inquiry& one : details.asked) {
    if (one.source == Teller::pod && !one.failure)
      for (const std::string_view known : kToldByPod) forget(answer.untold, known);
    const std::string_view about = one.source == Teller::limits ? "the limits of its QOS and association"
                                   : one.source == Teller::admission
                                       ? "which queue admits it (Kueue, Volcano, KAI)"
                                       : "";
    if (!about.empty()) forget(answer.untold, about);
    if (one.failure)
      answer.untold.push_back(fmt::format("{}: {}", word(one.source), to_line(*one.failure)));
    else if (!one.note.empty())
      answer.untold.push_back(fmt::format("{}: {}", word(one.source), one.note));
  }
  for (const Related& one : details.related)
    if (std::string phrase = unjudged_in(one); !phrase.empty()) answer.untold.push_back(std::move(phrase));
}

}  // namespace

std::string depended_on(const Related& one) {
  if (one.source != Teller::job || one.kind != "Dependency") return {};
  return std::string(job_number(read_dependency(one.name).job));
}

void add_details(Answer& answer, const Workload& workload, const Details* details) {
  if (details == nullptr) return;
  add_limits(answer, workload, *details);
  add_licences(answer, *details);
  add_related(answer, workload, *details);
  add_priority(answer, *details);
  settle_untold(answer, *details);
  answer.asked = details->asked;
  answer.asked_at = details->at;
}

}  // namespace tessera::why
