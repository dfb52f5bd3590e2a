#include "tui/state.hpp"

namespace tessera::tui {

bool is_table(ScreenKind kind) {
  return kind == ScreenKind::nodes || kind == ScreenKind::gpus || kind == ScreenKind::slices ||
         kind == ScreenKind::workloads;
}

std::string_view word(ScreenKind kind) {
  switch (kind) {
    case ScreenKind::overview: return "overview";
    case ScreenKind::nodes: return "nodes";
    case ScreenKind::gpus: return "gpus";
    case ScreenKind::slices: return "slices";
    case ScreenKind::workloads: return "workloads";
    case ScreenKind::node: return "node";
    case ScreenKind::workload: return "workload";
    case ScreenKind::layout: return "layout";
    case ScreenKind::facts: return "source";
    case ScreenKind::log: return "events";
    case ScreenKind::help: return "help";
    case ScreenKind::about: return "about";
    case ScreenKind::plan: return "plan";
    case ScreenKind::messages: return "messages";
    case ScreenKind::run: return "run";
    case ScreenKind::journal: return "journal";
    case ScreenKind::guide: return "guide";
  }
  return "";
}

}  // namespace tessera::tui
