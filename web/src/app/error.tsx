import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '@/components/ui/button';
import { messageOf } from '@/lib/api/errors';

export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <section role="alert" className="mx-auto flex max-w-xl flex-col items-center px-4 py-24 text-center">
      <h1 className="text-2xl font-semibold">This page could not be shown</h1>
      <p className="mt-2 text-muted">{messageOf(error)}</p>
      <div className="mt-6 flex gap-2">
        <Button variant="primary" onClick={reset}>
          Try again
        </Button>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </div>
    </section>
  );
}
