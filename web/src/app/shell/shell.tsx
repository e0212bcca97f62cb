import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '@/lib/session';
import { useToasts } from '@/stores/toasts';
import { Commands } from './commands';
import { Footer } from './footer';
import { Header } from './header';
import { RouteChange } from './route-change';

const Toaster = lazy(() => import('@/components/ui/toaster').then((module) => ({ default: module.Toaster })));

export function Shell() {
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#main" className="sr-only z-50 rounded-lg bg-brand px-4 py-2 text-on-brand focus:not-sr-only focus:fixed focus:top-3 focus:left-3">
        Skip to content
      </a>
      <RouteChange />
      <SessionWatch />
      <Header />
      <main id="main" tabIndex={-1} className="flex-1">
        <Outlet />
      </main>
      <Footer />
      <Commands />
      <Toasts />
    </div>
  );
}

/** The toaster is fetched with the first toast. */
function Toasts() {
  const any = useToasts((state) => state.items.length > 0);
  return any ? (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
  ) : null;
}

/** When the session ends anywhere (401, sign-out in another tab), the guards of the routes are asked again. */
function SessionWatch() {
  const router = useRouter();
  const signedIn = useSession() !== null;
  useEffect(() => {
    if (!signedIn) void router.invalidate();
  }, [router, signedIn]);
  return null;
}
