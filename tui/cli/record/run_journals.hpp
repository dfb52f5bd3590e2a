// The journals of the runs of one cluster, as far as its recording has them: which are to be read, and which
// of their lines are to be written.
// Threads: a value of one thread.
#pragma once

#include <map>
#include <string>

#include "engine/model/run_news.hpp"
#include "engine/record/recorder.hpp"
#include "engine/record/recording.hpp"

namespace tessera::cli {

class RunJournals {
 public:
  // Behind what is recorded already. since: what ended before belongs to no moment of the recording.
  RunJournals(TimePoint since, record::RunLines recorded) : since_(since), recorded_(std::move(recorded)) {}

  // Whether its journal may have lines that were not read yet. It counts as read from then on.
  bool wants(const RunHead& head);
  // Lines of a journal, all that stand in it.
  void take(const std::string& run, std::string text) { texts_[run] = std::move(text); }
  // It could not be read: the next list tells of it again.
  void forget(const std::string& run) { read_.erase(run); }

  // Of a round: what was recorded before it, where it begins a key frame, and the lines that are new.
  std::string lines(const record::Recorder& recorder, TimePoint at, bool key) const;
  // These are on the disk. Until then they stay new.
  void written();

 private:
  TimePoint since_;
  record::RunLines recorded_;
  std::map<std::string, RunHead> read_;
  std::map<std::string, std::string> texts_;  // of which lines may be new
};

}  // namespace tessera::cli
