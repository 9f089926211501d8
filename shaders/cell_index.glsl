// Which cell, or pair of cells, an invocation maps. Requires interface.glsl.

// Dispatches of more than MaxGroupsX groups continue in y (cell_groups() in src/gpu/passes/dispatch.h).
uint invocation_index() {
  return gl_GlobalInvocationID.y * (MaxGroupsX * MatchGroupSize) + gl_GlobalInvocationID.x;
}
