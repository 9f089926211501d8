#define GLYPHREEL_ISA avx512
#define GLYPHREEL_ISA_NAME "AVX-512"
#include "mapping/kernels/kernels.inc"
