// Days of slurmdbd that are kept: when an answer may stand for what slurmdbd would say, and what is no
// answer.
#include "backends/slurm/accounting_cache.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "backends/record/zstd_stream.hpp"
#include "backends/slurm/accounting.hpp"
#include "backends/slurm/parse/parse_accounting.hpp"
#include "tests/backends/slurm/fixtures.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kToday = 20'781 * kDay;  // midnight
TimePoint second(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

std::string job(const std::string& id, std::int64_t start, const std::string& end,
                const std::string& user = "alice") {
  const std::string sep(1, kAccountingComma);
  std::string text = id;
  for (const std::string& one :
       {user, std::string("ml"), std::string("gpu"), std::string("RUNNING"), std::to_string(start),
        std::to_string(start), end, std::string("gres/gpu:h100=1,gres/gpu=1"), std::string("n1"),
        std::string(), std::string(), std::string(), std::string()})
    text += sep + one;
  return text + "\n";
}

// A slurmdbd whose answers about each day are files; what it was asked is kept.
struct Site {
  test::Scratch folder;
  SlurmClient client;
  AccountingAsker who{"alice", 0};
  AccountingQuestion question;

  Site() {
    client.bin = folder.path();
    program("sacct",
            "d=\"$(dirname \"$0\")\"; f=; for w in \"$@\"; do case \"$w\" in uts*) "
            "test -n \"$f\" || f=\"$w\";; esac; done; echo \"$f\" >> \"$d/calls\"; cat \"$d/$f\" "
            "2>/dev/null; true");
    configure("127.0.0.1");
    question.cluster = ClusterName("hpc");
    question.now = question.to = second(kToday + 3600);
    question.from = second(kToday - 6 * kDay + 3600);
    question.cache = folder.path() + "/cache/tessera/accounting";
  }
  void configure(const std::string& host, const std::string& version = "25.11.4") {
    program("sacctmgr", "printf '%s\\n' 'AccountingStorageHost = " + host + "' 'SLURM_VERSION = " + version +
                            "' 'SlurmDBD configuration:' 'PrivateData = none' 'StorageLoc = slurm_acct_db'");
  }
  void program(const std::string& name, const std::string& text) {
    const std::string file = folder.path() + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  // What slurmdbd says of the day that ended so many days ago; 0: today.
  void say(int days_ago, const std::string& answer) {
    std::ofstream(folder.path() + "/uts" + std::to_string(kToday - days_ago * kDay)) << answer;
  }
  usage::PastJobs read() {
    auto past = read_accounting(client, who, question);
    EXPECT_TRUE(past) << (past ? "" : to_line(past.error()));
    return past ? *past : usage::PastJobs{};
  }
  int calls() const {
    std::ifstream file(folder.path() + "/calls");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& one : fs::directory_iterator(question.cache)) all.push_back(one.path());
    std::sort(all.begin(), all.end());
    return all;
  }
};

const usage::PastJob* find(const usage::PastJobs& past, std::string_view id) {
  for (const usage::PastJob& one : past.jobs)
    if (one.id.text == id) return &one;
  return nullptr;
}

TEST(AccountingCache, DaysThatAreOverAreAskedOnce) {
  Site site;
  site.say(3, job("7", kToday - 3 * kDay + 10, std::to_string(kToday - 3 * kDay + 100)));
  const usage::PastJobs first = site.read();
  EXPECT_EQ(first.told.days, 7);
  EXPECT_EQ(first.told.kept_days, 0);
  EXPECT_EQ(site.calls(), 7);
  const usage::PastJobs second_time = site.read();
  EXPECT_EQ(second_time.told.days, 7);
  EXPECT_EQ(second_time.told.kept_days, 5);
  EXPECT_EQ(site.calls(), 7 + 2) << "today and yesterday may still change";
  ASSERT_EQ(second_time.jobs.size(), 1U);
  EXPECT_EQ(second_time.jobs[0].ended, first.jobs[0].ended);
  EXPECT_EQ(second_time.told.cache_trouble, "");
}

TEST(AccountingCache, WhatAskingCostsIsCountedApartFromWhatIsKept) {
  Site site;
  const std::string told = job("7", kToday - 3 * kDay + 10, std::to_string(kToday - 3 * kDay + 100));
  const std::string today = job("8", kToday + 10, "Unknown");
  site.say(3, told);
  site.say(0, today);
  const usage::AskingCost first = site.read().cost;
  EXPECT_EQ(first.commands, 7 + 2) << "sacctmgr tells who may see which jobs, and what is kept of GPUs";
  EXPECT_EQ(first.lines, 2);
  EXPECT_EQ(first.kept_lines, 0);
  const usage::AskingCost second_time = site.read().cost;
  EXPECT_EQ(second_time.commands, 2 + 2) << "of this question alone";
  EXPECT_EQ(second_time.lines, 1);
  EXPECT_EQ(second_time.kept_lines, 1);
  EXPECT_EQ(first.bytes - second_time.bytes, std::ssize(told)) << "what is kept was not printed again";
  EXPECT_GE(second_time.bytes, std::ssize(today));
  EXPECT_GE(second_time.took.count(), 0);
  site.question.ask_again = true;
  const usage::AskingCost again = site.read().cost;
  EXPECT_EQ(again.commands, 7 + 2);
  EXPECT_EQ(again.kept_lines, 0);
}

TEST(AccountingCache, ADayIsKeptOnlyADayAfterItsEnd) {
  Site site;
  site.question.now = site.question.to = second(kToday - 1);  // "yesterday" is not over
  site.read();
  EXPECT_EQ(site.files().size(), 4U);
  site.question.now = site.question.to = second(kToday + kDay);  // it ended a day ago
  EXPECT_EQ(site.read().told.kept_days, 4) << "not those between, which were asked too early";
  EXPECT_EQ(site.read().told.kept_days, 6) << "now they are";
}

TEST(AccountingCache, AJobThatRanOverMidnightEndsAsTheNextDayTells) {
  Site site;
  const std::int64_t start = kToday - 5 * kDay + 10;
  for (int ago : {5, 4, 3, 2, 1, 0}) site.say(ago, job("7", start, "Unknown"));
  EXPECT_EQ(find(site.read(), "7")->ended, std::nullopt);
  // It ends today: days that are kept still tell it as running.
  site.say(0, job("7", start, std::to_string(kToday + 60)));
  const usage::PastJobs past = site.read();
  EXPECT_EQ(past.told.kept_days, 5);
  ASSERT_EQ(past.jobs.size(), 1U);
  EXPECT_EQ(past.jobs[0].ended, second(kToday + 60));
}

// slurmctld was away, or an admin mended a runaway job: it would hold its GPUs until now.
TEST(AccountingCache, AJobWhoseEndBecameKnownLaterMakesItsDayAskedAgain) {
  Site site;
  const std::int64_t start = kToday - 5 * kDay + 10;
  for (int ago : {5, 4, 3, 2, 1, 0}) site.say(ago, job("7", start, "Unknown"));
  site.read();
  site.say(5, job("7", start, std::to_string(start + 60)));
  for (int ago : {4, 3, 2, 1, 0}) site.say(ago, "");
  const usage::PastJobs past = site.read();
  ASSERT_EQ(past.jobs.size(), 1U);
  EXPECT_EQ(past.jobs[0].ended, second(start + 60));
  EXPECT_EQ(past.told.kept_days, 1) << "the one without that job";
  EXPECT_EQ(site.read().told.kept_days, 5) << "the new answers are kept";
}

TEST(AccountingCache, WhatEndedBeforeTheStretchIsNotTold) {
  Site site;
  const std::int64_t day = kToday - 6 * kDay;
  site.say(6,
           job("1", day + 10, std::to_string(day + 3599)) + job("2", day + 10, std::to_string(day + 3601)));
  for (int round = 0; round < 2; ++round) {
    const usage::PastJobs past = site.read();
    ASSERT_EQ(past.jobs.size(), 1U);
    EXPECT_EQ(past.jobs[0].id.text, "2");
  }
}

// Where PrivateData is not told, a day without another's job may have own jobs alone.
TEST(AccountingCache, ADayThatDoesNotShowJobsOfOthersIsNotKeptWherePrivateDataIsNotTold) {
  Site site;
  site.configure("127.0.0.1", "26.05.5");
  site.who = {"alice", 1000};
  const auto ended = [](int days_ago, const char* id, const char* user) {
    const std::int64_t begin = kToday - days_ago * kDay + 10;
    return job(id, begin, std::to_string(begin + 90), user);
  };
  site.say(0, ended(0, "10", "bob"));
  site.say(3, ended(3, "7", "alice"));
  site.say(4, ended(4, "8", "bob") + ended(4, "9", "alice"));
  EXPECT_EQ(site.read().told.kept_days, 0);
  EXPECT_EQ(site.read().told.kept_days, 1) << "that of bob's job";
  site.say(0, "");
  const auto past = read_accounting(site.client, site.who, site.question);
  ASSERT_FALSE(past) << "what is asked now shows no job of another, whatever was told before";
  EXPECT_NE(past.error().reason.find("perhaps only own jobs"), std::string::npos) << past.error().reason;
}

TEST(AccountingCache, AnotherClusterDatabaseUserOrVersionFindsNothing) {
  Site site;
  site.read();
  const AccountingQuestion usual = site.question;
  site.question.cluster = ClusterName("other");
  EXPECT_EQ(site.read().told.kept_days, 0);
  site.question = usual;
  site.who = {"bob", 4711};
  EXPECT_EQ(site.read().told.kept_days, 0);
  site.who = {"alice", 0};
  site.configure("10.0.0.1");
  EXPECT_EQ(site.read().told.kept_days, 0);
  site.configure("127.0.0.1");
  EXPECT_EQ(site.read().told.kept_days, 5) << "and those are still there";
}

// An answer about own jobs alone must never be kept as that about all.
TEST(AccountingCache, NothingIsServedToAUserWhoMayNoLongerSeeAllJobs) {
  Site site;
  site.who = {"bob", 4711};
  site.read();
  site.program("sacctmgr",
               "case \"$*\" in *adminlevel*) echo None;; *) printf '%s\\n' 'AccountingStorageHost = "
               "127.0.0.1' 'SlurmDBD configuration:' 'PrivateData = jobs';; esac");
  const auto past = read_accounting(site.client, site.who, site.question);
  ASSERT_FALSE(past);
  EXPECT_NE(past.error().reason.find("only own jobs"), std::string::npos);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void put(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(AccountingCache, AFileWithAnyByteChangedOrCutIsNotRead) {
  test::Scratch folder;
  const TimePoint now = second(kToday), day = second(kToday - 5 * kDay);
  AccountingCache cache(folder.path() + "/cache", "the same", now);
  std::string answer;
  for (int i = 0; i < 40; ++i) answer += job(std::to_string(i * 7919), kToday - 5 * kDay + i * i, "Unknown");
  cache.keep(day, answer);
  const fs::path file = fs::directory_iterator(folder.path() + "/cache")->path();
  const std::string whole = bytes_of(file);
  const auto refused = [&](const std::string& bytes) {
    put(file, bytes);
    return !cache.find(day);
  };
  EXPECT_FALSE(refused(whole));
  int kept = 0;
  for (std::size_t at = record::kMarkBytes; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    put(file, flipped);
    // The decoder ignores some bits: then the answer is still the whole one.
    EXPECT_EQ(cache.find(day).value_or(answer), answer) << at;
    kept += cache.find(day) ? 1 : 0;
    EXPECT_TRUE(refused(whole.substr(0, at))) << at;
  }
  EXPECT_LT(kept, 20) << "of " << whole.size();
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused(whole + whole));
  EXPECT_TRUE(refused(whole + "x"));
  EXPECT_TRUE(refused(std::string(1000, 'x')));
}

TEST(AccountingCache, WhatIsDamagedIsAskedAgain) {
  Site site;
  for (int ago : {6, 5, 4, 3, 2})
    site.say(ago, job(std::to_string(ago), kToday - ago * kDay + 5000,
                      std::to_string(kToday - ago * kDay + 6000)));
  site.read();
  put(site.files()[2], bytes_of(site.files()[2]).substr(0, 100));
  const usage::PastJobs past = site.read();
  EXPECT_EQ(past.told.kept_days, 4);
  EXPECT_EQ(past.jobs.size(), 5U);
  EXPECT_EQ(site.read().told.kept_days, 5) << "and kept again";
}

// Whole and well compressed, but not what it says that it is.
TEST(AccountingCache, AFileWithAnotherHeadIsAskedAgain) {
  Site site;
  site.read();
  const std::vector<fs::path> files = site.files();
  const auto frames = record::frames_in(bytes_of(files[2]));
  ASSERT_TRUE(frames);
  const auto text = record::text_of(bytes_of(files[2]), frames->front());
  ASSERT_TRUE(text);
  const auto write = [&](std::string head, const std::string& old, const std::string& now,
                         const std::string& behind = "") {
    if (!old.empty()) head.replace(head.find(old), old.size(), now);
    record::Compressor compressor;
    std::string bytes = compressor.begin(second(0)) + compressor.add(head + behind);
    put(files[2], bytes + compressor.end());
    return site.read().told.kept_days;
  };
  EXPECT_EQ(write(*text, "", ""), 5) << "as it was";
  EXPECT_EQ(write(*text, "\"version\":2", "\"version\":1"), 4) << "it knew the last run of a job alone";
  EXPECT_EQ(write(*text, "cluster hpc", "cluster abc"), 4);
  EXPECT_EQ(write(*text, "for alice", "for carol"), 4);
  EXPECT_EQ(write(*text, "\"bytes\":0", "\"bytes\":9"), 4);
  EXPECT_EQ(write(*text, "", "", job("8", kToday - 4 * kDay + 10, "")), 4) << "more than it says";
  EXPECT_EQ(write("no JSON\n", "", ""), 4);
  EXPECT_EQ(write("{}\n", "", ""), 4);
  EXPECT_EQ(write("{\"asked\":7}\n", "", ""), 4);
}

TEST(AccountingCache, AnAnswerWithLinesThatCannotBeReadIsNotKept) {
  Site site;
  site.say(3, "something else\n" + job("9", kToday - 3 * kDay + 10, std::to_string(kToday - 3 * kDay + 99)));
  EXPECT_EQ(site.read().told.unread, 1);
  const usage::PastJobs past = site.read();
  EXPECT_EQ(past.told.kept_days, 4);
  EXPECT_EQ(past.told.unread, 1) << "it is told each time";
}

TEST(AccountingCache, AnswersAreAskedAgainWhenTheyAreOldOrTheClockWasSetBackOrOneSaysSo) {
  Site site;
  site.read();
  const AccountingQuestion usual = site.question;
  site.question.ask_again = true;
  EXPECT_EQ(site.read().told.kept_days, 0);
  site.question = usual;
  EXPECT_EQ(site.read().told.kept_days, 5);
  site.question.now += kOldestAnswer + Duration{1000};
  EXPECT_EQ(site.read().told.kept_days, 0);
  site.question.now = usual.now;
  EXPECT_EQ(site.read().told.kept_days, 0) << "they come from the future now";
}

TEST(AccountingCache, AFolderThatOthersMayOpenIsNotUsedAndThatIsSaid) {
  Site site;
  site.read();
  fs::permissions(site.question.cache, fs::perms::owner_all | fs::perms::group_read);
  const usage::PastJobs past = site.read();
  EXPECT_EQ(past.told.kept_days, 0);
  EXPECT_NE(past.told.cache_trouble.find("chmod 700"), std::string::npos) << past.told.cache_trouble;
  EXPECT_EQ(past.told.days, 7) << "the answer is there all the same";
}

TEST(AccountingCache, ALinkOrAFileOfOthersInTheFolderIsNotRead) {
  Site site;
  site.read();
  const std::vector<fs::path> files = site.files();
  fs::rename(files[1], site.folder.path() + "/elsewhere");
  fs::create_symlink(site.folder.path() + "/elsewhere", files[1]);
  fs::permissions(files[3], fs::perms::owner_all | fs::perms::others_write);
  EXPECT_EQ(site.read().told.kept_days, 3);
  EXPECT_EQ(site.read().told.kept_days, 5) << "both were replaced";
  EXPECT_FALSE(fs::is_symlink(files[1]));
}

TEST(AccountingCache, OldFilesAndWhatAKillLeftBehindGo) {
  Site site;
  site.read();
  const std::vector<fs::path> files = site.files();
  const fs::path part = files[0].parent_path() / ".part-x";
  put(part, "half");
  const auto old = fs::file_time_type::clock::now();
  fs::last_write_time(part, old - std::chrono::hours(2));
  const fs::path other = files[0].parent_path() / "2020-01-10-0.jobs.zst",
                 note = files[0].parent_path() / "note";
  put(other, "of another cluster"), put(note, "not ours");
  fs::last_write_time(other, old - std::chrono::hours(24 * 31));
  fs::last_write_time(note, old - std::chrono::hours(24 * 31));
  fs::remove(files[4]);
  site.read();  // one more is kept, and the rest looked through
  EXPECT_FALSE(fs::exists(part));
  EXPECT_FALSE(fs::exists(other));
  EXPECT_TRUE(fs::exists(note)) << "what has another name is left alone";
  EXPECT_EQ(site.files().size(), 6U);
}

TEST(AccountingCache, WhenAllFilesAreTooManyTheOldestDaysGo) {
  Site site;
  site.read();
  const std::vector<fs::path> files = site.files();
  for (int day = 10; day < 20; ++day) {  // holes: no room is taken on the disk
    const fs::path file = files[0].parent_path() / fmt::format("2020-01-{}-0.jobs.zst", day);
    put(file, "");
    fs::resize_file(file, kLargestAnswer);
  }
  fs::remove(files[4]);
  site.read();
  EXPECT_FALSE(fs::exists(files[0].parent_path() / "2020-01-10-0.jobs.zst"));
  EXPECT_TRUE(fs::exists(files[0].parent_path() / "2020-01-19-0.jobs.zst"));
  std::uintmax_t bytes = 0;
  for (const fs::path& file : site.files()) bytes += fs::file_size(file);
  EXPECT_LE(bytes, kMostKept);
  EXPECT_EQ(site.read().told.kept_days, 5);
}

TEST(AccountingCache, TwoThatWriteAtOnceLeaveWholeAnswers) {
  Site site;
  fs::create_directories(site.question.cache);
  fs::permissions(site.question.cache, fs::perms::owner_all);
  const TimePoint now = second(kToday), day = second(kToday - 5 * kDay);
  const std::string answer = job("1", kToday - 5 * kDay, "Unknown");
  std::vector<std::thread> all;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&, i] {
      AccountingCache cache(site.question.cache, "the same", now);
      for (int round = 0; round < 50; ++round) {
        if (i % 2 == 0) cache.keep(day, answer);
        const auto found = cache.find(day);
        if (found && *found != answer) ++wrong;
      }
      if (!cache.trouble().empty()) ++wrong;
    });
  for (std::thread& one : all) one.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(AccountingCache(site.question.cache, "the same", now).find(day), answer);
  EXPECT_EQ(site.files().size(), 1U) << "nothing half is left";
}

TEST(AccountingCache, TheFolderIsForThisUserAlone) {
  Site site;
  site.read();
  struct stat told {};
  ASSERT_EQ(::stat(site.question.cache.c_str(), &told), 0);
  EXPECT_EQ(told.st_mode & 07777, 0700U);
  ASSERT_EQ(::stat(site.files()[0].c_str(), &told), 0);
  EXPECT_EQ(told.st_mode & 07777, 0600U);
  EXPECT_EQ(accounting_cache_folder("", "/home/a"), "/home/a/.cache/tessera/accounting");
  EXPECT_EQ(accounting_cache_folder("/c", "/home/a"), "/c/tessera/accounting");
  EXPECT_EQ(accounting_cache_folder("relative", ""), "");
}

}  // namespace
}  // namespace tessera::slurm
