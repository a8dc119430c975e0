// ---- one metric against another, a point a method

const kPreferred = [["metrics.smoothed_recall", "metrics.smoothed_precision"], ["metrics.continuity", "metrics.trustworthiness"]];
const kNamedMethods = 14; // names stand beside so many points, of long names half as many; of more they are said on hovering
const kLongName = 18;
const kPlotlySymbols = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];

class TradeoffChart extends Chart {
  constructor(node) {
    super("One metric against another");
    this.dataset = page.datasets[node.dataset.dataset];
    this.runs = page.runs.filter((run) => run.dataset === this.dataset);
    const several = (metric) => unique(this.runs.filter((run) => finite(run.metrics[metric.name])).map((run) => run.method)).length > 1;
    this.metrics = page.metrics.filter(several);
    const has = (name) => this.metrics.some((metric) => metric.name === name);
    [this.x, this.y] = kPreferred.find((pair) => pair.every(has)) ?? [this.metrics[1].name, this.metrics[0].name];
    this.log = false;
    const choices = this.metrics.map((metric) => [metric.name, metric.title]);
    this.bar.append(menu("Across", choices, (name) => { this.x = name; this.redraw(); }, this.x).node, menu("Up", choices, (name) => { this.y = name; this.redraw(); }, this.y).node,
      check("Log scales", false, (on) => { this.log = on; this.redraw(); }));
    this.caption = el("p", { class: "caption" });
    node.append(this.node, this.caption);
  }
  name() { return fileName([this.dataset, this.x, this.y]); }
  draw() {
    const [mx, my] = [this.x, this.y].map((name) => this.metrics.find((metric) => metric.name === name));
    const shown = this.runs.filter((run) => finite(run.metrics[this.x]) && finite(run.metrics[this.y]) && (!this.log || (run.metrics[this.x] > 0 && run.metrics[this.y] > 0)));
    const methods = page.methods.filter((method) => shown.some((run) => run.method === method));
    const average = (list) => list.reduce((a, b) => a + b, 0) / list.length;
    const points = methods.map((method) => {
      const own = shown.filter((run) => run.method === method);
      return { method, k: page.methods.indexOf(method), own, x: average(own.map((run) => run.metrics[this.x])), y: average(own.map((run) => run.metrics[this.y])) };
    });
    const single = shown.length > methods.length;
    // Names stand on the side where there is room.
    const scale = this.log ? Math.log : (v) => v;
    const ends = [Math.min, Math.max].map((end) => scale(end(...points.map((p) => p.x))));
    const inward = (p) => ((scale(p.x) < (ends[0] + ends[1]) / 2) === (mx.higher_is_better === false) ? "middle left" : "middle right");
    const symbols = (k) => kPlotlySymbols[k % kPlotlySymbols.length];
    const few = points.filter((p) => p.method.length > kLongName).length > 1 ? kNamedMethods / 2 : kNamedMethods;
    const traces = [];
    if (single) traces.push({
      type: "scatter", mode: "markers", hoverinfo: "skip", showlegend: false, x: shown.map((run) => run.metrics[this.x]), y: shown.map((run) => run.metrics[this.y]),
      marker: { size: 4, opacity: 0.45, color: shown.map((run) => colour(page.methods.indexOf(run.method))) },
    });
    traces.push({
      type: "scatter", mode: methods.length <= few ? "markers+text" : "markers", x: points.map((p) => p.x), y: points.map((p) => p.y), showlegend: false,
      text: points.map((p) => ` ${literal(cut(named(p.method), 40))} `), textposition: points.map(inward), textfont: { ...fonts(), size: 11, color: css("--ink") }, cliponaxis: false,
      hoverinfo: "text", hovertext: points.map((p) => `<b>${literal(cut(named(p.method), 80))}</b><br>${mx.title} ${short(p.x)}<br>${my.title} ${short(p.y)}${p.own.length > 1 ? `<br>means of ${p.own.length} runs` : ""}`),
      marker: { size: 10, color: points.map((p) => colour(p.k)), symbol: points.map((p) => symbols(p.k)), line: { width: 1, color: css("--card") } },
    });
    const along = (metric, values) => ({
      ...axisStyle(), type: this.log ? "log" : "linear", ...(this.log ? logTicks(values) : {}),
      autorange: metric.higher_is_better === false ? "reversed" : true,
      title: { text: metric.title + (metric.higher_is_better === false ? " (less is better)" : ""), standoff: 6 },
    });
    this.show(traces, {
      margin: { l: 60, r: 40, t: 26, b: 50 },
      xaxis: along(mx, shown.map((run) => run.metrics[this.x])), yaxis: along(my, shown.map((run) => run.metrics[this.y])),
    }, `${my.title} against ${mx.title}: ` + points.map((p) => `${p.method} ${short(p.y)} and ${short(p.x)}`).join("; "));
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
