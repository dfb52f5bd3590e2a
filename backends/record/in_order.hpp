// Pieces of work done by a bounded number of threads, and taken in their order: memory is bounded, too, since
// no piece is begun that is far ahead of the one that is waited for.
// Threads: work() on threads of its own, then() on the one that calls.
#pragma once

#include <cstddef>
#include <functional>

namespace tessera::record {

// Calls work(i, thread) for each i below `count`, with `thread` below `threads`; then(i) behind each, in
// order. Returns when all is done. What work() throws is thrown here, once nothing runs any more.
void in_order(std::size_t count, std::size_t threads,
              const std::function<void(std::size_t i, std::size_t thread)>& work,
              const std::function<void(std::size_t i)>& then);

// That this process may use; 1: not known.
std::size_t processors();

}  // namespace tessera::record
