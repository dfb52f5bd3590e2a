#include "backends/slurm/parse/parse_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "backends/slurm/parse/lines.hpp"
#include "engine/slurm_time.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kMostLimits = 400;  // that are kept of one answer
constexpr std::size_t kMostParents = 64;  // of an account
constexpr std::size_t kMostAccounts = 200'000;

Error not_whole(std::string reason) {
  return {"cannot read the limits", std::move(reason), "look at what scontrol show assoc_mgr prints here"};
}

// The text behind "Key=" up to the next blank, where a word of the line begins so.
std::string_view value_of(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    if (at > 0 && line[at - 1] != ' ') continue;
    const std::string_view value = line.substr(at + key.size());
    return value.substr(0, std::min(value.find(' '), value.size()));
  }
  return {};
}

// "www-data(33)" → www-data
std::string name_in(std::string_view value) {
  return clean(value.substr(0, std::min(value.find('('), value.size())), 256);
}

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number < 1e15 ? std::optional(number) : std::nullopt;
}

// "8(6)", "8": nullopt for "N(6)", which is no limit, for nothing, and for what is neither.
struct Pair {
  double limit = 0;
  std::optional<double> used;
};
std::optional<Pair> read_pair(std::string_view text) {
  const std::size_t open = std::min(text.find('('), text.size());
  const auto limit = read_number(text.substr(0, open));
  if (!limit) return std::nullopt;
  Pair pair{*limit, std::nullopt};
  if (open < text.size() && text.ends_with(')'))
    pair.used = read_number(text.substr(open + 1, text.size() - open - 2));
  return pair;
}

// What counts while a job waits; limits on what may be submitted have let it pass.
struct Kind {
  std::string_view key;  // with its "="
  Limit::Of counted;
  bool resources;  // "cpu=8(1),gres/gpu=…"
};
constexpr Kind kKinds[] = {
    {"GrpJobs=", Limit::Of::all, false},       {"GrpWall=", Limit::Of::all, false},
    {"GrpTRES=", Limit::Of::all, true},        {"GrpTRESMins=", Limit::Of::all, true},
    {"GrpTRESRunMins=", Limit::Of::all, true}, {"MaxJobs=", Limit::Of::user, false},
    {"MaxWallPJ=", Limit::Of::job, false},     {"MaxTRESPJ=", Limit::Of::job, true},
    {"MaxTRESPN=", Limit::Of::node, true},     {"MaxTRESMinsPJ=", Limit::Of::job, true},
    {"MaxJobsPA=", Limit::Of::account, false}, {"MaxTRESPA=", Limit::Of::account, true},
    {"MaxJobsPU=", Limit::Of::user, false},    {"MaxTRESPU=", Limit::Of::user, true},
    {"MinTRESPJ=", Limit::Of::job, true},
};

