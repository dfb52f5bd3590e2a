#include "engine/slurmconf/settings.hpp"

#include <algorithm>
#include <cctype>

#include "engine/ascii.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

Error wrong(std::string_view setting, const std::string& value, std::string hint) {
  return {"cannot use this setting", std::string(setting) + ": \"" + clean(value, 200) + "\"",
          std::move(hint)};
}

bool names_node(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.find("{node}") != std::string::npos; });
}

// Gives out the characters of a command with their quotes understood.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> run() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return fail("a control character");
      if (c == ' ' || c == '\t')
        end_word();
      else if (c == '\'' || c == '"') {
        if (!quoted(c)) return fail("a quote is not closed");
      } else if (c == '\\') {
        if (++at_ == text_.size()) return fail("it ends in a backslash");
        add(text_[at_]);
      } else {
        add(c);
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  static Error fail(const char* why) { return {"cannot read a command", why, "quote words as in a shell"}; }
  void add(char c) {
    word_ += c;
    open_ = true;
  }
  void end_word() {
    if (open_) words_.push_back(std::exchange(word_, {}));
    open_ = false;
  }
  bool quoted(char quote) {
    open_ = true;
    while (++at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word_ += text_[at_];
    }
    return at_ < text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool open_ = false;
  std::vector<std::string> words_;
};

// Programs that join their words into one text for a shell there: a word with blanks or "$(…)" in it, such
// as a file name out of slurm.conf, would be read by that shell.
bool joins_words(std::string_view word) {
  word.remove_prefix(std::min(word.size(), word.rfind('/') + 1));
  for (std::string_view name :
       {"ssh",   "slogin", "rsh",      "remsh", "autossh", "sshpass", "mosh",     "tsh",
        "clush", "pdsh",   "dsh",      "pssh",  "cexec",   "psh",     "xdsh",     "xcatssh",
        "rgang", "gexec",  "parallel", "su",    "sh",      "bash",    "dash",     "ksh",
        "mksh",  "zsh",    "csh",      "tcsh",  "fish",    "salt",    "salt-ssh", "ansible"})
    if (word == name) return true;
  return word.starts_with("parallel-ssh") || word.starts_with("parallel_ssh");
}

bool is_script(const std::string& word) { return word.find_first_of(" \t;|&$`") != std::string::npos; }

// {command} is one text for one shell there: a word of its own, or the value of an option
// ("--cmd={command}"). Inside a script another shell would take the quotes off first.
Status check_runner(const std::string& text, const std::vector<std::string>& words) {
  bool asks = false;
  for (const std::string& word : words) {
    if (word.find("{command}") == std::string::npos) continue;
    asks = true;
    if (is_script(word) || !word.ends_with("{command}"))
      return wrong("slurm-runner", text, "{command} must be a word of its own: 'ssh {node} {command}'");
  }
  auto joins = std::find_if(words.begin(), words.end(), [](const auto& word) { return joins_words(word); });
  if (asks || joins == words.end()) return Done{};
  return wrong("slurm-runner", text,
               clean(*joins, 60) +
                   " gives its words to a shell as one text: end it with {command}, for which " +
                   "tessera puts one quoted text: 'pdsh -w {node} {command}'");
}

Status read_runner(const std::string& text, SlurmSetup& site) {
  if (text.empty()) return Done{};
  if (text == "ssh" || text == "srun") {
    site.reach = text == "ssh" ? Reach::ssh : Reach::srun;
    return Done{};
  }
  auto words = split_command(text);
  if (!words || !names_node(*words))
    return wrong("slurm-runner", text,
                 "ssh, srun, or a command with {node} in it: 'clush -w {node} {command}'");
  if (Status fine = check_runner(text, *words); !fine) return fine;
  site.reach = Reach::custom;
  site.runner = std::move(*words);
  return Done{};
}

Status read_writer(const std::string& text, SlurmSetup& site) {
  if (text.empty() || text == "here") return Done{};
  if (text == "site") {
    site.writer = Writer::site;
  } else if (text.starts_with("host:") && text.size() > 5) {
    site.writer = Writer::host;
    site.config_host = text.substr(5);
  } else {
    return wrong("slurm-files", text, "here, host:NAME or site");
  }
  return Done{};
}

Status read_command(std::string_view name, const std::string& text, std::vector<std::string>& into) {
  auto words = split_command(text);
  if (!words) return wrong(name, text, words.error().reason);
  into = std::move(*words);
  return Done{};
}

// Each must be a command, but they are kept as texts: that is how a plan shows them.
Status read_lines(std::string_view name, const std::string& text, std::vector<std::string>& into) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(';'), rest.size());
    std::string line(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    if (!split_command(line)) return wrong(name, text, "commands separated by ';', quoted as in a shell");
    into.push_back(std::move(line));
  }
  return Done{};
}

Status read_tool(const std::string& text, SlurmSetup& site) {
  if (text.empty() || text == "nvidia-smi") return Done{};
  if (text != "nvidia-mig-parted") return wrong("slurm-mig-tool", text, "nvidia-smi or nvidia-mig-parted");
  site.mig_tool = MigTool::mig_parted;
  return Done{};
}

// "nvml", or "gpu=/x/{node}-{gpu},instance=/x/{node}-{index}"
Status read_devices(const std::string& text, SlurmSetup& site) {
  if (text.empty()) return Done{};
  if (text == "nvml") {
    site.autodetect = true;
    return Done{};
  }
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::string* into = one.starts_with("gpu=/")        ? &site.gpu_file
                        : one.starts_with("instance=/") ? &site.instance_file
                                                        : nullptr;
    if (!into) return wrong("slurm-devices", text, "nvml, or gpu=/PATH{gpu},instance=/PATH{gpu}-{gi}");
    *into = one.substr(one.find('=') + 1);
  }
  return Done{};
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) { return Splitter(text).run(); }

Result<SlurmSetup> slurm_setup_of(const SlurmSettings& settings) {
  SlurmSetup site;
  for (const Status& read :
       {read_runner(settings.runner, site), read_writer(settings.files, site),
        read_command("slurm-restart-controller", settings.restart_controller, site.restart_controller),
        read_command("slurm-restart-node", settings.restart_node, site.restart_node),
        read_lines("slurm-stop-clients", settings.stop_clients, site.stop_clients),
        read_lines("slurm-start-clients", settings.start_clients, site.start_clients),
        read_devices(settings.devices, site), read_tool(settings.mig_tool, site)})
    if (!read) return read.error();
  if (!settings.boot_file.empty() && !settings.boot_file.starts_with('/'))
    return wrong("slurm-boot-file", settings.boot_file, "an absolute path on the nodes");
  site.boot_file = settings.boot_file;
  const std::string& unit = settings.boot_unit;  // systemd.unit(5) on names
  const bool plain = std::all_of(unit.begin(), unit.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view(":-_.\\@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!plain || unit.starts_with('-') || unit.size() > 255)
    return wrong("slurm-boot-unit", unit, "a systemd unit's name: nvidia-mig-manager.service");
  if (!unit.empty() && site.boot_file.empty())
    return wrong("slurm-boot-unit", unit, "name the file that it applies, too: slurm-boot-file");
  site.boot_unit = unit;
  return site;
}

}  // namespace tessera::slurmconf
