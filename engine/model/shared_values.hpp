// Values that may have several owners, seen as if they stood in a row: what Inventory::all() tells.
//
// Threads: plain values. Valid, as are its iterators, until something is put into the list or erased.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace tessera {

template <class Value>
struct SharedValue {
  std::shared_ptr<Value> value;
  bool own = true;  // no copy of the list has it: it may be changed where it stands
};

template <class Value>
class SharedValues {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = const Value&;

    Iterator() = default;
    explicit Iterator(const SharedValue<Value>* at) : at_(at) {}
    reference operator*() const { return *at_->value; }
    pointer operator->() const { return at_->value.get(); }
    reference operator[](difference_type by) const { return *at_[by].value; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator operator--(int) { return Iterator(at_--); }
    Iterator& operator+=(difference_type by) { return at_ += by, *this; }
    Iterator& operator-=(difference_type by) { return at_ -= by, *this; }
    friend Iterator operator+(Iterator one, difference_type by) { return one += by; }
    friend Iterator operator+(difference_type by, Iterator one) { return one += by; }
    friend Iterator operator-(Iterator one, difference_type by) { return one -= by; }
    friend difference_type operator-(Iterator one, Iterator other) { return one.at_ - other.at_; }
    friend auto operator<=>(const Iterator&, const Iterator&) = default;

   private:
    const SharedValue<Value>* at_ = nullptr;
  };
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = Value;

  explicit SharedValues(const std::vector<SharedValue<Value>>& values)
      : values_(values.data()), size_(values.size()) {}
  Iterator begin() const { return Iterator(values_); }
  Iterator end() const { return Iterator(values_ + size_); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Value& operator[](std::size_t place) const { return *values_[place].value; }
  const Value& front() const { return *values_[0].value; }
  const Value& back() const { return *values_[size_ - 1].value; }

 private:
  const SharedValue<Value>* values_;
  std::size_t size_;
};

}  // namespace tessera
