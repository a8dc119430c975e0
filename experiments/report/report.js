// Draws the maps and curves of the report from the JSON in #report-data. Nothing is loaded from anywhere.
(() => {
  "use strict";
  const page = JSON.parse(document.getElementById("report-data").textContent);
  const root = document.documentElement;
  const canDraw = typeof Plotly !== "undefined";
  const coarse = matchMedia("(pointer: coarse)").matches;

  const kWebGlPoints = 3000; // above: WebGL
  const kMaxWebGlMaps = 6;   // a browser keeps about 16 contexts, and a map needs two
  const kMaxColours = 20;    // labels told apart by colour and shape
  const kNamedObjects = 150; // names are shown from the start on maps of up to so many
  const kNameLength = 16;    // ... unless half of the names are longer
  const kSymbols = ["circle", "diamond", "triangle-up"];
  const kQuantile = -2 * Math.log(0.05); // of chi squared with two degrees of freedom, for 95 %
  const kOutlinePoints = 40; // of an ellipse
  const kDashes = ["solid", "dash", "dot", "dashdot"];
  const kPalette = 8;

  // ---- small things

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "class") node.className = value;
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  // Plotly reads a little HTML in its texts; names of the data are to be shown as they are.
  const literal = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (index) => css(`--c${(index % kPalette) + 1}`);
  const short = (value) => (value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
    ? value.toExponential(2) : String(+value.toPrecision(4)));
  const unique = (list) => [...new Set(list)];
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  function floats(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  function check(label, checked, change) {
    const box = el("input", { type: "checkbox", checked, onchange: () => change(box.checked) });
    return el("label", {}, box, label);
  }
  function menu(label, choices, change) {
    const select = el("select", { "aria-label": label, onchange: () => change(select.value) },
      ...choices.map(([value, text]) => el("option", { value }, text)));
    return { node: el("label", {}, label, select), select };
  }

  // Theme: follows the system until the reader decides.
  const redraws = new Set();
  function setTheme(theme) {
    root.dataset.theme = theme;
    for (const redraw of redraws) redraw();
  }
  const system = matchMedia("(prefers-color-scheme: dark)");
  let decided = false;
  system.addEventListener("change", () => { if (!decided) setTheme(system.matches ? "dark" : "light"); });
  const button = document.getElementById("theme");
  if (button) {
    const say = () => { button.textContent = root.dataset.theme === "dark" ? "Light theme" : "Dark theme"; };
    button.hidden = false;
    say();
    button.addEventListener("click", () => {
      decided = true;
      setTheme(root.dataset.theme === "dark" ? "light" : "dark");
      say();
    });
    system.addEventListener("change", say);
  }

  // Tabs over the comparison's panels.
  for (const panels of document.querySelectorAll(".panels")) {
    const list = [...panels.querySelectorAll(":scope > .panel")];
    if (list.length < 2) continue;
    const show = (k) => list.forEach((panel, i) => {
      panel.hidden = i !== k;
      tabs.children[i].setAttribute("aria-selected", String(i === k));
    });
    const tabs = el("div", { class: "tabs", role: "tablist" }, ...list.map((panel, i) =>
      el("button", { type: "button", role: "tab", onclick: () => show(i) }, panel.querySelector("h3").firstChild.textContent)));
    panels.classList.add("tabbed");
    panels.before(tabs);
    show(0);
  }

  if (!canDraw) return;

  const fonts = () => ({ family: css("--sans"), size: 12, color: css("--soft") });
  const hoverlabel = () => ({
    bgcolor: css("--card"), bordercolor: css("--faint"), align: "left",
    font: { family: css("--sans"), size: 13, color: css("--ink") },
  });
  const config = (name) => ({
    displaylogo: false, responsive: true, showTips: false, doubleClickDelay: 400,
    displayModeBar: coarse ? false : "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    toImageButtonOptions: { format: "png", scale: 3, filename: name.replace(/[^\w.-]+/g, "_") },
  });

  // Plots are drawn when they come near the screen. Maps in WebGL are given back when they leave it.
  const drawers = new WeakMap();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const drawer = drawers.get(entry.target);
      if (entry.isIntersecting) drawer.enter();
      else drawer.leave();
    }
  }, { rootMargin: "150px 0px" });
  const webGlMaps = [];

  // ---- maps

  // Colour and shape of every object: by label while there are few enough to tell apart.
  function styleOf(objects) {
    const coloured = objects.labels && objects.label_names.length <= kMaxColours;
    return {
      coloured,
      colours: coloured ? objects.labels.map((k) => (k < 0 ? css("--faint") : colour(k))) : colour(0),
      symbols: coloured ? objects.labels.map((k) => (k < 0 ? "circle-open" : kSymbols[Math.floor(k / kPalette) % 3])) : "circle",
    };
  }

  function swatch(k) {
    const shapes = {
      circle: '<circle cx="7" cy="7" r="5"/>', diamond: '<path d="M7 1l6 6-6 6-6-6z"/>', "triangle-up": '<path d="M7 1.5l6 11H1z"/>',
    };
    const holder = el("span");
    holder.innerHTML = `<svg width="14" height="14" aria-hidden="true" style="fill:var(--c${(k % kPalette) + 1})">${shapes[kSymbols[Math.floor(k / kPalette) % 3]]}</svg>`;
    return holder.firstChild;
  }

  class MapPlot {
    constructor(group, view) {
      this.group = group;
      this.view = view;
      this.run = page.runs[view.run];
      this.objects = page.objects[view.objects];
      this.count = this.objects.names.length;
      this.webGl = this.count > kWebGlPoints;
      this.canvas = el("div", { class: "canvas" });
      this.plot = el("div", { class: "plot" }, this.canvas);
      const error = this.run.heldout_error ?? this.run.train_error;
      const kind = this.run.heldout_error !== null ? "held-out" : "training";
      const kept = this.run.trustworthiness ?? null;
      const quality = error !== null ? `${kind} error ${short(error)}` : kept !== null ? `trustworthiness ${short(kept)}` : "";
      this.node = el("figure", { class: "map" }, el("figcaption", {},
        el("span", {}, page.single ? (view.aspect || "The map") : this.run.method + (view.aspect ? ` · ${view.aspect}` : "")),
        el("small", {}, quality)), this.plot);
      this.visible = false;
      this.drawn = false;
      drawers.set(this.node, this);
      watcher.observe(this.node);
    }
    enter() {
      this.visible = true;
      if (this.drawn) return;
      if (this.webGl && webGlMaps.length >= kMaxWebGlMaps) {
        const hidden = webGlMaps.find((map) => !map.visible);
        if (hidden) hidden.purge();
        else return this.offer();
      }
      this.draw();
    }
    leave() {
      this.visible = false;
      if (this.webGl && this.drawn) this.purge();
    }
    offer() {
      if (this.plot.querySelector(".wait")) return;
      this.plot.append(el("button", { type: "button", class: "wait", onclick: () => {
        const other = webGlMaps.find((map) => map !== this);
        if (other) { other.purge(); other.offer(); }
        this.draw();
      } }, "Click to draw this map"));
    }
    purge() {
      const at = webGlMaps.indexOf(this);
      if (at >= 0) webGlMaps.splice(at, 1);
      Plotly.purge(this.canvas);
      this.canvas.replaceChildren();
      this.drawn = false;
      this.unmark();
    }
    remove() {
      watcher.unobserve(this.node);
      if (this.drawn) this.purge();
      this.node.remove();
    }
    // Coordinates to show: two chosen axes, or a line with the objects spread by rank, turned onto the
    // group's first map where both are planar.
    place() {
      const all = floats(this.view.coordinates);
      const n = this.count;
      const column = (c) => all.subarray(c * n, (c + 1) * n);
      if (this.view.dimensions === 1) {
        const x = column(0);
        const order = [...x.keys()].sort((a, b) => x[a] - x[b]);
        const y = new Float32Array(n);
        order.forEach((object, rank) => { y[object] = rank; });
        return { x, y };
      }
      let turn = [1, 0, 0, 1]; // a matrix by rows
      let [x, y] = this.group.axes.map((c) => column(Math.min(c, this.view.dimensions - 1)));
      const reference = this.group.reference;
      if (this.group.align && reference && reference !== this && reference.view.objects === this.view.objects &&
          this.view.dimensions === 2 && reference.view.dimensions === 2) {
        [x, y, turn] = turned(x, y, ...halves(floats(reference.view.coordinates)));
      }
      return { x, y, turn };
    }
    async draw() {
      this.plot.querySelector(".wait")?.remove();
      this.drawn = true;
      if (this.webGl) webGlMaps.push(this);
      const { x, y, turn } = this.place();
      this.x = x;
      this.y = y;
      const style = styleOf(this.objects);
      const dim = this.group.emphasis;
      const opacity = dim.size === 0 || !style.coloured ? (this.count > 2000 ? 0.7 : 0.9)
        : this.objects.labels.map((k) => (dim.has(k) ? 0.95 : 0.1));
      const size = this.count > 5000 ? 4 : this.count > 1000 ? 5 : this.count > 200 ? 7 : page.single ? 10 : 8;
      const points = {
        type: this.webGl ? "scattergl" : "scatter", mode: "markers", x, y, hoverinfo: "text",
        hovertext: this.objects.names.map((name, i) => this.hoverText(name, i)),
        marker: { size, color: style.colours, symbol: style.symbols, opacity, line: { width: this.webGl ? 0 : 0.8, color: css("--card") } },
      };
      // The invisible markers keep the names off the points.
      const names = { type: "scatter", mode: "markers+text", marker: { size: size + 3, opacity: 0 }, x: [], y: [], text: [], textposition: [], hoverinfo: "skip", textfont: { ...fonts(), size: 11, color: css("--ink") } };
      const axis = {
        zeroline: false, showgrid: false, showticklabels: false, ticks: "", showline: false, title: { text: "" },
      };
      const line = this.view.dimensions === 1;
      const many = this.view.dimensions > 2;
      const name = (c) => ({ title: { text: `x${c + 1}`, standoff: 2 } });
      const outlines = this.group.ellipses && this.view.covariances && !this.webGl ? this.outlines(x, y, turn) : [];
      const ranges = this.ranges(x, y, line);
      for (const outline of outlines) this.widen(ranges, outline);
      const layout = {
        margin: { l: many ? 28 : 10, r: 10, t: 8, b: many || line ? 28 : 10 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        showlegend: false, hovermode: "closest", hoverdistance: 24, dragmode: coarse ? false : "pan", font: fonts(), hoverlabel: hoverlabel(),
        modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") },
        xaxis: { ...axis, range: ranges[0], showticklabels: line, ...(many ? name(this.group.axes[0]) : {}) },
        yaxis: { ...axis, range: ranges[1], ...(line ? {} : { scaleanchor: "x", scaleratio: 1 }), ...(many ? name(this.group.axes[1]) : {}) },
        uirevision: `${this.group.axes}`,
      };
      await Plotly.react(this.canvas, [points, names, ...this.ellipseTraces(outlines, style)], layout, { ...config(`${this.run.dataset} ${this.run.method}`), scrollZoom: page.single && !coarse });
      if (!this.drawn) return;
      if (!this.listening) {
        this.canvas.on("plotly_hover", (event) => {
          if (event.points[0].curveNumber === 0) this.group.mark(event.points[0].pointIndex, this);
        });
        this.canvas.on("plotly_unhover", () => this.group.unmark());
        this.canvas.on("plotly_relayout", () => { this.showNames(); this.group.follow(this); });
        this.canvas.on("plotly_purge", () => { this.listening = false; });
        this.listening = true;
      }
      await this.showNames();
      this.group.follow(this);
    }
    // The ellipse that holds 95 % of a normal distribution with the object's covariance, turned as the map is.
    outlines(x, y, [a, b, c, d]) {
      const all = floats(this.view.covariances);
      const n = this.count;
      const dim = this.group.emphasis;
      const out = [];
      for (let i = 0; i < n; ++i) {
        const [xx, xy, yy] = [all[i], all[n + i], all[2 * n + i]];
        if (!(xx === xx && xy === xy && yy === yy && x[i] === x[i])) continue;
        if (dim.size > 0 && this.objects.labels && !dim.has(this.objects.labels[i])) continue;
        const [u, v, w] = [a * a * xx + 2 * a * b * xy + b * b * yy, a * c * xx + (a * d + b * c) * xy + b * d * yy, c * c * xx + 2 * c * d * xy + d * d * yy];
        const p = Math.sqrt(kQuantile * Math.max(u, 0));
        const q = p > 0 ? kQuantile * v / p : 0;
        const r = Math.sqrt(Math.max(kQuantile * w - q * q, 0));
        const outline = { object: i, x: [], y: [] };
        for (let k = 0; k <= kOutlinePoints; ++k) {
          const angle = 2 * Math.PI * k / kOutlinePoints;
          outline.x.push(x[i] + p * Math.cos(angle));
          outline.y.push(y[i] + q * Math.cos(angle) + r * Math.sin(angle));
        }
        out.push(outline);
      }
      return out;
    }
    // One trace a colour, the outlines one after the other.
    ellipseTraces(outlines, style) {
      const traces = new Map();
      for (const outline of outlines) {
        const tint = style.coloured ? style.colours[outline.object] : style.colours;
        if (!traces.has(tint)) traces.set(tint, {
          type: "scatter", mode: "lines", x: [], y: [], fill: "toself", fillcolor: `${tint}1f`, line: { color: tint, width: 0.9 },
          opacity: 0.75, hoverinfo: "skip", zorder: -1,
        });
        const trace = traces.get(tint);
        trace.x.push(...outline.x, null);
        trace.y.push(...outline.y, null);
      }
      return [...traces.values()];
    }
    // A map grows to show its ellipses, by a half of its width at most.
    widen(ranges, outline) {
      this.spans ??= new WeakMap();
      ranges.forEach((range, k) => {
        if (!this.spans.has(range)) this.spans.set(range, [range[0], range[1]]);
        const [low, high] = this.spans.get(range);
        const values = k === 0 ? outline.x : outline.y;
        const most = (high - low) / 2;
        range[0] = Math.max(Math.min(range[0], ...values), low - most);
        range[1] = Math.min(Math.max(range[1], ...values), high + most);
      });
    }
    hoverText(name, i) {
      const label = this.objects.labels ? this.objects.labels[i] : -1;
      return `<b>${literal(name)}</b>` + (label >= 0 ? `<br>${literal(this.objects.label_names[label])}` : "");
    }
    ranges(x, y, line) {
      const span = (v) => {
        let low = Infinity, high = -Infinity;
        for (const value of v) if (value === value) { low = Math.min(low, value); high = Math.max(high, value); }
        if (low > high) return [-1, 1];
        const pad = (high - low) * (line ? 0.04 : 0.06) || Math.abs(low) * 0.05 || 1;
        return [low - pad, high + pad];
      };
      return [span(x), span(y)];
    }
    pixel(i) {
      const layout = this.canvas._fullLayout;
      if (!layout || !layout.xaxis) return null;
      const { xaxis, yaxis } = layout;
      const px = xaxis._offset + xaxis.l2p(this.x[i]);
      const py = yaxis._offset + yaxis.l2p(this.y[i]);
      const inside = px >= xaxis._offset && px <= xaxis._offset + xaxis._length && py >= yaxis._offset && py <= yaxis._offset + yaxis._length;
      return inside ? [px, py] : null;
    }
    // Names beside their points, as many as fit without covering each other or other points.
    async showNames() {
      if (!this.drawn) return;
      const wanted = this.group.names && this.count <= kWebGlPoints;
      const shown = { x: [], y: [], text: [], textposition: [] };
      if (wanted) {
        const layout = this.canvas._fullLayout;
        const right = layout.xaxis._offset + layout.xaxis._length;
        const bottom = layout.yaxis._offset + layout.yaxis._length;
        const pen = this.pen ??= document.createElement("canvas").getContext("2d");
        pen.font = `11px ${css("--sans")}`;
        const taken = [];
        const places = [];
        for (let i = 0; i < this.count; ++i) places.push(this.pixel(i));
        const radius = this.count > 200 ? 3 : 5;
        for (const place of places) if (place) taken.push([place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius]);
        const free = (box) => box[0] >= layout.xaxis._offset && box[1] >= layout.yaxis._offset && box[2] <= right && box[3] <= bottom &&
          !taken.some((other) => other[0] < box[2] && other[2] > box[0] && other[1] < box[3] && other[3] > box[1]);
        const dim = this.group.emphasis;
        for (let i = 0; i < this.count; ++i) {
          if (!places[i]) continue;
          if (dim.size > 0 && this.objects.labels && !dim.has(this.objects.labels[i])) continue;
          const name = this.objects.names[i].length > 28 ? this.objects.names[i].slice(0, 27) + "…" : this.objects.names[i];
          const width = pen.measureText(name).width;
          const [px, py] = places[i];
          const gap = radius + 2;
          const boxes = {
            "middle right": [px + gap, py - 7, px + gap + width, py + 7],
            "middle left": [px - gap - width, py - 7, px - gap, py + 7],
            "top center": [px - width / 2, py - gap - 14, px + width / 2, py - gap],
            "bottom center": [px - width / 2, py + gap, px + width / 2, py + gap + 14],
          };
          for (const [position, box] of Object.entries(boxes)) {
            if (!free(box)) continue;
            taken.push(box);
            shown.x.push(this.x[i]);
            shown.y.push(this.y[i]);
            shown.text.push(literal(name));
            shown.textposition.push(position);
            break;
          }
        }
      }
      if (!wanted && !this.named) return;
      this.named = wanted;
      await Plotly.restyle(this.canvas, { x: [shown.x], y: [shown.y], text: [shown.text], textposition: [shown.textposition] }, [1]);
    }
    mark(i) {
      const place = this.drawn && this.objects.names[i] !== undefined ? this.pixel(i) : null;
      if (!place) return this.unmark();
      this.ring ??= el("div", { class: "ring" }, el("span"));
      this.ring.style.left = `${place[0]}px`;
      this.ring.style.top = `${place[1]}px`;
      this.ring.classList.toggle("left", place[0] > this.plot.clientWidth / 2);
      this.ring.firstChild.textContent = this.objects.names[i];
      this.plot.append(this.ring);
    }
    unmark() { this.ring?.remove(); }
  }

  const halves = (all) => [all.subarray(0, all.length / 2), all.subarray(all.length / 2)];
  const mean = (v) => {
    let sum = 0, count = 0;
    for (const value of v) if (value === value) { sum += value; ++count; }
    return count ? sum / count : 0;
  };
  // (x, y) rotated or reflected so that it lies as near to (u, v) as it can; no scaling.
  function turned(x, y, u, v) {
    const [mx, my, mu, mv] = [mean(x), mean(y), mean(u), mean(v)];
    let xu = 0, xv = 0, yu = 0, yv = 0;
    for (let i = 0; i < x.length; ++i) {
      const a = x[i] - mx, b = y[i] - my, c = u[i] - mu, d = v[i] - mv;
      if (!(a === a && b === b && c === c && d === d)) continue;
      xu += a * c; xv += a * d; yu += b * c; yv += b * d;
    }
    const sign = Math.hypot(xu + yv, xv - yu) >= Math.hypot(xu - yv, xv + yu) ? 1 : -1;
    const angle = Math.atan2(xv - sign * yu, xu + sign * yv);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [x.map((a, i) => c * (a - mx) - s * sign * (y[i] - my)), x.map((a, i) => s * (a - mx) + c * sign * (y[i] - my)), [c, -s * sign, s, c * sign]];
  }

  // All maps of one dataset: what they share is chosen once, and an object pointed at in one is shown in all.
  class MapGroup {
    constructor(node) {
      this.node = node;
      const dataset = page.datasets[node.dataset.dataset];
      this.views = page.maps.filter((view) => page.single || page.runs[view.run].dataset === dataset);
      this.parts = unique(this.views.map((view) => page.runs[view.run].part));
      this.part = this.parts[0];
      this.aspects = unique(this.views.map((view) => view.aspect));
      this.aspect = "";
      this.dimensions = Math.max(...this.views.map((view) => view.dimensions));
      this.axes = [0, 1];
      this.emphasis = new Set();
      this.found = null;
      const objects = this.views.map((view) => page.objects[view.objects]);
      this.objects = objects[0];
      const largest = Math.max(...objects.map((list) => list.names.length));
      const lengths = this.objects.names.map((name) => name.length).sort((a, b) => a - b);
      this.names = largest <= kNamedObjects && lengths[Math.floor(lengths.length / 2)] <= kNameLength;
      this.align = this.views.filter((view) => view.dimensions === 2).length > 1;
      this.maps = [];

      const bar = el("div", { class: "bar" });
      if (this.parts.length > 1) bar.append(menu("Run", this.parts.map((part) => [part, capital(part)]), (part) => { this.part = part; this.build(); }).node);
      if (this.aspects.length > 1)
        bar.append(menu("Aspect", [["", "all"], ...this.aspects.filter(Boolean).map((aspect) => [aspect, aspect])], (aspect) => { this.aspect = aspect; this.build(); }).node);
      if (this.dimensions > 2) {
        const pairs = [];
        for (let a = 0; a < this.dimensions; ++a) for (let b = a + 1; b < this.dimensions; ++b) pairs.push([`${a},${b}`, `x${a + 1}, x${b + 1}`]);
        bar.append(menu("Axes", pairs, (pair) => { this.axes = pair.split(",").map(Number); this.redraw(); }).node);
      }
      if (largest <= kWebGlPoints) bar.append(check("Names", this.names, (on) => { this.names = on; for (const map of this.maps) map.showNames(); }));
      const outlined = this.views.some((view) => view.covariances) && largest <= kWebGlPoints;
      this.ellipses = outlined && largest <= kNamedObjects;
      if (outlined) bar.append(check("95 % ellipses", this.ellipses, (on) => { this.ellipses = on; this.redraw(); }));
      if (this.align) bar.append(check("Turn to match", true, (on) => { this.align = on; this.redraw(); }));
      bar.append(this.finder());
      node.append(bar);
      this.legend = el("div", { class: "legend" });
      node.append(this.legend);
      this.grid = el("div", { class: largest > kWebGlPoints ? "grid large" : "grid" });
      node.append(this.grid);
      this.caption = el("p", { class: "caption" });
      node.append(this.caption);
      this.build();
      redraws.add(() => this.redraw());
    }
    finder() {
      const all = unique(this.objects.names);
      const id = `names-${this.node.dataset.dataset}`;
      const input = el("input", { type: "search", placeholder: "Find an object", "aria-label": "Find an object", list: all.length <= 3000 ? id : null, oninput: () => {
        const wanted = input.value.trim().toLowerCase();
        const names = this.objects.names;
        let at = wanted ? names.findIndex((name) => name.toLowerCase() === wanted) : -1;
        if (wanted && at < 0) at = names.findIndex((name) => name.toLowerCase().startsWith(wanted));
        this.found = at < 0 ? null : at;
        this.unmark();
      } });
      const holder = el("span", {}, input);
      if (all.length <= 3000) holder.append(el("datalist", { id }, ...all.map((name) => el("option", { value: name }))));
      return holder;
    }
    build() {
      for (const map of this.maps) map.remove();
      const shown = this.views.filter((view) => page.runs[view.run].part === this.part && (!this.aspect || view.aspect === this.aspect));
      const order = (view) => page.methods.indexOf(page.runs[view.run].method);
      shown.sort((a, b) => order(a) - order(b));
      this.maps = shown.map((view) => new MapPlot(this, view));
      this.reference = this.maps.find((map) => map.view.dimensions === 2);
      this.grid.replaceChildren(...this.maps.map((map) => map.node));
      this.describe();
    }
    describe() {
      const { labels, label_names: names } = this.objects;
      this.legend.replaceChildren();
      const notes = [];
      if (labels && names.length <= kMaxColours) {
        names.forEach((name, k) => this.legend.append(el("button", { type: "button", "aria-pressed": "true", title: "Show this label alone, or with others", onclick: () => this.emphasise(k) }, swatch(k), name)));
        if (labels.includes(-1)) {
          const holder = el("span");
          holder.innerHTML = '<svg width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="4.5" fill="none" stroke-width="1.5" style="stroke:var(--faint)"/></svg>';
          holder.append("no label");
          this.legend.append(holder);
        }
      } else if (labels) {
        notes.push(`${names.length} labels are more than colours can tell apart: point at an object to read its label.`);
      }
      if (this.align) notes.push("Maps are turned and mirrored to match the first; distances are untouched.");
      if (this.dimensions === 1) notes.push("These maps are lines: height is only the rank, so that names can be told apart.");
      notes.push(...this.certainty());
      const unplaced = this.maps.reduce((sum, map) => sum + map.view.unplaced, 0);
      if (unplaced > 0) notes.push(`${unplaced} ${unplaced === 1 ? "object has" : "objects have"} no coordinates and ${unplaced === 1 ? "is" : "are"} not drawn.`);
      this.caption.textContent = notes.join(" ");
    }
    // What the ellipses mean, in words.
    certainty() {
      const views = this.maps.map((map) => map.view).filter((view) => view.covariances);
      if (views.length === 0) return [];
      const runs = views.map((view) => page.runs[view.run]);
      const span = (name, write) => {
        const values = runs.map((run) => run[name]).filter(finite);
        const [low, high] = [Math.min(...values), Math.max(...values)].map(write);
        return low === high ? low : `${low} to ${high}`;
      };
      const out = [`An ellipse holds 95 % of the places where its object would lie had other ${unique(runs.map((run) => run.resampled)).join(" or ")} been drawn, by ${span("replicates", String)} bootstrap replicates whose scatter is taken for normal.`,
        `A typical object would move by ${span("typical_shift", (shift) => `${+(100 * shift).toPrecision(2)} %`)} of the map's radius (stability ${span("stability", (s) => String(Math.floor(1e4 * s) / 1e4))}).`];
      const without = views.reduce((sum, view) => sum + floats(view.covariances).subarray(0, page.objects[view.objects].names.length).reduce((count, v) => count + (v !== v), 0), 0);
      if (without > 0) out.push(`${without} ${without === 1 ? "object has" : "objects have"} no ellipse, being held in place or in too few replicates.`);
      if (this.maps.some((map) => map.webGl)) out.push("There are too many objects here to draw theirs.");
      return out;
    }
    emphasise(k) {
      if (this.emphasis.has(k)) this.emphasis.delete(k);
      else this.emphasis.add(k);
      this.legend.querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", String(this.emphasis.size === 0 || this.emphasis.has(i))));
      this.redraw();
    }
    redraw() { for (const map of this.maps) if (map.drawn) map.draw(); }
    mark(i, from) {
      for (const map of this.maps) if (map !== from && map.view.objects === from.view.objects) map.mark(i);
      from.unmark();
    }
    unmark() { for (const map of this.maps) if (this.found === null) map.unmark(); else map.mark(this.found); }
    follow(map) { if (this.found === null) map.unmark(); else map.mark(this.found); }
  }

  // ---- curves

  const kTitles = { objective: "Objective", heldout_error: "Held-out error", train_error: "Training error" };
  const titleOf = (column) => kTitles[column] ?? capital(column.replace(/_/g, " "));
  const finite = (v) => v !== null && v !== undefined;

  class CurvePlot {
    constructor(group, columns) {
      this.group = group;
      this.column = columns[0];
      this.canvas = el("div", { class: "canvas" });
      const bar = el("div", { class: "bar" });
      const heading = el("span", {}, titleOf(this.column));
      if (columns.length > 1) bar.append(menu("Show", columns.map((column) => [column, titleOf(column)]), (column) => { this.column = column; heading.textContent = titleOf(column); this.guessLog(); this.draw(); }).node);
      this.logBox = check("Log scale", false, (on) => { this.log = on; this.draw(); });
      bar.append(this.logBox);
      this.node = el("figure", { class: "curve" }, el("figcaption", {}, heading), bar, el("div", { class: "plot" }, this.canvas));
      this.guessLog();
      drawers.set(this.node, this);
      watcher.observe(this.node);
    }
    values() { return this.group.traces.flatMap((trace) => trace.columns[this.column] ?? []).filter(finite); }
    guessLog() {
      const values = this.values();
      const low = values.reduce((a, b) => Math.min(a, b), Infinity);
      const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      const box = this.logBox.firstChild;
      box.disabled = !(high > 0);
      this.log = low > 0 && high / low > 30;
      box.checked = this.log;
    }
    enter() { if (!this.drawn) this.draw(); }
    leave() {}
    draw() {
      this.drawn = true;
      const { traces, hidden, time, logTime } = this.group;
      const first = new Map();
      for (const trace of traces) if (!first.has(trace.method)) first.set(trace.method, trace.run);
      const lines = [];
      for (const trace of traces) {
        const y = trace.columns[this.column];
        if (!y || hidden.has(trace.method) || !y.some(finite)) continue;
        const keep = y.map((_, i) => i).filter((i) => finite(y[i]) && finite(trace.columns[time][i]));
        const k = page.methods.indexOf(trace.method);
        const main = first.get(trace.method) === trace.run;
        const xs = keep.map((i) => trace.columns[time][i]);
        const ys = keep.map((i) => y[i]);
        lines.push({
          main, type: "scatter", mode: keep.length <= 30 && main ? "lines+markers" : "lines", x: xs, y: ys, hoverinfo: "text",
          hovertext: keep.map((i, j) => `<b>${literal(trace.method)}</b>${this.group.parts > 1 ? ` · ${page.runs[trace.run].part}` : ""}<br>${titleOf(this.column)} ${short(ys[j])}<br>${time === "seconds" ? `${short(xs[j])} s` : `iteration ${xs[j]}`}`),
          line: { color: colour(k), width: main ? 2.2 : 1, dash: kDashes[Math.floor(k / kPalette) % kDashes.length] }, marker: { size: 4.5 }, opacity: main ? 1 : 0.4,
        });
      }
      lines.sort((a, b) => a.main - b.main);
      lines.forEach((line) => delete line.main);
      const axis = { gridcolor: css("--grid"), linecolor: css("--line"), zeroline: false, tickfont: { size: 11 }, automargin: true };
      Plotly.react(this.canvas, lines, {
        margin: { l: 52, r: 16, t: 10, b: 44 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
        font: fonts(), hoverlabel: hoverlabel(), dragmode: coarse ? false : "zoom", modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") },
        xaxis: { ...axis, type: logTime ? "log" : "linear", ...(logTime ? logTicks(lines.flatMap((line) => line.x)) : {}), title: { text: time === "seconds" ? "Seconds of solving" : "Iteration", standoff: 6 } },
        yaxis: { ...axis, type: this.log ? "log" : "linear", ...(this.log ? logTicks(lines.flatMap((line) => line.y)) : {}) },
      }, config(`${page.datasets[this.group.dataset] ?? ""} ${this.column}`));
    }
  }

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
        const named = digit === 1 ? (k - low) % step === 0 : decades <= 2;
        ticks.ticktext.push(!named ? "" : digit === 1 ? power(k) : k >= -4 && k <= 4 ? String(+(digit * 10 ** k).toPrecision(1)) : `${digit}·${power(k)}`);
      }
    }
    return ticks;
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
      this.time = this.traces.every((trace) => trace.columns.seconds) ? "seconds" : "iteration";
      const ends = this.traces.map((trace) => (trace.columns[this.time] ?? []).filter(finite).at(-1)).filter((v) => v > 0);
      this.logTime = ends.length > 1 && Math.max(...ends) / Math.min(...ends) > 10;
      const errors = unique(this.traces.flatMap((trace) => Object.keys(trace.columns)))
        .filter((column) => !["iteration", "seconds", "objective"].includes(column) && this.traces.some((trace) => trace.columns[column]?.some(finite)));
      this.plots = [];
      if (this.traces.some((trace) => trace.columns.objective?.some(finite))) this.plots.push(new CurvePlot(this, ["objective"]));
      if (errors.length > 0) this.plots.push(new CurvePlot(this, errors));
      if (this.plots.length === 0) return;

      const bar = el("div", { class: "bar" });
      const axes = ["seconds", "iteration"].filter((time) => this.traces.every((trace) => trace.columns[time]));
      if (axes.length > 1) bar.append(menu("Against", axes.map((time) => [time, time === "seconds" ? "seconds" : "iterations"]), (time) => { this.time = time; this.redraw(); }).node);
      bar.append(check("Log time", this.logTime, (on) => { this.logTime = on; this.redraw(); }));
      const legend = el("div", { class: "legend" });
      if (this.methods.length > 1) this.methods.forEach((method) => {
        const k = page.methods.indexOf(method);
        const holder = el("span");
        holder.innerHTML = `<svg width="22" height="10" aria-hidden="true"><line x1="1" x2="21" y1="5" y2="5" stroke-width="2.5" style="stroke:var(--c${(k % kPalette) + 1})" stroke-dasharray="${["", "6 3", "2 2", "6 2 2 2"][Math.floor(k / kPalette) % 4]}"/></svg>`;
        const chip = el("button", { type: "button", "aria-pressed": "true", title: "Show or hide this method", onclick: () => {
          if (this.hidden.has(method)) this.hidden.delete(method);
          else this.hidden.add(method);
          chip.setAttribute("aria-pressed", String(!this.hidden.has(method)));
          this.redraw();
        } }, holder.firstChild, method);
        legend.append(chip);
      });
      const notes = [];
      if (this.parts > 1) notes.push("The thick line is the first run of a method, thin lines are its other repeats.");
      const problems = unique(this.traces.map((trace) => page.runs[trace.run].problem));
      if (problems.length > 1) notes.push("Objectives of different problems have different units and can not be compared.");
      notes.push("The clock stands still while errors are measured.");
      node.append(bar, legend, el("div", { class: "pair" }, ...this.plots.map((plot) => plot.node)), el("p", { class: "caption" }, notes.join(" ")));
      redraws.add(() => this.redraw());
    }
    redraw() { for (const plot of this.plots) if (plot.drawn) plot.draw(); }
  }

  // ---- one metric against another, a point a method

  const kPreferred = [["metrics.smoothed_recall", "metrics.smoothed_precision"], ["metrics.continuity", "metrics.trustworthiness"]];
  const kNamedMethods = 14; // names stand beside so many points; of more they are said on hovering

  class TradeoffPlot {
    constructor(node) {
      this.dataset = page.datasets[node.dataset.dataset];
      const runs = page.runs.filter((run) => run.dataset === this.dataset);
      this.runs = runs;
      const several = (metric) => unique(runs.filter((run) => finite(run.metrics[metric.name])).map((run) => run.method)).length > 1;
      this.metrics = page.metrics.filter(several);
      const has = (name) => this.metrics.some((metric) => metric.name === name);
      [this.x, this.y] = kPreferred.find((pair) => pair.every(has)) ?? [this.metrics[1].name, this.metrics[0].name];
      this.log = false;
      this.canvas = el("div", { class: "canvas" });
      const choices = this.metrics.map((metric) => [metric.name, metric.title]);
      const across = menu("Across", choices, (name) => { this.x = name; this.draw(); });
      const up = menu("Up", choices, (name) => { this.y = name; this.draw(); });
      across.select.value = this.x;
      up.select.value = this.y;
      const bar = el("div", { class: "bar" }, across.node, up.node, check("Log scales", false, (on) => { this.log = on; this.draw(); }));
      this.node = node;
      this.caption = el("p", { class: "caption" });
      node.append(el("figure", { class: "curve" }, el("figcaption", {}, el("span", {}, "One metric against another")), bar, el("div", { class: "plot" }, this.canvas)), this.caption);
      drawers.set(node, this);
      watcher.observe(node);
      redraws.add(() => { if (this.drawn) this.draw(); });
    }
    enter() { if (!this.drawn) this.draw(); }
    leave() {}
    draw() {
      this.drawn = true;
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
      const traces = [];
      if (single) traces.push({
        type: "scatter", mode: "markers", hoverinfo: "skip", x: shown.map((run) => run.metrics[this.x]), y: shown.map((run) => run.metrics[this.y]),
        marker: { size: 4, opacity: 0.45, color: shown.map((run) => colour(page.methods.indexOf(run.method))) },
      });
      traces.push({
        type: "scatter", mode: methods.length <= kNamedMethods ? "markers+text" : "markers", x: points.map((p) => p.x), y: points.map((p) => p.y),
        text: points.map((p) => ` ${literal(p.method)} `), textposition: points.map(inward), textfont: { ...fonts(), size: 11, color: css("--ink") }, cliponaxis: false,
        hoverinfo: "text", hovertext: points.map((p) => `<b>${literal(p.method)}</b><br>${mx.title} ${short(p.x)}<br>${my.title} ${short(p.y)}${p.own.length > 1 ? `<br>means of ${p.own.length} runs` : ""}`),
        marker: { size: 10, color: points.map((p) => colour(p.k)), symbol: points.map((p) => kSymbols[Math.floor(p.k / kPalette) % 3]), line: { width: 1, color: css("--card") } },
      });
      const axis = { gridcolor: css("--grid"), linecolor: css("--line"), zeroline: false, tickfont: { size: 11 }, automargin: true };
      const along = (metric, values) => ({
        ...axis, type: this.log ? "log" : "linear", ...(this.log ? logTicks(values) : {}),
        autorange: metric.higher_is_better === false ? "reversed" : true,
        title: { text: metric.title + (metric.higher_is_better === false ? " (less is better)" : ""), standoff: 6 },
      });
      Plotly.react(this.canvas, traces, {
        margin: { l: 60, r: 40, t: 26, b: 50 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
        font: fonts(), hoverlabel: hoverlabel(), dragmode: coarse ? false : "zoom", modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") },
        xaxis: along(mx, shown.map((run) => run.metrics[this.x])), yaxis: along(my, shown.map((run) => run.metrics[this.y])),
      }, config(`${this.dataset} ${mx.title} ${my.title}`));
      const known = [mx, my].every((metric) => finite(metric.higher_is_better));
      this.caption.textContent = (known ? "The best methods are at the top right: axes on which less is better run backwards." : "It is not known of every metric whether more of it is better.")
        + (single ? " Large points are means over a method's runs, small ones its runs." : "")
        + (methods.length < unique(this.runs.map((run) => run.method)).length ? " Methods without both numbers are not shown." : "");
    }
  }

  // ---- the error of every dimension that was tried

  class DimensionPlot {
    constructor(node) {
      const run = page.runs[node.dataset.run];
      this.chosen = run.chosen_dimension;
      this.points = run.dimensions.filter((point) => finite(point.validation_error));
      this.name = `${run.dataset} dimensions`;
      this.canvas = el("div", { class: "canvas" });
      this.node = node;
      node.append(el("figure", { class: "curve" }, el("figcaption", {}, el("span", {}, "Error by dimension"), el("small", {}, run.part)), el("div", { class: "plot" }, this.canvas)),
        el("p", { class: "caption" }, "Bars are one standard error each way; the dashed line lies one standard error above the lowest error. The dimension chosen has a ring."));
      drawers.set(node, this);
      watcher.observe(node);
      redraws.add(() => { if (this.drawn) this.draw(); });
    }
    enter() { if (!this.drawn) this.draw(); }
    leave() {}
    draw() {
      this.drawn = true;
      const x = this.points.map((point) => point.n_components);
      const y = this.points.map((point) => point.validation_error);
      const bars = this.points.map((point) => point.standard_error ?? 0);
      const best = y.indexOf(Math.min(...y));
      const at = x.indexOf(this.chosen);
      const curve = {
        type: "scatter", mode: "lines+markers", x, y, error_y: { type: "data", array: bars, color: css("--faint"), thickness: 1.4, width: 4 },
        hoverinfo: "text", hovertext: x.map((d, i) => `<b>${d} ${d === 1 ? "dimension" : "dimensions"}</b><br>error ${short(y[i])} ± ${short(bars[i])}`),
        line: { color: colour(0), width: 2 }, marker: { size: 6, color: colour(0) },
      };
      const ring = { type: "scatter", mode: "markers", x: at < 0 ? [] : [x[at]], y: at < 0 ? [] : [y[at]], hoverinfo: "skip", marker: { size: 16, symbol: "circle-open", color: css("--ink"), line: { width: 2 } } };
      const bound = y[best] + bars[best];
      const axis = { gridcolor: css("--grid"), linecolor: css("--line"), zeroline: false, tickfont: { size: 11 }, automargin: true };
      Plotly.react(this.canvas, [curve, ring], {
        margin: { l: 52, r: 16, t: 10, b: 44 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
        font: fonts(), hoverlabel: hoverlabel(), dragmode: false, modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") },
        xaxis: { ...axis, tickmode: "array", tickvals: x, showgrid: false, title: { text: "Dimensions", standoff: 6 } },
        yaxis: { ...axis, title: { text: "Validation error", standoff: 6 } },
        shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: bound, y1: bound, line: { color: css("--faint"), width: 1, dash: "dash" } }],
      }, config(this.name));
    }
  }

  for (const node of document.querySelectorAll(".dimensions")) new DimensionPlot(node);
  for (const node of document.querySelectorAll(".maps")) new MapGroup(node);
  for (const node of document.querySelectorAll(".curves")) new CurveGroup(node);
  for (const node of document.querySelectorAll(".tradeoff")) new TradeoffPlot(node);
})();
