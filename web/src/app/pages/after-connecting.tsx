import { Link } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';

/** Where a website that was just connected shows its first event: Analytics counts page views, the dashboard clicks. */
export function AfterConnecting({ website }: { readonly website: string }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/analytics" search={{ website, range: '24h' }} className={buttonClass({ variant: 'primary' })}>
        Open Analytics
      </Link>
      <Link to="/dashboard" search={{ website }} className={buttonClass()}>
        Go to Dashboard
      </Link>
    </div>
  );
}
