// Plays a game of each of the eight on the page, edits a position, follows a link, steps a sowing, goes by keyboard;
// all that is shown is compared with `sowbase query --json`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

import { address, open, openBrowser, shows } from './browser-open.mjs';

let passed = 0;

async function check(name, task) {
  const begin = Date.now();
  try {
    await task();
  } catch (error) {
    console.error(`FAILED ${name}`);
    throw error;
  }
  passed += 1;
  console.log(`ok ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
}

/** What `sowbase query` says about the position that the page's address names, and the address itself. */
function query(url) {
  const link = new URLSearchParams(new URL(url).hash.slice(1));
  const rules = link.getAll('rule').flatMap((rule) => ['--rule', rule]);
  const parts = ['query', link.get('game'), '--pits', link.get('pits'), ...rules, link.get('position'), '--json', '--dir', process.env.TABLES];
  const text = execFileSync(process.env.SOWBASE, parts, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { answer: JSON.parse(text), mover: link.get('mover') === 'north' ? 1 : 0 };
}

const signed = (number) => (number > 0 ? `+${number}` : `${number}`.replace('-', '−'));

function worth(answer, value) {
  if (answer.game !== 'kujifunza') return signed(value.value);
  return value.value === 0 ? 'D' : `${value.value > 0 ? 'W' : 'L'}${value.distance}`;
}

/** Compares everything shown with what the command line says. */
async function compare(page) {
  const { answer, mover } = query(page.url());
  const shown = await page.evaluate(() => ({
    worth: document.querySelector('#status').dataset.worth,
    status: document.querySelector('#status').textContent,
    exactness: document.querySelector('#exactness').textContent,
    moves: [...document.querySelectorAll('#moves tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)),
    line: [...document.querySelectorAll('#line li')].map((item) => item.textContent),
    seeds: [0, 1].map((seat) => [...document.querySelectorAll(`.pit[data-seat="${seat}"]`)]
      .sort((a, b) => a.dataset.place - b.dataset.place).map((pit) => parseInt(pit.querySelector('.count').textContent, 10))),
    labels: [...document.querySelectorAll('button.pit')].every((pit) => /pit \d+, \d+ seeds?/.test(pit.getAttribute('aria-label'))),
    rows: new Set([...document.querySelectorAll('#board .cell')].map((cell) => Math.round(cell.getBoundingClientRect().top))).size,
    badges: [...document.querySelectorAll('.badge')].map((badge) => badge.textContent.replace(/[◀▶]/g, '')).sort(),
  }));
  assert.equal(shown.worth, worth(answer, answer), 'the value');
  assert.equal(shown.exactness, 'Exact value.');
  assert.deepEqual(shown.seeds[mover], answer.position.own, 'the seeds of the player to move');
  assert.deepEqual(shown.seeds[1 - mover], answer.position.other, 'the other seeds');
  assert.deepEqual(shown.moves.map(([name, value, , remarks]) => [name, value, /best/.test(remarks)]),
    answer.moves.map((move) => [move.move, worth(answer, move), move.best]), 'the moves');
  const named = answer.moves.filter((move) => move.move !== '-');
  assert.deepEqual(shown.badges, named.map((move) => `${move.best ? '★' : ''}${worth(answer, move)}`).sort(), 'the values on the board');
  assert.deepEqual(shown.line, answer.line, 'the best line');
  assert.equal(shown.rows, answer.game === 'kujifunza' ? 4 : 2, 'the rows of the board');
  assert.ok(shown.labels, 'every pit has a label');
  if (answer.over) assert.match(shown.status, /over/);
  return answer;
}

/** Plays by clicking on the board until play is over or `most` moves were made; every position is compared. */
async function playOn(page, most) {
  for (let made = 0; made < most; made += 1) {
    const answer = await compare(page);
    if (answer.over || answer.moves.length === 0) return made;
    // Now the best move, now another one.
    const move = made % 3 === 2 ? answer.moves[answer.moves.length - 1] : answer.moves.find((one) => one.move === answer.play);
    const before = page.url();
    if (move.move === '-') await page.click('#pass button');
    else await page.click(`#board [data-move="${move.move}"]`);
    if (move.endless) {
      await page.waitForFunction(() => /never stops/.test(document.querySelector('#status').textContent));
      return made + 1;
    }
    await page.waitForFunction((url) => location.href !== url, before);
    await shows(page);
  }
  return most;
}

const GAMES = [
  ['kalaha', '0 0 1 1 0 1 / 2 0 0 1 1 0'], ['awale', '1 0 0 1 0 1 / 0 1 0 0 1 0'], ['oware', '0 1 0 1 0 1 / 1 0 2 0 0 0 : 20-22'],
  ['nam-nam', '0 0 0 1 0 1 / 3 0 0 1 1 1'], ['bao-kenya', '0 0 0 0 0 2 0 1 / 1 0 0 0 0 0 0 1'],
  ['bao-laps', '0 0 2 0 0 1 0 0 / 0 1 0 0 0 0 0 1'], ['kiothi', '0 0 0 0 0 0 0 0 2 0 / 0 0 0 0 0 0 0 1 0 1'],
];

