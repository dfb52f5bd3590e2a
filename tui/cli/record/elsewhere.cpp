#include "tui/cli/record/elsewhere.hpp"

#include <utility>

#include "tui/cli/record/looked.hpp"
#include "tui/cli/record/waste.hpp"

namespace tessera::cli {
namespace {

Result<usage::Reckoning> read_past(const Options& options, PastSource source, const mig::Catalogue& catalogue,
                                   const Joins& joins, const usage::KeepOn& keep_on) {
  auto refused = why_exceptions_not_told(options, source, nullptr);
  auto looked = look(options, catalogue, joins, keep_on);
  if (!looked) return looked.error();
  if (!refused) refused = why_exceptions_not_told(options, source, &*looked);
  // The filter is about waste alone, and who held what is known without it.
  if (refused) looked->waste.clear(), looked->left_out.clear(), looked->waste_refused = std::move(*refused);
  return static_cast<usage::Reckoning&&>(std::move(*looked));
}

}  // namespace

record::Elsewhere elsewhere(const Options& options, const mig::Catalogue& catalogue, const Joins& joins) {
  record::Elsewhere all;
  if (options.sim) return all;
  const auto by = [&](PastSource source) {
    return [&options, &catalogue, &joins, source](Duration since, const usage::KeepOn& keep_on) {
      Options one = options;
      one.since = since, one.recording.clear(), one.at.clear();
      one.accounting = source == PastSource::accounting;
      one.source = one.accounting ? "accounting" : "prometheus";
      return read_past(one, source, catalogue, joins, keep_on);
    };
  };
  if (has_prometheus(options, joins)) all.prometheus = by(PastSource::prometheus);
  if (joins.accounting) all.accounting = by(PastSource::accounting);
  return all;
}

}  // namespace tessera::cli
