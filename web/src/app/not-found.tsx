import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';

export function NotFound() {
  return (
    <section className="mx-auto flex max-w-xl flex-col items-center px-4 py-24 text-center">
      <p aria-hidden className="text-6xl font-semibold tracking-tight text-brand">
        404
      </p>
      <h1 className="mt-3 text-2xl font-semibold">404 Page Not Found</h1>
      <p className="mt-2 text-muted">Did you forget to add the page to the router?</p>
      <Link to="/" className={buttonClass({ variant: 'primary' }, 'mt-6')}>
        Back to Home
      </Link>
    </section>
  );
}
