// The explorer: what is shown, what was played before, and what the person asks for.

import * as api from './api.js';
import { drawBoard, make, worthClass, worthText, worthWords } from './board.js';
import { drawHistogram } from './histogram.js';
import { SEATS, afterSteps, ownersText, pitName, seatsOf, spot, stepText, textOf } from './seats.js';

const $ = (id) => document.getElementById(id);

/** Games and presets as the server lists them. */
let catalogue = { games: [], presets: [] };

/**
 * Positions from the first to the latest; `now` is the one shown. An entry holds `game`, `pits`, `rules` (those that
 * were chosen), `text` (as the player to move sees it), `mover` (0 South, 1 North), `won` by South and North, and
 * once answered `answer`. `move` led to it; `endless` tells that the sowing that led to it never stops.
 */
let trail = [];
let now = 0;

/** The sowing being shown: `entry` before it, `seats`, `steps`, `count` steps done, `timer` while it runs. */
let sowing = null;

/** The position being set up: `seats`, `mover`, `won`; `null` while playing. */
let draft = null;

/** Counts every change of what is shown, so that an answer that comes late is not shown. */
let turn = 0;

const entry = () => trail[now];
const gameOf = (id) => catalogue.games.find((game) => game.game === id);
const isOutcome = (answer) => answer.game === 'kujifunza';

// Links.

function linkOf(shown) {
  const parts = [['game', shown.game], ['pits', shown.pits], ...Object.entries(shown.rules).map(([n, v]) => ['rule', `${n}=${v}`])];
  parts.push(['position', api.positionText(shown)], ['mover', SEATS[shown.mover].toLowerCase()]);
  return `#${new URLSearchParams(parts)}`;
}

function entryOfLink(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const named = parts.get('game') ?? 'oware';
  const preset = catalogue.presets.find((one) => one.preset === named);
  const game = gameOf(preset?.game ?? named);
  if (!game) throw new Error(`the link names an unknown game, '${named}'`);
  const pairs = [...(preset?.rules ?? []), ...parts.getAll('rule')].map((rule) => rule.split('='));
  const mover = parts.get('mover') === 'north' ? 1 : 0;
  const [text, wonText] = (parts.get('position') ?? 'start').split(':');
  const won = (wonText ?? '').split('-').map((seeds) => Number(seeds) || 0);
  const [own = 0, other = 0] = won;
  return {
    game: game.game, pits: Number(parts.get('pits')) || game.pits, rules: Object.fromEntries(pairs), text: text.trim(),
    mover, won: mover === 0 ? [own, other] : [other, own],
  };
}

// Going from position to position.

async function show(next, { keep = true } = {}) {
  stopSowing();
  draft = null;
  if (keep) {
    trail = trail.slice(0, now + 1);
    trail.push(next);
    now = trail.length - 1;
  }
  await ask();
}

/** Asks for the answer to the entry shown, unless it is known already, and draws it. */
async function ask() {
  turn += 1;
  const [mine, shown] = [turn, entry()];
  try {
    if (!shown.answer) {
      const answer = await api.answer(shown);
      shown.answer = answer;
      shown.text = answer.position.text;
      shown.perPit = undefined;
    }
  } catch (error) {
    if (mine === turn) refuse(error);
    return false;
  }
  if (mine !== turn) return false;
  history.replaceState(null, '', linkOf(shown));
  draw();
  drawPlot(shown);
  return true;
}

function refuse(error) {
  $('status').textContent = `No answer: ${error.message}.`;
  $('mistake').textContent = draft ? error.message : '';
  $('undo').disabled = now <= 0;
  document.body.dataset.ready = 'refused';
}

