#include "tui/cli/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/query/value.hpp"
#include "engine/record/anonymous.hpp"
#include "engine/record/recorder.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/doctor.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/record/list.hpp"
#include "tui/cli/record/run_journals.hpp"
#include "tui/version.hpp"

namespace tessera::cli {
namespace {

// One cluster and where it is written.
struct Writer {
  std::unique_ptr<record::Tape> tape;
  record::Recorder recorder;
  RunJournals journals;
  std::string complained;
  int rounds = 0;
};

class Loop {
 public:
  Loop(const Options& options, const mig::Catalogue& catalogue, const Joins& joins, const Streams& streams)
      : options_(options),
        catalogue_(catalogue),
        joins_(joins),
        streams_(streams),
        clusters_(options, catalogue, joins, streams) {}

  int run() {
    if (!joins_.tape || options_.recording.empty())
      return complain(streams_, {"cannot record", "no folder is named for it",
                                 "tessera record --folder FOLDER, or `recording` in config.yaml"}),
             kUsage;
    if (auto failed = clusters_.open()) return *failed;
    clusters_.catch_signals();
    if (Status opened = open_tapes(); !opened) return complain(streams_, opened.error()), kUsage;
    clusters_.on_news = [this](const Event& event) { note_run(event); };
    if (auto failed = clusters_.start(options_.cluster)) return *failed;
    for (const BackendPtr& backend : clusters_.backends()) backend->set_pace(Pace::idle);
    if (!clusters_.wait_until_loaded()) return kDone;
    ask_for_runs();
    if (runs_asked_ && !clusters_.wait_until([this] { return !runs_asked_ && reading_.empty(); }))
      return kDone;
    return rounds();
  }

 private:
  // Behind what a recorder told there before. What cannot be read is nothing to go on from.
  static Writer writer_behind(const std::vector<std::unique_ptr<record::Recording>>& before,
                              std::unique_ptr<record::Tape> tape, record::Wanted wanted,
                              const ClusterName& written, TimePoint now) {
    record::Recorder recorder(std::move(wanted));
    TimePoint since = now;
    record::RunLines lines;
    for (const auto& one : before) {
      const auto covered = one->cluster() == written ? one->covered() : std::nullopt;
      if (!covered) continue;
      const bool read = one->at(covered->to).ok();
      auto idle = read ? one->idle() : std::nullopt;
      recorder.go_on_behind(covered->to, std::move(idle).value_or(std::vector<history::ToldIdle>()));
      if (read) lines = one->run_lines().value_or(record::RunLines());
      since = std::min(since, covered->from);
    }
    return {std::move(tape), std::move(recorder), RunJournals(since, std::move(lines)), {}};
  }

  Status open_tapes() {
    std::vector<std::unique_ptr<record::Recording>> before;
    if (joins_.recordings)
      if (auto there = joins_.recordings(options_.recording)) before = std::move(*there);
    for (const BackendPtr& backend : clusters_.backends()) {
      const ClusterName name = backend->name();
      if (!options_.cluster.empty() && name.text != options_.cluster) continue;
      if (writers_.contains(name))
        continue;  // Prometheus measures beside Slurm: a backend of the same cluster
      record::Keep keep = options_.keep;
      keep.tessera = tui::version();
      // Under other names it is another recording: its folder gives none away, and no round of the one is in
      // a file of the other.
      const std::string& salt = options_.hash_names;
      const ClusterName written = salt.empty() ? name : ClusterName(record::hashed(name.text, salt));
      auto tape = joins_.tape(options_.recording, written, std::move(keep));
      if (!tape) return tape.error();
      record::Wanted wanted{options_.every, std::string(tui::version()), salt};
      wanted.began = clusters_.wall();
      wanted.findings = [this](const Cluster& cluster, TimePoint wall) {
        return doctor_findings(clusters_.model(), cluster, catalogue_, options_, wall);
      };
      writers_.emplace(name,
                       writer_behind(before, std::move(*tape), std::move(wanted), written, clusters_.wall()));
    }
    return Done{};
  }

  int rounds() {
    const int code = write_rounds();
    for (auto& [name, writer] : writers_) end(writer);
    return code;
  }

  // Behind a round that was not written nothing is ended in order.
  void end(Writer& writer) {
    if (writer.rounds == 0 || !writer.complained.empty()) return;
    const TimePoint at = writer.recorder.at();
    if (const Status ended = writer.tape->write(writer.recorder.end_line(), at, false); !ended)
      complain(streams_, ended.error());
  }

  int write_rounds() {
    int code = kDone, done = 0;
    TimePoint next = clusters_.wall();
    for (;;) {
      clusters_.take_events();
      code = write_all();
      ask_for_runs();
      if (!std::exchange(paced_, true)) tell_paces();
      if (options_.rounds > 0 && ++done >= options_.rounds) return wait_for_older_days() ? code : kDone;
      if (!wait_for_next(next)) return kDone;
    }
  }

  // From one round to the next one. A clock that was set, also while it waits, or a machine that slept: that
  // one is a pace away. False: it was ended meanwhile.
  bool wait_for_next(TimePoint& next) {
    next += options_.every;
    TimePoint now = clusters_.wall();
    if (next < now) next = now + options_.every;
    for (; now < next; now = clusters_.wall()) {
      next = std::min(next, now + options_.every);
      if (!clusters_.sleep(next - now)) return false;
      clusters_.take_events();
    }
    return true;
  }

