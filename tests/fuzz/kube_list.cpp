// A list of pods as a hostile server may send it, cut into pieces as it comes.
#include <cstdint>
#include <string_view>

#include "backends/kubernetes/objects/list_pieces.hpp"
#include "backends/kubernetes/objects/parse.hpp"

int fuzz_kube_list(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::kubernetes;
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t step = data[0] % 64 + 1;
  ListPieces pieces(data[0]);
  Parser parser;
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    pieces.add(text.substr(0, step));
    for (auto piece = pieces.piece(); !piece.empty(); piece = pieces.piece())
      (void)parser.list<PodObject>(piece);
  }
  (void)parser.list<PodObject>(pieces.last());
  return 0;
}
