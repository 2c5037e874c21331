// Draws the board: two or four rows, South below, each player's store at his right hand.

import { SEATS, pitName, spot } from './seats.js';

const SVG = 'http://www.w3.org/2000/svg';

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** What a move or position is worth, in a few characters. */
export function worthText(worth, outcome) {
  if (worth.value === undefined) {
    if (worth.lower === undefined || outcome) return '?';
    return `${signed(worth.lower)}…${signed(worth.upper)}`;
  }
  if (!outcome) return signed(worth.value);
  return worth.value === 0 ? 'D' : `${worth.value > 0 ? 'W' : 'L'}${worth.distance ?? ''}`;
}

/** The same where there is little room: of bounds only what they tell. */
function badgeText(worth, outcome) {
  if (worth.value !== undefined || outcome) return worthText(worth, outcome);
  if (worth.lower > 0) return `≥${signed(worth.lower)}`;
  return worth.upper < 0 ? `≤${signed(worth.upper)}` : '?';
}

/** The same for a screen reader. */
export function worthWords(worth, outcome) {
  if (worth.value === undefined) return outcome ? 'not known' : `between ${worth.lower} and ${worth.upper}`;
  if (!outcome) return worth.value > 0 ? `plus ${worth.value}` : `${worth.value}`.replace('-', 'minus ');
  if (worth.value === 0) return 'a draw';
  return `${worth.value > 0 ? 'won' : 'lost'} in ${worth.distance} ${worth.distance === 1 ? 'move' : 'moves'}`;
}

/** The style of a worth. */
export function worthClass(worth) {
  const low = worth.value ?? worth.lower;
  const high = worth.value ?? worth.upper;
  if (low > 0) return 'win';
  if (high < 0) return 'loss';
  return low === 0 && high === 0 ? 'draw' : 'open';
}

const signed = (number) => (number > 0 ? `+${number}` : `${number}`.replace('-', '−'));

/** Seeds as dots, laid in a spiral. */
function dots(count) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '-10 -10 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const shown = Math.min(count, 30);
  const gap = Math.min(2.9, 8 / Math.sqrt(Math.max(shown, 1)));
  for (let i = 0; i < shown; i += 1) {
    const dot = document.createElementNS(SVG, 'circle');
    const far = shown === 1 ? 0 : gap * Math.sqrt(i + 0.4);
    dot.setAttribute('cx', (far * Math.cos(i * 2.39996)).toFixed(2));
    dot.setAttribute('cy', (far * Math.sin(i * 2.39996)).toFixed(2));
    dot.setAttribute('r', Math.max(1.1, gap * 0.55).toFixed(2));
    svg.append(dot);
  }
  return svg;
}

/**
 * Draws `view` into `root`: `seats`, `won`, `mover`, `pits`, `outcome` (no stores), `moves` that may be played,
 * `at` and `hand` during a sowing, `editing` ('' | 'seeds', with `closable`, `ownable`). `play(move)` and
 * `edit(seat, place, change)` are told what the person does.
 */
export function drawBoard(root, view, play, edit) {
  const rows = view.seats[0].length / view.pits;
  const kept = document.activeElement?.dataset?.key;
  const lines = [];
  for (let row = rows - 1; row >= 0; row -= 1) lines.push([1, row]);
  for (let row = 0; row < rows; row += 1) lines.push([0, row]);
  const pits = make('div', { class: 'pits' });
  pits.style.setProperty('--pits', view.pits);
  lines.forEach(([seat, row], line) => {
    for (let column = 0; column < view.pits; column += 1) {
      const place = row * view.pits + (seat === 0 ? column : view.pits - 1 - column);
      pits.append(cell(view, seat, place, rows, { line, column }, play, edit));
    }
  });
  const parts = [pits];
  if (!view.outcome) parts.unshift(store(view, 1)), parts.push(store(view, 0));
  root.className = `board ${rows === 2 ? 'four' : ''} ${view.editing ? 'editing' : ''}`;
  root.replaceChildren(...parts);
  if (kept) root.querySelector(`[data-key="${kept}"]`)?.focus({ preventScroll: true });
}

function store(view, seat) {
  const at = view.at?.store === seat ? ' at' : '';
  const turn = view.mover === seat ? ' turn' : '';
  const label = `${SEATS[seat]}'s store, ${view.won[seat]} won`;
  return make('div', { class: `store seat${seat}${at}${turn}`, role: 'img', 'aria-label': label },
    make('span', { class: 'who' }, SEATS[seat]), make('b', {}, `${view.won[seat]}`));
}

