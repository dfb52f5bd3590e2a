// The guide's result: what `tessera guide -o json` prints and what a plan and the journal write down.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/guide/advice.hpp"
#include "engine/guide/glossary.hpp"
#include "engine/guide/proposals/proposals.hpp"
#include "engine/guide/proposals/ways.hpp"
#include "engine/guide/walk.hpp"
#include "engine/sharing/limits.hpp"

namespace tessera::guide {

struct ResultStep {
  std::string question;  // label: "Q2"
  std::string text;      // what was asked
  bool yes = false;
  std::string source;   // "admin", "catalogue", "scontrol show job", "site"
  std::string because;  // the facts, as one line
};

struct NeededAnswer {
  std::string question;  // label
  std::string text;
  std::string known;  // what speaks for an answer, if anything
};

struct GuideResult {
  std::optional<Strategy> strategy;  // nullopt: answers are missing
  std::vector<ResultStep> path;
  std::vector<std::string> tradeoffs;
  std::vector<sharing::Limit> limits;
  std::vector<Proposal> layouts;
  std::vector<NodeName> together;  // the layouts are for all GPUs of these; empty: for those asked about
  Ways ways;                       // where it goes on from here
  std::vector<Advice> advice;
  std::vector<NeededAnswer> needed;  // first the question that waits, then those that may follow
};

struct GuideContext {
  sharing::Platform platform = sharing::Platform::slurm;
  std::string cuda;  // empty: not told
  std::optional<bool> licence;
  std::span<const sharing::PlatformFacts> facts;
  const Handouts* handouts = nullptr;  // nullptr: nothing is handed out
};

// now: the cluster's time, for ages.
GuideResult conclude(const Walk& walk, const Scope& scope, const GuideContext& context, TimePoint now);

// Limits that hold for a leaf on these GPUs.
sharing::LimitContext limit_context(const Scope& scope, const GuideContext& context);

// Layouts of a product beside one another: instances, memory of each, what is stranded.
Table layout_comparison(const mig::Product& product);

}  // namespace tessera::guide
