// Every reason that a scheduler can write for waiting work, in Japanese.
#include <gtest/gtest.h>

#include "engine/why/words.hpp"
#include "tests/support/kubernetes_reasons.hpp"
#include "tests/support/slurm_reasons.hpp"
#include "tui/language/words.hpp"

namespace tessera::tui {
namespace {

void expect_told(const Words& words, const why::Meaning& meaning) {
  const Words::Told told = words.tell(meaning.text);
  EXPECT_TRUE(told.whole) << meaning.text << "\n" << told.text;
  EXPECT_NE(told.text, meaning.text);
}

TEST(JapaneseWhy, EveryReasonOfSlurmAndKubernetesIsTold) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  for (const char* code : test::kSlurmReasons) expect_told(**words, why::slurm_meaning(code));
  for (const char* message : test::kKubernetesReasons) {
    const why::Meaning meaning = why::kubernetes_meaning(message);
    // What a message brings along (": Back-off pulling image") stays as it was written.
    EXPECT_NE((*words)->tell(meaning.text).text, meaning.text) << message;
  }
}

}  // namespace
}  // namespace tessera::tui
