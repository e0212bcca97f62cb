import { Link } from '@tanstack/react-router';
import { Activity, BadgeCheck, Link2, ShieldCheck } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { PRODUCTS, SECURITY_CLAIMS } from '../lib/claims';
import { FEATURES } from '../lib/features';
import type { Figure } from '../lib/figures';
import { Glow, IconTile, More, PointCard, Section, type Point } from './parts';
import { ProductPicture } from './picture';

interface Props {
  /** Banner with the number of free places, and the signup form. */
  readonly earlyAccess: ReactNode;
  readonly newsletter: ReactNode;
  readonly earlyAdopter: ReactNode;
  readonly share: ReactNode;
  readonly figures: readonly Figure[];
  /** Whether there is a page at this path. */
  readonly has: (path: string) => boolean;
}

const PROMISES: readonly Point[] = [
  {
    Icon: Activity,
    title: 'Live within a second',
    text: 'Page views, clicks and conversions appear on your dashboard as they happen.',
  },
  {
    Icon: BadgeCheck,
    title: 'Counted once',
    text: 'The same event sent twice counts once, and the same sale reported twice never pays twice.',
  },
  {
    Icon: Link2,
    title: 'From click to commission',
    text: 'Tracked links carry a signed click id. A postback finds its click, and you approve, reject or reverse it.',
  },
  {
    Icon: ShieldCheck,
    title: 'Yours, and private',
    text: 'It runs on your own machine. No IP address or raw user agent is stored.',
  },
];

export function Home({ earlyAccess, newsletter, earlyAdopter, share, figures, has }: Props) {
  return (
    <>
      <section className="relative overflow-hidden border-b border-line">
        <Glow />
        <div className="relative mx-auto grid max-w-6xl items-center gap-10 px-4 py-12 sm:px-6 sm:py-16 lg:grid-cols-[1.1fr_1fr]">
          <div>
            <h1 className="text-4xl font-semibold tracking-tight sm:text-[3.25rem] sm:leading-[1.1]">
              Finding the perfect <Changing /> for affiliate marketing
            </h1>
            <p className="mt-5 max-w-xl text-lg text-muted">
              Across all industries, with Iceland-based secure infrastructure. See which links, partners and countries
              earn your money, live, and trust every number.
            </p>
            <div className="mt-6 max-w-xl">{earlyAccess}</div>
            <div className="mt-5 flex flex-wrap gap-3">
              <Link to="/login" className={buttonClass({ size: 'lg' })}>
                Sign In to Platform
              </Link>
            </div>
          </div>
          <ProductPicture />
        </div>
      </section>
      <Section id="features" title="Everything an affiliate business needs" text="Eight tools, one source of truth.">
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {FEATURES.map((feature) => {
            const target =
              has(feature.to) || !feature.otherwise ? { to: feature.to, says: feature.says } : feature.otherwise;
            return (
              <PointCard key={feature.title} {...feature}>
                <More {...target}>{target.says}</More>
              </PointCard>
            );
          })}
        </ul>
      </Section>
      <section aria-label="Statistics" className="border-y border-line bg-sunken/50">
        <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6">
          <div id="figures" className="flex flex-col gap-10 pb-8 empty:hidden">
            <Figures figures={figures.filter((item) => item.of === 'business')} />
            <Figures figures={figures.filter((item) => item.of === 'security')} small />
          </div>
          <ul aria-label="Security" className="flex flex-wrap justify-center gap-2">
            {SECURITY_CLAIMS.map((text) => (
              <li key={text}>
                <Badge tone="good">{text}</Badge>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <Section title="Numbers you can check" text="Every number links to the events behind it.">
        <ul className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
          {PROMISES.map(({ Icon, title, text }) => (
            <li key={title} className="flex gap-4">
              <IconTile Icon={Icon} />
              <div>
                <h3 className="text-base font-semibold">{title}</h3>
                <p className="mt-1 text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <section aria-label="Stay in touch" className="border-y border-line bg-sunken/50">
        <div className="mx-auto grid max-w-6xl gap-5 px-4 py-14 sm:px-6 lg:grid-cols-2">
          <div className={cx(surface, 'p-6')}>{newsletter}</div>
          <div id="early-access" className={cx(surface, 'scroll-mt-20 p-6')}>
            {earlyAdopter}
          </div>
        </div>
      </section>
      <section aria-label="Share" className="mx-auto max-w-3xl px-4 py-12 text-center sm:px-6">
        {share}
      </section>
    </>
  );
}

function Figures({ figures, small = false }: { readonly figures: readonly Figure[]; readonly small?: boolean }) {
  if (figures.length === 0) return null;
  return (
    <dl className="mx-auto flex w-full max-w-4xl flex-wrap justify-center gap-x-4 gap-y-8">
      {figures.map(({ name, label, value }) => (
        <div
          key={name}
          data-figure={name}
          className={cx('flex flex-col-reverse justify-end text-center', small ? 'w-[30%]' : 'w-[45%] lg:w-[22%]')}
        >
          <dt className="mt-1 text-muted">{label}</dt>
          <dd className={cx('tabular font-semibold tracking-tight', small ? 'text-2xl' : 'text-4xl')}>
            {value ?? '\u00a0'}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const EACH_MS = 2600;

/** Rotating "{product}" of the tagline; all are in the same grid cell, so that the layout does not shift. */
function Changing() {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => {
      if (!document.hidden) setShown((index) => (index + 1) % PRODUCTS.length);
    }, EACH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <span className="sr-only">{PRODUCTS[0]}</span>
      <span aria-hidden className="grid text-brand">
        {PRODUCTS.map((name, index) => (
          <span
            key={name}
            className={cx('col-start-1 row-start-1 transition-opacity duration-500', index !== shown && 'opacity-0')}
          >
            {name}
          </span>
        ))}
      </span>
    </>
  );
}
