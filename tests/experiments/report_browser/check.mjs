// What a reader's browser makes of the reports: node check.mjs FOLDER NODE_MODULES
// Any error on the console, any dialog and any request for anything but the page itself is a failure.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(import.meta.url)(join(modules, "playwright-core"));
const pictures = process.env.SCREENSHOTS;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--no-default-browser-check",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

const complaints = [];

// What a machine that is very busy may take, in milliseconds: a bound against waiting for ever.
const kPatience = 120_000;

// What `read` gives once `holds` is true of it; the page changes when it comes to it.
async function eventually(read, holds, message) {
  for (const end = Date.now() + kPatience; ;) {
    const value = await read();
    if (holds(value)) return value;
    assert.ok(Date.now() < end, `${message}: ${JSON.stringify(value)}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

// Lets the page draw that many frames, as fast as the machine does.
const frames = (page, count) => page.evaluate((left) => new Promise((done) => {
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
  next();
}), count);

async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(kPatience);
  const page = await context.newPage();
  const url = pathToFileURL(join(folder, name, "report.html")).href;
  page.on("console", (message) => { if (message.type() === "error") complaints.push(`${name}: console: ${message.text()}`); });
  page.on("pageerror", (error) => complaints.push(`${name}: ${error.stack}`));
  page.on("dialog", (dialog) => { complaints.push(`${name}: dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url() !== url && !/^(data|blob):/.test(request.url())) complaints.push(`${name}: request for ${request.url()}`);
  });
  await page.goto(url);
  return { page, context };
}

const drawn = (page, selector) => page.waitForFunction((s) => {
  const node = document.querySelector(s);
  return (node.matches(".map") ? node : node.querySelector(".map")).mapView.drawn;
}, selector);

// The control with this label: a menu or a check box.
const control = (page, selector, label) => page.locator(`${selector} label`, { hasText: label }).locator("select, input");

// The chart at `selector` as it is shown: its series with the ends of their lines in values, its marked points in pixels of the drawing.
const chartAt = (page, selector) => page.locator(selector).first().evaluate((node) => {
  const svg = node.querySelector(".plot > svg");
  const scale = (letter) => {
    const [low, high, from, to, kind] = svg.getAttribute(`data-${letter}`).split(" ");
    const [a, b, p, q] = [low, high, from, to].map(Number);
    return { log: kind === "log", rising: q > p, value: (v) => (kind === "log" ? a * (b / a) ** ((v - p) / (q - p)) : a + (v - p) / (q - p) * (b - a)) };
  };
  const [x, y] = [scale("x"), scale("y")];
  const ends = (path) => [0, path.getTotalLength()].map((at) => path.getPointAtLength(at)).map((p) => [x.value(p.x), y.value(p.y)]);
  return {
    heading: node.querySelector("figcaption span").textContent, x: { log: x.log, rising: x.rising, name: svg.dataset.xName }, y: { log: y.log, rising: y.rising, name: svg.dataset.yName },
    series: [...svg.querySelectorAll(".series")].filter((series) => getComputedStyle(series).display !== "none").map((series) => ({ k: Number(series.dataset.series), note: series.dataset.note,
      ends: ends(series.querySelector("path[fill=none]")), band: series.querySelector("path[fill-opacity]") !== null })),
    points: [...svg.querySelectorAll(".point")].map((point) => {
      const [px, py] = point.dataset.at.split(" ").map(Number);
      return { said: point.dataset.said.split(" | "), x: x.value(px), y: y.value(py) };
    }),
  };
});

// The words in the tip of a chart when the pointer stands at (x, y) of its drawing.
async function readAt(page, selector, x, y) {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  const at = await page.locator(`${selector} .plot > svg`).first().evaluate((svg, [a, b]) => {
    const p = new DOMPoint(a, b).matrixTransform(svg.getScreenCTM());
    return [p.x, p.y];
  }, [x, y]);
  await page.mouse.move(at[0] + 3, at[1] - 3);
  await page.mouse.move(at[0], at[1]);
  const tip = page.locator(`${selector} .tip`).first();
  await tip.waitFor({ state: "visible", timeout: kPatience });
  return (await tip.innerText()).replace(/\s+/g, " ");
}

// Where object `index` of the map at `selector` is on the screen.
const placeOf = (page, selector, index) => page.evaluate(([s, i]) => {
  const map = document.querySelector(s).mapView;
  const box = map.canvas.getBoundingClientRect();
  return [box.left + map.px[i], box.top + map.py[i]];
}, [selector, index]);

// The words in the tip when the pointer stands on object `index` of the map at `selector`.
async function hovered(page, selector, index) {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  await drawn(page, selector);
  const tip = page.locator(`${selector} .tip`).first();
  await eventually(async () => {  // again where the page was laid out anew meanwhile
    await frames(page, 10);
    const [x, y] = await placeOf(page, selector, index);
    await page.mouse.move(x - 60, y - 60);
    await page.mouse.move(x, y, { steps: 4 });
    await frames(page, 10);
    return tip.isVisible();
  }, (seen) => seen, `the tip of object ${index} of ${selector}`);
  return (await tip.innerText()).replace(/\s+/g, " ");
}

// The outline of the ellipse about object `index`, and where that object is; null where it has none.
const ellipse = (page, selector, index) => page.evaluate(([s, i]) => {
  const map = document.querySelector(s).mapView;
  const outline = map.outlines.find((other) => other.object === i);
  if (!outline) return null;
  const x = outline.x.map((v) => v - map.data[0][i]), y = outline.y.map((v) => v - map.data[1][i]);
  const lengths = x.map((a, k) => Math.hypot(a, y[k]));
  const far = lengths.indexOf(Math.max(...lengths));
  return { major: lengths[far], minor: Math.min(...lengths), angle: Math.atan2(y[far], x[far]) };
}, [selector, index]);

// What a click on a save button gives, as bytes.
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return { name: download.suggestedFilename(), bytes: Buffer.concat(parts) };
}

// Texts of charts that leave their card, and level ones of a trade-off that overlap another by more than half a letter.
const cutTexts = (page) => page.evaluate(() => [...document.querySelectorAll("figure.chart .plot")].filter((plot) => plot.checkVisibility()).flatMap((plot) => {
  const card = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll("svg text")].map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }));
  const out = texts.filter(({ box }) => box.left < card.left || box.right > card.right).map(({ words }) => words);
  if (plot.closest(".tradeoff")) texts.forEach(({ words, box }, i) => texts.slice(i + 1).forEach((other) => {
    const room = { x: Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left), y: Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) };
    if (room.x > 3 && room.y > box.height / 2) out.push(`${words} over ${other.words}`);
  }));
  return out;
}));

