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

async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
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

const drawn = (page, selector) => page.waitForFunction(
  (s) => { const plot = document.querySelector(s)?.querySelector(".canvas"); return plot && plot._fullLayout && plot.querySelector(".xy, .gl-canvas"); }, selector);

// The name in the tooltip when the pointer stands on object `index` of the map at `selector`.
async function hovered(page, selector, index) {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  await drawn(page, selector);
  await page.waitForTimeout(150);
  const place = await page.evaluate(([s, i]) => {
    const plot = document.querySelector(s).querySelector(".canvas");
    const { xaxis, yaxis } = plot._fullLayout;
    const { x, y } = plot._fullData[0];
    const box = plot.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.l2p(x[i]), box.top + yaxis._offset + yaxis.l2p(y[i])];
  }, [selector, index]);
  await page.mouse.move(place[0] - 60, place[1] - 60);
  await page.mouse.move(place[0], place[1], { steps: 4 });
  const tip = page.locator(`${selector} .hoverlayer .hovertext`).first();
  await tip.waitFor({ state: "attached", timeout: 5000 });
  await page.waitForTimeout(120);
  return (await tip.textContent()).replace(/\s+/g, " ");
}

// The outline of the ellipse about object `index`, and where that object is; null where it has none.
const ellipse = (page, selector, index) => page.evaluate(([s, i]) => {
  const data = document.querySelector(s).querySelector(".canvas")._fullData;
  const [px, py] = [data[0].x[i], data[0].y[i]];
  let best = null;
  for (const trace of data.filter((t) => t.fill === "toself")) {
    let x = [], y = [];
    for (let k = 0; k <= trace.x.length; ++k) {
      if (k < trace.x.length && trace.x[k] !== null) { x.push(trace.x[k]); y.push(trace.y[k]); continue; }
      if (x.length === 0) continue;
      const mean = (v) => v.slice(1).reduce((a, b) => a + b, 0) / (v.length - 1);
      const off = Math.hypot(mean(x) - px, mean(y) - py);
      if (off < 1e-4 && (!best || off < best.off)) best = { x: x.map((a) => a - px), y: y.map((a) => a - py), off };
      [x, y] = [[], []];
    }
  }
  if (!best) return null;
  const lengths = best.x.map((a, k) => Math.hypot(a, best.y[k]));
  const far = lengths.indexOf(Math.max(...lengths));
  return { major: lengths[far], minor: Math.min(...lengths), angle: Math.atan2(best.y[far], best.x[far]) };
}, [selector, index]);

