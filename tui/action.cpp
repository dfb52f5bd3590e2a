#include "tui/action.hpp"

#include <array>

namespace tessera::tui {
namespace {

constexpr auto kCount = static_cast<std::size_t>(Action::count_);

#define TESSERA_TEXTS(name, id, title, help, keys, scope, group, ...) \
  {Action::name, id, title, help, keys, Scope::scope, Group::group},
constexpr std::array<ActionInfo, kCount> kActions{{TESSERA_ACTIONS(TESSERA_TEXTS)}};
#undef TESSERA_TEXTS

struct ScopeName {
  std::string_view word;
  std::string_view title;
};
constexpr std::array<ScopeName, static_cast<std::size_t>(Scope::count_)> kScopes{{
    {"global", "Everywhere"},
    {"table", "In tables"},
    {"node", "On a node's page"},
    {"layout", "In the layout editor"},
    {"pack", "On the pack screen"},
    {"fleet", "On the fleet screen"},
    {"advise", "On the advice screen"},
    {"log", "In the events"},
    {"findings", "On the findings"},
    {"users", "On the users"},
    {"usage", "On usage and waste"},
    {"plan", "On a plan"},
    {"run", "On a run, in the journal"},
    {"resume", "Resuming a run"},
    {"arm", "Once armed"},
    {"leave", "Leaving"},
    {"guide", "In the guide"},
    {"question", "At the guide's question"},
    {"choice", "In a list of choices"},
    {"input", "While typing"},
}};

constexpr std::array<std::string_view, static_cast<std::size_t>(Group::count_)> kGroups{
    "Moving",           "Finding and arranging", "Marking and copying", "Screens", "Editing a layout",
    "Packing a demand", "Advice on re-cuts",     "The fleet file",      "Console", "Changing a layout",
    "The guide",        "Lists of choices",      "While typing",
};

// "k Up" → "`k` `Up`"; a bar inside a Markdown table needs a backslash.
std::string keys_for_markdown(std::string_view keys) {
  if (keys.empty()) return "`:` and its name";
  std::string out = "`";
  for (const char c : keys) {
    if (c == ' ')
      out += "` `";
    else if (c == '|')
      out += "\\|";
    else
      out += c;
  }
  return out + "`";
}

// "k Up" → `["k", "Up"]`, always quoted: `?`, `:`, `*` and digits mean something to YAML.
std::string keys_for_yaml(std::string_view keys) {
  std::string out = "[";
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find(' '));
    keys.remove_prefix(key.size() == keys.size() ? key.size() : key.size() + 1);
    if (out.size() > 1) out += ", ";
    out += '"';
    for (const char c : key) {
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "]";
}

}  // namespace

std::span<const ActionInfo> actions() { return kActions; }

const ActionInfo& info(Action action) { return kActions[static_cast<std::size_t>(action)]; }

std::optional<Action> action_of(std::string_view id) {
  for (const ActionInfo& row : kActions)
    if (row.id == id) return row.action;
  return std::nullopt;
}

bool works_while_typing(Action action) {
  return action == Action::suspend || action == Action::redraw || action == Action::quit;
}

std::string_view word(Scope scope) { return kScopes[static_cast<std::size_t>(scope)].word; }

std::string_view title(Scope scope) { return kScopes[static_cast<std::size_t>(scope)].title; }

std::optional<Scope> scope_of(std::string_view text) {
  for (std::size_t i = 0; i < kScopes.size(); ++i)
    if (kScopes[i].word == text) return static_cast<Scope>(i);
  return std::nullopt;
}

std::string_view title(Group group) { return kGroups[static_cast<std::size_t>(group)]; }

std::string keys_markdown() {
  std::string out =
      "# Keys\n\n"
      "Made from the action table in `tui/action_rows.hpp`; the console shows the same under `?`.\n"
      "A keymap file changes any of them: see `themes/keys-default.yaml`.\n";
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    out += "\n## ";
    out += kGroups[group];
    out += "\n\n| Keys | What it does | Where | Name |\n|---|---|---|---|\n";
    for (const ActionInfo& row : kActions) {
      if (row.group != static_cast<Group>(group)) continue;
      out += "| " + keys_for_markdown(row.keys) + " | ";
      out += row.help;
      out += " | ";
      out += title(row.scope);
      out += " | `";
      out += row.id;
      out += "` |\n";
    }
  }
  return out;
}

std::string keys_yaml() {
  std::string out =
      "# The keys of tessera, by the place where they count. A keymap of your own names only what it\n"
      "# changes: an action named there loses its keys here, and [] leaves it without a key.\n";
  for (std::size_t scope = 0; scope < kScopes.size(); ++scope) {
    std::string rows;
    for (const ActionInfo& row : kActions) {
      if (row.scope != static_cast<Scope>(scope)) continue;
      rows += "  ";
      rows += row.id;
      rows += ": " + keys_for_yaml(row.keys) + "\n";
    }
    if (rows.empty()) continue;
    out += '\n';
    out += kScopes[scope].word;
    out += ":\n" + rows;
  }
  return out;
}

}  // namespace tessera::tui
