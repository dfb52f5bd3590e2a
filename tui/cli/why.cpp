#include "tui/cli/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/looks_into.hpp"
#include "engine/text.hpp"
#include "engine/why/called.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kGroups = 20;  // of nodes with the same answer; a document has all

// Kueue's usual way with a Job: it has no pods before it is admitted, and its Workload has another name.
constexpr const char* kNoPodYet =
    "tessera workloads --filter state=pending lists the jobs and pods that wait, and what Kueue has not "
    "admitted by its Workload";

Json json_of(const why::Statement& statement) {
  Json one = Json::map();
  one.add("text", Json::of(statement.text));
  one.add("certainty", Json::of(std::string(why::word(statement.certainty))));
  one.add("source", text_or_null(std::string(why::said_by(statement))));
  return one;
}

Json json_of(const why::Candidates& group) {
  Json one = json_of(group.what);
  Json names = Json::list();
  for (const NodeName& name : group.nodes) names.items.push_back(Json::of(name.text));
  one.add("nodes", std::move(names));
  one.add("fits", Json::of(group.fits));
  one.add("topic", group.fits ? Json() : Json::of(std::string(why::word(group.topic))));
  return one;
}

Json json_of(const why::Remedy& remedy) {
  Json one = Json::map();
  one.add("kind", Json::of(std::string(why::word(remedy.help))));
  one.add("text", Json::of(remedy.text));
  one.add("command", text_or_null(remedy.command));
  one.add("certainty", Json::of(std::string(why::word(remedy.certainty))));
  return one;
}

Json json_of(const Inquiry& inquiry) {
  Json one = Json::map();
  one.add("source", Json::of(std::string(word(inquiry.source))));
  one.add("command", text_or_null(inquiry.command));
  one.add("failure", inquiry.failure ? Json::of(to_line(*inquiry.failure)) : Json());
  one.add("note", text_or_null(inquiry.note));
  return one;
}

template <class T>
Json list_of(const std::vector<T>& all) {
  Json list = Json::list();
  for (const T& one : all) list.items.push_back(json_of(one));
  return list;
}

std::string folded(const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& node : nodes) names.push_back(node.text);
  return fold_hosts(names);
}

// Lines for people, told in the reader's language.
class WhyLines {
 public:
  explicit WhyLines(const Options& options)
      : reader_(options.reader),
        width_(options.paper.columns > 0 ? static_cast<std::size_t>(std::max(options.paper.columns, 40))
                                         : 100) {}
  std::string told(std::string_view english) const { return tui::told(reader_, english); }
  void heading(std::string_view text) { text_ += "\n" + told(text) + "\n"; }
  void line(const std::string& text, std::size_t indent) { text_ += wrapped(text, indent, width_); }
  void raw(const std::string& text) { text_ += text + "\n"; }
  void statement(const why::Statement& one, std::size_t indent) {
    std::string aside = told(why::word(one.certainty));
    if (const std::string_view by = why::said_by(one); !by.empty()) aside += ", " + std::string(by);
    line(told(one.text) + " (" + aside + ")", indent);
  }
  std::string take() { return std::move(text_); }

