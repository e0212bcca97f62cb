import { Link } from '@tanstack/react-router';
import { UnattributedHint } from '@/features/conversions/components/unattributed-hint';
import type { Filters } from '@/features/conversions/lib/search';
import type { Website } from '@/lib/api/types';

interface Props {
  readonly website: Website;
  readonly period: Pick<Filters, 'range' | 'from' | 'to'>;
}

/** The hint beside the numbers, which leads to the conversions that they leave out. */
export function Unattributed({ website, period }: Props) {
  // A range of hours is that of its days: conversions are listed by day.
  const days = { ...period, from: period.from?.slice(0, 10) ?? null, to: period.to?.slice(0, 10) ?? null };
  return (
    <UnattributedHint
      website={website}
      period={days}
      link={({ range, from, to }, text) => (
        <Link
          to="/conversions"
          search={{
            website: website.id,
            attributed: 'no',
            ...(range ? { range } : {}),
            ...(from ? { from } : {}),
            ...(to ? { to } : {}),
          }}
          className="font-medium text-warn underline decoration-dotted underline-offset-4 hover:decoration-solid"
        >
          {text}
        </Link>
      )}
    />
  );
}
