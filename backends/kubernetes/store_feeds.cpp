// Pages and lines of the feeds, on their way into what the store keeps.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/refused_pods.hpp"
#include "backends/kubernetes/store_state.hpp"

namespace tessera::kubernetes {
namespace {

template <class Object>
FeedPage head_of(const ListPage<Object>& page) {
  return {page.version, page.next,         page.remaining, page.items.size() + page.skipped,
          page.skipped, page.first_problem};
}
template <class Object>
FeedLine head_of(const WatchLine<Object>& line) {
  return {line.change, line.version, line.change == Change::bookmark ? "" : line.problem, line.status};
}

// Lines of a watch: each keeps an object or drops it, and the rest is told `after`.
template <class Object>
std::function<Result<FeedLine>(std::string_view)> lines_of(Parser& parser, std::function<void(Object)> keep,
                                                           std::function<void(const Object&)> drop,
                                                           std::function<void()> after) {
  return [&parser, keep = std::move(keep), drop = std::move(drop),
          after = std::move(after)](std::string_view text) -> Result<FeedLine> {
    auto line = parser.line<Object>(text);
    if (!line) return line.error();
    const bool tells_object =
        line->change == Change::added || line->change == Change::modified || line->change == Change::deleted;
    if (line->change == Change::unknown || (tells_object && !line->object))
      return Error{"the line cannot be used",
                   tells_object ? "its object has no name" : "it reports no change", ""};
    FeedLine head = head_of(*line);
    if (line->object && line->change == Change::deleted) drop(*line->object);
    if (line->object && (line->change == Change::added || line->change == Change::modified))
      keep(std::move(*line->object));
    after();
    return head;
  };
}

// A feed whose objects are kept as they come, by id, and weighed together.
template <class Object, class Kept>
ClusterStore::Handler kept_in(Parser& parser, Kept& kept, std::set<std::string>& seen,
                              std::function<void()> weigh) {
  ClusterStore::Handler handler;
  handler.begin = [&seen] { seen.clear(); };
  handler.page = [&](std::string_view body, bool) -> Result<FeedPage> {
    auto page = parser.list<Object>(body);
    if (!page) return page.error();
    for (Object& one : page->items) {
      seen.insert(one.id());
      kept.keep(std::move(one), page->api);
    }
    return head_of(*page);
  };
  handler.listed = [&, weigh] {
    for (const std::string& id : kept.ids())
      if (!seen.contains(id)) kept.drop(id);
    seen.clear();
    weigh();
  };
  handler.line = lines_of<Object>(
      parser, [&kept](Object one) { kept.keep(std::move(one)); },
      [&kept](const Object& one) { kept.drop(one.id()); }, weigh);
  return handler;
}

}  // namespace

ClusterStore::Handler ClusterStore::budgets() {
  State* s = state_.get();
  return kept_in<BudgetObject>(s->parser, s->budgets, s->seen_budgets, [s] { s->weigh_budgets(); });
}

ClusterStore::Handler ClusterStore::events() {
  State* s = state_.get();
  return kept_in<EventObject>(s->parser, s->events, s->seen_events, [s] { s->show_events(); });
}

ClusterStore::Handler ClusterStore::kueue_workloads() {
  State* s = state_.get();
  return kept_in<KueueWorkload>(s->parser, s->kueue, s->seen_kueue, [s] { s->tell_kueue(); });
}

ClusterStore::Handler ClusterStore::quotas() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] {
    s->quotas.clear();
    s->unread_quota = false;
  };
  handler.page = [s](std::string_view body, bool) -> Result<FeedPage> {
    auto page = s->parser.list<QuotaObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (const QuotaObject& quota : page->items) {
      // The rest of it is kept, and that this is missing is told with the list.
      s->unread_quota = s->unread_quota || !quota.unread.empty();
      if (!quota.unread.empty() && head.skipped++ == 0)
        head.problem = fmt::format("{} has no readable count of {}", quota.id(), quota.unread);
      for (const auto& [resource, limit] : quota.limits) {
        auto used = quota.used.find(resource);
        s->quotas.push_back({quota.meta.name_space, quota.meta.name, resource.str(), limit,
                             used == quota.used.end() ? std::nullopt : std::optional(used->second)});
      }
    }
    return head;
  };
  handler.listed = [s] {
    s->limits_gpus = !s->quotas.empty() || s->unread_quota;
    s->post(QuotasListed{std::exchange(s->quotas, {})});
  };
  return handler;
}

