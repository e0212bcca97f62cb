// Screenshots of every screen, to be looked at by a person:
// node e2e/shots.mjs [folder] [screen,screen…] [look,look… or "all": every width in both themes]
// ODD=1: with names of 200 characters, from right to left and of emoji.
import { mkdirSync } from 'node:fs';
import { calm, launch, newPage, settle } from './browser.mjs';
import { startMock } from './mock-api.mjs';

const folder = process.argv[2] ?? 'test-results/shots';
mkdirSync(folder, { recursive: true });

const mock = await startMock({ odd: process.env.ODD === '1' });
const empty = await startMock({ empty: true });
const first = await startMock({ first: true });
const broken = await startMock({ broken: true });
const slow = await startMock({ slow: true });
const browser = await launch();

/** `after`: acts once the page is at rest, and shows the view only; `busy`: it never comes to rest; `from`: the width from
 *  which on it is there. */
const SCREENS = [
  { name: 'home', path: '/', signedIn: false },
  { name: 'about', path: '/about', signedIn: false },
  { name: 'consulting', path: '/consulting', signedIn: false },
  { name: 'contact', path: '/contact', signedIn: false },
  { name: 'pricing', path: '/pricing', signedIn: false },
  { name: 'integrations', path: '/integrations', signedIn: false },
  { name: 'careers', path: '/careers', signedIn: false },
  { name: 'blog', path: '/blog', signedIn: false },
  { name: 'article', path: '/blog/server-side-postbacks', signedIn: false },
  { name: 'help', path: '/help', signedIn: false },
  { name: 'guide', path: '/help/postbacks', signedIn: false },
  { name: 'privacy', path: '/privacy', signedIn: false },
  { name: 'api-docs', path: '/docs/api', signedIn: false },
  { name: 'api-calls', path: '/docs/api?part=calls', signedIn: false },
  { name: 'matching-visitor', path: '/affiliate-matching', signedIn: false },
  { name: 'matching', path: '/affiliate-matching' },
  {
    name: 'matching-analysis',
    path: '/affiliate-matching',
    act: (page) => page.getByRole('tab', { name: 'Analysis' }).click(),
  },
  {
    name: 'matching-programs',
    path: '/affiliate-matching',
    act: (page) => page.getByRole('tab', { name: 'Recommendations' }).click(),
  },
  {
    name: 'ideas',
    path: '/affiliate-matching',
    act: async (page) => {
      await page.getByRole('tab', { name: 'Ideas & Niches' }).click();
      await page.getByText('First ten articles').first().click();
    },
  },
  {
    name: 'ideas-answers',
    path: '/affiliate-matching',
    act: async (page) => {
      await page.getByRole('tab', { name: 'Ideas & Niches' }).click();
      await page.getByRole('button', { name: 'Change answers' }).click();
    },
  },
  {
    name: 'ideas-comparison',
    path: '/affiliate-matching',
    act: async (page) => {
      await page.getByRole('tab', { name: 'Ideas & Niches' }).click();
      await page.getByRole('tab', { name: /^Saved/ }).click();
      for (const nth of [0, 1])
        await page
          .getByRole('checkbox', { name: /^Compare / })
          .nth(nth)
          .check();
      await page.getByRole('button', { name: 'Compare (2)' }).click();
    },
  },
  { name: 'sites', path: '/builder' },
  { name: 'sites-none', path: '/builder', base: first.url },
  { name: 'site-new', path: '/builder', act: dialogOf('Create site'), after: true },
  { name: 'site-of-idea', path: '/builder?starter=pets&idea=pets.city-dogs', act: draftOffered, after: true },
  { name: 'site', path: '/builder/s1' },
  { name: 'site-theme', path: '/builder/s1?tab=theme' },
  { name: 'site-address', path: '/builder/s1?tab=address' },
  { name: 'site-releases', path: '/builder/s1?tab=releases' },
  { name: 'site-newsletter-confirm', path: '/site-newsletter/confirm#code=abc', signedIn: false },
  { name: 'site-newsletter-unsubscribe', path: '/site-newsletter/unsubscribe#code=abc', signedIn: false },
  { name: 'site-subscribers', path: '/builder/s1?tab=subscribers' },
  { name: 'page', path: '/builder/s1/page-home', act: editorReady, after: true },
  { name: 'page-in-place', path: '/builder/s1/page-home', act: textInPlace, after: true },
  { name: 'page-markdown-in-place', path: '/builder/s1/page-home', act: sourceInPlace, after: true },
  { name: 'page-block', path: '/builder/s1/page-review', act: editBlock(/^Edit Review/), after: true },
  { name: 'page-article', path: '/builder/s1/page-home', act: editBlock(/^Edit Article/), after: true },
  { name: 'page-table', path: '/builder/s1/page-best', act: editBlock(/^Edit Comparison/), after: true },
  { name: 'page-placeholders', path: '/builder/s1/page-home', act: placeholdersListed, after: true },
  { name: 'page-versions', path: '/builder/s1/page-home', act: dialogOf(/^Versions/), after: true },
  { name: 'page-add', path: '/builder/s1/page-home', act: dialogOf('Add block'), after: true },
  { name: 'learn', path: '/learn' },
  { name: 'programs', path: '/admin/programs' },
  { name: 'login', path: '/login', signedIn: false },
  { name: 'finish-new', path: '/login/finish#code=new', signedIn: false },
  { name: 'finish-code', path: '/login/finish#code=two', signedIn: false },
  { name: 'finish-ended', path: '/login/finish#code=old', signedIn: false, expected: '400' },
  { name: 'login-problem', path: '/login?problem=unconfigured&provider=linkedin', signedIn: false },
  { name: 'setup', path: '/setup?token=abc', signedIn: false },
  { name: 'dashboard', path: '/dashboard?website=w1' },
  { name: 'alerts', path: '/account-settings?tab=alerts' },
  { name: 'links', path: '/links' },
  { name: 'my-partners', path: '/links/partners' },
  { name: 'my-partners-none', path: '/links/partners', base: first.url },
  { name: 'social-channels', path: '/links/channels' },
  {
    name: 'social-channels-link',
    path: '/links/channels',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Create link for / })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
      await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    },
  },
  { name: 'social-report', path: '/links/channels/report' },
  { name: 'social-posts', path: '/links/channels/posts?channel=s1' },
  {
    name: 'social-posts-edit',
    path: '/links/channels/posts?channel=s1',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Edit / })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'links-one', path: '/links/l1' },
  {
    name: 'links-import',
    path: '/links',
    act: async (page) => {
      await page.getByRole('button', { name: 'Import CSV' }).click();
      const dialog = page.getByRole('dialog', { name: 'Import links' });
      const file = { name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from('slug,partner\nspring,nordvpn\n') };
      await dialog.getByLabel('CSV file').setInputFiles(file);
      await dialog.getByRole('region', { name: 'Preview' }).waitFor();
    },
  },
  { name: 'all-websites', path: '/websites' },
  { name: 'analytics', path: '/analytics?range=30d' },
  { name: 'analytics-custom', path: '/analytics?range=custom&from=2025-08-25&to=2025-11-21&f=is,country,DE' },
  { name: 'analytics-wrong', path: '/analytics?range=1y' },
  { name: 'analytics-24h', path: '/analytics?range=24h&f=is,country,DE' },
  { name: 'breakdown', path: '/analytics?range=30d&details=page', act: rowsOf, after: true },
  {
    name: 'breakdown-two',
    path: '/analytics?range=30d&details=utm_campaign,device&f=is,country,DE',
    act: rowsOf,
    after: true,
  },
  { name: 'events', path: '/analytics?range=30d', act: eventsOf, after: true },
  { name: 'point', path: '/analytics?range=30d&metric=visitors', act: point, after: true },
  {
    name: 'conversions',
    path: '/conversions',
    act: (page) => page.getByRole('checkbox', { name: 'Select all pending shown' }).check(),
    after: true,
  },
  { name: 'explained', path: '/conversions', act: click(/^Explain/), after: true },
  { name: 'approve-many', path: '/conversions', act: approveMany, after: true },
  { name: 'conversions-list', path: '/conversions' },
  { name: 'conversions-filters', path: '/conversions?country=DE&range=30d', act: click('More filters'), after: true },
  { name: 'statements', path: '/conversions?view=statements' },
  { name: 'network-reports', path: '/conversions/networks' },
  { name: 'network-reports-none', path: '/conversions/networks', base: first.url },
  { name: 'network-reports-connect', path: '/conversions/networks', act: click('Connect a network') },
  { name: 'network-report', path: '/conversions/networks/ni-ready' },
  {
    name: 'network-report-rows',
    path: '/conversions/networks/ni-ready',
    act: (page) => page.getByRole('button', { name: '120 new' }).click(),
  },
  {
    name: 'network-report-layout',
    path: '/conversions/networks/ni-ready',
    act: (page) => page.getByText('How the file is read').click(),
  },
  { name: 'network-report-questions', path: '/conversions/networks/ni-asking' },
  { name: 'network-report-applying', path: '/conversions/networks/ni-applying' },
  { name: 'network-report-applied', path: '/conversions/networks/ni-applied' },
  { name: 'network-report-failed', path: '/conversions/networks/ni-failed' },
  { name: 'ad-platforms', path: '/conversions/ad-platforms' },
  { name: 'ad-platforms-none', path: '/conversions/ad-platforms', base: first.url },
  { name: 'ad-platforms-add', path: '/conversions/ad-platforms', act: click('Add an ad platform') },
  { name: 'payouts', path: '/payouts' },
  { name: 'reconciliation', path: '/payouts/reconciliation' },
  { name: 'costs', path: '/payouts/costs' },
  { name: 'payouts-record', path: '/payouts', act: click(/^Record payout of/), after: true },
  { name: 'settings', path: '/account-settings?tab=websites' },
  { name: 'general', path: '/account-settings' },
  { name: 'sql', path: '/sql' },
  { name: 'sql-result', path: '/sql', act: run },
  {
    name: 'sql-chart',
    path: '/sql',
    act: async (page) => {
      await run(page);
      await page.getByRole('tab', { name: 'Chart' }).click();
    },
  },
  { name: 'sql-suggestions', path: '/sql', act: suggest, after: true },
  {
    name: 'sql-wrong',
    path: '/sql',
    expected: '400',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT * FROM wrong');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'sql-history',
    path: '/sql',
    act: async (page) => {
      await page.getByRole('tab', { name: 'History' }).click();
    },
  },
  {
    name: 'sql-everybody',
    path: '/sql',
    act: async (page) => {
      await page.getByRole('tab', { name: 'All' }).click();
    },
  },
  { name: 'sql-token', path: '/sql', act: click('New token'), after: true },
  { name: 'website-login', path: '/login?tab=website', signedIn: false },
  { name: 'register', path: '/login?invite=7KXQ-M2VD', signedIn: false },
  { name: 'second-factor', path: '/account-settings', act: click('Set up two-factor authentication'), after: true },
  { name: 'erase', path: '/account-settings', act: click('Erase my account'), after: true },
  { name: 'custom-domains', path: '/account-settings?tab=custom-domains' },
  { name: 'invite-codes', path: '/account-settings?tab=invite-codes' },
  { name: 'email-reports', path: '/account-settings?tab=reports' },
  { name: 'website-admin', path: '/admin/website', signedIn: false, website: true },
  { name: 'accounts', path: '/admin/accounts' },
  { name: 'exchange-rates', path: '/admin/exchange-rates' },
  { name: 'admin-websites', path: '/admin/websites' },
  { name: 'admin-disconnect', path: '/admin/websites', act: click(/^Disconnect /), after: true },
  { name: 'admin-domains', path: '/admin/domains' },
  { name: 'admin-links', path: '/admin?tab=links' },
  { name: 'audit-trail', path: '/admin/audit-trail' },
  { name: 'projections', path: '/admin/projections' },
  { name: 'outbox', path: '/admin/outbox' },
  { name: 'system', path: '/admin/system' },
  { name: 'marketplace', path: '/marketplace' },
  { name: 'marketplace-none', path: '/marketplace?search=nothing', signedIn: false },
  { name: 'listing', path: '/marketplace/listing/m1' },
  { name: 'offer', path: '/marketplace/listing/m1', act: click('Make an offer'), after: true },
  { name: 'sell-start', path: '/marketplace/sell' },
  { name: 'sell-website', path: '/marketplace/sell?listing=mine' },
  { name: 'sell-images', path: '/marketplace/sell?listing=mine&step=images' },
  { name: 'sell-verification', path: '/marketplace/sell?listing=mine&step=verification' },
  { name: 'sell-preview', path: '/marketplace/sell?listing=mine&step=preview' },
  { name: 'my-listings', path: '/marketplace/mine' },
  { name: 'deals', path: '/marketplace/deals?side=seller' },
  { name: 'deal-answer', path: '/marketplace/deals/answer' },
  { name: 'deal-inspect', path: '/marketplace/deals/inspect' },
  { name: 'deal-disputed', path: '/marketplace/deals/dispute' },
  { name: 'deal-paid-out', path: '/marketplace/deals/sold' },
  { name: 'deal-direct', path: '/marketplace/deals/direct' },
  { name: 'deal-direct-accept', path: '/marketplace/deals/direct-answer', act: click('Accept $41,000'), after: true },
  { name: 'deal-direct-reminded', path: '/marketplace/deals/direct-reminded' },
  { name: 'deal-move', path: '/marketplace/deals/direct-sold' },
  { name: 'deal-moved', path: '/marketplace/deals/direct-moved' },
  { name: 'deal-direct-disputed', path: '/marketplace/deals/direct-dispute' },
  { name: 'listing-invite', path: '/marketplace/listing/mine-in-review' },
  { name: 'review-invited', path: '/marketplace/review/to-review' },
  { name: 'review-join', path: '/marketplace/review/invited#kq3Zx0' },
  { name: 'deal-settings', path: '/admin/listings?tab=settings' },
  { name: 'saved', path: '/marketplace/saved' },
  { name: 'review', path: '/admin/listings' },
  {
    name: 'review-one',
    path: '/admin/listings?open=m5',
    act: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
    after: true,
  },
  { name: 'disputes', path: '/admin/listings?tab=disputes' },
  { name: 'decide', path: '/admin/listings?tab=disputes', act: click(/^Decide between/), after: true },
  { name: 'seller', path: '/marketplace/seller/s1', signedIn: false },
  { name: 'forum', path: '/forum' },
  { name: 'forum-search', path: '/forum?q=window', signedIn: false },
  { name: 'thread', path: '/forum/thread/t1' },
  { name: 'forum-new', path: '/forum/new?category=case-studies' },
  { name: 'forum-member', path: '/forum/member/embla', signedIn: false },
  { name: 'forum-log', path: '/forum/log', signedIn: false },
  { name: 'forum-moderation', path: '/forum/moderation' },
  { name: 'notifications', path: '/notifications' },
  { name: 'notifications-choice', path: '/account-settings?tab=notifications' },
  { name: 'notifications-unsubscribe', path: '/notifications/unsubscribe#code=abc', signedIn: false },
  { name: 'unattributed', path: '/conversions?keyKind=site' },
  { name: 'admin', path: '/admin' },
  { name: 'admin-partners', path: '/admin?tab=partners' },
  { name: 'admin-clicks', path: '/admin?tab=clicks' },
  { name: 'dead-letters', path: '/admin/dead-letters' },
  { name: 'inquiries', path: '/admin/inquiries' },
  {
    name: 'inquiry',
    path: '/admin/inquiries?inquiry=q1',
    act: (page) => page.getByRole('dialog').waitFor(),
    after: true,
  },
  { name: 'subscribers', path: '/admin/subscribers' },
  { name: 'questions', path: '/admin/listings?tab=questions' },
  { name: 'escrow', path: '/admin/listings?tab=escrow' },
  { name: 'site-settings', path: '/builder/s1?tab=settings' },
  { name: 'terms', path: '/terms', signedIn: false },
  { name: 'forgot-password', path: '/forgot-password', signedIn: false },
  { name: 'reset-password', path: '/reset-password#code=abc', signedIn: false },
  { name: 'newsletter-confirm', path: '/newsletter/confirm#code=abc', signedIn: false },
  { name: 'missing', path: '/nowhere', signedIn: false, expected: '404' },
  { name: 'empty', path: '/analytics', base: empty.url },
  { name: 'first', path: '/dashboard?website=w1', base: first.url },
  { name: 'nothing', path: '/analytics', base: first.url },
  { name: 'loading', path: '/analytics', base: slow.url, busy: true },
  { name: 'broken', path: '/analytics', base: broken.url, expected: '503' },
  { name: 'dates', path: '/analytics', act: click('Choose dates'), after: true },
  { name: 'filter', path: '/analytics', act: filterForm, after: true },
  { name: 'reverse', path: '/conversions', act: click(/^Reverse /), after: true },
  { name: 'link', path: '/dashboard?website=w1', act: click('Create link'), after: true },
  { name: 'postback-url', path: '/dashboard?website=w1', act: click('Postback URL'), after: true },
  { name: 'key', path: '/account-settings?tab=websites', act: click('New key'), after: true },
  { name: 'palette', path: '/analytics', act: keys('Control+k'), after: true },
  {
    name: 'palette-found',
    path: '/insights',
    act: async (page) => {
      await keys('Control+k')(page);
      await page.keyboard.type('hosting');
      await page.getByRole('group', { name: 'Websites' }).getByRole('option').first().waitFor();
    },
    after: true,
  },
  { name: 'insights', path: '/insights' },
  { name: 'switcher', path: '/insights', act: click(/^Website: /), after: true, from: 1024 },
  { name: 'shortcuts', path: '/analytics', act: keys('?'), after: true },
  { name: 'new-access-token', path: '/account-settings', act: click('New token'), after: true },
  {
    name: 'unreadable-values',
    path: '/conversions?open=c6',
    act: (page) => page.getByRole('button', { name: 'Read again' }).scrollIntoViewIfNeeded(),
    after: true,
  },
  { name: 'onboarding', path: '/onboarding', act: connect },
];
const EVERY_LOOK = [390, 768, 1440, 1920].flatMap((width) =>
  ['light', 'dark'].map((theme) => ({ name: `${theme}-${width}`, theme, width })),
);
const LOOKS = [
  { name: 'light', theme: 'light', width: 1440 },
  { name: 'dark', theme: 'dark', width: 1440 },
  { name: 'tablet', theme: 'light', width: 768 },
  { name: 'wide', theme: 'light', width: 1920 },
  { name: 'phone', theme: 'dark', width: 390 },
  { name: 'narrow', theme: 'light', width: 320 },
];
const wanted = process.argv[3]?.split(',').filter(Boolean);
const looks = process.argv[4]?.split(',');
const chosen = looks?.includes('all')
  ? EVERY_LOOK
  : [...EVERY_LOOK, ...LOOKS].filter(({ name }) => looks?.includes(name));

