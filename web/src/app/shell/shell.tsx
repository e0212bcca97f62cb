import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { Boundary } from '@/components/data/boundary';
import { getSession, useSession, watchOwner } from '@/lib/session';
import { useToasts } from '@/stores/toasts';
import { Commands } from './commands';
import { Footer, SlimFooter } from './footer';
import { Header } from './header';
import { RouteChange } from './route-change';
import { ScopeWatch } from './scope-watch';
import { SideNavPlace } from './side-nav-width';

const TOASTER_AFTER_MS = 5000;
const loadToaster = () => import('@/components/ui/toaster').then((module) => ({ default: module.Toaster }));
const Toaster = lazy(loadToaster);
const SideNav = lazy(() => import('./side-nav').then((module) => ({ default: module.SideNav })));

/** Public pages stand between the top navigation and the footer; work pages of signed-in people beside the side
 *  navigation as well. The page itself keeps its place in both, so that it survives a sign-out. */
export function Shell() {
  const user = useSession()?.user;
  const onWorkPage = useRouterState({ select: ({ matches }) => matches.some((match) => match.staticData.work) });
  const working = onWorkPage && user !== undefined;
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-overlay rounded-lg bg-brand px-4 py-2 text-on-brand focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <RouteChange />
      <SessionWatch />
      <ScopeWatch />
      <Header working={working} />
      <div className="flex flex-1">
        {working && (
          <SideNavPlace>
            <Boundary fallback={null}>
              <Suspense fallback={null}>
                <SideNav user={user} />
              </Suspense>
            </Boundary>
          </SideNavPlace>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          {/* It fills the view from the start, so that the footer does not jump when figures, listings or posts come. */}
          <main id="main" tabIndex={-1} className="min-h-dvh flex-1">
            <Outlet />
          </main>
          {working ? <SlimFooter /> : <Footer />}
        </div>
      </div>
      <Boundary fallback={null}>
        <Commands />
      </Boundary>
      <Toasts />
    </div>
  );
}

/** The toaster is fetched with the first toast, or once the page has come to rest: a toast that says that the server
 *  cannot be reached could not fetch it any more. */
function Toasts() {
  const any = useToasts((state) => state.items.length > 0);
  useEffect(() => {
    const timer = setTimeout(() => void loadToaster().catch(() => undefined), TOASTER_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return any ? (
    <Boundary fallback={null}>
      <Suspense fallback={null}>
        <Toaster />
      </Suspense>
    </Boundary>
  ) : null;
}

/** When another account or none is signed in, the guards of the routes run again, and the cached data of the previous
 *  account is deleted: at once for another account, after the redirect to sign-in for none, since reads need a session. */
function SessionWatch() {
  const router = useRouter();
  const client = useQueryClient();
  useEffect(() => {
    const leave = () => void router.invalidate().finally(() => client.clear());
    // The first reads start before this subscription: one of them may have ended the session already.
    if (!getSession() && router.state.matches.some((match) => match.routeId === '/member')) leave();
    return watchOwner((owner) => {
      if (owner === undefined) {
        leave();
      } else {
        void client.resetQueries();
        void router.invalidate();
      }
    });
  }, [router, client]);
  return null;
}
