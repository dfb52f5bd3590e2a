#include "backends/sim/saved/store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/slurm_operator.hpp"
#include "engine/digest.hpp"
#include "engine/text.hpp"

namespace tessera::sim {

std::string WorldStore::id(TimePoint opened) const {
  const World& mine = world();
  std::string id = fmt::format("simulated-{}-{}-{}", clean(mine.scenario->name, 64), mine.seed,
                               mine.start.time_since_epoch().count());
  std::error_code none;
  return shared() ? id + "-" + digest(std::filesystem::weakly_canonical(saved_->path, none).string())
                  : fmt::format("{}-in-memory-{}-{}", id, opened.time_since_epoch().count(), getpid());
}

Result<SavedWorlds> read_worlds(const std::string& path, std::shared_ptr<const mig::Catalogue> catalogue) {
  Result<std::optional<SavedText>> saved = read_state(path);
  if (!saved) return saved.error();
  if (!*saved)
    return Error{"the simulator state is gone", path + ": no such file", "start again from a scenario"};
  Result<std::vector<World>> worlds = load_state((*saved)->text, std::move(catalogue), path);
  if (!worlds) return worlds.error();
  return SavedWorlds{path, (*saved)->stamp, std::move(*worlds)};
}

bool WorldStore::is_stale() const {
  if (together()) return !saved_->owed[cluster_].empty();
  return shared() && (forgotten_ || stamp_of(saved_->path) != std::optional(saved_->stamp));
}

Status WorldStore::catch_up(Changes& theirs) {
  if (together()) theirs.add(std::exchange(saved_->owed[cluster_], {}));
  return shared() && is_stale() ? read_anew(theirs) : Done{};
}

Status WorldStore::read_anew(Changes& theirs) {
  const Scenario& ours = *world().scenario;
  Result<SavedWorlds> fresh = read_worlds(saved_->path, ours.catalogue);
  if (!fresh) return fresh.error();
  if (fresh->worlds.size() != saved_->worlds.size() || fresh->worlds[cluster_].scenario->text != ours.text)
    return Error{"the simulator state is another one now", saved_->path + " holds another scenario",
                 "start tessera again"};
  theirs.add(changes_between(world(), fresh->worlds[cluster_]));
  *saved_ = std::move(*fresh);
  forgotten_ = false;
  derive(saved_->worlds[cluster_]);
  return Done{};
}

bool WorldStore::follow(Changes& ours) {
  std::vector<Changes> changes(saved_->worlds.size());
  const bool any = follow_slurmds(saved_->worlds, changes);
  ours.add(changes[cluster_]);
  for (std::size_t i = 0; together() && i < changes.size(); ++i)
    if (i != cluster_) saved_->owed[i].add(changes[i]);
  return any;
}

Status WorldStore::with(Changes& theirs, const std::function<bool(World&)>& act) {
  if (!shared()) {
    if (Status ok = catch_up(theirs); !ok) return ok;
    act(saved_->worlds[cluster_]);
    follow(theirs);
    return Done{};
  }
  Result<StateFile> file = StateFile::open(saved_->path);
  if (!file) return file.error();
  if (Status ok = catch_up(theirs); !ok) return ok;
  const bool acted = act(saved_->worlds[cluster_]), followed = follow(theirs);
  if (!acted && !followed) return Done{};
  Result<FileStamp> stamp = file->write(save_state(saved_->worlds));
  forgotten_ = !stamp;
  if (!stamp) return stamp.error();
  saved_->stamp = *stamp;
  return Done{};
}

}  // namespace tessera::sim
