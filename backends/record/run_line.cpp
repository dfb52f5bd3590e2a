#include "backends/record/run_line.hpp"

#include <map>
#include <utility>

#include "engine/text.hpp"

namespace tessera::record {
namespace {

constexpr std::size_t kMostOfJournal = 300;

struct JournalLine {
  std::string node;
  std::vector<NodeName> planned;            // of a run that begins
  std::map<std::string, std::string> told;  // fields of the event that are texts
};

void read_planned(JsonValue& plan, JournalLine& line) {
  plan.fields([&](std::string_view key, JsonValue& value) {
    if (key != "nodes") return;
    value.items([&](JsonValue& node) {
      node.fields([&](std::string_view field, JsonValue& name) {
        if (field != "node") return;
        if (const auto text = name.text()) line.planned.emplace_back(clean(*text, 253));
      });
    });
  });
}

void read_journal_line(JsonValue& root, JournalLine& line) {
  root.fields([&](std::string_view key, JsonValue& value) {
    if (key == "node") line.node = clean(value.text().value_or(""), 253);
    if (key != "event") return;
    value.fields([&](std::string_view field, JsonValue& told) {
      if (field == "plan") return read_planned(told, line);
      if (const auto text = told.text()) line.told[std::string(field)] = clean(*text, kMostOfJournal);
    });
  });
}

// Empty: it is one of the steps.
std::string news_text(std::map<std::string, std::string>& told) {
  const std::string kind = told["kind"];
  if (kind == "run-started") return "started by " + told["who"];
  if (kind == "resumed") return "resumed by " + told["who"];
  if (kind == "replanned") return "planned again";
  if (kind == "step-failed") return "a step failed: " + told["why"];
  if (kind == "parked") return "parked: " + told["why"];
  if (kind == "node-finished" || kind == "run-finished") return "finished: " + told["text"];
  return "";
}

}  // namespace

std::optional<RunNews> news_of(JsonDocument& json, const std::string& run, std::string_view line) {
  JournalLine read;
  if (!json.read(line, [&](JsonValue& root) { read_journal_line(root, read); })) return std::nullopt;
  RunNews news{clean(run, 200), news_text(read.told), std::move(read.planned)};
  if (news.text.empty()) return std::nullopt;
  if (!read.node.empty()) news.nodes = {NodeName(read.node)};
  return news;
}

}  // namespace tessera::record
