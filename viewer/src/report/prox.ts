// The page of `scree bench prox --html`.
import { h } from '../ui/dom';
import { frictionSection } from './prox_friction';
import { groupsSection } from './prox_groups';
import { relaxationSection } from './prox_relaxation';
import type { ProxData } from './prox_data';

export function proxHeader(data: ProxData, theme: HTMLElement): HTMLElement {
  const links = [
    ['friction-angle', 'Friction angle', data.friction_angle], ['relaxation', 'Relaxation', data.relaxation],
    ['hexagons', 'Groups of hexagons', data.hexagons],
  ] as const;
  return h('header', {},
    h('div', { class: 'row' }, h('h1', {}, 'Proximal points against pivoting'), h('span', { class: 'space' }), theme),
    h('p', {},
      'The experiments of J. J. Betz, “Solving rigid multibody physics dynamics using proximal point functions on the GPU”, ',
      'master’s thesis, Rensselaer Polytechnic Institute, 2011, chapter 4, run again', data.quick ? ' (a few of them, shorter).' : '.'),
    data.complete ? null : h('p', { class: 'warning' }, 'The benchmark was interrupted: some of it is missing.'),
    h('nav', {},
      ...links.filter(([, , list]) => list.length > 0).map(([id, text]) => h('a', { href: `#${id}` }, text)),
      h('a', { href: '#made' }, 'How it was made')));
}

export function proxSections(data: ProxData): HTMLElement[] {
  const all = [frictionSection(data.friction_angle), relaxationSection(data.relaxation), groupsSection(data.hexagons)];
  return all.filter((section): section is HTMLElement => section !== null);
}
