#define GLYPHREEL_ISA avx2
#include "render/draw_kernels.inc"
