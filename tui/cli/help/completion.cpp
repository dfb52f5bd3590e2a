#include "tui/cli/help/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tui/cli/command_table.hpp"
#include "tui/cli/help/as_taken.hpp"

namespace tessera::cli {
namespace {

// Words that need no quoting in a shell; anything else would only confuse one.
bool is_plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_.+:/").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) {
    if (is_plain(word)) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::vector<std::string> dashed(const Flag& flag) {
  std::vector<std::string> names;
  auto add = [&](std::string_view name) {
    names.push_back((name.size() == 1 ? "-" : "--") + std::string(name));
  };
  if (flag.letter) add(std::string_view(&flag.letter, 1));
  add(flag.name);
  for (std::string_view other : split_words(flag.also)) add(other);
  return names;
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) {
    if (!command.name.empty() && command.name != kSimulator)
      names += (names.empty() ? "" : " ") + std::string(command.name);
  }
  return names;
}

// "case $prev in -o|--output) …": what follows a flag that takes a value.
std::string bash_flag_values(const CompletionWords& known) {
  std::string text;
  for (const Flag& flag : flags()) {
    if (flag.value.empty() || flag.takes == kSim) continue;
    std::string pattern;
    for (const std::string& name : dashed(flag)) {
      if (flag.value_optional && name.starts_with("--")) continue;  // its value comes after = only
      pattern += (pattern.empty() ? "" : "|") + name;
    }
    if (flag.value_optional) pattern = "--" + std::string(flag.name) + "=";
    std::string action = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))",
                                     completion_values(flag.completes, flag.words, known));
    // Keys in a list: what stands before the last comma stays.
    if (flag.completes == Completes::columns)
      action = R"([[ $cur == *,* ]] && before=${cur%,*},
      COMPREPLY=($(compgen -P "$before" -W "$columns" -- "${cur##*,}")); compopt -o nospace 2>/dev/null)";
    if (flag.completes == Completes::nodes)
      action = R"sh([[ $cur == *,* ]] && before=${cur%,*},
      COMPREPLY=($(compgen -P "$before" -W "$(_tessera_names nodes)" -- "${cur##*,}")); compopt -o nospace 2>/dev/null)sh";
    if (flag.name == "output") action = R"(COMPREPLY=($(compgen -W "$formats" -- "$cur")))";
    // bash splits node=NAME at the equals sign: then only NAME is completed.
    if (flag.completes == Completes::filter)
      action = R"(COMPREPLY=($(compgen -W 'node= user=' -- "$cur")); compopt -o nospace 2>/dev/null)";
    if (completes_files(flag.completes)) action += "; compopt -o default 2>/dev/null";
    text += fmt::format("    {}) {}; return ;;\n", pattern, action);
  }
  return text;
}

std::string bash_words_of_commands(const CompletionWords& known) {
  std::string text;
  for (const Command& command : commands()) {
    if (command.name == kSimulator) continue;  // a program of its own
    std::string flag_names;
    for (const Flag& flag : flags()) {
      if (!(flag.takes & command.takes)) continue;
      for (const std::string& name : dashed(flag)) {
        if (name.starts_with("--")) flag_names += (flag_names.empty() ? "" : " ") + name;
      }
    }
    std::string words =
        command.name.empty() ? command_names() : completion_values(command.completes, command.words, known);
    if (command.completes == Completes::run) words = "$(_tessera_runs)";
    const char quote = command.completes == Completes::run ? '"' : '\'';
    text += fmt::format("    '{}') flags='{}'; words={}{}{}", command.name, flag_names, quote, words, quote);
    if (const std::string_view verbs = words_before_nodes(command); !verbs.empty())
      text +=
          fmt::format("; [[ -n $verb && ' {} ' == *\" $verb \"* ]] && words=$(_tessera_names nodes)", verbs);
    for (const Flag& flag : flags())
      if (flag.name == "output" && (flag.takes & command.takes) != 0)
        text += fmt::format("; formats='{}'", as_taken(flag, command.takes).words);
    if (const std::string columns = completion_columns(command.name, known); !columns.empty())
      text += fmt::format("; columns='{}'", columns);
    text += " ;;\n";
  }
  return text;
}

