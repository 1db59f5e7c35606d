// Icons: strokes on a grid of 16, drawn in the colour of the text.

const kPaths = {
  play: 'M5 3.2v9.6l7.5-4.8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stepForward: 'M4 3.8v8.4L10 8zM12.2 3.8v8.4',
  stepBack: 'M12 3.8v8.4L6 8zM3.8 3.8v8.4',
  reset: 'M3 3.2v3.4h3.4M3.3 6.4A5.2 5.2 0 1 1 2.8 9',
  toStart: 'M12.6 4v8L8.2 8zM8 4v8L3.6 8zM3 4v8',
  loop: 'M11 1.8 13.2 4 11 6.2M2.8 7.6V6a2 2 0 0 1 2-2h8.2M5 14.2 2.8 12 5 9.8M13.2 8.4V10a2 2 0 0 1-2 2H3',
  view: 'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 2.7a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM6.5 9.7a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z',
  touch: 'M5.2 8.2V3.7a1.1 1.1 0 0 1 2.2 0v3.6l4.1.8a1.6 1.6 0 0 1 1.3 1.8l-.5 3.6H6.9L4 10.1a1.1 1.1 0 0 1 1.2-1.9z',
  bodies: 'M8 1.8 13.4 5v6L8 14.2 2.6 11V5zM2.8 5.1 8 8.1l5.2-3M8 8.1v6',
  plots: 'M2.5 2.5v11h11M4.8 10.5l2.6-3.4 2.2 1.8 3.6-4.9',
  info: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.3v3.6M8 5v.2',
  help: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.2v.1',
  camera: 'M2.2 5.2h2.6l1-1.7h4.4l1 1.7h2.6v7.6H2.2zM8 6.7a2.1 2.1 0 1 1 0 4.2 2.1 2.1 0 0 1 0-4.2z',
  video: 'M2 4.2h8.2v7.6H2zM10.2 7.2 14 5v6l-3.8-2.2',
  stop: 'M4.5 4.5h7v7h-7z',
  fit: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M6 6h4v4H6z',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4 13.5 13.5',
  download: 'M8 2.5v7.3M4.9 6.9 8 10l3.1-3.1M2.8 13.3h10.4',
  ball: 'M9.5 3.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM1.8 5h2.4M1.8 8h1.8M2.6 11h2.6',
  check: 'M3.2 8.6 6.4 11.6 12.8 4.6',
  warn: 'M8 2.4 14.2 13.2H1.8zM8 6.4v3.2M8 11.4v.1',
  plug: 'M6 2.2v3M10 2.2v3M4.2 5.2h7.6v2.4a3.8 3.8 0 0 1-7.6 0zM8 11.4v2.8',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8',
  logo: 'M1.6 13 5 7.4l2 2.8L10.2 4l4.2 9z',
} as const;

export type IconName = keyof typeof kPaths;

const kSpace = 'http://www.w3.org/2000/svg';
const kFilled = new Set<IconName>(['play', 'stop', 'logo', 'stepForward', 'stepBack', 'toStart']);

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(kSpace, 'svg');
  const path = document.createElementNS(kSpace, 'path');
  path.setAttribute('d', kPaths[name]);
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', kFilled.has(name) ? 'icon filled' : 'icon');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return svg;
}

/** The icon of a button that changes its meaning. */
export function setIcon(button: Element, name: IconName): void {
  if (button.getAttribute('data-icon') === name) return;
  button.setAttribute('data-icon', name);
  button.querySelector('svg')?.replaceWith(icon(name));
}
