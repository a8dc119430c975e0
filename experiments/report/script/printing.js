// ---- on paper: light, every map drawn

let before = null; // the theme to go back to
addEventListener("beforeprint", () => {
  if (before) return;
  before = root.dataset.theme;
  if (before !== "light") setTheme("light");
  for (const group of links.groups) for (const map of group.maps) map.enter();
});
addEventListener("afterprint", () => {
  if (!before) return;
  if (root.dataset.theme !== before) setTheme(before);
  before = null;
});
