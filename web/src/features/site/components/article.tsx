// One article of the blog, the Help Center or the legal pages, and the lists that lead to it.
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight, Rss } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { partsOf, Prose } from '@/components/prose';
import { Badge } from '@/components/ui/badge';
import { surface } from '@/components/ui/card';
import { SearchField } from '@/components/ui/search-field';
import type { Article, Card } from '@/lib/content';
import { cx } from '@/lib/cx';
import { countOf } from '@/lib/format';
import { Hero } from './parts';

const DAY = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });
export const dayOf = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`));

const CONTENTS_FROM = 3;

interface PageProps {
  readonly article: Article;
  readonly back: { readonly to: string; readonly says: string };
  /** Of the same kind, in reading order. */
  readonly previous?: Card | undefined;
  readonly next?: Card | undefined;
  readonly share?: ReactNode;
}

export function ArticlePage({ article: { card, title, blocks }, back, previous, next, share }: PageProps) {
  const parts = partsOf(blocks);
  return (
    <div className="mx-auto grid max-w-6xl gap-10 px-4 py-8 sm:px-6 sm:py-12 lg:grid-cols-[minmax(0,1fr)_14rem]">
      <article className="min-w-0">
        <Link to={back.to} className="inline-flex items-center gap-1.5 text-muted hover:text-text">
          <ArrowLeft aria-hidden className="size-4" />
          {back.says}
        </Link>
        <h1 className="mt-4 text-3xl font-semibold tracking-tight sm:text-4xl">{title}</h1>
        <p className="mt-3 text-lg text-muted">{card.description}</p>
        <p className="mt-3 text-muted">
          {card.kind === 'blog' ? '' : 'Last reviewed '}
          <time dateTime={card.date}>{dayOf(card.date)}</time> · {card.minutes} min read
        </p>
        <Prose blocks={blocks} className="mt-8 max-w-3xl" />
        {share && <div className="mt-10 border-t border-line pt-5">{share}</div>}
        {(previous || next) && (
          <nav aria-label="More articles" className="mt-8 grid gap-4 sm:grid-cols-2">
            {previous ? <Neighbour card={previous} back /> : <span />}
            {next && <Neighbour card={next} />}
          </nav>
        )}
      </article>
      {parts.length >= CONTENTS_FROM && (
        <nav aria-label="On this page" className="hidden lg:block">
          <div className="sticky top-20">
            <p className="font-semibold">On this page</p>
            <ul className="mt-2 flex flex-col gap-1.5 border-l border-line">
              {parts.map(({ id, title: part }) => (
                <li key={id}>
                  <a
                    href={`#${id}`}
                    className="-ml-px block border-l border-transparent pl-3 text-muted hover:border-brand hover:text-text"
                  >
                    {part}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        </nav>
      )}
    </div>
  );
}

function Neighbour({ card, back = false }: { readonly card: Card; readonly back?: boolean }) {
  return (
    <Link to={pathOf(card)} className={cx(surface, 'block p-4 hover:border-line-strong', !back && 'sm:text-right')}>
      <span className={cx('flex items-center gap-1 text-[0.8125rem] text-muted', !back && 'sm:justify-end')}>
        {back && <ArrowLeft aria-hidden className="size-3.5" />}
        {back ? 'Previous' : 'Next'}
        {!back && <ArrowRight aria-hidden className="size-3.5" />}
      </span>
      <span className="mt-1 block font-medium">{card.title}</span>
    </Link>
  );
}

/** Legal pages are at the top level. */
export const pathOf = (card: Card): string => (card.kind === 'legal' ? `/${card.slug}` : `/${card.kind}/${card.slug}`);

