// <glyphreel-player>: plays a recording in the .cells format (docs/cells-format.md). Attributes: src (a .cells
// file; without it, the <script type=x-cells> elements of the page), autoplay, loop. Keys as in mpv.
(() => {
'use strict';
const Signature = 8, TailBytes = 20;
const MaxChunkFrames = 1024;
const Ahead = 2;                    // chunks that are loaded in advance
const BufferBytes = 4 << 20;        // of the frames that are decoded in advance
const Module = `@module@`;          // decoder.c and painter.c as WebAssembly: compressed, in base64
const text = bytes => String.fromCharCode(...bytes);

// ---- For the page and its worker ----------------------------------------------------------------------------
const toolkit = () => {
  const ChunkHead = 8, ChunkCrc = 4;
  const viewOf = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const timeOf = (view, at) => Number(view.getBigInt64(at, true));
  const inflate = async bytes => new Uint8Array(await new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer());

  // Bytes by character: windows-1252 as browsers read it, where only bytes 128 to 159 differ from their characters.
  const codes = Uint8Array.from({length: 0x2123}, (_, code) => code);
  new TextDecoder('windows-1252').decode(Uint8Array.from({length: 32}, (_, i) => 128 + i)).split('')
    .forEach((character, i) => { codes[character.charCodeAt(0)] = 128 + i; });
  const bytesOf = string => {
    const bytes = new Uint8Array(string.length);
    let size = 0;
    for (let i = 0; i < string.length; ++i) {
      let code = string.charCodeAt(i);
      if (code === 61) code = string.charCodeAt(++i) - 64;  // =x stands for x - 64
      bytes[size++] = codes[code];
    }
    return bytes.subarray(0, size);
  };
  // The payload of a chunk in the page.
  const payloadOf = string => bytesOf(string).subarray(ChunkHead, -ChunkCrc);
  const instantiate = async module => (await WebAssembly.instantiate(
    await inflate(Uint8Array.from(atob(module), character => character.charCodeAt())))).instance.exports;
  return {ChunkHead, ChunkCrc, viewOf, timeOf, inflate, bytesOf, payloadOf, instantiate};
};
const {ChunkHead, ChunkCrc, viewOf, timeOf, inflate, bytesOf, payloadOf, instantiate} = toolkit();

// Decodes frames in advance, for the FrameQueue at the other end of `port`. It stops when it has no free buffer.
const decodeAhead = ({viewOf, timeOf, inflate, payloadOf, instantiate}, port) => {
  const chunks = new Map(), buffers = [], pause = new MessageChannel();
  let wasm, memory, colorBytes, isRunning = false, epoch = 0;
  let current = null;               // the chunk that is being decoded
  let wanted = null;                // the chunk and the frame to continue with
  let milliseconds = 0;

  const begin = chunk => {
    const at = wasm.reserve(chunk.data.length);
    memory = new Uint8Array(wasm.memory.buffer);  // which reserve() may have replaced
    memory.set(chunk.data, at);
    wasm.begin(8 * chunk.count, chunk.width);
    current = {number: chunk.number, count: chunk.count, next: 0};
  };
  const post = frame => {
    const buffer = buffers.pop(), bytes = new Uint8Array(buffer);
    [wasm.foreground(), wasm.background()].forEach(
      (at, i) => bytes.set(memory.subarray(at, at + colorBytes), i * colorBytes));
    port.postMessage({frame, number: current.number, epoch, buffer, milliseconds}, [buffer]);
    milliseconds = 0;
  };
  // Decodes a frame.
  const step = () => {
    if (!current && chunks.has(wanted?.number)) begin(chunks.get(wanted.number));
    isRunning = Boolean(current && buffers.length);
    if (!isRunning) return;
    const from = performance.now(), frame = current.next++;
    wasm.frame();
    milliseconds += performance.now() - from;
    if (frame >= wanted.frame) post(frame);
    if (current.next === current.count) {
      wanted = {number: current.number + 1, frame: 0};
      current = null;
    }
    pause.port2.postMessage(0);     // lets messages in
  };
  pause.port1.onmessage = step;

  const actions = {
    async open({module, columns, rows}) {
      wasm = await instantiate(module);
      wasm.open(columns, rows);
      memory = new Uint8Array(wasm.memory.buffer);
      colorBytes = 4 * columns * rows;
    },
    coverage({bytes}) { memory.set(bytes, wasm.coverage()); },
    // `payload`: bytes, or the whole chunk as the text of a page.
    async load({number, payload}) {
      const bytes = typeof payload === 'string' ? payloadOf(payload) : payload;
      const head = viewOf(bytes), count = head.getUint32(8, true), data = await inflate(bytes.subarray(17));
      chunks.set(number, {number, count, data, width: bytes[16]});
      port.postMessage({loaded: number, pts: timeOf(head, 0), times: new Uint32Array(data.slice(0, 8 * count).buffer)});
    },
    forget({number}) { chunks.delete(number); },
    show({number, frame, epoch: newEpoch}) {
      epoch = newEpoch;
      wanted = {number, frame};
      if (current && (current.number !== number || current.next > frame)) current = null;
    },
    free({buffer}) { buffers.push(buffer); },
  };
  let last = Promise.resolve();     // messages take effect one after the other
  port.onmessage = ({data}) => {
    last = last.then(() => actions[data.action](data)).then(() => { if (!isRunning) step(); })
               .catch(error => port.postMessage({error: error.message}));
  };
  port.postMessage({isReady: true});
};
// Returns a promise of the port to decodeAhead(): in a worker or, where the page may not have one, in the page.
const connectDecoder = () => new Promise(done => {
  const decodeHere = () => {
    const {port1, port2} = new MessageChannel();
    decodeAhead(toolkit(), port2);
    done(port1);
  };
  try {
    const script = `(${decodeAhead})((${toolkit})(), self)`;
    const worker = new Worker(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})));
    worker.onmessage = () => done(worker);
    worker.onerror = decodeHere;
  } catch {
    decodeHere();
  }
});

