// ---- all maps of one dataset: what they share is chosen once

const kMaxPins = 8;
const kPicturedObjects = 100; // pictures are shown from the start on maps of up to so many
const kRingedMatches = 60; // objects found by their names that are marked
const kNearest = 5;       // objects named as nearest to a pinned one
const kNamedApart = 8;    // objects named that lie apart
const kMapsOfPins = 12;   // maps whose nearest are listed
const kFirstTurn = (() => { // from the right and above
  const [a, b] = [-0.6, 0.45];
  return times([[1, 0, 0], [0, Math.cos(b), -Math.sin(b)], [0, Math.sin(b), Math.cos(b)]], [[Math.cos(a), 0, Math.sin(a)], [0, 1, 0], [-Math.sin(a), 0, Math.cos(a)]]);
})();

for (const list of page.objects) for (const column of list.columns) if (column.values) column.values = floats(column.values);

links.pinned = [];
links.pin = function (mark) {
  const same = (other) => other.list === mark.list && other.index === mark.index;
  if (this.pinned.some(same)) this.pinned = this.pinned.filter((other) => !same(other));
  else this.pinned = [...this.pinned, mark].slice(-kMaxPins);
  keep("pin", this.pinned.map((other) => other.name));
  this.changed();
};
links.changed = function () { for (const group of this.groups) group.pinsChanged(); };

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
    this.space = this.dimensions === 3;
    this.turn = kFirstTurn;
    this.emphasis = new Set();
    this.found = []; // marks of the objects whose names match, the best first
    this.lists = unique(this.views.map((view) => view.objects)).map((k) => page.objects[k]);
    const largest = Math.max(...this.lists.map((list) => list.names.length));
    this.names = largest <= kNamedObjects;
    const alike = (d) => this.views.filter((view) => view.dimensions === d).length > 1;
    this.align = alike(2) || alike(3);
    this.maps = [];
    this.traced = null; // place in the list of violated triplets that is pointed at
    this.styles = new Map();

    const bar = el("div", { class: "bar" });
    if (this.parts.length > 1) bar.append(menu("Run", this.parts.map((part) => [part, capital(part)]), (part) => { this.part = part; this.build(); }).node);
    if (this.aspects.length > 1)
      bar.append(menu("Aspect", [["", "all"], ...this.aspects.filter(Boolean).map((aspect) => [aspect, aspect])], (aspect) => { this.aspect = aspect; this.build(); }).node);
    if (this.dimensions > 2) {
      const pairs = [["space", this.dimensions === 3 ? "in space" : "in space: x1, x2, x3"]];
      for (let a = 0; a < this.dimensions; ++a) for (let b = a + 1; b < this.dimensions; ++b) pairs.push([`${a},${b}`, `x${a + 1}, x${b + 1}`]);
      bar.append(menu("Axes", pairs, (pair) => {
        this.space = pair === "space";
        if (!this.space) this.axes = pair.split(",").map(Number);
        this.redraw();
        this.describe();
      }, this.space ? "space" : "0,1").node);
    }
    const columns = unique(this.lists.flatMap((list) => list.columns.map((column) => column.name)));
    const certain = this.views.some((view) => view.covariances || view.spreads);
    const choices = [...columns.map((name) => [`c:${name}`, name]), ...(certain ? [["spread", "uncertainty"]] : [])];
    this.colourBy = columns.length > 0 ? `c:${columns[0]}` : "";
    if (choices.length > 1 || (choices.length === 1 && columns.length === 0))
      bar.append(menu("Colour", [...choices, ["", "none"]], (by) => { this.colourBy = by; this.emphasis.clear(); this.restyle(); }, this.colourBy).node);
    if (certain) bar.append(menu("Size", [["", "equal"], ["spread", "uncertainty"]], (by) => { this.sized = by === "spread"; this.restyle(); }).node);
    if (largest <= kMaxNames) bar.append(check("Names", this.names, (on) => { this.names = on; for (const map of this.maps) map.soon(); }));
    const outlined = this.views.some((view) => view.covariances) && largest <= kMaxNames;
    this.ellipses = outlined && largest <= kNamedObjects;
    if (outlined) bar.append(check("95 % ellipses", this.ellipses, (on) => { this.ellipses = on; this.redraw(); }));
    if (this.lists.some((list) => list.pictures)) bar.append(check("Pictures", this.pictures = largest <= kPicturedObjects, (on) => { this.pictures = on; for (const map of this.maps) map.soon(); }));
    if (this.align) bar.append(check("Turn to match", true, (on) => { this.align = on; this.redraw(); }));
    bar.append(...this.finder());
    node.append(bar);
    this.legend = el("div", { class: "legend", role: "group", "aria-label": "What the colours mean" });
    node.append(this.legend);
    this.panel = el("div", { class: "pins", hidden: true });
    node.append(this.panel);
    this.grid = el("div", { class: largest > kMaxNames || this.space ? "grid large" : "grid" });
    node.append(this.grid);
    this.caption = el("p", { class: "caption" });
    node.append(this.caption);
    links.groups.push(this);
    this.build();
    const section = node.closest("section").id;
    for (const event of ["input", "change"]) bar.addEventListener(event, () => keep("at", [section]));
    keepControls(bar, section);
    this.takeZoom();
    this.ready = true;
    redraws.add(() => this.restyle());
  }
  finder() {
    const all = unique(this.lists[0].names.filter((name) => name.trim() !== ""));
    const id = `names-${this.node.dataset.dataset}`;
    const said = el("span", { role: "status" });
    const input = el("input", { type: "search", placeholder: "Find an object", "aria-label": "Find an object by name; Enter pins it", list: all.length <= kMaxNames ? id : null, "data-keep": "find", oninput: () => {
      const wanted = input.value.trim().toLowerCase();
      const list = page.objects.indexOf(this.lists[0]);
      const rank = (name) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3);
      this.found = !wanted ? [] : this.lists[0].names.map((name, index) => ({ list, index, name, rank: rank(name.toLowerCase()) }))
        .filter((mark) => mark.rank < 3).sort((a, b) => a.rank - b.rank);
      said.textContent = !wanted ? "" : this.found.length === 0 ? "no object with this name"
        : this.found.length === 1 ? "" : `${this.found.length} match${this.found.length > kRingedMatches ? `, ${kRingedMatches} are marked` : ""}; Enter pins ${cut(named(this.found[0].name), 40)}`;
      this.placeRings();
    }, onkeydown: (event) => { if (event.key === "Enter" && this.found.length > 0) { event.preventDefault(); this.pin(this.found[0]); } } });
    const holder = el("span", {}, input);
    if (all.length <= kMaxNames) holder.append(el("datalist", { id }, ...all.map((name) => el("option", { value: name }))));
    return [holder, said];
  }
  build() {
    for (const map of this.maps) map.remove();
    const shown = this.views.filter((view) => page.runs[view.run].part === this.part && (!this.aspect || view.aspect === this.aspect));
    const order = (view) => page.methods.indexOf(page.runs[view.run].method);
    shown.sort((a, b) => order(a) - order(b));
    this.maps = shown.map((view) => new MapView(this, view));
    this.grid.replaceChildren(...this.maps.map((map) => map.node));
    this.describe();
    this.pinsChanged();
    if (this.ready) this.keepZoom();
  }

  // ---- colours and sizes

  // How far an object moves, root mean square over the coordinates; null where that is not known.
  spreads(view) {
    if (view.spread === undefined) {
      view.spread = null;
      if (view.spreads) view.spread = floats(view.spreads);
      else if (view.covariances) {
        const all = floats(view.covariances);
        const n = all.length / 3;
        view.spread = all.subarray(0, n).map((v, i) => Math.sqrt((v + all[2 * n + i]) / 2));
      }
    }
    return view.spread;
  }
  // The categories of a column over all lists, in an order that suits them.
  categories(name) {
    const all = unique(this.lists.flatMap((list) => list.columns.find((column) => column.name === name)?.categories ?? []));
    return this.lists.length === 1 ? all : all.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  }
  styleOf(view) {
    const key = this.colourBy === "spread" ? view : view.objects;
    if (this.styles.has(key)) return this.styles.get(key);
    const style = this.makeStyle(view);
    this.styles.set(key, style);
    return style;
  }
  makeStyle(view) {
    const plain = { looks: [{ fill: colour(0), symbol: 0 }], codes: null, dim: () => false, legend: [], numeric: false };
    const name = this.colourBy.slice(2);
    const column = this.colourBy.startsWith("c:") ? page.objects[view.objects].columns.find((c) => c.name === name) : null;
    const values = this.colourBy === "spread" ? this.spreads(view) : column?.values;
    if (values) {
      const others = this.colourBy === "spread" ? this.views.map((other) => this.spreads(other)) : this.lists.map((list) => list.columns.find((c) => c.name === name)?.values);
      let [low, high] = [Infinity, -Infinity];
      for (const list of others) if (list) for (const v of list) if (v === v) { low = Math.min(low, v); high = Math.max(high, v); }
      const looks = page.ramp.map((fill) => ({ fill, symbol: 0 }));
      looks.push({ fill: css("--faint"), symbol: 0, hollow: true });
      const codes = Uint8Array.from(values, (v) => (v === v ? Math.min(Math.floor((v - low) / (high - low || 1) * page.ramp.length), page.ramp.length - 1) : page.ramp.length));
      return { ...plain, looks, codes, numeric: true, range: [low, high], name: this.colourBy === "spread" ? "uncertainty" : name };
    }
    if (!column) return plain;
    const all = this.categories(name);
    if (all.length > kMaxColours) return { ...plain, tooMany: all.length };
    const looks = all.map((_, k) => ({ fill: colour(k), symbol: symbol(k) }));
    looks.push({ fill: css("--faint"), symbol: 0, hollow: true });
    const place = column.categories.map((category) => all.indexOf(category));
    const codes = Uint8Array.from(column.codes, (code) => (code < 0 ? all.length : place[code]));
    return { ...plain, looks, codes, legend: all, unlabelled: codes.includes(all.length), dim: (i) => this.emphasis.size > 0 && !this.emphasis.has(codes[i]) };
  }
  restyle() {
    this.styles.clear();
    this.describe();
    this.redraw();
  }
  redraw() { for (const map of this.maps) map.redraw(); }
  emphasise(k) {
    if (this.emphasis.has(k)) this.emphasis.delete(k);
    else this.emphasis.add(k);
    this.legend.querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", String(this.emphasis.size === 0 || this.emphasis.has(i))));
    this.redraw();
  }

  // ---- space: all maps turn together

  turnTo(turn) {
    this.turn = turn;
    for (const map of this.maps) map.soon();
  }
  turnBy(about, over) {
    const [c, s, d, t] = [Math.cos(about), Math.sin(about), Math.cos(over), Math.sin(over)];
    const step = times([[1, 0, 0], [0, d, -t], [0, t, d]], [[c, 0, s], [0, 1, 0], [-s, 0, c]]);
    for (const map of this.maps) map.stir();
    this.turnTo(times(step, this.turn));
  }

  // ---- words

  describe() {
    this.legend.replaceChildren();
    const notes = [];
    const styles = unique(this.maps.map((map) => this.styleOf(map.view)));
    const style = styles.find((s) => s.legend.length > 0 || s.numeric) ?? styles[0];
    const tooMany = styles.find((s) => s.tooMany);
    if (style?.legend.length > 0) {
      style.legend.forEach((name, k) => this.legend.append(el("button", { type: "button", "aria-pressed": "true", title: "Show only this label; click more to add them", onclick: () => this.emphasise(k) }, swatch(k), el("span", { class: "word", dir: "auto" }, cut(named(name), 80)))));
      if (styles.some((s) => s.unlabelled)) {
        const holder = el("span");
        holder.innerHTML = '<svg width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="4.5" fill="none" stroke-width="1.5" style="stroke:var(--faint)"/></svg>';
        holder.append("no label");
        this.legend.append(holder);
      }
    } else if (style?.numeric) {
      const stops = page.ramp.filter((_, k) => k % 7 === 0).join(",");
      this.legend.append(el("span", { class: "ramp" }, `${cut(style.name, 60)}: ${short(style.range[0])}`, el("i", { style: `background:linear-gradient(90deg,${stops})` }), short(style.range[1])));
    } else if (tooMany) {
      notes.push(`Too many labels (${tooMany.tooMany}) to colour. Point at an object to read its label.`);
    }
    if (this.maps.length > 0) notes.push("Point at an object to see it on every map. Click it, or press Enter, to pin it. " + this.ways());
    if (this.maps.length > 0 && touched) notes.push(`Use two fingers to move and zoom a map.${this.space ? " One finger turns it sideways. Tap a map first to turn it every way." : ""}`);
    if (this.align) notes.push("Maps are rotated and mirrored to match the first. This does not change distances.");
    if (this.dimensions === 1) notes.push("These maps have one dimension. The height is only the rank, so that names do not overlap.");
    notes.push(...this.certainty());
    const few = (names) => `${names.slice(0, kNamedApart).map((name) => cut(name, 40)).join(", ")}${names.length > kNamedApart ? `, and ${names.length - kNamedApart} more` : ""}`;
    const uncertain = unique(this.maps.flatMap((map) => [...map.uncertain].map((i) => named(map.objects.names[i]))));
    if (uncertain.length > 0) notes.push(`The answers do not place ${counted(uncertain.length, "object")}: the 95 % region is wider than the map. ${uncertain.length === 1 ? "It has a ring, and its region is" : "They have rings, and their regions are"} drawn when you point: ${few(uncertain)}.`);
    if (this.sized) notes.push("Larger points have less certain places.");
    const unplaced = this.maps.reduce((sum, map) => sum + map.view.unplaced, 0);
    if (unplaced > 0) notes.push(`${counted(unplaced, "object")} ${unplaced === 1 ? "has" : "have"} no coordinates and ${unplaced === 1 ? "is" : "are"} not drawn.`);
    const apart = unique(this.maps.flatMap((map) => [...map.apart].map((i) => named(map.objects.names[i]))));
    if (apart.length > 0) notes.push(`A ring marks an object that is far from the others or has too few answers for a place. The scale fits the others; an object outside it is drawn at the border. Rings: ${few(apart)}.`);
    this.caption.textContent = notes.join(" ");
  }
  // How maps are moved: what is shown in space turns.
  ways() {
    const turning = this.maps.filter((map) => map.space).length;
    const wheel = "Zoom with Ctrl + wheel, or click the map and use the wheel.";
    if (turning === 0) return `Drag to move. ${wheel}`;
    const keys = "The arrow keys turn, too; Shift + arrow goes from object to object.";
    return (turning === this.maps.length ? `Drag to turn, Shift + drag to move. ${keys} ` : `Drag to move a map in the plane. In space, drag to turn and Shift + drag to move. ${keys} `) + wheel;
  }
  // What the ellipses mean, in words.
  certainty() {
    const views = this.maps.map((map) => map.view).filter((view) => view.covariances || view.spreads);
    if (views.length === 0) return [];
    const runs = views.map((view) => page.runs[view.run]);
    const span = (name, write) => {
      const values = runs.map((run) => run[name]).filter(finite);
      if (values.length === 0) return "?";
      const [low, high] = [Math.min(...values), Math.max(...values)].map(write);
      return low === high ? low : `${low} to ${high}`;
    };
    const flat = views.some((view) => view.covariances);
    const of = `from ${span("replicates", String)} bootstrap replicates with other ${unique(runs.map((run) => run.resampled)).join(" or ")}`;
    const out = [flat ? `An ellipse is a 95 % region for the place of its object, ${of} (normal approximation).` : `Uncertainty: how far an object moves, ${of}.`,
      `A typical object moves by ${span("typical_shift", (shift) => `${+(100 * shift).toPrecision(2)} %`)} of the map radius (stability ${span("stability", (s) => String(Math.floor(1e4 * s) / 1e4))}).`];
    const without = views.reduce((sum, view) => sum + this.spreads(view).reduce((count, v) => count + (v !== v), 0), 0);
    if (without > 0) out.push(`${counted(without, "object")} ${without === 1 ? "has" : "have"} no ${flat ? "ellipse" : "known uncertainty"}: fixed in place, or in too few replicates.`);
    if (flat && this.maps.some((map) => map.count > kMaxNames)) out.push("Maps of many objects have no ellipses.");
    return out;
  }

  // ---- pinned objects

  get pinned() { return links.pinned.filter((mark) => this.maps.some((map) => map.index(mark) >= 0)); }
  placeRings() { for (const map of this.maps) map.marksChanged(); }
  pin(mark) {
    const before = links.pinned.length;
    links.pin(mark);
    say(links.pinned.length < before ? `${named(mark.name)} is unpinned.` : `${cut(named(mark.name), 120)} is pinned. ${this.nearestWords(mark)}`);
  }
  unpinAll() {
    if (links.pinned.length === 0) return;
    links.pinned = [];
    links.changed();
    say("Nothing is pinned.");
  }
  nearestWords(mark) {
    const map = this.maps.find((other) => other.index(mark) >= 0);
    return map ? `Nearest on ${cut(map.title, 60)}: ${this.nearest(map, map.index(mark)).join(", ") || "none"}.` : "";
  }
  // Names of the objects nearest in all dimensions of a map.
  nearest(map, i) {
    const all = floats(map.view.coordinates);
    const n = map.count, d = map.view.dimensions;
    const best = [];
    for (let j = 0; j < n; ++j) {
      if (j === i) continue;
      let far = 0;
      for (let c = 0; c < d; ++c) far += (all[c * n + j] - all[c * n + i]) ** 2;
      if (!(far === far) || (best.length === kNearest && far >= best[kNearest - 1].far)) continue;
      best.push({ far, j });
      best.sort((a, b) => a.far - b.far);
      if (best.length > kNearest) best.pop();
    }
    return best.map(({ j }) => cut(named(map.objects.names[j]), 40));
  }
  pinsChanged() {
    this.traced = null;
    this.placeRings();
    const marks = this.pinned;
    this.panel.hidden = marks.length === 0;
    if (marks.length === 0) return this.panel.replaceChildren();
    const maps = this.maps.slice(0, kMapsOfPins);
    const chips = marks.map((mark) => {
      const map = this.maps.find((other) => other.index(mark) >= 0);
      const [name, ...more] = map.words(map.index(mark));
      return el("li", {}, picture(map.objects, map.index(mark), "pin-picture"), el("b", { dir: "auto" }, cut(name, 120)), more.length > 0 ? el("span", { dir: "auto" }, ` ${more.join(", ")}`) : null,
        el("button", { type: "button", class: "tool", "aria-label": `Unpin ${cut(name, 120)}`, onclick: () => this.pin(mark) }, "×"));
    });
    const last = marks.at(-1);
    const lines = maps.filter((map) => map.index(last) >= 0).map((map) => el("tr", {}, el("th", { scope: "row", dir: "auto" }, cut(named(map.title), 80)),
      el("td", { dir: "auto" }, this.nearest(map, map.index(last)).join(", ") || "–")));
    this.panel.replaceChildren(el("ul", {}, ...chips), el("div", { class: "scroll" }, el("table", { class: "listing" },
      el("caption", {}, `Nearest to ${cut(named(last.name), 80)}`, this.maps.length > maps.length ? ` on the first ${maps.length} of ${counted(this.maps.length, "map")}` : ""),
      el("tbody", {}, ...lines))), ...maps.filter((map) => map.violated && map.index(last) >= 0).map((map) => this.violationList(map, map.index(last))));
  }
  // The triplets with object i as anchor that a map violates.
  violationList(map, i) {
    const { violated, triplets, listed } = map.violations(i);
    const name = cut(named(map.objects.names[i]), 80);
    const where = this.maps.length > 1 ? ` on ${cut(map.title, 60)}` : "";
    if (violated === 0) return el("p", { class: "caption violated" }, `No triplet with ${name} as anchor is violated${where}.`);
    const trace = (k) => { this.traced = k; for (const other of this.maps) other.soon(); };
    const object = (j) => el("td", { dir: "auto" }, cut(named(map.objects.names[j]), 60));
    const shown = listed.reduce((sum, { times }) => sum + times, 0);
    return el("details", { class: "violated", open: true },
      el("summary", {}, `${violated} of ${triplets} triplets with ${name} as anchor are violated${where}`),
      el("p", { class: "caption" }, `The answers say that ${name} is nearer to the first (a whole line) than to the second (a dashed line); the map says otherwise.${shown < violated ? ` Here are ${shown} of the ${violated}: the most frequent.` : ""}`),
      el("div", { class: "scroll" }, el("table", { class: "listing" }, el("caption", { class: "spoken" }, `Violated triplets of ${name}`),
        el("thead", {}, el("tr", {}, ...["Nearer", "Farther", "Times"].map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, ...listed.map(({ near, far, times }, k) => el("tr", { onmouseenter: () => trace(k), onmouseleave: () => trace(null) }, object(near), object(far), el("td", { class: "number" }, String(times))))))));
  }
  // The zoom of every map of the group, for the address.
  keepZoom() {
    const section = this.node.closest("section").id;
    const zooms = this.maps.flatMap((map, k) => (map.seen() ? [[k, ...map.seen()].join("_")] : []));
    keep(`${section}.zoom`, zooms);
    if (zooms.length > 0) keep("at", [section]);
  }
  takeZoom() {
    for (const text of address.getAll(`${this.node.closest("section").id}.zoom`)) {
      const [k, ...wanted] = text.split("_").map(Number);
      const map = this.maps[k];
      if (!map || wanted.length !== 3 || !wanted.every(Number.isFinite)) continue;
      map.wanted = wanted;
      if (map.drawn) map.takeWanted();
    }
  }
}

const wantedPins = address.getAll("pin");
for (const node of document.querySelectorAll(".maps")) new MapGroup(node);
for (const name of wantedPins) {
  const list = page.objects.findIndex((objects) => objects.names.includes(name));
  if (list >= 0) links.pin({ list, index: page.objects[list].names.indexOf(name), name });
}
if (location.hash.startsWith(kView)) goToView();