export function BlogPage({ cards }: { readonly cards: readonly Card[] }) {
  return (
    <>
      <Hero
        eyebrow="Blog"
        title="How affiliate money is counted"
        text="Written by the people who build the tracking: what goes wrong between a click and a commission, and how to spot it."
      >
        <a
          href="/blog.xml"
          className="inline-flex items-center gap-1.5 font-medium text-brand underline-offset-2 hover:underline"
        >
          <Rss aria-hidden className="size-4" />
          Subscribe by RSS
        </a>
      </Hero>
      <ul className="mx-auto grid max-w-6xl gap-5 px-4 py-12 sm:px-6 md:grid-cols-2 lg:grid-cols-3">
        {cards.map((card) => (
          <li key={card.slug} className={cx(surface, 'group relative flex flex-col overflow-hidden')}>
            <Cover seed={card.slug} />
            <div className="flex flex-1 flex-col p-5">
              <h2 className="text-lg font-semibold">
                <Link to={pathOf(card)} className="after:absolute after:inset-0 group-hover:underline">
                  {card.title}
                </Link>
              </h2>
              <p className="mt-1.5 flex-1 text-muted">{card.description}</p>
              <p className="mt-4 text-[0.8125rem] text-muted">
                <time dateTime={card.date}>{dayOf(card.date)}</time> · {card.minutes} min read
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A line of mountains, another one for each article. */
function Cover({ seed }: { readonly seed: string }) {
  const id = useId();
  const number = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const peaks = (salt: number, low: number, high: number) =>
    Array.from(
      { length: 7 },
      (_, index) =>
        `${index * 60},${(low + (Math.sin(number * salt + index * (1.9 + salt)) + 1) * 0.5 * (high - low)).toFixed(0)}`,
    ).join(' ');
  const colour = `var(--c-chart-${(number % 5) + 1})`;
  return (
    <svg aria-hidden viewBox="0 0 360 120" preserveAspectRatio="none" className="h-28 w-full">
      <defs>
        <linearGradient id={id} x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stopColor={colour} stopOpacity="0.35" />
          <stop offset="1" stopColor="var(--c-brand)" stopOpacity="0.12" />
        </linearGradient>
      </defs>
      <rect width="360" height="120" fill={`url(#${id})`} />
      <polygon points={`0,120 ${peaks(0.7, 30, 84)} 360,120`} fill={colour} opacity="0.28" />
      <polygon points={`0,120 ${peaks(1.3, 58, 106)} 360,120`} fill={colour} opacity="0.45" />
    </svg>
  );
}

export function HelpPage({ cards }: { readonly cards: readonly Card[] }) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = cards.filter((card) =>
    words.every((word) => `${card.title} ${card.description} ${card.section ?? ''}`.toLowerCase().includes(word)),
  );
  const sections = [...new Set(found.map((card) => card.section ?? 'More'))];
  return (
    <>
      <Hero
        eyebrow="Help Center"
        title="How can we help?"
        text="Guides to every feature, each checked against the software."
      >
        <div className="w-full max-w-md [&_input]:h-11 [&_input]:w-full [&_input]:text-base">
          <SearchField label="Search the guides" value={search} onChange={setSearch} />
        </div>
      </Hero>
      <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6">
        <p role="status" className="sr-only">
          {words.length > 0 ? `${countOf(found.length, 'guide')} found` : ''}
        </p>
        {found.length === 0 && (
          <p className="text-center text-base text-muted">
            No guides match your search.{' '}
            <Link to="/contact" className="text-brand underline">
              Write to us
            </Link>
            : we reply within 24 hours.
          </p>
        )}
        <div className="flex flex-col gap-10">
          {sections.map((section) => (
            <section key={section} aria-label={section}>
              <h2 className="mb-4 text-xl font-semibold">{section}</h2>
              <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
                {found
                  .filter((card) => (card.section ?? 'More') === section)
                  .map((card) => (
                    <li key={card.slug} className={cx(surface, 'relative p-5 hover:border-line-strong')}>
                      <h3 className="text-base font-semibold">
                        <Link to={pathOf(card)} className="after:absolute after:inset-0">
                          {card.title}
                        </Link>
                      </h3>
                      <p className="mt-1 text-muted">{card.description}</p>
                      <p className="mt-3">
                        <Badge>{card.minutes} min</Badge>
                      </p>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </>
  );
}
