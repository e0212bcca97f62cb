// How accessibility is looked at: all that is shown, or the open dialog alone, in both themes at each width. What does not
// come to rest or cannot be looked at is an error. `proof` shows before a run that faults of each kind would be found.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { calm } from './browser.mjs';

export const DESKTOP = 1440;
export const PHONE = 390;
/** Runs in each document before it can be looked at. Without transitions: a change of theme would start one on each element. */
export const PREPARE = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
{
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { transition: none !important; }');
  document.adoptedStyleSheets.push(still);
}`;
/** Maximum time until the page fits a new width: charts are redrawn, on a busy machine late. */
const FITS_MS = 60_000;
const ALL_RULES = { resultTypes: ['violations'] };
/** The rules that a theme can break: nothing but colours changes with it. */
const COLOURS = {
  resultTypes: ['violations'],
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * What is wrong with what `page` shows: a list of `{ where, rule, text, count }`. Its theme and width are changed in place,
 * as a visitor's system and window do. `PREPARE` has run in it.
 */
export async function look(page, { widths = [DESKTOP, PHONE], busy = false, patience = FITS_MS } = {}) {
  const faults = [];
  for (const width of widths) {
    if (width === PHONE) await page.mouse.move(0, 0); // else it may come to lie on a chart, and open its tip
    await page.setViewportSize({ width, height: 900 });
    await calm(page, { busy });
    await page
      .waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, null, { timeout: patience })
      .catch(() => {}); // told below
    for (const { theme, tooWide, squeezed, violations } of await page.evaluate(lookInBothThemes, {
      light: ALL_RULES,
      dark: COLOURS,
    })) {
      const where = `${theme} ${width}`;
      for (const { id, help, count, shown } of violations)
        faults.push({ where, rule: id, text: `${id}: ${help}${shown}`, count });
      for (const text of squeezed)
        faults.push({ where, rule: 'squeezed', text: `${text} is wider than its button`, count: 1 });
      if (tooWide > 0) faults.push({ where, rule: 'too wide', text: `${tooWide} px too wide`, count: 1 });
    }
  }
  return faults;
}

/** Runs in the page. An open dialog alone: what lies behind it is looked at in a state of its own. */
async function lookInBothThemes(rules) {
  const root = document.documentElement;
  const looks = [];
  for (const theme of ['light', 'dark']) {
    root.classList.toggle('dark', theme === 'dark');
    endAnimations();
    const dialogs = document.querySelectorAll('[role=dialog], [role=alertdialog]');
    const { violations } = await globalThis.axe.run(dialogs.length > 0 ? dialogs : document, rules[theme]);
    const tooWide = root.scrollWidth - window.innerWidth;
    looks.push({ theme, tooWide, squeezed: squeezed(), violations: violations.map(brief) });
  }
  return looks;

  /** Texts that stand out of their buttons, over what is beside them. A badge on the corner of one may. */
  function squeezed() {
    return [...document.querySelectorAll('button, [role=tab]')]
      .filter((item) => item.checkVisibility() && getComputedStyle(item).overflowX === 'visible')
      .filter((item) => item.clientWidth > 1 && item.scrollWidth > item.clientWidth + 1 && standsOut(item))
      .map((item) => item.textContent.trim().slice(0, 40) || item.getAttribute('aria-label'));
  }

  function standsOut(button) {
    const { left, right } = button.getBoundingClientRect();
    const range = document.createRange();
    return [...button.childNodes].some((child) => {
      if (child instanceof Element && getComputedStyle(child).position === 'absolute') return false;
      range.selectNode(child);
      const drawn = range.getBoundingClientRect();
      return drawn.left < left - 1 || drawn.right > right + 1;
    });
  }

  /** What moves is at its end at once. What begins when another ends, too. */
  function endAnimations() {
    for (let rounds = 0; rounds < 20; rounds += 1) {
      const moving = document
        .getAnimations()
        .filter((item) => item.playState === 'running' && item.effect?.getComputedTiming().endTime !== Infinity);
      if (moving.length === 0) return;
      for (const item of moving) item.finish();
    }
    throw new Error('It does not come to rest: one movement begins after the other.');
  }

  function brief({ id, help, nodes }) {
    const shown = nodes
      .slice(0, 3)
      .map(
        (node) => `\n    ${node.html.slice(0, 200)}\n    ${node.failureSummary.replaceAll('\n', ' ').slice(0, 300)}`,
      );
    return { id, help, count: nodes.length, shown: shown.join('') };
  }
}

const PLANTED = [
  {
    name: 'a page',
    html: `<!doctype html><html lang="en"><head><title>Planted</title><style>
      body { color: #111; background: #fff; }
      .dark body { color: #eee; background: #111; }
      .faint { transition: color 100s; }
      .dark .faint { color: #333; }
      .phone { display: none; }
      @media (max-width: 639px) { .phone { display: inline; } .wide { width: 400px; }
        .tight { width: 3rem; white-space: nowrap; } }
      </style></head><body><main><h1>Planted</h1><p class="faint">Too faint in the dark</p><div class="wide">Too wide on a phone</div>
      <button class="phone"></button><button class="tight">Squeezed on a phone</button></main></body></html>`,
    faults: [
      `dark ${DESKTOP} color-contrast`,
      `light ${PHONE} button-name`,
      `light ${PHONE} squeezed`,
      `light ${PHONE} too wide`,
      `dark ${PHONE} color-contrast`,
      `dark ${PHONE} squeezed`,
      `dark ${PHONE} too wide`,
    ],
  },
  {
    name: 'a dialog',
    html: `<!doctype html><html lang="en"><head><title>Planted</title></head><body style="background:#fff"><main><h1>Behind</h1><img src="data:,"></main>
      <div role="dialog" aria-label="Planted"><input type="text"></div></body></html>`,
    faults: [`light ${DESKTOP} label`, `light ${PHONE} label`],
  },
];

/** What is not found as it was planted: a list of texts, empty when the looks can be believed. */
export async function proof(browser) {
  const page = await browser.newPage({ viewport: { width: DESKTOP, height: 900 } });
  const wrong = [];
  for (const { name, html, faults } of PLANTED) {
    await page.setViewportSize({ width: DESKTOP, height: 900 });
    await page.setContent(html);
    await page.evaluate(PREPARE);
    const found = (await look(page, { patience: 100 })).map(({ where, rule }) => `${where} ${rule}`);
    if (found.join() !== faults.join())
      wrong.push(
        `in ${name} these faults were planted: ${faults.join(', ')}; found were: ${found.join(', ') || 'none'}`,
      );
  }
  await page.close();
  return wrong;
}
