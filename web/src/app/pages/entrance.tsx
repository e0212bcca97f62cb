import type { ReactNode } from 'react';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';

interface Props {
  readonly title: string;
  readonly subtitle: string;
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

/** The narrow layout of sign-in, registration and email-link pages. */
export function Entrance({ title, subtitle, below, children }: Props) {
  return (
    <div className="mx-auto w-full max-w-md px-4 py-12 sm:py-20">
      <h1 className="mb-1 text-center text-2xl font-semibold">{title}</h1>
      <p className="mb-7 text-center text-muted">{subtitle}</p>
      <div className={cx(surface, 'p-5 sm:p-6')}>{children}</div>
      {below && <div className="mt-5 text-center">{below}</div>}
    </div>
  );
}