std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_action(Completes completes, std::string_view words, const CompletionWords& known,
                       std::string_view command = {}) {
  if (completes == Completes::run) return "_tessera_runs";
  if (completes == Completes::nodes) return "_tessera_nodes";
  if (completes == Completes::filter) return "_tessera_filter";
  if (completes == Completes::columns)
    return "{_values -s , column " + completion_columns(command, known) + "}";
  std::string list = completion_values(completes, words, known);
  if (completes == Completes::file || (completes_files(completes) && list.empty())) return "_files";
  if (list.empty()) return " ";
  return "(" + list + ")";
}

// One line an alternative: '(-o --output)'{-o,--output=}'[help]:FORMAT:(table wide)'
std::string zsh_flag(const Flag& flag, const CompletionWords& known, std::string_view command) {
  std::vector<std::string> names = dashed(flag);
  std::string all, alternatives;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : " ") + name;
    std::string suffix;
    if (!flag.value.empty()) suffix = flag.value_optional ? "=-" : name.starts_with("--") ? "=" : "+";
    alternatives += (alternatives.empty() ? "" : ",") + name + suffix;
  }
  std::string value;
  if (!flag.value.empty()) {
    value = fmt::format("{}{}:{}", flag.value_optional ? "::" : ":", zsh_quoted(flag.value),
                        zsh_action(flag.completes, flag.words, known, command));
  }
  if (names.size() > 1) alternatives = "{" + alternatives + "}";
  return fmt::format("'({})'{}'[{}]{}'", all, alternatives, zsh_quoted(flag.help), value);
}

std::string zsh_arguments(const Command& command, const CompletionWords& known) {
  std::string text;
  for (const Flag& flag : flags()) {
    if (flag.takes & command.takes)
      text += fmt::format(" \\\n        {}", zsh_flag(as_taken(flag, command.takes), known, command.name));
  }
  if (command.max_words > 0) {
    text += fmt::format(" \\\n        '1:{}:{}'", zsh_quoted(command.arguments),
                        zsh_action(command.completes, command.words, known));
  }
  if (!words_before_nodes(command).empty())
    text += fmt::format(" \\\n        '2:{}:_tessera_nodes_after {}'", "node", words_before_nodes(command));
  return text;
}

}  // namespace

std::string completion_values(Completes completes, std::string_view words, const CompletionWords& known) {
  switch (completes) {
    case Completes::words: return std::string(words);
    case Completes::product: return joined(known.products);
    case Completes::scenario: return joined(known.scenarios);
    case Completes::theme: return joined(known.themes);
    case Completes::keymap: return joined(known.keymaps);
    case Completes::preset: return joined(known.presets);
    case Completes::columns:  // of the command: completion_columns
    case Completes::run:      // looked up while a line is typed, as the next two are
    case Completes::nodes:
    case Completes::filter:
    case Completes::file:
    case Completes::nothing: break;
  }
  return "";
}

std::string completion_columns(std::string_view command, const CompletionWords& known) {
  const auto found = known.columns.find(std::string(command));
  return found == known.columns.end() ? "" : joined(found->second);
}

std::string_view words_before_nodes(const Command& command) {
  if (command.name == "node") return command.words;
  return command.name == "fleet" ? "explain" : "";
}

bool completes_files(Completes completes) {
  return completes == Completes::file || completes == Completes::scenario || completes == Completes::theme ||
         completes == Completes::keymap;
}