/** The entry that a move of `shown` leads to. */
function follow(shown, move) {
  const won = [...shown.won];
  won[shown.mover] += move.gain;
  won[1 - shown.mover] += move.gain_other;
  const next = { game: shown.game, pits: shown.pits, rules: { ...shown.rules }, won, move: move.move };
  if (!move.after) return { ...next, text: shown.text, mover: shown.mover, answer: shown.answer, endless: true };
  if (move.after.owners && !move.again) next.rules.owners = move.after.owners;
  return { ...next, text: move.after.text, mover: move.again ? shown.mover : 1 - shown.mover };
}

async function play(name) {
  const shown = entry();
  const move = shown.answer?.moves.find((one) => one.move === name);
  if (!move || sowing || shown.endless) return;
  document.body.dataset.ready = 'no';
  const next = follow(shown, move);
  const speed = $('speed').value;
  if (speed !== '0' && name !== '-') {
    try {
      await startSowing(shown, name, next);
      return;
    } catch (error) {
      refuse(error);
      return;
    }
  }
  await show(next);
}

// The sowing, seed by seed.

async function startSowing(shown, name, next) {
  const mine = (turn += 1);
  const told = await api.sow(shown, name);
  if (mine !== turn) return;
  const seats = seatsOf(shown.answer.position, shown.mover);
  sowing = { entry: shown, name, next, seats, steps: told.steps, cut: told.cut, count: 0, timer: null };
  if ($('speed').value !== 'step') runSowing();
  draw();
}

function runSowing() {
  const wait = Number($('speed').value) || 160;
  sowing.timer = setInterval(() => stepSowing(1), wait);
}

function pauseSowing() {
  clearInterval(sowing?.timer);
  if (sowing) sowing.timer = null;
}

function stopSowing() {
  pauseSowing();
  sowing = null;
}

async function stepSowing(by) {
  if (!sowing) return;
  const count = Math.max(0, sowing.count + by);
  if (count > sowing.steps.length) {
    const { next } = sowing;
    stopSowing();
    if (next) await show(next);
    else draw();
    return;
  }
  sowing.count = count;
  draw();
}

// Drawing.

function draw() {
  const shown = entry();
  const answer = shown.answer;
  if (!answer) return;
  const outcome = isOutcome(answer);
  const rows = answer.position.own.length / shown.pits;
  const view = {
    pits: shown.pits, outcome, mover: shown.mover, won: shown.won, seats: seatsOf(answer.position, shown.mover),
    moves: shown.endless ? [] : answer.moves,
  };
  if (sowing) {
    const { entry: before, seats, steps, count } = sowing;
    Object.assign(view, afterSteps(seats, before.won, before.mover, steps, count), { moves: [], mover: before.mover });
    const what = count === 0 ? 'before the sowing' : stepText(steps[count - 1], before.mover, shown.pits, rows);
    const cut = sowing.cut && count === steps.length ? ' (a very long sowing: the rest is left out)' : '';
    $('step').textContent = `Move ${sowing.name}, step ${count} of ${steps.length}: ${what}; ${view.hand} in hand${cut}`;
  }
  if (draft) Object.assign(view, draft, { moves: [], editing: 'seeds', closable: answer.rules.flags === true, ownable: answer.rules.owners !== undefined });
  drawBoard($('board'), view, play, edit);
  $('stepper').hidden = !sowing;
  $('run').textContent = sowing?.timer ? '❚❚' : '▶';
  drawStatus(shown, answer, outcome);
  drawMoves(shown, answer, outcome);
  drawLine(shown, answer);
  drawRules(shown, answer);
  $('undo').disabled = now === 0;
  $('redo').disabled = now + 1 >= trail.length;
  $('best').disabled = !answer.play || Boolean(sowing) || Boolean(draft) || Boolean(shown.endless);
  $('replay').disabled = now === 0 || !shown.move || shown.move === '-' || Boolean(sowing);
  $('edit').setAttribute('aria-pressed', String(Boolean(draft)));
  $('editor').hidden = !draft;
  document.body.dataset.ready = sowing ? 'sowing' : draft ? 'editing' : 'yes';
}

