// ---- on paper: light, everything drawn, charts as wide as the paper

const kPaperWidth = 680; // pixels between the margins of A4 upright, and of Letter
const kPaperHeight = 300;

let before = null; // what to go back to
addEventListener("beforeprint", () => {
  if (before) return;
  const charts = [...document.querySelectorAll("figure.curve")].map((node) => node.chart);
  before = { theme: root.dataset.theme, charts };
  if (root.dataset.theme !== "light") setTheme("light");
  for (const group of links.groups) for (const map of group.maps) map.enter();
  for (const chart of charts) {
    const across = chart.node.parentElement.matches(".pair") ? Math.min(chart.node.parentElement.children.length, 2) : 1;
    chart.plot.style.width = `${Math.floor((kPaperWidth - 12 * (across - 1)) / across) - 4}px`;
    chart.plot.style.height = `${kPaperHeight}px`;
    chart.enter();
    chart.fill();
  }
});
addEventListener("afterprint", () => {
  if (!before) return;
  for (const chart of before.charts) {
    chart.plot.style.width = chart.plot.style.height = "";
    chart.fill();
  }
  if (root.dataset.theme !== before.theme) setTheme(before.theme);
  before = null;
});
