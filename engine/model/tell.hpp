// What an admin wants to have been told when a node, a job or a pod is otherwise than before: entries of the
// log, without time and number. Nothing is told of what was not known before.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera {

// Its health in the scheduler's words, with who closed it and why, and the slices of its GPUs.
std::vector<LogEntry> news_of(const Node& before, const Node& now, Scheduler scheduler);

// before: nullptr: it was not listed. now: nullptr: it is no longer listed; where its state is ended,
// state_word says how. Where it ran and what it held come from the one that has it.
std::optional<LogEntry> news_of(const Cluster& cluster, const Workload* before, const Workload* now,
                                TimePoint at);

// Of tasks of an array that waited in the line `before` and are listed no more: of those of that id alone.
// how: they ended; empty: that is not told.
LogEntry news_of_tasks(const Cluster& cluster, Workload before, WorkloadId tasks, const std::string& how);

// Entries of the same kind of thing, of which there are more than `most`, become one: the first of them, with
// its count and the text of many. Up to LogEntry::kMostNodes nodes are still named. The order stays.
std::vector<LogEntry> in_few(std::vector<LogEntry> entries, int most);
// Alike in all that text_of_many says; empty: it stands alone.
std::string alike_in(const LogEntry& entry);
// "12 jobs of alice started on pool h100", "300 nodes: appeared"
std::string text_of_many(const LogEntry& entry, int count);

// What news of a node and the finding about it say of a GPU: "GPU 3: MIG mode change is pending". The finding
// has its beginning from the news.
inline constexpr std::string_view kModePending = "MIG mode change is pending";
// What is told of a node that is listed no more. What was told of it before may be over by its return.
inline constexpr std::string_view kGone = "gone from the list";

// What is held by it, in one word: "1g.10gb", "whole", "MPS".
std::string held_name(const Allocation& allocation);
// All that a job or pod holds: "2 × 1g.10gb, 1 × whole"; of a pod's shares "2 shares".
std::string held_text(const Workload& work);

}  // namespace tessera
