// Part of player.js: reads the chunks of a recording, and decodes its frames ahead of the playhead in a worker.
const Signature = 8, TailBytes = 20;
const MaxChunkFrames = 1024;
const Ahead = 2;                    // chunks that are loaded in advance
const BufferBytes = 4 << 20;        // of the frames that are decoded in advance
const Module = `@module.wasm.base64@`;          // decoder.c and painter.c as WebAssembly: compressed, in base64
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
