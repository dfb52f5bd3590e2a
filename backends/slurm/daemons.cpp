#include "backends/slurm/daemons.hpp"

#include <fmt/format.h>

#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

// sacctmgr repeats itself; its first line says what is wrong.
std::string first_line(std::string_view text) {
  for (std::string_view prefix : {"sacctmgr: ", "error: ", "fatal: "})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return clean(text.substr(0, text.find('\n')), 400);
}

// That there is no listener is a fact about slurmdbd; that we are refused is one about us.
bool speaks_of_connection(std::string_view text) {
  return contains_folded(text, "persistent connection") && !speaks_of_authentication(text);
}

}  // namespace

bool speaks_of_authentication(std::string_view text) {
  for (const char* word : {"munge", "authenticat", "credential", "auth/"})
    if (contains_folded(text, word)) return true;
  return false;
}

void Daemons::ping_unanswered() {
  for (Daemon& one : controllers_) one.up = false;
}

bool Daemons::authenticated(bool by_munge) {
  if (!by_munge || (munge_ && munge_->up)) return false;
  munge_ = Daemon{"munged", "", true, "on this machine"};
  return true;
}

void Daemons::munge_fails(const Error& why) { munge_ = Daemon{"munged", "", false, why.hint}; }

void Daemons::configured(const ClusterFacts& facts) {
  accounting_host_.clear();
  if (contains_folded(facts.accounting, "slurmdbd"))
    accounting_host_ = facts.accounting_host.empty() ? "localhost" : facts.accounting_host;
  if (!has_accounting()) accounting_.reset(), accounting_unknown_.clear();
  rest_is_likely_ = contains_folded(facts.other_auth, "jwt");
}

void Daemons::accounting(const Result<Outcome>& ran) {
  accounting_.reset();
  accounting_unknown_.clear();
  if (!has_accounting()) return;
  if (!ran) {
    accounting_unknown_ = to_line(ran.error());
  } else if (ran->succeeded()) {
    accounting_ = Daemon{"slurmdbd", accounting_host_, true, ""};
  } else if (ran->timed_out || speaks_of_connection(ran->err)) {
    accounting_ =
        Daemon{"slurmdbd", accounting_host_, false,
               fmt::format("systemctl status slurmdbd on {}; until it is back, slurmctld keeps what "
                           "there is to account",
                           accounting_host_)};
  } else {
    std::string said = first_line(ran->err);
    accounting_unknown_ = "sacctmgr: " + (said.empty() ? "it says nothing" : said);
  }
}

std::vector<Daemon> Daemons::all() const {
  std::vector<Daemon> all = controllers_;
  if (munge_) all.push_back(*munge_);
  if (accounting_) all.push_back(*accounting_);
  return all;
}

std::vector<Remark> Daemons::not_asked() const {
  std::vector<Remark> remarks;
  if (!accounting_unknown_.empty()) {
    remarks.push_back({Remark::Grade::info, "slurmdbd", false,
                       fmt::format("on {}: not known: {}", accounting_host_, accounting_unknown_),
                       "systemctl status slurmdbd on " + accounting_host_});
    remarks.back().commands = {"ssh " + shell_word(accounting_host_) + " systemctl status slurmdbd"};
  }
  if (rest_is_likely_)
    remarks.push_back({Remark::Grade::info, "slurmrestd", false,
                       "not asked: AuthAltTypes=auth/jwt says that there may be one, and nothing here where",
                       "systemctl status slurmrestd where it runs; tessera does not need it"});
  return remarks;
}

}  // namespace tessera::slurm