// ---- The container ----------------------------------------------------------------------------------------
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

// Reads the chunks in the page, each in a <script type=x-cells>, while the page is being loaded.
const readPage = async recording => {
  let scripts = document.getElementsByClassName('cells');
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
    await recording.add(type, isLarge ? head.subarray(ChunkHead) : payloadOf(string),
                        isLarge ? async () => type === 'FRAM' ? script.textContent : payloadOf(script.textContent) : null);
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

// The frames of a recording, decoded ahead of the playhead. A frame's key orders it: number of its chunk, then index.
const keyOf = (number, index) => number * MaxChunkFrames + index;
const chunkOf = key => Math.floor(key / MaxChunkFrames);
class FrameQueue {
  constructor(recording, onError) {
    const {columns, rows} = recording, bytes = 8 * columns * rows;
    Object.assign(this, {recording, onError, chunks: new Map(), loading: new Map(), glyphs: 0, ready: [], next: -1, epoch: 0,
                         ticket: 0, waiting: [], decoded: 0, milliseconds: 0});
    this.port = connectDecoder();
    this.port.then(port => { port.onmessage = ({data}) => this.receive(data); });
    this.post({action: 'open', module: Module, columns, rows});
    for (let i = Math.max(4, Math.min(48, Math.floor(BufferBytes / bytes))); i > 0; --i) this.release({buffer: new ArrayBuffer(bytes)});
  }
  post(message, transfer) { this.port.then(port => port.postMessage(message, transfer)); }
  receive(data) {
    if (data.error) {
      this.error = Error(data.error);
      for (const {fail} of [...this.loading.values()].flat()) fail(this.error);
      this.onError(this.error);
    } else if (data.times) {
      const {recording} = this, times = [];
      for (let i = 0, pts = data.pts; i < data.times.length; i += 2)
        times.push({at: recording.seconds(pts += data.times[i]), duration: data.times[i + 1] * recording.tick});
      for (const {done} of this.loading.get(data.loaded)) done(times);
      this.loading.delete(data.loaded);
    } else if (data.buffer) {
      const {buffer} = data, half = buffer.byteLength / 2, key = keyOf(data.number, data.frame);
      const frame = {key, buffer, foreground: new Uint8Array(buffer, 0, half), background: new Uint8Array(buffer, half)};
      this.milliseconds += data.milliseconds;
      ++this.decoded;
      if (data.epoch !== this.epoch) return this.release(frame);
      this.ready.push(frame);
      this.next = key + 1;
    }
    for (const wake of this.waiting.splice(0)) wake();
  }
  // Gives a frame's memory back to the decoder.
  release({buffer}) { this.post({action: 'free', buffer}, [buffer]); }

  // Loads a chunk. Returns a promise of the times of its frames.
  times(number) {
    if (!this.chunks.has(number)) this.chunks.set(number, this.load(number));
    return this.chunks.get(number);
  }
  async load(number) {
    const {recording, loading} = this, payload = await recording.frames[number].load();
    if (this.glyphs !== recording.coverage.length) {
      this.glyphs = recording.coverage.length;
      this.post({action: 'coverage', bytes: Uint8Array.from(recording.coverage)});
    }
    return new Promise((done, fail) => {
      loading.set(number, [...loading.get(number) ?? [], {done, fail}]);
      this.post({action: 'load', number, payload});
    });
  }
  // Forgets the other chunks.
  keep(from, to) {
    for (const number of this.chunks.keys())
      if ((number < from || number > to) && this.chunks.delete(number)) this.post({action: 'forget', number});
  }

  request(key) {
    this.ready.splice(0).forEach(frame => this.release(frame));
    this.next = key;
    this.post({action: 'show', number: chunkOf(key), frame: key % MaxChunkFrames, epoch: ++this.epoch});
  }
  take(key) {
    const {ready} = this, isComing = (ready[0]?.key ?? this.next) <= key && chunkOf(this.next) >= chunkOf(key);
    let frame = null;
    while (ready.length && ready[0].key <= key) {
      if (frame) this.release(frame);
      frame = ready.shift();
    }
    if (frame?.key !== key && !isComing) this.request(key);
    return frame;
  }
  // Returns the newest decoded frame up to this one, or null. The caller must release() it.
  latest(key) {
    ++this.ticket;
    return this.take(key);
  }
  // Returns a promise of this frame, or of null if another one is wanted before it is decoded.
  async exact(key) {
    const ticket = ++this.ticket;
    for (;;) {
      const frame = this.take(key);
      if (frame?.key === key) return frame;
      if (frame) this.release(frame);
      await new Promise(done => this.waiting.push(done));
      if (this.error) throw this.error;
      if (ticket !== this.ticket) return null;
    }
  }
}

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
    Object.assign(this, {speed: 1, isPaused: true, isSeeking: false, shownAt: -1,
                         clockAt: 0, clockBase: 0, audio: null, counts: {drawn: 0, late: 0, drawing: 0}});
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
    if (recording.frames.length && recording.masks.length && !this.frames) this.begin();
    if (recording.isComplete && this.frames) this.finishLoading();
    this.$('input').max = 1;
  }
  async begin() {
    const {recording, canvas} = this;
    canvas.width = recording.columns * recording.width;
    canvas.height = recording.rows * recording.height;
    this.frames = new FrameQueue(recording, error => this.fail(error));
    this.painter = (this.hasAttribute('data-2d') ? null : GlPainter.make(canvas, recording, this.hasAttribute('data-gl'))) ??
                   new CanvasPainter(canvas, recording, await instantiate(Module));
    canvas.addEventListener('webglcontextlost', event => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => {
      this.painter = GlPainter.make(canvas, recording, true);
      if (this.shown) this.painter.draw(this.shown);
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
    const last = (await this.frames.times(recording.frames.length - 1)).at(-1);
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
  get time() { return this.timeAt(performance.now()); }
  timeAt(moment) {
    if (this.isPaused) return this.clockBase;
    const now = this.clockBase + Math.max(0, moment - this.clockAt) / 1000 * this.speed;
    return Math.min(now, this.recording.duration);
  }
  setTime(seconds) {
    this.hasSeeked = true;
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
    if (!this.shown) return;
    const number = chunkOf(this.shown.key), frame = this.shown.key % MaxChunkFrames + direction;
    const times = await this.frames.times(number);
    let target = times[frame]?.at;
    if (target === undefined) {
      const other = number + direction;
      if (other < 0 || other >= this.recording.frames.length) return;
      const beyond = await this.frames.times(other);
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
    if (!action || !this.frames) return;
    event.preventDefault();
    action();
  }
  wake() {
    this.toggleAttribute('data-awake', true);
    clearTimeout(this.sleep);
    this.sleep = setTimeout(() => { if (!this.isPaused) this.toggleAttribute('data-awake', false); }, 2200);
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
  // Draws the frame that is shown at this time. While playing, a frame that is not decoded yet is drawn later.
  async show(seconds) {
    const {frames, recording} = this, number = this.wanted = this.chunkAt(seconds), times = await frames.times(number);
    if (number !== this.wanted) return;
    frames.keep(number - 1, number + Ahead);
    for (let next = number + 1; next < Math.min(number + Ahead, recording.frames.length); ++next) frames.times(next);
    let index = 0;
    while (index + 1 < times.length && times[index + 1].at <= seconds + 1e-9) ++index;
    const key = keyOf(number, index), last = this.shown;
    if (last?.key === key) return;
    // The clock of the sound may step back a little.
    if (!this.isPaused && !this.hasSeeked && key < last?.key && seconds > this.shownAt - 0.3) return;
    const frame = this.isPaused ? await frames.exact(key) : frames.latest(key);
    if (!frame) return;
    if (!this.isPaused && !this.hasSeeked && chunkOf(frame.key) === chunkOf(last?.key)) this.counts.late += frame.key - last.key - 1;
    this.hasSeeked = false;
    Object.assign(this, {shown: frame, shownAt: seconds});
    const from = performance.now();
    this.painter.draw(frame);
    this.counts.drawing += performance.now() - from;
    ++this.counts.drawn;
    if (last) frames.release(last);
  }
  fail(error) {
    this.ticking = false;
    this.$('p').textContent = error.message;
    if (!this.isPaused) this.pause();
  }
  tick(moment = performance.now()) {
    this.ticking = !this.isPaused;
    if (!this.ticking) return;
    this.followSound();
    const now = this.timeAt(moment), {recording} = this;
    const finish = recording.isComplete && recording.end && now >= recording.end - 1e-6;
    this.show(now).then(() => {
      this.progress();
      if (finish && this.hasAttribute('loop')) { this.setTime(0); this.audio?.play(); }
      else if (finish) this.pause();
      requestAnimationFrame(next => this.tick(next));
    }, error => this.fail(error));
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
    if (!this.frames) return;
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
    const {columns, rows, points} = this.recording, {foreground, background} = this.shown, lines = [];
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
  writeText() { if (this.shown) this.$('pre').textContent = this.characters; }
  // The pixels of the frame, from the top: red, green, blue, 255.
  get pixels() {
    this.painter.draw(this.shown);
    return this.painter.read();
  }
}
customElements.define('glyphreel-player', Player);
})();
