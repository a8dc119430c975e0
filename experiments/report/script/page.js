// What all parts of the report's script share: the data, small makers of elements, the theme, tabs, files to save.
// The parts are read one after the other in one function; nothing is loaded from anywhere.
const page = JSON.parse(document.getElementById("report-data").textContent);
const root = document.documentElement;
const touched = matchMedia("(any-pointer: coarse)").matches;

const kMaxColours = 20; // labels told apart by colour and shape

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
const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const tint = (index) => `--c${(index % page.palette) + 1}`;
const colour = (index) => css(tint(index));
const finite = (v) => v !== null && v !== undefined && v === v;
const short = (value) => (value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
  ? value.toExponential(2) : String(+value.toPrecision(4)));
const unique = (list) => [...new Set(list)];
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const cut = (text, length) => ([...text].length > length ? [...text].slice(0, length - 1).join("") + "…" : text);
// Names that a reader can point at, even where the data have none.
const named = (text) => (text.trim() === "" ? "(no name)" : text);

// A name that may be long, with places where its line may break.
const breakable = (text) => text.split(/(?<=[,;[/_=])/).flatMap((part, i) => (i > 0 ? [el("wbr"), part] : [part]));

function floats(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function check(label, checked, change) {
  const box = el("input", { type: "checkbox", checked, "data-keep": kept(label), onchange: () => change(box.checked) });
  return el("label", {}, box, label);
}
function menu(label, choices, change, chosen) {
  const select = el("select", { "data-keep": kept(label), onchange: () => change(select.value) },
    ...choices.map(([value, text]) => el("option", { value }, cut(text, 60))));
  if (chosen !== undefined) select.value = chosen;
  return { node: el("label", {}, label, select), select };
}

// ---- the view in the address, so that a link shows what its sender saw; nothing of it leaves this machine

const kView = "#view:";
const address = new URLSearchParams(location.hash.startsWith(kView) ? location.hash.slice(kView.length) : "");
const kept = (label) => label.toLowerCase().replace(/[^a-z0-9]+/g, "_");
function keep(key, values) {
  address.delete(key);
  for (const value of values) address.append(key, value);
  const text = address.toString();
  history.replaceState(null, "", text ? kView + text : location.href.split("#")[0]);
}
// Controls within `node` tell the address what they are set to, as `part`, and take what it has.
function keepControls(node, part) {
  const value = (control) => (control.type === "checkbox" ? (control.checked ? "on" : "off") : control.value);
  const controls = [...node.querySelectorAll("[data-keep]")];
  for (const control of controls) {
    const usual = value(control);
    const key = `${part}.${control.dataset.keep}`;
    const event = control.type === "search" ? "input" : "change";
    const wanted = address.get(key);
    control.addEventListener(event, () => keep(key, value(control) === usual ? [] : [value(control)]));
    if (wanted === null || wanted === usual) continue;
    if (control.type === "checkbox") control.checked = wanted === "on";
    else control.value = wanted;
    if (value(control) === wanted) control.dispatchEvent(new Event(event));
    else control.value = usual; // a choice that this page does not have
  }
}
// After a link that says how the page looked, to where it was changed last.
function goToView() {
  const at = address.get("at") && document.getElementById(address.get("at"));
  if (at) at.scrollIntoView({ behavior: "instant" });
}

// What changes without a click of the reader's own is said here.
const spoken = el("p", { class: "spoken", id: "spoken", "aria-live": "polite" });
document.body.append(spoken);
const say = (text) => { spoken.textContent = text; };

// ---- theme: the system's until the reader decides

const redraws = new Set();
function setTheme(theme) {
  root.dataset.theme = theme;
  for (const redraw of redraws) redraw();
}
const system = matchMedia("(prefers-color-scheme: dark)");
let decided = false;
system.addEventListener("change", () => { if (!decided) setTheme(system.matches ? "dark" : "light"); });
const themeButton = document.getElementById("theme");
if (themeButton) {
  const name = () => { themeButton.textContent = root.dataset.theme === "dark" ? "Light theme" : "Dark theme"; };
  themeButton.hidden = false;
  name();
  themeButton.addEventListener("click", () => {
    decided = true;
    setTheme(root.dataset.theme === "dark" ? "light" : "dark");
    name();
  });
  system.addEventListener("change", name);
}

// ---- the list of contents says where the reader is

const contents = new Map([...document.querySelectorAll("body > nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
if (contents.size > 0) {
  const mark = () => {
    let at = null;
    for (const id of contents.keys()) if (document.getElementById(id).getBoundingClientRect().top < 80) at = id;
    for (const [id, a] of contents) {
      const here = id === at;
      if (here === a.hasAttribute("aria-current")) continue;
      if (here) {
        a.setAttribute("aria-current", "true");
        const list = a.closest("ul");
        list.scrollLeft += a.getBoundingClientRect().left - list.getBoundingClientRect().left - 24;
      } else a.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

// ---- tabs over the comparison's panels

for (const panels of document.querySelectorAll(".panels")) {
  const list = [...panels.querySelectorAll(":scope > .panel")];
  if (list.length < 2) continue;
  const show = (k, focus) => list.forEach((panel, i) => {
    panel.hidden = i !== k;
    const tab = tabs.children[i];
    tab.setAttribute("aria-selected", String(i === k));
    tab.tabIndex = i === k ? 0 : -1;
    if (i === k && focus) tab.focus();
  });
  const keys = { ArrowRight: (k) => (k + 1) % list.length, ArrowLeft: (k) => (k + list.length - 1) % list.length, Home: () => 0, End: () => list.length - 1 };
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Values compared" }, ...list.map((panel, i) => {
    panel.id = `panel-${i}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", `tab-${i}`);
    return el("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": panel.id, onclick: () => show(i),
      onkeydown: (event) => { if (keys[event.key]) { event.preventDefault(); show(keys[event.key](i), true); } } },
    panel.querySelector("h3").firstChild.textContent.trim());
  }));
  // Many values: the first ones and the last, which is time; the rest at the reader's wish.
  const hidden = list.length > Number(panels.dataset.first) + 2 ? [...tabs.children].slice(Number(panels.dataset.first), -1) : [];
  if (hidden.length > 0) {
    for (const tab of hidden) tab.classList.add("later");
    const more = el("button", { type: "button", class: "more", onclick: () => {
      for (const tab of hidden) tab.classList.remove("later");
      more.remove();
      hidden[0].focus();
    } }, `${hidden.length} more values`);
    panels.before(more);
  }
  panels.classList.add("tabbed");
  panels.before(tabs);
  if (hidden.length > 0) tabs.after(tabs.previousElementSibling);
  show(0);
}

// ---- figures to save

const fileName = (words) => cut(words.filter(Boolean).join(" ").replace(/[^\p{L}\p{N}.-]+/gu, "_").replace(/^_+|_+$/g, "") || "figure", 100);

function save(content, type, name) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 20000);
}

// Buttons that save a figure; `source` gives it as SVG, with its size.
const kSavedPixels = 4; // of a PNG for each of the drawing
function saveButtons(title, name, source) {
  const png = async ({ width, height, text }) => {
    const picture = new Image(width, height);
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await picture.decode();
    const canvas = el("canvas", { width: kSavedPixels * width, height: kSavedPixels * height });
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
  };
  return ["png", "svg"].map((format) => el("button", { type: "button", class: "tool", title: `Save as ${format.toUpperCase()}`,
    "aria-label": `Save ${title()} as ${format.toUpperCase()}`, onclick: async () => {
      save(format === "svg" ? source().text : await png(source()), format === "svg" ? "image/svg+xml" : "image/png", `${name()}.${format}`);
    } }, format.toUpperCase()));
}

// Maps are drawn when they come near the screen.
const drawers = new WeakMap();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const drawer = drawers.get(entry.target);
    if (entry.isIntersecting) drawer.enter();
    else drawer.leave();
  }
}, { rootMargin: "150px 0px" });
