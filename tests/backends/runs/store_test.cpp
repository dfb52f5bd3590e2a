// The journals as files: names, modes, locks, and what is refused.
#include "backends/runs/store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "backends/runs/room.hpp"
#include "tests/backends/runs/lab.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using runs::JournalStore;

std::string first_line(const std::string& run) {
  plan::RunStarted started;
  started.run = run;
  plan::Chain chain;
  return to_line(plan::Entry{1, at(0), {}, started}, chain);
}
std::string second_line(const std::string& run) {
  plan::Chain chain;
  const std::string first = first_line(run);
  EXPECT_TRUE(chain.holds(std::string_view(first).substr(0, first.size() - 1)));
  return to_line(plan::Entry{2, at(1), {}, plan::Resumed{"root", "login2"}}, chain);
}

unsigned mode_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

class RunStore : public ::testing::Test {
 protected:
  // A finished-looking journal that no process drives.
  std::string keep(const std::string& run) {
    auto made = JournalStore(folder_, "", nullptr).create(run);
    EXPECT_TRUE(made.ok());
    EXPECT_TRUE(made->file.append(first_line(run)).ok());
    return made->file.path();
  }
  std::string refusal(const std::string& run) {
    JournalStore store(folder_, "", nullptr);
    auto seen = store.look(run);
    auto taken = store.take(run);
    EXPECT_FALSE(seen.ok());
    EXPECT_FALSE(taken.ok());
    if (seen || taken) return "";
    EXPECT_NE(seen.error().hint, "");
    EXPECT_NE(taken.error().reason, "");
    return seen.error().reason;
  }

  Scratch scratch_;
  std::string folder_ = scratch_.path() + "/state/tessera/runs";
};

// Two runs of one person in one minute, whose journals lie apart: a mark must tell them apart.
TEST_F(RunStore, NamesAreMadeOfTimeNodeAndARandomNumberAndNothingElse) {
  EXPECT_EQ(runs::run_id(at(0), NodeName("n0031"), 1), "20270115-0800-n0031-100000");
  EXPECT_NE(runs::run_id(at(0), NodeName("n0031"), 2), runs::run_id(at(0), NodeName("n0031"), 3));
  EXPECT_TRUE(runs::run_id(at(61), NodeName("../gpu 1.ö"), 0).starts_with("20270115-0801----gpu-1----"));
  EXPECT_TRUE(runs::is_run_id(runs::run_id(at(0), NodeName(std::string(500, 'n')), 7)));
  for (const char* bad : {"", "a/b", "..", "a b", "n.1", "ö", "a\nb"})
    EXPECT_FALSE(runs::is_run_id(bad)) << bad;
}

// Power may go at any time: a line is on the disk before it counts, and so is the name of its file.
TEST_F(RunStore, EachLineAndTheFolderOfANewJournalAreSynced) {
  int files = 0, folders = 0;
  JournalStore store(folder_, "", nullptr, [&](int fd) {
    struct stat info {};
    EXPECT_EQ(fstat(fd, &info), 0);
    ++(S_ISDIR(info.st_mode) ? folders : files);
    return fsync(fd);
  });
  auto made = store.create("r1");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(folders, 1);
  EXPECT_EQ(files, 0);
  ASSERT_TRUE(made->file.append(first_line("r1")).ok());
  ASSERT_TRUE(made->file.append(second_line("r1")).ok());
  EXPECT_EQ(files, 2);
}

// A power cut after a run has parked must not make a timer take its own run for one that others have touched.
TEST_F(RunStore, WhatWasArmedIsOnTheDiskWithItsName) {
  const std::string group = scratch_.path() + "/group";
  ASSERT_EQ(mkdir(group.c_str(), 0770), 0);
  ASSERT_EQ(chmod(group.c_str(), 02770), 0);
  int files = 0, folders = 0;
  JournalStore store(folder_, group, nullptr, [&](int fd) {
    struct stat info {};
    EXPECT_EQ(fstat(fd, &info), 0);
    ++(S_ISDIR(info.st_mode) ? folders : files);
    return fsync(fd);
  });
  auto made = store.create("r1");
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(made->file.append(first_line("r1")).ok());
  files = folders = 0;
  store.remember("r1", plan::Chain());
  EXPECT_EQ(files, 1);
  EXPECT_EQ(folders, 1);
  EXPECT_EQ(store.why_unarmed("r1", plan::Chain()), "");
}

TEST_F(RunStore, TheFolderFollowsXdgAndHome) {
  EXPECT_EQ(runs::journal_folder("/x", "/home/a", "runs"), "/x/tessera/runs");
  EXPECT_EQ(runs::journal_folder("", "/home/a", "runs"), "/home/a/.local/state/tessera/runs");
  EXPECT_EQ(runs::journal_folder("relative", "/home/a", "runs"), "/home/a/.local/state/tessera/runs");
  EXPECT_EQ(runs::journal_folder("", "", "runs"), "");
}

