// The guide's page at a question, where it stands beside the chart: what each answer leads to. Of a way of
// sharing what it means and what must be accepted, of a further question what is known about it already.
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/guide/guide.hpp"

namespace tessera::tui {
namespace {

constexpr int kAnswer = 1, kText = 8, kBelow = 10;  // columns: "y yes", what it leads to, what that says

class Ahead {
 public:
  Ahead(Document& page, const UiContext& ui, const UiState& state, int width)
      : page_(page), ui_(ui), state_(state), walk_(state.top().guide.group()->walk), width_(width) {}

  void add(const guide::Question& asked) {
    page_.push_back({});
    page_.push_back(heading_line(tui::told(state_, "WHAT EACH ANSWER LEADS TO")));
    answer(Action::guide_yes, "yes", asked.yes);
    page_.push_back({});
    answer(Action::guide_no, "no", asked.no);
  }

 private:
  void text(std::string_view words, int indent, Style style) {
    for (std::string& line : wrap(words, width_ - indent - 1))
      page_.push_back({{{std::move(line), style, indent}}, {}});
  }
  // The first line begins with what is answered.
  void headed(std::vector<Span> head, std::string_view words, int indent, Style style) {
    for (std::string& line : wrap(words, width_ - indent - 1)) {
      DocLine entry{std::move(head), {}};
      head.clear();
      entry.spans.push_back({std::move(line), style, indent});
      page_.push_back(std::move(entry));
    }
  }

  void answer(Action key, const std::string& reply, const std::string& to) {
    const std::vector<Span> head{{first_key(state_, key), Role::key, kAnswer},
                                 {" " + reply, Style(Role::text).with_bold()}};
    if (const guide::Leaf* leaf = walk_.chart().leaf(to)) return in_full(head, guide_leaf(state_, *leaf));
    if (const guide::Question* next = walk_.chart().question(to)) follows(head, *next);
  }

  void in_full(const std::vector<Span>& head, const guide::Leaf& leaf) {
    headed(head, title_of(leaf), kText, Style(Role::accent).with_bold());
    text(guide::plain(leaf.meaning), kBelow, Role::text);
    text(guide_fits_text(state_, guide::plain(leaf.fits)), kBelow, Role::dim);
    for (const std::string& one : guide::tradeoffs(leaf))
      headed({{"-", Role::dim, kBelow}}, tui::told(state_, guide::plain(one)), kBelow + 2, Role::dim);
  }

  void follows(const std::vector<Span>& head, const guide::Question& english) {
    const guide::Question& next = guide_question(state_, english);
    headed(head, next.label + "  " + guide::plain(next.ask), kText, Style(Role::accent).with_bold());
    add_guide_known(page_, walk_.known(english.id), ui_, state_, kBelow, width_);
    then("yes", english.yes);
    then("no", english.no);
  }

  // Where the question that follows leads, in short.
  void then(const std::string& reply, const std::string& to) {
    const std::vector<Span> head{{reply, Style(Role::text).with_bold(), kBelow}};
    constexpr int kThen = kBelow + 5;
    if (const guide::Leaf* english = walk_.chart().leaf(to)) {
      const guide::Leaf& leaf = guide_leaf(state_, *english);
      headed(head, title_of(leaf), kThen, Role::text);
      text(guide_fits_text(state_, guide::plain(leaf.fits)), kThen, Role::dim);
    } else if (const guide::Question* next = walk_.chart().question(to)) {
      headed(head, guide::text_of(guide_question(state_, *next)), kThen, Role::text);
    }
  }

  static std::string title_of(const guide::Leaf& leaf) {
    return leaf.title + "  " + guide::plain(leaf.summary);
  }

  Document& page_;
  const UiContext& ui_;
  const UiState& state_;
  const guide::Walk& walk_;
  int width_;
};

}  // namespace

void add_guide_ahead(Document& page, const UiContext& ui, const UiState& state, int width) {
  if (const guide::Question* asked = state.top().guide.group()->walk.current())
    Ahead(page, ui, state, width).add(*asked);
}

}  // namespace tessera::tui
