#include "backends/account.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>

#include "backends/files.hpp"
#include "backends/process.hpp"
#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostPasswd = 16u << 20;
constexpr std::size_t kLongestName = 64;
constexpr Duration kPatience{2000};

std::string_view field(std::string_view line, int wanted) {
  for (; wanted > 0; --wanted) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    line.remove_prefix(colon + 1);
  }
  return line.substr(0, line.find(':'));
}

// passwd(5): NAME:PASSWORD:UID:…, one account a line.
std::optional<std::string> name_in(std::string_view passwd, uid_t uid) {
  const std::string number = std::to_string(uid);
  while (!passwd.empty()) {
    const std::string_view line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(passwd.size(), line.size() + 1));
    if (field(line, 2) == number && !field(line, 0).empty()) return clean(field(line, 0), kLongestName);
  }
  return std::nullopt;
}

std::string what_getent_says(const std::string& program, uid_t uid) {
  Command command;
  command.argv = {program, "passwd", std::to_string(uid)};
  command.deadline = kPatience;
  command.output_limit = 64u << 10;
  std::promise<std::string> answer;
  Worker worker;
  Processes processes(worker);
  worker.post([&] {
    processes.run(std::move(command), [&](Result<Outcome> ended) {
      answer.set_value(ended && ended->succeeded() ? ended->out : "");
    });
  });
  std::string said = answer.get_future().get();
  worker.stop();
  return said;
}

}  // namespace

std::string account_name(uid_t uid, const AccountSources& sources) {
  if (auto file = read_whole_file("cannot read the accounts", sources.passwd, kMostPasswd); file && *file)
    if (auto name = name_in((*file)->text, uid)) return *name;
  if (auto name = name_in(what_getent_says(sources.getent, uid), uid)) return *name;
  return fmt::format("uid-{}", uid);
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

}  // namespace tessera
