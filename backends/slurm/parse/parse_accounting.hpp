// What sacct prints → jobs of the past. Threads: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "engine/usage/past_jobs.hpp"

namespace tessera::slurm {

// The columns that are asked for, in their order; times in seconds since 1970 (SLURM_TIME_FORMAT=%s).
// JobIDRaw is a number of its own for each task of an array, JobID what squeue calls it. AllocTRES is empty
// until a job starts: what it waits for stands in ReqTRES, in the same form.
inline constexpr std::string_view kAccountingColumns =
    "JobIDRaw,User,Account,Partition,State,Submit,Start,End,AllocTRES,NodeList,AdminComment,TRESUsageInTot,"
    "JobID,ReqTRES";
// Between two columns: no name holds it.
inline constexpr char kAccountingComma = '\x1f';

struct AccountedJob : usage::PastJob {
  bool has_to_do_with_gpus = false;  // holds some or shares of them, or asks for any while it waits
};

// Jobs, and behind each its steps where these were asked for, too: they have what Slurm gathered.
struct AccountingAnswer {
  std::vector<AccountedJob> jobs;
  int unread = 0;  // lines that have other columns, or no time that can be
};
AccountingAnswer parse_accounting(std::string_view text);
// Whether slurmdbd keeps gres/gpuutil, by what `sacctmgr -n -P list tres format=type,name` prints.
bool keeps_gpu_use(std::string_view text);

// What `sacctmgr show config` tells of who sees which jobs.
struct AccountingRules {
  bool jobs_are_private = false;
  bool told = false;  // slurmdbd's part stands there
  // PrivateData there is slurmdbd's own. From 26.05 on sacctmgr writes that of the slurm.conf that it has
  // read, whatever slurmdbd.conf says (seen on 26.05.5).
  bool by_slurmdbd = false;
  std::string slurm_user;  // "slurm(64030)"
  std::string database;    // where answers come from: "db1 6819 slurm_acct_db"
};
AccountingRules parse_accounting_rules(std::string_view text);

}  // namespace tessera::slurm