function drawStatus(shown, answer, outcome) {
  const who = SEATS[shown.mover];
  const words = { win: 'wins', draw: 'draws', loss: 'loses' };
  const result = answer.outcome ? ` ${who} ${words[answer.outcome]}.` : '';
  const final = answer.final && (shown.mover === 0 ? answer.final : [...answer.final].reverse());
  const score = final ? ` Final score South ${final[0]}, North ${final[1]}.` : '';
  let text;
  if (sowing) text = `${SEATS[sowing.entry.mover]} sows.`;
  else if (shown.endless) text = `The sowing of move ${shown.move} never stops: play is over and what is on the board is shared.`;
  else if (answer.over) text = `Play is over.${result}${score}`;
  else text = `${who} to move, worth ${worthWords(answer, outcome)}.${result}${score}`;
  $('status').textContent = text;
  $('status').dataset.worth = worthText(answer, outcome);
  const exactness = $('exactness');
  exactness.className = answer.exact ? 'exact' : 'inexact';
  exactness.textContent = answer.exact ? 'Exact value.' : `Not exact: only bounds are known. ${answer.missing?.reason ?? ''}`;
}

function drawMoves(shown, answer, outcome) {
  const rows = answer.position.own.length / shown.pits;
  const body = (shown.endless ? [] : answer.moves).map((move) => {
    const at = spot(move.move, shown.mover, shown.pits);
    const title = at ? pitName(at.seat, at.place, shown.pits, rows) : 'pass';
    const remarks = [move.again && 'moves again', move.endless && 'never stops', move.gain_other > 0 && `gives ${move.gain_other}`, move.best && 'best'];
    return make('tr', { class: move.best ? 'best' : '' },
      make('td', {}, make('button', { type: 'button', title, 'data-name': move.move, 'aria-label': `Play ${move.move}, ${title}`, onclick: () => play(move.move) }, move.move)),
      make('td', { class: worthClass(move) }, worthText(move, outcome)), make('td', {}, `${move.gain || ''}`),
      make('td', {}, remarks.filter(Boolean).join(', ')));
  });
  $('moves').tBodies[0].replaceChildren(...body);
  const pass = answer.moves.find((move) => move.move === '-');
  $('pass').replaceChildren(...(pass && !sowing && !draft ? [make('button', { type: 'button', onclick: () => play('-') }, `Pass, worth ${worthText(pass, outcome)}`)] : []));
}

function drawLine(shown, answer) {
  const names = shown.endless ? [] : answer.line ?? [];
  $('line').replaceChildren(...names.map((name, i) => make('li', {}, make('button', {
    type: 'button', 'aria-label': `Go to the position after move ${i + 1} of the line, ${name}`, onclick: () => walk(i + 1),
  }, name))));
  const ends = { over: 'Then play is over.', repetition: 'And so on for ever: what is left is shared.', limit: 'And so on.' };
  $('line-ends').textContent = names.length ? ends[answer.line_ends] : answer.exact ? '' : 'Not known without an exact value.';
}

function drawRules(shown, answer) {
  const game = gameOf(answer.game);
  const about = (name) => game.options.find((option) => option.name === name)?.about ?? '';
  const { pits, ...options } = answer.rules;
  const list = Object.entries(options).map(([name, value]) => `${name}=${value} (${about(name)})`);
  $('ruling').textContent = `${game.title}, ${pits} pits a row${list.length ? ': ' : ''}${list.join('; ')}.`;
  $('notes').replaceChildren(...(answer.notes ?? []).map((note) => make('li', {}, note)));
  $('game').value = shown.game;
  $('pits').value = String(shown.pits);
  const fields = game.options.map((option) => optionField(option, String(answer.rules[option.name])));
  $('rules').replaceChildren(...(fields.length ? fields : [make('p', {}, 'This game has no options.')]));
}

