// What the palette offers beside the commands of the page: actions, settings, admin sections and help, each with the
// words that people use for it. Fetched with the palette.
import { useRouter } from '@tanstack/react-router';
import { adminSections } from '@/lib/admin/sections';
import type { Card } from '@/lib/content';
import { isOn } from '@/lib/modules';
import { isAdmin, isModerator, useSession } from '@/lib/session';
import { requestCommand, type Command } from '@/stores/commands';
import { QUERY_GROUPS } from './palette-queries';
import { useSignOut } from './use-sign-out';

export const GROUPS = {
  actions: 'Actions',
  pages: 'Pages',
  ...QUERY_GROUPS,
  settings: 'Settings',
  admin: 'Admin',
  help: 'Help',
  general: 'General',
} as const;

/** Words for the pages of an admin. */
const ADMIN_WORDS: Readonly<Record<string, string>> = {
  '/admin': 'partners links clicks overview program',
  '/admin/accounts': 'users members people roles disable',
  '/admin/websites': 'all owners disconnect',
  '/admin/domains': 'all custom hosts owners remove',
  '/admin/inquiries': 'contact messages consulting',
  '/admin/subscribers': 'newsletter early access waiting list',
  '/admin/programs': 'directory matching affiliate import',
  '/admin/listings': 'marketplace review disputes escrow approve listing',
  '/admin/exchange-rates': 'currency currencies exchange rate ecb conversion import csv',
  '/admin/audit-trail': 'audit log security history who',
  '/admin/outbox': 'email mail messages sent',
  '/admin/projections': 'replay rebuild read models promote roll back',
  '/admin/dead-letters': 'failed events errors retry poison',
  '/admin/system': 'health status engines backups disk processes kafka clickhouse postgres',
};

type Go = (href: string) => () => void;
/** Of what leads to a page that this installation does without. */
const NOWHERE = () => undefined;

/** By account; none for visitors, who have the pages alone. */
export function usePaletteCommands(help: readonly Card[]): readonly Command[] {
  const router = useRouter();
  const user = useSession()?.user;
  const leave = useSignOut();
  const go: Go = (href) => (isOn(href) ? () => void router.navigate({ href }) : NOWHERE);
  const guides: readonly Command[] = help.map((card) => ({
    id: `help-${card.slug}`,
    title: card.title,
    group: GROUPS.help,
    words: `${card.description} ${card.slug.replaceAll('-', ' ')}`,
    run: go(`/help/${card.slug}`),
  }));
  if (!user) return guides;
  const createLink = () => {
    void router.navigate({ to: '/links' });
    requestCommand('create-link');
  };
  const commands: readonly Command[] = [
    ...ACTIONS(go, createLink),
    ...(isAdmin(user) ? ADMIN_ACTIONS(go) : []),
    ...(isModerator(user)
      ? [action('moderate', 'Moderate the forum', 'held posts pending review flags queue', go('/forum/moderation'))]
      : []),
    ...SETTINGS(go),
    ...(isAdmin(user)
      ? adminSections.map(({ label, title, to }): Command => ({
          id: `admin-${to}`,
          title: title ?? label,
          group: GROUPS.admin,
          words: `admin ${label} ${ADMIN_WORDS[to] ?? ''}`,
          run: go(to),
        }))
      : []),
    ...guides,
    {
      id: 'sign-out',
      title: 'Sign out',
      group: GROUPS.general,
      words: 'log out logout leave',
      run: () => void leave(),
    },
  ];
  return commands.filter(({ run }) => run !== NOWHERE);
}

const action = (id: string, title: string, words: string, run: () => void): Command => ({
  id,
  title,
  group: GROUPS.actions,
  words,
  run,
});
const setting = (id: string, title: string, words: string, run: () => void): Command => ({
  ...action(`settings-${id}`, title, `settings account ${words}`, run),
  group: GROUPS.settings,
});

