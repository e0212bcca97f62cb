// Accessibility of every screen and open dialog, in both themes, at desktop and phone widths. Any violation fails.
// node e2e/axe.mjs [name;name…] checks only these states.
// A state that cannot be reached is tried once more in a new page: on a busy machine a browser may lose an answer.
// All that failed is said again at the end.
//
// Each state is loaded and reached once; theme and width are then changed in place (look.mjs).
import { appStarted, launch, leave, newPage, settle } from './browser.mjs';
import { DESKTOP, look, PHONE, PREPARE, proof } from './look.mjs';
import { lacks, startMock } from './mock-api.mjs';

/** One more than there are cores in CI: each waits at times for a frame, or for an answer. */
const AT_ONCE = 3;
/** How long a state may take in all. Nothing of it hangs for longer. */
const DEADLINE_MS = 300_000;
/** So many states that cannot be reached mean that the app does not run: the rest need not wait for it. */
const MOST_LOST = 8;

/** Said of the preview of the website builder when the checker looks into it: nothing runs there. */
const SANDBOXED = "Blocked script execution in 'about:srcdoc'";

const [mock, empty, first, broken, slow] = await Promise.all([
  startMock(),
  startMock({ empty: true }),
  startMock({ first: true }),
  startMock({ broken: true }),
  startMock({ slow: true }),
]);
const browser = await launch();

