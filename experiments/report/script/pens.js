// ---- what maps are drawn with: a pen on a canvas, or one that writes SVG

const symbol = (k) => k % page.shapes.length; // with the colours, no two alike of the first 30

class CanvasPen {
  constructor(context) { this.c = context; }
  shape(kind, x, y, r, style) {
    this.c.beginPath();
    const corners = page.shapes[kind];
    for (let k = 0; k < corners.length; k += 2) this.c.lineTo(x + r * corners[k], y + r * corners[k + 1]);
    if (kind === 0) this.c.arc(x, y, r, 0, 2 * Math.PI);
    this.c.closePath();
    this.finish(style);
  }
  polygon(xs, ys, style) {
    this.c.beginPath();
    for (let i = 0; i < xs.length; ++i) this.c.lineTo(xs[i], ys[i]);
    if (style.fill) this.c.closePath();
    this.finish(style);
  }
  finish({ fill, stroke, width = 1, alpha = 1, fillAlpha = 1, dashes = [] }) {
    this.c.setLineDash(dashes);
    this.c.globalAlpha = alpha * fillAlpha;
    if (fill) { this.c.fillStyle = fill; this.c.fill(); }
    this.c.globalAlpha = alpha;
    if (stroke) { this.c.strokeStyle = stroke; this.c.lineWidth = width; this.c.stroke(); }
    this.c.globalAlpha = 1;
  }
  text(words, x, y, { size = 11, anchor = "start", fill, weight = 400 }) {
    this.c.font = `${weight} ${size}px ${css("--sans")}`;
    this.c.textAlign = anchor === "middle" ? "center" : anchor === "end" ? "right" : "left";
    this.c.textBaseline = "middle";
    this.c.direction = "ltr";
    this.c.fillStyle = fill;
    this.c.fillText(words, x, y);
  }
}

// Many small marks, blended pixel by pixel: some ten times faster than drawing pictures without a graphics card.
class Raster {
  constructor(width, height) {
    this.canvas = el("canvas", { width, height });
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
  }
  clear() { this.image.data.fill(0); }
  // The pixels of a picture that are not empty.
  static stampOf({ canvas, half }) {
    const side = canvas.width;
    const { data } = canvas.getContext("2d").getImageData(0, 0, side, side);
    const pixels = [];
    for (let k = 0; k < side * side; ++k) if (data[4 * k + 3] > 0) pixels.push([k % side - half, Math.floor(k / side) - half, data[4 * k], data[4 * k + 1], data[4 * k + 2], data[4 * k + 3]]);
    return { half, values: Float32Array.from(pixels.flat()) };
  }
  stamp({ values }, x, y) {
    const { width, height, data } = this.image;
    for (let k = 0; k < values.length; k += 6) {
      const px = x + values[k], py = y + values[k + 1];
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
      const at = 4 * (py * width + px);
      const a = values[k + 5], under = data[at + 3];
      if (under === 0 || a === 255) {
        data[at] = values[k + 2]; data[at + 1] = values[k + 3]; data[at + 2] = values[k + 4]; data[at + 3] = a;
        continue;
      }
      const rest = under * (255 - a) / 255, all = a + rest;
      data[at] = (values[k + 2] * a + data[at] * rest) / all;
      data[at + 1] = (values[k + 3] * a + data[at + 1] * rest) / all;
      data[at + 2] = (values[k + 4] * a + data[at + 2] * rest) / all;
      data[at + 3] = all;
    }
  }
  onto(context) {
    this.context.putImageData(this.image, 0, 0);
    context.drawImage(this.canvas, 0, 0);
  }
}

class SvgPen {
  constructor(width, height) { this.parts = [`<svg xmlns="${"ht" + "tp"}://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${SvgPen.quoted(css("--sans"))}">`]; }
  static quoted(text) {
    return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
  }
  static n(v) { return String(Math.round(v * 100) / 100); }
  static style({ fill, stroke, width = 1, alpha = 1, fillAlpha = 1, dashes = [] }) {
    return ` fill="${fill ?? "none"}"` + (fill && alpha * fillAlpha < 1 ? ` fill-opacity="${SvgPen.n(alpha * fillAlpha)}"` : "") +
      (stroke ? ` stroke="${stroke}" stroke-width="${SvgPen.n(width)}"` + (alpha < 1 ? ` stroke-opacity="${SvgPen.n(alpha)}"` : "") + (dashes.length > 0 ? ` stroke-dasharray="${dashes.join(" ")}"` : "") : "");
  }
  shape(kind, x, y, r, style) {
    if (kind === 0) this.parts.push(`<circle cx="${SvgPen.n(x)}" cy="${SvgPen.n(y)}" r="${SvgPen.n(r)}"${SvgPen.style(style)}/>`);
    else this.polygon(page.shapes[kind].filter((_, k) => k % 2 === 0).map((dx) => x + r * dx), page.shapes[kind].filter((_, k) => k % 2 === 1).map((dy) => y + r * dy), style);
  }
  polygon(xs, ys, style) {
    const points = Array.from(xs, (x, i) => `${SvgPen.n(x)},${SvgPen.n(ys[i])}`).join(" ");
    this.parts.push(`<${style.fill ? "polygon" : "polyline"} points="${points}"${SvgPen.style(style)}/>`);
  }
  text(words, x, y, { size = 11, anchor = "start", fill, weight = 400 }) {
    this.parts.push(`<text x="${SvgPen.n(x)}" y="${SvgPen.n(y)}" dy="0.35em" font-size="${size}"${weight === 400 ? "" : ` font-weight="${weight}"`} text-anchor="${anchor}" fill="${fill}">${SvgPen.quoted(words)}</text>`);
  }
  rectangle(x, y, w, h, fill) { this.parts.push(`<rect x="${SvgPen.n(x)}" y="${SvgPen.n(y)}" width="${SvgPen.n(w)}" height="${SvgPen.n(h)}" fill="${fill}"/>`); }
  finished() { return this.parts.join("\n") + "\n</svg>\n"; }
}

function swatch(k) {
  const holder = el("span");
  const pen = new SvgPen(14, 14);
  pen.shape(symbol(k), 7, 7, 4.8, { fill: "currentColor" });
  holder.innerHTML = pen.finished();
  holder.firstElementChild.setAttribute("aria-hidden", "true");
  holder.firstElementChild.style.color = `var(${tint(k)})`;
  return holder.firstElementChild;
}
