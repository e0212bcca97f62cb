import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { newQueryClient } from '@/lib/api/query-client';
import { createAppRouter } from './router';

const client = newQueryClient();
export const router = createAppRouter(client);

export function App() {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}
