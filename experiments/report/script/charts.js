// ---- charts: drawings that the page holds, one for each choice; the reader picks one, hides methods and reads values

const kPointAt = 24;        // pixels on the screen from the pointer to the line or point that is meant

// A scale as the drawing tells it: "low high from to log|linear number|whole|percent".
function scaleOf(svg, letter) {
  const [low, high, from, to, kind, unit] = svg.getAttribute(`data-${letter}`).split(" ");
  const [a, b, p, q] = [low, high, from, to].map(Number);
  const log = kind === "log";
  const value = (pixel) => {
    const share = (pixel - p) / (q - p);
    return log ? a * (b / a) ** share : a + share * (b - a);
  };
  // No more digits than a tenth of a pixel tells.
  const words = (pixel) => {
    const v = value(pixel);
    if (unit === "whole") return String(Math.round(v));
    if (unit === "percent") return `${+(100 * v).toPrecision(3)} %`;
    const step = log ? 0 : Math.abs(b - a) / Math.abs(q - p) / 10;
    return short(step > 0 ? +(Math.round(v / step) * step).toPrecision(12) : +v.toPrecision(3));
  };
  return { name: svg.getAttribute(`data-${letter}-name`), words };
}

// The points of a path of this page: a place, then steps (svg.cpp).
function pointsOf(path) {
  const parts = path.getAttribute("d").match(/[Mlhvz]|-?\d*\.?\d+/g);
  const points = [];
  let [x, y, command] = [0, 0, ""];
  for (let i = 0; i < parts.length;) {
    if (/[Mlhvz]/.test(parts[i])) { command = parts[i++]; continue; }
    if (command === "M") [x, y] = [Number(parts[i++]), Number(parts[i++])];
    else {
      if (command !== "v") x += Number(parts[i++]);
      if (command !== "h") y += Number(parts[i++]);
    }
    points.push([x, y]);
  }
  return points;
}

// The point of a line that is nearest to (x, y).
function nearestOf(points, x, y) {
  let best = { far: Infinity };
  for (let i = 0; i < points.length; ++i) {
    const [ax, ay] = points[i], [bx, by] = points[Math.min(i + 1, points.length - 1)];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const t = length > 0 ? Math.min(Math.max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0), 1) : 0;
    const [px, py] = [ax + t * (bx - ax), ay + t * (by - ay)];
    const far = Math.hypot(px - x, py - y);
    if (far < best.far) best = { far, x: px, y: py };
  }
  return best;
}

// Where the outline of a band meets the upright line at x: its upper and its lower edge. At its ends the sums of steps
// may differ by rounding, so x is taken from just inside.
function edgesAt(points, at) {
  const kInside = 0.01;
  const across = points.map(([ax]) => ax);
  const x = Math.min(Math.max(at, Math.min(...across) + kInside), Math.max(...across) - kInside);
  const found = [];
  points.forEach(([ax, ay], i) => {
    const [bx, by] = points[(i + 1) % points.length];
    if (ax !== bx && (ax - x) * (bx - x) <= 0) found.push(ay + (x - ax) / (bx - ax) * (by - ay));
  });
  return found.length > 1 ? [Math.max(...found), Math.min(...found)] : null;
}

