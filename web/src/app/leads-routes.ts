// Pages that email links open without signing in.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root-route';

const newsletterConfirm = createRoute({
  getParentRoute: () => root,
  path: '/newsletter/confirm',
  staticData: { title: 'Confirm your subscription' },
  component: lazyRouteComponent(() => import('./pages/newsletter-confirm'), 'NewsletterConfirmPage'),
});

const newsletterUnsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/newsletter/unsubscribe',
  staticData: { title: 'Unsubscribe' },
  component: lazyRouteComponent(() => import('./pages/newsletter-unsubscribe'), 'NewsletterUnsubscribePage'),
});

const siteNewsletterConfirm = createRoute({
  getParentRoute: () => root,
  path: '/site-newsletter/confirm',
  staticData: { title: 'Confirm your subscription' },
  component: lazyRouteComponent(() => import('./pages/site-newsletter-confirm'), 'SiteNewsletterConfirmPage'),
});

const siteNewsletterUnsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/site-newsletter/unsubscribe',
  staticData: { title: 'Unsubscribe' },
  component: lazyRouteComponent(() => import('./pages/site-newsletter-unsubscribe'), 'SiteNewsletterUnsubscribePage'),
});

const earlyAccessLeave = createRoute({
  getParentRoute: () => root,
  path: '/early-access/leave',
  staticData: { title: 'Leave early access' },
  component: lazyRouteComponent(() => import('./pages/early-access-leave'), 'EarlyAccessLeavePage'),
});

const earlyAccessConfirm = createRoute({
  getParentRoute: () => root,
  path: '/early-access/confirm',
  staticData: { title: 'Confirm your address' },
  component: lazyRouteComponent(() => import('./pages/early-access-confirm'), 'EarlyAccessConfirmPage'),
});

const reportsUnsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/reports/unsubscribe',
  staticData: { title: 'Unsubscribe from a report' },
  component: lazyRouteComponent(() => import('./pages/reports-unsubscribe'), 'ReportsUnsubscribePage'),
});

export const leadsRoutes = [
  newsletterConfirm,
  newsletterUnsubscribe,
  siteNewsletterConfirm,
  siteNewsletterUnsubscribe,
  earlyAccessConfirm,
  earlyAccessLeave,
  reportsUnsubscribe,
] as const;
