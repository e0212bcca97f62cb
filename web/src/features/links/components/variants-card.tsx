import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Table, type Column } from '@/components/data/table';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import type { LinkSplit } from '@/lib/api/types';
import { formatCount, formatMinor, formatPercent } from '@/lib/format';
import { chooseWinner, linkSplitQuery } from '../api/split';
import { Shifting } from './shifting';
import { ShiftLog } from './shift-log';
import { formatEpc, variantName, verdictOf } from '../lib/split';

type Variant = LinkSplit['variants'][number];

const TONES: Record<LinkSplit['verdict'], Tone> = {
  winner: 'good',
  equal: 'brand',
  undecided: 'warn',
  collecting: 'neutral',
};

/** The variants of a link's split: what each earned per click, and which one is better. */
export function VariantsCard({ link }: { readonly link: string }) {
  const split = useQuery(linkSplitQuery(link));
  return (
    <section aria-label="Variants" className="min-w-0">
      <h3 className="mb-2 font-medium">Variants</h3>
      {split.error ? (
        <ErrorBox error={split.error} onRetry={() => void split.refetch()} />
      ) : !split.data ? (
        <Skeleton className="h-40" />
      ) : (
        <div className="flex flex-col gap-3">
          <Judgement split={split.data} />
          <Table
            caption="Results of each variant"
            columns={columnsOf(split.data, (variant) => (
              <End link={link} split={split.data} variant={variant} />
            ))}
            rows={split.data.variants}
            rowKey={(variant) => String(variant.number)}
          />
          <p className="text-[0.8125rem] text-muted">
            {`EPC with its interval counts clicks before ${split.data.judgedUntil} (UTC): later ones still earn. Sales belong to the day of their click.`}
          </p>
          <Shifting link={link} split={split.data} />
          {split.data.shifts.length > 0 && <ShiftLog link={link} split={split.data} />}
        </div>
      )}
    </section>
  );
}

function Judgement({ split }: { readonly split: LinkSplit }) {
  const { title, text } = verdictOf(split);
  const off = split.variants.filter((variant) => !variant.getsTraffic);
  return (
    <div className="rounded-lg bg-sunken px-3 py-2.5">
      <Badge tone={TONES[split.verdict]}>{title}</Badge>
      <p className="mt-1.5">{text}</p>
      {split.winner !== null && (
        <p className="mt-1.5">The test is over: all visitors go to the winner. Resume it to divide them again.</p>
      )}
      {off.map((variant) => (
        <p key={variant.number} className="mt-1.5 text-warn">
          {`${variantName(variant)} gets no traffic: ${variant.partnerName ?? 'its partner'} is inactive. Its share goes to the other variants.`}
        </p>
      ))}
    </div>
  );
}

/** Ends the test with this variant, or lets it go on. */
function End({
  link,
  split,
  variant,
}: {
  readonly link: string;
  readonly split: LinkSplit;
  readonly variant: Variant;
}) {
  const choose = useCommand(chooseWinner(link));
  const isChosen = split.winner === variant.number;
  if (split.winner !== null && !isChosen) return null;
  return (
    <Button
      size="sm"
      disabled={choose.isPending}
      aria-label={isChosen ? 'Resume test' : `End test with ${variantName(variant)} as the winner`}
      onClick={() => choose.mutate(isChosen ? null : variant.number)}
    >
      {isChosen ? 'Resume test' : 'End test'}
    </Button>
  );
}

const columnsOf = (split: LinkSplit, end: (variant: Variant) => ReactNode): readonly Column<Variant>[] => [
  {
    id: 'variant',
    header: 'Variant',
    cell: (variant) => (
      <span className="flex min-w-32 flex-col">
        <span className="font-medium">
          {variantName(variant)}
          {(split.winner ?? (split.verdict === 'winner' ? split.leader : null)) === variant.number && (
            <span className="ml-2">
              <Badge tone="good">Winner</Badge>
            </span>
          )}
        </span>
        <span className="max-w-56 truncate text-[0.8125rem] text-muted" title={variant.destination}>
          {`${formatPercent(variant.share, 0)} · ${variant.partnerName ?? variant.destination}`}
        </span>
      </span>
    ),
  },
  { id: 'clicks', header: 'Clicks', numeric: true, cell: (variant) => formatCount(variant.clicks) },
  { id: 'conversions', header: 'Conversions', numeric: true, cell: (variant) => formatCount(variant.conversions) },
  {
    id: 'revenue',
    header: 'Revenue',
    numeric: true,
    cell: (variant) => formatMinor({ amount: variant.revenue, currency: split.currency }),
  },
  {
    id: 'epc',
    header: 'EPC',
    numeric: true,
    cell: (variant) => (
      <span className="flex flex-col">
        <span>{formatEpc(variant.judgedEpc ?? variant.epc, split.currency)}</span>
        {variant.epcLow !== null && variant.epcHigh !== null && (
          <span className="text-[0.8125rem] text-muted">
            {`${formatEpc(variant.epcLow, split.currency)} – ${formatEpc(variant.epcHigh, split.currency)}`}
          </span>
        )}
      </span>
    ),
  },
  { id: 'actions', header: <span className="sr-only">End test</span>, cell: end },
];