class ChartCard {
  constructor(group, node) {
    this.group = group;
    this.node = node;
    this.symmetric = "symmetric" in node.dataset;
    this.plot = node.querySelector(".plot");
    this.bar = node.querySelector(".bar");
    this.heading = node.querySelector("figcaption span");
    this.views = [this.plot, ...node.querySelectorAll("template")].map((holder) => {
      const { choices, title, said, caption, file } = holder.dataset;
      const svg = (holder.content ?? holder).querySelector("svg");
      return { choices: JSON.parse(choices), title, said, caption, file, svg };
    });
    this.view = this.views[0];
    this.labels = this.view.choices.map(([label]) => label);
    this.controls = new Map();
    for (const label of this.labels) if (!group.shared.includes(label)) {
      const control = group.control(label, [this], (value) => this.choose(label, value));
      if (control) { this.controls.set(label, control); this.bar.append(control.node); }
    }
    node.querySelector(".tools").append(...saveButtons(() => this.heading.textContent, () => this.view.file, () => this.source()));
    this.tip = el("div", { class: "tip", hidden: true });
    this.mark = el("div", { class: "spot", hidden: true });
    this.plot.append(this.tip, this.mark);
    this.plot.addEventListener("pointermove", (event) => this.point(event));
    this.plot.addEventListener("pointerdown", (event) => this.point(event));
    this.plot.addEventListener("pointerleave", () => this.leave());
    this.show(this.view);
  }
  value(view, label) { return view.choices.find(([other]) => other === label)?.[1]; }
  // The view that is as chosen: the choice made now counts first, the others as far as there is such a view.
  choose(label, value) {
    const wanted = new Map(this.view.choices);
    if (this.symmetric && label !== this.labels[2]) {
      const [a, b] = this.labels;
      const other = label === a ? b : a;
      const kept = wanted.get(other) === value ? wanted.get(label) : wanted.get(other);
      const pair = this.views.find((view) => [[value, kept], [kept, value]].some(([p, q]) => this.value(view, a) === p && this.value(view, b) === q));
      return pair ? this.show(pair) : null;
    }
    wanted.set(label, value);
    const at = this.labels.indexOf(label);
    const fits = (view) => this.labels.reduce((sum, other, k) => sum + (this.value(view, other) === wanted.get(other)
      // Whether an axis is logarithmic is decided anew for what is shown now, unless the reader decides.
      && (k <= at || this.group.shared.includes(other) || at > 0) ? 2 ** (this.labels.length - k) : 0), 0);
    const able = this.views.filter((view) => this.value(view, label) === value);
    if (able.length > 0) this.show(able.reduce((best, view) => (fits(view) > fits(best) ? view : best)));
  }
  show(view) {
    this.view = view;
    this.leave();
    this.plot.querySelector("svg")?.remove();
    this.plot.prepend(view.svg);
    this.plot.setAttribute("aria-label", view.said);
    this.heading.textContent = view.title;
    const caption = this.node.querySelector(".caption");
    caption.textContent = view.caption;
    caption.hidden = view.caption === "";
    this.node.querySelectorAll("figcaption .tool").forEach((tool) => tool.setAttribute("aria-label", `Save ${view.title} as ${tool.textContent}`));
    for (const [label, control] of this.controls) control.set(this.value(view, label), this.able(label));
    view.svg.setAttribute("aria-hidden", "true"); // it has been said
    this.group.hide();
    this.series = [...view.svg.querySelectorAll(".series")].map((node) => ({ node, name: page.methods[node.dataset.series], note: node.dataset.note,
      line: pointsOf(node.querySelector("path[fill=none]")), band: node.querySelector("path[fill-opacity]") ? pointsOf(node.querySelector("path[fill-opacity]")) : null }));
    this.marks = [...view.svg.querySelectorAll(".point")].map((node) => {
      const [x, y] = node.dataset.at.split(" ").map(Number);
      const [name, ...lines] = node.dataset.said.split(" | ");
      return { x, y, name, lines };
    });
  }
  // Values of a control for which there is a view beside those of the controls before it.
  able(label) {
    const before = this.symmetric ? [] : this.labels.slice(0, this.labels.indexOf(label));
    return new Set(this.views.filter((view) => before.every((other) => this.value(view, other) === this.value(this.view, other))).flatMap((view) => (this.symmetric ? this.labels.map((other) => this.value(view, other)) : [this.value(view, label)])));
  }

  // ---- what is pointed at

