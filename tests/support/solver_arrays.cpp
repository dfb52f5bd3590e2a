// The solver takes and gives back arrays of some hundred KiB many thousand times. AddressSanitizer maps each
// of them again, which was nine tenths of the time of a test of advice. Here large arrays are
// kept for the next of their size; while they are kept, and behind their end, they are poisoned. tessera's
// own code uses containers, not new[]. Threads: any.
#include <sanitizer/asan_interface.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace {

constexpr std::size_t kLarge = 128 * 1024, kStep = 64 * 1024;

struct alignas(16) Head {
  std::size_t room;  // bytes behind it; 0: a small array
};

std::mutex keeping;
std::array<Head*, 64> kept;  // null where there is none

Head* take(std::size_t room) {
  const std::lock_guard lock(keeping);
  for (Head*& one : kept)
    if (one && one->room == room) return std::exchange(one, nullptr);
  return nullptr;
}

bool keep(Head* head) {
  const std::lock_guard lock(keeping);
  for (Head*& one : kept)
    if (!one) return one = head, true;
  return false;
}

void* array_of(std::size_t bytes) {
  const std::size_t room = bytes < kLarge ? 0 : (bytes + kStep - 1) / kStep * kStep;
  Head* head = room > 0 ? take(room) : nullptr;
  if (!head) head = static_cast<Head*>(std::malloc(sizeof(Head) + (room > 0 ? room : bytes)));
  if (!head) return nullptr;
  head->room = room;
  ASAN_UNPOISON_MEMORY_REGION(head + 1, bytes);
  if (room > bytes) ASAN_POISON_MEMORY_REGION(reinterpret_cast<char*>(head + 1) + bytes, room - bytes);
  return head + 1;
}

void give_back(void* array) {
  if (!array) return;
  Head* head = static_cast<Head*>(array) - 1;
  if (head->room > 0) {
    ASAN_POISON_MEMORY_REGION(array, head->room);
    if (keep(head)) return;
    ASAN_UNPOISON_MEMORY_REGION(array, head->room);
  }
  std::free(head);
}

}  // namespace

void* operator new[](std::size_t bytes) {
  if (void* array = array_of(bytes)) return array;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return array_of(bytes); }
void operator delete[](void* array) noexcept { give_back(array); }
void operator delete[](void* array, std::size_t) noexcept { give_back(array); }
void operator delete[](void* array, const std::nothrow_t&) noexcept { give_back(array); }
