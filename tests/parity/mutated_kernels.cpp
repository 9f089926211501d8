// The kernels of mapping, drawing and effects. mutation_test.sh builds this file from a copy of the sources
// with one changed constant in shaders/shared, as a library that mutation_probe loads.

#define GLYPHREEL_ISA mutated
#define GLYPHREEL_ISA_NAME "mutated"
#include "mapping/kernels/kernels.inc"
#include "render/draw_kernels.inc"
#include "render/effect.cpp"

extern "C" const glyphreel::mapping::Kernels* mutated_kernels() {
  return &glyphreel::mapping::mutated::kernels;
}
extern "C" decltype(&glyphreel::render::apply_effect_row) mutated_effect() {
  return &glyphreel::render::apply_effect_row;
}
extern "C" const glyphreel::render::DrawKernels* mutated_draw_kernels() {
  return &glyphreel::render::mutated::kernels;
}
