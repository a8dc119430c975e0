// ---- charts: what curves, profiles and points share

const kTitles = { objective: "Objective", heldout_error: "Held-out error", train_error: "Training error" };
const titleOf = (column) => kTitles[column] ?? capital(column.replace(/_/g, " "));
const fonts = () => ({ family: css("--sans"), size: 12, color: css("--soft") });
const axisStyle = () => ({ gridcolor: css("--grid"), linecolor: css("--line"), zeroline: false, tickfont: { size: 11 }, automargin: true, exponentformat: "power", separatethousands: true });

// Ticks of a logarithmic axis at 1, 2 and 5 of every decade; where there are more than two decades, only
// the decades have their numbers.
function logTicks(values) {
  const positive = values.filter((v) => v > 0);
  if (positive.length === 0) return {};
  const low = Math.floor(Math.log10(positive.reduce((a, b) => Math.min(a, b))));
  const high = Math.ceil(Math.log10(positive.reduce((a, b) => Math.max(a, b))));
  const decades = high - low;
  const step = Math.max(1, Math.ceil(decades / 8));
  const power = (k) => (k >= -3 && k <= 4 ? String(+(10 ** k).toPrecision(1)) : `10<sup>${k < 0 ? "−" : ""}${Math.abs(k)}</sup>`);
  const ticks = { tickmode: "array", tickvals: [], ticktext: [] };
  for (let k = low - 1; k <= high + 1; ++k) {
    for (const digit of step > 1 ? [1] : [1, 2, 5]) {
      ticks.tickvals.push(digit * 10 ** k);
      const numbered = digit === 1 ? (k - low) % step === 0 : decades <= 2;
      ticks.ticktext.push(!numbered ? "" : digit === 1 ? power(k) : k >= -4 && k <= 4 ? String(+(digit * 10 ** k).toPrecision(1)) : `${digit}·${power(k)}`);
    }
  }
  return ticks;
}

class Chart {
  constructor(heading, small = "") {
    this.canvas = el("div", { class: "canvas" });
    this.heading = el("span", { dir: "auto" }, heading);
    this.small = el("small", {}, small);
    this.bar = el("div", { class: "bar" });
    this.plot = el("div", { class: "plot", role: "group", "aria-roledescription": "chart" }, this.canvas);
    this.node = el("figure", { class: "curve" }, el("figcaption", {}, this.heading,
      el("span", { class: "tools" }, ...saveButtons(() => this.heading.textContent, () => this.name(), (format) => this.written(format))), this.small), this.bar, this.plot);
    this.node.chart = this;
    drawers.set(this.node, this);
    watcher.observe(this.node);
    redraws.add(() => this.redraw());
  }
  enter() { if (!this.drawn) { this.drawn = true; this.draw(); } }
  leave() {}
  redraw() { if (this.drawn) this.draw(); }
  name() { return fileName([this.heading.textContent]); }
  // Fills its place again after that has changed, at once.
  fill() { if (this.drawn) Plotly.relayout(this.canvas, { autosize: true }); }
  // What a figure that is saved needs beside what is shown.
  async finished() {}
  // `said`: the figure in a sentence, for those who do not see it.
  show(traces, layout, said) {
    this.plot.setAttribute("aria-label", said);
    this.node.querySelectorAll("figcaption .tool").forEach((tool) => tool.setAttribute("aria-label", `Save ${this.heading.textContent} as ${tool.textContent}`));
    const all = {
      margin: { l: 52, r: 16, t: 10, b: 44 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
      font: fonts(), dragmode: coarse ? false : "zoom", modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") },
      hoverlabel: { bgcolor: css("--card"), bordercolor: css("--faint"), align: "left", font: { family: css("--sans"), size: 13, color: css("--ink") } }, ...layout,
    };
    const done = Plotly.react(this.canvas, traces, all, { displaylogo: false, responsive: true, showTips: false, doubleClickDelay: 400,
      displayModeBar: coarse ? false : "hover", modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "toImage"] });
    for (const picture of this.canvas.querySelectorAll("svg.main-svg")) picture.setAttribute("aria-hidden", "true"); // it has been said
    return done;
  }
  async written(format) {
    if (!this.drawn) this.enter();
    const { data, layout } = this.canvas;
    const figure = { data, layout: { ...layout, paper_bgcolor: css("--card"), showlegend: data.some((trace) => trace.showlegend), autosize: false,
      legend: { font: { size: 11 } }, title: { text: literal(this.heading.textContent), x: 0.02, font: { size: 14, color: css("--ink") } }, margin: { ...layout.margin, t: 44 } } };
    const size = { width: 860, height: 520 };
    await this.finished(figure, size);
    if (format === "svg") return Plotly.toImage(figure, { format, ...size, imageDataOnly: true });
    const picture = await Plotly.toImage(figure, { format, ...size, scale: 3, imageDataOnly: true });
    return Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
  }
}

