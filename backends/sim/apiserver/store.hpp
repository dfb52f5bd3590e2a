// The objects of a simulated Kubernetes cluster, as etcd and the API server's cache keep them: by resource,
// namespace and name, under one global resourceVersion, with a bounded history for watches.
//
// Objects are shared as const; who changes one writes a new one. A write that changes nothing makes no new
// version. Watchers are called after each change, in the order of versions; they may write and unwatch, and
// what they write is told after the change at hand. Controllers (the MIG manager, the device plugin) use
// set(), edit() and erase(); the API uses create(), update() and remove(), which refuse as a server does.
// Threads: a plain object; used on one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/apiserver/refusal.hpp"
#include "backends/sim/apiserver/selector.hpp"

namespace tessera::sim::kube {

using ObjectPtr = std::shared_ptr<const Json>;

struct Key {
  std::string resource;  // "nodes", "daemonsets.apps": plural, with its group when that is not the core's
  std::string ns;        // empty: not in a namespace
  std::string name;
  friend auto operator<=>(const Key&, const Key&) = default;
  friend bool operator==(const Key&, const Key&) = default;
};

enum class Verb : std::uint8_t { added, modified, deleted };

struct Change {
  std::uint64_t version = 0;
  Verb verb = Verb::added;
  Key key;
  ObjectPtr object;  // deleted: as it was last, under the version of its deletion
  ObjectPtr before;  // nullptr: added
};

struct Written {
  std::optional<Refusal> refusal;
  ObjectPtr object;  // as it stands now; remove(): as it was last
  bool ok() const { return !refusal; }
};

struct ListRequest {
  std::string resource;
  std::string ns;  // empty: all
  Selector selector;
  std::size_t limit = 0;               // 0: everything
  std::string next;                    // continue token; empty: from the start
  std::optional<std::uint64_t> exact;  // resourceVersion with resourceVersionMatch=Exact
};

struct ObjectPage {
  std::optional<Refusal> refusal;  // 400: no token of ours; 410: what it names is forgotten
  std::vector<ObjectPtr> items;    // by namespace and name
  std::uint64_t version = 0;
  std::string next;                       // continue token; empty: that was all
  std::optional<std::int64_t> remaining;  // told only without selectors, as a server does
};

class ObjectStore {
 public:
  // seed: for uids. history: changes that are remembered.
  explicit ObjectStore(std::uint64_t seed = 1, std::size_t history = 10'000);

  // For creationTimestamp; the cluster sets it as its clock moves.
  void set_now(TimePoint now) { now_ = now; }
  TimePoint now() const { return now_; }
  std::uint64_t version() const { return version_; }

  ObjectPtr find(const Key& key) const;  // nullptr: there is none
  // Of one resource, by namespace and name. ns empty: all.
  std::vector<ObjectPtr> all(std::string_view resource, std::string_view ns = {}) const;
  // Pods that are bound to that node.
  std::vector<ObjectPtr> pods_on(std::string_view node) const;
  ObjectPage list(const ListRequest& request) const;

  // kind, apiVersion and metadata.{name,namespace} are the caller's; uid, creationTimestamp and
  // resourceVersion are ours. A uid that is given is kept.
  Written create(const Key& key, Json object);
  // expected: the resourceVersion that the writer has seen; nullopt: whatever is there.
  Written update(const Key& key, Json object, std::optional<std::string> expected);
  // uid, expected: empty: whatever is there.
  Written remove(const Key& key, std::string_view uid = {}, std::string_view expected = {});

  void set(const Key& key, Json object);  // creates or updates
  // Lets `change` have a copy. false: there is none, or nothing changed.
  bool edit(const Key& key, const std::function<void(Json&)>& change);
  bool erase(const Key& key);  // whether there was one

  using Watcher = std::function<void(const Change&)>;
  std::uint64_t watch(std::string resource, Watcher watcher);  // resource empty: everything
  void unwatch(std::uint64_t id);

  // Changes of a resource after that version, oldest first; nullopt: too old, they are forgotten.
  std::optional<std::vector<Change>> since(std::uint64_t version, std::string_view resource) const;
  // Forgets the history: whoever watches from an older version, or continues an older list, is told so.
  void forget_history();

 private:
  using Place = std::pair<std::string, std::string>;  // namespace, name
  using Objects = std::map<Place, ObjectPtr>;

  ObjectPtr write(Verb verb, const Key& key, Json object, ObjectPtr before);
  void deliver();
  void bind(const Key& key, const Json* before, const Json* after);
  // The objects of a resource as they stood at a version that is still remembered; nullopt: as they stand
  // now.
  std::optional<Objects> as_of(std::uint64_t version, const std::string& resource) const;

  std::uint64_t seed_;
  std::size_t most_;
  TimePoint now_{};
  std::uint64_t version_ = 1000;
  std::uint64_t forgotten_ = 1000;  // changes up to here are no longer known
  std::uint64_t made_ = 0;          // objects so far, for their uids
  std::map<std::string, Objects, std::less<>> objects_;
  std::map<std::string, std::set<Place>, std::less<>> bound_;  // pods by node
  std::deque<Change> history_;

  struct Watching {
    std::uint64_t id = 0;
    std::string resource;
    std::shared_ptr<const Watcher> call;
  };
  // Replaced as a whole, so that whoever is telling a change has those of that moment.
  std::shared_ptr<const std::vector<Watching>> watchers_ = std::make_shared<std::vector<Watching>>();
  std::uint64_t last_watch_ = 0;
  std::deque<Change> untold_;
  bool telling_ = false;
};

// What a watcher that selects sees of a change; nullopt: nothing.
std::optional<Verb> seen_as(const Change& change, const Selector& selector, std::string_view ns);

}  // namespace tessera::sim::kube
