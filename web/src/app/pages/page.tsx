import type { ReactNode } from 'react';
import { TitleAround } from '@/components/ui/title-around';
import { cx } from '@/lib/cx';

interface Props {
  readonly title: string;
  readonly subtitle?: string;
  readonly tools?: ReactNode;
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** Tools that come late have their place: `tools` is given, but undefined. Null: there are none. */
export function Page({ title, subtitle, narrow = false, children, ...late }: Props) {
  const { tools } = late;
  return (
    <div className={cx('mx-auto w-full px-4 py-6 sm:px-6 sm:py-8', narrow ? 'max-w-3xl' : 'max-w-7xl')}>
      <div className="mb-5 flex flex-col gap-4 sm:items-start xl:flex-row xl:items-end xl:justify-between">
        <div className="min-w-0 max-w-full">
          <h1 className="text-2xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
          {subtitle && <p className="mt-0.5 text-muted [overflow-wrap:anywhere]">{subtitle}</p>}
        </div>
        {tools ? (
          <div className="max-w-full shrink-0 xl:max-w-2/3">{tools}</div>
        ) : (
          tools === undefined && 'tools' in late && <div aria-hidden className="h-9 max-sm:h-10" />
        )}
      </div>
      <TitleAround value={title}>{children}</TitleAround>
    </div>
  );
}