let faults = 0;
for (const look of looks ? chosen : LOOKS) {
  for (const screen of SCREENS) {
    if ((wanted?.length > 0 && !wanted.includes(screen.name)) || look.width < (screen.from ?? 0)) continue;
    const { page, context, complaints } = await newPage(browser, {
      ...look,
      signedIn: screen.signedIn ?? true,
      website: screen.website ?? false,
    });
    const failure = await shoot(page, screen, `${folder}/${screen.name}-${look.name}.png`).catch(String);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    for (const text of [
      ...complaints.filter((item) => !screen.expected || !item.includes(screen.expected)),
      ...(overflow > 0 ? [`${overflow} px too wide`] : []),
      ...(failure ? [failure] : []),
    ]) {
      faults += 1;
      console.log(`${screen.name} ${look.name}: ${text}`);
    }
    await context.close();
  }
}
await browser.close();
for (const server of [mock, empty, first, broken, slow]) server.close();
console.log(`${faults} faults; pictures in ${folder}`);
process.exitCode = faults > 0 ? 1 : 0;

async function shoot(page, screen, path) {
  await page.goto((screen.base ?? mock.url) + screen.path);
  await page.locator('h1').first().waitFor();
  if (!screen.after) await screen.act?.(page);
  if (!screen.busy) await settle(page);
  if (screen.after) await screen.act(page);
  await page.screenshot({ path, fullPage: !screen.after });
}