const ACTIONS = (go: Go, createLink: () => void): readonly Command[] => [
  action('create-link', 'Create link', 'new add tracked affiliate link slug short url campaign', createLink),
  action(
    'my-partners',
    'My partners',
    'add own private request affiliate program network merchant',
    go('/links/partners'),
  ),
  action(
    'social-channels',
    'Social channels',
    'instagram tiktok youtube x twitter pinterest facebook link bio qr',
    go('/links/channels'),
  ),
  action(
    'social-revenue',
    'Social revenue',
    'report channel post reach views instagram tiktok youtube earnings',
    go('/links/channels/report'),
  ),
  action(
    'approve-pending',
    'Approve pending conversions',
    'sales commissions waiting decide reject',
    go('/conversions?status=pending'),
  ),
  action(
    'refunds',
    'Refunds and reversals',
    'refund refunded reverse reversed return chargeback cancel sale',
    go('/conversions?status=reversed'),
  ),
  action(
    'bots',
    'Bots and excluded traffic',
    'bot bots fake spam attack crawler suspicious reclassify remark traffic rule',
    go('/analytics?bots=only'),
  ),
  action(
    'profit',
    'Profit: revenue less cost',
    'profit margin roi roas return on ad spend cost costs spend',
    go('/help/revenue-and-profit'),
  ),
  action(
    'network-reports',
    'Import a network report',
    'upload file csv xlsx awin cj impact rakuten shareasale tradedoubler amazon reconcile reconciliation sales',
    go('/conversions/networks'),
  ),
  action(
    'ad-platforms',
    'Send conversions to ad platforms',
    'google ads microsoft meta tiktok offline conversion import export gclid fbclid click id capi upload file',
    go('/conversions/ad-platforms'),
  ),
  action('undo', 'Undo a change', 'undo revert restore take back mistake', go('/help/undo-a-change')),
  action(
    'reconciliation',
    'Reconciliation',
    'partner owes owed overdue late difference month compare',
    go('/payouts/reconciliation'),
  ),
  action('statements', 'Monthly statements', 'payout accountant month owed balance', go('/payouts/statements')),
  action('api-key', 'API keys', 'api key token secret site key credentials', go('/account-settings?tab=websites')),
  action(
    'postback',
    'Postback URL and tokens',
    'postback s2s server to server webhook network token pixel',
    go('/account-settings?tab=websites'),
  ),
  action('go-connect', 'Connect a website', 'add site domain install script snippet tracking code', go('/onboarding')),
  action(
    'invite',
    'Invite a colleague',
    'invite code user team member register',
    go('/account-settings?tab=invite-codes'),
  ),
  action(
    'email-report',
    'Email reports',
    'schedule weekly monthly mail report view query csv unsubscribe pause',
    go('/account-settings?tab=reports'),
  ),
  action(
    'build-site',
    'Build a site',
    'website builder page editor template publish landing review blocks',
    go('/builder'),
  ),
  action('new-thread', 'Start a forum thread', 'post ask question discussion', go('/forum/new')),
  action('sell', 'Sell a website', 'listing marketplace new offer', go('/marketplace/sell')),
  action('deals', 'My deals', 'offers escrow buy sell marketplace', go('/marketplace/deals')),
];

const ADMIN_ACTIONS = (go: Go): readonly Command[] => [
  action('add-partner', 'Add partner', 'new affiliate program network merchant', () => {
    go('/admin?tab=partners')();
    requestCommand('add-partner');
  }),
  action('replay', 'Replay events', 'rebuild projection read model reprocess recalculate', go('/admin/projections')),
];

const SETTINGS = (go: Go): readonly Command[] => [
  setting('general', 'Profile and password', 'general name email time zone', go('/account-settings')),
  setting('security', 'Two-factor sign-in', '2fa authenticator security recovery codes', go('/account-settings')),
  setting('sessions', 'Sessions and data export', 'devices download delete erase gdpr', go('/account-settings')),
  setting('websites', 'Websites and keys', 'api key postback snippet currency', go('/account-settings?tab=websites')),
  setting(
    'custom-domains',
    'Custom domains',
    'dns cname ssl own domain short',
    go('/account-settings?tab=custom-domains'),
  ),
  setting('invite-codes', 'Invite codes', 'colleague', go('/account-settings?tab=invite-codes')),
  setting(
    'notifications',
    'Notification preferences',
    'email digest mail alerts',
    go('/account-settings?tab=notifications'),
  ),
];
