// What the public pages are built of.
import { Link } from '@tanstack/react-router';
import { ArrowRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';

export interface Point {
  readonly Icon: LucideIcon;
  readonly title: string;
  readonly text: string;
  /** A word beside the picture. */
  readonly note?: string;
}

/** The head of a public page: what it is, in one large line. */
export function Hero({
  eyebrow,
  title,
  text,
  children,
}: {
  readonly eyebrow?: string;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}) {
  return (
    <section className="relative overflow-hidden border-b border-line">
      <Glow />
      <div className="relative mx-auto max-w-4xl px-4 py-14 text-center sm:px-6 sm:py-20">
        {eyebrow && <p className="mb-3 text-[0.8125rem] font-semibold tracking-wide text-brand uppercase">{eyebrow}</p>}
        <h1 className="text-4xl font-semibold tracking-tight sm:text-5xl">{title}</h1>
        <p className="mx-auto mt-4 max-w-2xl text-lg text-muted text-balance">{text}</p>
        {children && <div className="mt-7 flex flex-wrap items-center justify-center gap-3">{children}</div>}
      </div>
    </section>
  );
}

/** Northern lights, faintly. */
export function Glow() {
  return <div aria-hidden className="aurora pointer-events-none absolute inset-0" />;
}

export function Section({
  id,
  title,
  text,
  wide = true,
  tinted = false,
  children,
}: {
  readonly id?: string;
  readonly title: string;
  readonly text?: string;
  readonly wide?: boolean;
  readonly tinted?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section
      id={id}
      aria-label={title}
      className={cx('scroll-mt-14', tinted && 'border-y border-line bg-sunken/50 last:-mb-16 last:border-b-0')}
    >
      <div className={cx('mx-auto px-4 py-14 sm:px-6 sm:py-16', wide ? 'max-w-6xl' : 'max-w-3xl')}>
        <div className="mb-8 max-w-2xl">
          <h2 className="text-2xl font-semibold sm:text-3xl">{title}</h2>
          {text && <p className="mt-2 text-base text-muted">{text}</p>}
        </div>
        {children}
      </div>
    </section>
  );
}

export function IconTile({ Icon }: { readonly Icon: LucideIcon }) {
  return (
    <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-brand-soft text-brand">
      <Icon aria-hidden className="size-5" />
    </span>
  );
}

export function PointCard({ Icon, title, text, note, children }: Point & { readonly children?: ReactNode }) {
  return (
    <li className={cx(surface, 'flex flex-col p-6')}>
      <div className="flex items-start justify-between gap-2">
        <IconTile Icon={Icon} />
        {note && <Badge>{note}</Badge>}
      </div>
      <h3 className="mt-4 text-base font-semibold">{title}</h3>
      <p className="mt-1 flex-1 text-muted">{text}</p>
      {children && <div className="mt-4">{children}</div>}
    </li>
  );
}

/** A link with an arrow, as at the foot of a card. */
export function More({
  to,
  hash,
  children,
}: {
  readonly to: string;
  readonly hash?: string;
  readonly children: ReactNode;
}) {
  return (
    <Link
      to={to}
      {...(hash ? { hash } : {})}
      className="inline-flex items-center gap-1 font-medium text-brand underline-offset-2 hover:underline"
    >
      {children}
      <ArrowRight aria-hidden className="size-4" />
    </Link>
  );
}

export function Check({ children }: { readonly children: ReactNode }) {
  return (
    <li className="flex gap-2.5">
      <svg aria-hidden viewBox="0 0 16 16" className="mt-1 size-4 shrink-0 text-good">
        <path
          d="m3 8.5 3.2 3.2L13 5"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span>{children}</span>
    </li>
  );
}
