// ---- one map: points on a canvas in the plane, on a line or in space

const kNamedObjects = 150; // names are shown from the start on maps of up to so many
const kShortName = 16;     // letters of a name that is put in one line; longer ones may take two
const kLeaders = 4;        // steps away from a point at which its name may stand, at the end of a line
const kMaxNames = 3000;    // no names beside the points, and no ellipses, of maps with more
const kQuantile = -2 * Math.log(0.05); // of chi squared with two degrees of freedom, for 95 %
const kOutlinePoints = 40; // of an ellipse
const kCoverage = 3;       // times that ellipses cover the middle of a map before they are drawn fainter
const kReach = 24;         // pixels from the pointer to the object that is meant
const kSpaceScale = 0.46;  // of the shorter side to the radius of a map in space
const kEye = 5;            // distance of the eye from a map in space, in its radii
const kStamped = 2500;     // points of maps with more are stamped into a raster
const kKeptMaps = 40;      // stay drawn though they have left the screen
const kBorder = 12;        // pixels from the border to an object that is drawn there
const kDrag = 4;           // pixels: less is a click
const kPictureSide = 36;   // pixels of the longer side of a picture on a map
const kLinkAlpha = 0.5;    // of lines from an object to those of its violated triplets

const mean = (v) => {
  let sum = 0, count = 0;
  for (const value of v) if (value === value) { sum += value; ++count; }
  return count ? sum / count : 0;
};

const times = (a, b) => a.map((row) => b[0].map((_, c) => row.reduce((sum, v, k) => sum + v * b[k][c], 0)));
// The columns turned by a matrix, a list by rows, about their means.
function turned(columns, turn) {
  const d = columns.length, means = columns.map(mean);
  return columns.map((column, r) => column.map((_, i) => columns.reduce((sum, v, c) => sum + turn[d * r + c] * (v[i] - means[c]), 0)));
}

// The picture of an object, as an element; null where it has none.
const picture = (objects, i, style) => (objects.pictures?.[i] ? el("img", { class: style, src: objects.pictures[i], alt: "" }) : null);
// The same to draw with; `done` is called when it has been read.
function loaded(objects, i, done) {
  if (!objects.pictures?.[i]) return null;
  objects.images ??= new Map();
  let image = objects.images.get(i);
  if (!image) {
    image = new Image();
    image.addEventListener("load", done);
    image.src = objects.pictures[i];
    objects.images.set(i, image);
  }
  return image;
}

class MapView {
  constructor(group, view) {
    this.group = group;
    this.view = view;
    this.run = page.runs[view.run];
    this.objects = page.objects[view.objects];
    this.count = this.objects.names.length;
    this.canvas = el("canvas", { class: "canvas" });
    this.tip = el("div", { class: "tip", hidden: true });
    this.title = page.single ? (view.aspect || "The map") : this.run.method + (view.aspect ? ` · ${view.aspect}` : "");
    this.plot = el("div", { class: "plot", tabindex: 0, role: "application", "aria-roledescription": "map",
      "aria-label": `${this.title}: map of ${counted(this.count, "object")}. Arrow keys go from object to object, Enter pins one.` }, this.canvas, this.tip);
    const error = this.run.heldout_error ?? this.run.train_error;
    const kind = finite(this.run.heldout_error) ? "held-out" : "training";
    const kept = this.run.trustworthiness ?? null;
    const rate = (value) => String(+value.toFixed(3));
    const own = view.own_error ?? null;
    const interval = kind === "held-out" && finite(this.run.heldout_low) ? ` (95 % interval ${rate(this.run.heldout_low)} to ${rate(this.run.heldout_high)})` : "";
    const quality = own !== null ? `held-out error of this aspect ${rate(own[0])} (95 % interval ${rate(own[1])} to ${rate(own[2])})`
      : finite(error) ? `${kind} error${view.aspect ? " of all aspects" : ""} ${rate(error)}${interval}` : kept !== null ? `trustworthiness ${short(kept)}` : "";
    this.heading = el("span", { dir: "auto" }, ...breakable(cut(named(this.title), 120)));
    this.node = el("figure", { class: "map" }, el("figcaption", {}, this.heading,
      el("span", { class: "tools" }, el("button", { type: "button", class: "tool", title: "Show the whole map", "aria-label": `Reset ${this.title}`, onclick: () => this.reset() }, "Reset"),
        ...saveButtons(() => this.title, () => fileName([this.run.dataset, this.title]), () => this.source())), el("small", {}, quality, this.run.warnings.length > 0 && !page.single ? el("b", { class: "warn" }, `${quality ? " · " : ""}${this.run.warnings.join(", ")}`) : null)), this.plot);
    this.apart = new Set(view.apart);
    this.violated = typeof view.violated === "string" ? new Map(view.violated.split(";").slice(1).map((line) => line.split(" ").map(Number)).map(([object, ...rest]) => [object, rest])) : null;
    this.uncertain = new Set(view.uncertain);
    this.node.mapView = this;
    this.rings = new Map();
    this.current = -1;
    this.zoom = 1;
    this.shift = [0, 0];
    this.drawn = false;
    this.listen();
    drawers.set(this.node, this);
    watcher.observe(this.node);
    this.resizes = new ResizeObserver(() => { if (this.drawn) this.resize(); });
  }
  get space() { return this.group.space && this.view.dimensions > 2; }
  get line() { return this.view.dimensions === 1; }

  // ---- its life on the page

