// Makes the pictures in docs/.

import { open, openBrowser, shows } from './browser-open.mjs';

const PICTURES = [
  ['explorer', { game: 'oware', position: '0 1 0 1 0 3 / 1 2 0 0 1 0 : 18-21' }, { width: 1180, height: 700 }, 'light'],
  ['explorer-dark', { game: 'kujifunza', pits: 2, position: '2 1 / 1 2 / 1 2 / 2 1' }, { width: 1000, height: 760 }, 'dark'],
  ['explorer-phone', { game: 'kiothi', position: '0 0 0 0 0 1 0 0 2 0 / 0 0 0 0 0 0 1 1 0 1' }, { width: 390, height: 760 }, 'light'],
];

const context = await openBrowser({ reducedMotion: 'reduce' });
const page = context.pages()[0] ?? await context.newPage();
for (const [name, parameters, viewport, colorScheme] of PICTURES) {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await open(page, parameters);
  await shows(page);
  await page.waitForSelector('#histogram svg, #histogram p');
  await page.screenshot({ path: `docs/${name}.png` });
}
await context.close();
