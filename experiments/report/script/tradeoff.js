// ---- one metric against another, a point a method

const kPreferred = [["metrics.smoothed_recall", "metrics.smoothed_precision"], ["metrics.continuity", "metrics.trustworthiness"]];
const kSeconds = { name: "seconds", title: "Seconds to solve", higher_is_better: false };
const kPlotlySymbols = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];
const kMarkRadius = 6;    // pixels about a method's point that no name covers
const kLabelSize = 11;
const kLabelHeight = 15;
const kLabelReach = [13, 20, 28, 38, 50, 64, 80, 98, 118, 140]; // of the middle of a name's nearest side from its point
const kCrowded = 26;      // pixels between points whose names need lines, however near
const kNoLeader = 1;      // reaches up to here need no line
const kLabelAngles = 32;

const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const distance = ({ x, y }, box) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
const crossed = (p, q, r, s) => {
  const side = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
};
const through = (p, q, box) => [p, q].some(([x, y]) => x > box.left && x < box.right && y > box.top && y < box.bottom) ||
  crossed(p, q, [box.left, box.top], [box.right, box.bottom]) || crossed(p, q, [box.left, box.bottom], [box.right, box.top]);

// Where names of these widths stand: near their points, over no point, no other name and no line from a name to its point; null
// where there is no such place inside `frame`. Those in a crowd choose first, and look away from it. O(n^2 places).
function labelPlaces(points, frame) {
  const marks = points.map(({ x, y }) => ({ left: x - kMarkRadius, right: x + kMarkRadius, top: y - kMarkRadius, bottom: y + kMarkRadius }));
  const weight = (p, q) => Math.exp(-Math.hypot(p.x - q.x, (p.y - q.y) * 2) / 40);
  const crowd = points.map((p) => points.reduce((sum, q) => sum + weight(p, q), 0));
  const order = points.map((_, i) => i).sort((a, b) => crowd[b] - crowd[a] || a - b);
  const placed = points.map(() => null);
  const taken = [];
  const lines = [];
  const find = (i, strict) => {
    const { x, y, width } = points[i];
    const close = points.some((other, j) => j !== i && Math.hypot(other.x - x, other.y - y) < kCrowded);
    const away = points.reduce(([a, b], q) => [a + (x - q.x) * weight(points[i], q), b + (y - q.y) * weight(points[i], q)], [1e-9, 0]);
    const first = Math.atan2(away[1], away[0]);
    for (const [ring, reach] of kLabelReach.entries()) for (let k = 0; k < kLabelAngles && (ring > 0 || !close); ++k) {
      const angle = first + 2 * Math.PI * (k % 2 === 0 ? k / 2 : -(k + 1) / 2) / kLabelAngles;
      const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
      // The name's box touches the ring where it is nearest to the point.
      const cx = x + dx * reach + (Math.abs(dx) > 0.2 ? Math.sign(dx) * width / 2 : 0);
      const cy = y + dy * reach + (Math.abs(dx) > 0.2 ? 0 : Math.sign(dy) * kLabelHeight / 2 - dy * 4);
      const box = { left: cx - width / 2, right: cx + width / 2, top: cy - kLabelHeight / 2, bottom: cy + kLabelHeight / 2 };
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom) continue;
      if (marks.some((mark) => meet(box, mark)) || taken.some((other) => meet(box, other)) || lines.some(([p, q]) => through(p, q, box))) continue;
      const own = distance(points[i], box);
      const leader = close || ring > kNoLeader || points.some((other, j) => j !== i && distance(other, box) < own + 4);
      const [from, to] = [[x, y], [cx, cy]];
      if (leader && taken.some((other) => through(from, to, other))) continue;
      if (leader && strict && (lines.some(([p, q]) => Math.hypot(p[0] - x, p[1] - y) > kMarkRadius && crossed(from, to, p, q)) ||
        marks.some((mark, j) => j !== i && !meet(mark, marks[i]) && through(from, to, mark)))) continue;
      return { box, line: leader ? [from, to] : null, place: { dx: cx - x, dy: cy - y, leader } };
    }
    return null;
  };
  for (const strict of [true, false]) for (const i of order) { // at last lines may cross
    const found = placed[i] === null ? find(i, strict) : null;
    if (found === null) continue;
    taken.push(found.box);
    if (found.line) lines.push(found.line);
    placed[i] = found.place;
  }
  return placed;
}