  enter() {
    if (this.drawn) return;
    this.drawn = true;
    this.place();
    this.resizes.observe(this.plot);
    this.resize();
    this.takeWanted();
  }
  // Pictures far from the screen are given back once there are many.
  leave() {
    if (!this.drawn || links.drawn() <= kKeptMaps) return;
    this.free();
  }
  free() {
    this.drawn = false;
    this.resizes.disconnect();
    this.canvas.width = this.canvas.height = 0;
    this.sprites = this.raster = null;
  }
  remove() {
    watcher.unobserve(this.node);
    if (this.drawn) this.free();
    this.node.remove();
  }
  resize() {
    if (this.plot.clientWidth === 0 || this.plot.clientHeight === 0) return; // of a page that is not shown
    this.width = this.plot.clientWidth;
    this.height = this.plot.clientHeight;
    this.dots = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.width * this.dots);
    this.canvas.height = Math.round(this.height * this.dots);
    this.sprites = new Map();
    this.raster = null;
    this.paint();
  }
  // Zoom and place as the address has them, in parts of the width.
  seen() { return this.zoom === 1 && this.shift.every((v) => v === 0) ? null : [this.zoom, ...this.shift.map((v) => v / this.width)].map((v) => +v.toFixed(3)); }
  takeWanted() {
    if (!this.wanted || !this.width) return;
    const [zoom, ...shift] = this.wanted;
    this.wanted = null;
    this.zoom = Math.min(Math.max(zoom, 0.25), 200);
    this.shift = shift.map((v) => v * this.width);
    this.paint();
  }
  reset() {
    this.zoom = 1;
    this.shift = [0, 0];
    this.group.keepZoom();
    if (this.space) this.group.turnTo(kFirstTurn);
    else this.paint();
  }
  // After another choice of axes, colours, sizes.
  redraw() {
    if (!this.drawn) return;
    this.place();
    this.sprites = new Map();
    this.paint();
  }
  soon() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; if (this.drawn) this.paint(); });
  }

  // ---- where objects are

  column(c) { return floats(this.view.coordinates).subarray(c * this.count, (c + 1) * this.count); }
  // Coordinates to show: two or three chosen axes, or a line with the objects spread by rank, turned onto the
  // first map of its objects.
  place() {
    const n = this.count;
    const d = this.view.dimensions;
    this.turn = [1, 0, 0, 1];
    this.node.classList.toggle("space", this.space);
    if (this.line) {
      const x = this.column(0);
      const order = [...x.keys()].sort((a, b) => x[a] - x[b]);
      const y = new Float32Array(n);
      order.forEach((object, rank) => { y[object] = rank; });
      this.data = [x, y];
    } else {
      this.data = this.space ? [0, 1, 2].map((c) => this.column(c)) : this.group.axes.map((c) => this.column(Math.min(c, d - 1)));
      if (this.group.align && this.view.turn && (this.space || d === 2)) {
        this.turn = floats(this.view.turn);
        this.data = turned(Array.from({ length: d }, (_, c) => this.column(c)), this.turn);
      }
    }
    this.nameOrder = null;
    this.outlines = this.group.ellipses && this.view.covariances && !this.space && n <= kMaxNames ? this.ellipses() : [];
    this.fit();
  }
  fit() {
    const span = (v) => {
      let low = Infinity, high = -Infinity;
      v.forEach((value, i) => { if (value === value && !this.apart.has(i)) { low = Math.min(low, value); high = Math.max(high, value); } });
      return low > high ? [-1, 1] : [low, high];
    };
    const spans = this.data.map(span);
    // Widened by what ellipses need, up to half the spread of the places on each side.
    const most = spans.map(([low, high]) => [low - (high - low) / 2, high + (high - low) / 2]);
    for (const outline of this.outlines)
      if (!this.apart.has(outline.object))
        [outline.x, outline.y].forEach((values, k) => values.forEach((v) => {
          spans[k][0] = Math.min(spans[k][0], Math.max(v, most[k][0]));
          spans[k][1] = Math.max(spans[k][1], Math.min(v, most[k][1]));
        }));
    this.bounds = spans.map(([low, high]) => {
      const pad = (high - low) * 0.06 || Math.abs(low) * 0.05 || 1;
      return [low - pad, high + pad];
    });
    // How often the ellipses cover the part of the map in which half of its objects lie.
    const inner = this.data.slice(0, 2).map((v) => { const sorted = [...v].filter((x) => x === x).sort((a, b) => a - b); return (sorted[Math.floor(0.85 * sorted.length)] ?? 0) - (sorted[Math.floor(0.15 * sorted.length)] ?? 0); });
    this.coverage = this.outlines.filter(({ object }) => !this.uncertain.has(object)).reduce((sum, { area }) => sum + Math.min(area, inner[0] * inner[1]), 0) / (inner[0] * inner[1] || 1);
    this.middle = this.bounds.map(([low, high]) => (low + high) / 2);
    if (this.space) this.radius = Math.hypot(...this.bounds.map(([low, high]) => (high - low) / 2)) || 1; // to the corners
  }
  // The ellipse that holds 95 % of a normal distribution with the object's covariance, turned as the map is.
  ellipses() {
    const all = floats(this.view.covariances);
    const n = this.count;
    const [a, b, c, d] = this.turn;
    const out = [];
    for (let i = 0; i < n; ++i) {
      const [xx, xy, yy] = [all[i], all[n + i], all[2 * n + i]];
      if (!(xx === xx && xy === xy && yy === yy && this.data[0][i] === this.data[0][i])) continue;
      const [u, v, w] = [a * a * xx + 2 * a * b * xy + b * b * yy, a * c * xx + (a * d + b * c) * xy + b * d * yy, c * c * xx + 2 * c * d * xy + d * d * yy];
      const p = Math.sqrt(kQuantile * Math.max(u, 0));
      const q = p > 0 ? kQuantile * v / p : 0;
      const r = Math.sqrt(Math.max(kQuantile * w - q * q, 0));
      const outline = { object: i, x: [], y: [], area: Math.PI * p * r };
      for (let k = 0; k <= kOutlinePoints; ++k) {
        const angle = 2 * Math.PI * k / kOutlinePoints;
        outline.x.push(this.data[0][i] + p * Math.cos(angle));
        outline.y.push(this.data[1][i] + q * Math.cos(angle) + r * Math.sin(angle));
      }
      out.push(outline);
    }
    return out;
  }
  // Pixels of all objects in a picture of this size, and in space their depth: 1 before, -1 behind.
  project(width, height) {
    const n = this.count;
    const px = new Float32Array(n), py = new Float32Array(n);
    let depth = null;
    this.scales = [1, 1];
    if (this.space) {
      depth = new Float32Array(n);
      const scale = kSpaceScale * Math.min(width, height) * this.zoom;
      const m = this.group.turn;
      const [x, y, z] = this.data;
      for (let i = 0; i < n; ++i) {
        let [a, b, c] = [(x[i] - this.middle[0]) / this.radius, (y[i] - this.middle[1]) / this.radius, (z[i] - this.middle[2]) / this.radius];
        const far = this.apart.has(i) ? Math.max(Math.hypot(a, b, c), 1) : 1; // no farther than the corners
        [a, b, c] = [a / far, b / far, c / far];
        const w = m[2][0] * a + m[2][1] * b + m[2][2] * c;
        const near = kEye / (kEye - w);
        px[i] = width / 2 + this.shift[0] + scale * near * (m[0][0] * a + m[0][1] * b + m[0][2] * c);
        py[i] = height / 2 + this.shift[1] - scale * near * (m[1][0] * a + m[1][1] * b + m[1][2] * c);
        depth[i] = w;
      }
    } else {
      const [w, h] = [width - 16, height - (this.line || this.framed ? 34 : 16)];
      const spans = this.bounds.map(([low, high]) => high - low);
      let [sx, sy] = [w / spans[0] * this.zoom, h / spans[1] * this.zoom];
      if (!this.line) sx = sy = Math.min(sx, sy);
      const [ox, oy] = [8 + w / 2 + this.shift[0], 8 + h / 2 + this.shift[1]];
      this.scales = [sx, sy];
      this.origin = [ox, oy];
      const [x, y] = this.data;
      for (let i = 0; i < n; ++i) {
        px[i] = ox + sx * (x[i] - this.middle[0]);
        py[i] = oy - sy * (y[i] - this.middle[1]);
      }
    }
    for (const i of this.apart) [px[i], py[i]] = this.inside(px[i], py[i], width, height);
    return { px, py, depth };
  }
  // An object that lies apart is drawn at the border, in its direction, where it would be outside the picture.
  inside(x, y, width, height) {
    const [a, b] = [x - width / 2, y - height / 2];
    const beyond = Math.max(Math.abs(a) / (width / 2 - kBorder), Math.abs(b) / (height / 2 - kBorder));
    return beyond > 1 ? [width / 2 + a / beyond, height / 2 + b / beyond] : [x, y];
  }
  get opacity() { return this.count > 2000 ? 0.7 : 0.92; }
  get framed() { return !this.space && this.view.dimensions > 2; }

  // ---- drawing

  size() {
    const n = this.count;
    return n > 5000 ? 2 : n > 1000 ? 2.6 : n > 200 ? 3.6 : page.single ? 5.2 : 4.3;
  }
  // Half the width of every object's mark, in steps that few pictures of marks suffice for.
  radii() {
    const n = this.count;
    const base = this.size();
    const out = new Float32Array(n).fill(base);
    const spread = this.group.sized ? this.group.spreads(this.view) : null;
    if (!spread) return out;
    const sorted = [...spread].filter((v) => v === v).sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)] || 1;
    for (let i = 0; i < n; ++i) {
      const factor = spread[i] === spread[i] ? Math.min(Math.max(Math.sqrt(spread[i] / middle), 0.5), 2.6) : 0.5;
      out[i] = Math.round(2 * 1.15 * base * factor) / 2;
    }
    return out;
  }
  // The picture of a mark: radius in half pixels, alpha in 64ths.
  sprite(look, radius, alpha) {
    const half = Math.ceil((0.65 * radius + 1.5) * this.dots);
    const canvas = el("canvas", { width: 2 * half, height: 2 * half });
    const context = canvas.getContext("2d");
    context.translate(half, half);
    context.scale(this.dots, this.dots);
    new CanvasPen(context).shape(look.symbol, 0, 0, radius / 2, this.look(look, alpha / 64));
    return { canvas, half };
  }
  look({ fill, hollow }, alpha) {
    const card = css("--card");
    if (hollow) return { stroke: fill, width: 1.2, alpha };
    return { fill, alpha, ...(this.count > 2000 ? {} : { stroke: card, width: 0.8 }) };
  }
  paint() {
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(this.dots, 0, 0, this.dots, 0, 0);
    const opacity = Math.round(64 * this.opacity);
    const { sprites, dots, width, height } = this;
    this.draw(new CanvasPen(context), width, height, ({ px, py, depth, style, radii, order }) => {
      this.px = px;
      this.py = py;
      const raster = this.count > kStamped ? this.raster ??= new Raster(this.canvas.width, this.canvas.height) : null;
      raster?.clear();
      context.setTransform(1, 0, 0, 1, 0, 0);
      for (const i of order) {
        const x = px[i], y = py[i];
        if (!(x > -9 && y > -9 && x < width + 9 && y < height + 9)) continue;
        const code = style.codes ? style.codes[i] : 0;
        const near = depth ? Math.max(Math.round(2 * radii[i] * (1 + 0.28 * depth[i])), 1) : Math.round(2 * radii[i]);
        const alpha = style.dim(i) ? 8 : depth ? Math.round(opacity * (0.72 + 0.14 * Math.round(2 * depth[i]))) : opacity;
        const key = (code * 64 + near) * 128 + alpha;
        let made = sprites.get(key);
        if (!made) {
          made = this.sprite(style.looks[code], near, alpha);
          if (raster) made = Raster.stampOf(made);
          sprites.set(key, made);
        }
        if (raster) raster.stamp(made, Math.round(x * dots), Math.round(y * dots));
        else context.drawImage(made.canvas, Math.round(x * dots) - made.half, Math.round(y * dots) - made.half);
      }
      raster?.onto(context);
      context.setTransform(dots, 0, 0, dots, 0, 0);
      if (this.group.pictures) this.paintPictures(context, px, py, order);
    });
    this.placeRings();
  }
  // The whole map, but that `marks` draws the objects. Returns where they are.
  draw(pen, width, height, marks) {
    const style = this.group.styleOf(this.view);
    const { px, py, depth } = this.project(width, height);
    this.furniture(pen, width, height);
    this.paintOutlines(pen);
    this.paintViolated(pen, px, py);
    marks({ px, py, depth, style, radii: this.radii(), order: this.order(depth, style) });
    this.paintApart(pen, px, py);
    this.paintNames(pen, px, py, width, height);
    return { px, py };
  }
  // Small pictures in place of the marks.
  paintPictures(context, px, py, order) {
    for (const i of order) {
      const image = loaded(this.objects, i, () => this.soon());
      if (!image?.naturalWidth || !(px[i] === px[i])) continue;
      const scale = kPictureSide / Math.max(image.naturalWidth, image.naturalHeight);
      const [w, h] = [image.naturalWidth * scale, image.naturalHeight * scale];
      context.drawImage(image, px[i] - w / 2, py[i] - h / 2, w, h);
    }
  }
  // A ring about each object that lies apart or that the answers do not place.
  paintApart(pen, px, py) {
    for (const i of new Set([...this.apart, ...this.uncertain])) if (px[i] === px[i]) pen.shape(0, px[i], py[i], this.size() + 4, { stroke: css("--warn-ink"), width: 1.4 });
  }
  // Those in the background of an emphasis first, and in space from behind to the front.
  order(depth, style) {
    const n = this.count;
    const out = new Uint32Array(n);
    const slot = depth ? (i) => Math.min(Math.max(Math.floor((depth[i] + 1) * 256), 0), 511) : (i) => (style.dim(i) ? 0 : 1);
    const starts = new Uint32Array(513);
    for (let i = 0; i < n; ++i) ++starts[slot(i) + 1];
    for (let k = 0; k < 512; ++k) starts[k + 1] += starts[k];
    for (let i = 0; i < n; ++i) out[starts[slot(i)]++] = i;
    return out;
  }
  pixels(outline) {
    return [outline.x.map((x) => this.origin[0] + this.scales[0] * (x - this.middle[0])), outline.y.map((y) => this.origin[1] - this.scales[1] * (y - this.middle[1]))];
  }
  paintOutlines(pen) {
    const style = this.group.styleOf(this.view);
    // Where many lie over each other they are drawn fainter, so that points and names stay to be read.
    const faint = Math.min(1, kCoverage / Math.max(this.coverage, 1e-9));
    for (const outline of this.outlines) {
      if (style.dim(outline.object) || this.uncertain.has(outline.object)) continue;
      const [xs, ys] = this.pixels(outline);
      const { fill } = style.looks[style.codes ? style.codes[outline.object] : 0];
      pen.polygon(xs, ys, { fill, fillAlpha: 0.16 * faint, stroke: fill, width: 0.9, alpha: Math.max(0.75 * Math.sqrt(faint), 0.3) });
    }
    // Those of the objects that are pinned or pointed at stand out.
    const marked = [...this.group.pinned, ...(links.pointed ? [links.pointed] : [])].map((mark) => this.index(mark));
    for (const outline of this.outlines) if (marked.includes(outline.object))
      pen.polygon(...this.pixels(outline), { stroke: css("--ink"), width: 1.6 });
  }
  // The triplets with object i as anchor that the map violates: of how many, and those that the page lists.
  violations(i) {
    if (!this.violated) return null;
    const [violated, triplets, ...listed] = this.violated.get(i) ?? [0, 0];
    const out = { violated, triplets, listed: [] };
    for (let k = 0; k < listed.length; k += 3) out.listed.push({ near: listed[k], far: listed[k + 1], times: listed[k + 2] });
    return out;
  }
  // Lines from the object pinned last to those that should be nearer, whole, and to those that should be farther, dashed.
  paintViolated(pen, px, py) {
    const mark = this.group.pinned.at(-1);
    const i = mark ? this.index(mark) : -1;
    if (i < 0 || !this.violated) return;
    const { listed } = this.violations(i);
    const one = this.group.traced !== null ? listed[this.group.traced] : null; // that the pointer is on in the list
    const line = (j, style) => { if (px[j] === px[j]) pen.polygon([px[i], px[j]], [py[i], py[j]], { stroke: css("--warn-ink"), ...style }); };
    const alpha = one ? 0.12 : kLinkAlpha;
    for (const j of new Set(listed.map(({ far }) => far))) line(j, { width: 1, alpha, dashes: [2, 4] });
    for (const j of new Set(listed.map(({ near }) => near))) line(j, { width: 1.2, alpha });
    if (!one) return;
    line(one.far, { width: 1.6, dashes: [4, 4] });
    line(one.near, { width: 2.2 });
  }
  // What shows the axes: a cube in space, names on two of many, ticks under a line.
  furniture(pen, width, height) {
    const soft = css("--soft"), line = css("--line");
    const labels = { size: 11, fill: soft };
    if (this.space) {
      const scale = kSpaceScale * Math.min(width, height) * this.zoom;
      const m = this.group.turn;
      const at = (a, b, c) => {
        const near = kEye / (kEye - (m[2][0] * a + m[2][1] * b + m[2][2] * c));
        return [width / 2 + this.shift[0] + scale * near * (m[0][0] * a + m[0][1] * b + m[0][2] * c),
          height / 2 + this.shift[1] - scale * near * (m[1][0] * a + m[1][1] * b + m[1][2] * c)];
      };
      const half = this.bounds.map(([low, high]) => (high - low) / 2 / this.radius);
      const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((c) => (k >> c & 1 ? half[c] : -half[c])));
      for (let k = 0; k < 8; ++k) for (let c = 0; c < 3; ++c) if (!(k >> c & 1)) {
        const [p, q] = [at(...corners[k]), at(...corners[k | 1 << c])];
        pen.polygon([p[0], q[0]], [p[1], q[1]], { stroke: line, width: 1 });
      }
      for (let c = 0; c < 3; ++c) {
        const end = corners[0].map((v, k) => (k === c ? 1.12 * half[c] : v));
        const [x, y] = at(...end);
        pen.text(`x${c + 1}`, x, y, { ...labels, anchor: "middle" });
      }
    } else if (this.framed) {
      pen.text(`x${this.group.axes[0] + 1} →`, width / 2, height - 9, { ...labels, anchor: "middle" });
      pen.text(`x${this.group.axes[1] + 1} ↑`, 8, 12, labels);
    } else if (this.line) {
      const [low, high] = [(8 - this.origin[0]) / this.scales[0] + this.middle[0], (width - 8 - this.origin[0]) / this.scales[0] + this.middle[0]];
      const rough = (high - low) / 5;
      const power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
      for (let k = Math.ceil(low / step); k * step <= high; ++k) {
        const x = this.origin[0] + this.scales[0] * (k * step - this.middle[0]);
        pen.polygon([x, x], [8, height - 22], { stroke: css("--grid"), width: 1 });
        pen.text(short(+(k * step).toPrecision(6)), x, height - 11, { ...labels, anchor: "middle" });
      }
    }
  }
  // Names beside their points, as many as fit without covering each other or other points: objects far from all named
  // before come first, so that the middle of a map has names too. A long name takes two lines, or is cut. On small maps
  // a name without room stands near its point, at the end of a line.
  paintNames(pen, px, py, width, height) {
    this.named = 0;
    const small = this.count <= kNamedObjects;
    if (!this.group.names || this.count > kMaxNames || (this.moving && !small)) return;
    const measure = MapView.measure ??= document.createElement("canvas").getContext("2d");
    measure.font = `11px ${css("--sans")}`;
    const style = this.group.styleOf(this.view);
    const ink = css("--ink");
    const taken = [];
    const radius = this.size() + 1;
    const around = (i) => (this.group.pictures && this.objects.pictures?.[i] ? kPictureSide / 2 : radius);
    for (let i = 0; i < this.count; ++i) if (px[i] === px[i]) taken.push([px[i] - around(i), py[i] - around(i), px[i] + around(i), py[i] + around(i)]);
    const free = (box) => box[0] >= 2 && box[1] >= 2 && box[2] <= width - 2 && box[3] <= height - 2 &&
      !taken.some((other) => other[0] < box[2] && other[2] > box[0] && other[1] < box[3] && other[3] > box[1]);
    const shapes = (i) => shapesOf(this.objects.names[i], small).map((lines) => ({ lines, w: Math.max(...lines.map((line) => measure.measureText(line).width)), h: 6.5 * lines.length + 0.5 }));
    const draw = ({ lines, w, h }, [anchor, left, top]) => {
      taken.push([left - 2, top, left + w + 2, top + 2 * h]);
      const x = anchor === "start" ? left : anchor === "end" ? left + w : left + w / 2;
      lines.forEach((line, k) => pen.text(line, x, top + h + 13 * (k - (lines.length - 1) / 2), { anchor, fill: ink }));
      ++this.named;
    };
    const fits = ({ w, h }, [, left, top]) => free([left, top, left + w, top + 2 * h]);
    this.nameOrder ??= spreadOut(this.data);
    const left = [];
    for (const i of this.nameOrder) {
      if (!(px[i] === px[i]) || style.dim(i) || this.objects.names[i].trim() === "") continue;
      const [x, y] = [px[i], py[i]];
      const gap = around(i) + 2;
      const beside = ({ w, h }) => [["start", x + gap, y - h], ["end", x - gap - w, y - h], ["middle", x - w / 2, y - gap - 2 * h], ["middle", x - w / 2, y + gap],
        ...(small ? [["start", x + 0.6 * gap, y - gap - 2 * h + 4], ["end", x - 0.6 * gap - w, y - gap - 2 * h + 4], ["start", x + 0.6 * gap, y + gap - 4], ["end", x - 0.6 * gap - w, y + gap - 4]] : [])];
      let found = false;
      for (const shape of shapes(i)) {
        const place = beside(shape).find((p) => fits(shape, p));
        if (!place) continue;
        draw(shape, place);
        found = true;
        break;
      }
      if (!found) left.push(i);
    }
    if (!small || this.moving) return;
    for (const i of left) {
      const [x, y] = [px[i], py[i]];
      const shape = shapes(i).at(-1);
      search: for (let step = 1; step <= kLeaders; ++step) for (let k = 0; k < 16; ++k) {
        const [c, s] = [Math.cos(k * Math.PI / 8), Math.sin(k * Math.PI / 8)];
        const away = around(i) + 2 + 9 * step;
        const [ax, ay] = [x + away * c, y + away * s];
        const anchor = Math.abs(c) < 0.3 ? "middle" : c > 0 ? "start" : "end";
        const place = [anchor, anchor === "start" ? ax : anchor === "end" ? ax - shape.w : ax - shape.w / 2, Math.abs(c) >= 0.3 ? ay - shape.h : s > 0 ? ay : ay - 2 * shape.h];
        if (!fits(shape, place)) continue;
        pen.polygon([x + radius * c, ax], [y + radius * s, ay], { stroke: css("--faint"), width: 0.7 });
        draw(shape, place);
        break search;
      }
    }
  }
  // The map as a drawing of its own, with its title and the legend of its colours.
  source() {
    if (!this.data) this.place();
    const side = 720, head = 34;
    const style = this.group.styleOf(this.view);
    const foot = style.numeric ? 40 : style.legend.length === 0 ? 8 : 14 + 20 * Math.ceil(style.legend.length / 4);
    const [width, height] = [side, side + head + foot];
    const pen = new SvgPen(width, height);
    const soft = css("--soft");
    pen.rectangle(0, 0, width, height, css("--card"));
    pen.text(cut(`${this.run.dataset} · ${this.title}`, 80), 14, 20, { size: 14, fill: css("--ink"), weight: 600 });
    pen.parts.push(`<g transform="translate(0 ${head})">`);
    const shift = this.shift;
    this.shift = shift.map((v, k) => v * side / (k === 0 ? this.width || side : this.height || side));
    const { px, py } = this.draw(pen, side, side, ({ px, py, depth, radii, order }) => {
      for (const i of order) {
        if (!(px[i] >= 0 && py[i] >= 0 && px[i] <= side && py[i] <= side)) continue;
        const look = style.looks[style.codes ? style.codes[i] : 0];
        pen.shape(look.symbol, px[i], py[i], 1.15 * radii[i] * (depth ? 1 + 0.28 * depth[i] : 1), this.look(look, style.dim(i) ? 0.12 : this.opacity));
      }
    });
    for (const i of this.group.pinned.map((mark) => this.index(mark)).filter((i) => i >= 0 && px[i] === px[i])) {
      pen.shape(0, px[i], py[i], 9, { stroke: css("--ink"), width: 2 });
      if (!this.group.names) pen.text(cut(named(this.objects.names[i]), 40), px[i] + 12, py[i] - 10, { size: 12, fill: css("--ink"), weight: 600 });
    }
    this.shift = shift;
    pen.parts.push("</g>");
    if (style.numeric) {
      page.ramp.forEach((fill, k) => pen.rectangle(14 + 4 * k, side + head + 8, 4.2, 10, fill));
      pen.text(`${short(style.range[0])} to ${short(style.range[1])}: ${cut(style.name, 40)}`, 14, side + head + 29, { fill: soft });
    } else style.legend.forEach((name, k) => {
      const [x, y] = [20 + 175 * (k % 4), side + head + 16 + 20 * Math.floor(k / 4)];
      pen.shape(symbol(k), x, y, 4.8, { fill: colour(k) });
      pen.text(cut(named(name), 24), x + 12, y, { size: 12, fill: soft });
    });
    if (this.drawn) this.paint();
    return { width, height, text: pen.finished() };
  }

  // ---- pointing at objects

  // The object of the least cost below `most`, by its pixels; -1 if there is none.
  cheapest(cost, most = Infinity) {
    const { px, py, count } = this;
    let best = -1, least = most;
    for (let i = 0; i < count; ++i) {
      const found = cost(px[i], py[i], i);
      if (found < least) { least = found; best = i; }
    }
    return best;
  }
  // The nearest object to a pixel within reach.
  nearest(x, y) { return this.cheapest((a, b) => (a - x) * (a - x) + (b - y) * (b - y), kReach * kReach); }
  // The object that lies next in a direction of the screen: near, and not much to the side.
  toward(from, dx, dy) {
    return this.cheapest((x, y, i) => {
      const [a, b] = [x - this.px[from], y - this.py[from]];
      const along = a * dx + b * dy;
      return i === from || !(along > 0.5) ? Infinity : along + 2.5 * Math.abs(a * dy - b * dx);
    });
  }
  centre() { return this.cheapest((x, y) => Math.hypot(x - this.width / 2, y - this.height / 2)); }
  listen() {
    const at = (event) => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    let held = null;
    const fingers = new Map(); // pointers that touch the map -> where
    // Two fingers: what lies under them goes with them, moved and magnified; the page stays.
    const span = () => {
      const [[a, b], [c, d]] = fingers.values();
      return { middle: [(a + c) / 2, (b + d) / 2], apart: Math.max(Math.hypot(a - c, b - d), 1) };
    };
    this.plot.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") {
        fingers.set(event.pointerId, at(event));
        if (fingers.size > 1) { held = null; return this.point(-1); }
      }
      if (event.button !== 0 || event.target.closest(".ring")) return;
      held = { from: at(event), last: at(event), moved: false };
      if (event.pointerType !== "touch") this.plot.setPointerCapture(event.pointerId);
    });
    this.plot.addEventListener("pointermove", (event) => {
      if (!this.drawn) return;
      const [x, y] = at(event);
      if (fingers.size === 2 && fingers.has(event.pointerId)) {
        const before = span();
        fingers.set(event.pointerId, [x, y]);
        const now = span();
        this.stir();
        this.shift = this.shift.map((v, k) => v + now.middle[k] - before.middle[k]);
        return this.magnify(now.apart / before.apart, now.middle);
      }
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
      if (!held) return event.pointerType === "touch" ? undefined : this.point(this.nearest(x, y));
      if (!held.moved && Math.hypot(x - held.from[0], y - held.from[1]) < kDrag) return;
      held.moved = true;
      const [dx, dy] = [x - held.last[0], y - held.last[1]];
      held.last = [x, y];
      if (this.current >= 0) this.point(-1);
      this.stir();
      if (this.space && !event.shiftKey) this.group.turnBy(0.008 * dx, 0.008 * dy);
      else { this.shift = [this.shift[0] + dx, this.shift[1] + dy]; this.soon(); }
    });
    const let_go = (event) => {
      fingers.delete(event.pointerId);
      if (held && !held.moved && event.type === "pointerup" && this.drawn) {
        const i = this.nearest(...at(event));
        if (i >= 0) this.group.pin(this.mark(i));
      }
      // One finger left of two goes on moving the map, and pins nothing.
      const [left] = fingers.values();
      held = left ? { from: left, last: left, moved: true } : null;
    };
    this.plot.addEventListener("pointerup", let_go);
    this.plot.addEventListener("pointercancel", let_go);
    this.plot.addEventListener("pointerleave", () => { if (!held && document.activeElement !== this.plot) this.point(-1); });
    this.plot.addEventListener("dblclick", (event) => { if (this.nearest(...at(event)) < 0) this.magnify(event.shiftKey ? 0.5 : 2, at(event)); });
    // The wheel scrolls the page, but over a map that has been clicked into or with Ctrl held.
    this.plot.addEventListener("wheel", (event) => {
      if (!this.drawn || !(event.ctrlKey || event.metaKey || document.activeElement === this.plot)) return;
      event.preventDefault();
      this.stir();
      this.magnify(Math.exp(-0.0016 * event.deltaY * (event.deltaMode === 1 ? 16 : 1)), at(event));
    }, { passive: false });
    this.plot.addEventListener("keydown", (event) => this.key(event));
    this.plot.addEventListener("blur", () => this.point(-1));
  }
  // While a map moves, names that take long to place are left out.
  stir() {
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => { this.moving = false; this.soon(); this.group.keepZoom(); }, 160);
  }
  magnify(factor, [x, y] = [this.width / 2, this.height / 2]) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.25), 200);
    const by = zoom / this.zoom;
    const [ox, oy] = [this.width / 2, this.height / 2];
    this.shift = [(this.shift[0] + ox - x) * by + x - ox, (this.shift[1] + oy - y) * by + y - oy];
    this.zoom = zoom;
    this.stir();
    this.soon();
  }
  key(event) {
    if (!this.drawn || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      // In space the arrows turn, and with Shift they go from object to object; elsewhere the reverse.
      if (this.space && !event.shiftKey) this.group.turnBy(0.1 * step[0], 0.1 * step[1]);
      else if (!this.space && event.shiftKey) { this.shift = [this.shift[0] - 40 * step[0], this.shift[1] - 40 * step[1]]; this.stir(); this.soon(); }
      else {
        const next = this.current < 0 ? this.centre() : this.toward(this.current, ...step);
        if (next >= 0) { this.point(next); say(this.words(next).join(", ")); }
      }
    } else if (event.key === "+" || event.key === "=") this.magnify(1.25);
    else if (event.key === "-") this.magnify(0.8);
    else if (event.key === "0") this.reset();
    else if ((event.key === "Enter" || event.key === " ") && this.current >= 0) this.group.pin(this.mark(this.current));
    else if (event.key === "Escape") { this.point(-1); this.group.unpinAll(); }
    else return;
    event.preventDefault();
  }
  // Name, labels and figures of an object.
  words(i) {
    const out = [cut(named(this.objects.names[i]), 300)];
    for (const column of this.objects.columns) {
      const text = column.values ? (column.values[i] === column.values[i] ? short(column.values[i]) : "") : column.codes[i] < 0 ? "" : cut(column.categories[column.codes[i]], 120);
      if (text) out.push(column.name === "label" ? text : `${cut(column.name, 40)}: ${text}`);
    }
    const spread = this.group.spreads(this.view)?.[i];
    if (finite(spread)) out.push(`moves by about ${short(spread)}`);
    if (this.uncertain.has(i)) out.push("not placed by the answers");
    return out;
  }
  point(i) {
    if (i === this.current) return;
    this.current = i;
    this.tip.hidden = i < 0 || !(this.px[i] === this.px[i]);
    this.plot.classList.toggle("on", i >= 0);
    if (!this.tip.hidden) {
      const [name, ...more] = this.words(i);
      this.tip.replaceChildren(picture(this.objects, i, "tip-picture") ?? "", el("b", { dir: "auto" }, name), ...more.map((text) => el("span", { dir: "auto" }, text)));
      const [x, y] = [this.px[i], this.py[i]];
      const right = x > this.width / 2;
      this.tip.style.left = right ? "auto" : `${Math.min(x + 12, this.width - 60)}px`;
      this.tip.style.right = right ? `${Math.min(this.width - x + 12, this.width - 60)}px` : "auto";
      this.tip.style.top = y > this.height / 2 ? "auto" : `${y + 10}px`;
      this.tip.style.bottom = y > this.height / 2 ? `${this.height - y + 10}px` : "auto";
    }
    links.point(i < 0 ? null : this.mark(i), this);
    this.placeRings();
  }

  // ---- marks that all maps share: an object is known by its list and place, in other lists by its name

  mark(i) { return { list: this.view.objects, index: i, name: this.objects.names[i] }; }
  index(mark) {
    if (mark.list === this.view.objects) return mark.index;
    const places = this.objects.places ??= placesOf(this.objects.names);
    return places.get(mark.name) ?? -1;
  }
  marksChanged() {
    this.placeRings();
    if (this.drawn && (this.outlines.length > 0 || this.violated)) this.soon();
  }
  placeRings() {
    const wanted = new Map(); // object -> class
    const add = (mark, kind) => {
      const i = this.index(mark);
      if (i >= 0 && !wanted.has(i)) wanted.set(i, kind);
    };
    for (const mark of this.group.pinned) add(mark, "pin");
    for (const mark of this.group.found.slice(0, kRingedMatches)) add(mark, "hint");
    if (links.pointed && links.from !== this) add(links.pointed, "hint");
    for (const [i, ring] of this.rings) if (!wanted.has(i)) { ring.remove(); this.rings.delete(i); }
    if (!this.drawn) return;
    for (const [i, kind] of wanted) {
      const [x, y] = [this.px[i], this.py[i]];
      const inside = x >= 0 && y >= 0 && x <= this.width && y <= this.height;
      let ring = this.rings.get(i);
      if (!inside) { ring?.remove(); this.rings.delete(i); continue; }
      if (!ring) {
        ring = el("div", { class: "ring" }, el("span", { dir: "auto" }, cut(named(this.objects.names[i]), 40)));
        this.rings.set(i, ring);
        this.plot.append(ring);
      }
      ring.style.left = `${x}px`;
      ring.style.top = `${y}px`;
      ring.classList.toggle("left", x > this.width / 2);
      ring.classList.toggle("pin", kind === "pin");
      ring.firstChild.hidden = i === this.current; // its tip says more
    }
  }
}

