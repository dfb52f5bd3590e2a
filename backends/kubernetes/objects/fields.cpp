#include "backends/kubernetes/objects/fields.hpp"

namespace tessera::kubernetes {

void TextPool::share(Text& text) {
  if (!text.text_) return;
  if (known_.size() >= most_) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.text_.use_count() == 1; });
    most_ = 2 * known_.size() + 1024;
  }
  text = known_.try_emplace(text.str(), text).first->second;
}

}  // namespace tessera::kubernetes
