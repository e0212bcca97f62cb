// What a part of a page shows while there is nothing to show.
import { CircleAlert, LoaderCircle, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { isFinal, messageOf } from '@/lib/api/errors';
import { cx } from '@/lib/cx';
import { Button } from '../ui/button';

export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={cx('animate-pulse rounded-lg bg-sunken', className)} />;
}

export function Loading({ label, className }: { readonly label: string; readonly className?: string }) {
  return (
    <div role="status" className={cx('flex items-center justify-center gap-2.5 py-16 text-muted', className)}>
      <LoaderCircle aria-hidden className="size-5 animate-spin" />
      {label}
    </div>
  );
}

interface EmptyProps {
  readonly icon?: ReactNode;
  readonly title?: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  readonly className?: string;
}

export function Empty({ icon, title, children, action, className }: EmptyProps) {
  return (
    <div className={cx('flex flex-1 flex-col items-center justify-center gap-2 px-4 py-10 text-center', className)}>
      {icon && <div className="mb-1 grid size-11 place-items-center rounded-full bg-brand-soft text-brand">{icon}</div>}
      {title && <p className="font-semibold">{title}</p>}
      {children && <div className="max-w-md text-muted">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}

interface ErrorProps {
  readonly error: unknown;
  /** Words before the message, as in "Error loading analytics: …". */
  readonly prefix?: string;
  readonly onRetry?: () => void;
  readonly className?: string;
}

export function ErrorBox({ error, prefix, onRetry, className }: ErrorProps) {
  return (
    <div
      role="alert"
      className={cx(
        'flex flex-wrap items-center gap-3 rounded-lg border border-bad/30 bg-bad-soft px-4 py-3 text-bad',
        className,
      )}
    >
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      <p className="min-w-0 flex-1 basis-48 break-words">{`${prefix ? `${prefix}: ` : ''}${messageOf(error)}`}</p>
      {onRetry && !isFinal(error) && (
        <Button size="sm" onClick={onRetry}>
          <RefreshCw aria-hidden className="size-3.5" />
          Try again
        </Button>
      )}
    </div>
  );
}
