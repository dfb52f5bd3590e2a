// What a line of a journal costs before the step that it announces: written, on the disk, against a bare
// write and fsync of the same bytes; and how long a long journal takes to read. On the disk of the current
// folder.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "backends/runs/store.hpp"

namespace tessera::bench {
namespace {

// A folder beside the program's working folder: /tmp may be memory.
class Folder {
 public:
  Folder() : path_(std::filesystem::current_path() / "journal-bench") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
    std::filesystem::permissions(path_, std::filesystem::perms(0700));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

plan::Entry entry(std::int64_t number) {
  plan::CreateInstances create;
  create.instances = {{ProfileName("1g.10gb"), {2, 1}, {}}, {ProfileName("2g.20gb"), {4, 2}, {}}};
  create.beside = {{ProfileName("1g.10gb"), {0, 1}, 7}, {ProfileName("1g.10gb"), {1, 1}, 8}};
  return {number, TimePoint(std::chrono::seconds(1'800'000'000)), NodeName("n0031"),
          plan::StepBegun{"n0031/5", 1, create}};
}

using Clock = std::chrono::steady_clock;

// Turn by turn, so that a busy disk is busy for both.
void AppendAgainstBareSync(benchmark::State& state) {
  Folder folder;
  runs::JournalStore store(folder.path(), "", nullptr);
  auto made = store.create("r1");
  if (!made) return state.SkipWithError("cannot make the journal");
  plan::Chain chain;
  const std::string line = to_line(entry(1), chain);
  int fd = open((folder.path() + "/bare").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::int64_t number = 0;
  Clock::duration ours{0}, bare{0};
  for (auto _ : state) {
    Clock::time_point begin = Clock::now();
    if (!made->file.append(to_line(entry(++number), chain))) state.SkipWithError("cannot append");
    Clock::time_point middle = Clock::now();
    if (write(fd, line.data(), line.size()) < 0 || fsync(fd) != 0) state.SkipWithError("cannot write");
    ours += middle - begin, bare += Clock::now() - middle;
  }
  close(fd);
  using Micro = std::chrono::duration<double, std::micro>;
  auto rounds = static_cast<double>(state.iterations());
  state.counters["append_us"] = Micro(ours).count() / rounds;
  state.counters["bare_us"] = Micro(bare).count() / rounds;
  state.counters["ratio"] = Micro(ours) / Micro(bare);
}
BENCHMARK(AppendAgainstBareSync)->Unit(benchmark::kMicrosecond)->UseRealTime();

void JournalRead(benchmark::State& state) {
  plan::RunStarted started;
  started.run = "r1";
  plan::Chain chain;
  std::string text = to_line(plan::Entry{1, entry(1).at, {}, started}, chain);
  for (std::int64_t line = 2; line <= state.range(0); ++line) text += to_line(entry(line), chain);
  for (auto _ : state) benchmark::DoNotOptimize(plan::parse_journal(text, "r1"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(JournalRead)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::bench
