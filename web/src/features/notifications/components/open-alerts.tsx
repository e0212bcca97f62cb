import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { When } from '@/components/data/when';
import { parseSearch } from '@/lib/url/search';
import type { RaisedAlert } from '../api/alerts';

interface Props {
  readonly alerts: readonly RaisedAlert[];
  /** Whether each line names its website. */
  readonly names: boolean;
}

/** Alerts whose cause lasts; each leads to the page that shows it. Nothing without any. */
export function OpenAlerts({ alerts, names }: Props) {
  if (alerts.length === 0) return null;
  return (
    <section aria-label="Open alerts" className="rounded-xl border border-warn/30 bg-warn-soft px-4 py-1">
      <ul className="divide-y divide-warn/20">
        {alerts.map((alert) => (
          <li key={alert.id} className="flex items-start gap-3 py-2.5">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
            <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 [overflow-wrap:anywhere]">
              <AlertLink alert={alert} names={names} />
              <span className="text-[0.8125rem] text-muted">
                <When at={alert.openedAt} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The title of an alert as a link to its cause. */
export function AlertLink({ alert, names }: { readonly alert: RaisedAlert; readonly names: boolean }) {
  const { pathname, search, hash } = new URL(alert.path, window.location.origin);
  return (
    <Link
      to={pathname}
      search={parseSearch(search)}
      {...(hash ? { hash: hash.slice(1) } : {})}
      title={alert.text}
      className="font-medium underline-offset-2 hover:underline"
    >
      {names ? `${alert.domain}: ${alert.title}` : alert.title}
    </Link>
  );
}
