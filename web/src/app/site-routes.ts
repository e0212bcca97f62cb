// What everybody may read. A route with `site` has a document of its own in the build (scripts/documents.mjs), with its
// title and description, and stands in the site's map.
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { articleOf, cardsOf, type Kind } from '@/lib/content';
import { flat, textOf } from '@/lib/url/search';
import { root } from './root-route';

export const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  staticData: {
    site: {
      description:
        'An all-in-one platform for affiliate marketers: tracked links, exact live analytics, a marketplace, a forum and AI matching, on Iceland-based secure infrastructure.',
    },
  },
  component: lazyRouteComponent(() => import('./pages/home'), 'HomePage'),
});

const about = createRoute({
  getParentRoute: () => root,
  path: '/about',
  staticData: {
    title: 'About',
    site: { description: 'Who builds the platform, why in Iceland, and how to reach us: we reply within 24 hours.' },
  },
  component: lazyRouteComponent(() => import('./pages/about'), 'AboutPage'),
});

const consulting = createRoute({
  getParentRoute: () => root,
  path: '/consulting',
  staticData: {
    title: 'Consulting',
    site: {
      description:
        'Strategy Optimization, Growth Acceleration and Enterprise Solution: help from people who have run affiliate websites.',
    },
  },
  validateSearch: flat,
  component: lazyRouteComponent(() => import('./pages/consulting'), 'ConsultingPage'),
});

const contact = createRoute({
  getParentRoute: () => root,
  path: '/contact',
  staticData: { title: 'Contact', site: { description: 'Write to us: we reply within 24 hours.' } },
  component: lazyRouteComponent(() => import('./pages/contact'), 'ContactPage'),
});

const pricing = createRoute({
  getParentRoute: () => root,
  path: '/pricing',
  staticData: {
    title: 'Pricing',
    site: {
      description:
        'The platform is open source and free, early access too; consulting from $2,500. What each costs and what it includes.',
    },
  },
  component: lazyRouteComponent(() => import('./pages/pricing'), 'PricingPage'),
});

const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  staticData: {
    title: 'Integrations',
    site: {
      description:
        'Websites, WordPress, servers, affiliate networks, custom domains, ClickHouse clients and sign-in providers: everything the platform connects to.',
    },
  },
  component: lazyRouteComponent(() => import('./pages/integrations'), 'IntegrationsPage'),
});

const careers = createRoute({
  getParentRoute: () => root,
  path: '/careers',
  staticData: { title: 'Careers', site: { description: 'How we work, and how to join.' } },
  component: lazyRouteComponent(() => import('./pages/careers'), 'CareersPage'),
});

const apiDocs = createRoute({
  getParentRoute: () => root,
  path: '/docs/api',
  staticData: {
    title: 'API Documentation',
    site: {
      description:
        'Tracking API, postbacks, analytics API and every call: keys, fields, responses and examples for curl, JavaScript, Python and PHP.',
    },
  },
  validateSearch: flat,
  loaderDeps: ({ search }) => ({ part: textOf(search['part']) }),
  loader: async ({ deps }) => (await import('./pages/docs-api')).guideOf(deps.part),
  component: lazyRouteComponent(() => import('./pages/docs-api'), 'ApiDocsPage'),
});

const blog = createRoute({
  getParentRoute: () => root,
  path: '/blog',
  staticData: {
    title: 'Blog',
    site: {
      description:
        'How affiliate money is counted: articles about postbacks, duplicates, unique visitors, earnings per click and fair programs.',
    },
  },
  loader: () => cardsOf('blog'),
  component: lazyRouteComponent(() => import('./pages/blog'), 'BlogIndexPage'),
});

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  staticData: {
    title: 'Help Center',
    site: {
      description:
        'Guides from the first website to SQL: install the script, postbacks, custom domains, two-factor sign-in, exports and erasing your account.',
    },
  },
  loader: () => cardsOf('help'),
  component: lazyRouteComponent(() => import('./pages/help'), 'HelpIndexPage'),
});

async function read(kind: Kind, slug: string) {
  const [article, cards] = await Promise.all([articleOf(kind, slug), cardsOf(kind)]);
  if (!article) throw notFound();
  return { article, cards };
}

const blogArticle = createRoute({
  getParentRoute: () => root,
  path: '/blog/$slug',
  loader: ({ params }) => read('blog', params.slug),
  component: lazyRouteComponent(() => import('./pages/article'), 'BlogArticlePage'),
});

const helpArticle = createRoute({
  getParentRoute: () => root,
  path: '/help/$slug',
  loader: ({ params }) => read('help', params.slug),
  component: lazyRouteComponent(() => import('./pages/article'), 'HelpArticlePage'),
});

const privacy = createRoute({
  getParentRoute: () => root,
  path: '/privacy',
  loader: () => read('legal', 'privacy'),
  component: lazyRouteComponent(() => import('./pages/article'), 'PrivacyPage'),
});

const terms = createRoute({
  getParentRoute: () => root,
  path: '/terms',
  loader: () => read('legal', 'terms'),
  component: lazyRouteComponent(() => import('./pages/article'), 'TermsPage'),
});

export const siteRoutes = [
  home,
  about,
  consulting,
  contact,
  pricing,
  integrations,
  careers,
  apiDocs,
  blog,
  help,
  blogArticle,
  helpArticle,
  privacy,
  terms,
] as const;
