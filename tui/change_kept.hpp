// Changing a part of the state that is held as one constant value: who reads the old one keeps it.
// Threads: the caller owns the pointer.
#pragma once

#include <memory>
#include <utility>

namespace tessera::tui {

// null counts as an empty one.
template <class Kept, class Edit>
void change_kept(std::shared_ptr<const Kept>& kept, Edit edit) {
  Kept next = kept ? *kept : Kept();
  edit(next);
  kept = std::make_shared<const Kept>(std::move(next));
}

}  // namespace tessera::tui