ClusterStore::Handler ClusterStore::refused_pods() {
  constexpr std::size_t kMost = 5000;
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->refused_listed.clear(); };
  handler.page = [s](std::string_view body, bool) -> Result<FeedPage> {
    auto page = s->parser.list<EventObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (EventObject& event : page->items)
      if (is_refused_for_gpus(event) && s->refused_listed.size() < kMost)
        s->refused_listed.push_back(std::move(event));
    return head;
  };
  handler.listed = [s] {
    s->refused = std::exchange(s->refused_listed, {});
    s->show_refused();
  };
  return handler;
}

ClusterStore::Handler ClusterStore::dra_slices() {
  State* s = state_.get();
  return kept_in<ResourceSliceObject>(s->parser, s->slices, s->seen_slices, [s] { s->slices_changed(); });
}

ClusterStore::Handler ClusterStore::device_rules() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->rules.clear(); };
  handler.page = [s](std::string_view body, bool) -> Result<FeedPage> {
    auto page = s->parser.list<DeviceTaintRuleObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (DeviceTaintRuleObject& rule : page->items) s->rules.push_back(std::move(rule));
    return head;
  };
  handler.listed = [s] {
    s->slices.set_rules(std::exchange(s->rules, {}));
    s->slices_changed();
  };
  return handler;
}

ClusterStore::Handler ClusterStore::dra_claims() {
  State* s = state_.get();
  Handler handler =
      kept_in<ResourceClaimObject>(s->parser, s->claims, s->seen_claims, [s] { s->claims_changed(); });
  // One that cannot be read may have devices.
  auto all = std::make_shared<bool>(true);
  handler.begin = [begin = handler.begin, all] {
    *all = true;
    begin();
  };
  handler.page = [page = handler.page, all](std::string_view body, bool last) {
    Result<FeedPage> read = page(body, last);
    *all = *all && read.ok() && read->skipped == 0;
    return read;
  };
  handler.listed = [s, listed = handler.listed, all] {
    s->claims_listed(*all);
    listed();
  };
  return handler;
}

ClusterStore::Handler ClusterStore::nodes() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->seen.clear(); };
  handler.page = [s](std::string_view body, bool last) -> Result<FeedPage> {
    auto page = s->parser.list<NodeObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (NodeObject& node : page->items) {
      s->seen.insert(node.meta.name);
      s->keep(std::move(node));
    }
    // The first screen is painted while the other pages are on their way.
    if (last && !s->nodes_complete && !head.next.empty()) {
      s->flush();
      auto done = static_cast<std::int64_t>(s->seen.size());
      s->post(Progress{"nodes", done, head.remaining ? std::optional(done + *head.remaining) : std::nullopt});
    }
    return head;
  };
  handler.listed = [s] { s->nodes_listed(); };
  handler.line = lines_of<NodeObject>(
      s->parser, [s](NodeObject one) { s->keep(std::move(one)); },
      [s](const NodeObject& one) { s->drop_node(one.meta.name); }, [s] { s->flush(); });
  return handler;
}

ClusterStore::Handler ClusterStore::pods() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] {
    s->seen_pods.clear();
    s->pods_read = 0;
    ++s->pod_list;
  };
  handler.page = [s](std::string_view body, bool last) -> Result<FeedPage> {
    auto page = s->parser.list<PodObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    s->pods_read += static_cast<std::int64_t>(page->items.size());
    for (PodObject& pod : page->items) s->take(std::move(pod), true);
    if (last && !s->pods_complete && !head.next.empty())
      s->post(Progress{"pods", s->pods_read,
                       head.remaining ? std::optional(s->pods_read + *head.remaining) : std::nullopt});
    return head;
  };
  handler.listed = [s] { s->pods_listed(); };
  handler.line = lines_of<PodObject>(
      s->parser, [s](PodObject one) { s->take(std::move(one), false); },
      [s](const PodObject& one) { s->drop(one); }, [s] { s->flush(); });
  return handler;
}

ClusterStore::Handler ClusterStore::daemon_sets() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->sets_listed.clear(); };
  handler.page = [s](std::string_view body, bool) -> Result<FeedPage> {
    auto page = s->parser.list<DaemonSetObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (DaemonSetObject& set : page->items)
      if (!component_of(set.app).empty()) s->sets_listed.push_back(std::move(set));
    return head;
  };
  handler.listed = [s] { s->sets_complete(); };
  return handler;
}

ClusterStore::Handler ClusterStore::cluster_policies() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->policies_listed.clear(); };
  handler.page = [s](std::string_view body, bool) -> Result<FeedPage> {
    auto page = s->parser.list<ClusterPolicyObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (ClusterPolicyObject& policy : page->items) s->policies_listed.push_back(std::move(policy));
    return head;
  };
  handler.listed = [s] {
    s->policies = std::move(s->policies_listed);
    s->policies_listed.clear();
    s->post_licence();
    s->post_remarks();
  };
  return handler;
}

}  // namespace tessera::kubernetes
