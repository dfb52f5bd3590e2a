// Where a backend's world lives: in memory, or in a state file that other processes act on, too.
//
// A shared world is locked for a moment, read again when another process saved it, acted on, saved and
// unlocked, so that nothing that was acted is lost with the process. Threads: used on one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/saved/state_file.hpp"
#include "backends/sim/world.hpp"

namespace tessera::sim {

// A state file as read: all the worlds of one scenario.
struct SavedWorlds {
  std::string path;
  FileStamp stamp;
  std::vector<World> worlds;
  // In memory, of each world: what came about there while another one was acted on, and was not told yet.
  std::vector<Changes> owed{};
};

class WorldStore {
 public:
  explicit WorldStore(World world) { saved_->worlds.push_back(std::move(world)); }
  // The cluster-th of these worlds is ours to act on.
  WorldStore(SavedWorlds saved, std::size_t cluster)
      : WorldStore(std::make_shared<SavedWorlds>(std::move(saved)), cluster) {}
  // Those of one scenario that act on one another in memory: all stores of them are used on one thread.
  WorldStore(std::shared_ptr<SavedWorlds> worlds, std::size_t cluster)
      : saved_(std::move(worlds)), cluster_(cluster) {}

  const World& world() const { return saved_->worlds[cluster_]; }
  bool shared() const { return !saved_->path.empty(); }
  // It acts on worlds of other stores in memory, and they on this one.
  bool together() const { return !shared() && saved_->worlds.size() > 1; }
  // Cluster::id of this world. In memory it ends with its process, and is no other one's: `opened` is when.
  std::string id(TimePoint opened) const;
  // Someone else has saved it since; a look at the file's date, no more.
  bool is_stale() const;
  // Reads it again when it is stale, and adds what others did to `theirs`.
  Status catch_up(Changes& theirs);
  // Under the lock: catches up, lets `act` have the world, and saves it when that returns true. Errors:
  // locked for too long, not readable, not written; then what `act` did is forgotten.
  Status with(Changes& theirs, const std::function<bool(World&)>& act);

 private:
  Status read_anew(Changes& theirs);

  // What the other worlds make of it; whether anything is different.
  bool follow(Changes& ours);

  std::shared_ptr<SavedWorlds> saved_ = std::make_shared<SavedWorlds>();
  std::size_t cluster_ = 0;
  bool forgotten_ = false;  // what is in memory was not saved: read it again
};

// Reads the worlds of a state file. Errors: in use, broken, gone.
Result<SavedWorlds> read_worlds(const std::string& path, std::shared_ptr<const mig::Catalogue> catalogue);

}  // namespace tessera::sim
