// The values of a layer as a plot.

import { make } from './board.js';

const SVG = 'http://www.w3.org/2000/svg';

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Draws the counts of `layer` into `root`; `value` is that of the position shown, if it is known. */
export function drawHistogram(root, layer, value) {
  const counts = new Map(Object.entries(layer.histogram).map(([key, count]) => [Number(key), count]));
  const low = Math.min(...counts.keys());
  const high = Math.max(...counts.keys());
  const most = Math.max(...counts.values());
  const [width, height, foot] = [360, 150, 18];
  const step = width / (high - low + 1);
  const percent = (count) => `${((100 * count) / layer.positions).toFixed(1)} %`;
  const label = `Values of all ${layer.positions.toLocaleString('en')} positions of ${layer.seeds} seeds: ` +
    `${percent(layer.win)} won, ${percent(layer.draw)} drawn, ${percent(layer.loss)} lost by the player to move`;
  const svg = shape('svg', { viewBox: `0 0 ${width} ${height + foot}`, role: 'img', 'aria-label': label });
  const every = Math.max(1, Math.ceil((high - low + 1) / 9));
  for (let number = low; number <= high; number += 1) {
    const count = counts.get(number) ?? 0;
    const x = (number - low) * step;
    const tall = (count / most) * (height - 4);
    const kind = number > 0 ? 'win' : number < 0 ? 'loss' : 'draw';
    const bar = shape('rect', {
      x: x + step * 0.08, y: height - tall, width: step * 0.84, height: tall, class: `bar ${kind}${number === value ? ' here' : ''}`,
    });
    bar.append(shape('title', {}, `${number}: ${count.toLocaleString('en')} positions, ${percent(count)}`));
    svg.append(bar);
    if ((number - low) % every === 0 || number === high) {
      svg.append(shape('text', { x: x + step / 2, y: height + 13, class: number === value ? 'here' : '' }, `${number}`));
    }
  }
  root.replaceChildren(svg, make('p', { class: 'small' }, `${label}.`));
}
