#include "backends/sim/apiserver/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/apiserver/continue_token.hpp"
#include "backends/sim/random.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kTooOldToken =
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of "
    "the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were "
    "created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list.";

std::string make_uid(std::uint64_t seed, std::uint64_t count) {
  std::uint64_t a = mix(seed * 1'000'003 + count);
  std::uint64_t b = mix(a);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", a >> 32, a >> 16 & 0xFFFF, a & 0xFFF,
                     (b >> 48 & 0x3FFF) | 0x8000, b & 0xFFFFFFFFFFFF);
}

// What a server fills in stands behind name and namespace, as its answers have it.
void identify(Json& object, const Key& key) {
  Json& metadata = child(object, "metadata");
  put(metadata, "name", text(key.name));
  if (!key.ns.empty()) put(metadata, "namespace", text(key.ns));
}

// In the order in which a server writes them, with labels and annotations by key: so that equal objects are
// equal values.
void put_in_order(Json& metadata) {
  constexpr std::string_view kOrder[] = {"name",
                                         "generateName",
                                         "namespace",
                                         "uid",
                                         "resourceVersion",
                                         "generation",
                                         "creationTimestamp",
                                         "deletionTimestamp",
                                         "deletionGracePeriodSeconds",
                                         "labels",
                                         "annotations",
                                         "ownerReferences",
                                         "finalizers",
                                         "managedFields"};
  auto rank = [&](const auto& field) {
    return std::find(std::begin(kOrder), std::end(kOrder), field.first) - std::begin(kOrder);
  };
  auto before = [&](const auto& a, const auto& b) { return rank(a) < rank(b); };
  if (!std::is_sorted(metadata.fields.begin(), metadata.fields.end(), before))
    std::stable_sort(metadata.fields.begin(), metadata.fields.end(), before);
  for (std::string_view field : {"labels", "annotations"}) {
    Json* map = member(metadata, field);
    if (!map) continue;
    std::sort(map->fields.begin(), map->fields.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    if (map->fields.empty()) drop(metadata, field);
  }
}

// Equal but for the version that they are stored under, which `fresh` is given here.
bool same_content(Json& fresh, const Json& old) {
  put(child(fresh, "metadata"), "resourceVersion", text(text_at(old, {"metadata", "resourceVersion"})));
  put_in_order(child(fresh, "metadata"));
  return fresh == old;
}

void keep(Json& metadata, const Json& old, std::string_view field) {
  const Json* there = at(old, {"metadata", field});
  if (there) put(metadata, field, *there);
}

}  // namespace

ObjectStore::ObjectStore(std::uint64_t seed, std::size_t history) : seed_(seed), most_(history) {}

ObjectPtr ObjectStore::find(const Key& key) const {
  auto resource = objects_.find(key.resource);
  if (resource == objects_.end()) return nullptr;
  auto found = resource->second.find({key.ns, key.name});
  return found == resource->second.end() ? nullptr : found->second;
}

std::vector<ObjectPtr> ObjectStore::all(std::string_view resource, std::string_view ns) const {
  std::vector<ObjectPtr> list;
  auto found = objects_.find(resource);
  if (found == objects_.end()) return list;
  auto from = ns.empty() ? found->second.begin() : found->second.lower_bound({std::string(ns), ""});
  for (; from != found->second.end() && (ns.empty() || from->first.first == ns); ++from)
    list.push_back(from->second);
  return list;
}

std::vector<ObjectPtr> ObjectStore::pods_on(std::string_view node) const {
  std::vector<ObjectPtr> list;
  auto here = bound_.find(node);
  if (here == bound_.end()) return list;
  for (const auto& [ns, name] : here->second)
    if (ObjectPtr pod = find({"pods", ns, name})) list.push_back(std::move(pod));
  return list;
}

void ObjectStore::bind(const Key& key, const Json* before, const Json* after) {
  std::string_view was = before ? view_at(*before, {"spec", "nodeName"}) : "";
  std::string_view is = after ? view_at(*after, {"spec", "nodeName"}) : "";
  if (was == is) return;
  if (auto here = bound_.find(was); here != bound_.end()) {
    here->second.erase({key.ns, key.name});
    if (here->second.empty()) bound_.erase(here);
  }
  if (!is.empty()) bound_[std::string(is)].insert({key.ns, key.name});
}

