#include "backends/slurm/change/boot_unit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

}  // namespace

BootUnit boot_unit_of(const NodeAnswer& answer) {
  using State = BootUnit::State;
  std::string_view out = answer.out;
  std::string word = clean(out.substr(0, out.find_first_of(" \r\n")), 40);
  // timeout(1), and every shell, say so by 127.
  if (word.empty() && answer.exit_code == 127) return {State::absent, "there is no systemctl"};
  if (word.empty() && answer.err.find("No such file") != std::string::npos)
    return {State::unusable, "not-found"};  // before systemd 253
  if (is_one_of(word, {"enabled", "static", "alias", "indirect", "generated"})) return {State::enabled, word};
  if (is_one_of(word, {"disabled", "enabled-runtime", "linked", "linked-runtime"}))
    return {State::disabled, word};
  if (!word.empty()) return {State::unusable, word};
  std::string_view err = answer.err;
  while (!err.empty() && err.back() == '\n') err.remove_suffix(1);
  std::string words = clean(err.substr(err.rfind('\n') + 1), 200);
  return {State::unusable, words.empty() ? "systemctl does not report it" : words};
}

std::optional<Remark> unit_remark(const BootUnit& found, const NodeName& node,
                                  const slurmconf::SlurmSetup& said, bool cut) {
  const std::string& unit = said.boot_unit;
  Remark remark{cut ? Remark::Grade::warning : Remark::Grade::info, node.text, true, "", ""};
  const std::string host = shell_word(node.text);
  switch (found.state) {
    case BootUnit::State::enabled: return std::nullopt;
    case BootUnit::State::disabled:
      remark.text = fmt::format("{} is {}: its next boot makes no MIG instances", unit, found.words);
      remark.hint = fmt::format("on {}: systemctl enable {}; a run that cuts there does so", node.text, unit);
      remark.commands = {fmt::format("ssh {} systemctl enable {}", host, shell_word(unit))};
      break;
    case BootUnit::State::absent:
      remark.text = fmt::format("{}, so {} cannot be enabled", found.words, unit);
      remark.hint = fmt::format("see to it in the node's own way that its next boot applies {} before slurmd",
                                said.boot_file);
      break;
    case BootUnit::State::unusable:
      remark.text = fmt::format("{} is {}: no run that cuts does anything there", unit, found.words);
      remark.hint = fmt::format("on {}: systemctl status {}; or leave slurm-boot-unit out", node.text, unit);
      remark.commands = {fmt::format("ssh {} systemctl status {}", host, shell_word(unit))};
  }
  return remark;
}

}  // namespace tessera::slurm
