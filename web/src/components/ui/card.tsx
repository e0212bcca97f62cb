import { useContext, useId, type ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { TitleAround } from './title-around';

interface Props {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A named region of a page. A title that stands above it already is there for screen readers only. */
export function Card({ title, description, actions, className, children }: Props) {
  const id = useId();
  const around = useContext(TitleAround);
  return (
    <section aria-labelledby={id} className={cx(surface, 'flex min-w-0 flex-col p-4 sm:p-5', className)}>
      <header className="mb-4 flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-44">
          <h2 id={id} className={cx('text-[0.9375rem] font-semibold', title === around && 'sr-only')}>
            {title}
          </h2>
          {description && <p className="mt-0.5 text-[0.8125rem] text-muted">{description}</p>}
        </div>
        {actions && <div className="flex max-w-full min-w-0 flex-wrap items-center gap-1.5">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export const surface = 'rounded-xl border border-line bg-surface shadow-card';