function cell(view, seat, place, rows, { line, column }, play, edit) {
  const pit = view.seats[seat][place];
  const name = pitName(seat, place, view.pits, rows);
  const moves = view.moves.map((move) => ({ move, spot: spot(move.move, view.mover, view.pits) }))
    .filter(({ spot }) => spot && spot.seat === seat && spot.place === place);
  const at = view.at && view.at.seat === seat && view.at.place === place ? ' at' : '';
  const style = `pit seat${pit.owner}${at}${pit.closed ? ' closed' : ''}`;
  const grid = { 'data-line': line, 'data-column': column, 'data-seat': seat, 'data-place': place };
  if (view.editing) return make('div', { class: `cell ${line}` }, ...editors(view, pit, name, style, grid, seat, place, edit));
  const remarks = [`${name}, ${pit.seeds} ${pit.seeds === 1 ? 'seed' : 'seeds'}`];
  if (pit.owner !== seat) remarks.push(`owned by ${SEATS[pit.owner]}`);
  if (pit.closed) remarks.push('closed');
  for (const { move, spot } of moves) {
    const way = spot.way ? `${spot.clockwise ? 'clockwise' : 'counter-clockwise'} ` : '';
    remarks.push(`${way}worth ${worthWords(move, view.outcome)}${move.best ? ', best' : ''}`);
  }
  const only = moves.length === 1 ? moves[0].move : null;
  const best = moves.some(({ move }) => move.best) ? ' best' : '';
  const button = make('button', {
    type: 'button', class: style + (moves.length ? ' open' : '') + best, 'aria-label': remarks.join(', '),
    'aria-disabled': moves.length ? false : 'true', 'data-key': `${seat}.${place}`, ...grid,
    'data-move': only?.move,
    onclick: () => (only ? play(only.move) : moves.length && button.parentElement.querySelector('.way')?.focus()),
  }, dots(pit.seeds), make('span', { class: 'count', 'aria-hidden': 'true' }, `${pit.seeds}${pit.closed ? '*' : ''}`));
  // Left before right, as they point.
  moves.sort((a, b) => (a.spot.way ?? '').localeCompare(b.spot.way ?? ''));
  const badges = moves.map(({ move, spot }) => badge(view, move, spot, play));
  return make('div', { class: 'cell' }, button, make('div', { class: 'badges' }, ...badges));
}

function badge(view, move, spot, play) {
  const text = badgeText(move, view.outcome);
  const style = `badge ${worthClass(move)}${move.best ? ' best' : ''}`;
  const star = move.best ? '★' : '';
  if (!spot.way) return make('span', { class: style, 'aria-hidden': 'true' }, `${star}${text}`);
  const way = spot.clockwise ? 'clockwise' : 'counter-clockwise';
  return make('button', {
    type: 'button', class: `${style} way`, 'data-move': move.move, 'data-key': `way${move.move}`,
    'aria-label': `${move.move}, ${way}, worth ${worthWords(move, view.outcome)}${move.best ? ', best' : ''}`,
    onclick: () => play(move.move),
  }, `${spot.way === 'left' ? '◀' : ''}${star}${text}${spot.way === 'right' ? '▶' : ''}`);
}

function editors(view, pit, name, style, grid, seat, place, edit) {
  const parts = [make('input', {
    type: 'number', min: 0, max: 127, value: pit.seeds, class: style, 'aria-label': `${name}, seeds`, ...grid,
    oninput: (event) => edit(seat, place, { seeds: Math.max(0, Math.min(127, Number(event.target.value) || 0)) }),
    onfocus: (event) => event.target.select(),
  })];
  if (view.closable) {
    const toggle = make('input', { type: 'checkbox', 'aria-label': `${name} closed`, title: 'closed',
      onchange: (event) => edit(seat, place, { closed: event.target.checked }) });
    toggle.checked = pit.closed;
    parts.push(toggle);
  }
  if (view.ownable) {
    const toggle = make('button', { type: 'button', class: 'owner', 'aria-label': `${name}, owned by ${SEATS[pit.owner]}; change`,
      title: 'owner', onclick: () => edit(seat, place, { owner: 1 - pit.owner }, true) }, SEATS[pit.owner][0]);
    parts.push(toggle);
  }
  return parts;
}