function dialogOf(name) {
  return async (page) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
    await settle(page);
  };
}

/** An idea has opened the dialog, with its templates. */
async function draftOffered(page) {
  await page.getByRole('checkbox', { name: /^Draft/ }).waitFor();
  await page.getByRole('radio', { name: /^Empty site/ }).waitFor();
}

async function editorReady(page) {
  const preview = page.getByRole('button', { name: 'Preview', exact: true });
  if (await preview.count()) await preview.click();
  await page.frameLocator('iframe').locator('main').waitFor();
}

async function textInPlace(page) {
  await editorReady(page);
  await page.frameLocator('iframe').locator('h1[data-field]').click();
}

async function sourceInPlace(page) {
  await editorReady(page);
  await page.frameLocator('iframe').locator('div.prose[data-field]').first().click();
}

async function placeholdersListed(page) {
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page
    .getByRole('dialog', { name: /placeholders to fill in/ })
    .getByRole('link')
    .first()
    .waitFor();
}

function editBlock(name) {
  return async (page) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByLabel('Name in analytics').waitFor();
    await settle(page);
  };
}

async function run(page) {
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'Rows of the result' }).waitFor();
}

async function filterForm(page) {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('checkbox').first().waitFor();
}

async function eventsOf(page) {
  await page.getByRole('button', { name: 'View events: Conversions' }).click();
  await page.getByRole('dialog').getByText('Log position').first().waitFor();
}

async function point(page) {
  await page.getByRole('slider', { name: 'Visitors over time' }).hover();
}

async function rowsOf(page) {
  await page.getByRole('dialog').getByText('Total').waitFor();
}

async function suggest(page) {
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT cou');
  await page.getByRole('listbox').waitFor();
}

function keys(text) {
  return async (page) => {
    await page.keyboard.press(text);
    await page.getByRole('dialog').waitFor();
  };
}

/** What a button opens is fetched when it is first opened. */
function click(name) {
  return async (page) => {
    await page.getByRole('button', { name }).first().click();
    await page.locator('[role=dialog], [role=alertdialog], [role=menu]').first().waitFor();
    await calm(page);
  };
}

async function approveMany(page) {
  await page.getByRole('checkbox', { name: 'Select all pending shown' }).check();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('dialog').waitFor();
}

async function connect(page) {
  await page.getByLabel('Domain').fill('https://www.Example.com/page');
  await page.getByRole('button', { name: 'Connect Website' }).click();
  await page.getByText('Add this line to').waitFor();
}
