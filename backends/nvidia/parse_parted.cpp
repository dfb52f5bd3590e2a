// What nvidia-mig-parted says when it fails: lines of logrus, or those of a shell that did not find it.
#include <algorithm>
#include <array>

#include "backends/last_line.hpp"
#include "backends/nvidia/parse.hpp"
#include "backends/nvidia/words.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

constexpr std::size_t kMostSaid = 2000;

// Up to the quote that closes; escapes as Go's strconv.Quote writes them.
std::string unquoted(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    char c = text[++i];
    plain += c == 'n' || c == 't' || c == 'r' ? ' ' : c;
  }
  return plain;
}

// time="…" level=fatal msg="…", or FATA[0003] … on a terminal. Empty: no such line, or one without weight.
std::string grave_words(std::string_view line) {
  for (std::string_view level : {"FATA[", "ERRO[", "PANI["}) {
    std::size_t end = line.find("] ");
    if (line.starts_with(level) && end != std::string_view::npos)
      return std::string(trimmed(line.substr(end + 2)));
  }
  std::size_t level = line.find("level="), said = line.find(" msg=");
  if (level == std::string_view::npos || said == std::string_view::npos) return "";
  std::string_view grade = line.substr(level + 6, said - std::min(said, level + 6));
  if (grade != "fatal" && grade != "error" && grade != "panic") return "";
  std::string_view words = line.substr(said + 5);
  if (words.starts_with('"')) return unquoted(words.substr(1));
  return std::string(words.substr(0, words.find(' ')));
}

struct KnownWords {
  std::string_view words, hint;
};
constexpr std::array kPartedHints = {
    KnownWords{
        "in use by another client",
        "a program or an instance still uses it; monitoring agents count, too: slurm-stop-clients stops "
        "them first"},
    KnownWords{"could not be reset",
               "a GPU is reset only while no process uses it: slurm-stop-clients stops monitoring first"},
    KnownWords{"error resetting",
               "a GPU is reset only while no process uses it: slurm-stop-clients stops monitoring first"},
    KnownWords{
        "orderings failed",
        "no order of making these instances fits; what stood on that GPU is gone: look at it before going "
        "on or back"},
    KnownWords{"insufficient resources",
               "what stood on that GPU is gone: look at it before going on or back"},
    KnownWords{"not found on this gpu", "this driver, or this nvidia-mig-parted, does not know the profile"},
    KnownWords{"insufficient permissions", "it must run as root, outside of any job's cgroup"},
};

std::string_view parted_hint(std::string_view words, int exit_code) {
  if (exit_code == 126 || exit_code == 127)
    return "install it there (github.com/NVIDIA/mig-parted), or leave out slurm-mig-tool: nvidia-smi cuts "
           "then";
  for (const KnownWords& one : kPartedHints)
    if (contains_folded(words, one.words)) return one.hint;
  return "";
}

}  // namespace

std::optional<Error> parted_refusal(std::string_view out, std::string_view err, int exit_code,
                                    std::string_view what) {
  if (exit_code == 0) return std::nullopt;
  std::string said;
  for (std::string_view text : {err.substr(0, kMostText), out.substr(0, kMostText)})
    for (Lines lines(text); lines.next() && said.size() < kMostSaid;)
      if (std::string words = grave_words(lines.line()); !words.empty())
        said += (said.empty() ? "" : "; ") + clean(words, 600);
  if (said.empty()) {
    said = last_line(err.substr(0, kMostText), 600);
    if (said.empty()) said = last_line(out.substr(0, kMostText), 600);
    said += (said.empty() ? "" : " ") + ("(exit code " + std::to_string(exit_code) + ")");
  }
  std::string hint(parted_hint(said, exit_code));
  return Error{std::string(what), std::move(said), std::move(hint)};
}

}  // namespace tessera::nvidia