function optionField(option, value) {
  const range = /^(\d+) to (\d+)/.exec(option.values);
  const change = (event) => choose({ ...entry().rules, [option.name]: event.target.value });
  let field;
  if (option.name === 'owners') {
    field = make('input', { value, pattern: '[01]*', size: 22, 'data-rule': option.name, onchange: change });
  } else {
    const values = range ? Array.from({ length: range[2] - range[1] + 1 }, (_, i) => `${i + Number(range[1])}`) : option.values.split(', ');
    field = make('select', { 'data-rule': option.name, onchange: change }, ...values.map((one) => make('option', { value: one }, one)));
    field.value = value;
  }
  return make('label', {}, make('b', {}, option.name), field, make('small', {}, option.about));
}

async function drawPlot(shown) {
  const { answer } = shown;
  const mine = turn;
  $('histogram-title').textContent = `Values of all positions of ${answer.seeds} seeds`;
  try {
    const told = await api.stats(shown, answer.seeds);
    if (mine !== turn) return;
    drawHistogram($('histogram'), told.layers[0], answer.value);
  } catch (error) {
    if (mine === turn) $('histogram').replaceChildren(make('p', { class: 'small' }, `No plot: ${error.message}`));
  }
}

// What the person asks for.

async function walk(count) {
  const shown = entry();
  try {
    const told = await api.line(shown);
    let last = shown;
    trail = trail.slice(0, now + 1);
    for (const step of told.walk.filter((one) => one.turn < count)) {
      last = follow({ ...last, answer: last.answer ?? shown.answer }, step);
      if (last.endless && trail.length > now + 1) last.answer = undefined;
      trail.push(last);
    }
    now = trail.length - 1;
    stopSowing();
    await ask();
  } catch (error) {
    refuse(error);
  }
}

function go(by) {
  const to = now + by;
  if (to < 0 || to >= trail.length) return;
  stopSowing();
  draft = null;
  now = to;
  ask();
}

/** Begins the same game anew with other rules; the position stays where it fits. */
async function choose(rules, pits = entry().pits, game = entry().game) {
  const shown = entry();
  const fits = game === shown.game && pits === shown.pits;
  const next = { game, pits, rules, text: fits ? shown.text : 'start', mover: fits ? shown.mover : 0, won: fits ? shown.won : [0, 0] };
  await show(next);
}

async function replay() {
  const [shown, before] = [entry(), trail[now - 1]];
  try {
    if (!before.answer) before.answer = await api.answer(before);
    await startSowing(before, shown.move, null);
  } catch (error) {
    refuse(error);
  }
}

function toggleEditor() {
  stopSowing();
  const shown = entry();
  if (draft || !shown.answer) {
    draft = null;
  } else {
    draft = { seats: seatsOf(shown.answer.position, shown.mover), mover: shown.mover, won: [...shown.won] };
    $('mover').value = String(shown.mover);
    $('won0').value = shown.won[0];
    $('won1').value = shown.won[1];
    $('filling').value = gameOf(shown.game).per_pit;
    $('mistake').textContent = '';
    writeDraft();
  }
  draw();
}

function writeDraft() {
  $('text').value = textOf(draft.seats, draft.mover, entry().pits);
}

function edit(seat, place, change, redraw = false) {
  Object.assign(draft.seats[seat][place], change);
  writeDraft();
  if (redraw) draw();
}

async function finishEditor(text, perPit) {
  const shown = entry();
  const rules = { ...shown.rules };
  if (shown.answer.rules.owners !== undefined) rules.owners = ownersText(draft.seats, draft.mover);
  const won = [Number($('won0').value) || 0, Number($('won1').value) || 0];
  const next = { game: shown.game, pits: shown.pits, rules, text, mover: draft.mover, won, perPit };
  try {
    next.answer = await api.answer(next);
  } catch (error) {
    refuse(error);
    return;
  }
  next.text = next.answer.position.text;
  next.perPit = undefined;
  await show(next);
}

