#define GLYPHREEL_ISA avx2
#define GLYPHREEL_ISA_NAME "AVX2"
#include "mapping/kernels/kernels.inc"