class TradeoffChart extends Chart {
  constructor(node) {
    super("One number against another");
    this.dataset = page.datasets[node.dataset.dataset];
    this.runs = page.runs.filter((run) => run.dataset === this.dataset && run.status === "ok").map((run) => ({ ...run, metrics: { ...run.metrics, seconds: run.seconds } }));
    const several = (metric) => unique(this.runs.filter((run) => finite(run.metrics[metric.name])).map((run) => run.method)).length > 1;
    this.metrics = [...page.metrics, kSeconds].filter(several);
    const has = (name) => this.metrics.some((metric) => metric.name === name);
    [this.x, this.y] = kPreferred.find((pair) => pair.every(has)) ?? [this.metrics.at(-1).name, this.metrics[0].name];
    const choices = this.metrics.map((metric) => [metric.name, metric.title]);
    this.log = {};
    for (const [axis, label, words] of [["x", "Across", "Log across"], ["y", "Up", "Log up"]]) {
      this.log[axis] = this.guessLog(this[axis]);
      const box = check(words, this.log[axis], (on) => { this.log[axis] = on; this.redraw(); });
      this.bar.append(menu(label, choices, (name) => { this[axis] = name; this.log[axis] = box.firstChild.checked = this.guessLog(name); this.redraw(); }, this[axis]).node, box);
    }
    this.caption = el("p", { class: "caption" });
    this.unnamed = el("div", { class: "legend", hidden: true });
    node.append(this.node, this.unnamed, this.caption);
  }
  name() { return fileName([this.dataset, this.x, this.y]); }
  // Times that span more than a decade.
  guessLog(name) {
    const values = this.runs.map((run) => run.metrics[name]).filter(finite);
    return name === kSeconds.name && Math.min(...values) > 0 && Math.max(...values) > 10 * Math.min(...values);
  }
  // Names beside the points that are drawn, as annotations of the figure; -> points without.
  annotations(plot) {
    const { xaxis, yaxis, width } = plot._fullLayout;
    const measure = TradeoffChart.measure ??= document.createElement("canvas").getContext("2d");
    measure.font = `${kLabelSize}px ${css("--sans")}`;
    const frame = { left: 4, right: width - 4, top: 2, bottom: yaxis._offset + yaxis._length - 2 };
    const points = this.points.map((point) => {
      const text = cutInside(named(point.method), width < 560 ? 20 : 40);
      return { point, text, x: xaxis._offset + xaxis.d2p(point.x), y: yaxis._offset + yaxis.d2p(point.y), width: measure.measureText(text).width + 6 };
    }).filter(({ x, y }) => x >= xaxis._offset - 1 && x <= xaxis._offset + xaxis._length + 1 && y >= yaxis._offset - 1 && y <= yaxis._offset + yaxis._length + 1);
    const places = labelPlaces(points, frame);
    const scaled = (axis, v) => (axis.type === "log" ? Math.log10(v) : v);
    return {
      annotations: points.flatMap(({ point, text }, i) => (places[i] === null ? [] : [{
        x: scaled(xaxis, point.x), y: scaled(yaxis, point.y), ax: places[i].dx, ay: places[i].dy, text: literal(text), font: { ...fonts(), size: kLabelSize, color: css("--ink") },
        showarrow: true, arrowhead: 0, arrowwidth: 1, standoff: kMarkRadius - 1, arrowcolor: places[i].leader ? colour(point.k) : "rgba(0,0,0,0)", borderpad: 0, bgcolor: `${css("--card")}b0`, captureevents: false,
      }])),
      without: points.filter((_, i) => places[i] === null).map(({ point }) => point),
    };
  }
  size() { return `${this.canvas._fullLayout.width} ${this.canvas._fullLayout.height}`; }
  label() {
    const { annotations, without } = this.annotations(this.canvas);
    this.unnamed.replaceChildren(...without.map((point) => el("span", {}, swatch(point.k), el("span", { class: "word", dir: "auto" }, cut(named(point.method), 80)))));
    if (without.length > 0) this.unnamed.prepend(el("span", {}, "No room for the names of"));
    this.unnamed.hidden = without.length === 0;
    const done = `${Math.round(this.canvas._fullLayout.width)} ${this.x} ${this.y}`;
    const { xaxis, yaxis } = this.canvas._fullLayout; // kept, for names would widen them
    return Plotly.relayout(this.canvas, { annotations, "xaxis.range": [...xaxis.range], "yaxis.range": [...yaxis.range] }).then(() => { this.labelled = done; });
  }
  // A figure of another size has its names in other places.
  async finished(figure, size) {
    const holder = el("div", { style: `position:absolute;left:-9999px;top:0;width:${size.width}px;height:${size.height}px` });
    document.body.append(holder);
    await Plotly.newPlot(holder, figure.data, { ...figure.layout, ...size, annotations: [] }, { staticPlot: true });
    figure.layout.annotations = this.annotations(holder).annotations;
    Plotly.purge(holder);
    holder.remove();
  }
  draw() {
    const [mx, my] = [this.x, this.y].map((name) => this.metrics.find((metric) => metric.name === name));
    const shown = this.runs.filter((run) => ["x", "y"].every((axis) => finite(run.metrics[this[axis]]) && (!this.log[axis] || run.metrics[this[axis]] > 0)));
    const methods = page.methods.filter((method) => shown.some((run) => run.method === method));
    const average = (list) => list.reduce((a, b) => a + b, 0) / list.length;
    const points = methods.map((method) => {
      const own = shown.filter((run) => run.method === method);
      return { method, k: page.methods.indexOf(method), own, x: average(own.map((run) => run.metrics[this.x])), y: average(own.map((run) => run.metrics[this.y])) };
    });
    const single = shown.length > methods.length;
    const symbols = (k) => kPlotlySymbols[k % kPlotlySymbols.length];
    const traces = [];
    if (single) traces.push({
      type: "scatter", mode: "markers", hoverinfo: "skip", showlegend: false, x: shown.map((run) => run.metrics[this.x]), y: shown.map((run) => run.metrics[this.y]),
      marker: { size: 4, opacity: 0.45, color: shown.map((run) => colour(page.methods.indexOf(run.method))) },
    });
    traces.push({
      type: "scatter", mode: "markers", x: points.map((p) => p.x), y: points.map((p) => p.y), showlegend: false, text: points.map((p) => p.method), cliponaxis: false,
      hoverinfo: "text", hovertext: points.map((p) => `<b>${literal(cut(named(p.method), 80))}</b><br>${mx.title} ${short(p.x)}<br>${my.title} ${short(p.y)}${p.own.length > 1 ? `<br>means of ${p.own.length} runs` : ""}`),
      marker: { size: 10, color: points.map((p) => colour(p.k)), symbol: points.map((p) => symbols(p.k)), line: { width: 1, color: css("--card") } },
    });
    const along = (axis, metric) => ({
      ...axisStyle(), type: this.log[axis] ? "log" : "linear", ...(this.log[axis] ? logTicks(shown.map((run) => run.metrics[metric.name])) : {}),
      autorange: metric.higher_is_better === false ? "reversed" : true,
      title: { text: metric.title + (metric.higher_is_better === false ? " (less is better)" : ""), standoff: 6 },
    });
    this.points = points;
    this.heading.textContent = `${my.title} against ${mx.title.toLowerCase()}`;
    const shownNow = this.show(traces, {
      margin: { l: 60, r: 40, t: 26, b: 50 },
      xaxis: along("x", mx), yaxis: along("y", my),
    }, `${my.title} against ${mx.title}: ` + points.map((p) => `${p.method} ${short(p.y)} and ${short(p.x)}`).join("; "));
    shownNow.then(() => {
      this.sized = this.size();
      if (!this.listening) {
        this.listening = true;
        this.canvas.on("plotly_afterplot", () => { if (this.sized !== this.size()) this.redraw(); });
        this.canvas.on("plotly_relayout", (change) => {
          if ("annotations" in change) return;
          if (Object.keys(change).some((key) => key.endsWith("autorange"))) this.redraw(); // all of it again
          else if (Object.keys(change).some((key) => key.includes("axis.range"))) this.label();
        });
      }
      return this.label();
    });
    const known = [mx, my].every((metric) => finite(metric.higher_is_better));
    this.caption.textContent = (known ? "The best methods are at the top right: axes on which less is better run backwards." : "It is not known of every metric whether more of it is better.")
      + (single ? " Large points are means over a method's runs, small ones its runs." : "")
      + (methods.length < unique(this.runs.map((run) => run.method)).length ? " Methods without both numbers are not shown." : "");
  }
}

