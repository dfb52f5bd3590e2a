// Every member of what the model is made of is in a recording, or stands here with the reason why not: one
// that is added and not recorded makes a moment of the past another cluster than it was.
#include "engine/record/fields.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

namespace tessera::test {

// Turns into whatever a member is; never called.
struct Anything {
  template <class T>
  operator T&&() const;
};

namespace {

template <class T, std::size_t... I>
constexpr bool is_made_of(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}
// How many members an aggregate has.
template <class T, std::size_t N = 0>
constexpr std::size_t members() {
  if constexpr (is_made_of<T>(std::make_index_sequence<N + 1>{}))
    return members<T, N + 1>();
  else
    return N;
}

struct Counter {
  std::size_t count = 0;
  template <class Member>
  void operator()(const char*, Member) {
    ++count;
  }
};
template <class T>
std::size_t recorded() {
  Counter counter;
  record::fields(counter, record::Of<T>{});
  return counter.count;
}

TEST(RecordedFields, AreAllThatAreNotWorkedOutAgain) {
  EXPECT_EQ(recorded<Node>() + 5, members<Node>())
      << "workloads, counts, unheld, open_kinds, kinds: reduce() makes them";
  EXPECT_EQ(recorded<Workload>(), members<Workload>());
  EXPECT_EQ(recorded<Gpu>() + 3, members<Gpu>()) << "telemetry, processes and own have lines of their own";
  EXPECT_EQ(recorded<Slice>() + 9, members<Slice>())
      << "holding, exact, holders, usable: reduce() makes them; figures (five) have lines of their own";
  EXPECT_EQ(recorded<HostPod>(), members<HostPod>());
  EXPECT_EQ(recorded<Component>(), members<Component>());
  EXPECT_EQ(recorded<LayoutOrder>(), members<LayoutOrder>());
  EXPECT_EQ(recorded<LabelWrite>(), members<LabelWrite>());
  EXPECT_EQ(recorded<OutOfUse>(), members<OutOfUse>());
  EXPECT_EQ(recorded<Allocation>(), members<Allocation>());
  EXPECT_EQ(recorded<DeviceShare>(), members<DeviceShare>());
  EXPECT_EQ(recorded<Request>(), members<Request>());
  EXPECT_EQ(recorded<PodUse>(), members<PodUse>());
  EXPECT_EQ(recorded<NodeNeeds>(), members<NodeNeeds>());
  EXPECT_EQ(recorded<Partition>(), members<Partition>());
  EXPECT_EQ(recorded<Reservation>(), members<Reservation>());
  EXPECT_EQ(recorded<Quota>(), members<Quota>());
  EXPECT_EQ(recorded<Daemon>(), members<Daemon>());
  EXPECT_EQ(recorded<Remark>(), members<Remark>());
  EXPECT_EQ(recorded<GpuProcess>(), members<GpuProcess>());
  EXPECT_EQ(recorded<OwnUse>(), members<OwnUse>());
  EXPECT_EQ(recorded<Error>(), members<Error>());
}

}  // namespace
}  // namespace tessera::test