function listen() {
  $('game').onchange = (event) => {
    const preset = catalogue.presets.find((one) => one.preset === event.target.value);
    const game = gameOf(preset?.game ?? event.target.value);
    choose(Object.fromEntries((preset?.rules ?? []).map((rule) => rule.split('='))), game.pits, game.game);
  };
  $('pits').onchange = (event) => {
    // Owners name each pit of the board, so they do not outlive its size.
    const { owners, ...rules } = entry().rules;
    choose(rules, Number(event.target.value));
  };
  $('undo').onclick = () => go(-1);
  $('redo').onclick = () => go(1);
  $('best').onclick = () => play(entry().answer?.play);
  $('replay').onclick = replay;
  $('edit').onclick = toggleEditor;
  $('cancel').onclick = toggleEditor;
  $('clear').onclick = () => { draft.seats.flat().forEach((pit) => { pit.seeds = 0; }); writeDraft(); draw(); };
  $('start').onclick = () => finishEditor('start', Number($('filling').value) || 0);
  $('mover').onchange = (event) => { draft.mover = Number(event.target.value); writeDraft(); draw(); };
  $('editor').onsubmit = (event) => { event.preventDefault(); finishEditor($('text').value); };
  $('first').onclick = () => { pauseSowing(); stepSowing(-Infinity); };
  $('back').onclick = () => { pauseSowing(); stepSowing(-1); };
  $('on').onclick = () => { pauseSowing(); stepSowing(1); };
  $('last').onclick = () => { pauseSowing(); stepSowing(Infinity); };
  $('run').onclick = () => { if (sowing.timer) pauseSowing(); else runSowing(); draw(); };
  $('speed').onchange = (event) => localStorage.setItem('speed', event.target.value);
  $('link').onclick = async () => {
    const address = location.href;
    await navigator.clipboard?.writeText(address).catch(() => {});
    $('status').textContent = `The address of this page is the link: ${address}`;
  };
  $('theme').onclick = () => {
    const dark = getComputedStyle(document.documentElement).colorScheme.trim() === 'dark';
    const isDark = document.documentElement.dataset.theme ? dark : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(isDark ? 'light' : 'dark');
  };
  window.onhashchange = followLink;
  document.onkeydown = onKey;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem('theme', theme);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const moved = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = document.activeElement?.dataset;
  if (moved && from?.line !== undefined && !(draft && moved[1])) {
    const to = `[data-line="${Number(from.line) + moved[0]}"][data-column="${Number(from.column) + moved[1]}"]`;
    $('board').querySelector(to)?.focus();
    event.preventDefault();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const keys = { u: 'undo', r: 'redo', b: 'best', e: 'edit', ',': 'back', '.': 'on' };
  const button = $(keys[event.key]);
  if (button && !button.disabled && !button.closest('[hidden]')) button.click();
}

async function followLink() {
  try {
    await show(entryOfLink(location.hash));
  } catch (error) {
    // A link that names no game still has to leave something to go on from.
    if (trail.length === 0) await show(entryOfLink(''));
    refuse(error);
  }
}

async function begin() {
  for (let pits = 2; pits <= 10; pits += 1) $('pits').append(make('option', { value: pits }, `${pits}`));
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  $('speed').value = localStorage.getItem('speed') ?? (calm ? '0' : '160');
  const theme = localStorage.getItem('theme');
  if (theme) setTheme(theme);
  try {
    catalogue = await api.games();
  } catch (error) {
    refuse(error);
    return;
  }
  const group = (label, options) => make('optgroup', { label }, ...options);
  $('game').append(
    group('Games', catalogue.games.map((game) => make('option', { value: game.game }, game.title))),
    group('Well-known rules', catalogue.presets.map((preset) => make('option', { value: preset.preset }, preset.title))),
  );
  listen();
  trail = [];
  now = -1;
  await followLink();
}

begin();