// The methods of a group of charts; a click hides one in all of them.
function methodLegend(methods, hidden, redraw) {
  const legend = el("div", { class: "legend", role: "group", "aria-label": "Methods shown" });
  for (const method of methods) {
    const k = page.methods.indexOf(method);
    const holder = el("span");
    holder.innerHTML = `<svg width="26" height="10" aria-hidden="true"><line x1="1" x2="25" y1="5" y2="5" stroke-width="2.5" style="stroke:var(${tint(k)})" stroke-dasharray="${kDashArrays[dash(k)]}"/></svg>`;
    const chip = el("button", { type: "button", "aria-pressed": "true", title: "Show or hide this method", onclick: () => {
      if (hidden.has(method)) hidden.delete(method);
      else hidden.add(method);
      chip.setAttribute("aria-pressed", String(!hidden.has(method)));
      redraw();
    } }, holder.firstElementChild, el("span", { class: "word", dir: "auto" }, cut(named(method), 80)));
    legend.append(chip);
  }
  return legend;
}

// ---- curves of the objective and of metrics along the solve

const kGridPoints = 240; // at which the runs of a method are compared

// Quantiles of a few numbers, between neighbours in proportion.
function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const k = Math.floor(at);
  return k + 1 < sorted.length ? sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]) : sorted[k];
}

// Median and quartiles at every x that some run has, from where all have begun: straight between a run's records, and a run
// that has ended counts with its last value.
function spreadOf(runs) {
  const begin = Math.max(...runs.map((run) => run.x[0]));
  let grid = unique(runs.flatMap((run) => run.x).filter((x) => x >= begin)).sort((a, b) => a - b);
  if (grid.length > kGridPoints) grid = unique(Array.from({ length: kGridPoints }, (_, k) => grid[Math.round(k * (grid.length - 1) / (kGridPoints - 1))]));
  const at = runs.map(() => 0);
  const out = { x: grid, low: [], middle: [], high: [] };
  for (const x of grid) {
    const values = runs.map((run, r) => {
      while (at[r] + 1 < run.x.length && run.x[at[r] + 1] <= x) ++at[r];
      const k = at[r];
      if (k + 1 >= run.x.length || run.x[k + 1] === run.x[k]) return run.y[k];
      return run.y[k] + (x - run.x[k]) / (run.x[k + 1] - run.x[k]) * (run.y[k + 1] - run.y[k]);
    }).sort((a, b) => a - b);
    out.low.push(quantile(values, 0.25));
    out.middle.push(quantile(values, 0.5));
    out.high.push(quantile(values, 0.75));
  }
  return out;
}

