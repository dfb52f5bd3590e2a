#include "engine/plan/identify.hpp"

#include "engine/digest.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

std::string id_of(const Plan& plan) {
  Digest all;
  all.add(plan.fingerprint).add(plan.intent.words).add(utc_text_ms(plan.made));
  for (const BoardWish& one : plan.intent.boards)
    all.add(one.node ? one.node->text : "")
        .add(one.gpu ? std::to_string(one.gpu->value) : "")
        .add(to_text(one.wish));
  return "p-" + all.text().substr(0, 8);
}

}  // namespace

void identify(Plan& plan) {
  plan.fingerprint = fingerprint_of(plan.nodes);
  plan.id = id_of(plan);
}

}  // namespace tessera::plan