  point(event) {
    const { svg } = this.view;
    const matrix = svg.getScreenCTM();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const reach = kPointAt / matrix.a;
    let best = { far: reach };
    for (const mark of this.marks) {
      const far = Math.hypot(mark.x - x, mark.y - y);
      if (far < best.far) best = { far, ...mark };
    }
    for (const series of this.series) {
      if (series.node.style.display === "none") continue;
      const near = nearestOf(series.line, x, y);
      if (near.far < best.far) best = { ...near, name: series.name, series };
    }
    if (best.name === undefined) return this.leave();
    const lines = best.lines ?? this.words(best);
    this.tip.replaceChildren(el("b", { dir: "auto" }, cut(named(best.name), 80)), ...lines.map((line) => el("span", {}, line)));
    const box = this.plot.getBoundingClientRect();
    const at = new DOMPoint(best.x, best.y).matrixTransform(matrix);
    this.mark.hidden = this.tip.hidden = false;
    Object.assign(this.mark.style, { left: `${at.x - box.left}px`, top: `${at.y - box.top}px` });
    const { width, height } = this.tip.getBoundingClientRect();
    const left = at.x - box.left + 14 + width < box.width ? at.x - box.left + 14 : Math.max(at.x - box.left - 14 - width, 0);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${Math.min(Math.max(at.y - box.top - height / 2, 0), box.height - height)}px` });
  }
  words({ x, y, series }) {
    const [across, up] = [scaleOf(this.view.svg, "x"), scaleOf(this.view.svg, "y")];
    const edges = series.band ? edgesAt(series.band, x) : null;
    return [series.note, `${up.name} ${up.words(y)}`, edges ? `quartiles ${edges.map(up.words).join(" to ")}` : null, `${across.name} ${across.words(x)}`].filter(Boolean);
  }
  leave() { this.tip.hidden = this.mark.hidden = true; }

  // ---- what is saved: the drawing as for a paper, light, with the legend of the methods that are shown

  source() {
    const svg = this.view.svg.cloneNode(true);
    let [width, height] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
    const legend = this.group.node.querySelector(":scope > .entries");
    if (legend) {
      height += Number(legend.dataset.height);
      const shown = new Set(this.series.map(({ node }) => node).filter((node) => node.style.display !== "none").map((node) => node.dataset.series));
      for (const entry of legend.content.querySelectorAll(".entry")) if (shown.has(entry.dataset.series)) svg.append(entry.cloneNode(true));
    }
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.removeAttribute("aria-hidden");
    for (const node of svg.querySelectorAll("[style]")) node.style.display === "none" ? node.remove() : node.removeAttribute("style");
    return { width, height, text: new XMLSerializer().serializeToString(svg) };
  }
}

// Charts with one legend; what they share is chosen once.
class ChartGroup {
  constructor(node) {
    this.node = node;
    this.shared = JSON.parse(node.dataset.shared);
    this.hidden = new Set();
    this.buttons = [...node.querySelectorAll(":scope > .legend button")];
    this.cards = [];
    for (const figure of node.querySelectorAll("figure.chart")) this.cards.push(new ChartCard(this, figure));
    const bar = node.querySelector(":scope > .bar");
    this.controls = new Map();
    for (const label of this.shared) {
      const control = this.control(label, this.cards, (value) => { for (const card of this.cards) card.choose(label, value); this.update(); });
      if (control) { this.controls.set(label, control); bar.append(control.node); }
    }
    for (const button of this.buttons) button.addEventListener("click", () => {
      const k = button.dataset.series;
      if (this.hidden.has(k)) this.hidden.delete(k);
      else this.hidden.add(k);
      button.setAttribute("aria-pressed", String(!this.hidden.has(k)));
      this.hide();
    });
    this.update();
  }
  // A check box where the values are on and off, a menu of others; nothing where there is no choice.
  control(label, cards, change) {
    const values = unique(cards.flatMap((card) => card.views.flatMap((view) => (card.symmetric ? view.choices.map(([, value]) => value) : [card.value(view, label)]))));
    if (values.length < 2) return null;
    if (values.every((value) => value === "on" || value === "off")) {
      const box = check(label, false, (on) => change(on ? "on" : "off"));
      return { node: box, set: (value, able) => { box.firstChild.checked = value === "on"; box.firstChild.disabled = able.size < 2; } };
    }
    const { node, select } = menu(label, values.map((value) => [value, value]), change);
    return { node, set: (value) => { select.value = value; } };
  }
  update() {
    for (const [label, control] of this.controls) control.set(this.cards[0].value(this.cards[0].view, label), new Set(this.cards.flatMap((card) => [...card.able(label)])));
  }
  hide() {
    const shown = new Set();
    for (const card of this.cards) for (const node of card.view.svg.querySelectorAll("[data-series]")) {
      shown.add(node.dataset.series);
      node.style.display = this.hidden.has(node.dataset.series) ? "none" : "";
    }
    for (const button of this.buttons) button.hidden = !shown.has(button.dataset.series);
  }
}

for (const node of document.querySelectorAll(".charts")) new ChartGroup(node);