async function fits(page, name) {
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(250);
    const over = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${name} at ${width} px is ${over} px too wide`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function walk(page) {
  const height = await page.evaluate(() => document.body.scrollHeight);
  for (let y = 0; y < height; y += 500) {
    await page.evaluate((to) => scrollTo({ top: to, behavior: "instant" }), y);
    await page.waitForTimeout(180);
  }
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await page.waitForTimeout(300);
}

async function picture(page, name) {
  if (!pictures) return;
  await walk(page);
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

const rows = (name) => readFileSync(join(folder, name, "runs.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

try {
  { // The experiment: tables, maps, hostile names, reasons.
    const { page, context } = await open("experiment");
    const good = rows("experiment").filter((row) => row.status === "ok" && row.dataset.id === "towns");
    const methods = [...new Set(good.map((row) => row.method))];
    const means = methods.map((method) => mean(good.filter((row) => row.method === method).map((row) => row.metrics.heldout_error)));
    const winner = methods[means.indexOf(Math.min(...means))];
    const marked = await page.locator(".panel:not([hidden]) tbody tr").evaluateAll((lines) => lines
      .filter((line) => line.querySelector("td").classList.contains("best")).map((line) => line.querySelector("th").textContent));
    assert.deepEqual(marked, [winner], "the best method on the first dataset is the one marked");

    const names = await page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent).objects.map((list) => list.names));
    const towns = names.find((list) => list.includes("Paris"));
    assert.match(await hovered(page, "#dataset-0 .map", towns.indexOf("Paris")), /Paris/);
    assert.equal(await page.locator("#dataset-0 .ring").count(), 2, "the other two maps show where it is");

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
    for (const [i, name] of hostile.entries()) {
      const shown = await hovered(page, "#dataset-1 .map", i);
      assert.ok(shown.includes(name.replace(/\s+/g, " ")), `expected ${name}, found ${shown}`);
    }
    assert.equal(await page.locator("h2", { hasText: "shapes <b>" }).count(), 1);
    assert.match(await page.locator("#trouble").innerText(), /signal 11 \(segmentation fault\) <after> 0.3 s/);
    assert.equal(await page.locator("#trouble tbody tr").count(), 2, "equal reasons share a line");
    assert.match(await page.locator("#choices").innerText(), /chose problem.t = 2 in 2 of 3 runs/);

    await page.locator(".tabs button").nth(2).click();
    assert.match(await page.locator(".panel:not([hidden]) h3").innerText(), /higher is better/);
    await page.locator("#dataset-0 .maps select").first().selectOption("repeat 1");
    assert.match(await hovered(page, "#dataset-0 .map", towns.indexOf("Athens")), /Athens/);
    await page.locator("#dataset-0 .legend button").first().click();
    await page.locator("#dataset-0 .maps input[type=search]").fill("reykja");
    await page.locator("#dataset-0 .maps input[type=search]").fill("helsinki");
    await page.waitForTimeout(300);
    assert.equal(await page.locator("#dataset-0 .ring").count(), 3, "an object looked for is shown in every map");
    await page.locator("#dataset-0 .curves").scrollIntoViewIfNeeded();
    await page.locator("#dataset-0 .curves select").first().selectOption("iteration");
    for (const box of await page.locator("#dataset-0 .curves input[type=checkbox]").all()) await box.click();
    await page.locator("#dataset-0 .curves .legend button").first().click();
    const lines = await page.locator("#dataset-0 .curve .canvas").first().evaluate((plot) => plot._fullData.length);
    assert.equal(lines, 6, "a method taken out of the legend takes its three lines along");
    // One metric against another: the best method is at the top right, whichever way the metrics count.
    await page.locator("#dataset-0 .tradeoff").scrollIntoViewIfNeeded();
    await drawn(page, "#dataset-0 .tradeoff");
    await page.locator("#dataset-0 .tradeoff select").nth(0).selectOption("metrics.heldout_error");
    await page.locator("#dataset-0 .tradeoff select").nth(1).selectOption("metrics.knn_accuracy");
    const tradeoff = await page.locator("#dataset-0 .tradeoff .canvas").evaluate((plot) => ({
      names: [...plot._fullData.at(-1).text].map((name) => name.trim()), across: [...plot._fullData.at(-1).x], x: [...plot._fullLayout.xaxis.range], y: [...plot._fullLayout.yaxis.range] }));
    assert.deepEqual(tradeoff.names, methods, "a point a method");
    tradeoff.across.forEach((x, i) => assert.ok(Math.abs(x - means[i]) < 1e-12, `the mean of ${methods[i]} is ${means[i]}, not ${x}`));
    assert.ok(tradeoff.x[0] > tradeoff.x[1], "less error is farther right");
    assert.ok(tradeoff.y[0] < tradeoff.y[1], "more accuracy is farther up");
    assert.match(await page.locator("#dataset-0 .tradeoff .caption").innerText(), /best methods are at the top right/);
    await page.locator("#theme").click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.waitForTimeout(200);
    await fits(page, "experiment");
    await context.close();
  }
  { // One run: the map comes first.
    const { page, context } = await open("single");
    const order = await page.evaluate(() => [...document.querySelectorAll("main > section")].map((section) => section.querySelector("h2")?.textContent ?? "map"));
    assert.deepEqual(order.slice(0, 2), ["map", "Figures"]);
    assert.match(await hovered(page, ".hero .map", 0), /Lisbon/);
    // Ellipses of all but the one that has none, which a click takes away; their meaning in words.
    const size = await ellipse(page, ".hero .map", 0);
    assert.ok(Math.abs(size.major - 2 * 0.03 * Math.sqrt(-2 * Math.log(0.05))) < 0.005, `the axis is ${size.major}`);
    assert.equal(await ellipse(page, ".hero .map", 34), null);
    assert.ok(await page.locator(".hero .map .js-fill").count() > 0, "ellipses are drawn");
    const words = await page.locator(".hero .caption").innerText();
    assert.match(words, /holds 95 % .* other answers been drawn, by 50 bootstrap replicates whose scatter is taken for normal. A typical object would move by 3 % of the map's radius \(stability 0.9991\). 1 object has no ellipse/);
    await page.locator(".hero label", { hasText: "95 % ellipses" }).locator("input").click();
    await page.waitForFunction(() => document.querySelectorAll(".hero .map .js-fill").length === 0);
    // The error of every dimension, with bars; the one chosen has a ring.
    await page.locator("#choices .dimensions").scrollIntoViewIfNeeded();
    await drawn(page, "#choices .dimensions");
    const curve = await page.locator("#choices .dimensions .canvas").evaluate((plot) => ({
      x: [...plot._fullData[0].x], y: [...plot._fullData[0].y], bars: [...plot._fullData[0].error_y.array], ring: [...plot._fullData[1].x], shown: plot.querySelectorAll(".errorbar").length }));
    assert.deepEqual(curve, { x: [1, 2, 3, 4, 5], y: [0.31, 0.152, 0.149, 0.151, 0.155], bars: Array(5).fill(0.006), ring: [2], shown: 5 });
    const choices = await page.locator("#choices").innerText();
    assert.match(choices, /chose problem.n_components = 2 .*Why: first within one standard error/s);
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
    const kind = await page.locator(".map .canvas").first().evaluate((plot) => plot._fullData[0].type);
    assert.equal(kind, "scattergl");
    await page.locator(".maps select").selectOption("0,2");
    assert.match(await hovered(page, ".map:nth-child(2)", 77), /object \d+/);
    await fits(page, "large");
    await context.close();
  }
  { // Lines, aspects, objects without a place.
    const { page, context } = await open("odd");
    const captions = await page.locator("figure.map figcaption > span").allTextContents();
    assert.deepEqual(captions.slice(0, 4), ["method 0", "method 1 · colour", "method 1 · shape", "method 2"]);
    assert.match(await hovered(page, ".map:nth-child(4)", 9), /Amsterdam/);
    assert.match(await page.locator(".maps .caption").innerText(), /26 labels are more than colours.*1 object has no coordinates/);
    await page.locator(".maps select").first().selectOption("shape");
    assert.equal(await page.locator("figure.map").count(), 1);
    assert.match(await hovered(page, ".map", 3), /Barcelona/);
    assert.match(await page.locator("#trouble").innerText(), /interrupted by the user/);
    await fits(page, "odd");
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