// ---- the error of every dimension that was tried

class DimensionChart extends Chart {
  constructor(node) {
    const run = page.runs[node.dataset.run];
    super("Error by dimension", run.part);
    this.run = run;
    this.points = run.dimensions.filter((point) => finite(point.validation_error));
    node.append(this.node, el("p", { class: "caption" }, "Bars are one standard error each way; the dashed line lies one standard error above the lowest error. The dimension chosen has a ring."));
  }
  name() { return fileName([this.run.dataset, this.run.method, "dimensions"]); }
  draw() {
    const x = this.points.map((point) => point.n_components);
    const y = this.points.map((point) => point.validation_error);
    const bars = this.points.map((point) => point.standard_error ?? 0);
    const best = y.indexOf(Math.min(...y));
    const at = x.indexOf(this.run.chosen_dimension);
    const curve = {
      type: "scatter", mode: "lines+markers", x, y, showlegend: false, error_y: { type: "data", array: bars, color: css("--faint"), thickness: 1.4, width: 4 },
      hoverinfo: "text", hovertext: x.map((d, i) => `<b>${d} ${d === 1 ? "dimension" : "dimensions"}</b><br>error ${short(y[i])} ± ${short(bars[i])}`),
      line: { color: colour(0), width: 2 }, marker: { size: 6, color: colour(0) },
    };
    const ring = { type: "scatter", mode: "markers", showlegend: false, x: at < 0 ? [] : [x[at]], y: at < 0 ? [] : [y[at]], hoverinfo: "skip", marker: { size: 16, symbol: "circle-open", color: css("--ink"), line: { width: 2 } } };
    const bound = y[best] + bars[best];
    this.show([curve, ring], {
      dragmode: false,
      xaxis: { ...axisStyle(), tickmode: "array", tickvals: x, showgrid: false, title: { text: "Dimensions", standoff: 6 } },
      yaxis: { ...axisStyle(), title: { text: "Validation error", standoff: 6 } },
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: bound, y1: bound, line: { color: css("--faint"), width: 1, dash: "dash" } }],
    }, `Validation error by dimension: ${x.map((d, i) => `${d}: ${short(y[i])}`).join(", ")}. Chosen: ${this.run.chosen_dimension}.`);
  }
}

if (canDraw) {
  for (const node of document.querySelectorAll(".dimensions")) new DimensionChart(node);
  for (const node of document.querySelectorAll(".tradeoff")) new TradeoffChart(node);
}
