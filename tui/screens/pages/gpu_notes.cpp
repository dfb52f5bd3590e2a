#include "tui/screens/pages/gpu_notes.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/mig/product_of.hpp"
#include "engine/model/waits_longer.hpp"
#include "engine/sharing/resources.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/event_lines.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::tui {
namespace {

// GPUs of one key are asked for alike.
std::string kind_of(const GpuPlace& at) {
  const std::string product = at.gpu->product ? at.gpu->product->text : std::string();
  return at.cluster->name.text + '\x1f' + product + '\x1f' + at.node->model + '\x1f' +
         std::string(word(at.gpu->strategy));
}

std::string node_of(const GpuPlace& at) { return at.cluster->name.text + '\x1f' + at.node->name.text; }

bool is_shared(Strategy how) {
  return how == Strategy::mps || how == Strategy::time_slicing || how == Strategy::shard;
}

// Shares are wanted of a GPU that is shared: what one that is not could be made into has no end.
bool asks_for_shares(const sharing::ResourceName& name, Strategy how) {
  const bool shares = is_shared(how);
  switch (name.kind) {
    case sharing::ResourceKind::mps: return how == Strategy::mps;
    case sharing::ResourceKind::shard: return how == Strategy::shard || how == Strategy::time_slicing;
    case sharing::ResourceKind::gpu: return name.shared && shares;
    case sharing::ResourceKind::gpu_memory: return shares;
    default: return false;
  }
}

bool asks_for(const Request& request, const GpuPlace& at, const mig::Product* product) {
  const auto name = sharing::parse_resource(request.resource, at.cluster->scheduler);
  if (name && asks_for_shares(*name, at.gpu->strategy)) return true;
  // Also instances that are shared, "….shared", and with an attribute, "….me".
  if (name && name->profile && product && product->mig_capable && product->index_of(name->profile->text))
    return true;
  if (product && product->mig_capable)
    for (const mig::Profile& profile : product->profiles)
      if (request.resource.ends_with(profile.name.text)) return true;
  const bool whole = request.resource == "nvidia.com/gpu" || request.resource == "gpu";
  const bool typed = request.resource.starts_with("gpu:") && !at.node->model.empty() &&
                     request.resource == "gpu:" + at.node->model;
  return whole || typed;
}

Wanted look_up_wanted(const GpuPlace& at, const mig::Catalogue& catalogue) {
  std::vector<const Workload*> found;
  const mig::Product* product = mig::product_of(*at.gpu, catalogue);
  // Many ask for the same thing: each is judged once.
  std::unordered_map<std::string_view, bool> judged;
  const Request* last = nullptr;
  bool last_fits = false;
  const auto is_wanted = [&](const Request& request) {
    if (last != nullptr && last->resource == request.resource) return last_fits;
    const auto [known, first] = judged.try_emplace(request.resource, false);
    if (first) known->second = asks_for(request, at, product);
    last = &request;
    return last_fits = known->second;
  };
  for (const Workload& work : at.cluster->workloads.all())
    if (work.state == WorkloadState::pending &&
        std::any_of(work.requests.begin(), work.requests.end(), is_wanted))
      found.push_back(&work);
  const std::size_t first = std::min(found.size(), Wanted::kMost);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                    [](const Workload* a, const Workload* b) {
                      return std::tuple(a->submitted.value_or(TimePoint::max()), a->id.view()) <
                             std::tuple(b->submitted.value_or(TimePoint::max()), b->id.view());
                    });
  Wanted wanted{{}, found.size()};
  for (std::size_t i = 0; i < first; ++i) wanted.first.push_back(found[i]->id);
  return wanted;
}

// Those that ask for the same resources wait with the same others.
std::string asked_by(const Cluster& cluster, const Workload& workload) {
  std::string asked = cluster.name.text;
  for (const Request& request : workload.requests) asked += '\x1f' + request.resource;
  return asked;
}

WaitingAlike look_up_waiting(const Cluster& cluster, const Workload& workload) {
  std::vector<const Workload*> found;
  const auto is_asked = [&](const Request& request) {
    return std::any_of(workload.requests.begin(), workload.requests.end(),
                       [&](const Request& own) { return own.resource == request.resource; });
  };
  for (const Workload& work : cluster.workloads.all())
    if (work.state == WorkloadState::pending &&
        std::any_of(work.requests.begin(), work.requests.end(), is_asked))
      found.push_back(&work);
  const std::size_t first = std::min(found.size(), WaitingAlike::kMost + 1);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                    waits_longer);
  WaitingAlike waiting{{}, found.size()};
  for (std::size_t i = 0; i < first; ++i) waiting.first.push_back(found[i]->id);
  return waiting;
}

std::vector<LogEntry> look_up_events(const Model& model, const GpuPlace& at) {
  std::vector<LogEntry> happened;
  for (const LogEntry* entry : newest_on(model, at.cluster->name, at.node->name, GpuNotes::kMostEvents))
    happened.push_back(*entry);
  return happened;
}