// The limits in one line of a record; `like` has what they share.
void read_line(std::string_view line, const Limit& like, std::vector<Limit>& all) {
  for (const Kind& kind : kKinds) {
    const std::string_view value = value_of(line, kind.key);
    const auto add = [&](std::string_view resource, std::string_view text) {
      const auto pair = read_pair(text);
      if (!pair || all.size() >= kMostLimits) return;
      Limit one = like;
      one.name = std::string(kind.key.substr(0, kind.key.size() - 1));
      one.resource = clean(resource, 100);
      one.counted = kind.counted, one.limit = pair->limit, one.used = pair->used;
      if (kind.counted == Limit::Of::all || kind.counted == Limit::Of::job || kind.counted == Limit::Of::node)
        one.whose.clear();
      all.push_back(std::move(one));
    };
    if (!kind.resources) {
      add({}, value);
      continue;
    }
    for (const std::string_view item : parts_at_commas(value)) {
      if (const std::size_t equals = item.find('='); equals != std::string_view::npos)
        add(item.substr(0, equals), item.substr(equals + 1));
    }
  }
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

class LimitsReader {
 public:
  explicit LimitsReader(const LimitsOf& of) : of_(of) {}

  Result<LimitsRead> read(std::string_view text) {
    if (text.find_first_not_of(" \r\n") == std::string_view::npos)
      return not_whole("scontrol ended with status 0 and printed nothing");
    if (!text.starts_with("Current Association Manager state"))
      return not_whole("the answer is none of scontrol show assoc_mgr: \"" +
                       clean(text.substr(0, text.find('\n')), 80) + "\"");
    if (text.back() != '\n') return not_whole("the answer is cut off");
    while (!text.empty()) take(next_line(text));
    if (!users_ || !associations_ || !qos_) return not_whole("the answer is cut off");
    return finish();
  }

 private:
  enum class Part : std::uint8_t { none, users, associations, qos };
  enum class Below : std::uint8_t { itself, accounts, users };

  void take(std::string_view line) {
    if (line.empty()) return;
    if (line == "User Records" || line.starts_with("No users currently")) return begin(Part::users);
    if (line == "Association Records" || line.starts_with("No associations currently"))
      return begin(Part::associations);
    if (line == "QOS Records" || line.starts_with("No QOS currently")) return begin(Part::qos);
    switch (part_) {
      case Part::users: return take_user(line);
      case Part::associations: return take_association(line);
      case Part::qos: return take_qos(line);
      case Part::none: return;
    }
  }
  void begin(Part part) {
    part_ = part;
    users_ |= part == Part::users, associations_ |= part == Part::associations, qos_ |= part == Part::qos;
    limits_ = nullptr;
  }

  void take_user(std::string_view line) {
    const std::string_view name = value_of(line, "UserName=");
    if (name_in(name) != of_.user) return;
    const std::size_t open = name.find('(');
    if (open != std::string_view::npos && name.ends_with(')'))
      number_ = clean(name.substr(open + 1, name.size() - open - 2), 20);
  }

  struct Association {
    std::string parent;
    std::vector<Limit> limits;
  };
  // Accounts are kept, since parents stand beside them; of users the job's own alone.
  void take_association(std::string_view line) {
    if (line.starts_with("ClusterName=")) {
      const std::string account = name_in(value_of(line, "Account="));
      const std::string user = name_in(value_of(line, "UserName="));
      const std::string_view partition = value_of(line, "Partition=");
      limits_ = nullptr, parent_ = nullptr;
      like_ = Limit{};
      like_.owner = account, like_.user = user, like_.whose = user.empty() ? account : user;
      like_.cluster = name_in(value_of(line, "ClusterName=")), like_.partition = clean(partition, 256);
      if (user.empty() && accounts_.size() < kMostAccounts) {
        Association& one = accounts_[account];
        limits_ = &one.limits, parent_ = &one.parent;
      } else if (user == of_.user && account == of_.account && !user.empty() &&
                 (partition.empty() || partition == of_.partition) && (!own_ || !partition.empty())) {
        own_.emplace();
        limits_ = &own_->limits;
      }
      return;
    }
    if (!limits_) return;
    if (parent_)
      if (const std::string_view parent = value_of(line, "ParentAccount="); !parent.empty())
        *parent_ = name_in(parent);
    read_line(line, like_, *limits_);
  }

  void take_qos(std::string_view line) {
    if (line.starts_with("QOS=")) {
      const std::string name = name_in(line.substr(4));
      limits_ = nullptr;
      below_ = Below::itself, deep_ = false;
      if (std::find(of_.qos.begin(), of_.qos.end(), name) == of_.qos.end()) return;
      limits_ = &of_qos_[name];
      like_ = Limit{};
      like_.qos = true, like_.owner = name;
      return;
    }
    if (!limits_) return;
    const std::string_view words = line.substr(indent_of(line));
    if (words == "Account Limits" || words == "User Limits") {
      below_ = words == "Account Limits" ? Below::accounts : Below::users;
      deep_ = false;
      return;
    }
    if (below_ == Below::itself) return read_line(line, like_, *limits_);
    if (indent_of(line) < 8) {  // a name; its limits stand deeper
      const std::string name = name_in(words);
      deep_ = below_ == Below::accounts ? name == of_.account
                                        : (!number_.empty() && name == number_) || name == of_.user;
      like_.whose = below_ == Below::accounts ? of_.account : of_.user;
      return;
    }
    if (deep_) read_line(line, like_, *limits_);
  }

  Result<LimitsRead> finish() {
    LimitsRead read;
    const auto append = [&](const std::vector<Limit>& limits) {
      read.limits.insert(read.limits.end(), limits.begin(), limits.end());
    };
    for (const std::string& name : of_.qos) {
      const auto found = of_qos_.find(name);
      read.qos_missing = read.qos_missing || found == of_qos_.end();
      if (found == of_qos_.end())
        read.missing.push_back("the QOS " + clean(name, 100));
      else
        append(found->second);
    }
    if (number_.empty()) read.missing.push_back("the user " + clean(of_.user, 100));
    if (own_)
      append(own_->limits);
    else
      read.missing.push_back("the association of " + clean(of_.user, 100) + " in " + clean(of_.account, 100));
    std::string account = of_.account;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < kMostParents && !account.empty() && seen.insert(account).second; ++i) {
      const auto found = accounts_.find(account);
      if (found == accounts_.end()) {
        read.missing.push_back("the account " + clean(account, 100));
        break;
      }
      for (const Limit& limit : found->second.limits)  // the others of an account stand with its users, too
        if (limit.counted == Limit::Of::all) read.limits.push_back(limit);
      account = found->second.parent;
    }
    return read;
  }

  const LimitsOf& of_;
  Part part_ = Part::none;
  Below below_ = Below::itself;
  bool users_ = false, associations_ = false, qos_ = false;
  bool deep_ = false;   // below a name that is the job's
  std::string number_;  // of the user: QOS records name users so
  Limit like_;
  std::vector<Limit>* limits_ = nullptr;  // of the record under way, where it is wanted
  std::string* parent_ = nullptr;
  std::optional<Association> own_;
  std::map<std::string, Association> accounts_;
  std::map<std::string, std::vector<Limit>> of_qos_;
};

}  // namespace

