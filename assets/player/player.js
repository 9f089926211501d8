// <glyphreel-player>: plays a recording in the .cells format (docs/cells-format.md). Attributes: src (a .cells
// file; without it, the <script type=x-cells> elements of the page), autoplay, loop. Keys as in mpv. The build replaces the
// names between @ with the contents of these files.
(() => {
'use strict';
@recording.js@
@painters.js@
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
    // A click that ends a selection leaves the picture paused.
    const selected = () => (this.shadowRoot.getSelection?.() ?? getSelection()).toString();
    on('pre', 'click', () => selected() || this.toggle());
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
