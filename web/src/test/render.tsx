import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { Toaster } from '@/components/ui/toaster';
import { createAppRouter } from '@/app/router';
import { newQueryClient } from '@/lib/api/query-client';
import { startSession } from '@/lib/session';
import { USER } from './fixtures';

export const signIn = (): void => startSession({ token: 'token-1', user: USER });

/** The whole app at an address. */
export function renderApp(path: string) {
  const client = newQueryClient();
  const router = createAppRouter(client, createMemoryHistory({ initialEntries: [path] }));
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { router, client, user: userEvent.setup() };
}

/** One component, with what it needs around it. */
export function renderPart(part: ReactNode) {
  const client = newQueryClient();
  render(
    <QueryClientProvider client={client}>
      {part}
      <Toaster />
    </QueryClientProvider>,
  );
  return { client, user: userEvent.setup() };
}