Result<LimitsRead> parse_limits(std::string_view text, const LimitsOf& of) {
  return LimitsReader(of).read(text);
}

namespace {

constexpr std::size_t kMostQos = 1000;

// As slurmctld names what stands in the columns behind Name and Flags, and whose use counts.
constexpr std::pair<std::string_view, Limit::Of> kQosNames[] = {
    {"GrpJobs", Limit::Of::all},       {"GrpWall", Limit::Of::all},        {"GrpTRES", Limit::Of::all},
    {"GrpTRESMins", Limit::Of::all},   {"GrpTRESRunMins", Limit::Of::all}, {"MaxTRESPJ", Limit::Of::job},
    {"MaxTRESPN", Limit::Of::node},    {"MaxTRESMinsPJ", Limit::Of::job},  {"MaxWallPJ", Limit::Of::job},
    {"MaxTRESPU", Limit::Of::user},    {"MaxJobsPU", Limit::Of::user},     {"MaxTRESPA", Limit::Of::account},
    {"MaxJobsPA", Limit::Of::account}, {"MinTRESPJ", Limit::Of::job},
};

std::vector<std::string_view> parts_at(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// "gres/gpu=8,cpu=64", "12", "2-00:00:00" of the columns that are times.
void add_of_qos(std::vector<Limit>& all, Limit like, std::string_view text) {
  if (text.empty()) return;
  if (like.name.find("Wall") != std::string::npos) {
    if (const auto most = slurm_time_limit(text)) {
      like.limit = std::chrono::duration<double, std::ratio<60>>(*most).count();
      all.push_back(std::move(like));
    }
    return;
  }
  for (const std::string_view item : parts_at(text, ',')) {
    const std::size_t equals = item.find('=');
    const auto number = read_number(equals == std::string_view::npos ? item : item.substr(equals + 1));
    if (!number) continue;
    like.resource = equals == std::string_view::npos ? "" : clean(item.substr(0, equals), 100);
    if (like.resource == "mem") continue;
    like.limit = *number;
    all.push_back(like);
  }
}

}  // namespace

Result<std::vector<QosTold>> parse_qos(std::string_view text, const std::string& user,
                                       const std::string& account) {
  std::vector<QosTold> all;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    const std::vector<std::string_view> words = parts_at(line, '|');
    if (words.size() != std::size(kQosNames) + 2 || words.front().empty() || all.size() >= kMostQos)
      return Error{"cannot read the QOS", "sacctmgr prints \"" + clean(line, 120) + "\"", ""};
    QosTold one{clean(words.front(), 256), false, {}};
    for (const std::string_view flag : parts_at(words[1], ','))
      one.over_partition = one.over_partition || flag == "OverPartQOS";
    for (std::size_t i = 0; i < std::size(kQosNames); ++i) {
      Limit like;
      like.qos = true, like.owner = one.name, like.teller = Teller::qos;
      like.name = kQosNames[i].first, like.counted = kQosNames[i].second;
      if (like.counted == Limit::Of::user) like.whose = user;
      if (like.counted == Limit::Of::account) like.whose = account;
      add_of_qos(one.limits, std::move(like), words[i + 2]);
    }
    all.push_back(std::move(one));
  }
  return all;
}