async function fits(page, name) {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = () => document.scrollingElement.scrollWidth - innerWidth;
    await frames(page, 15);
    await page.waitForFunction(() => document.scrollingElement.scrollWidth <= innerWidth, null, { timeout: kPatience }).catch(() => {}); // charts follow when they can
    const over = await page.evaluate(wide);
    assert.ok(over <= 0, `${name} at ${width} px is ${over} px too wide`);
    const cut = await cutTexts(page);
    assert.deepEqual(cut, [], `${name} at ${width} px: texts of charts that are cut or lie over one another`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

// Visible texts whose contrast with what lies under them is less than 4.5 (WCAG 2.1, AA), those of charts included.
const faintTexts = (page) => page.evaluate(() => {
  const parse = (words) => { const m = words.match(/[\d.]+/g)?.map(Number); return m && words.startsWith("rgb") ? [m[0], m[1], m[2], m[3] ?? 1] : null; };
  const over = (top, under) => [0, 1, 2].map((k) => top[k] * top[3] + under[k] * (1 - top[3]));
  const light = (c) => c.slice(0, 3).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const out = [];
  const judge = (what, style, start, opacity) => {
    const colour = parse(style);
    if (!colour) return;
    const layers = [];
    for (let node = start; node; node = node.parentElement) { const layer = parse(getComputedStyle(node).backgroundColor); if (layer?.[3] > 0) layers.unshift(layer); }
    const back = layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
    const [a, b] = [light(over([...colour.slice(0, 3), colour[3] * opacity], back)), light(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) out.push(`${what}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    const words = texts.currentNode.nodeValue.trim();
    if (words === "" || node.closest("script, style, .spoken") || !node.checkVisibility({ visibilityProperty: true })) continue;
    let opacity = 1;
    for (let other = node; other; other = other.parentElement) opacity *= Number(getComputedStyle(other).opacity);
    if (opacity === 0) continue;
    const style = getComputedStyle(node);
    judge(words.slice(0, 40), node.closest("svg") ? style.fill : style.color, node, opacity);
  }
  for (const node of document.querySelectorAll("input[placeholder]")) judge(node.placeholder, getComputedStyle(node, "::placeholder").color, node, 1);
  return out;
});

async function walk(page) {
  const height = await page.evaluate(() => document.body.scrollHeight);
  for (let y = 0; y < height; y += 500) {
    await page.evaluate((to) => scrollTo({ top: to, behavior: "instant" }), y);
    await frames(page, 10);
  }
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await frames(page, 20);
}

async function picture(page, name) {
  if (!pictures) return;
  await walk(page);
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const rows = (name) => readFileSync(join(folder, name, "runs.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const unique = (list) => [...new Set(list)];
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

try {
  { // The experiment: tables, maps, hostile names, reasons.
    const { page, context } = await open("experiment");
    const good = rows("experiment").filter((row) => row.status === "ok" && row.dataset.id === "towns");
    const methods = unique(good.map((row) => row.method));
    const means = methods.map((method) => mean(good.filter((row) => row.method === method).map((row) => row.metrics.heldout_error)));
    assert.equal(unique(good.map((row) => row.repeat)).length, 3);
    const marked = await page.locator(".panel:not([hidden]) tbody td.best").count();
    assert.equal(marked, 0, "three repeats can not show that a method is the best");
    assert.match(await page.locator(".caption.tests").first().textContent(), /at least 7 repeats/);

    const names = await page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent).objects.map((list) => list.names));
    const towns = names.find((list) => list.includes("Paris"));
    assert.match(await hovered(page, "#dataset-0 .map", towns.indexOf("Paris")), /Paris/);
    assert.equal(await page.locator("#dataset-0 .ring").count(), 2, "the other two maps show where it is");

    // A click pins: every map has a ring, the panel names the nearest, a reader who does not see is told.
    await page.mouse.down();
    await page.mouse.up();
    assert.equal(await page.locator("#dataset-0 .ring.pin").count(), 3, "a pinned object is marked on every map");
    const nearest = await page.evaluate((list) => {
      const map = document.querySelector("#dataset-0 .map").mapView;
      const i = list.indexOf("Paris");
      const far = (j) => Math.hypot(map.data[0][j] - map.data[0][i], map.data[1][j] - map.data[1][i]);
      return list.map((name, j) => [far(j), name]).filter(([, name]) => name !== "Paris").sort((a, b) => a[0] - b[0]).slice(0, 5).map(([, name]) => name).join(", ");
    }, towns);
    assert.equal(await page.locator("#dataset-0 .pins td").first().innerText(), nearest);
    assert.ok((await page.locator("#spoken").textContent()).includes(`Paris is pinned. Nearest on ETE / L-BFGS: ${nearest}.`));
    await page.keyboard.press("Escape");
    await page.locator("#dataset-0 .map .plot").first().focus();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".ring.pin").count(), 0);
    assert.ok(await page.locator("#dataset-0 .pins").isHidden());
    // By keyboard: to an object, to its neighbour on the right, pinned and let go.
    await page.keyboard.press("ArrowRight");
    const from = await page.evaluate(() => document.querySelector("#dataset-0 .map").mapView.current);
    await page.keyboard.press("ArrowRight");
    const walked = await page.evaluate((i) => { const map = document.querySelector("#dataset-0 .map").mapView; return { to: map.current, right: map.px[map.current] > map.px[i] }; }, from);
    assert.ok(walked.right && walked.to !== from, "the right arrow goes to an object farther right");
    assert.ok((await page.locator("#spoken").textContent()).startsWith(towns[walked.to]));
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#dataset-0 .ring.pin").count(), 3);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#dataset-0 .ring.pin").count(), 0);
    // The page's landmarks and headings.
    assert.deepEqual(await page.evaluate(() => ["header", "nav", "main"].map((tag) => document.querySelectorAll(`body > ${tag}`).length)), [1, 1, 1]);
    const levels = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, h4")].map((head) => Number(head.tagName[1])));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, `heading ${i} is of level ${level} after ${levels[i - 1]}`));
    assert.equal(await page.evaluate(() => document.querySelectorAll("table:not(:has(caption)), button:not([aria-label]):empty, select:not(label select), input:not([aria-label]):not(label input)").length), 0, "tables have captions, controls have names");
    assert.equal(await page.evaluate(() => new Set([...document.querySelectorAll("[id]")].map((node) => node.id)).size === document.querySelectorAll("[id]").length), true, "ids are unique");

    // Ellipses turn with their maps: twice as wide to the east as to the north, whatever way the run's map lay.
    await page.locator("#dataset-0 .map").nth(1).scrollIntoViewIfNeeded();
    await drawn(page, "#dataset-0 .map:nth-child(2)");
    const turned = [];
    for (const nth of [1, 2]) turned.push(await ellipse(page, `#dataset-0 .map:nth-child(${nth})`, towns.indexOf("Paris")));
    for (const { major, minor } of turned) assert.ok(Math.abs(major / minor - 2) < 0.05, `axes ${major} and ${minor}`);
    const between = Math.abs(turned[0].angle - turned[1].angle) % Math.PI;
    assert.ok(Math.min(between, Math.PI - between) < 0.25, `ellipses lie at ${turned[0].angle} and ${turned[1].angle}`);
    assert.equal(await ellipse(page, "#dataset-0 .map:nth-child(3)", 0), null, "a run without a bootstrap has none");
    assert.match(await page.locator("#dataset-0 .maps .caption").innerText(), /2 objects have no ellipse/);
    assert.match(await page.locator("#notes").innerText(), /10 of 60 replicates gave no map/);

    const hostile = names.find((list) => !list.includes("Paris"));
    assert.equal(hostile.length, 12);
    for (const [i, name] of hostile.entries()) {
      const shown = await hovered(page, "#dataset-1 .map", i);
      const expected = name === "" ? "(no name)" : name.length > 300 ? name.slice(0, 299) + "…" : name;
      assert.ok(shown.includes(expected.replace(/\s+/g, " ")), `expected ${expected}, found ${shown}`);
      if (/[\u0590-\u06ff]/.test(name)) assert.equal(await page.locator("#dataset-1 .map .tip b").first().evaluate((node) => getComputedStyle(node).direction), "rtl");
      // Pinned and let go, they stay text in every place.
      await page.mouse.down();
      await page.mouse.up();
      assert.ok((await page.locator("#dataset-1 .pins b").first().textContent()).startsWith(expected.slice(0, 100)));
      await page.locator("#dataset-1 .pins button").first().click();
    }
    // The last thirty lines of the failed run's log, as text.
    await page.locator("#trouble summary", { hasText: "End of the log" }).click();
    const log = await page.locator("#trouble pre.log:visible").innerText();
    assert.equal(log.split("\n").length, 30);
    assert.ok(log.startsWith("line 11 </pre><script>alert(11)</script>") && log.includes("line 40 ") && log.includes("ред"), log.slice(0, 80));
    assert.equal(await page.locator("h2", { hasText: "shapes <b>" }).count(), 1);
    assert.match(await page.locator("#trouble").innerText(), /signal 11 \(segmentation fault\) <after> 0.3 s/);
    assert.equal(await page.locator("#trouble tbody tr").count(), 2, "equal reasons share a line");
    assert.match(await page.locator("#choices").innerText(), /chose problem.t = 2 in 2 of 3 runs/);

    // Sorted by click and by key; filtered by words.
    const firsts = () => page.locator(".panel:not([hidden]) tbody tr:visible th").allTextContents();
    const planned = await firsts();
    const second = page.locator(".panel:not([hidden]) thead th").nth(1);
    await second.locator("button").click();
    assert.equal(await second.getAttribute("aria-sort"), "ascending");
    const byMean = [...methods].sort((a, b) => means[methods.indexOf(a)] - means[methods.indexOf(b)]);
    assert.deepEqual(await firsts(), byMean);
    await second.locator("button").press("Enter");
    assert.equal(await second.getAttribute("aria-sort"), "descending");
    assert.deepEqual(await firsts(), [...byMean].reverse());
    await second.locator("button").press("Enter");
    assert.deepEqual(await firsts(), planned);
    const third = page.locator(".panel:not([hidden]) thead th").nth(2);
    for (const way of ["ascending", "descending"]) {
      await third.locator("button").click();
      assert.equal((await firsts()).at(-1), "STE / SGD", `what is absent comes last, ${way}`);
    }
    await page.locator("#made summary", { hasText: "All runs" }).click();
    await page.locator("#made input[type=search]").fill("shapes l-bfgs");
    assert.equal(await page.locator("#made .runs tbody tr:visible").count(), 3);
    assert.match(await page.locator("#made .bar [role=status]").innerText(), /3 of 18 rows/);
    await page.locator("#made input[type=search]").fill("");
    await page.locator("#made .bar select").last().selectOption("failed");
    assert.equal(await page.locator("#made .runs tbody tr:visible").count(), 1);
    // Tabs by arrow keys.
    await page.locator(".tabs button").first().focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-selected")), "true");
    assert.match(await page.locator(".panel:not([hidden]) h3").innerText(), /Training/);
    await page.locator(".tabs button").nth(2).click();
    assert.match(await page.locator(".panel:not([hidden]) h3").innerText(), /higher is better/);
    await page.locator("#dataset-0 .maps select").first().selectOption("repeat 1");
    assert.match(await hovered(page, "#dataset-0 .map", towns.indexOf("Athens")), /Athens/);
    await page.locator("#dataset-0 .legend button").first().click();
    await page.locator("#dataset-0 .maps input[type=search]").fill("reykja");
    await page.locator("#dataset-0 .maps input[type=search]").fill("helsinki");
    await eventually(() => page.locator("#dataset-0 .ring:visible").count(), (rings) => rings === 3,
      "an object looked for is shown in every map");
    await page.locator("#dataset-0 .maps input[type=search]").press("Enter");
    assert.equal(await page.locator("#dataset-0 .ring.pin").count(), 3, "Enter pins it");
    // All objects whose names match are marked, and a link shows the same view again.
    await page.locator("#dataset-0 .maps input[type=search]").fill("en");
    const matching = towns.filter((name) => name.toLowerCase().includes("en"));
    assert.ok(matching.length > 2);
    const ringed = (at) => at.locator("#dataset-0 .map").first().locator(".ring:not(.pin)").count();
    assert.equal(await ringed(page), matching.filter((name) => name !== "Helsinki").length, "each match has a ring");
    assert.match(await page.locator("#dataset-0 .maps [role=status]").innerText(), new RegExp(`^${matching.length} match; Enter pins `));
    const again = await page.context().newPage();
    await again.goto(page.url());
    await eventually(() => again.locator("#dataset-0 .maps input[type=search]").inputValue(), (text) => text === "en", "the search of the link");
    await eventually(() => again.locator("#dataset-0 .ring.pin").count(), (pins) => pins === 3, "the pins of the link");
    await frames(again, 20);
    assert.equal(await again.locator("#dataset-0 .maps select").first().inputValue(), "repeat 1");
    assert.equal(await ringed(again), matching.filter((name) => name !== "Helsinki").length);
    assert.equal(await again.locator("#dataset-0 .ring.pin").count(), 3, "and pins");
    assert.ok(await again.evaluate(() => Math.abs(document.getElementById("dataset-0").getBoundingClientRect().top) < 120), "it shows where the view was changed");
    await again.close();
    await page.locator("#dataset-0 .maps input[type=search]").fill("helsinki");
    await page.locator("#dataset-0 .curves").scrollIntoViewIfNeeded();
    const curves = "#dataset-0 .curves";
    const chart = `${curves} figure`;
    assert.deepEqual((await chartAt(page, chart)).series.map((series) => [series.note, series.band]), methods.map(() => ["median of 3 runs", true]));
    // The two charts share their clock; a logarithm is of one chart.
    await control(page, curves, "Against").selectOption("iterations");
    for (const nth of [0, 1]) assert.equal((await page.locator(chart).nth(nth).locator(".plot > svg").getAttribute("data-x-name")), "Iteration");
    const before = await chartAt(page, chart);
    await control(page, curves, "Log time").click();
    assert.equal((await chartAt(page, chart)).x.log, !before.x.log);
    await page.locator(chart).first().locator("label", { hasText: "Log scale" }).locator("input").click();
    assert.equal((await chartAt(page, chart)).y.log, !before.y.log);
    await page.locator(chart).first().locator("label", { hasText: "Log scale" }).locator("input").click();
    await page.locator(`${curves} .legend button`).first().click();
    assert.deepEqual((await chartAt(page, chart)).series.map((series) => series.k), [1, 2], "a method taken out of the legend is gone");
    assert.equal(await page.locator(`${curves} .legend button`).first().getAttribute("aria-pressed"), "false");
    // The median of the three repeats at the last iteration.
    const finals = rows("experiment").filter((row) => row.status === "ok" && row.dataset.id === "towns" && row.method === methods[1]).map((row) =>
      JSON.parse(readFileSync(join(folder, "experiment", row.files.trace), "utf8")).heldout_error.findLast((value) => value !== null)).sort((a, b) => a - b);
    const [end] = (await chartAt(page, chart)).series.filter((series) => series.k === 1).map((series) => series.ends[1][1]);
    const [, least, most] = [0, 0, 1].map((_, k) => finals[k === 1 ? 0 : finals.length - 1]);
    assert.ok(Math.abs(end - finals[1]) <= 0.02 * Math.max(most, finals[1]), `${end} is not ${finals[1]}, from ${least} to ${most}`);
    // What is pointed at is said: the method and its values there.
    const line = await page.locator(chart).first().locator(".series[data-series='1'] path[fill=none]").evaluate((path) => { const p = path.getPointAtLength(path.getTotalLength()); return [p.x, p.y]; });
    const tip = await readAt(page, chart, ...line);
    assert.ok(tip.includes(methods[1]) && tip.includes("median of 3 runs") && /quartiles [\d.e+-]+ to [\d.e+-]+/.test(tip) && /Iteration \d+/.test(tip), tip);
    await control(page, curves, "Repeats").selectOption("every run");
    assert.equal((await chartAt(page, chart)).series.length, 6, "every run has a line: two methods of three repeats");
    // Each problem has a panel, and the gap to its best objective comes first; raw objectives are one choice away.
    const panels = page.locator(`${curves} figure`);
    assert.deepEqual(await panels.locator("figcaption > span:first-child").evaluateAll((nodes) => nodes.slice(1).map((node) => node.textContent)),
      ["ete", "t_ste", "ste"].map((problem) => `Gap to the best objective · ${problem}`));
    const gap = await chartAt(page, `${curves} figure:nth-of-type(3)`);
    assert.ok(gap.y.log && gap.x.name === "Iteration", "what is chosen for all charts stays");
    assert.deepEqual(unique(gap.series.map((series) => series.k)), [1]);
    await control(page, `${curves} figure:nth-of-type(3)`, "Show").selectOption("Objective");
    assert.equal((await chartAt(page, `${curves} figure:nth-of-type(3)`)).heading, "Objective · t_ste");
    // Profiles: at the left the share of instances on which a method is best.
    const profile = "#profiles figure";
    assert.equal((await chartAt(page, profile)).series.length, methods.length);
    await control(page, profile, "Against").selectOption("the value itself");
    assert.equal((await chartAt(page, profile)).x.name, "Held-out triplet error");
    const sets = await control(page, profile, /^Of/).locator("option").allTextContents();
    assert.ok(sets.length >= 4, `profiles of ${sets}`);
    for (const set of sets) {
      await control(page, profile, /^Of/).selectOption(set);
      const shown = await chartAt(page, profile);
      assert.ok(shown.series.length >= 2 && shown.series.every((series) => series.ends[1][1] <= 1.001), set);
    }
    await control(page, profile, /^Of/).selectOption(sets[0]);
    await control(page, profile, "Against").selectOption("factor of the best");
    // Figures are saved as what they say they are.
    for (const [selector, words] of [["#dataset-0 .map", "Kyiv"], ["#dataset-0 .curves figure", "STE / SGD"], ["#dataset-0 .tradeoff figure", "STE / SGD"], ["#profiles figure", "ETE / L-BFGS"]]) {
      const tools = page.locator(`${selector} .tools`).first();
      const svg = await saved(page, tools.locator("button", { hasText: "SVG" }));
      assert.ok(svg.name.endsWith(".svg"));
      const text = svg.bytes.toString("utf8");
      assert.ok(text.startsWith("<svg") && text.includes(words), `${selector} as SVG shows ${words}`);
      const errors = await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").getElementsByTagName("parsererror").length, text);
      assert.equal(errors, 0, `${selector} as SVG is well formed`);
      const png = await saved(page, tools.locator("button", { hasText: "PNG" }));
      assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
      assert.ok(png.bytes.readUInt32BE(16) >= 1500, "PNG is wide enough to print");
    }
    // One metric against another: both axes run the usual way, and arrows say which end is better.
    const tradeoff = "#dataset-0 .tradeoff figure";
    await control(page, tradeoff, "Compare").selectOption("Nearest-neighbour accuracy");
    await control(page, tradeoff, "with").selectOption("Held-out triplet error");
    const pair = await chartAt(page, tradeoff);
    assert.deepEqual(pair.points.map((point) => point.said[0]), methods, "a point a method");
    const errors = pair.x.name.startsWith("Held-out") ? "x" : "y";
    assert.ok(pair[errors].name.startsWith("Held-out triplet error") && pair[errors === "x" ? "y" : "x"].name.startsWith("Nearest-neighbour accuracy"));
    pair.points.forEach((point, i) => assert.ok(Math.abs(point[errors] - means[i]) < 0.01 * Math.max(...means), `the mean of ${methods[i]} is ${means[i]}, not ${point[errors]}`));
    const better = { x: pair.x.rising, y: !pair.y.rising }; // pixels go down
    assert.deepEqual(better, { x: true, y: true }, "numbers rise to the right, and up");
    const words = await page.locator(`${tradeoff} svg`).first().textContent();
    assert.ok(words.includes("Held-out triplet error (← better)") && words.includes("Nearest-neighbour accuracy (better →)"), "arrows point to the better ends");
    await control(page, tradeoff, "with").selectOption("Nearest-neighbour accuracy");
    assert.deepEqual(await Promise.all(["Compare", "with"].map((label) => control(page, tradeoff, label).inputValue())).then((both) => both.sort()), ["Held-out triplet error", "Nearest-neighbour accuracy"], "the same twice is the other way round");
    // By keyboard: whatever Tab comes to is seen, has a name and shows that it is there; all maps and charts are among it.
    await page.evaluate(() => { document.activeElement.blur(); scrollTo({ top: 0, behavior: "instant" }); document.querySelector(".skip").focus(); });
    const stops = [];
    for (let k = 0; k < 400; ++k) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const node = document.activeElement;
        if (node === document.body) return null;
        let opacity = 1;
        for (let other = node; other; other = other.parentElement) opacity *= Number(getComputedStyle(other).opacity);
        const { outlineStyle, outlineWidth } = getComputedStyle(node);
        const name = node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? (node.textContent || node.getAttribute("data-title") || node.title);
        return { name: name?.trim(), kind: `${node.tagName.toLowerCase()}.${node.className}`, seen: opacity > 0.3, outlined: outlineStyle !== "none" && parseFloat(outlineWidth) > 0, image: node.closest("[role=img]") !== null };
      });
      if (stop === null) break;
      stops.push(stop);
    }
    for (const stop of stops) assert.ok(stop.name && stop.seen && stop.outlined && !stop.image, `Tab comes to ${JSON.stringify(stop)}`);
    assert.equal(stops.filter((stop) => stop.kind.startsWith("div.plot")).length, 5, "all maps");
    assert.ok(stops.some((stop) => /^Save .*ccuracy.* and .* as SVG$|^Save .* and .*ccuracy.* as SVG$/.test(stop.name)), "buttons name what they save now");
    await page.locator("#theme").click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await fits(page, "experiment");
    await page.evaluate(() => { // as wide as a table of thirty data sets, with all that its cells hold
      for (const row of document.querySelector(".scroll .comparison").rows)
        for (let k = 0; k < 30; ++k) row.append(row.cells[row.cells.length - 1].cloneNode(true));
    });
    await fits(page, "experiment with a wide table");
    await context.close();
  }
  { // One run: what it shows in words and three figures, then the map; all other numbers are folded.
    const { page, context } = await open("single");
    const order = await page.evaluate(() => [...document.querySelectorAll("main > section")].map((section) => section.querySelector("h2")?.textContent ?? "map"));
    assert.deepEqual(order.slice(0, 3), ["Summary", "map", "Results"]);
    assert.equal(await page.locator("#verdict .figures > div:visible").count(), 3);
    assert.equal(await page.locator("#results .figures > div:visible").count(), 0);
    assert.match(await hovered(page, ".hero .map", 0), /Lisbon/);
    // A pinned object tells which of its triplets the map violates, and draws them; others violate none.
    const town = (i) => page.evaluate((k) => document.querySelector(".map").mapView.objects.names[k], i);
    await page.mouse.down();
    await page.mouse.up();
    assert.match(await page.locator(".violated summary").innerText(), new RegExp(`^7 of 90 triplets with ${await town(0)} as anchor are violated$`));
    assert.match(await page.locator(".violated .caption").first().innerText(), /Here are 5 of the 7: the most frequent/);
    assert.deepEqual(await page.locator(".violated tbody tr").allInnerTexts(), [`${await town(3)}\t${await town(5)}\t4`, `${await town(2)}\t${await town(1)}\t1`]);
    const drawnLinks = async () => (await saved(page, page.locator(".hero .tools button", { hasText: "SVG" }))).bytes.toString("utf8").split("stroke-dasharray").length - 1;
    assert.equal(await drawnLinks(), 2, "a dashed line to each object that should be farther");
    // The address holds the pin and the zoom, and gives them back.
    await page.locator(".hero .plot").focus();
    await page.keyboard.press("+");
    await page.waitForFunction(() => location.hash.includes("map.zoom=0_1.25_"));
    const again = await page.context().newPage();
    await again.goto(page.url());
    await drawn(again, ".hero .map");
    assert.equal(await again.evaluate(() => document.querySelector(".map").mapView.zoom), 1.25);
    assert.match(await again.locator(".pins li").innerText(), new RegExp(await town(0)));
    await again.close();
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    assert.ok(!(await page.evaluate(() => location.hash)).includes("zoom"));
    assert.equal(await drawnLinks(), 0);
    await page.evaluate(() => { const map = document.querySelector(".map").mapView; map.group.pin(map.mark(4)); });
    assert.match(await page.locator("p.violated").innerText(), /^No triplet with .* as anchor is violated\.$/);
    await page.evaluate(() => document.querySelector(".map").mapView.group.unpinAll());
    // Ellipses of all but the one that has none, which a click takes away; their meaning in words.
    const size = await ellipse(page, ".hero .map", 0);
    assert.ok(Math.abs(size.major - 2 * 0.03 * Math.sqrt(-2 * Math.log(0.05))) < 0.005, `the axis is ${size.major}`);
    assert.equal(await ellipse(page, ".hero .map", 34), null);
    const words = await page.locator(".hero .caption").innerText();
    assert.match(words, /95 % .* 50 bootstrap replicates .* 3 % of the map radius \(stability 0.9991\). 1 object has no ellipse/);
    await page.locator(".hero label", { hasText: "95 % ellipses" }).locator("input").click();
    assert.equal(await ellipse(page, ".hero .map", 0), null);
    // The error of every dimension, with bars; the one chosen has a ring.
    const curve = await chartAt(page, "#choices .dimensions figure");
    assert.deepEqual(curve.points.map((point) => Math.round(point.x)), [1, 2, 3, 4, 5]);
    curve.points.forEach((point, i) => assert.ok(Math.abs(point.y - [0.31, 0.152, 0.149, 0.151, 0.155][i]) < 1e-3));
    assert.equal(await page.locator("#choices .dimensions circle[fill=none]").count(), 1, "the one chosen has a ring");
    const [px, py] = (await page.locator("#choices .dimensions .point").nth(1).getAttribute("data-at")).split(" ").map(Number);
    assert.match(await readAt(page, "#choices .dimensions figure", px, py), /2 dimensions .*0\.152 ± 0\.006/);
    const choices = await page.locator("#choices").innerText();
    assert.match(choices, /chose problem.n_components = 2 .*Why: first candidate within one standard error/s);
    await page.locator("#choices summary").click();
    assert.match(await page.locator("#choices tbody tr").nth(1).innerText(), /n_components = 2\s+0.152 ± 0.006\s+chosen/);
    assert.equal(await page.locator("#choices tbody strong").count(), 1);
    await fits(page, "single");
    await context.close();
  }
  { // Twenty thousand objects.
    const { page, context } = await open("large");
    const begin = Date.now();
    assert.match(await hovered(page, ".map", 12345), /object \d+/);
    console.log(`large maps: ${Date.now() - begin} ms from opened to hovered`);
    // The map in space turns, with the other maps of space, by the keys and by dragging; frames are counted while it does.
    const space = "document.querySelector('.map:nth-child(2)').mapView";
    assert.equal(await page.evaluate(`${space}.space`), true);
    const before = await page.evaluate(`[...${space}.px.slice(0, 50)]`);
    await page.locator(".map:nth-child(2) .plot").focus();
    await page.keyboard.press("ArrowLeft");
    await eventually(() => page.evaluate(`[...${space}.px.slice(0, 50)]`),
      (after) => before.some((x, i) => Math.abs(x - after[i]) > 1), "the arrow keys turn a map in space");
    const lengths = await page.evaluate(`${space}.group.turn.map((row) => Math.hypot(...row))`);
    lengths.forEach((length) => assert.ok(Math.abs(length - 1) < 1e-9, "a turn keeps lengths"));
    for (const [nth, what] of [[1, "zooming"], [2, "turning"]]) {
      await page.locator(`.map:nth-child(${nth})`).scrollIntoViewIfNeeded();
      const took = await page.evaluate(([k, turning]) => new Promise((done) => {
        const map = document.querySelector(`.map:nth-child(${k})`).mapView;
        const costs = [];
        const paint = map.paint.bind(map);
        map.paint = () => { const t = performance.now(); paint(); costs.push(performance.now() - t); };
        let left = 40;
        const step = () => {
          if (left-- === 0) { delete map.paint; costs.sort((a, b) => a - b); return done({ median: costs[costs.length >> 1], most: costs.at(-1), painted: costs.length }); }
          if (turning) map.group.turnBy(0.03, 0.01);
          else map.magnify(left % 2 ? 1.2 : 1 / 1.2);
          requestAnimationFrame(step);
        };
        step();
      }), [nth, nth === 2]);
      assert.ok(took.painted >= 30, `${what} paints frames`);
      console.log(`20,000 objects, ${what}: a frame takes ${took.median.toFixed(1)} ms (median of ${took.painted}), at most ${took.most.toFixed(1)} ms`);
    }
    const look = await page.evaluate(() => {
      const map = document.querySelector(".map").mapView;
      const begin = performance.now();
      let found = 0;
      for (let k = 0; k < 200; ++k) if (map.nearest(map.px[97 * k], map.py[97 * k]) >= 0) ++found;
      return { found, each: (performance.now() - begin) / 200 };
    });
    assert.equal(look.found, 200);
    console.log(`20,000 objects: the one pointed at is found in ${look.each.toFixed(3)} ms`);
    await page.locator(".maps .bar select").first().selectOption("0,2");
    assert.match(await hovered(page, ".map:nth-child(2)", 77), /object \d+/);
    await fits(page, "large");
    await context.close();
  }
  { // Lines, aspects, objects without a place.
    const { page, context } = await open("odd");
    const captions = await page.locator("figure.map figcaption > span:first-child").allTextContents();
    assert.deepEqual(captions.slice(0, 4), ["method 0", "method 1 · colour", "method 1 · shape", "method 2"]);
    assert.match(await hovered(page, ".map:nth-child(4)", 9), /Amsterdam/);
    assert.match(await page.locator(".maps .caption").innerText(), /\(26\).*1 object has no coordinates/);
    await page.locator(".maps select").first().selectOption("shape");
    assert.equal(await page.locator("figure.map").count(), 1);
    assert.match(await hovered(page, ".map", 3), /Barcelona/);
    assert.match(await page.locator("#trouble").innerText(), /interrupted by the user/);
    await fits(page, "odd");
    await context.close();
  }
  { // In space: the second map is turned onto the first, in three dimensions; sizes by uncertainty.
    const { page, context } = await open("space");
    await drawn(page, ".map:nth-child(2)");
    const off = await page.evaluate(() => {
      const [a, b] = [...document.querySelectorAll(".map")].map((node) => node.mapView);
      const middle = (v) => v.reduce((x, y) => x + y, 0) / v.length;
      return Math.max(...[0, 1, 2].map((c) => Math.max(...a.data[c].map((v, i) => Math.abs(v - middle(a.data[c]) - b.data[c][i])))));
    });
    assert.ok(off < 1e-5, `the maps differ by ${off} after turning`);
    const radii = () => page.evaluate(() => [...document.querySelector(".map").mapView.radii()]);
    assert.equal(new Set(await radii()).size, 1);
    await page.locator(".maps label", { hasText: "Size" }).locator("select").selectOption("spread");
    const sized = await radii();
    assert.ok(sized[0] < sized[17] && sized[17] < sized[33], `sizes ${sized[0]}, ${sized[17]}, ${sized[33]}`);
    assert.match(await page.locator(".maps .caption").innerText(), /1 object has no known uncertainty|2 objects have no known uncertainty/);
    await page.locator(".maps label", { hasText: "Colour" }).locator("select").selectOption("spread");
    assert.match(await page.locator(".maps .ramp").innerText(), /uncertainty: 0.01\s*0.36/);
    // Dragging turns all maps of the group, and does not pin.
    await page.locator(".map .canvas").first().scrollIntoViewIfNeeded();
    const box = await page.locator(".map .canvas").first().boundingBox();
    const before = await page.evaluate(() => JSON.stringify(document.querySelector(".map").mapView.group.turn));
    await page.mouse.move(box.x + 150, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 220, box.y + 170, { steps: 5 });
    await page.mouse.up();
    assert.notEqual(await page.evaluate(() => JSON.stringify(document.querySelector(".map").mapView.group.turn)), before);
    assert.equal(await page.locator(".ring.pin").count(), 0);
    const svg = await saved(page, page.locator(".map .tools button", { hasText: "SVG" }).first());
    const space = svg.bytes.toString("utf8");
    assert.ok(space.includes(">x3<"), "axes of space are named");
    assert.ok(Number(/ y="([\d.]+)"[^>]*>[^<]*uncertainty</.exec(space)[1]) < Number(/ height="(\d+)"/.exec(space)[1]), "the scale of colours is inside");
    await fits(page, "space");
    await context.close();
  }
  { // Fifteen methods: what is marked stays marked whatever is sorted or filtered; every point of a chart can be named.
    const { page, context } = await open("fifteen");
    const marks = () => page.locator(".panel:not([hidden]) tbody tr").evaluateAll((lines) => Object.fromEntries(lines.map((line) => [line.querySelector("th").textContent, [...line.querySelectorAll("td")].map((cell) => cell.className).join()])));
    const planned = await marks();
    assert.equal(Object.values(planned).filter((words) => words.startsWith("best")).length, 1);
    assert.ok(Object.values(planned).some((words) => words === "tied,"), "something is tied on ten repeats, nothing is on three");
    assert.ok(Object.values(planned).every((words) => !words.endsWith("tied")));
    const best = Object.keys(planned).find((name) => planned[name].startsWith("best"));
    const tied = Object.keys(planned).find((name) => planned[name] === "tied,");
    const head = page.locator(".panel:not([hidden]) thead th button").nth(1);
    for (let k = 0; k < 2; ++k) {
      await head.click();
      assert.deepEqual(await marks(), planned, "marks go with their rows");
    }
    const bar = page.locator(".panel:not([hidden]) .bar");
    await bar.locator("input[type=search]").fill(tied.toLowerCase());
    assert.ok(await page.locator(".panel:not([hidden]) tbody tr:visible").count() < 15);
    assert.equal(await page.locator(".panel:not([hidden]) tbody tr:visible", { hasText: best }).count(), 0, "the best is not among what is left");
    assert.deepEqual(await marks(), planned, "and nobody takes its place");
    assert.match(await bar.locator("[role=status]").innerText(), /of 15 rows; marks compare all rows$/);
    const cell = page.locator(".panel:not([hidden]) td.tied").first();
    assert.match(await cell.textContent(), /^≈ .*\(not significantly worse than the best\)$/);
    assert.match(await cell.getAttribute("title"), /^p = [0-9.]+ .*10 pairs/);
    await bar.locator("input[type=search]").fill("");
    assert.match(await bar.locator("[role=status]").innerText(), /^$/);

    // Names of the chart: none over another, over a point or outside; each near its point or at the end of a line to it.
    const chart = "#dataset-0 .tradeoff figure";
    const methods = unique(rows("fifteen").map((row) => row.method));
    const compared = await control(page, chart, "Compare").locator("option").allTextContents();
    assert.ok(compared.length >= 3);
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]]) {
      await control(page, chart, "Compare").selectOption(compared[a]);
      await control(page, chart, "with").selectOption(compared[b]);
      const found = await page.evaluate((s) => {
        const svg = document.querySelector(`${s} .plot > svg`);
        const box = (node) => { const b = node.getBBox(); return { left: b.x, right: b.x + b.width, top: b.y + 1, bottom: b.y + b.height - 1 }; };
        const { width, height } = svg.viewBox.baseVal;
        return {
          size: { width, height },
          names: [...svg.querySelectorAll(":scope > text:not([transform])")].slice(1).map((node) => ({ ...box(node), text: node.textContent })), // after the title of the axis
          lines: [...svg.querySelectorAll(":scope > line")].map((node) => ["x1", "y1"].map((name) => Number(node.getAttribute(name)))),
          points: [...svg.querySelectorAll(".point")].map((node) => node.dataset.at.split(" ").map(Number)),
          caption: document.querySelector(`${s} .caption`).textContent,
        };
      }, chart);
      const where = `${compared[a]} and ${compared[b]}`;
      assert.equal(found.points.length, methods.length);
      assert.equal(found.names.length, methods.length, `${where}: all have room: ${found.caption}`);
      const apart = (p, q) => p.left >= q.right - 0.5 || q.left >= p.right - 0.5 || p.top >= q.bottom - 0.5 || q.top >= p.bottom - 0.5;
      found.names.forEach((name, i) => {
        assert.ok(name.left >= 0 && name.top >= 0 && name.right <= found.size.width && name.bottom <= found.size.height, `${where}: ${name.text} is inside`);
        found.names.slice(i + 1).forEach((other) => assert.ok(apart(name, other), `${where}: ${name.text} and ${other.text} overlap: ${JSON.stringify([name, other])}`));
        for (const [x, y] of found.points) assert.ok(apart(name, { left: x - 3, right: x + 3, top: y - 3, bottom: y + 3 }), `${where}: ${name.text} covers a point`);
        const far = ([x, y]) => Math.hypot(Math.max(name.left - x, 0, x - name.right), Math.max(name.top - y, 0, y - name.bottom));
        assert.ok(Math.min(...found.points.map(far)) < 12 || found.lines.length > 0, `${where}: ${name.text} is far from every point, without a line`);
      });
    }
    const svg = (await saved(page, page.locator(`${chart} .tools button`, { hasText: "SVG" }))).bytes.toString("utf8");
    for (const method of methods) assert.ok(svg.includes([...method].length > 40 ? method.slice(0, 26) : method.replace(/&/g, "&amp;")), `${method} is in the saved figure`);
    await fits(page, "fifteen");
    await context.close();
  }
  { // By fingers: two move and magnify a map and leave the page where it is, one scrolls the page up and down.
    const { page, context } = await open("space", { hasTouch: true, isMobile: true, viewport: { width: 420, height: 800 } });
    const { page: flat, context: other } = await open("single", { hasTouch: true, isMobile: true, viewport: { width: 420, height: 800 } });
    const state = (on) => on.evaluate(() => {
      const map = document.querySelector(".map").mapView;
      const box = map.canvas.getBoundingClientRect();
      return { x: [...map.px], y: [...map.py], zoom: map.zoom, turn: JSON.stringify(map.group.turn), scroll: scrollY, scale: visualViewport.scale, left: box.left, top: box.top, width: box.width, pins: document.querySelectorAll(".ring.pin").length };
    });
    const touch = async (on) => {
      const client = await on.context().newCDPSession(on);
      return (type, points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    };
    const pinch = async (on, from, to) => {
      const send = await touch(on);
      await send("touchStart", [from[0]]);
      await send("touchStart", from);
      for (let k = 1; k <= 8; ++k) await send("touchMove", from.map(([x, y], i) => [x + (to[i][0] - x) * k / 8, y + (to[i][1] - y) * k / 8]));
      await send("touchEnd", []);
      await rested(on);
    };
    const rested = (on) => on.waitForFunction(() => { const map = document.querySelector(".map").mapView; return !map.moving && !map.asked; });
    const still = async (on) => { // a flick goes on for a while
      for (let last = NaN, same = 0; same < 3;) {
        const now = await on.evaluate(() => scrollY);
        same = now === last ? same + 1 : 0;
        last = now;
        await frames(on, 8);
      }
    };
    const centred = async (on) => {
      await still(on);
      await on.evaluate(() => document.querySelector(".map").scrollIntoView({ block: "center", behavior: "instant" }));
      await still(on);
    };
    for (const [on, name] of [[flat, "in the plane"], [page, "in space"]]) {
      await on.locator(".map").first().scrollIntoViewIfNeeded();
      await drawn(on, ".map");
      await centred(on);
      const before = await state(on);
      const [cx, cy] = [before.left + before.width / 2, before.top + before.width / 2];
      // Apart by a factor of two, and their middle 30 pixels to the right and 20 up.
      await pinch(on, [[cx - 40, cy], [cx + 40, cy]], [[cx + 30 - 80, cy - 20], [cx + 30 + 80, cy - 20]]);
      const after = await state(on);
      assert.ok(Math.abs(after.zoom / before.zoom - 2) < 0.02, `${name}: two fingers twice as far apart magnify by ${after.zoom / before.zoom}`);
      const [mx, my] = [before.width / 2, before.width / 2];
      before.x.forEach((x, i) => {
        const off = Math.hypot(after.x[i] - (mx + 30 + 2 * (x - mx)), after.y[i] - (my - 20 + 2 * (before.y[i] - my)));
        assert.ok(off < 1.5, `${name}: what lies between the fingers goes with them; object ${i} is off by ${off}`);
      });
      assert.deepEqual([after.scroll, after.scale], [before.scroll, 1], `${name}: the page stays`);
      assert.equal(after.turn, before.turn, `${name}: two fingers do not turn it`);
      assert.equal(after.pins, 0, `${name}: fingers that move pin nothing`);
      // Both to the side: moved, not magnified.
      await pinch(on, [[cx - 30, cy - 30], [cx + 30, cy + 30]], [[cx - 10, cy - 80], [cx + 50, cy - 20]]);
      const moved = await state(on);
      assert.ok(Math.abs(moved.zoom / after.zoom - 1) < 1e-6);
      assert.ok(Math.abs(moved.x[3] - after.x[3] - 20) < 1 && Math.abs(moved.y[3] - after.y[3] + 50) < 1, `${name}: two fingers move it`);
      assert.equal(moved.scroll, before.scroll);
      // One finger: sideways it moves or turns the map, up and down it scrolls the page.
      const send = await touch(on);
      await send("touchStart", [[cx, cy]]);
      for (let k = 1; k <= 6; ++k) await send("touchMove", [[cx - 15 * k, cy]]);
      await send("touchEnd", []);
      await rested(on);
      await still(on);
      const aside = await state(on);
      assert.ok(aside.x.some((x, i) => Math.abs(x - moved.x[i]) > 20), `${name}: one finger moves or turns it`);
      assert.equal(aside.scroll, before.scroll);
      await send("touchStart", [[cx, cy]]);
      for (let k = 1; k <= 6; ++k) await send("touchMove", [[cx, cy - 25 * k]]);
      await send("touchEnd", []);
      await on.waitForFunction((least) => scrollY > least, before.scroll + 60, { timeout: kPatience }).catch(() => assert.fail(`${name}: one finger scrolls the page`));
      assert.match(await on.locator(".maps .caption").first().innerText(), /two fingers/);
    }
    // A map in space that has been tapped turns every way.
    await centred(page);
    await page.locator(".map .plot").first().tap({ position: { x: 6, y: 6 } });
    await still(page);
    const before = await state(page);
    const [cx, cy] = [before.left + before.width / 2, before.top + before.width / 2];
    const send = await touch(page);
    await send("touchStart", [[cx, cy]]);
    for (let k = 1; k <= 6; ++k) await send("touchMove", [[cx, cy - 15 * k]]);
    await send("touchEnd", []);
    await rested(page);
    const tilted = await state(page);
    assert.notEqual(tilted.turn, before.turn, "a tapped map in space tilts");
    assert.equal(tilted.scroll, before.scroll);
    // A tap on an object pins it.
    await flat.evaluate(() => document.querySelector(".map").mapView.reset());
    await centred(flat);
    const [x, y] = await placeOf(flat, ".map", 5);
    await flat.touchscreen.tap(x, y);
    await flat.waitForFunction(() => document.querySelectorAll(".ring.pin").length === 1, null, { timeout: kPatience }).catch(() => assert.fail("a tap on an object pins it"));
    await context.close();
    await other.close();
  }
  { // Several folders in one page, coloured by columns of a table.
    const { page, context } = await open("several");
    assert.match(await page.locator("header .kind").innerText(), /3 experiments/i);
    const at = await page.evaluate(() => "#" + [...document.querySelectorAll("section.dataset")].find((section) => section.querySelector("h2").textContent === "towns (made-up numbers)").id);
    const colours = page.locator(`${at} .maps label`, { hasText: "Colour" }).locator("select");
    assert.deepEqual(await colours.locator("option").allTextContents(), ["label", "country", "inhabitants", "uncertainty", "none"]);
    await colours.selectOption("c:country");
    assert.ok((await page.locator(`${at} .legend`).first().innerText()).includes("<Germany>"));
    await colours.selectOption("c:inhabitants");
    assert.match(await page.locator(`${at} .ramp`).innerText(), /inhabitants: 520\s*3700/);
    const towns = await page.evaluate((s) => document.querySelector(`${s} .map`).mapView.objects.names, at);
    assert.match(await hovered(page, `${at} .map`, towns.indexOf("Berlin")), /Berlin Middle country: <Germany> inhabitants: 3700/);
    // Its picture is on the map, and larger in its tip; others have none.
    assert.equal(await page.locator(`${at} .tip img`).first().evaluate((image) => `${image.naturalWidth} x ${image.naturalHeight}`), "40 x 20");
    const painted = (name) => page.evaluate(([s, i]) => {
      const map = document.querySelector(`${s} .map`).mapView;
      const colour = map.canvas.getContext("2d").getImageData(Math.round((map.px[i] + 10) * map.dots), Math.round(map.py[i] * map.dots), 1, 1).data;
      return [...colour.slice(0, 3)].map((v) => v.toString(16).padStart(2, "0")).join("");
    }, [at, towns.indexOf(name)]);
    assert.equal(await painted("Berlin"), "123456");
    assert.match(await page.locator("#notes").innerText(), /objects have no picture/);
    await control(page, `${at} .maps`, "Pictures").click();
    await eventually(() => painted("Berlin"), (colour) => colour !== "123456", "the map without pictures");
    assert.match(await hovered(page, `${at} .map`, towns.indexOf("Paris")), /Paris/);
    assert.equal(await page.locator(`${at} .tip img`).count(), 0);
    // The same towns are shown in the other experiment's maps, by their names.
    const others = await page.evaluate((i) => [...document.querySelectorAll(".map")].map((node) => node.mapView).filter((map) => map.objects.names.includes("Berlin") && map.drawn).map((map) => map.index({ list: -1, index: i, name: "Berlin" })), towns.indexOf("Berlin"));
    assert.ok(others.length > 0 && others.every((i) => i === towns.indexOf("Berlin")));
    await fits(page, "several");
    await context.close();
  }
  // Texts can be read in both themes; methods and labels that are switched off, too.
  for (const colorScheme of ["light", "dark"]) {
    for (const name of ["experiment", "fifteen", "single"]) {
      const { page, context } = await open(name, { colorScheme });
      await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
      await walk(page);
      for (const selector of [".curves .legend button", ".maps .legend button", ".profiles .legend button"])
        if (await page.locator(selector).count() > 0) await page.locator(selector).first().click();
      assert.deepEqual(await faintTexts(page), [], `${name}, ${colorScheme}: contrast`);
      await page.evaluate(() => document.body.append(Object.assign(document.createElement("p"), { textContent: "faint", style: "color: #777" })));
      assert.equal((await faintTexts(page)).length, 1, "what is faint would be found");
      await context.close();
    }
  }
  { // On paper: light whatever the theme, everything drawn and no wider than the paper; afterwards as before.
    const { page, context } = await open("experiment", { colorScheme: "dark" });
    const state = () => page.evaluate(() => ({
      theme: document.documentElement.dataset.theme,
      maps: [...document.querySelectorAll(".map")].every((node) => node.mapView.drawn),
    }));
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const paper = await state();
    assert.equal(paper.theme, "light");
    assert.ok(paper.maps, "every map is drawn");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal((await state()).theme, "dark");
    const bytes = await page.pdf({ format: "A4" });
    assert.equal(bytes.subarray(0, 5).toString(), "%PDF-");
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 680, height: 900 }); // between the margins of A4 upright, and of Letter
    const widths = await page.locator("figure.chart").evaluateAll((list) => list.map((node) => node.getBoundingClientRect().right));
    assert.ok(widths.length >= 6 && widths.every((right) => right <= 680), `charts end at ${widths} px`);
    assert.ok(await page.locator(".panel").evaluateAll((list) => list.length === document.querySelectorAll(".tabs button").length && list.every((panel) => panel.checkVisibility())), "every comparison is printed");
    assert.ok(await page.locator("nav, .tabs, #theme, .tools, .bar").evaluateAll((list) => list.every((node) => !node.checkVisibility())), "nothing to press is");
    await context.close();
  }
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, width] of [["experiment", 1280], ["experiment", 400], ["single", 1280], ["single", 400], ["large", 1280], ["odd", 1280]]) {
      const { page, context } = await open(name, { colorScheme, viewport: { width, height: 900 } });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      await picture(page, `${name}_${colorScheme}_${width}`);
      await context.close();
    }
  }
  assert.deepEqual(complaints, []);
  console.log("the reports work");
} finally {
  await browser.close();
}
