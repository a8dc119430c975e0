// ---- tables that sort and filter

const kFilteredRows = 6; // tables of so many rows can be filtered

class SortedTable {
  constructor(table) {
    this.table = table;
    this.body = table.tBodies[0];
    this.rows = [...this.body.rows];
    this.order = [...this.rows];
    this.heads = [...table.tHead.rows[0].cells];
    if (this.rows.length < 2) return;
    this.heads.forEach((head, column) => {
      if (head.textContent.trim() === "") return;
      const button = el("button", { type: "button", class: "sort", onclick: () => this.sort(column) });
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
    });
    const bar = el("div", { class: "bar" });
    const sorts = this.heads.map((head, i) => [String(i), head.textContent.trim()]).filter(([, text]) => text);
    const chosen = menu("Sort by", [["", "original order"], ...sorts], (column) => (column === "" ? this.restore() : this.sort(Number(column), true)));
    chosen.node.classList.add("narrow");
    this.select = chosen.select;
    bar.append(chosen.node);
    if (this.rows.length >= kFilteredRows) this.addFilter(bar);
    table.parentElement.before(bar);
    this.watchWidth();
  }
  addFilter(bar) {
    this.marked = this.body.querySelector(".best, .tied") !== null; // a mark says how a method stands among all, shown or not
    this.texts = this.rows.map((row) => row.textContent.toLowerCase());
    this.words = el("input", { type: "search", placeholder: "Filter rows", "aria-label": "Show only rows with these words", oninput: () => this.filter() });
    this.said = el("span", { role: "status" });
    bar.append(this.words);
    const states = unique(this.rows.map((row) => row.dataset.status).filter(Boolean));
    if (states.length > 1) {
      const status = menu("Status", [["", "all"], ...states.map((state) => [state, state])], (state) => { this.state = state; this.filter(); });
      bar.append(status.node);
    }
    bar.append(this.said);
  }
  // A wide table can be scrolled by the keyboard.
  watchWidth() {
    const box = this.table.parentElement;
    const look = () => {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    };
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", this.table.caption?.textContent ?? "Table");
    new ResizeObserver(look).observe(box);
  }
  value(row, column) {
    const cell = row.cells[column];
    if (!cell) return null;
    if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? null : Number(cell.dataset.value);
    const text = cell.textContent.trim();
    return text === "" || text === "–" ? null : text;
  }
  // The best first, then the worst first, then as it was; what is absent stays last.
  sort(column, fresh = false) {
    const head = this.heads[column];
    const down = head.dataset.better === "higher";
    const now = fresh ? "none" : head.getAttribute("aria-sort");
    const first = down ? "descending" : "ascending";
    const second = down ? "ascending" : "descending";
    if (now === second) return this.restore();
    const next = now === first ? second : first;
    const sign = next === "ascending" ? 1 : -1;
    const order = new Map(this.rows.map((row, i) => [row, i]));
    this.order = [...this.rows].sort((a, b) => {
      const [x, y] = [this.value(a, column), this.value(b, column)];
      if (x === null || y === null) return x === y ? order.get(a) - order.get(b) : x === null ? 1 : -1;
      const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
      return less === 0 ? order.get(a) - order.get(b) : sign * less;
    });
    this.show(column, next);
  }
  restore() {
    this.order = [...this.rows];
    this.show(-1, "none");
  }
  show(column, direction) {
    this.body.append(...this.order);
    this.heads.forEach((head, i) => { if (head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", i === column ? direction : "none"); });
    this.select.value = column < 0 ? "" : String(column);
    say(column < 0 ? "Original order." : `Sorted by ${this.heads[column].textContent.trim()}, ${direction}.`);
  }
  filter() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    this.rows.forEach((row, i) => {
      row.hidden = !words.every((word) => this.texts[i].includes(word)) || Boolean(this.state && row.dataset.status !== this.state);
      if (!row.hidden) ++shown;
    });
    this.said.textContent = shown === this.rows.length ? "" : `${shown} of ${counted(this.rows.length, "row")}${this.marked ? "; marks compare all rows" : ""}`;
  }
}

for (const table of document.querySelectorAll("table.sorted")) new SortedTable(table);
