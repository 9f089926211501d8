// <glyphreel-player>: plays a recording in the .cells format (docs/cells-format.md). Attributes: src (a .cells
// file; without it, the <script type=x-cells> elements of the page), autoplay, loop. Keys as in mpv.
(() => {
'use strict';
const Signature = 8, ChunkHead = 8, ChunkCrc = 4, TailBytes = 20;
const Ahead = 2;  // chunks that are inflated in advance
const text = bytes => String.fromCharCode(...bytes);

// ---- The codec: the same integers as glyphreel's ------------------------------------------------------------
const inflate = async bytes => new Uint8Array(await new Response(
  new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer());
const Logistic = Int32Array.of(1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
                  3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095);
const probabilityOf = logit => {
  const place = (logit < -2047 ? -2047 : logit > 2047 ? 2047 : logit) + 2048, i = place >> 7, part = place & 127;
  return Logistic[i] * (128 - part) + Logistic[i + 1] * part + 64 >> 7;
};
const Logits = new Int16Array(4096), Rates = Int32Array.from({length: 32}, (_, n) => 163840 / (10 * n + 16));
for (let p = 0, logit = -2047; p < 4096; Logits[p++] = logit)
  while (logit < 2047 && probabilityOf(logit) < p) ++logit;

// Decodes bits. A model is a number: its probability, of 65536, times 32, plus how many bits it has seen, up to 31.
class BitReader {
  constructor(models, mixers) {
    this.models = new Int32Array(models);
    this.weights = new Int32Array(2 * mixers);
    this.state = new Int32Array(3);  // range, code, position
  }
  start(data, at) {
    this.data = data;
    this.models.fill(1 << 20);
    this.weights.fill(1 << 15);
    this.state.set([0x7fffffff, viewOf(data).getInt32(at), at + 4]);
  }
  // Returns a bit whose probability of being 1 is p of 4096.
  bit(p) {
    const {state} = this, bound = Math.imul(state[0] >>> 12, p), isOne = state[1] < bound;
    if (!isOne) state[1] -= bound;
    let range = isOne ? bound : state[0] - bound;
    for (; range < 0x800000; range <<= 8) state[1] = state[1] << 8 | this.data[state[2]++];
    state[0] = range;
    return isOne ? 1 : 0;
  }
  learn(model, bit) {
    const old = this.models[model], p = old >> 5, seen = old & 31;
    this.models[model] = p + (Math.imul((bit ? 65535 : 0) - p, Rates[seen]) >> 14) << 5 | (seen < 31 ? seen + 1 : 31);
  }
  // A bit by one model.
  one(model) {
    const bit = this.bit(this.models[model] >> 9 | 1);
    this.learn(model, bit);
    return bit;
  }
  // A bit by two models, which a mixer weights.
  mixed(mixer, a, b) {
    const {models, weights} = this, wa = weights[2 * mixer], wb = weights[2 * mixer + 1];
    const la = Logits[models[a] >> 9], lb = Logits[models[b] >> 9];
    const p = probabilityOf((Math.imul(wa, la) + Math.imul(wb, lb) | 0) >> 16), bit = this.bit(p), error = (bit << 12) - p;
    weights[2 * mixer] = wa + (Math.imul(la, error) >> 10);
    weights[2 * mixer + 1] = wb + (Math.imul(lb, error) >> 10);
    this.learn(a, bit);
    this.learn(b, bit);
    return bit;
  }
}

// Where the models of each kind start.
const Same = 0, Changed = 128, Glyphs = Changed + 1024, ByNeighbors = Glyphs + 2 * 65536,
      ByPast = ByNeighbors + 18 * 81 * 16, Digits = ByPast + 18 * 81 * 16, Models = Digits + 18 * 8 * 128;
const GlyphMixers = 18 * 16, Mixers = GlyphMixers + 20;
const Levels = Int8Array.from({length: 256}, (_, byte) => {
  const residual = byte << 24 >> 24, size = Math.abs(residual);
  return (size < 3 ? size : size < 6 ? 3 : 4) + (residual < 0 ? 4 : 0);
});
class Decoder {
  constructor(columns, rows) {
    Object.assign(this, {columns, rows, pitch: columns + 1, bits: new BitReader(Models, Mixers)});
    this.size = this.pitch * (rows + 2) + 1;
    this.now = this.state();
    this.before = this.state();
    this.foreground = new Uint8Array(columns * rows * 4);  // red, green, blue, low byte of the glyph
    this.background = new Uint8Array(columns * rows * 4);  // red, green, blue, high byte of the glyph
  }
  state() {
    const bytes = () => new Uint8Array(this.size);
    return {glyphs: new Uint32Array(this.size), same: bytes(), changed: bytes(), values: [...Array(6)].map(bytes),
            residuals: [...Array(6)].map(() => new Int8Array(this.size))};
  }
  begin(chunk) {
    this.chunk = chunk;
    this.next = 0;
    this.bits.start(chunk.data, chunk.at);
    for (const {glyphs, same, changed, values, residuals} of [this.now, this.before])
      for (const plane of [glyphs, same, changed, ...values, ...residuals]) plane.fill(0);
  }
  frame(coverage) {
    [this.now, this.before] = [this.before, this.now];
    const {columns, rows, pitch, now, before} = this, isFirst = this.next++ === 0;
    now.glyphs.set(before.glyphs);
    now.values.forEach((plane, i) => plane.set(before.values[i]));
    for (const plane of now.residuals) plane.fill(0);
    for (let row = 1, cell = 0; row <= rows; ++row)
      for (let i = row * pitch + 1, end = i + columns; i < end; ++i, ++cell) this.decodeGlyph(i, cell, isFirst);
    for (let row = 1, cell = 0; row <= rows; ++row)
      for (let i = row * pitch + 1, end = i + columns; i < end; ++i, ++cell)
        if (!now.same[i]) this.decodeColors(i, cell, isFirst, coverage);
  }
  // Returns flags of the cells around one.
  around(now, before, i) {
    const {pitch} = this, above = i - pitch;
    return now[i - 1] | now[above] << 1 | now[above + 1] << 2 | now[above - 1] << 3 | before[i] << 4 |
           before[i + 1] << 5 | before[i + pitch] << 6;
  }
  decodeGlyph(i, cell, isFirst) {
    const {now, before, bits, pitch, foreground, background} = this, {glyphs, same, changed} = now, {width} = this.chunk;
    const last = before.glyphs[i];
    if (!isFirst) {
      changed[i] = 0;
      if (same[i] = bits.one(Same + this.around(same, before.same, i))) return;
      const flags = same[i - 1] | same[i - pitch] << 1 | before.same[i] << 2;
      if (!(changed[i] = bits.one(Changed + (this.around(changed, before.changed, i) | flags << 7)))) return;
    }
    const a = glyphs[i - 1] << width, b = (isFirst ? glyphs[i - pitch] : last) << width;
    let node = 1;
    for (let bit = width - 1; bit >= 0; --bit)
      node = node << 1 | bits.mixed(GlyphMixers + bit, Glyphs + (a + node & 65535), Glyphs + 65536 + (b + node & 65535));
    const glyph = glyphs[i] = node - (1 << width);
    foreground[4 * cell + 3] = glyph;
    background[4 * cell + 3] = glyph >> 8;
  }
  decodeColors(i, cell, isFirst, coverage) {
    const {now} = this, {values} = now;
    let green = 0;
    for (let plane = 0; plane < 6; ++plane) {
      const isGreen = plane % 3 === 0;
      let predicted = this.predict(plane, i, isFirst, coverage) + (isGreen ? 0 : green);
      predicted = predicted < 0 ? 0 : predicted > 255 ? 255 : predicted;
      const residual = now.residuals[plane][i] = this.decodeResidual(plane, i, isFirst);
      const value = values[plane][i] = predicted + residual & 255;
      if (isGreen) green = value - predicted;
      (plane < 3 ? this.background : this.foreground)[4 * cell + (plane % 3 < 2 ? 1 - plane % 3 : 2)] = value;
    }
  }
  predict(plane, i, isFirst, coverage) {
    const {now, before, pitch} = this, values = now.values[plane];
    if (isFirst) {
      const left = values[i - 1], above = values[i - pitch], corner = values[i - pitch - 1];
      const low = left < above ? left : above, high = left < above ? above : left;
      return corner >= high ? low : corner <= low ? high : left + above - corner;
    }
    const last = before.values[plane][i];
    if (plane < 3) return last;
    const ground = now.values[plane - 3][i], lastGround = before.values[plane - 3][i];
    if (!now.changed[i]) return last + ground - lastGround;
    const ink = coverage[now.glyphs[i]] + 8, lastInk = coverage[before.glyphs[i]] + 8;
    const light = (lastInk * last * last + (255 - lastInk) * lastGround * lastGround - (255 - ink) * ground * ground) / ink | 0;
    return Math.sqrt(light < 0 ? 0 : light > 65025 ? 65025 : light) | 0;
  }
  decodeResidual(plane, i, isFirst) {
    const {now, before, pitch, bits} = this, residuals = now.residuals[plane];
    const left = residuals[i - 1], above = residuals[i - pitch];
    const past = isFirst ? residuals[i - pitch + 1] : before.residuals[plane][i];
    const other = plane > 0 ? now.residuals[plane - 1][i] : 0;
    const group = plane * 3 + (isFirst ? 0 : 1 + now.changed[i]), mixer = group * 16;
    const a = ByNeighbors + ((group * 9 + Levels[left & 255]) * 9 + Levels[above & 255]) * 16;
    const b = ByPast + ((group * 9 + Levels[past & 255]) * 9 + Levels[other & 255]) * 16;
    if (bits.mixed(mixer, a, b)) return 0;
    const isNegative = bits.mixed(mixer + 1, a + 1, b + 1), first = isNegative ? 9 : 2;
    let size = 0;
    while (size < 7 && !bits.mixed(mixer + first + size, a + first + size, b + first + size)) ++size;
    let rest = size > 0 ? 1 : 0;
    for (let digit = size; digit > 1; --digit) rest = rest << 1 | bits.one(Digits + (group * 8 + size) * 128 + rest);
    return isNegative ? -1 - rest : 1 + rest;
  }
}

// ---- The container ----------------------------------------------------------------------------------------
const viewOf = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const timeOf = (view, at) => Number(view.getBigInt64(at, true));

class Recording {
  constructor() {
    Object.assign(this, {frames: [], sound: [], points: [], coverage: [], masks: [], isComplete: false,
                         onChange: () => {}});
  }
  // Adds a chunk. `load` returns a promise of its payload, or is null if `payload` is given.
  async add(type, payload, load) {
    if (type === 'FRAM') {
      const head = viewOf(payload);
      this.frames.push({pts: timeOf(head, 0), count: head.getUint32(8, true), load: load ?? (async () => payload)});
    } else if (type === 'SOND') {
      this.sound.push(load ?? (async () => payload));
    } else if (type === 'HEAD') {
      const head = viewOf(payload);
      if (head.getUint16(0, true) !== 2) throw Error('This recording needs a newer player.');
      const ratio = at => timeOf(head, at) / timeOf(head, at + 8);
      Object.assign(this, {hasSound: (head.getUint16(2, true) & 1) !== 0, columns: head.getInt32(4, true),
                           rows: head.getInt32(8, true), width: payload[12], height: payload[13],
                           tick: ratio(14), rate: ratio(30)});
    } else if (type === 'GLYF') {
      const list = viewOf(payload);
      for (let i = 0, count = list.getUint32(0, true); i < count; ++i) {
        this.points.push(list.getUint32(4 + 5 * i, true));
        this.coverage.push(payload[8 + 5 * i]);
      }
    } else if (type === 'MASK') {
      this.masks.push(await inflate(payload));
    } else {
      return;
    }
    this.onChange();
  }
  finish() {
    this.isComplete = true;
    this.onChange();
  }
  get start() { return this.frames[0].pts; }
  // Seconds from the first frame to the end of what has arrived.
  get duration() { return this.end ?? (this.frames.length ? this.seconds(this.frames.at(-1).pts) : 0); }
  seconds(pts) { return (pts - this.start) * this.tick; }
  async chunk(number) {
    const payload = await this.frames[number].load(), head = viewOf(payload);
    const data = await inflate(payload.subarray(17)), view = viewOf(data);
    const times = [];
    let pts = timeOf(head, 0), at = 0;
    for (const count = head.getUint32(8, true); times.length < count; at += 8) {
      pts += view.getUint32(at, true);
      times.push({at: this.seconds(pts), duration: view.getUint32(at + 4, true) * this.tick});
    }
    return {number, data, at, width: payload[16], times};
  }
}

// Splits bytes that arrive in parts into chunks.
class Splitter {
  constructor(recording, keep) { Object.assign(this, {recording, keep, rest: new Uint8Array(0), skip: Signature}); }
  async push(part) {
    const bytes = new Uint8Array(this.rest.length + part.length);
    bytes.set(this.rest);
    bytes.set(part, this.rest.length);
    let at = 0;
    if (this.skip && bytes.length >= this.skip) [at, this.skip] = [this.skip, 0];
    while (!this.skip && at + ChunkHead <= bytes.length) {
      const length = viewOf(bytes).getUint32(at + 4, true), end = at + ChunkHead + length + ChunkCrc;
      if (end > bytes.length) break;
      const payload = bytes.slice(at + ChunkHead, at + ChunkHead + length);
      await this.recording.add(text(bytes.subarray(at, at + 4)), payload, this.keep(payload));
      at = end;
    }
    this.rest = bytes.slice(at);
  }
}

// Bytes 128 to 159 of windows-1252, as the browser shows them, that are not the characters of the same number.
const Codes = new Map([...'\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178']
  .map((character, i) => [character.charCodeAt(0),
                          [128, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 142, 145, 146, 147, 148,
                           149, 150, 151, 152, 153, 154, 155, 156, 158, 159][i]]));
const bytesOf = string => {
  const bytes = new Uint8Array(string.length);
  let size = 0;
  for (let i = 0; i < string.length; ++i) {
    let code = string.charCodeAt(i);
    if (code === 61) code = string.charCodeAt(++i) - 64;  // =x stands for x - 64
    bytes[size++] = code > 255 ? Codes.get(code) : code;
  }
  return bytes.subarray(0, size);
};

// Reads the chunks in the page, each in a <script type=x-cells>, while the page is being loaded.
const readPage = async recording => {
  let scripts = document.getElementsByClassName('cells');
  const load = string => { const bytes = bytesOf(string); return bytes.subarray(ChunkHead, bytes.length - ChunkCrc); };
  if (document.characterSet !== 'windows-1252') {
    // The server has declared another character set, so read the page again, as bytes.
    const page = new TextDecoder('windows-1252').decode(await (await fetch(location.href)).arrayBuffer());
    scripts = page.split('<script type=x-cells ' + 'class=cells>').slice(1)
                  .map(part => ({textContent: part.slice(0, part.indexOf('</'))}));
  }
  const isLoaded = () => document.readyState !== 'loading' || Array.isArray(scripts);
  for (let i = 0;; ++i) {
    while (i + 1 >= scripts.length && !isLoaded()) await new Promise(done => setTimeout(done, 50));
    if (i >= scripts.length) break;
    const string = scripts[i].textContent, head = bytesOf(string.slice(0, 64));
    const type = text(head.subarray(0, 4)), isLarge = type === 'FRAM' || type === 'SOND';
    if (i + 1 === scripts.length && bytesOf(string).length < viewOf(head).getUint32(4, true) + ChunkHead + ChunkCrc)
      break;  // the file was cut short
    const script = scripts[i];
    await recording.add(type, isLarge ? head.subarray(ChunkHead) : load(string), isLarge ? async () => load(script.textContent) : null);
  }
  recording.finish();
};

// Reads a file: by its index and in parts if the server can, else from its start to its end.
const readFile = async (recording, url) => {
  const part = async (from, to) => new Uint8Array(
    await (await fetch(url, {headers: {Range: `bytes=${from}-${to}`}})).arrayBuffer());
  const tail = await fetch(url, {headers: {Range: `bytes=-${TailBytes}`}});
  if (!tail.ok) throw Error(`The recording is not there (${tail.status}).`);
  const bytes = tail.status === 206 ? new Uint8Array(await tail.arrayBuffer()) : null;
  if (bytes && text(bytes.subarray(0, 4)) === 'TAIL') {
    const at = timeOf(viewOf(bytes), ChunkHead);
    const size = Number(tail.headers.get('Content-Range').split('/')[1]);
    const index = (await part(at, size - TailBytes - 1)).subarray(ChunkHead, -ChunkCrc), view = viewOf(index);
    for (let i = 0; i + 28 <= index.length; i += 28) {
      const type = text(index.subarray(i, i + 4)), length = view.getUint32(i + 4, true);
      const from = timeOf(view, i + 8) + ChunkHead, load = () => part(from, from + length - 1);
      const isLarge = type === 'FRAM' || type === 'SOND';
      await recording.add(type, isLarge ? index.slice(i + 16, i + 28) : await load(), isLarge ? load : null);
    }
  } else {
    const whole = bytes ? await fetch(url) : tail, reader = whole.body.getReader();
    // Blobs need not stay in memory.
    const keep = payload => { const blob = new Blob([payload]); return async () => new Uint8Array(await blob.arrayBuffer()); };
    const splitter = new Splitter(recording, keep);
    for (let read = await reader.read(); !read.done; read = await reader.read()) await splitter.push(read.value);
  }
  recording.finish();
};

// ---- Drawing: the same integers as glyphreel's, so the canvas equals its PNG --------------------------------
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
  constructor(canvas, recording) {
    this.context = canvas.getContext('2d', {alpha: false});
    this.image = this.context.createImageData(canvas.width, canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.recording = recording;
    this.shown = [new Uint32Array(recording.columns * recording.rows), new Uint32Array(recording.columns * recording.rows)];
    this.inks = [];
  }
  // Returns the pixels of a glyph that are not background: position and coverage in turn.
  ink(glyph) {
    const {width, height, masks, columns} = this.recording, area = width * height, list = [];
    let mask = glyph * area, part = 0;
    while (mask >= masks[part].length) mask -= masks[part++].length;
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) {
        const coverage = masks[part][mask++];
        if (coverage) list.push(y * columns * width + x, coverage);
      }
    return this.inks[glyph] = Int32Array.from(list);
  }
  draw({foreground, background}) {
    const {columns, rows, width, height} = this.recording, {pixels, inks, shown: [shownF, shownB]} = this;
    const fs = new Uint32Array(foreground.buffer), bs = new Uint32Array(background.buffer), stride = columns * width;
    for (let cell = 0; cell < columns * rows; ++cell) {
      const f = fs[cell], b = bs[cell];
      if (f === shownF[cell] && b === shownB[cell]) continue;
      shownF[cell] = f;
      shownB[cell] = b;
      const corner = Math.floor(cell / columns) * height * stride + cell % columns * width, paper = b | 0xff000000;
      for (let at = corner, bottom = corner + height * stride; at < bottom; at += stride)
        for (let x = at; x < at + width; ++x) pixels[x] = paper;
      const glyph = f >>> 24 | b >>> 24 << 8, ink = inks[glyph] ?? this.ink(glyph);
      const fRb = f & 0xff00ff, bRb = b & 0xff00ff, fG = f >> 8 & 255, bG = b >> 8 & 255;
      for (let i = 0; i < ink.length; i += 2) {
        const m = ink[i + 1];
        const rb = Math.imul(fRb, m) + Math.imul(bRb, 255 - m) + 0x800080 | 0, g = fG * m + bG * (255 - m) + 128;
        pixels[corner + ink[i]] = (rb + (rb >>> 8 & 0xff00ff) >>> 8 & 0xff00ff) | (g + (g >> 8) & 0xff00) | 0xff000000;
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }
  read() { return new Uint8Array(this.image.data); }
}

// ---- The element ------------------------------------------------------------------------------------------
const Style = `
:host{display:block;position:relative;background:#000;color:#eee;font:14px/1 system-ui,sans-serif;outline:none;
  overflow:hidden;-webkit-tap-highlight-color:transparent}
.stage{position:relative;width:100%;height:100%;display:grid;place-items:center;min-height:0}
.picture{position:relative;line-height:0;max-width:100%;max-height:100%}
canvas{display:block;width:100%;height:100%}
pre{position:absolute;inset:0;margin:0;overflow:hidden;color:transparent;font-family:'DejaVu Sans Mono',monospace;
  white-space:pre;cursor:text;user-select:text;-webkit-user-select:text}
pre::selection{background:#6cf8;color:transparent}
:host(:not([data-paused])) pre,pre:empty{display:none}
.bar{position:absolute;inset:auto 0 0;display:flex;gap:.4em;align-items:center;padding:2.6em .9em .7em;
  background:linear-gradient(transparent,#000b);opacity:0;transition:opacity .35s;pointer-events:none}
:host([data-awake]) .bar,.bar:focus-within{opacity:1;pointer-events:auto}
:host(:not([data-awake]):not([data-paused])) .stage{cursor:none}
button{all:unset;box-sizing:border-box;min-width:2.3em;height:2.3em;border-radius:.6em;display:grid;place-items:center;
  cursor:pointer;font-variant-numeric:tabular-nums;color:#eee}
button:hover{background:#fff2}button:focus-visible,input:focus-visible{outline:2px solid #8cf;outline-offset:1px}
svg{width:1.25em;height:1.25em;fill:currentColor;pointer-events:none}
output{font-variant-numeric:tabular-nums;white-space:nowrap;color:#ccc;font-size:13px;padding:0 .4em}
input{flex:1;min-width:3em;accent-color:#eee;height:1.6em;cursor:pointer;margin:0}
.big{position:absolute;inset:0;margin:auto;width:4.6em;height:4.6em;border-radius:50%;background:#000a;
  backdrop-filter:blur(6px);transition:opacity .25s,transform .25s}
.big svg{width:1.9em;height:1.9em}.big:hover{background:#000c;transform:scale(1.06)}
:host(:not([data-fresh])) .big{display:none}
[hidden]{display:none!important}
p{position:absolute;inset:0;margin:auto;height:1.4em;text-align:center;line-height:1.4;color:#bbb}
@media (prefers-reduced-motion:reduce){.bar,.big{transition:none}}`;
const icon = path => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const Icons = {
  play: icon('M7 4.5v15l13-7.5z'), pause: icon('M6 5h4v14H6zM14 5h4v14h-4z'),
  sound: icon('M4 9v6h4l5 5V4L8 9zM16 8.5v7a4.5 4.5 0 0 0 0-7zM16 4v2a6.5 6.5 0 0 1 0 12v2a8.5 8.5 0 0 0 0-16z'),
  mute: icon('M4 9v6h4l5 5V4L8 9zM22 9.4 20.6 8 18.5 10.1 16.4 8 15 9.4l2.1 2.1L15 13.6l1.4 1.4 2.1-2.1 2.1 2.1 1.4-1.4-2.1-2.1z'),
  full: icon('M4 4h7v2H6v5H4zM13 18h5v-5h2v7h-7z'),
};
const clock = seconds => {
  const whole = Math.max(0, Math.floor(seconds)), pad = n => String(n).padStart(2, '0');
  return (whole >= 3600 ? Math.floor(whole / 3600) + ':' + pad(Math.floor(whole / 60) % 60) : Math.floor(whole / 60)) +
         ':' + pad(whole % 60);
};

class Player extends HTMLElement {
  connectedCallback() {
    if (this.recording) return;
    this.tabIndex = 0;
    this.setAttribute('role', 'region');
    if (!this.hasAttribute('aria-label')) this.setAttribute('aria-label', 'Video made of characters');
    const root = this.attachShadow({mode: 'open'});
    root.innerHTML = `<style>${Style}</style><div class=stage><div class=picture><canvas role=img
      aria-label="Video picture"></canvas><pre aria-hidden=true></pre></div></div>
      <button class=big aria-label=Play>${Icons.play}</button><p role=status></p>
      <div class=bar><button class=play aria-label=Play>${Icons.play}</button><output aria-live=off></output>
      <input type=range min=0 max=1 step=any value=0 aria-label=Seek><button class=speed
      aria-label="Speed">1&times;</button><button class=mute aria-label=Mute hidden>${Icons.sound}</button><button
      class=full aria-label=Fullscreen>${Icons.full}</button></div>`;
    this.$ = name => root.querySelector(name);
    this.canvas = this.$('canvas');
    Object.assign(this, {chunks: new Map(), wanted: 0, speed: 1, isPaused: true, isSeeking: false, shownAt: -1,
                         clockAt: 0, clockBase: 0, audio: null, decoded: 0, counts: {drawn: 0, late: 0}});
    this.toggleAttribute('data-paused', true);
    this.toggleAttribute('data-fresh', true);
    this.recording = new Recording();
    this.recording.onChange = () => this.arrived();
    this.listen();
    const src = this.getAttribute('src');
    (src ? readFile(this.recording, src) : readPage(this.recording))
      .catch(error => { this.$('p').textContent = error.message; });
  }

  listen() {
    const on = (name, event, call) => this.$(name).addEventListener(event, call);
    for (const name of ['.play', '.big']) on(name, 'click', () => this.toggle());
    on('canvas', 'click', () => this.toggle());
    on('canvas', 'dblclick', () => this.fullscreen());
    on('.full', 'click', () => this.fullscreen());
    on('.mute', 'click', () => this.mute());
    on('.speed', 'click', () => this.setSpeed(this.speed >= 2 ? 0.5 : this.speed >= 1 ? this.speed + 0.5 : 1));
    on('input', 'input', () => this.seek(this.$('input').value * this.recording.duration));
    for (const event of ['pointermove', 'pointerdown', 'keydown']) this.addEventListener(event, () => this.wake());
    this.addEventListener('pointerleave', () => this.toggleAttribute('data-awake', this.isPaused));
    const target = this.hasAttribute('src') && !this.hasAttribute('data-page') ? this : document;
    target.addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.layOut()).observe(this);
    this.wake();
  }

  // A chunk has arrived.
  arrived() {
    const {recording} = this;
    if (recording.isComplete && recording.frames.length === 0)
      this.$('p').textContent = 'The recording contains no picture.';
    if (recording.frames.length && recording.masks.length && !this.decoder) this.begin();
    if (recording.isComplete && this.decoder) this.finishLoading();
    this.$('input').max = 1;
  }
  begin() {
    const {recording, canvas} = this;
    canvas.width = recording.columns * recording.width;
    canvas.height = recording.rows * recording.height;
    this.decoder = new Decoder(recording.columns, recording.rows);
    this.painter = (this.hasAttribute('data-2d') ? null : GlPainter.make(canvas, recording, this.hasAttribute('data-gl'))) ??
                   new CanvasPainter(canvas, recording);
    canvas.addEventListener('webglcontextlost', event => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.painter = GlPainter.make(canvas, recording, true);
      this.painter.draw(this.decoder);
    });
    this.layOut();
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.show(0).then(() => {
      this.dispatchEvent(new Event('ready'));
      if (this.hasAttribute('autoplay') && !isCalm) this.play(true);
    });
  }
  async finishLoading() {
    const {recording} = this;
    const last = (await this.chunk(recording.frames.length - 1)).times.at(-1);
    recording.end = last.at + (last.duration || (recording.rate > 0 ? 1 / recording.rate : 0));
    this.progress();
    if (recording.sound.length && !this.audio) {
      const parts = [];
      for (const load of recording.sound) parts.push(new Blob([await load()]));
      const audio = new Audio(URL.createObjectURL(new Blob(parts, {type: 'audio/ogg'})));
      audio.preservesPitch = true;
      audio.addEventListener('loadedmetadata', () => {
        this.audio = audio;
        this.$('.mute').hidden = false;
        if (this.isMuted) audio.muted = true;
        this.setTime(this.time);
        if (!this.isPaused) this.play();
      }, {once: true});
    }
    this.dispatchEvent(new Event('loaded'));
  }

  // Time of playback in seconds from the first frame.
  get time() {
    if (this.isPaused) return this.clockBase;
    const now = this.clockBase + (performance.now() - this.clockAt) / 1000 * this.speed;
    return Math.min(now, this.recording.duration);
  }
  setTime(seconds) {
    this.clockBase = seconds;
    this.clockAt = performance.now();
    if (this.audio) this.audio.currentTime = Math.max(0, seconds + this.recording.start * this.recording.tick);
  }
  // Follows the clock of the sound.
  followSound() {
    const {audio, recording} = this;
    if (!audio || audio.paused || audio.seeking || audio.ended || this.isPaused) return;
    const heard = audio.currentTime - recording.start * recording.tick, off = heard - this.time;
    if (Math.abs(off) < 0.02) return;
    this.clockBase = this.time + (Math.abs(off) > 0.25 ? off : off * 0.1);
    this.clockAt = performance.now();
  }

  play(isMuted = false) {
    if (this.recording.end && this.time >= this.recording.end - 1e-6) this.setTime(0);
    const from = this.time;
    this.isPaused = false;
    this.isMuted = isMuted || this.isMuted;
    this.setTime(from);
    if (this.audio) {
      this.audio.muted = Boolean(this.isMuted);
      this.audio.playbackRate = this.speed;
      this.audio.play().catch(() => {});
    }
    this.toggleAttribute('data-paused', false);
    this.toggleAttribute('data-fresh', false);
    this.$('.play').innerHTML = Icons.pause;
    this.$('.play').setAttribute('aria-label', 'Pause');
    this.wake();
    if (!this.ticking) this.tick();
  }
  pause() {
    this.clockBase = this.time;
    this.isPaused = true;
    this.audio?.pause();
    this.toggleAttribute('data-paused', true);
    this.$('.play').innerHTML = Icons.play;
    this.$('.play').setAttribute('aria-label', 'Play');
    this.wake();
    this.writeText();
  }
  toggle() { this.isPaused ? this.play() : this.pause(); }
  async seek(seconds) {
    this.setTime(Math.min(Math.max(0, seconds), this.recording.duration));
    this.toggleAttribute('data-fresh', false);
    this.progress();
    if (this.isPaused) {
      await this.show(this.clockBase);
      this.writeText();
    }
  }
  setSpeed(speed) {
    const now = this.time;
    this.speed = Math.min(4, Math.max(0.25, speed));
    this.clockBase = now;
    this.clockAt = performance.now();
    if (this.audio) this.audio.playbackRate = this.speed;
    this.$('.speed').textContent = Number(this.speed.toFixed(2)) + '\u00d7';
  }
  mute() {
    if (!this.audio) return;
    this.isMuted = this.audio.muted = !this.audio.muted;
    this.$('.mute').innerHTML = this.isMuted ? Icons.mute : Icons.sound;
    this.$('.mute').setAttribute('aria-label', this.isMuted ? 'Unmute' : 'Mute');
  }
  fullscreen() {
    if (document.fullscreenElement) document.exitFullscreen(); else this.requestFullscreen?.().catch(() => {});
  }
  async step(direction) {
    if (!this.isPaused) this.pause();
    const times = this.current?.times;
    if (!times) return;
    const frame = this.frame + direction, {number} = this.current;
    let target = times[frame]?.at;
    if (target === undefined) {
      const other = number + direction;
      if (other < 0 || other >= this.recording.frames.length) return;
      const beyond = (await this.chunk(other)).times;
      target = (direction > 0 ? beyond[0] : beyond.at(-1)).at;
    }
    await this.seek(target);
  }
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isControl = event.composedPath()[0] instanceof HTMLButtonElement;
    const by = seconds => () => this.seek(this.time + seconds);
    const volume = change => () => { if (this.audio) this.audio.volume = Math.min(1, Math.max(0, this.audio.volume + change)); };
    const action = {
      ' ': isControl ? null : () => this.toggle(), p: () => this.toggle(), k: () => this.toggle(),
      ArrowLeft: by(event.shiftKey ? -1 : -5), ArrowRight: by(event.shiftKey ? 1 : 5),
      ArrowUp: by(60), ArrowDown: by(-60), Home: () => this.seek(0), End: () => this.seek(this.recording.duration),
      '.': () => this.step(1), ',': () => this.step(-1), f: () => this.fullscreen(), m: () => this.mute(),
      '[': () => this.setSpeed(this.speed / 1.1), ']': () => this.setSpeed(this.speed * 1.1),
      '{': () => this.setSpeed(this.speed / 2), '}': () => this.setSpeed(this.speed * 2),
      Backspace: () => this.setSpeed(1), 9: volume(-0.05), 0: volume(0.05),
    }[event.key];
    if (!action || !this.decoder) return;
    event.preventDefault();
    action();
  }
  wake() {
    this.toggleAttribute('data-awake', true);
    clearTimeout(this.sleep);
    this.sleep = setTimeout(() => { if (!this.isPaused) this.toggleAttribute('data-awake', false); }, 2200);
  }

  // Returns a chunk, inflated, and forgets the chunks that are far away.
  chunk(number) {
    for (const old of this.chunks.keys())
      if (old < this.wanted - 1 || old > this.wanted + Ahead) if (old !== number) this.chunks.delete(old);
    if (!this.chunks.has(number)) this.chunks.set(number, this.recording.chunk(number));
    return this.chunks.get(number);
  }
  chunkAt(seconds) {
    const {frames} = this.recording;
    let low = 0, high = frames.length - 1;
    while (low < high) {
      const middle = low + high + 1 >> 1;
      if (this.recording.seconds(frames[middle].pts) <= seconds + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }
  // Decodes and draws the frame that is shown at this time.
  async show(seconds) {
    this.wanted = this.chunkAt(seconds);
    const chunk = await this.chunk(this.wanted);
    for (let next = chunk.number + 1; next < Math.min(chunk.number + Ahead, this.recording.frames.length); ++next)
      this.chunk(next);
    let frame = 0;
    while (frame + 1 < chunk.times.length && chunk.times[frame + 1].at <= seconds + 1e-9) ++frame;
    if (this.current === chunk && this.frame === frame) return;
    const {decoder, recording} = this;
    if (decoder.chunk !== chunk || decoder.next > frame) decoder.begin(chunk);
    while (decoder.next <= frame) decoder.frame(recording.coverage);
    if (this.current && this.current === chunk) this.counts.late += Math.max(0, frame - this.frame - 1);
    [this.current, this.frame] = [chunk, frame];
    this.painter.draw(decoder);
    ++this.counts.drawn;
  }
  tick() {
    this.ticking = !this.isPaused;
    if (!this.ticking) return;
    this.followSound();
    const now = this.time, {recording} = this;
    const finish = recording.isComplete && recording.end && now >= recording.end - 1e-6;
    this.show(now).then(() => {
      this.progress();
      if (finish && this.hasAttribute('loop')) { this.setTime(0); this.audio?.play(); }
      else if (finish) this.pause();
      requestAnimationFrame(() => this.tick());
    }, error => { this.$('p').textContent = error.message; this.pause(); });
  }
  progress() {
    const {duration} = this.recording, label = `${clock(this.time)} / ${clock(duration)}`;
    const input = this.$('input'), output = this.$('output');
    if (output.textContent !== label) {
      output.textContent = label;
      input.setAttribute('aria-valuetext', label);
    }
    if (this.hasAttribute('data-awake')) input.value = duration > 0 ? this.time / duration : 0;
  }

  layOut() {
    const {recording} = this;
    if (!this.decoder) return;
    const ratio = this.canvas.width / this.canvas.height, picture = this.$('.picture');
    const width = this.clientWidth, isSized = this.clientHeight > 0 && (this.style.height || this.hasAttribute('data-page'));
    const height = document.fullscreenElement === this || isSized ? this.clientHeight : width / ratio;
    const shown = Math.min(width, height * ratio);
    picture.style.width = shown + 'px';
    picture.style.height = shown / ratio + 'px';
    const pixels = shown * devicePixelRatio / this.canvas.width;
    this.canvas.style.imageRendering = Number.isInteger(Math.round(pixels * 1000) / 1000) ? 'pixelated' : 'auto';
    const pre = this.$('pre'), cell = shown / recording.columns;
    pre.style.lineHeight = shown / ratio / recording.rows + 'px';
    pre.style.fontSize = cell * 1.6 + 'px';
    const probe = document.createElement('canvas').getContext('2d');
    probe.font = `${cell * 1.6}px 'DejaVu Sans Mono', monospace`;
    pre.style.letterSpacing = cell - probe.measureText('0').width + 'px';
  }
  // The characters of the frame, for selecting and copying.
  get characters() {
    const {columns, rows, points} = this.recording, {foreground, background} = this.decoder, lines = [];
    for (let row = 0; row < rows; ++row) {
      let line = '';
      for (let i = row * columns; i < (row + 1) * columns; ++i) {
        const point = points[foreground[4 * i + 3] | background[4 * i + 3] << 8];
        if (point >> 24 !== 2) line += String.fromCodePoint(point & 0xffffff);
      }
      lines.push(line);
    }
    return lines.join('\n');
  }
  writeText() { if (this.decoder) this.$('pre').textContent = this.characters; }
  // The pixels of the frame, from the top: red, green, blue, 255.
  get pixels() {
    this.painter.draw(this.decoder);
    return this.painter.read();
  }
}
customElements.define('glyphreel-player', Player);
})();