std::string bash_completion(const CompletionWords& words) {
  return fmt::format(R"sh(# bash completion for tessera; made by `tessera completion bash`
# The runs whose journals lie in the state folder; no cluster is asked.
_tessera_runs() {{
  local state=${{XDG_STATE_HOME:-}} kind=runs file
  [[ $state == /* ]] || state=$HOME/.local/state
  [[ " ${{COMP_WORDS[*]}} " == *' --sim'* ]] && kind=simulated-runs
  for file in "$state/tessera/$kind"/*.journal ${{TESSERA_RUNS:+"$TESSERA_RUNS"/*.journal}}; do
    file=${{file##*/}}
    [[ $file =~ ^[A-Za-z0-9._-]+\.journal$ ]] && printf '%s\n' "${{file%.journal}}"
  done
}}
# Names that the last listing told (tessera nodes, tessera users); no cluster is asked.
_tessera_names() {{  # nodes|users
  local cache=${{XDG_CACHE_HOME:-}} kind=names
  [[ $cache == /* ]] || cache=$HOME/.cache
  [[ " ${{COMP_WORDS[*]}} " == *' --sim'* ]] && kind=simulated-names
  grep -hxE '[A-Za-z0-9_][A-Za-z0-9._-]*' "$cache/tessera/$kind"/*."$1" 2>/dev/null | head -n 20000
}}
_tessera() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= word flags words columns= formats= before= verb= index
  # bash splits --flag=value at the equals sign
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' && $COMP_CWORD -ge 2 ]]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}
    [[ $prev == --sim ]] && prev=--sim=
  fi
  if [[ $prev == node || $prev == user ]] && [[ ${{COMP_WORDS[*]}} == *\ @(-f|-l|--filter|--selector)\ * ]]; then
    COMPREPLY=($(compgen -W "$(_tessera_names "${{prev}}s")" -- "$cur"))
    return
  fi
  [[ $prev == --sim && -z $cur && ${{COMP_WORDS[COMP_CWORD]}} == '=' ]] && prev=--sim=
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=${{COMP_WORDS[index]}}
    case " {} " in *" $word "*) command=$word; break ;; esac
  done
  ((index + 1 < COMP_CWORD)) && verb=${{COMP_WORDS[index+1]}}
  case $command in
{}  esac
  case $prev in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}}
complete -F _tessera tessera
)sh",
                     command_names(), bash_words_of_commands(words), bash_flag_values(words));
}

std::string zsh_completion(const CompletionWords& words) {
  std::string list, cases;
  for (const Command& command : commands()) {
    if (command.name.empty() || command.name == kSimulator) continue;
    list += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.summary));
    cases += fmt::format("      {})\n        _arguments -s{}\n        ;;\n", command.name,
                         zsh_arguments(command, words));
  }
  return fmt::format(R"sh(#compdef tessera
# zsh completion for tessera; made by `tessera completion zsh`
# The runs whose journals lie in the state folder; no cluster is asked.
_tessera_runs() {{
  local state=$XDG_STATE_HOME kind=runs
  local -a files
  [[ $state == /* ]] || state=$HOME/.local/state
  [[ " $words" == *' --sim'* ]] && kind=simulated-runs
  files=($state/tessera/$kind/*.journal(N:t:r))
  [[ -n $TESSERA_RUNS ]] && files+=($TESSERA_RUNS/*.journal(N:t:r))
  files=(${{(M)files:#[A-Za-z0-9._-]##}})
  (( $#files )) && compadd -a files
}}
# Names that the last listing told (tessera nodes, tessera users); no cluster is asked.
_tessera_names() {{  # nodes|users; sets names
  local cache=$XDG_CACHE_HOME kind=names
  local -a files
  [[ $cache == /* ]] || cache=$HOME/.cache
  [[ " $words" == *' --sim'* ]] && kind=simulated-names
  files=($cache/tessera/$kind/*.$1(N))
  names=()
  (( $#files )) && names=(${{(f)"$(cat -- $files)"}})
  names=(${{(M)names:#[A-Za-z0-9_][A-Za-z0-9._-]#}})
}}
_tessera_nodes() {{
  local -a names
  _tessera_names nodes
  compset -P '*,'
  (( $#names )) && compadd -S '' -a names
}}
_tessera_nodes_after() {{
  (( ${{@[(Ie)$words[2]]}} )) && _tessera_nodes
}}
_tessera_filter() {{
  local -a names
  if compset -P '*(node|user)='; then
    if [[ $IPREFIX == *user= ]]; then _tessera_names users; else _tessera_names nodes; fi
    (( $#names )) && compadd -a names
  else
    compadd -S '' node= user=
  fi
}}
_tessera() {{
  local -a commands
  local context state state_descr line
  typeset -A opt_args
  commands=(
{}  )
  _arguments -s -C -A '-*'{} \
        '1:command:->command' '*::argument:->argument' && return
  if [[ $state == command ]]; then
    _describe command commands
  elif [[ $state == argument ]]; then
    case $line[1] in
{}    esac
  fi
}}
_tessera "$@"
)sh",
                     list, zsh_arguments(commands().front(), words), cases);
}

}  // namespace tessera::cli
