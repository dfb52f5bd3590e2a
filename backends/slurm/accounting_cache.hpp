// Answers of slurmdbd about days that are over, kept in files so that it is asked about each of them once.
//
// One file a day in a folder of this user alone, compressed, with a checksum and with a head that names all
// that the answer depends on: another cluster, database, user or version finds none. What is damaged, older
// than kOldestAnswer or not this user's is passed over, so that slurmdbd is asked again; nothing of a file is
// taken but what the reader of sacct's own answers takes. Files are replaced as a whole: of two processes
// that write one, the last wins, and a reader sees either.
// Threads: one object, one thread; blocks for the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/files.hpp"
#include "engine/model/units.hpp"

namespace tessera::slurm {

// slurmctld hands over late what slurmdbd missed while it was away: so long after a day's end its answer is
// not kept.
inline constexpr Duration kSettled{24LL * 3'600'000};
inline constexpr Duration kOldestAnswer{30LL * 24 * 3'600'000};  // since slurmdbd gave it
inline constexpr std::size_t kLargestAnswer = 64u << 20;         // bytes of one file
inline constexpr std::size_t kMostKept = 512u << 20;             // bytes of all files

// $XDG_CACHE_HOME/tessera/accounting, else below ~/.cache; empty: neither is set.
std::string accounting_cache_folder(std::string_view xdg_cache_home, std::string_view home);

class AccountingCache {
 public:
  // identity: what an answer depends on besides its day. Empty folder: nothing is kept.
  AccountingCache(const std::string& folder, std::string identity, TimePoint now);

  // Precondition of both: a day of UTC that ended kSettled ago.
  std::optional<std::string> find(TimePoint day) const;
  void keep(TimePoint day, std::string_view answer);
  // Why nothing is kept although there is a folder; empty: nothing stands in the way.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string name_of(TimePoint day) const;
  std::string head_of(TimePoint day, TimePoint asked, std::size_t bytes) const;
  void make_room() const;

  Descriptor folder_;
  std::string identity_;
  TimePoint now_;
  std::string trouble_;
};

}  // namespace tessera::slurm
