#version 460
// Draws one triangle that covers the whole viewport, without a vertex buffer: corners (-1,-1), (3,-1), (-1,3).

void main() {
  vec2 corner = vec2((gl_VertexIndex & 1) * 4 - 1, (gl_VertexIndex >> 1) * 4 - 1);
  gl_Position = vec4(corner, 0.0, 1.0);
}
