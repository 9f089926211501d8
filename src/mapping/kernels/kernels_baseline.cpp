#define GLYPHREEL_ISA baseline
#define GLYPHREEL_ISA_NAME "baseline"
#include "mapping/kernels/kernels.inc"