TEST_F(RunStore, AJournalIsForItsOwnerAloneAndLockedWhileDriven) {
  JournalStore store(folder_, "", nullptr);
  auto made = store.create("r1");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->run, "r1");
  EXPECT_EQ(mode_of(folder_), 0700U);
  EXPECT_EQ(mode_of(made->file.path()), 0600U);
  ASSERT_TRUE(made->file.append(first_line("r1")).ok());
  ASSERT_TRUE(made->file.append(second_line("r1")).ok());
  EXPECT_TRUE(store.driven("r1"));
  auto seen = store.look("r1");
  ASSERT_TRUE(seen.ok());
  EXPECT_TRUE(seen->driven);
  EXPECT_EQ(seen->text, first_line("r1") + second_line("r1"));
  auto taken = store.take("r1");
  ASSERT_FALSE(taken.ok());
  EXPECT_NE(taken.error().reason.find("another tessera drives it"), std::string::npos);

  auto again = store.create("r1");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->run, "r1-2") << "a name that is taken is not taken again";
  again->file.discard();
  EXPECT_FALSE(fs::exists(folder_ + "/r1-2.journal"));
}

TEST_F(RunStore, TheLockGoesWithWhoeverHeldIt) {
  keep("r1");
  JournalStore store(folder_, "", nullptr);
  EXPECT_FALSE(store.driven("r1"));
  auto taken = store.take("r1");
  ASSERT_TRUE(taken.ok());
  ASSERT_TRUE(taken->file.append(second_line("r1")).ok());
  EXPECT_EQ(store.look("r1")->text, first_line("r1") + second_line("r1"));
}

TEST_F(RunStore, ATornLastLineIsCutBeforeAnythingIsAppended) {
  std::string path = keep("r1");
  scratch_.write("state/tessera/runs/r1.journal", first_line("r1") + second_line("r1").substr(0, 20));
  JournalStore store(folder_, "", nullptr);
  EXPECT_EQ(store.look("r1")->text, first_line("r1")) << "only looking changes nothing";
  EXPECT_GT(fs::file_size(path), first_line("r1").size());
  auto taken = store.take("r1");
  ASSERT_TRUE(taken.ok()) << to_line(taken.error());
  EXPECT_TRUE(taken->journal.torn);
  ASSERT_TRUE(taken->file.append(second_line("r1")).ok());
  EXPECT_EQ(store.look("r1")->text, first_line("r1") + second_line("r1"));
}

TEST_F(RunStore, HalfALineThatDidNotFitIsTakenBack) {
  JournalStore store(folder_, "", [](int fd, std::string_view text) {
    write_all(fd, text.substr(0, 10));
    return ENOSPC;
  });
  auto made = store.create("r1");
  ASSERT_TRUE(made.ok());
  Status written = made->file.append(first_line("r1"));
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().reason.find("No space left"), std::string::npos);
  EXPECT_EQ(fs::file_size(made->file.path()), 0u);
}

TEST_F(RunStore, LinksPipesAndHugeFilesAreRefused) {
  std::string real = keep("real");
  fs::create_symlink(real, folder_ + "/link.journal");
  EXPECT_NE(refusal("link").find("a symbolic link"), std::string::npos);
  ASSERT_EQ(mkfifo((folder_ + "/pipe.journal").c_str(), 0600), 0);
  EXPECT_NE(refusal("pipe").find("not a regular file"), std::string::npos) << "and no reader hangs on it";
  fs::create_directory(folder_ + "/folder.journal");
  EXPECT_NE(refusal("folder"), "");
  std::string huge = keep("huge");
  fs::resize_file(huge, (64U << 20U) + 1);
  EXPECT_NE(refusal("huge").find("larger than 64 MiB"), std::string::npos);
  EXPECT_NE(refusal("../runs/real").find("is not the name of a run"), std::string::npos);
}

TEST_F(RunStore, WhatOthersCouldHaveWrittenIsRefused) {
  std::string path = keep("r1");
  for (unsigned mode : {0620U, 0602U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_NE(refusal("r1").find("others can write it"), std::string::npos) << mode;
  }
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0770), 0);
  EXPECT_NE(refusal("r1").find("others can write there"), std::string::npos);
  EXPECT_FALSE(JournalStore(folder_, "", nullptr).create("r2").ok());
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  fs::create_directory_symlink(folder_, scratch_.path() + "/elsewhere");
  auto made = JournalStore(scratch_.path() + "/elsewhere", "", nullptr).create("r2");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().reason.find("links are not followed"), std::string::npos);
  if (geteuid() != 0) return;  // only root can give files away
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_NE(refusal("r1").find("belongs to another user"), std::string::npos);
}