class CurveChart extends Chart {
  // `choices`: pairs of what can be shown, a trace's column or "gap", and its title.
  constructor(group, choices) {
    super(choices[0][1]);
    this.group = group;
    this.column = choices[0][0];
    if (choices.length > 1) this.bar.append(menu("Show", choices, (column) => { this.column = column; this.heading.textContent = choices.find((choice) => choice[0] === column)[1]; this.guessLog(); this.redraw(); }).node);
    this.logBox = check("Log scale", false, (on) => { this.log = on; this.redraw(); });
    this.bar.append(this.logBox);
    this.guessLog();
  }
  name() { return fileName([page.datasets[this.group.dataset], this.column]); }
  // The values of a trace; gaps to the best known objective of the same problem on the same data.
  values(trace) {
    if (this.column !== "gap") return trace.columns[this.column];
    const best = page.runs[trace.run].best_known;
    return finite(best) ? trace.columns.objective?.map((v) => (finite(v) ? Math.max(v - best, 0) : null)) : null;
  }
  guessLog() {
    const values = this.group.traces.flatMap((trace) => this.values(trace) ?? []).filter(finite);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const box = this.logBox.firstChild;
    box.disabled = !(high > 0);
    this.log = this.column === "gap" ? high > 0 : low > 0 && high / low > 30;
    box.checked = this.log;
  }
  draw() {
    const { traces, hidden, time, logTime, spread, methods } = this.group;
    const heading = this.heading.textContent;
    const lines = [];
    const unit = (x) => (time === "seconds" ? `${short(x)} s` : `iteration ${short(x)}`);
    const fits = (x, y) => finite(x) && finite(y) && (!this.log || y > 0) && (!logTime || x > 0);
    for (const method of methods) {
      if (hidden.has(method)) continue;
      const k = page.methods.indexOf(method);
      const runs = [];
      for (const trace of traces.filter((other) => other.method === method)) {
        const y = this.values(trace), x = trace.columns[time];
        if (!y || !x) continue;
        const keep = y.map((_, i) => i).filter((i) => (spread ? finite(x[i]) && finite(y[i]) : fits(x[i], y[i])));
        if (keep.length > 0) runs.push({ part: page.runs[trace.run].part, x: keep.map((i) => x[i]), y: keep.map((i) => y[i]) });
      }
      if (runs.length === 0) continue;
      const style = { type: "scatter", hoverinfo: "text", line: { color: colour(k), dash: kDashes[dash(k)] }, marker: { size: 4.5 }, name: literal(cut(named(method), 60)), legendgroup: method, meta: method };
      const say = (part, x, y, more = "") => `<b>${literal(cut(named(method), 80))}</b>${part}<br>${literal(heading)} ${short(y)}${more}<br>${unit(x)}`;
      if (spread && runs.length > 1) {
        const band = spreadOf(runs);
        const keep = band.x.map((_, i) => i).filter((i) => fits(band.x[i], band.middle[i]));
        const at = (list) => keep.map((i) => list[i]);
        const floor = Math.min(...at(band.middle));
        const edge = { ...style, mode: "lines", hoverinfo: "skip", line: { width: 0, color: colour(k) }, showlegend: false };
        lines.push({ ...edge, x: at(band.x), y: at(band.low).map((v) => (this.log && !(v > 0) ? floor : v)) });
        lines.push({ ...edge, x: at(band.x), y: at(band.high), fill: "tonexty", fillcolor: `${colour(k)}2b` });
        lines.push({ ...style, mode: "lines", x: at(band.x), y: at(band.middle), showlegend: true, line: { ...style.line, width: 2.2 },
          hovertext: keep.map((i) => say(` · median of ${runs.length} runs`, band.x[i], band.middle[i], `<br>quartiles ${short(band.low[i])} to ${short(band.high[i])}`)) });
      } else runs.forEach((run, r) => lines.push({ ...style, mode: run.x.length <= (r === 0 ? 30 : 1) ? "lines+markers" : "lines", x: run.x, y: run.y, showlegend: r === 0,
        line: { ...style.line, width: r === 0 ? 2.2 : 1 }, opacity: r === 0 ? 1 : 0.45,
        hovertext: run.x.map((x, i) => say(runs.length > 1 ? ` · ${run.part}` : "", x, run.y[i])) }));
    }
    this.show(lines, {
      xaxis: { ...axisStyle(), type: logTime ? "log" : "linear", ...(logTime ? logTicks(lines.flatMap((line) => line.x)) : {}), title: { text: time === "seconds" ? "Seconds of solving" : "Iteration", standoff: 6 } },
      yaxis: { ...axisStyle(), type: this.log ? "log" : "linear", ...(this.log ? logTicks(lines.flatMap((line) => line.y)) : {}), rangemode: this.log ? "normal" : "nonnegative" },
    }, `${heading} of ${counted(methods.length - hidden.size, "method")} against ${time === "seconds" ? "seconds" : "iterations"}. ${this.ends(lines)}`);
  }
  ends(lines) {
    return lines.filter((line) => line.showlegend && line.y.length > 0).slice(0, 12).map((line) => `${line.meta} ends at ${short(line.y.at(-1))}`).join("; ");
  }
}