std::optional<ObjectStore::Objects> ObjectStore::as_of(std::uint64_t version,
                                                       const std::string& resource) const {
  std::optional<Objects> objects;
  for (auto change = history_.rbegin(); change != history_.rend() && change->version > version; ++change) {
    if (change->key.resource != resource) continue;
    if (!objects) {
      auto found = objects_.find(resource);
      objects = found == objects_.end() ? Objects{} : found->second;
    }
    Place place{change->key.ns, change->key.name};
    if (change->before) {
      (*objects)[place] = change->before;
    } else {
      objects->erase(place);
    }
  }
  return objects;
}

ObjectPage ObjectStore::list(const ListRequest& request) const {
  ObjectPage page;
  page.version = request.exact.value_or(version_);
  Place after;
  bool goes_on = !request.next.empty();
  if (goes_on) {
    auto parsed = parse_continue(request.next);
    if (auto* refusal = std::get_if<Refusal>(&parsed)) return page.refusal = *refusal, page;
    const ListPlace& place = std::get<ListPlace>(parsed);
    after = {place.ns, place.name};
    page.version = place.version < 0 ? version_ : static_cast<std::uint64_t>(place.version);
    if (page.version < forgotten_) {
      page.refusal = expired(std::string(kTooOldToken));
      page.refusal->next = continue_token({-1, place.ns, place.name});
      return page;
    }
  }
  if (page.version < forgotten_ && page.version != version_) {
    page.refusal = expired("The resourceVersion for the provided list is too old.");
    return page;
  }
  static const Objects kNone;
  std::optional<Objects> earlier = as_of(page.version, request.resource);
  auto now = objects_.find(request.resource);
  const Objects& objects = earlier ? *earlier : now == objects_.end() ? kNone : now->second;
  std::int64_t left = 0;
  const Place* last = nullptr;
  for (const auto& [place, object] : objects) {
    if (!request.ns.empty() && place.first != request.ns) continue;
    if (goes_on && place <= after) continue;
    if (left > 0 && !request.selector.empty()) break;  // how many are left is not reported then
    if (!request.selector.matches(*object)) continue;
    if (request.limit > 0 && page.items.size() == request.limit) {
      ++left;
      continue;
    }
    page.items.push_back(object);
    last = &place;
  }
  if (left > 0 && last) {
    page.next = continue_token({static_cast<std::int64_t>(page.version), last->first, last->second});
    if (request.selector.empty()) page.remaining = left;
  }
  return page;
}

ObjectPtr ObjectStore::write(Verb verb, const Key& key, Json object, ObjectPtr before) {
  ++version_;
  put(child(object, "metadata"), "resourceVersion", text(std::to_string(version_)));
  auto stored = std::make_shared<const Json>(std::move(object));
  if (key.resource == "pods") bind(key, before.get(), verb == Verb::deleted ? nullptr : stored.get());
  Objects& objects = objects_[key.resource];
  if (verb == Verb::deleted) {
    objects.erase({key.ns, key.name});
  } else {
    objects[{key.ns, key.name}] = stored;
  }
  history_.push_back({version_, verb, key, stored, std::move(before)});
  untold_.push_back(history_.back());
  while (history_.size() > most_) {
    forgotten_ = history_.front().version;
    history_.pop_front();
  }
  deliver();
  return stored;
}

void ObjectStore::deliver() {
  if (telling_) return;
  telling_ = true;
  while (!untold_.empty()) {
    Change change = std::move(untold_.front());
    untold_.pop_front();
    auto now = watchers_;
    for (const Watching& one : *now) {
      bool still = now == watchers_ || std::any_of(watchers_->begin(), watchers_->end(),
                                                   [&](const Watching& other) { return other.id == one.id; });
      if (still && (one.resource.empty() || one.resource == change.key.resource)) (*one.call)(change);
    }
  }
  telling_ = false;
}