namespace {

constexpr std::string_view kPartNames[] = {"site",     "age",       "association", "fair share",
                                           "job size", "partition", "QOS",         "nice"};
constexpr std::size_t kSprioColumns = std::size(kPartNames) + 4;  // and job, partition, sum, TRES
constexpr std::size_t kMostRows = 1'000'000, kMostOfOne = 100;

std::optional<std::int64_t> read_points(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct PriorityRow {
  std::string_view job, partition;
  std::int64_t total = 0;
  std::array<std::string_view, kSprioColumns> words;
};

std::optional<PriorityRow> read_row(std::string_view line) {
  PriorityRow row;
  std::size_t count = 0;
  for (std::size_t at = 0; at <= line.size(); ++count) {
    if (count >= kSprioColumns) return std::nullopt;
    const std::size_t bar = std::min(line.find('|', at), line.size());
    row.words[count] = line.substr(at, bar - at);
    at = bar + 1;
  }
  const auto total = read_points(row.words[2]);
  if (count != kSprioColumns || !total) return std::nullopt;
  row.job = row.words[0], row.partition = row.words[1], row.total = *total;
  return row;
}

// Slurm looks at the lower number first where priorities are equal.
bool comes_before(const PriorityRow& one, const PriorityRow& own) {
  if (one.total != own.total) return one.total > own.total;
  return std::pair(one.job.size(), one.job) < std::pair(own.job.size(), own.job);
}

PriorityTold told_of(const PriorityRow& own, const std::vector<PriorityRow>& all) {
  PriorityTold told{clean(own.partition, 256), own.total, {}, 1, 0};
  for (std::size_t i = 0; i < std::size(kPartNames); ++i)
    if (const auto points = read_points(own.words[i + 3]); points && *points != 0)
      told.parts.push_back({std::string(kPartNames[i]), *points});
  for (const PriorityRow& one : all) {
    if (one.partition != own.partition) continue;
    ++told.among;
    told.place += comes_before(one, own) ? 1 : 0;
  }
  return told;
}

}  // namespace

Result<std::vector<PriorityTold>> parse_priorities(std::string_view text, const std::string& job) {
  std::vector<PriorityRow> rows;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    const auto row = read_row(line);
    if (!row || rows.size() >= kMostRows)
      return Error{"cannot read the parts of the priority", "sprio prints \"" + clean(line, 120) + "\"", ""};
    rows.push_back(*row);
  }
  std::vector<PriorityTold> own;
  for (const PriorityRow& row : rows)
    if (row.job == job && own.size() < kMostOfOne) own.push_back(told_of(row, rows));
  return own;
}

}  // namespace tessera::slurm
