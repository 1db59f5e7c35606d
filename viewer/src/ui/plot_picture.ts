// Plots as one picture, laid out as on the page.
import type { Plot } from './plot';
import { themeColor } from './theme';

const kMargin = 12; // px
const kHead = 22;

export async function plotsPicture(plots: Plot[]): Promise<Blob | null> {
  const shown = plots.filter((plot) => plot.canvas);
  if (!shown.length) return null;
  const scale = devicePixelRatio;
  const places = shown.map((plot) => ({ plot, box: plot.element.getBoundingClientRect() }));
  const left = Math.min(...places.map(({ box }) => box.left));
  const top = Math.min(...places.map(({ box }) => box.top));
  const width = Math.max(...places.map(({ box }) => box.right)) - left + 2 * kMargin;
  const height = Math.max(...places.map(({ box }) => box.bottom)) - top + 2 * kMargin;
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.fillStyle = themeColor('--solid');
  context.fillRect(0, 0, width, height);
  for (const { plot, box } of places) {
    const x = box.left - left + kMargin;
    const y = box.top - top + kMargin;
    drawHead(context, plot, x, y);
    const own = plot.canvas!;
    context.drawImage(own, x, y + kHead, own.width / scale, own.height / scale);
  }
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}

function drawHead(context: CanvasRenderingContext2D, plot: Plot, x: number, y: number): void {
  const { title, unit } = plot.kind;
  const middle = y + kHead / 2;
  context.textBaseline = 'middle';
  context.font = '600 12px system-ui, sans-serif';
  context.fillStyle = themeColor('--text');
  const heading = unit ? `${title}, ${unit}` : title;
  context.fillText(heading, x, middle);
  let next = x + context.measureText(heading).width + 14;
  context.font = '11px system-ui, sans-serif';
  for (const { label, color, isDashed } of plot.legend) {
    if (!label) continue;
    context.strokeStyle = color || 'transparent';
    context.lineWidth = 2;
    context.setLineDash(isDashed ? [4, 2] : []);
    context.beginPath();
    context.moveTo(next, middle);
    context.lineTo(color ? next + 10 : next, middle);
    context.stroke();
    const textAt = color ? next + 14 : next;
    context.fillStyle = themeColor('--muted');
    context.fillText(label, textAt, middle);
    next = textAt + context.measureText(label).width + 12;
  }
}