const context = await openBrowser({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' });
const page = context.pages()[0] ?? await context.newPage();
const faults = [];
page.on('pageerror', (error) => faults.push(error.message));
page.on('console', (message) => { if (message.type() === 'error' && !/404|400/.test(message.text())) faults.push(message.text()); });
page.on('request', (request) => { if (!request.url().startsWith(address) && !request.url().startsWith('data:')) faults.push(`asks ${request.url()}`); });

for (const [game, position] of GAMES) {
  await check(`a game of ${game}`, async () => {
    await open(page, { game, position });
    assert.ok(await playOn(page, 12) >= 1);
  });
}

await check('a game of kujifunza', async () => {
  await open(page, { game: 'kujifunza', pits: 2, position: '2 1 / 1 2 / 1 2 / 2 1' });
  assert.ok(await playOn(page, 12) >= 1);
});

await check('undo, redo, keys and the best line', async () => {
  await open(page, { game: 'oware', position: '0 1 0 1 0 2 / 1 0 2 0 0 0' });
  const first = page.url();
  await page.focus('#board .pit.open.best');
  await page.keyboard.press('Enter');
  await page.waitForFunction((url) => location.href !== url, first);
  await shows(page);
  const second = page.url();
  await page.keyboard.press('u');
  await page.waitForFunction((url) => location.href === url, first);
  await page.keyboard.press('r');
  await page.waitForFunction((url) => location.href === url, second);
  await page.focus('#board .pit[data-line="1"][data-column="0"]');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.column), '1');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.line), '0');
  await page.click('#line li:nth-child(2) button');
  await page.waitForFunction((url) => location.href !== url, second);
  await shows(page);
  await compare(page);
});

await check('a position set up by hand', async () => {
  await open(page, { game: 'oware' });
  assert.match(await page.textContent('#exactness'), /Not exact.*48 seeds are not covered/s);
  await page.click('#edit');
  await shows(page, 'editing');
  await page.click('#clear');
  await page.fill('input.pit[data-seat="0"][data-place="5"]', '2');
  await page.fill('input.pit[data-seat="0"][data-place="2"]', '1');
  await page.fill('input.pit[data-seat="1"][data-place="0"]', '3');
  await page.fill('#won0', '20');
  await page.selectOption('#mover', '1');
  await page.click('#editor [type=submit]');
  await shows(page);
  const answer = await compare(page);
  assert.deepEqual(answer.position.own, [3, 0, 0, 0, 0, 0]);
  assert.deepEqual(answer.won, [0, 20]);
  await page.click('#edit');
  await shows(page, 'editing');
  await page.fill('#text', '1 2 / 3');
  await page.click('#editor [type=submit]');
  await page.waitForFunction(() => /own row has 2 pit/.test(document.querySelector('#mistake').textContent));
  await page.click('#cancel');
});

await check('rules are chosen and named', async () => {
  await open(page, { game: 'oware', position: '0 0 0 1 0 1 / 1 0 0 0 0 0' });
  assert.equal((await compare(page)).value, 3);
  await page.click('#options summary');
  await page.selectOption('[data-rule="grand_slam"]', 'avoid');
  await page.waitForFunction(() => /grand_slam=avoid/.test(document.querySelector('#ruling').textContent));
  await shows(page);
  await compare(page);
  await page.click('#options summary');
});

await check('a shared link shows the same in another window', async () => {
  await open(page, { game: 'kiothi', position: '0 0 0 0 0 0 0 0 2 0 / 0 0 0 0 0 0 0 1 0 1 : 3-4', mover: 'north' });
  const other = await context.newPage();
  await other.goto(page.url());
  await shows(other);
  await compare(other);
  assert.equal(await other.textContent('#status'), await page.textContent('#status'));
  assert.match(await other.textContent('#histogram'), /positions of 4 seeds/);
  await other.close();
});

await check('a sowing is stepped seed by seed', async () => {
  await open(page, { game: 'bao-laps', position: '0 0 2 0 0 1 0 0 / 0 1 0 0 0 0 0 1' });
  await page.selectOption('#speed', 'step');
  const before = page.url();
  const total = () => page.evaluate(() => [...document.querySelectorAll('.pit .count, .store b')].reduce((sum, one) => sum + parseInt(one.textContent, 10), 0)
    + Number(/; (\d+) in hand/.exec(document.querySelector('#step').textContent)[1]));
  await page.click('#board [data-move="3"]');
  await shows(page, 'sowing');
  let steps = 0;
  while (await page.evaluate(() => document.body.dataset.ready) === 'sowing') {
    assert.equal(await total(), 5, 'no seed is lost on the way');
    await page.click('#on');
    steps += 1;
    assert.ok(steps < 60);
    await page.waitForFunction((done) => document.body.dataset.ready === 'yes' || document.querySelector('#step').textContent.includes(`step ${done} of`), steps);
  }
  assert.notEqual(page.url(), before);
  await page.selectOption('#speed', '0');
  await compare(page);
});

await check('owners of nam-nam pits', async () => {
  await open(page, { game: 'nam-nam', pits: 3, rule: 'owners=111100', position: '0 1 0 / 2 0 1' });
  assert.equal(await page.locator('.pit.seat0').count(), 4);
  await compare(page);
  await page.click('#board .pit.open');
  await page.waitForFunction(() => /mover=north/.test(location.href));
  await shows(page);
  assert.equal(await page.locator('.pit.seat0').count(), 4, 'owners stay');
  await compare(page);
});

await check('a phone, light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    for (const parameters of [{ game: 'kiothi', position: '0 0 0 0 0 0 0 0 2 0 / 0 0 0 0 0 0 0 1 0 1' }, { game: 'kiothi' }, { game: 'kujifunza' }]) {
      await open(page, parameters);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${parameters.game} is ${wide} wide`);
    }
  }
});

assert.deepEqual(faults, [], 'no script error and no foreign address');
await context.close();
console.log(`${passed} passed, 0 failed`);
