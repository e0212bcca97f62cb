import { Link } from '@tanstack/react-router';
import { ImageOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { surface } from '@/components/ui/card';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/lib/cx';
import { ListingBadge, VerificationBadge } from './badges';
import { formatPrice, formatTraffic, formatYears, NICHE_LABELS } from '../lib/format';
import type { Listing } from '../lib/types';

interface Props {
  readonly listing: Listing;
  /** A state, or what may be done with it. */
  readonly footer?: ReactNode;
}

/** A website for sale, leading to its page. */
export function ListingCard({ listing, footer }: Props) {
  return (
    <article
      className={cx(
        surface,
        'relative flex min-w-0 flex-col overflow-hidden transition-colors focus-within:border-brand hover:border-line-strong',
      )}
    >
      <Picture url={listing.image} className="aspect-[16/9] w-full border-b border-line" />
      <div className="flex flex-1 flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center gap-1.5">
          {listing.niche && <Badge tone="brand">{NICHE_LABELS[listing.niche]}</Badge>}
          <VerificationBadge status={listing.verificationStatus} />
          {listing.status === 'under_offer' && <ListingBadge status={listing.status} />}
        </div>
        <h2 className="text-base font-semibold break-words">
          <Link
            to="/marketplace/listing/$id"
            params={{ id: listing.id }}
            className="line-clamp-2 after:absolute after:inset-0 focus-visible:outline-none"
          >
            {listing.title || 'Untitled'}
          </Link>
        </h2>
        <p className="text-xl font-semibold tabular">
          <span className="sr-only">Price: </span>
          {formatPrice(listing.askingPrice)}
        </p>
        <Figures listing={listing} />
        {footer && <div className="relative mt-auto flex flex-wrap items-center gap-2 pt-1">{footer}</div>}
      </div>
    </article>
  );
}

function Figures({ listing }: { readonly listing: Listing }) {
  const items = [
    ['Revenue', monthly(listing.monthlyRevenue)],
    ['Profit', monthly(listing.monthlyProfit)],
    ['Traffic', listing.monthlyTraffic === null ? formatTraffic(null) : `${formatTraffic(listing.monthlyTraffic)}/mo`],
    ['Established', formatYears(listing.yearsEstablished)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-x-3 gap-y-2 text-[0.8125rem]">
      {items.map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-muted">{name}</dt>
          <dd className="font-medium tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const monthly = (dollars: number | null): string =>
  dollars === null ? formatPrice(null) : `${formatPrice(dollars)}/mo`;

/** Hidden from screen readers: the title next to it is read. */
export function Picture({ url, className }: { readonly url: string | null | undefined; readonly className?: string }) {
  return url ? (
    <img src={url} alt="" loading="lazy" decoding="async" className={cx('bg-sunken object-cover', className)} />
  ) : (
    <div aria-hidden className={cx('grid place-items-center bg-sunken text-muted', className)}>
      <ImageOff className="size-6" />
    </div>
  );
}
