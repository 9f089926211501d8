#define GLYPHREEL_ISA avx512
#include "render/draw_kernels.inc"
