// A list of values with look-up by key: the model's only container.
//
// A copy shares its values with the original until one of the two changes them, value by value: so a question
// takes along the model of a large site as it stands, and no key waits for that. Order is not kept when
// something is erased (the last takes its place); every view sorts anyway.
//
// Threads: plain values. A copy may be read, changed and destroyed on another thread than the original.
// Pointers are valid until that value is changed or erased, or the list cleared or assigned.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/shared_values.hpp"

namespace tessera {

template <class Key, class Value, Key Value::*key>
class Inventory {
 public:
  Inventory() = default;
  Inventory(const Inventory& other) : values_(other.values_), places_(other.places_) {
    lent_ = true;
    other.lent_ = true;
  }
  Inventory(Inventory&& other) noexcept { swap(other); }
  Inventory& operator=(Inventory other) noexcept {
    swap(other);
    return *this;
  }
  ~Inventory() = default;

  SharedValues<Value> all() const { return SharedValues<Value>(values_); }
  std::vector<Value> copies() const { return std::vector<Value>(all().begin(), all().end()); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  const Value* find(const Key& id) const {
    const std::optional<std::size_t> place = place_of(id);
    return place ? values_[*place].value.get() : nullptr;
  }
  // Of all(); nullopt: it is not listed.
  std::optional<std::size_t> place_of(const Key& id) const {
    if (!places_) return std::nullopt;
    const auto it = places_->find(id);
    return it == places_->end() ? std::nullopt : std::optional(it->second);
  }

  // To change it, but for its key; nullptr: it is not listed.
  Value* change(const Key& id) {
    const std::optional<std::size_t> place = place_of(id);
    return place ? &change_at(*place) : nullptr;
  }
  template <class Change>
  void change_each(Change change) {
    for (std::size_t place = 0; place < values_.size(); ++place) change(change_at(place));
  }
  Value& upsert(Value value) {
    know_own();
    if (const std::optional<std::size_t> place = place_of(value.*key)) {
      SharedValue<Value>& held = values_[*place];
      if (held.own) return *held.value = std::move(value);
      held = {std::make_shared<Value>(std::move(value)), true};
      return *held.value;
    }
    own_places().emplace(value.*key, values_.size());
    values_.push_back({std::make_shared<Value>(std::move(value)), true});
    return *values_.back().value;
  }
  bool erase(const Key& id) {
    const std::optional<std::size_t> place = place_of(id);
    if (!place) return false;
    know_own();
    Places& places = own_places();
    places.erase(id);
    if (*place + 1 != values_.size()) {
      values_[*place] = std::move(values_.back());
      places[(*values_[*place].value).*key] = *place;
    }
    values_.pop_back();
    return true;
  }
  void clear() { *this = Inventory(); }

 private:
  using Places = std::unordered_map<Key, std::size_t>;

  void swap(Inventory& other) noexcept {
    values_.swap(other.values_);
    places_.swap(other.places_);
    std::swap(own_places_, other.own_places_);
    lent_ = other.lent_.exchange(lent_);
  }
  // Since the last copy was taken nothing here is ours alone.
  void know_own() {
    if (!lent_.exchange(false)) return;
    for (SharedValue<Value>& held : values_) held.own = false;
    own_places_ = false;
  }
  Value& change_at(std::size_t place) {
    know_own();
    SharedValue<Value>& held = values_[place];
    if (!held.own) held = {std::make_shared<Value>(std::as_const(*held.value)), true};
    return *held.value;
  }
  Places& own_places() {
    if (!own_places_) places_ = places_ ? std::make_shared<Places>(*places_) : std::make_shared<Places>();
    own_places_ = true;
    return *places_;
  }

  std::vector<SharedValue<Value>> values_;
  std::shared_ptr<Places> places_;  // nullptr: nothing was ever listed
  bool own_places_ = false;
  // A copy was taken. Atomic: several threads may copy the same constant one.
  mutable std::atomic<bool> lent_{false};
};

}  // namespace tessera
