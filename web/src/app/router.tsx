import type { QueryClient } from '@tanstack/react-query';
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import type { Scope } from '@/lib/storage/remembered-scope';
import { flat, parseSearch, stringifySearch, textOf } from '@/lib/url/search';
import { withEarlyReads } from '@/lib/api/early-reads';
import { getSession, isAdmin } from '@/lib/session';
import { getWebsiteSession } from '@/lib/session/website-session';
import { forumMemberRoutes, forumRoutes } from './forum-routes';
import { leadsRoutes } from './leads-routes';
import { marketplaceMemberRoutes, marketplaceRoutes } from './marketplace-routes';
import { member } from './member-route';
import { matchingRoutes } from './matching-routes';
import { NotFound } from './not-found';
import { publishingRoutes } from './publishing-routes';
import { root } from './root-route';
import { startPage } from './start-page';
import { siteRoutes } from './site-routes';

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface StaticDataRouteOption {
    title?: string;
    /** A work page: signed-in people see it beside the side navigation. */
    work?: true;
    /** What of its address is remembered, and filled in where it is lacking. For pages of members. */
    scopes?: readonly Scope[];
    /** About all websites where its address names none of several: the remembered one is not filled in. */
    ofAll?: true;
    /** Opens with the default view of the website where its address says nothing else. */
    views?: true;
    /** A public page. */
    site?: { readonly description: string };
    /** What the page reads first, with the names of its path ("$id"): public/first.js begins these reads while the app
     *  itself is still on its way. One with a query only where the page's address has none. "$website" is the website that
     *  the page will show, whatever else its address says; "hint:/…" is read until this hint is put away. */
    reads?: readonly string[];
  }
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  staticData: { title: 'Sign In', reads: ['/api/platform/auth/providers', '/api/platform/setup'] },
  validateSearch: (
    search,
  ): { next?: string | undefined; tab?: string; invite?: string; problem?: string; provider?: string } => {
    const next = textOf(search['next']);
    const [tab, invite, problem, provider] = ['tab', 'invite', 'problem', 'provider'].map((name) =>
      textOf(search[name]),
    );
    return {
      next: next && isOwnPath(next) ? next : undefined, // set even if undefined: an omitted key keeps its given value
      ...(tab ? { tab } : {}),
      ...(invite ? { invite } : {}),
      ...(problem ? { problem, provider: provider ?? '' } : {}),
    };
  },
  beforeLoad: async ({ search, context }) => {
    if (getSession()) throw redirect({ href: search.next ?? (await startPage(context.client)), replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/login'), 'LoginPage'),
});

/** Return from a sign-in provider; linking an account ends here as well. */
const finishSignIn = createRoute({
  getParentRoute: () => root,
  path: '/login/finish',
  staticData: { title: 'Sign In' },
  validateSearch: (search): { next?: string | undefined; problem?: string; provider?: string } => {
    const [next, problem, provider] = ['next', 'problem', 'provider'].map((name) => textOf(search[name]));
    return {
      next: next && isOwnPath(next) ? next : undefined,
      ...(problem ? { problem, provider: provider ?? '' } : {}),
    };
  },
  component: lazyRouteComponent(() => import('./pages/finish-sign-in'), 'FinishSignInPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  staticData: { title: 'Forgot your password?' },
  component: lazyRouteComponent(() => import('./pages/forgot-password'), 'ForgotPasswordPage'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  staticData: { title: 'Set a new password' },
  component: lazyRouteComponent(() => import('./pages/reset-password'), 'ResetPasswordPage'),
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  staticData: { title: 'Confirm your address' },
  component: lazyRouteComponent(() => import('./pages/confirm-email'), 'ConfirmEmailPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  staticData: { title: 'Set up' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/setup'), 'SetupPage'),
});

const dashboard = createRoute({
  getParentRoute: () => member,
  path: '/dashboard',
  staticData: {
    title: 'Dashboard',
    scopes: ['website'],
    ofAll: true,
    reads: [
      '/api/platform/analytics/overview?websiteId=$website&timeRange=30d&compare=previous',
      '/api/platform/analytics/clicks?websiteId=$website&timeRange=30d',
      '/api/platform/alerts/raised?open=true&limit=20&websiteId=$website',
      '/api/platform/links?websiteId=$website&limit=200&timeRange=30d',
      '/api/platform/conversions?websiteId=$website&limit=6',
      'getting-started:/api/platform/invite-codes',
      '/api/platform/partners',
    ],
  },
  validateSearch: flat,
  // Without a website, of several: the start page of all.
  beforeLoad: async ({ search, context, location }) => {
    if (textOf(search['website']) === undefined && (await startPage(context.client)) === '/websites')
      throw redirect({ to: '/websites', hash: location.hash, replace: true });
  },
  loader: ({ context, location }) =>
    withEarlyReads(async () => (await import('./pages/dashboard')).takeReads(context.client, flat(location.search))),
  component: lazyRouteComponent(() => import('./pages/dashboard'), 'DashboardPage'),
});

const websites = createRoute({
  getParentRoute: () => member,
  path: '/websites',
  staticData: { title: 'Dashboard', reads: ['/api/platform/websites/summary'] },
  component: lazyRouteComponent(() => import('./pages/websites'), 'WebsitesPage'),
});

const analytics = createRoute({
  getParentRoute: () => member,
  path: '/analytics',
  staticData: {
    title: 'Analytics',
    scopes: ['website', 'range'],
    views: true,
    reads: ['/api/platform/views?websiteId=$website', '/api/platform/partners'],
  },
  validateSearch: flat,
  loader: ({ context, location }) =>
    withEarlyReads(async () => (await import('./pages/analytics')).takeReads(context.client, flat(location.search))),
  component: lazyRouteComponent(() => import('./pages/analytics'), 'AnalyticsRoute'),
});

const sql = createRoute({
  getParentRoute: () => member,
  path: '/sql',
  staticData: { title: 'SQL' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/sql'), 'SqlPage'),
});

const conversions = createRoute({
  getParentRoute: () => member,
  path: '/conversions',
  staticData: { title: 'Conversions', scopes: ['website'] },
  validateSearch: flat,
  // Its place before it had a page of its own.
  beforeLoad: ({ search: { view, ...search } }) => {
    if (view === 'statements') throw redirect({ to: '/payouts/statements', search, replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/conversions'), 'ConversionsPage'),
});

const networkReports = createRoute({
  getParentRoute: () => member,
  path: '/conversions/networks',
  staticData: { title: 'Network reports', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/network-reports'), 'NetworkReportsPage'),
});

const networkReport = createRoute({
  getParentRoute: () => member,
  path: '/conversions/networks/$id',
  staticData: { title: 'Network report' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/network-reports'), 'NetworkReportPage'),
});

const adPlatforms = createRoute({
  getParentRoute: () => member,
  path: '/conversions/ad-platforms',
  staticData: { title: 'Ad platforms', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/ad-platforms'), 'AdPlatformsPage'),
});

const links = createRoute({
  getParentRoute: () => member,
  path: '/links',
  staticData: { title: 'Links', reads: ['/api/platform/partners'], scopes: ['website'] },
  validateSearch: flat,
  // The page of one link was a part of this page.
  beforeLoad: ({ search: { link: id } }) => {
    if (typeof id === 'string') throw redirect({ to: '/links/$id', params: { id }, search: {}, replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/links'), 'LinksPage'),
});

const link = createRoute({
  getParentRoute: () => member,
  path: '/links/$id',
  staticData: { title: 'Link', reads: ['/api/platform/links/$id', '/api/platform/partners'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/link'), 'LinkPage'),
});

const myPartners = createRoute({
  getParentRoute: () => member,
  path: '/links/partners',
  staticData: { title: 'My partners', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/my-partners'), 'MyPartnersPage'),
});

const socialChannels = createRoute({
  getParentRoute: () => member,
  path: '/links/channels',
  staticData: { title: 'Social channels', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/social-channels'), 'SocialChannelsPage'),
});

const socialReport = createRoute({
  getParentRoute: () => member,
  path: '/links/channels/report',
  staticData: { title: 'Social revenue', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/social-report'), 'SocialReportPage'),
});

const socialPosts = createRoute({
  getParentRoute: () => member,
  path: '/links/channels/posts',
  staticData: { title: 'Posts', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/social-posts'), 'SocialPostsPage'),
});

const connectChannel = createRoute({
  getParentRoute: () => member,
  path: '/links/channels/connect',
  staticData: { title: 'Connect channel', scopes: [] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/connect-channel'), 'ConnectChannelPage'),
});

const insights = createRoute({
  getParentRoute: () => member,
  path: '/insights',
  staticData: { title: 'Insights', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/insights'), 'InsightsPage'),
});

const payouts = createRoute({
  getParentRoute: () => member,
  path: '/payouts',
  staticData: { title: 'Payouts', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/payouts'), 'PayoutsPage'),
});

const statements = createRoute({
  getParentRoute: () => member,
  path: '/payouts/statements',
  staticData: { title: 'Statements', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/statements'), 'StatementsPage'),
});

const reconciliation = createRoute({
  getParentRoute: () => member,
  path: '/payouts/reconciliation',
  staticData: { title: 'Reconciliation', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/reconciliation'), 'ReconciliationPage'),
});

const costs = createRoute({
  getParentRoute: () => member,
  path: '/payouts/costs',
  staticData: { title: 'Costs', scopes: ['website'] },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/costs'), 'CostsPage'),
});

const accountSettings = createRoute({
  getParentRoute: () => member,
  path: '/account-settings',
  staticData: { title: 'Account Settings' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/account-settings'), 'AccountSettingsPage'),
});

const onboarding = createRoute({
  getParentRoute: () => member,
  path: '/onboarding',
  staticData: { title: 'Connect a website' },
  component: lazyRouteComponent(() => import('./pages/onboarding'), 'OnboardingPage'),
});

/** Admin pages; other accounts get a 404. */
const admin = createRoute({
  getParentRoute: () => member,
  path: '/admin',
  beforeLoad: () => {
    if (!isAdmin(getSession()?.user)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./pages/admin'), 'AdminFrame'),
});

const adminAffiliates = createRoute({
  getParentRoute: () => admin,
  path: '/',
  staticData: { title: 'Affiliate Management' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-affiliates'), 'AdminAffiliatesPage'),
});

const adminProjections = createRoute({
  getParentRoute: () => admin,
  path: '/projections',
  staticData: { title: 'Projections' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-projections'), 'AdminProjectionsPage'),
});

const adminDeadLetters = createRoute({
  getParentRoute: () => admin,
  path: '/dead-letters',
  staticData: { title: 'Dead letters' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-dead-letters'), 'AdminDeadLettersPage'),
});

const adminSystem = createRoute({
  getParentRoute: () => admin,
  path: '/system',
  staticData: { title: 'System' },
  component: lazyRouteComponent(() => import('./pages/admin-system'), 'AdminSystemPage'),
});

const adminAccounts = createRoute({
  getParentRoute: () => admin,
  path: '/accounts',
  staticData: { title: 'Accounts' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-accounts'), 'AdminAccountsPage'),
});

const adminWebsites = createRoute({
  getParentRoute: () => admin,
  path: '/websites',
  staticData: { title: 'Websites' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-websites'), 'AdminWebsitesPage'),
});

const adminDomains = createRoute({
  getParentRoute: () => admin,
  path: '/domains',
  staticData: { title: 'Domains' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-domains'), 'AdminDomainsPage'),
});

const adminPrograms = createRoute({
  getParentRoute: () => admin,
  path: '/programs',
  staticData: { title: 'Program directory' },
  component: lazyRouteComponent(() => import('./pages/admin-programs'), 'AdminProgramsPage'),
});

const adminExchangeRates = createRoute({
  getParentRoute: () => admin,
  path: '/exchange-rates',
  staticData: { title: 'Exchange rates' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-exchange-rates'), 'AdminExchangeRatesPage'),
});

const adminAuditTrail = createRoute({
  getParentRoute: () => admin,
  path: '/audit-trail',
  staticData: { title: 'Audit trail' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-audit-trail'), 'AdminAuditTrailPage'),
});

const adminOutbox = createRoute({
  getParentRoute: () => admin,
  path: '/outbox',
  staticData: { title: 'Outbox' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-outbox'), 'AdminOutboxPage'),
});

const adminInquiries = createRoute({
  getParentRoute: () => admin,
  path: '/inquiries',
  staticData: { title: 'Inquiries' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-inquiries'), 'AdminInquiriesPage'),
});

const adminSubscribers = createRoute({
  getParentRoute: () => admin,
  path: '/subscribers',
  staticData: { title: 'Subscribers' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-subscribers'), 'AdminSubscribersPage'),
});

const adminListings = createRoute({
  getParentRoute: () => admin,
  path: '/listings',
  staticData: { title: 'Marketplace' },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/admin-listings'), 'AdminListingsPage'),
});

/** "/admin" for a website session. */
const websiteAdmin = createRoute({
  getParentRoute: () => root,
  path: '/admin/website',
  staticData: { title: 'Website' },
  beforeLoad: () => {
    if (!getWebsiteSession()) throw redirect({ to: '/login', search: { tab: 'website' }, replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/website-admin'), 'WebsiteAdminPage'),
});

/** Every other path. */
const missing = createRoute({
  getParentRoute: () => root,
  path: '$',
  staticData: { title: '404 Page Not Found' },
  component: NotFound,
});

const routeTree = root.addChildren([
  ...siteRoutes,
  ...leadsRoutes,
  ...matchingRoutes,
  ...forumRoutes,
  ...marketplaceRoutes,
  login,
  finishSignIn,
  forgotPassword,
  resetPassword,
  confirmEmail,
  setup,
  websiteAdmin,
  missing,
  member.addChildren([
    dashboard,
    websites,
    analytics,
    conversions,
    networkReports,
    networkReport,
    adPlatforms,
    links,
    link,
    myPartners,
    socialChannels,
    socialReport,
    socialPosts,
    connectChannel,
    insights,
    payouts,
    costs,
    statements,
    reconciliation,
    sql,
    accountSettings,
    onboarding,
    ...forumMemberRoutes,
    ...marketplaceMemberRoutes,
    ...publishingRoutes,
    admin.addChildren([
      adminAffiliates,
      adminAccounts,
      adminWebsites,
      adminDomains,
      adminInquiries,
      adminSubscribers,
      adminListings,
      adminPrograms,
      adminExchangeRates,
      adminAuditTrail,
      adminOutbox,
      adminProjections,
      adminDeadLetters,
      adminSystem,
    ]),
  ]),
]);

export function createAppRouter(client: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { client },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    scrollRestoration: true,
    ...(history ? { history } : {}),
  });
}

/** A path of this app: never another origin, whatever the address says. */
export function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && new URL(path, window.location.origin).origin === window.location.origin;
}