const named = (role, name) => (page) => page.getByRole(role, { name }).first().click();
/** What opens is fetched when it is first needed. */
const opened = (act) => async (page) => {
  await act(page);
  await page.getByRole('dialog').waitFor();
};
const keys = (text) => opened((page) => page.keyboard.press(text));
const opens = (name) => opened(named('button', name));
const addPartner = async (page) => {
  await page.getByRole('button', { name: 'Create link' }).first().click();
  await page.getByRole('button', { name: 'Add a partner' }).click();
  await page.getByRole('group', { name: 'New partner' }).getByRole('button', { name: 'Add partner' }).click();
};
const createSocialLink = async (page) => {
  await page.getByRole('button', { name: 'Create link for @vpn.review' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('dialog', { name: 'Link created' }).waitFor();
};
const bioPageOffered = (page) => page.getByText(/^A link-in-bio page:/).waitFor();
const importWrongFile = async (page) => {
  const buffer = Buffer.from('Date,Video Views\n2026-11-01,4\n');
  await page.getByLabel('CSV file').setInputFiles({ name: 'Overview.csv', mimeType: 'text/csv', buffer });
  await page.getByText('This looks like an export of TikTok.').waitFor();
};
const runSql = async (page) => {
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'Rows of the result' }).waitFor();
};
const revealRecord = async (page) => {
  await page
    .getByRole('button', { name: /^Reveal/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Reason' }).fill('a look');
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).click();
  await page.getByLabel('Content').waitFor();
};
const shortenRetention = opened(async (page) => {
  const card = page.getByRole('region', { name: /^Retention of/ }).first();
  await card.getByRole('combobox', { name: 'Keep individual events' }).selectOption('6');
  await card.getByText(/individual events before/).waitFor();
  await card.getByRole('button', { name: /^Save retention of/ }).click();
});
const openRejected = async (page) => {
  await page.getByRole('button', { name: '4 rejected' }).click();
  await page.getByRole('region', { name: 'Rows table: rejected' }).waitFor();
};
const connectNothing = async (page) => {
  await opens('Connect a network')(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
};
const addByApi = async (page) => {
  await opens('Add an ad platform')(page);
  await page.getByRole('dialog').getByLabel('Sent by').selectOption('api');
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
};
const openLayout = (page) => page.getByText('How the file is read').click();
/** On a phone there is none: it is in the menu. */
const railOf = (page) => page.getByRole('button', { name: 'Collapse navigation' }).click();
const STATES = [
  { name: 'home', path: '/', signedIn: false },
  { name: 'home, sent', path: '/', signedIn: false, act: sendNewsletter },
  { name: 'about', path: '/about', signedIn: false },
  { name: 'consulting', path: '/consulting?service=Growth+Acceleration', signedIn: false },
  { name: 'contact', path: '/contact', signedIn: false },
  { name: 'pricing', path: '/pricing', signedIn: false },
  { name: 'integrations', path: '/integrations', signedIn: false },
  { name: 'careers', path: '/careers', signedIn: false },
  { name: 'blog', path: '/blog', signedIn: false },
  { name: 'article', path: '/blog/server-side-postbacks', signedIn: false },
  { name: 'help', path: '/help', signedIn: false },
  { name: 'help, none', path: '/help', signedIn: false, act: (page) => page.getByRole('searchbox').fill('qwxz') },
  { name: 'guide', path: '/help/postbacks', signedIn: false },
  { name: 'privacy', path: '/privacy', signedIn: false },
  { name: 'terms', path: '/terms', signedIn: false },
  { name: 'api docs', path: '/docs/api', signedIn: false },
  {
    name: 'api docs, calls',
    path: '/docs/api?part=calls',
    signedIn: false,
    act: (page) => page.locator('summary').first().click(),
  },
  { name: 'login', path: '/login', signedIn: false },
  { name: 'login, wrong', path: '/login', signedIn: false, act: named('button', 'Sign In') },
  {
    name: 'login, toast',
    path: '/login',
    signedIn: false,
    act: (page) => signIn(page, 'a@example.com', 'wrong-password'),
    expected: '401',
  },
  {
    name: 'login, code',
    path: '/login',
    signedIn: false,
    act: (page) => signIn(page, 'two@example.com', 'right-password'),
  },
  { name: 'login, security check', path: '/login', signedIn: false, act: checkedSignIn, expected: '429' },
  {
    name: 'finish, new',
    path: '/login/finish#code=new',
    signedIn: false,
    act: (page) => page.getByRole('button', { name: 'Create Account' }).click(),
  },
  {
    name: 'finish, code',
    path: '/login/finish#code=two',
    signedIn: false,
    act: (page) => page.getByLabel('Two-factor code').waitFor(),
  },
  { name: 'finish, ended', path: '/login/finish#code=old', signedIn: false, expected: '400' },
  { name: 'login, problem', path: '/login?problem=unconfigured&provider=linkedin', signedIn: false },
  { name: 'login, recovery code', path: '/login', signedIn: false, act: recover },
  { name: 'login, website', path: '/login?tab=website', signedIn: false },
  { name: 'register', path: '/login?invite=7KXQ-M2VD', signedIn: false },
  { name: 'register, second factor', path: '/login?invite=7KXQ-M2VD', signedIn: false, act: register },
  { name: 'register, recovery codes', path: '/login?invite=7KXQ-M2VD', signedIn: false, act: registerToTheEnd },
  { name: 'forgot password', path: '/forgot-password', signedIn: false },
  { name: 'reset password', path: '/reset-password#code=abc', signedIn: false },
  { name: 'reset password, no code', path: '/reset-password', signedIn: false },
  { name: 'confirm email', path: '/confirm-email#code=abc', signedIn: false },
  { name: 'website admin', path: '/admin/website', signedIn: false, website: true },
  { name: 'setup', path: '/setup?token=abc', signedIn: false },
  { name: 'setup, no token', path: '/setup', signedIn: false },
  { name: 'missing', path: '/nowhere', signedIn: false, expected: '404' },
  { name: 'phone menu', path: '/dashboard?website=w1', widths: [PHONE], act: opens('Open menu') },
  { name: 'sql', path: '/sql' },
  { name: 'sql, result', path: '/sql', act: runSql },
  {
    name: 'sql, chart',
    path: '/sql',
    act: async (page) => {
      await runSql(page);
      await page.getByRole('tab', { name: 'Chart' }).click();
    },
  },
  {
    name: 'sql, wrong',
    path: '/sql',
    act: async (page) => {
      await page.getByLabel('SQL').fill('SELECT * FROM wrong');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('alert').waitFor();
    },
    expected: '400',
  },
  {
    name: 'sql, suggestions',
    path: '/sql',
    act: async (page) => {
      await page.getByLabel('SQL').fill('SELECT cou');
      await page.getByRole('listbox').waitFor();
    },
  },
  { name: 'sql, history', path: '/sql', act: named('tab', 'History') },
  { name: 'sql, saved', path: '/sql', act: named('tab', 'Saved') },
  { name: 'sql, everybody', path: '/sql', act: named('tab', 'All') },
  { name: 'sql, save', path: '/sql', act: opens('Save') },
  { name: 'sql, open query', path: '/sql?query=s2' },
  { name: 'sql, versions', path: '/sql?query=s2', act: opens(/^Versions/) },
  { name: 'sql, new token', path: '/sql', act: opens('New token') },
  { name: 'sql, revoke token', path: '/sql', act: opens('Revoke Notebook') },
  { name: 'dashboard', path: '/dashboard?website=w1' },
  { name: 'dashboard, first', path: '/dashboard?website=w1', base: first },
  { name: 'dashboard, broken', path: '/dashboard?website=w1', base: broken, expected: '503' },
  { name: 'dashboard, create link', path: '/dashboard?website=w1', act: opens('Create link') },
  { name: 'dashboard, postback URL', path: '/dashboard?website=w1', act: opens('Postback URL') },
  { name: 'links', path: '/links' },
  { name: 'links, first', path: '/links', base: first },
  { name: 'links, broken', path: '/links', base: broken, expected: '503' },
  { name: 'links, one', path: '/links/l1' },
  { name: 'links, import', path: '/links', act: importLinks },
  { name: 'links, move to partner', path: '/links', act: moveLinks },
  { name: 'links, add partner', path: '/links', act: addPartner },
  { name: 'social channels', path: '/links/channels' },
  { name: 'social channels, nothing yet', path: '/links/channels', base: first },
  { name: 'social channels, broken', path: '/links/channels', base: broken, expected: '503' },
  { name: 'social channels, rename', path: '/links/channels', act: opens('Rename @vpn.review') },
  { name: 'social channels, create link', path: '/links/channels', act: createSocialLink },
  { name: 'social revenue', path: '/links/channels/report' },
  { name: 'social revenue, nothing yet', path: '/links/channels/report', base: first },
  { name: 'social revenue, broken', path: '/links/channels/report', base: broken, expected: '503' },
  { name: 'social posts', path: '/links/channels/posts?channel=s1' },
  { name: 'social posts, none yet', path: '/links/channels/posts?channel=s3' },
  { name: 'social posts, edit', path: '/links/channels/posts?channel=s1', act: opens('Edit Travel checklist') },
  {
    name: 'social posts, file of another network',
    path: '/links/channels/posts?channel=s1',
    act: importWrongFile,
    expected: '400',
  },
  { name: 'my partners', path: '/links/partners' },
  { name: 'my partners, nothing yet', path: '/links/partners', base: first },
  { name: 'my partners, request', path: '/links/partners', act: opens('Request a partner') },
  { name: 'dashboard, link menu', path: '/dashboard?website=w1', act: linkMenu },
  { name: 'dashboard, remove link', path: '/dashboard?website=w1', act: ofLink('Remove') },
  { name: 'account menu', path: '/dashboard?website=w1', act: named('button', /^Account of/) },
  { name: 'shortcuts', path: '/analytics', act: keys('?') },
  { name: 'palette', path: '/analytics', act: keys('Control+k') },
  {
    name: 'palette, found',
    path: '/insights',
    act: async (page) => {
      await opens(/^Search…/)(page);
      await page.keyboard.type('vpn');
      await page.getByRole('option', { name: 'vpnreview.is', exact: true }).waitFor();
    },
  },
  { name: 'insights', path: '/insights' },
  { name: 'websites, switched', path: '/insights', act: opens(/^Website: /) },
  { name: 'side navigation, rail', path: '/insights', act: railOf },
  { name: 'analytics', path: '/analytics' },
  { name: 'analytics, loading', path: '/analytics', base: slow, busy: true },
  { name: 'analytics, broken', path: '/analytics', base: broken, expected: '503' },
  { name: 'analytics, filtered', path: '/analytics?range=24h&f=is,partner,p2' },
  { name: 'analytics, tables', path: '/analytics', act: tables },
  {
    name: 'analytics, insight',
    path: '/analytics',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Evidence of/ })
        .first()
        .click();
      await page.getByText('Usual for this many clicks').waitFor();
    },
  },
  {
    name: 'analytics, generated',
    path: '/analytics',
    act: async (page) => {
      await page.getByRole('button', { name: 'Generate New' }).click();
      await page.getByText('AI Insights Generated', { exact: true }).first().waitFor();
    },
  },
  { name: 'analytics, dates', path: '/analytics', act: opens('Choose dates') },
  { name: 'analytics, filter', path: '/analytics', act: opens('Add filter') },
  { name: 'analytics, re-mark', path: '/analytics', act: opens('Reclassify…') },
  { name: 'conversions, reverse', path: '/conversions', act: (page) => decide(page, 'Reverse') },
  { name: 'analytics, empty', path: '/analytics', base: empty },
  { name: 'analytics, nothing yet', path: '/analytics', base: first },
  { name: 'conversions', path: '/conversions' },
  {
    name: 'conversions, selected',
    path: '/conversions',
    act: (page) => page.getByRole('checkbox', { name: 'Select all pending shown' }).check(),
  },
  { name: 'conversions, approve', path: '/conversions', act: (page) => decideAll(page, 'Approve') },
  { name: 'conversions, reject', path: '/conversions', act: (page) => decideAll(page, 'Reject') },
  { name: 'conversions, filters', path: '/conversions', act: opens('More filters') },
  { name: 'conversions, columns', path: '/conversions', act: opens('Columns') },
  { name: 'conversions, undo', path: '/conversions', act: approveOne },
  { name: 'conversions, explained', path: '/conversions', act: opens(/^Explain/) },
  { name: 'conversions, claims', path: '/conversions?keyKind=site' },
  { name: 'conversions, claim explained', path: '/conversions?keyKind=site', act: opens(/^Explain/) },
  { name: 'conversions, unreadable values', path: '/conversions?open=c6', act: unreadable },
  { name: 'conversions, reject similar', path: '/conversions?keyKind=site&open=c1', act: rejectSimilar },
  { name: 'conversions, empty', path: '/conversions', base: empty },
  { name: 'conversions, nothing yet', path: '/conversions', base: first },
  { name: 'conversions, broken', path: '/conversions', base: broken, expected: '503' },
  { name: 'statements', path: '/conversions?view=statements' },
  { name: 'network reports', path: '/conversions/networks' },
  { name: 'network reports, none', path: '/conversions/networks', base: first },
  { name: 'network reports, broken', path: '/conversions/networks', base: broken, expected: '503' },
  { name: 'network reports, nothing chosen', path: '/conversions/networks', act: named('button', 'Preview') },
  { name: 'network reports, connect', path: '/conversions/networks', act: connectNothing },
  { name: 'network reports, reconnect', path: '/conversions/networks', act: opens('Change Awin') },
  { name: 'network reports, disconnect', path: '/conversions/networks', act: opens('Disconnect Awin') },
  { name: 'network report', path: '/conversions/networks/ni-ready', act: openRejected },
  { name: 'network report, layout', path: '/conversions/networks/ni-ready', act: openLayout },
  { name: 'network report, questions', path: '/conversions/networks/ni-asking', act: named('button', 'Continue') },
  { name: 'network report, applying', path: '/conversions/networks/ni-applying' },
  { name: 'network report, applied', path: '/conversions/networks/ni-applied', act: opens('Undo import') },
  { name: 'network report, failed', path: '/conversions/networks/ni-failed' },
  { name: 'ad platforms', path: '/conversions/ad-platforms' },
  { name: 'ad platforms, none', path: '/conversions/ad-platforms', base: first },
  { name: 'ad platforms, no click IDs', path: '/conversions/ad-platforms?website=w3' },
  { name: 'ad platforms, broken', path: '/conversions/ad-platforms', base: broken, expected: '503' },
  { name: 'ad platforms, add', path: '/conversions/ad-platforms', act: addByApi },
  { name: 'ad platforms, change', path: '/conversions/ad-platforms', act: opens('Change Meta') },
  { name: 'ad platforms, remove', path: '/conversions/ad-platforms', act: opens('Remove Google Ads') },
  { name: 'payouts', path: '/payouts' },
  { name: 'payouts, record', path: '/payouts', act: opens('Record payout') },
  { name: 'payouts, void', path: '/payouts', act: opens(/^Void the payout/) },
  { name: 'reconciliation', path: '/payouts/reconciliation' },
  { name: 'reconciliation, month', path: '/payouts/reconciliation?partner=p1&month=2026-09' },
  { name: 'reconciliation, none', path: '/payouts/reconciliation', base: first },
  { name: 'costs', path: '/payouts/costs' },
  { name: 'costs, add', path: '/payouts/costs', act: opens('Add cost') },
  { name: 'payouts, nothing yet', path: '/payouts', base: first },
  { name: 'payouts, broken', path: '/payouts', base: broken, expected: '503' },
  { name: 'settings', path: '/account-settings' },
  { name: 'settings, two-factor on', path: '/account-settings', base: first },
  { name: 'change email', path: '/account-settings', act: opens('Change email') },
  { name: 'change password', path: '/account-settings', act: opens('Change password') },
  { name: 'set up two-factor', path: '/account-settings', act: opens('Set up two-factor authentication') },
  { name: 'new recovery codes', path: '/account-settings', base: first, act: opens('New recovery codes') },
  { name: 'unlink', path: '/account-settings', act: opens('Unlink GitHub') },
  { name: 'new access token', path: '/account-settings', act: opens('New token') },
  { name: 'revoke access token', path: '/account-settings', act: opens('Revoke Nightly report') },
  { name: 'erase account', path: '/account-settings', act: opens('Erase my account') },
  { name: 'custom domains', path: '/account-settings?tab=custom-domains' },
  { name: 'custom domains, no website', path: '/account-settings?tab=custom-domains', base: empty },
  { name: 'remove domain', path: '/account-settings?tab=custom-domains', act: opens(/^Remove go/) },
  { name: 'invite codes', path: '/account-settings?tab=invite-codes' },
  { name: 'email reports', path: '/account-settings?tab=reports' },
  { name: 'email reports, none', path: '/account-settings?tab=reports', base: empty },
  {
    name: 'schedule of a report',
    path: '/account-settings?tab=reports',
    act: opens(/^Edit Reviews from newsletters, /),
  },
  { name: 'email a query', path: '/account-settings?tab=reports&query=s2' },
  { name: 'revoke invite', path: '/account-settings?tab=invite-codes', act: opens(/^Revoke invite/) },
  { name: 'affiliates', path: '/admin' },
  { name: 'affiliates, nothing yet', path: '/admin', base: first },
  { name: 'affiliates, broken', path: '/admin', base: broken, expected: '503' },
  { name: 'partners', path: '/admin?tab=partners' },
  { name: 'partners, add', path: '/admin?tab=partners', act: opens('Add Partner') },
  { name: 'partners, edit', path: '/admin?tab=partners', act: editTiers },
  {
    name: 'partners, details',
    path: '/admin?tab=partners&partner=p2',
    act: (page) => page.getByRole('region', { name: 'Postback' }).waitFor(),
  },
  { name: 'partners, delete', path: '/admin?tab=partners', act: opens(/^Delete /) },
  { name: 'partners, accept a request', path: '/admin?tab=partners', act: opens(/^Accept /) },
  { name: 'partners, decline a request', path: '/admin?tab=partners', act: opens(/^Decline /) },
  { name: 'all links', path: '/admin?tab=links' },
  { name: 'all links, pause', path: '/admin?tab=links', act: opens(/^Pause link/) },
  { name: 'links, edit ways', path: '/links', act: editWays },
  { name: 'all links, bulk', path: '/admin?tab=links', act: bulkLines },
  { name: 'clicks', path: '/admin?tab=clicks', act: (page) => page.getByRole('region', { name: 'Clicks' }).waitFor() },
  {
    name: 'clicks, of countries',
    path: '/admin?tab=clicks&country=IS&country=ZZ',
    act: (page) => page.getByRole('button', { name: 'Remove Iceland' }).waitFor(),
  },
  { name: 'clicks, none', path: '/admin?tab=clicks', base: first },
  { name: 'admin accounts', path: '/admin/accounts' },
  { name: 'admin accounts, roles', path: '/admin/accounts', act: opens(/^Roles of/) },
  { name: 'admin accounts, disable', path: '/admin/accounts', act: opens(/^Disable/) },
  { name: 'admin websites', path: '/admin/websites' },
  { name: 'admin websites, disconnect', path: '/admin/websites', act: opens(/^Disconnect vpn/) },
  { name: 'admin domains', path: '/admin/domains' },
  { name: 'admin domains, remove', path: '/admin/domains', act: opens(/^Remove go0/) },
  { name: 'inquiries', path: '/admin/inquiries' },
  {
    name: 'inquiries, one',
    path: '/admin/inquiries?inquiry=q1',
    act: (page) => page.getByRole('button', { name: 'Send reply' }).waitFor(),
  },
  {
    name: 'inquiries, erase',
    path: '/admin/inquiries?inquiry=q1',
    act: async (page) => {
      await page.getByRole('button', { name: 'Erase inquiry' }).click();
      await page.getByRole('dialog', { name: /^Erase/ }).waitFor();
    },
  },
  { name: 'inquiries, none', path: '/admin/inquiries', base: first },
  { name: 'subscribers', path: '/admin/subscribers' },
  { name: 'subscribers, release', path: '/admin/subscribers', act: opens('Release tester1@example.com') },
  { name: 'subscribers, none', path: '/admin/subscribers', base: first },
  { name: 'newsletter, confirm', path: '/newsletter/confirm#code=abc', signedIn: false },
  {
    name: 'newsletter, confirmed',
    path: '/newsletter/confirm#code=abc',
    signedIn: false,
    act: async (page) => {
      await page.getByRole('button', { name: 'Confirm subscription' }).click();
      await page.getByText('Subscription confirmed').waitFor();
    },
  },
  {
    name: 'newsletter, old link',
    path: '/newsletter/confirm#code=old',
    signedIn: false,
    act: async (page) => {
      await page.getByRole('button', { name: 'Confirm subscription' }).click();
      await page.getByRole('alert').waitFor();
    },
    expected: '400',
  },
  { name: 'newsletter, unsubscribe', path: '/newsletter/unsubscribe#code=abc', signedIn: false },
  { name: 'site newsletter, confirm', path: '/site-newsletter/confirm#code=abc', signedIn: false },
  { name: 'site newsletter, unsubscribe', path: '/site-newsletter/unsubscribe#code=abc', signedIn: false },
  { name: 'newsletter, no code', path: '/newsletter/unsubscribe', signedIn: false },
  { name: 'early access, leave', path: '/early-access/leave#code=abc', signedIn: false },
  { name: 'forum', path: '/forum' },
  { name: 'forum, visitor', path: '/forum?category=case-studies', signedIn: false },
  { name: 'forum, empty', path: '/forum', base: empty },
  { name: 'forum, found', path: '/forum?q=window' },
  { name: 'forum, new thread', path: '/forum/new?category=case-studies' },
  { name: 'forum, new thread, wrong', path: '/forum/new', act: named('button', 'Start Thread') },
  { name: 'forum, thread', path: '/forum/thread/t1?post=p2' },
  { name: 'forum, thread, visitor', path: '/forum/thread/t1', signedIn: false },
  { name: 'forum, thread, locked', path: '/forum/thread/t0' },
  {
    name: 'forum, mention',
    path: '/forum/thread/t1',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Your reply' }).pressSequentially('Hello @em');
      await page.getByRole('listbox').waitFor();
    },
  },
  {
    name: 'forum, preview',
    path: '/forum/thread/t1',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Your reply' }).fill('A **bold** reply');
      await page.getByRole('button', { name: 'Preview' }).click();
    },
  },
  { name: 'forum, post menu', path: '/forum/thread/t1', act: named('button', /^More about the post by Embla/) },
  { name: 'forum, edit', path: '/forum/thread/t1', act: (page) => ofPost(page, 'Edit') },
  { name: 'forum, report', path: '/forum/thread/t1', act: opened((page) => ofPost(page, 'Report')) },
  { name: 'forum, delete', path: '/forum/thread/t1', act: opened((page) => ofPost(page, 'Delete')) },
  { name: 'forum, edit history', path: '/forum/thread/t1', act: opened((page) => ofPost(page, 'Edit history')) },
  {
    name: 'forum, move',
    path: '/forum/thread/t1',
    act: opened(async (page) => {
      await named('button', 'Moderate')(page);
      await page.getByRole('menuitem', { name: 'Move' }).click();
    }),
  },
  { name: 'forum, member', path: '/forum/member/embla' },
  { name: 'forum, suspend', path: '/forum/member/embla', act: opens('Suspend') },
  { name: 'forum, moderation', path: '/forum/moderation' },
  { name: 'forum, moderation, none', path: '/forum/moderation', base: first },
  { name: 'forum, log', path: '/forum/log', signedIn: false },
  { name: 'notifications', path: '/notifications' },
  { name: 'notifications, none', path: '/notifications', base: first },
  { name: 'notifications, bell', path: '/forum', act: opens('Notifications, 2 new') },
  { name: 'notifications, choices', path: '/account-settings?tab=notifications' },
  { name: 'alerts', path: '/account-settings?tab=alerts' },
  { name: 'alerts, none', path: '/account-settings?tab=alerts', base: first },
  { name: 'webhook, new', path: '/account-settings?tab=alerts', act: opens('Add webhook') },
  { name: 'webhook, deliveries', path: '/account-settings?tab=alerts', act: opens('Deliveries to example.com') },
  { name: 'notifications, no more mails', path: '/notifications/unsubscribe#code=abc', signedIn: false },
  { name: 'marketplace', path: '/marketplace' },
  { name: 'marketplace, visitor', path: '/marketplace', signedIn: false },
  { name: 'marketplace, none', path: '/marketplace?search=nothing+like+it&niche=vpn' },
  { name: 'marketplace, save search', path: '/marketplace?niche=vpn', act: opens('Save this search') },
  { name: 'listing', path: '/marketplace/listing/m1' },
  { name: 'listing, visitor', path: '/marketplace/listing/m2', signedIn: false },
  { name: 'listing, months', path: '/marketplace/listing/m1', act: named('button', 'Show as table') },
  {
    name: 'listing, offer',
    path: '/marketplace/listing/m1',
    act: async (page) => {
      await opens('Make an offer')(page);
      await page.getByRole('textbox', { name: /^Price/ }).fill('12.5');
      await page.getByRole('button', { name: 'Send offer' }).click();
    },
  },
  { name: 'listing, report', path: '/marketplace/listing/m1', act: opens(/^Report the question/) },
  { name: 'seller', path: '/marketplace/seller/s1', signedIn: false },
  { name: 'seller, none', path: '/marketplace/seller/s1', base: first },
  { name: 'sell', path: '/marketplace/sell' },
  { name: 'sell, wrong', path: '/marketplace/sell', act: named('button', 'Start draft') },
  { name: 'sell, website', path: '/marketplace/sell?listing=mine' },
  {
    name: 'sell, figures wrong',
    path: '/marketplace/sell?listing=mine&step=figures',
    act: (page) => page.getByLabel(/^Asking price/).fill('12.5'),
  },
  { name: 'sell, images', path: '/marketplace/sell?listing=mine&step=images' },
  { name: 'sell, verification', path: '/marketplace/sell?listing=mine&step=verification' },
  { name: 'sell, preview', path: '/marketplace/sell?listing=mine&step=preview' },
  { name: 'my listings', path: '/marketplace/mine' },
  { name: 'my listings, none', path: '/marketplace/mine', base: first },
  { name: 'my listings, withdraw', path: '/marketplace/mine', act: opens(/^Withdraw/) },
  { name: 'deals', path: '/marketplace/deals?side=seller' },
  { name: 'deals, none', path: '/marketplace/deals', base: first },
  { name: 'deal, answer', path: '/marketplace/deals/answer' },
  { name: 'deal, counter', path: '/marketplace/deals/answer', act: opens('Counter-offer') },
  { name: 'deal, accept', path: '/marketplace/deals/answer', act: opens(/^Accept \$/) },
  { name: 'deal, pay', path: '/marketplace/deals/pay' },
  { name: 'deal, inspect', path: '/marketplace/deals/inspect', act: named('button', 'Show') },
  { name: 'deal, dispute', path: '/marketplace/deals/inspect', act: opens('Open a dispute') },
  { name: 'deal, disputed', path: '/marketplace/deals/dispute' },
  { name: 'deal, paid out', path: '/marketplace/deals/sold' },
  { name: 'deal, direct', path: '/marketplace/deals/direct' },
  { name: 'deal, direct, confirm', path: '/marketplace/deals/direct', act: opens(/^Money and website/) },
  { name: 'deal, direct, accept', path: '/marketplace/deals/direct-answer', act: opens(/^Accept \$/) },
  { name: 'deal, direct, reminded', path: '/marketplace/deals/direct-reminded' },
  { name: 'deal, move, offer', path: '/marketplace/deals/sold', act: opens('Offer the move') },
  { name: 'deal, move', path: '/marketplace/deals/direct-sold' },
  { name: 'deal, move, accept', path: '/marketplace/deals/direct-sold', act: opens('Accept the website') },
  { name: 'deal, moved', path: '/marketplace/deals/direct-moved' },
  { name: 'deal, direct, record', path: '/marketplace/deals/direct-dispute', act: opens('Record the end') },
  { name: 'listing, invite reviewer', path: '/marketplace/listing/mine-in-review' },
  { name: 'review by invite', path: '/marketplace/review/to-review' },
  { name: 'review by invite, join', path: '/marketplace/review/invited#kq3Zx0' },
  { name: 'admin marketplace, settings', path: '/admin/listings?tab=settings', act: opens('End direct deals') },
  { name: 'saved', path: '/marketplace/saved' },
  { name: 'saved, none', path: '/marketplace/saved', base: first },
  { name: 'saved, remove', path: '/marketplace/saved', act: opens(/^Remove the search/) },
  { name: 'admin listings', path: '/admin/listings' },
  {
    name: 'admin listings, review',
    path: '/admin/listings?open=m5',
    act: (page) => page.getByRole('button', { name: 'Approve' }).waitFor(),
  },
  {
    name: 'admin listings, reject',
    path: '/admin/listings?open=m5',
    act: async (page) => {
      await page.getByRole('button', { name: 'Reject' }).click();
      await page
        .getByRole('dialog', { name: /^Reject/ })
        .getByRole('button', { name: 'Reject' })
        .click();
    },
  },
  { name: 'admin listings, none', path: '/admin/listings', base: first },
  { name: 'disputes', path: '/admin/listings?tab=disputes' },
  {
    name: 'disputes, decide',
    path: '/admin/listings?tab=disputes',
    act: async (page) => {
      await opens(/^Decide between/)(page);
      await page.getByRole('radio', { name: /^Split/ }).check();
    },
  },
  { name: 'reported questions', path: '/admin/listings?tab=questions' },
  { name: 'reported questions, hide', path: '/admin/listings?tab=questions', act: opens(/^Hide the question/) },
  { name: 'escrow calls', path: '/admin/listings?tab=escrow' },
  { name: 'matching, visitor', path: '/affiliate-matching', signedIn: false },
  { name: 'matching', path: '/affiliate-matching' },
  { name: 'matching, first', path: '/affiliate-matching', base: first },
  { name: 'matching, analysis', path: '/affiliate-matching', act: named('tab', 'Analysis') },
  {
    name: 'matching, programs',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Recommendations')(page);
      await page.getByText(/^Why/).first().click();
    },
  },
  { name: 'matching, application', path: '/affiliate-matching', act: opens(/^Update the application to Chewy/) },
  { name: 'ideas, first', path: '/affiliate-matching', base: first, act: named('tab', 'Ideas & Niches') },
  { name: 'ideas, none', path: '/affiliate-matching', base: empty, act: named('tab', 'Ideas & Niches') },
  {
    name: 'ideas',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Ideas & Niches')(page);
      for (const text of ['Assumptions', /^Why/, 'First ten articles']) await page.getByText(text).first().click();
    },
  },
  {
    name: 'ideas, dismiss',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Ideas & Niches')(page);
      await opens('Dismiss City dogs')(page);
    },
  },
  {
    name: 'ideas, comparison',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Ideas & Niches')(page);
      await named('tab', /^Saved/)(page);
      for (const name of ['Compare Indoor cats', 'Compare Small balconies'])
        await page.getByRole('checkbox', { name }).check();
      await opens('Compare (2)')(page);
    },
  },
  {
    name: 'ideas, dismissed',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Ideas & Niches')(page);
      await named('tab', /^Dismissed/)(page);
    },
  },
  {
    name: 'ideas, link',
    path: '/affiliate-matching',
    act: async (page) => {
      await named('tab', 'Ideas & Niches')(page);
      await opens('Create link to BarkBox')(page);
    },
  },
  { name: 'learn, visitor', path: '/learn', signedIn: false },
  { name: 'sites', path: '/builder' },
  { name: 'sites, none', path: '/builder', base: first },
  { name: 'sites, create', path: '/builder', act: opens('Create site') },
  { name: 'sites, create from an idea', path: '/builder?starter=pets&idea=pets.city-dogs', act: draftOffered },
  { name: 'sites, create from a channel', path: '/builder?website=w1&channel=s1', act: bioPageOffered },
  { name: 'site', path: '/builder/s1' },
  { name: 'site, page', path: '/builder/s1', act: opens(/^Title and path of/) },
  { name: 'site, theme', path: '/builder/s1?tab=theme' },
  { name: 'site, settings', path: '/builder/s1?tab=settings' },
  { name: 'site, address', path: '/builder/s1?tab=address' },
  { name: 'site, releases', path: '/builder/s1?tab=releases' },
  { name: 'site, subscribers', path: '/builder/s1?tab=subscribers' },
  { name: 'page', path: '/builder/s1/page-home' },
  { name: 'page, text in place', path: '/builder/s1/page-home', widths: [DESKTOP], act: editedInPlace },
  { name: 'page, Markdown in place', path: '/builder/s1/page-home', widths: [DESKTOP], act: sourceInPlace },
  { name: 'page, add block', path: '/builder/s1/page-home', act: opens('Add block') },
  { name: 'page, versions', path: '/builder/s1/page-home', act: opens(/^Versions/) },
  { name: 'page, article', path: '/builder/s1/page-home', act: editBlock(/^Edit Article/) },
  { name: 'page, offers', path: '/builder/s1/page-home', act: editBlock(/^Edit Offers/) },
  { name: 'page, image', path: '/builder/s1/page-home', act: editBlock(/^Edit Image/) },
  { name: 'page, comparison', path: '/builder/s1/page-best', act: editBlock(/^Edit Comparison/) },
  { name: 'page, rejected', path: '/builder/s1/page-home', act: rejectedHeading, expected: '400' },
  { name: 'learn', path: '/learn' },
  { name: 'programs', path: '/admin/programs' },
  { name: 'programs, none', path: '/admin/programs', base: first },
  { name: 'programs, add', path: '/admin/programs', act: opens('Add program') },
  { name: 'programs, review', path: '/admin/programs', act: opens('Review BarkBox') },
  {
    name: 'programs, import',
    path: '/admin/programs',
    act: async (page) => {
      await opens('Import CSV')(page);
      await page.getByLabel('Or paste it here').fill('x');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('region', { name: 'Errors' }).waitFor();
    },
  },
  { name: 'exchange rates', path: '/admin/exchange-rates' },
  { name: 'exchange rates, none', path: '/admin/exchange-rates', base: first },
  { name: 'exchange rates, broken', path: '/admin/exchange-rates', base: broken, expected: '503' },
  { name: 'exchange rates, history', path: '/admin/exchange-rates', act: opens('History of EUR to USD') },
  {
    name: 'exchange rates, add, refused',
    path: '/admin/exchange-rates?add=ZZZ-THB',
    expected: '400',
    act: async (page) => {
      await page.getByLabel('Rate', { exact: true }).fill('1.9');
      await page.getByRole('dialog').getByRole('button', { name: 'Add rate' }).click();
      await page.getByText('ZZZ is not an ISO 4217 currency.').waitFor();
    },
  },
  {
    name: 'exchange rates, import',
    path: '/admin/exchange-rates',
    act: async (page) => {
      await opens('Import CSV')(page);
      await page.getByLabel('Or paste it here').fill('x');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('region', { name: 'Preview' }).waitFor();
    },
  },
  { name: 'audit trail', path: '/admin/audit-trail' },
  { name: 'outbox', path: '/admin/outbox' },
  { name: 'outbox, mail', path: '/admin/outbox', act: opens(/^Read the email/) },
  { name: 'all websites', path: '/websites' },
  { name: 'websites', path: '/account-settings?tab=websites' },
  {
    name: 'claim limits, wrong',
    path: '/account-settings?tab=websites',
    act: (page) => limitClaims(page, '0.001', 'Enter an amount from'),
  },
  {
    name: 'claim limits, saved',
    path: '/account-settings?tab=websites',
    act: (page) => limitClaims(page, '1250.50', 'Claim limits saved'),
  },
  { name: 'new key', path: '/account-settings?tab=websites', act: opens('New key') },
  { name: 'rotate key', path: '/account-settings?tab=websites', act: opens(/^Rotate/) },
  { name: 'revoke key', path: '/account-settings?tab=websites', act: opens(/^Revoke/) },
  { name: 'shorter retention', path: '/account-settings?tab=websites', act: shortenRetention },
  { name: 'remove website', path: '/account-settings?tab=websites', act: opens(/^Remove vpn/) },
  { name: 'visitor data, found', path: '/account-settings?tab=websites', act: findVisitor },
  {
    name: 'visitor data, erase',
    path: '/account-settings?tab=websites',
    act: async (page) => {
      await findVisitor(page);
      await page.getByRole('button', { name: 'Erase', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'projections', path: '/admin/projections' },
  {
    name: 'projections, one',
    path: '/admin/projections?name=events',
    act: (page) => page.getByRole('region', { name: 'Comparison' }).waitFor(),
  },
  { name: 'projections, rebuild', path: '/admin/projections', act: opens('Rebuild accounts') },
  { name: 'projections, promote', path: '/admin/projections', act: opens('Promote events') },
  { name: 'projections, broken', path: '/admin/projections', base: broken, expected: '503' },
  { name: 'dead letters', path: '/admin/dead-letters?projection=events&reason=bad_json' },
  { name: 'dead letters, skip all', path: '/admin/dead-letters', act: opens('Skip all bad_json of events') },
  { name: 'dead letters, revealed', path: '/admin/dead-letters?projection=events&reason=bad_json', act: revealRecord },
  { name: 'system', path: '/admin/system' },
  { name: 'system, broken', path: '/admin/system', base: broken, expected: '503' },
  { name: 'onboarding', path: '/onboarding' },
  { name: 'onboarding, connected', path: '/onboarding', base: first, act: connect },
];

const only = process.argv[2]?.split(';');
const queue = STATES.filter((state) => !only || only.includes(state.name));
if (queue.length === 0) throw new Error(`No state is called ${process.argv[2]}.`);
const total = queue.length;
const started = Date.now();
const failures = [];
let faults = 0;
let looks = 0;
let lost = 0;
for (const text of await proof(browser)) report('proof', text);
await Promise.all(Array.from({ length: AT_ONCE }, worker));
for (const place of lacks) report('mock', `an answer lacks what the API promises: ${place}`);
await browser.close();
for (const server of [mock, empty, first, broken, slow]) server.close();
console.log(
  `${faults} violations in ${total} states, ${looks} looks (light and dark, ${DESKTOP} and ${PHONE} px), ${Math.round((Date.now() - started) / 1000)} s`,
);
if (failures.length > 0) console.log(`failed:\n${failures.join('\n')}`);
process.exitCode = faults > 0 ? 1 : 0;

async function worker() {
  const pages = new Map();
  for (let state = queue.shift(); state; state = queue.shift()) {
    const kind = JSON.stringify([state.signedIn ?? true, state.website ?? false]);
    try {
      if (lost >= MOST_LOST) throw new Error(`not looked at, since ${lost} states could not be reached`);
      if (!pages.has(kind))
        pages.set(kind, await newPage(browser, { signedIn: state.signedIn, website: state.website, script: PREPARE }));
      await inTime(check(state, pages.get(kind)));
    } catch (error) {
      if (state.again) {
        lost += 1;
        report(state.name, String(error));
      } else {
        console.log(`${state.name}: once more in a new page, since: ${error}`);
        queue.unshift({ ...state, again: true });
      }
      await pages
        .get(kind)
        ?.context.close()
        .catch(() => {});
      pages.delete(kind);
    }
  }
}

async function check({ name, path, base = mock, widths = [DESKTOP, PHONE], act, expected, busy = false }, shown) {
  const { page, complaints } = shown;
  await page.setViewportSize({ width: widths[0], height: 900 });
  await page.goto(base.url + path);
  await appStarted(page);
  if (!busy) await settle(page);
  await act?.(page);
  for (const { where, text, count } of await look(page, { widths, busy })) report(`${name} ${where}`, text, count);
  looks += 2 * widths.length;
  for (const text of complaints) {
    if (text.includes(SANDBOXED)) continue;
    if (!expected || !text.includes(expected)) report(name, `console: ${text}`);
  }
  await leave(shown);
}

async function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${DEADLINE_MS / 1000} s`)), DEADLINE_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function report(where, text, count = 1) {
  const line = `${where}: ${text}`;
  faults += count;
  failures.push(line);
  console.log(line);
}

/** An idea has opened the dialog, with its templates. */
async function draftOffered(page) {
  await page.getByRole('checkbox', { name: /^Draft/ }).waitFor();
  await page.getByRole('radio', { name: /^Empty site/ }).waitFor();
}

/** What a block of the builder is edited with is fetched when one is opened. */
function editBlock(name) {
  return async (page) => {
    await page.getByRole('button', { name }).first().click();
    await page.getByLabel('Name in analytics').waitFor();
    await settle(page);
  };
}

/** The text that was edited in the preview is what the editor's list names the block by. */
async function editedInPlace(page) {
  const heading = page.frameLocator('iframe').locator('h1[data-field]');
  await heading.click();
  await heading.fill('Measured again');
  await heading.press('Enter');
  await page.getByRole('button', { name: /^Edit Hero.*Measured again/ }).waitFor();
  await page.getByText('All changes saved').waitFor();
}

/** The source takes the text's place, and what it became takes its own. */
async function sourceInPlace(page) {
  const text = page.frameLocator('iframe').locator('div.prose[data-field]').first();
  await text.click();
  const source = page.frameLocator('iframe').getByRole('textbox', { name: 'Text in Markdown' });
  await source.fill('## Measured again\n\nEvery hour.');
  await page.getByRole('heading', { name: 'Blocks' }).click(); // leaves it
  await text.getByRole('heading', { name: 'Measured again' }).waitFor();
  await page.getByText('All changes saved').waitFor();
  await text.click();
  await source.waitFor();
}

async function rejectedHeading(page) {
  await editBlock(/^Edit Hero/)(page);
  await page.getByLabel('Heading').fill('');
  await page.getByText('must not be empty').first().waitFor();
}

async function sendNewsletter(page) {
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Subscribe' }) });
  await form.getByLabel('Email').fill('a@example.com');
  await form.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Please confirm your subscription').waitFor();
}

async function signIn(page, email, password) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page
    .getByText(/Login Failed|2FA Required/)
    .first()
    .waitFor();
}

/** The check goes on for as long as the page is there. */
async function checkedSignIn(page) {
  await page.getByLabel('Email').fill('guessed@example.com');
  await page.getByLabel('Password', { exact: true }).fill('right-password');
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.getByText(/running a security check/).waitFor();
}

async function findVisitor(page) {
  const section = page.getByRole('region', { name: /^Visitor data of/ }).first();
  await section.getByLabel('Visitor ID', { exact: true }).fill('visitor-1');
  await section.getByRole('button', { name: 'Find' }).click();
  await section.getByRole('list', { name: 'What is stored' }).waitFor();
}

async function limitClaims(page, amount, answer) {
  await page
    .getByLabel(/^Largest claimed sale/)
    .first()
    .fill(amount);
  await page
    .getByRole('button', { name: /^Save limits/ })
    .first()
    .click();
  await page.getByText(answer).first().waitFor();
}

async function recover(page) {
  await signIn(page, 'two@example.com', 'right-password');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
}

async function register(page) {
  await page.getByLabel('Email').fill('a@example.com');
  await page.getByLabel('Password', { exact: true }).fill('right-password');
  await page.getByLabel('Name').fill('Embla');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
}

async function registerToTheEnd(page) {
  await register(page);
  await page.getByLabel('Two-factor code').fill('123456');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
}

async function tables(page) {
  const show = page.getByRole('button', { name: /^Show .* as table$/ });
  for (let left = await show.count(); left > 0; left -= 1) await show.first().click();
}

async function decide(page, decision) {
  await page
    .getByRole('button', { name: new RegExp(`^${decision} `) })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: decision }).click();
  await page.getByText('Please give a reason').waitFor();
}

async function decideAll(page, decision) {
  await page.getByRole('checkbox', { name: 'Select all pending shown' }).check();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: decision, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  if (decision !== 'Reject') return;
  await dialog.getByRole('button', { name: decision }).click();
  await page.getByText('Please give a reason').waitFor();
}

async function approveOne(page) {
  await page
    .getByRole('button', { name: /^Approve ORD/ })
    .first()
    .click();
  await page.getByText('Approving 1 conversion').first().waitFor();
}

/** What corrects them is fetched when an explanation has any. */
async function unreadable(page) {
  await page.getByRole('button', { name: 'Read again' }).waitFor();
}

async function rejectSimilar(page) {
  await page.getByRole('button', { name: 'Reject similar…' }).click();
  await page.getByRole('button', { name: 'Reject claims' }).click();
  await page.getByText('Please give a reason').waitFor();
}

async function connect(page) {
  await page.getByLabel('Domain').fill('https://www.Example.com/page');
  await page.getByRole('button', { name: 'Connect Website' }).click();
  await page.getByText('Add this line to').waitFor();
}

/** What a post offers: of the first that offers it. */
async function ofPost(page, what) {
  for (const button of await page.getByRole('button', { name: /^More about the post/ }).all()) {
    await button.click();
    await page.getByRole('menu').waitFor(); // fetched when it is first opened
    const item = page.getByRole('menuitem', { name: what, exact: true });
    if (await item.count()) return item.click();
    await page.keyboard.press('Escape');
  }
}

async function editTiers(page) {
  await opens(/^Edit /)(page);
  await page.getByRole('button', { name: 'Add tier' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Please complete tier 1').waitFor();
}

async function linkMenu(page) {
  await named('button', /^Actions of link/)(page);
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
}

function ofLink(what) {
  return opened(async (page) => {
    await linkMenu(page);
    await page.getByRole('menuitem', { name: what }).click();
  });
}

async function editWays(page) {
  await ofLink('Edit')(page);
  const rule = page.getByRole('button', { name: 'Add rule' });
  if (!(await rule.isVisible())) await page.getByText('More options').click();
  await rule.click();
  await page.getByRole('button', { name: 'Split traffic' }).click();
}

async function moveLinks(page) {
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await opens('Move to partner')(page);
  await page.getByRole('radio', { name: 'Surfshark' }).check();
  await page.getByRole('region', { name: 'Preview' }).waitFor();
}

async function importLinks(page) {
  await opens('Import CSV')(page);
  const file = { name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from('slug,partner\nspring,nordvpn\n') };
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByRole('region', { name: 'Preview' }).waitFor();
}

async function bulkLines(page) {
  await opens('Bulk create')(page);
  await page.getByLabel('Links', { exact: true }).fill('nobody, https://x.example/');
  await page.getByText(/^Line 1: There is no active partner/).waitFor();
}