Written ObjectStore::create(const Key& key, Json object) {
  if (find(key)) return {already_exists(key.resource, key.name), nullptr};
  identify(object, key);
  Json& metadata = child(object, "metadata");
  if (view_at(object, {"metadata", "uid"}).empty()) put(metadata, "uid", text(make_uid(seed_, ++made_)));
  put(metadata, "resourceVersion", text(""));
  if (view_at(object, {"metadata", "creationTimestamp"}).empty())
    put(metadata, "creationTimestamp", text(utc_text(now_)));
  put_in_order(metadata);
  return {std::nullopt, write(Verb::added, key, std::move(object), nullptr)};
}

Written ObjectStore::update(const Key& key, Json object, std::optional<std::string> expected) {
  ObjectPtr old = find(key);
  if (!old) return {not_found(key.resource, key.name), nullptr};
  if (expected && *expected != view_at(*old, {"metadata", "resourceVersion"}))
    return {conflict(key.resource, key.name), nullptr};
  identify(object, key);
  Json& metadata = child(object, "metadata");
  for (std::string_view field : {"uid", "creationTimestamp"}) keep(metadata, *old, field);
  if (same_content(object, *old)) return {std::nullopt, old};
  return {std::nullopt, write(Verb::modified, key, std::move(object), old)};
}

Written ObjectStore::remove(const Key& key, std::string_view uid, std::string_view expected) {
  ObjectPtr old = find(key);
  if (!old) return {not_found(key.resource, key.name), nullptr};
  auto differs = [&](std::string_view field, std::string_view wanted) -> std::optional<Refusal> {
    std::string there = text_at(*old, {"metadata", field});
    if (wanted.empty() || there == wanted) return std::nullopt;
    std::string shown = field == "uid" ? "UID" : "ResourceVersion";
    return conflict(
        key.resource, key.name,
        fmt::format("the {} in the precondition ({}) does not match the {} in record ({}). The object "
                    "might have been deleted and then recreated",
                    shown, wanted, shown, there));
  };
  if (auto refusal = differs("uid", uid)) return {refusal, nullptr};
  if (auto refusal = differs("resourceVersion", expected)) return {refusal, nullptr};
  return {std::nullopt, write(Verb::deleted, key, *old, old)};
}

void ObjectStore::set(const Key& key, Json object) {
  if (!find(key)) {
    create(key, std::move(object));
  } else {
    update(key, std::move(object), std::nullopt);
  }
}

bool ObjectStore::edit(const Key& key, const std::function<void(Json&)>& change) {
  ObjectPtr old = find(key);
  if (!old) return false;
  Json copy = *old;
  change(copy);
  return update(key, std::move(copy), std::nullopt).object != old;
}

bool ObjectStore::erase(const Key& key) { return remove(key).ok(); }

std::uint64_t ObjectStore::watch(std::string resource, Watcher watcher) {
  auto all = std::make_shared<std::vector<Watching>>(*watchers_);
  all->push_back({++last_watch_, std::move(resource), std::make_shared<const Watcher>(std::move(watcher))});
  watchers_ = std::move(all);
  return last_watch_;
}

void ObjectStore::unwatch(std::uint64_t id) {
  auto all = std::make_shared<std::vector<Watching>>(*watchers_);
  std::erase_if(*all, [&](const Watching& one) { return one.id == id; });
  watchers_ = std::move(all);
}

std::optional<std::vector<Change>> ObjectStore::since(std::uint64_t version,
                                                      std::string_view resource) const {
  if (version < forgotten_) return std::nullopt;
  std::vector<Change> changes;
  for (const Change& change : history_)
    if (change.version > version && (resource.empty() || change.key.resource == resource))
      changes.push_back(change);
  return changes;
}

void ObjectStore::forget_history() {
  // The state as it is now has no version of its own: one is used up, so that no client is still up to date.
  forgotten_ = ++version_;
  history_.clear();
}

std::optional<Verb> seen_as(const Change& change, const Selector& selector, std::string_view ns) {
  if (!ns.empty() && change.key.ns != ns) return std::nullopt;
  if (selector.empty()) return change.verb;
  bool now = change.verb != Verb::deleted && selector.matches(*change.object);
  bool before = change.before && selector.matches(*change.before);
  if (now) return before ? Verb::modified : Verb::added;
  if (before) return Verb::deleted;
  return std::nullopt;
}

}  // namespace tessera::sim::kube
