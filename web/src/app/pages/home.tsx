import { Link } from '@tanstack/react-router';
import { Activity, BadgeCheck, Link2, ShieldCheck, type LucideIcon } from 'lucide-react';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { PRODUCT } from '../product';

const POINTS: readonly { readonly Icon: LucideIcon; readonly title: string; readonly text: string }[] = [
  { Icon: Activity, title: 'Live within a second', text: 'Page views, clicks and conversions travel through a log to your dashboard and show as they happen.' },
  { Icon: BadgeCheck, title: 'Counted once', text: 'The same event sent twice counts once, and the same sale reported twice never pays twice.' },
  { Icon: Link2, title: 'From click to commission', text: 'Tracked links carry a signed click id. A postback finds its click, and you approve, reject or reverse it.' },
  { Icon: ShieldCheck, title: 'Yours, and private', text: 'It runs on your own machine. No IP address and no raw user agent is kept.' },
];

export function Home() {
  return (
    <>
      <section className="mx-auto flex max-w-4xl flex-col items-center px-4 pt-16 pb-12 text-center sm:px-6 sm:pt-24">
        <h1 className="text-4xl font-semibold tracking-tight sm:text-6xl">{PRODUCT}</h1>
        <p className="mt-5 max-w-2xl text-lg text-muted text-balance sm:text-xl">
          Exact, live analytics for affiliate marketers. See which links, partners and countries earn your money, and trust every number.
        </p>
        <Link to="/login" className={buttonClass({ variant: 'primary', size: 'lg' }, 'mt-8')}>
          Sign In to Platform
        </Link>
      </section>
      <section aria-label="What it does" className="mx-auto max-w-5xl px-4 pb-8 sm:px-6">
        <ul className="grid gap-4 sm:grid-cols-2">
          {POINTS.map(({ Icon, title, text }) => (
            <li key={title} className={cx(surface, 'p-6')}>
              <span className="grid size-10 place-items-center rounded-lg bg-brand-soft text-brand">
                <Icon aria-hidden className="size-5" />
              </span>
              <h2 className="mt-4 text-base font-semibold">{title}</h2>
              <p className="mt-1 text-muted">{text}</p>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
