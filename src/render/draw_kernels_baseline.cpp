#define GLYPHREEL_ISA baseline
#include "render/draw_kernels.inc"
