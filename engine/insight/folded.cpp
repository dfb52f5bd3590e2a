#include "engine/insight/folded.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "engine/model/tell.hpp"

namespace tessera::insight {

std::vector<FoldedEvent> folded(const std::vector<const LogEntry*>& newest_first) {
  std::vector<std::vector<std::size_t>> groups;                // places of those that are alike, newest first
  std::unordered_map<std::string, std::size_t> open;           // the group that the next one may join
  std::vector<std::unordered_set<std::string_view>> subjects;  // of each group
  std::vector<std::size_t> group_of(newest_first.size());
  for (std::size_t i = 0; i < newest_first.size(); ++i) {
    const LogEntry& entry = *newest_first[i];
    std::string key = alike_in(entry);
    const auto found = key.empty() ? open.end() : open.find(key);
    // "4 nodes: ok → down" are four nodes, never one that went down four times.
    const bool joins = found != open.end() &&
                       newest_first[groups[found->second].back()]->at - entry.at <= kFoldGap &&
                       !subjects[found->second].contains(entry.subject);
    if (!joins) groups.emplace_back(), subjects.emplace_back();
    group_of[i] = joins ? found->second : groups.size() - 1;
    groups[group_of[i]].push_back(i);
    subjects[group_of[i]].insert(entry.subject);
    if (!joins && !key.empty()) open[std::move(key)] = group_of[i];
  }
  std::vector<FoldedEvent> lines;
  for (std::size_t i = 0; i < newest_first.size(); ++i) {
    const std::vector<std::size_t>& group = groups[group_of[i]];
    if (group.size() < kFewestFolded) {
      lines.push_back({newest_first[i]});
    } else if (group.front() == i) {
      FoldedEvent line{newest_first[i]};
      for (const std::size_t place : group) line.all.push_back(newest_first[place]);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace tessera::insight