  // The cluster is never asked more often for a recorder than for an idle console.
  void tell_paces() {
    for (const auto& [name, writer] : writers_) {
      const Cluster* cluster = clusters_.model().find(name);
      if (!cluster || cluster->pace.interval <= options_.every) continue;
      complain(streams_,
               {name.text + ": rounds are written more often than the cluster is asked",
                fmt::format("it is asked every {} at most",
                            query::duration_text(cluster->pace.interval / std::chrono::seconds(1))),
                "what lies between is written once it is told; --every of that time makes smaller files, and "
                "--interval asks more often"});
    }
  }

  // False: it was ended meanwhile.
  bool wait_for_older_days() {
    constexpr Duration kLook{50};
    for (auto& [name, writer] : writers_) {
      while (writer.tape->busy())
        if (!clusters_.sleep(kLook)) return false;
      tell_trouble(writer);
    }
    return true;
  }

  void tell_trouble(Writer& writer) {
    while (const auto trouble = writer.tape->trouble()) complain(streams_, *trouble);
  }

  int write_all() {
    bool whole = true;
    for (auto& [name, writer] : writers_) {
      const Cluster* cluster = clusters_.model().find(name);
      if (cluster) clusters_.tell_failures(*cluster);
      if (!cluster || !cluster->loaded) {
        whole = false;
        continue;
      }
      const TimePoint wall = clusters_.wall(), at = cluster_now(*cluster, wall);
      const bool key = writer.tape->wants_key(at);
      std::string lines = writer.recorder.take(*cluster, wall, key);
      lines += writer.journals.lines(writer.recorder, at, key);
      const Status written = writer.tape->write(lines, at, key);
      whole &= written.ok();
      if (written) writer.journals.written();
      ++writer.rounds;
      // Said once for as long as it is the same; recording goes on once there is room again.
      const std::string said = written ? "" : to_line(written.error());
      if (!written && said != writer.complained) complain(streams_, written.error());
      writer.complained = said;
      tell_trouble(writer);
    }
    return whole ? kDone : kUnknown;
  }

  // Which runs there are; what is new in their journals is in the next round. With digests for names none is
  // told.
  void ask_for_runs() {
    if (!clusters_.runs() || !options_.hash_names.empty()) return;
    runs_asked_ = true;
    clusters_.runs()->list();
  }

  void note_run(const Event& event) {
    if (const auto* listed = std::get_if<RunsListed>(&event.what)) read_moved(*listed);
    if (const auto* told = std::get_if<RunTold>(&event.what)) {
      if (Writer* writer = reader_of(told->run); writer && told->from_start)
        writer->journals.take(told->run, told->lines);
      reading_.erase(told->run);
    }
    if (const auto* refused = std::get_if<RunRefused>(&event.what)) {
      if (Writer* writer = reader_of(refused->run)) writer->journals.forget(refused->run);
      reading_.erase(refused->run);
      runs_asked_ = runs_asked_ && !refused->run.empty();
    }
  }

  void read_moved(const RunsListed& listed) {
    runs_asked_ = false;
    for (const RunHead& head : listed.runs) {
      const auto writer = writers_.find(head.cluster);
      if (writer == writers_.end() || !writer->second.journals.wants(head)) continue;
      reading_.insert_or_assign(head.run, head.cluster);
      clusters_.runs()->read(head.run);
    }
  }

  // nullptr: its journal was not asked for.
  Writer* reader_of(const std::string& run) {
    const auto cluster = reading_.find(run);
    return cluster == reading_.end() ? nullptr : &writers_.at(cluster->second);
  }

  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Joins& joins_;
  const Streams& streams_;
  OpenClusters clusters_;
  std::map<ClusterName, Writer> writers_;
  std::map<std::string, ClusterName> reading_;  // runs of which the journal was asked for
  bool runs_asked_ = false;                     // a list of them is on its way
  bool paced_ = false;                          // tell_paces() was called
};

}  // namespace

int run_record(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  if (!options.words.empty()) return list_recording(options, joins, streams);
  return Loop(options, catalogue, joins, streams).run();
}

std::string record_unit() {
  return R"([Unit]
Description=tessera flight recorder of this cluster's GPUs
Documentation=man:tessera-record(1)
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=/usr/bin/tessera record --folder /var/lib/tessera/recording
# Where a month of it is too large, days older than a week may keep use each ten minutes: --thin 7d=10m
# A user who may look at the cluster and no more; make it first: useradd --system tessera
# For Kubernetes, give it a kubeconfig with the role that `tessera doctor --rbac` prints:
# Environment=KUBECONFIG=/etc/tessera/kubeconfig
User=tessera
StateDirectory=tessera
StateDirectoryMode=0750
Restart=on-failure
RestartSec=30
CPUQuota=50%
MemoryMax=1G
IOSchedulingClass=idle
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
LockPersonality=yes
# kubectl, curl, ssh and helpers in Go or Python run under this. Node.js and Java make code at run time: for a helper
# in one of these set it to no
MemoryDenyWriteExecute=yes
PrivateMounts=yes
ProtectProc=invisible
RemoveIPC=yes
DevicePolicy=closed
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
UMask=0027
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
)";
}

}  // namespace tessera::cli
