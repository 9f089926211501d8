// Part of player.js: draws frames with the same integer arithmetic as glyphreel, so the canvas equals its PNG.
const VertexShader = `#version 300 es
void main() { gl_Position = vec4(ivec2(gl_VertexID & 1, gl_VertexID >> 1) * 4 - 1, 0, 1); }`;
const FragmentShader = `#version 300 es
precision highp int; precision highp float; precision highp usampler2D;
uniform usampler2D foreground, background, masks;
uniform ivec4 size;  // of a cell; height of the canvas; glyphs in a row of the atlas
out vec4 color;
void main() {
  ivec2 pixel = ivec2(int(gl_FragCoord.x), size.z - 1 - int(gl_FragCoord.y));
  ivec2 cell = pixel / size.xy, inside = pixel % size.xy;
  uvec4 f = texelFetch(foreground, cell, 0), b = texelFetch(background, cell, 0);
  int glyph = int(f.a | b.a << 8);
  uint m = texelFetch(masks, ivec2(glyph % size.w, glyph / size.w) * size.xy + inside, 0).r;
  uvec3 t = f.rgb * m + b.rgb * (255u - m) + 128u;
  color = vec4(vec3((t + (t >> 8)) >> 8) / 255.0, 1);
}`;

class GlPainter {
  // `always`: even if the GPU is emulated, which is slower than a canvas without it.
  static make(canvas, recording, always) {
    const context = of => of.getContext('webgl2', {alpha: false, antialias: false, depth: false});
    const probe = context(document.createElement('canvas'));
    const facts = probe?.getExtension('WEBGL_debug_renderer_info');
    const name = probe?.getParameter(facts ? facts.UNMASKED_RENDERER_WEBGL : probe.RENDERER) ?? '';
    const isUseful = probe && (always || !/swiftshader|llvmpipe|software|basic render/i.test(name));
    probe?.getExtension('WEBGL_lose_context')?.loseContext();
    const gl = isUseful ? context(canvas) : null;
    return gl && new GlPainter(gl, recording);
  }
  constructor(gl, recording) {
    Object.assign(this, {gl, recording, program: gl.createProgram()});
    for (const [kind, source] of [[gl.VERTEX_SHADER, VertexShader], [gl.FRAGMENT_SHADER, FragmentShader]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    gl.useProgram(this.program);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    ['foreground', 'background', 'masks'].forEach((name, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
      gl.uniform1i(gl.getUniformLocation(this.program, name), unit);
    });
    for (const unit of [0, 1]) {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8UI, recording.columns, recording.rows);
    }
  }
  makeAtlas() {
    const {gl, recording} = this, {width, height} = recording, masks = recording.masks;
    const glyphs = masks.flatMap(all => [...Array(all.length / (width * height)).keys()].map(
      i => all.subarray(i * width * height, (i + 1) * width * height)));
    const across = Math.min(glyphs.length, Math.floor(gl.getParameter(gl.MAX_TEXTURE_SIZE) / width), 64);
    const pixels = new Uint8Array(across * width * Math.ceil(glyphs.length / across) * height);
    glyphs.forEach((mask, i) => {
      for (let y = 0; y < height; ++y)
        pixels.set(mask.subarray(y * width, (y + 1) * width),
                   (Math.floor(i / across) * height + y) * across * width + i % across * width);
    });
    gl.activeTexture(gl.TEXTURE2);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8UI, across * width, pixels.length / (across * width), 0,
                  gl.RED_INTEGER, gl.UNSIGNED_BYTE, pixels);
    gl.uniform4i(gl.getUniformLocation(this.program, 'size'), width, height, recording.rows * height, across);
    this.atlasOf = masks.length;
  }
  draw({foreground, background}) {
    const {gl, recording} = this;
    if (this.atlasOf !== recording.masks.length) this.makeAtlas();
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    [foreground, background].forEach((colors, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, recording.columns, recording.rows, gl.RGBA_INTEGER,
                       gl.UNSIGNED_BYTE, colors);
    });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  read() {
    const {gl} = this, {width, height} = gl.canvas, up = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, up);
    const down = new Uint8Array(up.length);
    for (let y = 0; y < height; ++y)
      down.set(up.subarray((height - 1 - y) * width * 4, (height - y) * width * 4), y * width * 4);
    return down;
  }
}

// Draws without a GPU: the cells that have changed.
class CanvasPainter {
  constructor(canvas, recording, wasm) {
    const {columns, rows, width, height} = recording;
    Object.assign(this, {canvas, recording, wasm, context: canvas.getContext('2d', {alpha: false})});
    wasm.open_painter(columns, rows, width, height);
  }
  setMasks() {
    const {canvas, wasm, recording: {masks, width, height}} = this, bytes = masks.reduce((sum, part) => sum + part.length, 0);
    let at = wasm.set_masks(bytes / (width * height));
    this.memory = new Uint8Array(wasm.memory.buffer);  // which set_masks() may have replaced
    for (const part of masks) {
      this.memory.set(part, at);
      at += part.length;
    }
    this.image = new ImageData(new Uint8ClampedArray(wasm.memory.buffer, wasm.pixels(), 4 * canvas.width * canvas.height),
                               canvas.width, canvas.height);
    this.parts = masks.length;
  }
  draw({foreground, background}) {
    const {canvas, recording, wasm} = this;
    if (this.parts !== recording.masks.length) this.setMasks();
    this.memory.set(foreground, wasm.front());
    this.memory.set(background, wasm.back());
    const changed = wasm.paint(), top = (changed & 65535) * recording.height, bottom = (changed >>> 16) * recording.height;
    if (top < bottom) this.context.putImageData(this.image, 0, 0, 0, top, canvas.width, bottom - top);
  }
  read() { return new Uint8Array(this.image.data); }
}
