import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { RouteError } from './error';
import { NotFound } from './not-found';
import { Shell } from './shell/shell';

interface Context {
  readonly client: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: RouteError,
});
