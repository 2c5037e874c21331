// A headless Chromium, and a page of the explorer in it.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { chromium } = createRequire(join(process.env.KIT, 'package.json'))('playwright-core');

export const address = process.env.ADDRESS.trim();

/** A browser; `close()` ends it and removes its profile. */
export async function openBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'explorer-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
    ...options,
  });
  const close = context.close.bind(context);
  context.close = async () => {
    await close();
    rmSync(profile, { recursive: true, force: true });
  };
  return context;
}

/** Waits until the page shows what it was asked for: `yes`, `editing`, `sowing` or `refused`. */
export async function shows(page, state = 'yes') {
  await page.waitForFunction((wanted) => document.body.dataset.ready === wanted, state, { timeout: 30_000 });
}

/** Opens the page at a position. */
export async function open(page, parameters) {
  await page.evaluate(() => { document.body.dataset.ready = 'no'; }).catch(() => {});
  await page.goto(`${address}#${new URLSearchParams(parameters)}`);
  await shows(page);
}
