#include "tui/cli/layouts.hpp"

#include <fmt/format.h>

#include "engine/sharing/presets.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

constexpr int kCellsAUnit = 8;  // wide enough for "1g.10gb"

std::optional<Markup> layouts_markup(OutputFormat output) {
  if (output == OutputFormat::json) return Markup::json;
  if (output == OutputFormat::yaml) return Markup::yaml;
  return std::nullopt;
}

// "│1g.10gb │3g.40gb               │········│": a GPU from left to right, one piece an instance.
std::string board(const mig::Product& product, const mig::Layout& layout, bool ascii) {
  const std::string bar = ascii ? "|" : "│", empty = ascii ? "." : "·";
  std::string text;
  int at = 0;
  auto leave_free = [&](int until) {
    for (; at < until; ++at) {
      text += bar;
      for (int i = 0; i < kCellsAUnit; ++i) text += empty;
    }
  };
  for (const mig::Placed& placed : layout) {
    const mig::Profile& profile = product.profiles[static_cast<std::size_t>(placed.profile)];
    leave_free(placed.start);
    int cells = profile.memory_slices * (kCellsAUnit + 1) - 1;
    std::string name = tui::shorten(profile.name.text, cells, ascii);
    text += bar + name + std::string(static_cast<std::size_t>(cells - tui::display_width(name)), ' ');
    at = placed.start + profile.memory_slices;
  }
  leave_free(product.units);
  return text + bar;
}

std::string print_layouts(const LayoutsAnswer& answer, const Options& options) {
  const mig::Product& product = *answer.product;
  Grid grid;
  if (options.output == OutputFormat::csv) {
    grid.heads = {{"product", "", {}}, {"layout", "", {}}};
    for (const mig::Layout& layout : answer.layouts) {
      grid.rows.push_back({product.key.text, mig::to_text(product, layout)});
    }
    return to_csv(grid, options.headers);
  }
  grid.heads = {{"number", "NO", query::Align::right}, {"board", "LAYOUT", {}}};
  if (options.output == OutputFormat::wide) grid.heads.push_back({"layout", "AS TEXT", {}});
  for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
    const mig::Layout& layout = answer.layouts[i];
    std::vector<std::string> row{std::to_string(i + 1), board(product, layout, options.ascii)};
    if (options.output == OutputFormat::wide) row.push_back(mig::to_text(product, layout));
    grid.rows.push_back(std::move(row));
  }
  std::string head = fmt::format("{}: {} layouts ({}), {} memory slices{}\n", product.key.text,
                                 answer.layouts.size(), word(answer.which), product.units,
                                 product.placements_inferred ? " (placements inferred)" : "");
  return (options.headers ? head : "") + to_table(grid, options.headers);
}

int list_products(const Options& options, const mig::Catalogue& catalogue, const Streams& streams) {
  if (auto markup = layouts_markup(options.output)) {
    streams.out << document(catalogue.products(), *markup);
    return kDone;
  }
  Grid grid;
  grid.heads = {{"product", "PRODUCT", {}},
                {"architecture", "ARCHITECTURE", {}},
                {"memory_gb", "MIG GB", query::Align::right},
                {"units", "SLICES", query::Align::right},
                {"profiles", "PROFILES", query::Align::right},
                {"placements", "PLACEMENTS", {}}};
  bool csv = options.output == OutputFormat::csv;
  if (options.output != OutputFormat::table) grid.heads.push_back({"names", "NAMES", {}});
  for (const mig::Product& product : catalogue.products()) {
    if (!product.mig_capable && options.output == OutputFormat::table) continue;
    std::string unknown = csv ? "" : "?", placements = "inferred";
    if (!product.placements_known)
      placements = product.mig_capable ? "not published" : "no MIG";
    else if (!product.placements_inferred)
      placements = "published";
    std::vector<std::string> row{product.key.text,
                                 product.architecture,
                                 product.memory_gb ? std::to_string(*product.memory_gb) : unknown,
                                 product.placements_known ? std::to_string(product.units) : unknown,
                                 std::to_string(product.profiles.size()),
                                 placements};
    if (options.output != OutputFormat::table)
      row.push_back(fmt::format("{}", fmt::join(product.smi_names, "; ")));
    grid.rows.push_back(std::move(row));
  }
  streams.out << (csv ? to_csv(grid, options.headers) : to_table(grid, options.headers));
  return kDone;
}

Result<std::vector<int>> profiles_of(const mig::Product& product, const Options& options) {
  std::vector<int> chosen;
  for (const std::string& name : options.profiles) {
    const mig::Profile* profile = product.find(name);
    if (!profile) {
      std::vector<std::string> known;
      for (const mig::Profile& each : product.profiles) known.push_back(each.name.text);
      return Error{"unknown profile of " + product.key.text, "\"" + clean(name, 100) + "\"",
                   fmt::format("one of: {}", fmt::join(known, ", "))};
    }
    chosen.push_back(static_cast<int>(profile - product.profiles.data()));
  }
  return chosen;
}

