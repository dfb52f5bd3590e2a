// A list of values with look-up by key: the model's only container.
//
// Order is not kept when something is erased (the last takes its place); every view sorts anyway.
// Threads: plain values. Pointers are valid until the next upsert, erase or assign.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

template <class Key, class Value, Key Value::*key>
class Inventory {
 public:
  const std::vector<Value>& all() const { return values_; }
  std::vector<Value>& all() { return values_; }  // keys must not be changed
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  const Value* find(const Key& id) const {
    auto it = places_.find(id);
    return it == places_.end() ? nullptr : &values_[it->second];
  }
  Value* find(const Key& id) { return const_cast<Value*>(std::as_const(*this).find(id)); }

  Value& upsert(Value value) {
    auto [it, fresh] = places_.try_emplace(value.*key, values_.size());
    if (fresh) return values_.emplace_back(std::move(value));
    return values_[it->second] = std::move(value);
  }
  bool erase(const Key& id) {
    auto it = places_.find(id);
    if (it == places_.end()) return false;
    std::size_t place = it->second;
    places_.erase(it);
    if (place + 1 != values_.size()) {
      values_[place] = std::move(values_.back());
      places_[values_[place].*key] = place;
    }
    values_.pop_back();
    return true;
  }
  void clear() {
    values_.clear();
    places_.clear();
  }

 private:
  std::vector<Value> values_;
  std::unordered_map<Key, std::size_t> places_;
};

}  // namespace tessera