class CurveGroup {
  constructor(node) {
    this.dataset = Number(node.dataset.dataset);
    const dataset = page.datasets[this.dataset];
    this.traces = page.traces.map((trace) => ({ ...trace, method: page.runs[trace.run].method }))
      .filter((trace) => page.single || page.runs[trace.run].dataset === dataset);
    this.methods = page.methods.filter((method) => this.traces.some((trace) => trace.method === method));
    this.parts = unique(this.traces.map((trace) => page.runs[trace.run].part)).length;
    this.hidden = new Set();
    this.spread = this.parts > 2;
    this.time = this.traces.every((trace) => trace.columns.seconds) ? "seconds" : "iteration";
    const ends = this.traces.map((trace) => (trace.columns[this.time] ?? []).filter(finite).at(-1)).filter((v) => v > 0);
    this.logTime = ends.length > 1 && Math.max(...ends) / Math.min(...ends) > 10;
    const errors = unique(this.traces.flatMap((trace) => Object.keys(trace.columns)))
      .filter((column) => !["iteration", "seconds", "objective"].includes(column) && this.traces.some((trace) => trace.columns[column]?.some((v) => typeof v === "number")));
    this.charts = [];
    if (this.traces.some((trace) => trace.columns.objective?.some(finite))) this.charts.push(new CurveChart(this, [["objective", "Objective"], ...(this.traces.some((trace) => finite(page.runs[trace.run].best_known)) ? [["gap", "Gap to the best objective"]] : [])]));
    if (errors.length > 0) this.charts.push(new CurveChart(this, errors.map((column) => [column, titleOf(column)])));
    if (this.charts.length === 0) return;

    const bar = el("div", { class: "bar" });
    const redraw = () => { for (const chart of this.charts) chart.redraw(); };
    const axes = ["seconds", "iteration"].filter((time) => this.traces.every((trace) => trace.columns[time]));
    if (axes.length > 1) bar.append(menu("Against", axes.map((time) => [time, time === "seconds" ? "seconds" : "iterations"]), (time) => { this.time = time; redraw(); }).node);
    if (this.parts > 1) bar.append(menu("Repeats", [["spread", "median and quartiles"], ["runs", "every run"]], (kind) => { this.spread = kind === "spread"; redraw(); this.describe(); }, this.spread ? "spread" : "runs").node);
    bar.append(check("Log time", this.logTime, (on) => { this.logTime = on; redraw(); }));
    this.caption = el("p", { class: "caption" });
    node.append(el("h3", {}, page.single ? "Along the solve" : "Along the solves"), bar,
      ...(this.methods.length > 1 ? [methodLegend(this.methods, this.hidden, redraw)] : []), el("div", { class: "pair" }, ...this.charts.map((chart) => chart.node)), this.caption);
    this.describe();
  }
  describe() {
    const notes = [];
    if (this.parts > 1) notes.push(this.spread ? "Lines are medians over a method's runs, bands reach from the lower to the upper quartile; a run that has ended counts with its last value." : "The thick line is the first run of a method, thin lines are its other repeats.");
    const problems = unique(this.traces.map((trace) => page.runs[trace.run].problem));
    if (problems.length > 1) notes.push("Objectives of different problems have different units and can not be compared.");
    notes.push("Gaps are to the least objective with which a run of this page ended, of the same problem on the same data; a gap of 0 has no place on a log scale. The clock stands still while errors are measured.");
    this.caption.textContent = notes.join(" ");
  }
}

if (canDraw) for (const node of document.querySelectorAll(".curves")) new CurveGroup(node);
