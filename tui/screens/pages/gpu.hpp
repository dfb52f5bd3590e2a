// One GPU: its placement map, its instances with their ids and holders, what is wanted, made, advertised and
// held of its profiles, what was done to it, and its readings with their source and age.
// Threads: pure functions; those that open a screen belong to the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/screens/body.hpp"

namespace tessera::tui {

extern const Body kGpuBody;

// What the screen is called and about: "n0007 GPU 2".
std::string gpu_subject(const NodeName& node, GpuIndex gpu);
// What a subject names, looked up in the model; null: it is gone.
struct GpuPlace {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;
  const Gpu* gpu = nullptr;
};
GpuPlace gpu_on(const Screen& screen, const Model& model);

// ":gpu NODE INDEX".
std::optional<Error> open_named_gpu(UiState& state, const UiContext& ui, const std::string& text);

Document gpu_document(const UiContext& ui, const UiState& state, int width);
// On a wide page: what stands in the column beside it.
Document gpu_side_document(const UiContext& ui, const UiState& state, int width);
Effects open_on_gpu(UiState& state, const UiContext& ui);
std::optional<Screen> facts_on_gpu(const UiState& state, const UiContext& ui);
std::string copy_on_gpu(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
