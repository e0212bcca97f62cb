// The built app without a browser: its own files, run on a document of jsdom that is shown nothing by any server.
import { JSDOM } from 'jsdom';

const PATIENCE_MS = 20_000;

/** `entry`: the file that index.html loads. Answers with the app's routes and a way to show a page. */
export async function runApp(entry, origin) {
  const { window } = new JSDOM(
    '<!doctype html><html lang="en" data-build><head></head><body><div id="root"></div></body></html>',
    { url: `${origin}/`, pretendToBeVisual: true },
  );
  lend(window);
  await import(entry.href);
  const router = window.__TSR_ROUTER__ ?? globalThis.__TSR_ROUTER__;
  if (!router) throw new Error('The app did not start.');
  return {
    routes: () =>
      Object.entries(router.routesByPath)
        .map(([path, route]) => ({
          path: path.replace(/(.)\/$/, '$1'),
          site: route.options.staticData?.site,
          ofMembers: route.id.startsWith('/member'),
          ofAll: route.options.staticData?.ofAll === true,
          reads: readsOf(route),
        }))
        .filter(({ path }) => path !== '/$'),
    show: (path) => show(router, window.document, path),
  };
}

/** A page's own first reads, behind those of the routes that it is in. */
const readsOf = (route) => (route ? [...readsOf(route.parentRoute), ...(route.options.staticData?.reads ?? [])] : []);

async function show(router, document, path) {
  await router.navigate({ to: path });
  const arrived = () =>
    router.state.status === 'idle' &&
    router.state.resolvedLocation?.pathname === path &&
    document.querySelector('main h1') !== null;
  const until = Date.now() + PATIENCE_MS;
  while (!arrived()) {
    if (Date.now() > until) throw new Error(`${path} was not shown within ${PATIENCE_MS / 1000} s.`);
    await soon();
  }
  await soon();
  const description = document.head.querySelector('meta[name=description]')?.getAttribute('content') ?? '';
  const announcer = document.querySelector('[data-testid=route-announcer]');
  const html = document
    .getElementById('root')
    .innerHTML.replace(announcer?.outerHTML ?? '\0', '<p aria-live="polite" class="sr-only"></p>');
  return { title: document.title, description, html };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

/** What the app expects to find around itself. */
function lend(window) {
  for (const name of Object.getOwnPropertyNames(window)) {
    if (name in globalThis || name.startsWith('_')) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => window[name],
      set: (value) => Object.defineProperty(globalThis, name, { configurable: true, writable: true, value }),
    });
  }
  class Observer {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  const own = {
    window,
    document: window.document,
    navigator: window.navigator,
    location: window.location,
    localStorage: window.localStorage,
    sessionStorage: window.sessionStorage,
    Event: window.Event,
    EventTarget: window.EventTarget,
    CustomEvent: window.CustomEvent,
    fetch: () => new Promise(() => undefined),
    IntersectionObserver: Observer,
    ResizeObserver: Observer,
    requestAnimationFrame: window.requestAnimationFrame.bind(window),
    cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
    matchMedia: (media) => ({
      matches: media.includes('reduced-motion'),
      media,
      addEventListener() {},
      removeEventListener() {},
    }),
    scrollTo() {},
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
  };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
    if (
      name !== 'window' &&
      !(name in window && ['document', 'location', 'navigator', 'localStorage', 'sessionStorage'].includes(name))
    )
      window[name] = value;
  }
}