// A platform's name for a layout, in the place of its parts: "all-1g.10gb". The operator's where no platform
// is told; names that only a table has are found there.
std::optional<sharing::Preset> preset_called(const mig::Product& product, const Options& options) {
  const auto tables = sharing::built_in_presets();
  if (!tables) return std::nullopt;
  const auto usual = options.platform.value_or(sharing::Platform::gpu_operator);
  for (sharing::Platform platform : {usual, options.platform.value_or(sharing::Platform::fpt)}) {
    auto preset = sharing::find_preset(product, platform, *options.check, *tables);
    if (preset && preset->mig && preset->layout && !preset->layout->empty()) return *std::move(preset);
  }
  return std::nullopt;
}

int check_layout(const mig::Product& product, const Options& options, const Streams& streams) {
  CheckAnswer answer;
  answer.product = &product;
  std::string why;  // as people read it
  sharing::Corrected text{*options.check, {}};
  // No cluster is asked, and nothing is cut: without --platform what any platform's documents print is taken.
  const std::optional<sharing::Platform> here = options.platform ? options.platform : options.rules.platform;
  if (auto tables = sharing::built_in_presets())
    text = sharing::corrected(text.layout, product, here, *tables);
  for (const std::string& note : text.notes) streams.err << wrapped(tui::told(options.reader, note), 0);
  const std::optional<sharing::Preset> preset = preset_called(product, options);
  if (preset && !preset->note.empty()) streams.err << wrapped(tui::told(options.reader, preset->note), 0);
  Result<mig::Layout> layout = mig::parse_layout(product, text.layout);
  if (preset) {
    answer.layout = preset->layout;
  } else if (text.refused) {
    const Error& refused = *text.refused;
    const auto shown = [&](const std::string& part) { return tui::told(options.reader, part); };
    answer.reason = to_line(refused);
    why = to_line(Error{shown(refused.what), shown(refused.reason), shown(refused.hint)});
  } else if (!layout) {
    answer.reason = layout.error().reason.empty() ? layout.error().what : layout.error().reason;
  } else if (auto illegal = mig::why_illegal(product, *layout)) {
    answer.reason = *illegal;
  } else {
    answer.layout = *layout;
  }
  if (auto markup = layouts_markup(options.output)) {
    streams.out << document(answer, *markup);
  } else if (answer.layout) {
    streams.out << "legal: " << mig::to_text(product, *answer.layout) << "\n"
                << board(product, *answer.layout, options.ascii) << "\n";
  } else {
    if (why.empty()) why = tui::told(options.reader, answer.reason);
    streams.out << "not legal: " << why << "\n";
  }
  return answer.layout ? kDone : kFinding;
}

// "a100" of "a100-80gb"; empty: it has one part only.
std::string without_last_part(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  return dash == std::string::npos ? "" : name.substr(0, dash);
}

}  // namespace

Error unknown_product(const std::string& name, const mig::Catalogue& catalogue) {
  std::vector<std::string> folded;
  for (const mig::Product& product : catalogue.products()) folded.push_back(lower(product.key.text));
  std::vector<std::string_view> known(folded.begin(), folded.end());
  // A short word like "h100" is the start of several keys: show them all. "A100-80GB-SXM4" says more than the
  // key does: its last parts are left out until some key is met.
  const std::string wanted = lower(name);
  std::string near;
  for (std::string part = wanted; near.empty() && !part.empty(); part = without_last_part(part))
    for (std::size_t i = 0; i < folded.size(); ++i)
      if (folded[i].find(part) != std::string::npos)
        near += (near.empty() ? "one of: " : ", ") + catalogue.products()[i].key.text;
  if (near.empty()) {
    std::string best = nearest(wanted, known);
    const mig::Product* product = best.empty() ? nullptr : catalogue.by_key(best);
    near = product ? "did you mean " + product->key.text + "?" : "tessera layouts lists the products";
  }
  return Error{"cannot determine which product is meant", "\"" + clean(name, 100) + "\"", near};
}

int run_layouts(const Options& options, const mig::Catalogue& catalogue, const Streams& streams) {
  if (options.words.empty()) {
    if (options.check || !options.profiles.empty()) {
      return refuse(streams,
                    {"cannot use these arguments", "a product is missing", "tessera layouts PRODUCT ..."},
                    kUsage);
    }
    return list_products(options, catalogue, streams);
  }
  const mig::Product* product = catalogue.by_any(options.words.front());
  if (!product) return refuse(streams, unknown_product(options.words.front(), catalogue), kUsage);
  if (!product->mig_capable || !product->placements_known) {
    return refuse(streams,
                  {"no layouts of " + product->key.text,
                   product->mig_capable ? "its placements are not published" : "it cannot be cut by MIG",
                   "a catalogue.yaml of your own can add them"},
                  product->mig_capable ? kUnknown : kFinding);
  }
  if (options.check) return check_layout(*product, options, streams);
  auto profiles = profiles_of(*product, options);
  if (!profiles) return refuse(streams, profiles.error(), kUsage);
  LayoutsAnswer answer{product, options.which, mig::enumerate(*product, options.which, *profiles)};
  if (auto markup = layouts_markup(options.output)) {
    streams.out << document(answer, *markup);
  } else {
    streams.out << print_layouts(answer, options);
  }
  return kDone;
}

}  // namespace tessera::cli
