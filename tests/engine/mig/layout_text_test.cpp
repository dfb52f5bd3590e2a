#include <gtest/gtest.h>

#include "engine/mig/geometry.hpp"

namespace tessera::mig {
namespace {

const Product& text_h100() {
  static const Catalogue built_in = *Catalogue::built_in();
  return *built_in.by_key("H100-80GB-SXM5");
}

std::string read_back(std::string_view text) {
  const Result<Layout> result = parse_layout(text_h100(), text);
  return result.ok() ? to_text(text_h100(), *result) : result.error().reason;
}

TEST(LayoutText, ReadsWhatItWrites) {
  for (const Layout& layout : enumerate(text_h100(), Which::all)) {
    const Result<Layout> back = parse_layout(text_h100(), to_text(text_h100(), layout));
    ASSERT_TRUE(back.ok()) << to_line(back.error());
    EXPECT_EQ(*back, layout);
  }
}

TEST(LayoutText, IsEasyOnTheHand) {
  EXPECT_EQ(read_back(" 3g.40gb@4 , 2g.20gb@2,1g.10gb@0 "), "1g.10gb@0,2g.20gb@2,3g.40gb@4");
  EXPECT_EQ(read_back("MIG 1g.10gb.me@0"), "1g.10gb+me@0");
  EXPECT_EQ(read_back("2x3g.40gb"), "3g.40gb@0,3g.40gb@4");
  EXPECT_EQ(read_back("3g.40gb,1g.10gb@0"), "1g.10gb@0,3g.40gb@4") << "a start is chosen where none is given";
  EXPECT_EQ(read_back(""), "");
}

TEST(LayoutText, NamesThePartThatIsWrong) {
  EXPECT_EQ(read_back("1g.10gb@0,5g.10gb@1"), "part 2, \"5g.10gb@1\": no profile of this product");
  EXPECT_EQ(read_back("1g.10gb@x"),
            "part 1, \"1g.10gb@x\": after @ the number of a memory slice is expected");
  EXPECT_EQ(read_back("1g.10gb@-1"),
            "part 1, \"1g.10gb@-1\": after @ the number of a memory slice is expected");
  EXPECT_EQ(read_back("1g.10gb@0,"), "part 2, \"\": no profile of this product");
  EXPECT_EQ(read_back("2x1g.10gb@0"),
            "part 1, \"2x1g.10gb@0\": several instances cannot have the same start");
  EXPECT_EQ(read_back("99x1g.10gb"), "part 1, \"99x1g.10gb\": a GPU holds 1 to 16 instances");
  EXPECT_EQ(read_back("0x1g.10gb"), "part 1, \"0x1g.10gb\": a GPU holds 1 to 16 instances");
  EXPECT_EQ(read_back("\x1B[2J"), "part 1, \"\u00B7[2J\": no profile of this product");
  EXPECT_EQ(read_back(std::string(5000, ',')), "it is longer than 4096 bytes");
  const Result<Layout> unknown = parse_layout(text_h100(), "1g.5gb");
  EXPECT_EQ(unknown.error().hint,
            "H100-80GB-SXM5 has 1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb");
}

TEST(LayoutText, DistinguishesUnreadableFromImpossible) {
  EXPECT_EQ(parse_layout(text_h100(), "4g.40gb,4g.40gb").error().what, "there is no place for this layout");
  EXPECT_EQ(parse_layout(text_h100(), "4g.40gb,huh").error().what, "cannot read the layout");
  const Result<Layout> illegal = parse_layout(text_h100(), "4g.40gb@0,1g.10gb@0");
  ASSERT_TRUE(illegal.ok()) << "written out in full, it is only read";
  EXPECT_FALSE(is_legal(text_h100(), *illegal));
}

Slice instance(std::string profile, std::optional<Placement> placement) {
  Slice slice;
  slice.kind = SliceKind::gpu_instance;
  slice.profile = ProfileName(std::move(profile));
  slice.placement = placement;
  return slice;
}

TEST(ObservedLayout, IsWhatTheSlicesSay) {
  Gpu gpu;
  EXPECT_EQ(observed_layout(text_h100(), gpu), Layout{}) << "MIG on, no instances";
  gpu.slices = {instance("3g.40gb", Placement{4, 4}), instance("1g.10gb+me", Placement{0, 1})};
  const auto observed = observed_layout(text_h100(), gpu);
  ASSERT_TRUE(observed);
  EXPECT_EQ(to_text(text_h100(), *observed), "1g.10gb+me@0,3g.40gb@4");
}

TEST(ObservedLayout, IsUnknownWhenAnyPartIs) {
  const auto observed = [](Slice slice) {
    Gpu gpu;
    gpu.slices = {instance("1g.10gb", Placement{0, 1}), std::move(slice)};
    return observed_layout(text_h100(), gpu);
  };
  EXPECT_FALSE(observed(instance("3g.40gb", std::nullopt))) << "Slurm tells no place";
  EXPECT_FALSE(observed(instance("3g.20gb", Placement{4, 4}))) << "a profile of another product";
  EXPECT_FALSE(observed(instance("3g.40gb", Placement{4, 3}))) << "a size that the catalogue does not know";
  EXPECT_FALSE(observed(instance("3g.40gb", Placement{2, 4})));
  EXPECT_FALSE(observed(Slice{}));
}

}  // namespace
}  // namespace tessera::mig