// Whoever writes to the folder above puts another folder into the place of this one.
TEST_F(RunStore, AFolderThatOthersCouldReplaceIsRefused) {
  keep("r1");
  const std::string above = fs::path(folder_).parent_path();
  ASSERT_EQ(chmod(above.c_str(), 0777), 0);
  EXPECT_NE(refusal("r1").find("the folder above it"), std::string::npos) << refusal("r1");
  ASSERT_EQ(chmod(above.c_str(), 0770), 0);
  EXPECT_NE(refusal("r1").find("could replace it"), std::string::npos);
  ASSERT_EQ(chmod(above.c_str(), 01777), 0);
  EXPECT_TRUE(JournalStore(folder_, "", nullptr).look("r1").ok()) << "as in /tmp: names are their owners'";
  if (geteuid() != 0) return;
  ASSERT_EQ(chmod(above.c_str(), 0755), 0);
  ASSERT_EQ(chown(above.c_str(), 12345, 12345), 0);
  EXPECT_NE(refusal("r1").find("belongs to another user"), std::string::npos);
}

TEST_F(RunStore, ASharedFolderIsForItsGroup) {
  std::string shared = scratch_.path() + "/site";
  fs::create_directory(shared);
  for (unsigned mode : {0770U, 02777U}) {
    ASSERT_EQ(chmod(shared.c_str(), mode), 0);
    auto made = JournalStore(folder_, shared, nullptr).create("r1");
    ASSERT_FALSE(made.ok()) << mode;
    EXPECT_EQ(made.error().hint, "chmod 2770 " + shared);
  }
  ASSERT_EQ(chmod(shared.c_str(), 02770), 0);
  keep("mine");
  JournalStore store(folder_, shared, nullptr);
  {
    mode_t before = umask(077);
    auto made = store.create("ours");
    umask(before);
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    EXPECT_EQ(made->file.path(), shared + "/ours.journal");
    EXPECT_EQ(mode_of(made->file.path()), 0660U) << "whatever the umask";
    ASSERT_TRUE(made->file.append(first_line("ours")).ok());
  }
  EXPECT_EQ(store.create("mine")->run, "mine-2") << "a name in either folder is taken";
  EXPECT_TRUE(store.look("mine").ok());
  std::vector<Error> troubles;
  EXPECT_EQ(store.list(troubles).size(), 3u);
  EXPECT_TRUE(troubles.empty());
  if (geteuid() != 0) return;
  ASSERT_EQ(chown((shared + "/ours.journal").c_str(), 12345, static_cast<gid_t>(-1)), 0);
  EXPECT_TRUE(store.take("ours").ok()) << "a colleague's, of the folder's group";
  ASSERT_EQ(chown((shared + "/ours.journal").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(store.take("ours").ok());
}

// Between our last line and the note of it a colleague has written: what they changed cannot be told, and
// what they change later must not pass for all of it.
TEST_F(RunStore, WhatOthersWroteInTheMomentOfLeavingIsNotRememberedAsOurs) {
  const std::string shared = scratch_.path() + "/site";
  fs::create_directory(shared);
  ASSERT_EQ(chmod(shared.c_str(), 02770), 0);
  JournalStore store(folder_, shared, nullptr);
  plan::Chain ours;
  {
    auto made = store.create("r1");
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    const std::string first = first_line("r1");
    ASSERT_TRUE(ours.holds(std::string_view(first).substr(0, first.size() - 1)));
    ASSERT_TRUE(made->file.append(first).ok());
    ASSERT_TRUE(made->file.append(second_line("r1")).ok());  // theirs
  }
  store.remember("r1", ours);
  auto seen = store.look("r1");
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(store.why_unarmed("r1", seen->journal.chain), "others have written to it since you left it");
  {
    auto taken = store.take("r1");
    ASSERT_TRUE(taken.ok());
    plan::Chain chain = taken->journal.chain;
    ASSERT_TRUE(
        taken->file.append(to_line(plan::Entry{3, at(2), {}, plan::Resumed{"eve", "login3"}}, chain)).ok());
  }
  EXPECT_EQ(store.changed("r1"), std::vector<std::string>()) << "the line before that would be left out";
}

TEST_F(RunStore, AFolderThatCannotBeReadIsNamed) {
  scratch_.write("state/tessera/runs", "");
  std::vector<Error> troubles;
  EXPECT_TRUE(JournalStore(folder_, "", nullptr).list(troubles).empty());
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_NE(troubles[0].reason.find(folder_), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
