// ---- profiles: of every method the share of instances that it solves within a factor, or within so long

const kProfiledCosts = 1e-12; // relative: equal

// By problem with its options, dataset and part: what runs must share for their objectives to be compared.
const instanceOf = (run) => JSON.stringify([run.setup, run.dataset, run.part]);

class ProfileChart extends Chart {
  constructor(node) {
    super("Performance profile");
    this.hidden = new Set();
    this.absolute = false;
    this.log = true;
    this.sets = ProfileChart.sets();
    if (this.sets.length === 0) return node.remove();
    const most = Math.max(...this.sets.map((set) => set.methods.length));
    this.set = this.sets.find((set) => set.methods.length === most); // what compares the most methods first
    this.legends = el("div");
    this.caption = el("p", { class: "caption" });
    this.bar.append(menu("Of", this.sets.map((set, k) => [String(k), set.title]), (k) => { this.set = this.sets[k]; this.relist(); this.redraw(); }, String(this.sets.indexOf(this.set))).node,
      menu("Against", [["factor", "factor of the best"], ["value", "the value itself"]], (kind) => { this.absolute = kind === "value"; this.redraw(); }).node,
      check("Log scale", true, (on) => { this.log = on; this.redraw(); }));
    node.append(this.legends, this.node, this.caption);
    this.relist();
  }
  name() { return fileName(["profile", this.set.title]); }
  relist() {
    this.hidden.clear();
    this.legends.replaceChildren(methodLegend(this.set.methods, this.hidden, () => this.redraw()));
  }
  // What can be profiled: values >= 0 of at least two methods on at least two instances. values: instance -> method -> value.
  static sets() {
    const out = [];
    const add = (title, values, higher, seconds) => {
      const instances = [...values.values()].filter((of) => of.size > 0);
      const methods = page.methods.filter((method) => instances.some((of) => of.has(method)));
      if (methods.length < 2 || instances.length < 2 || instances.some((of) => [...of.values()].some((v) => v < 0))) return;
      out.push({ title, instances, methods, higher, seconds });
    };
    const setups = unique(page.runs.map((run) => run.setup));
    for (const setup of setups) {
      const runs = page.runs.filter((run) => run.setup === setup);
      // A method that chose this problem now and then is not compared by it.
      const total = unique(runs.map(instanceOf)).length;
      const often = (method) => 2 * runs.filter((run) => run.method === method).length >= total;
      if (unique(runs.map((run) => run.method)).filter(often).length < 2) continue;
      const problem = setups.filter((other) => page.runs.find((run) => run.setup === other).problem === runs[0].problem).length > 1 ? cut(setup, 40) : runs[0].problem;
      page.targets.forEach((left, k) => {
        const values = new Map();
        for (const run of runs) {
          const key = instanceOf(run);
          if (!values.has(key)) values.set(key, new Map());
          if (often(run.method) && finite(run.seconds_to_target[k])) values.get(key).set(run.method, run.seconds_to_target[k]);
        }
        add(`${problem}: seconds to within ${short(100 * left)} % of the way to the best`, values, false, true);
      });
    }
    const byRuns = (title, number, higher, seconds) => {
      const values = new Map();
      for (const run of page.runs) {
        const key = JSON.stringify([run.dataset, run.part]);
        if (!values.has(key)) values.set(key, new Map());
        const value = number(run);
        if (run.status === "ok" && finite(value)) values.get(key).set(run.method, value);
      }
      add(title, values, higher, seconds);
    };
    for (const metric of page.metrics) byRuns(metric.title, (run) => run.metrics[metric.name], metric.higher_is_better === true, false);
    byRuns("Seconds to solve", (run) => run.seconds, false, true);
    return out;
  }
  draw() {
    const { instances, methods, higher, seconds, title } = this.set;
    const total = instances.length;
    const lines = [];
    let most = 1;
    for (const method of methods) {
      if (this.hidden.has(method)) continue;
      const k = page.methods.indexOf(method);
      const at = [];
      for (const of of instances) {
        if (!of.has(method)) continue;
        const values = [...of.values()];
        const best = higher ? Math.max(...values) : Math.min(...values);
        const own = of.get(method);
        if (this.absolute) at.push(own);
        else {
          const [worse, better] = higher ? [best, own] : [own, best];
          const factor = worse <= better * (1 + kProfiledCosts) ? 1 : better > 0 ? worse / better : Infinity;
          if (Number.isFinite(factor)) at.push(factor);
        }
      }
      at.sort((a, b) => (this.absolute && higher ? b - a : a - b));
      for (const v of at) most = Math.max(most, v);
      lines.push({ method, k, at });
    }
    const begin = this.absolute ? Math.min(...lines.flatMap((line) => line.at).filter((v) => v > 0)) : 1;
    const end = Math.max(most * 1.05, 1.05);
    const traces = lines.map(({ method, k, at }) => {
      const x = [], y = [];
      if (!(this.absolute && higher)) { x.push(begin); y.push(0); }
      at.forEach((v, i) => { // of equal ones the last counts
        const place = this.log ? Math.max(v, begin) : v;
        if (x.at(-1) === place) y[y.length - 1] = (i + 1) / total;
        else { x.push(place); y.push((i + 1) / total); }
      });
      if (!this.absolute) { x.push(end); y.push(at.length / total); }
      return { type: "scatter", mode: "lines", x, y, name: literal(cut(named(method), 60)), meta: method, showlegend: true, hoverinfo: "text",
        hovertext: x.map((v, i) => `<b>${literal(cut(named(method), 80))}</b><br>${short(100 * y[i])} % of instances ${this.absolute ? (higher ? "at least" : "within") + ` ${short(v)}${seconds ? " s" : ""}` : `within a factor of ${short(v)}`}`),
        line: { shape: "hv", color: colour(k), width: 2.2, dash: kDashes[dash(k)] } };
    });
    const values = traces.flatMap((trace) => trace.x);
    this.show(traces, {
      xaxis: { ...axisStyle(), type: this.log ? "log" : "linear", ...(this.log ? logTicks(values) : {}), title: { text: this.absolute ? literal(title) : "Within this factor of the best method", standoff: 6 }, ...(this.absolute && higher ? { autorange: "reversed" } : {}) },
      yaxis: { ...axisStyle(), range: [-0.02, 1.03], tickformat: ".0%", title: { text: "Share of instances", standoff: 6 } },
    }, `Profile of ${title}. ` + lines.map((line) => `${line.method} has a value on ${short(100 * line.at.length / total)} % of instances and is best on ${short(100 * (this.absolute ? 0 : line.at.filter((v) => v === 1).length / total))} %`).join("; "));
    this.caption.textContent = `${total} instances, a dataset and a repeat each. Upper left is better: where a line begins at the left is the share on which its method is best, where it ends at the right the share on which it has a value at all.` +
      (title.includes("of the way") ? " The way is from the start of an instance to the least objective with which a run of this page ended there; a run arrives at the first record of its trace that is near enough." : "");
  }
}

if (canDraw) for (const node of document.querySelectorAll(".profiles")) new ProfileChart(node);
