// A value that one thread replaces and others read. Not std::atomic<std::shared_ptr>: that of libstdc++ 12
// ends a read without releasing it, so that a write behind it may come first. Threads: any.
#pragma once

#include <memory>
#include <mutex>

namespace tessera::slurm {

template <class T>
class SharedValue {
 public:
  std::shared_ptr<const T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void store(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace tessera::slurm
