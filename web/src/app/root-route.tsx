import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, notFound } from '@tanstack/react-router';
import { isOn } from '@/lib/modules';
import { RouteError } from './error';
import { NotFound } from './not-found';
import { Shell } from './shell/shell';

interface Context {
  readonly client: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({
  beforeLoad: ({ location }) => {
    if (!isOn(location.pathname)) throw notFound();
  },
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: RouteError,
});