 private:
  tui::WordsPtr reader_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

Json why_json(const Cluster& cluster, const Workload& workload, const why::Answer& answer) {
  Json document = Json::map();
  document.add("cluster", Json::of(cluster.name.text));
  document.add("id", Json::of(workload.id.text));
  document.add("state", Json::of(std::string(word(workload.state))));
  document.add("waits", Json::of(answer.waits));
  document.add("reason", text_or_null(workload.reason));
  document.add("topic", answer.waits ? Json::of(std::string(why::word(answer.topic))) : Json());
  document.add("why", answer.waits ? json_of(answer.sentence) : Json());
  document.add("more", list_of(answer.more));
  document.add("nodes", list_of(answer.nodes));
  document.add("help", list_of(answer.help));
  Json untold = Json::list();
  for (const std::string& one : answer.untold) untold.items.push_back(Json::of(one));
  document.add("not_known", std::move(untold));
  document.add("asked", list_of(answer.asked));
  document.add("asked_at", time_or_null(answer.asked_at));
  return document;
}

std::string why_text(const Cluster& cluster, const Workload& workload, const why::Answer& answer,
                     const Options& options) {
  WhyLines lines(options);
  lines.raw(fmt::format("{} {}  {}  {}", cluster.name.text, workload.id.text, workload.user, workload.name));
  if (!answer.waits) {
    lines.line(lines.told(fmt::format("does not wait: {}", word(workload.state))), 2);
    return lines.take();
  }
  lines.statement(answer.sentence, 2);
  for (const why::Statement& one : answer.more) lines.statement(one, 4);
  if (!answer.help.empty()) lines.heading("WHAT WOULD HELP");
  for (const why::Remedy& one : answer.help) {
    lines.line(lines.told(one.text) + " (" + lines.told(why::word(one.certainty)) + ")", 2);
    if (!one.command.empty()) lines.raw("      " + one.command);
  }
  if (!answer.nodes.empty()) lines.heading("NODES");
  std::size_t shown = 0, left = 0;
  for (const why::Candidates& group : answer.nodes) {
    if (shown++ >= kGroups) {
      left += group.nodes.size();
      continue;
    }
    lines.line(folded(group.nodes), 2);
    lines.statement(group.what, 4);
  }
  if (left > 0) lines.line(lines.told(fmt::format("and {} more; -o json lists all of them", left)), 2);
  if (!answer.untold.empty()) lines.heading("NOT KNOWN HERE");
  for (const std::string& one : answer.untold) lines.line(lines.told(one), 2);
  if (!answer.asked.empty()) lines.heading("ASKED FOR IT ALONE");
  for (const Inquiry& one : answer.asked)
    lines.line((one.command.empty() ? std::string(word(one.source)) : one.command) +
                   (one.failure ? " (" + lines.told("no answer") + ")" : ""),
               2);
  return lines.take();
}

namespace {

// What the lists do not hold: asked for this work alone. nullopt: this cluster tells no more, or there was no
// answer in time; then it stays unknown.
std::optional<Details> look_into(OpenClusters& clusters, const ClusterName& name, const WorkloadId& id) {
  Backend* backend = clusters.backend(name);
  LooksInto* able = backend ? backend->looks_into() : nullptr;
  if (able == nullptr) return std::nullopt;
  // Written once on the backend's thread; the event that follows wakes us.
  auto answer = std::make_shared<std::promise<Details>>();
  std::future<Details> told = answer->get_future();
  able->look_into(id, [answer](Details details) { answer->set_value(std::move(details)); });
  const auto is_told = [&] { return told.wait_for(Duration(0)) == std::future_status::ready; };
  clusters.wait_until(is_told);
  return is_told() ? std::optional(told.get()) : std::nullopt;
}

int print(const Cluster& cluster, const Workload& workload, const why::Answer& answer, const Options& options,
          const Streams& streams) {
  if (options.output == OutputFormat::table) {
    const std::string text = why_text(cluster, workload, answer, options);
    streams.out << (options.ascii ? in_ascii(text) : text);
  } else {
    streams.out << document(why_json(cluster, workload, answer),
                            options.output == OutputFormat::json ? Markup::json : Markup::yaml);
  }
  return kDone;
}

}  // namespace

namespace {

// "Job ml/train, ReplicaSet ml/train-5d9c": as they can be named.
std::string subjects_of(const std::vector<why::Refused>& refused) {
  std::string all;
  for (const why::Refused& one : refused) all += (all.empty() ? "" : ", ") + clean(one.remark->subject, 200);
  return all;
}

}  // namespace

int run_why(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
            const Streams& streams) {
  if (options.words.empty())
    return refuse(streams, {"cannot use these arguments", "which job or pod?", "tessera why JOB|POD"},
                  kUsage);
  if (auto status = check_output(options); !status) return refuse(streams, status.error(), kUsage);
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, streams, options.cluster)) return *failed;
  const auto is_loaded = [](const Cluster& cluster) { return cluster.loaded; };
  if (!std::all_of(clusters.model().clusters.begin(), clusters.model().clusters.end(), is_loaded)) {
    complain(streams, {"no complete answer", fmt::format("within {} s", options.timeout.count() / 1000),
                       "try again with a longer --timeout"});
    return kUnknown;
  }
  const std::string& called = options.words.front();
  const std::vector<why::Called> found = why::works_called(clusters.model(), called);
  const std::vector<why::Refused> refused =
      found.empty() ? why::refused_called(clusters.model(), called) : std::vector<why::Refused>();
  if (refused.size() == 1)
    return print(*refused.front().cluster, why::as_work(refused.front()), why::answer_of(refused.front()),
                 options, streams);
  if (found.size() != 1) {
    const std::size_t number = found.size() + refused.size();
    const std::string reason = number == 0 ? "no job or pod is called \"" + clean(called, 100) + "\""
                                           : fmt::format("{} of them are called so", number);
    const auto& all = clusters.model().clusters;
    const bool pods = std::any_of(all.begin(), all.end(), [](const Cluster& cluster) {
      return cluster.scheduler == Scheduler::kubernetes;
    });
    return refuse(
        streams,
        {"cannot say why it waits", reason,
         number == 0 ? (pods ? kNoPodYet : "tessera workloads --filter state=pending lists those that wait")
         : refused.empty() ? "name its cluster with --cluster, or its namespace: NAMESPACE/POD"
                           : "name one of these: " + subjects_of(refused)},
        // It may stand in what could not be read.
        number == 0 && !std::all_of(all.begin(), all.end(), insight::work_is_current) ? kUnknown : kUsage);
  }
  const ClusterName name = found.front().cluster->name;
  const WorkloadId id = found.front().workload->id;
  std::optional<Details> details;
  if (found.front().workload->state == WorkloadState::pending) details = look_into(clusters, name, id);
  const Cluster* cluster = clusters.model().find(name);
  const Workload* workload = cluster->workloads.find(id);
  if (workload == nullptr)
    return refuse(streams,
                  {"cannot say why it waits", "it has left the list while its details were asked for", ""},
                  kUnknown);
  const plan::Means means = capabilities_of(clusters, *cluster);
  const why::Site site{&catalogue, &means, options.rules, clusters.wall(), details ? &*details : nullptr};
  const why::Answer answer = why::explain(*cluster, *workload, site);
  return print(*cluster, *workload, answer, options, streams);
}

}  // namespace tessera::cli
