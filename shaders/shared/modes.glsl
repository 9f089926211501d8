// The mapping modes. This list generates the shaders' constants, enum class Mode (src/base/mode.h), the values and
// the help of --mode, the order in which key g selects modes, and the modes that tests loop over.
// docs/extending.md lists what else a new mode needs.
//
// MODE(Name, number, name, help): the constant is Mode##Name; numbers count up from 0; `name` is the value of
// --mode; the help of --mode shows `name` followed by `help`.
#define FOR_EACH_MODE(MODE)                                         \
  MODE(Ramp, 0u, "ramp", "by brightness alone")                     \
  MODE(Shape, 1u, "shape", "by similarity to the picture under the cell") \
  MODE(Edge, 2u, "edge", "like shape but with strokes along the picture's edges")