const Wanted* noted_wanted(const UiContext& ui, const UiState& state, const GpuPlace& at) {
  if (!state.gpu_notes || state.gpu_notes->revision != ui.model.revision) return nullptr;
  const auto found = state.gpu_notes->wanted.find(kind_of(at));
  return found == state.gpu_notes->wanted.end() ? nullptr : &found->second;
}

const WaitingAlike* noted_waiting(const UiContext& ui, const UiState& state, const std::string& asked) {
  if (!state.gpu_notes || state.gpu_notes->revision != ui.model.revision) return nullptr;
  const auto found = state.gpu_notes->waiting.find(asked);
  return found == state.gpu_notes->waiting.end() ? nullptr : &found->second;
}

const std::vector<LogEntry>* noted_events(const UiContext& ui, const UiState& state, const GpuPlace& at) {
  const GpuNotes* notes = state.gpu_notes.get();
  return notes && notes->told == ui.model.told && notes->node == node_of(at) ? &notes->happened : nullptr;
}

// To be added to: what is of an older model is gone.
std::shared_ptr<GpuNotes> notes_of_now(const UiContext& ui, const UiState& state) {
  auto notes = std::make_shared<GpuNotes>();
  if (state.gpu_notes) *notes = *state.gpu_notes;
  if (notes->revision != ui.model.revision) notes->wanted.clear(), notes->waiting.clear();
  notes->revision = ui.model.revision;
  return notes;
}

void note_waiting(UiState& state, const UiContext& ui, const Cluster& cluster, const Workload& workload) {
  const std::string asked = asked_by(cluster, workload);
  if (noted_waiting(ui, state, asked)) return;
  auto notes = notes_of_now(ui, state);
  notes->waiting[asked] = look_up_waiting(cluster, workload);
  state.gpu_notes = std::move(notes);
}

bool is_asked_of(const WhyQuestion& asked, const Screen& page) {
  return page.kind == ScreenKind::workload && page.cluster == asked.then->cluster.name &&
         page.subject == asked.id.text;
}

}  // namespace

Wanted wanted_of(const UiContext& ui, const UiState& state, const GpuPlace& at) {
  const Wanted* noted = noted_wanted(ui, state, at);
  return noted ? *noted : look_up_wanted(at, ui.catalogue);
}

std::vector<LogEntry> happened_to(const UiContext& ui, const UiState& state, const GpuPlace& at) {
  const std::vector<LogEntry>* noted = noted_events(ui, state, at);
  return noted ? *noted : look_up_events(ui.model, at);
}

WaitingAlike waiting_with(const UiContext& ui, const UiState& state, const Cluster& cluster,
                          const Workload& workload) {
  const WaitingAlike* noted = noted_waiting(ui, state, asked_by(cluster, workload));
  WaitingAlike others = noted ? *noted : look_up_waiting(cluster, workload);
  if (workload.state == WorkloadState::pending && !workload.requests.empty()) --others.count;
  std::erase(others.first, workload.id);
  if (others.first.size() > WaitingAlike::kMost) others.first.resize(WaitingAlike::kMost);
  return others;
}

void note_gpu(UiState& state, const UiContext& ui, const GpuPlace& at) {
  if (!at.gpu || is_noted(ui, state, at)) return;
  auto notes = notes_of_now(ui, state);
  notes->wanted[kind_of(at)] = wanted_of(ui, state, at);
  notes->happened = happened_to(ui, state, at);
  notes->told = ui.model.told;
  notes->node = node_of(at);
  state.gpu_notes = std::move(notes);
}

bool is_noted(const UiContext& ui, const UiState& state, const GpuPlace& at) {
  return noted_wanted(ui, state, at) && noted_events(ui, state, at);
}

const Gpu& noted_gpu(const Node& node) {
  const auto shared = std::find_if(node.gpus.begin(), node.gpus.end(),
                                   [](const Gpu& gpu) { return is_shared(gpu.strategy); });
  return shared == node.gpus.end() ? node.gpus.front() : *shared;
}

void note_page_shown(UiState& state, const UiContext& ui) {
  const std::optional<Screen> beside = page_shown_beside(state, ui);
  const Screen& page = beside ? *beside : state.top();
  // What was asked for a list or a page that was left would keep a processor busy for no one.
  if (state.large.why && state.large.why->working() && !is_asked_of(*state.large.why->question, page))
    state.large.why = nullptr;
  if (page.kind == ScreenKind::gpu) return note_gpu(state, ui, gpu_on(page, ui.model));
  const Cluster* cluster = ui.model.find(page.cluster);
  if (page.kind == ScreenKind::workload && cluster) {
    const Workload* work = cluster->workloads.find(WorkloadId(page.subject));
    if (!work || work->state != WorkloadState::pending) return;
    note_waiting(state, ui, *cluster, *work);
    if (beside) note_why_beside(state, ui, page);
    return;
  }
  if (page.kind != ScreenKind::node) return;
  const Node* node = cluster ? cluster->nodes.find(NodeName(page.subject)) : nullptr;
  if (node && !node->gpus.empty()) note_gpu(state, ui, {cluster, node, &noted_gpu(*node)});
}

}  // namespace tessera::tui