// The ways to write a name, the best first: lines of text.
function shapesOf(text, all) {
  const name = text.replace(/\s+/g, " ").trim();
  const letters = [...name].length;
  if (letters <= kShortName || !all) return [[cut(name, 28)]];
  const out = [[cut(name, 28)]];
  const breaks = [...name.matchAll(/ /g)].map((match) => match.index);
  if (breaks.length > 0) {
    const at = breaks.reduce((best, k) => (Math.abs(k - name.length / 2) < Math.abs(best - name.length / 2) ? k : best));
    out.unshift([name.slice(0, at), name.slice(at + 1)].map((line) => cut(line, 22)));
  }
  out.push([cut(name, kShortName)]);
  return out;
}

// Objects so that each is far from all before it; the one nearest to the middle is the first. O(n^2)
function spreadOut(columns) {
  const n = columns[0].length;
  const placed = [...Array(n).keys()].filter((i) => columns.every((column) => column[i] === column[i]));
  if (placed.length === 0) return [];
  const middle = columns.map(mean);
  const away = new Float64Array(n);
  for (const i of placed) away[i] = 1 / (1e-12 + columns.reduce((sum, column, c) => sum + (column[i] - middle[c]) ** 2, 0));
  const out = [];
  const rest = new Set(placed);
  while (rest.size > 0) {
    let best = -1;
    for (const i of rest) if (best < 0 || away[i] > away[best]) best = i;
    rest.delete(best);
    for (const i of rest) {
      const d = columns.reduce((sum, column) => sum + (column[i] - column[best]) ** 2, 0);
      away[i] = out.length === 0 ? d : Math.min(away[i], d);
    }
    out.push(best);
  }
  return out;
}

// Where the names of a list stand, of those that stand there once and say something.
function placesOf(names) {
  const out = new Map();
  names.forEach((name, i) => { if (name.trim() !== "") out.set(name, out.has(name) ? -1 : i); });
  return out;
}

// What is pointed at in one map is shown in all the others.
const links = {
  pointed: null, from: null, groups: [],
  drawn() { return this.groups.reduce((sum, group) => sum + group.maps.filter((map) => map.drawn).length, 0); },
  point(mark, from) {
    this.pointed = mark;
    this.from = from;
    for (const group of this.groups) for (const map of group.maps) map.marksChanged();
  },
};
