import { useQuery } from '@tanstack/react-query';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Boundary } from '@/components/data/boundary';
import { ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import type { Conversion, Explanation, Website } from '@/lib/api/types';
import { formatDateTime, formatDay } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { undoDecisions } from '../api/decisions';
import { Marks } from './marks';
import { StatusBadge } from './status-badge';
import { BulkDialog } from './bulk-dialog';
import { decideAdjustment, explanationQuery } from '../api/ledger';
import { allowed, isAutoApproved, isOpenClaim, isWithoutTxid, reverse } from '../api/conversions';
import { RejectSimilar } from './reject-similar';
import { useFinal, useScheduled } from '../hooks/use-scheduled';
import type { Decision } from '../api/decisions';
import { sumOf } from '../lib/sums';
import { ReverseDialog } from './reverse-dialog';

const MissingClickPart = lazy(() => import('./missing-click').then((module) => ({ default: module.MissingClickPart })));
const FieldSources = lazy(() => import('./field-sources').then((module) => ({ default: module.FieldSources })));
const UnreadValues = lazy(() => import('./unread-values').then((module) => ({ default: module.UnreadValues })));
const NO_CLICK = <p className="text-muted">No matching click found, so no commission is credited.</p>;

interface Props {
  readonly id: string;
  readonly website: Website;
  readonly onClose: () => void;
}

/** One conversion beside the list: how its commission was calculated, and what can be decided. */
const DERIVED = {
  own: '',
  inverse: ' (inverse rate)',
  cross: ' (cross rate against the euro)',
} as const;

export function ExplanationDrawer({ id, website, onClose }: Props) {
  const query = useQuery(explanationQuery(id));
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={query.data ? `Transaction ${query.data.conversion.txid}` : 'Conversion'}
      description="Commission breakdown"
    >
      {query.error && !query.data ? (
        <ErrorBox error={query.error} prefix="Error loading the conversion" onRetry={() => void query.refetch()} />
      ) : query.data ? (
        <Explained told={query.data} website={website} onDecided={() => void query.refetch()} />
      ) : (
        <Loading label="Loading the conversion" />
      )}
    </Dialog>
  );
}

function Explained({
  told,
  website,
  onDecided,
}: {
  readonly told: Explanation;
  readonly website: Website;
  readonly onDecided: () => void;
}) {
  const { conversion, rule, click, rate, working } = told;
  const at = (time: string) => formatDateTime(time, website.timezone);
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <p className="text-2xl font-semibold tabular">{formatMinor(conversion.commission)}</p>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-[0.8125rem] text-muted">
            <StatusBadge status={conversion.status} />
            <Marks row={conversion} />
            {conversion.partnerName ?? 'Unattributed'} · {conversion.kind} of {formatMinor(conversion.amount)}
          </p>
          <When conversion={conversion} at={at} />
        </div>
        <Decisions conversion={conversion} website={website} onDecided={onDecided} />
      </div>
      {conversion.adjustment && (
        <Proposal conversion={conversion} adjustment={conversion.adjustment} at={at} onDecided={onDecided} />
      )}
      <Reports told={told} at={at} />
      {told.sources.length > 0 && (
        <Part title="Source of each field">
          <Suspense fallback={<Skeleton className="h-24" />}>
            <FieldSources of={told} websiteId={website.id} at={at} />
          </Suspense>
        </Part>
      )}
      {told.unread.length > 0 && (
        <Part title="Unreadable values">
          <Suspense fallback={<Skeleton className="h-24" />}>
            <UnreadValues told={told} at={at} />
          </Suspense>
        </Part>
      )}
      {rule && working ? (
        <Part title="Calculation">
          <p className="rounded-lg bg-sunken px-3 py-2.5 font-mono text-[0.8125rem] break-words">{working.text}</p>
          <p className="mt-2 flex items-center gap-1.5 text-[0.8125rem] text-muted">
            {working.agrees ? (
              <CircleCheck aria-hidden className="size-4 text-good" />
            ) : (
              <TriangleAlert aria-hidden className="size-4 text-bad" />
            )}
            {working.agrees
              ? 'Recalculated just now: matches'
              : 'Recalculated just now: does not match the recorded amount'}
          </p>
          <Facts
            of={[
              ['Rule', rule.text],
              [
                'Terms',
                `${rule.terms.text}${rule.version && rule.effectiveAt ? ` (version ${rule.version}, since ${at(rule.effectiveAt)})` : ''}`,
              ],
              ['Tier', rule.tier],
              [
                'Rate',
                rate &&
                  `1 ${rate.of} = ${rate.rate} ${rate.to}${rate.on ? `, of ${rate.on}` : ''}${DERIVED[rate.derivation ?? 'own']}`,
              ],
              ['Rounding', 'Banker’s rounding, applied once'],
            ]}
          />
        </Part>
      ) : told.missingClick ? (
        <Boundary fallback={NO_CLICK}>
          <Suspense fallback={<Skeleton className="h-48" />}>
            <MissingClickPart
              missing={told.missingClick}
              conversion={conversion}
              website={website}
              at={at}
              onAssigned={onDecided}
            />
          </Suspense>
        </Boundary>
      ) : (
        NO_CLICK
      )}
      {told.assignment && (
        <Part title="Assignment">
          <p>
            Assigned by {told.assignment.by} on {at(told.assignment.at)}: {told.assignment.reason}
          </p>
        </Part>
      )}
      {click && (
        <Part title={click.by === 'coupon' ? 'Coupon' : click.clickId || click.by !== 'manual' ? 'Click' : 'Link'}>
          <Facts
            of={[
              ['When', at(click.at)],
              ['Matched by', click.by === 'manual' ? 'assignment' : click.by.replaceAll('_', ' ')],
              ['Link', click.link && `/go/${click.link}`],
              ['Where', click.country === 'ZZ' ? null : [click.country, click.device].filter(Boolean).join(', ')],
              ['Source', click.source],
              [
                'Sub-IDs',
                Object.entries(click.subs)
                  .map(([name, value]) => `${name}=${value}`)
                  .join(', '),
              ],
              ['Click ID', click.clickId],
              ['Ad click IDs', click.adClickIds?.map(adClickId).join(', ')],
              ['Log position', click.place && placeOf(click.place)],
              [
                'Deleted',
                click.keptFrom &&
                  `The click itself. Individual events are available from ${formatDay(click.keptFrom)}.`,
              ],
            ]}
          />
        </Part>
      )}
      <Part title="Event history">
        <ol className="divide-y divide-line border-y border-line">
          {told.events.map((event) => (
            <li key={event.version} className="flex items-start justify-between gap-4 py-2.5">
              <div className="min-w-0">
                <p className="font-medium">{event.text}</p>
                <p className="text-[0.8125rem] text-muted">
                  {at(event.at)}, {event.by === 'system' ? 'by the system' : `by ${event.by}`}
                </p>
                {event.reason && <p className="text-[0.8125rem] break-words text-muted">{event.reason}</p>}
                <p className="font-mono text-xs break-all text-muted">
                  {event.name} · {placeOf(event.place)}
                </p>
              </div>
              <Moved event={event} />
            </li>
          ))}
        </ol>
      </Part>
      <Chain messages={told.messages ?? []} at={at} />
    </div>
  );
}

type Click = NonNullable<Explanation['click']>;

interface ChainProps {
  readonly messages: NonNullable<Explanation['messages']>;
  readonly at: (time: string) => string;
}

/** For admins: the messages that the conversion is part of, with the ids that logs and traces have. */
function Chain({ messages, at }: ChainProps) {
  if (messages.length === 0) return null;
  return (
    <Part title="Message chain">
      <ol className="divide-y divide-line border-y border-line">
        {messages.map((message) => (
          <li key={message.id} className="py-2.5">
            <p className="font-medium">{message.name}</p>
            <p className="text-[0.8125rem] text-muted">
              {at(message.at)}, by {message.actor === 'system' ? 'the system' : 'an account'}
              {message.statement && `, in the statement of ${message.statement}`}
            </p>
            <Facts
              of={[
                ['Message', message.id],
                ['Command', message.commandId],
                ['Correlation', message.correlationId],
                ['Cause', message.causationId],
              ]}
            />
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** `Google Ads (gclid): Cj0…`, or that it is erased. */
const adClickId = ({ name, network, value }: NonNullable<Click['adClickIds']>[number]): string =>
  name ? `${network ? `${network} (${name})` : name}: ${value}` : value;

const placeOf = (place: { topic: string; partition: number; offset: number }): string =>
  `${place.topic}[${place.partition}] @ ${place.offset}`;

function When({
  conversion,
  at,
}: {
  readonly conversion: Explanation['conversion'];
  readonly at: (time: string) => string;
}) {
  if (conversion.payableAt)
    return <p className="mt-1 text-[0.8125rem] text-muted">Payable from {at(conversion.payableAt)}</p>;
  if (isOpenClaim(conversion))
    return (
      <p className="mt-1 text-[0.8125rem] text-muted">Never auto-approved: only the public site key reported it.</p>
    );
  if (isWithoutTxid(conversion))
    return (
      <p className="mt-1 text-[0.8125rem] text-muted">
        Never auto-approved: the report had no transaction ID, so it may repeat another sale.
      </p>
    );
  if (isAutoApproved(conversion))
    return <p className="mt-1 text-[0.8125rem] text-muted">Auto-approves on {at(conversion.approvesAt)}</p>;
  return null;
}

interface ProposalProps {
  readonly conversion: Conversion;
  readonly adjustment: NonNullable<Conversion['adjustment']>;
  readonly at: (time: string) => string;
  readonly onDecided: () => void;
}

/** A click that arrived after the approval: nothing changes without a decision. */
function Proposal({ conversion, adjustment, at, onDecided }: ProposalProps) {
  const decision = useCommand(decideAdjustment(conversion), { onSuccess: onDecided, onError: onDecided });
  return (
    <Part title="Proposed adjustment">
      <p>
        {adjustment.clickedAt
          ? `A click of ${at(adjustment.clickedAt)} arrived after the approval. It would have earned this conversion${adjustment.commission ? `, with a commission of ${formatMinor(adjustment.commission)}` : ''}.`
          : 'The click that earned this conversion no longer counts.'}
      </p>
      <div className="mt-3 flex gap-2">
        <Button size="sm" variant="primary" busy={decision.isPending} onClick={() => decision.mutate('accept')}>
          Accept
        </Button>
        <Button size="sm" disabled={decision.isPending} onClick={() => decision.mutate('dismiss')}>
          Dismiss
        </Button>
      </div>
    </Part>
  );
}

const KEYS: Readonly<Record<string, string>> = {
  site: 'site key',
  secret: 'secret key',
  postback: 'postback token',
  import: 'import',
};

function Reports({ told, at }: { readonly told: Explanation; readonly at: (time: string) => string }) {
  const disagree = told.reports.some((report) => report.stands === false);
  return (
    <Part title={disagree ? 'Conflicting reports' : told.reports.length > 1 ? 'Reports' : 'Report'}>
      <ul className="flex flex-col gap-1.5">
        {told.reports.map((report, index) => (
          <li key={index} className="flex flex-wrap items-center gap-2">
            <span className="font-medium tabular">
              {report.amount ? formatMinor(report.amount) : (statusOf(report) ?? 'No amount')}
            </span>
            <span className="text-[0.8125rem] text-muted">
              by {report.reportedBy}
              {report.keyKind && ` (${KEYS[report.keyKind] ?? report.keyKind})`}, {at(report.at)}
            </span>
            {report.place && <span className="font-mono text-xs text-muted">{placeOf(report.place)}</span>}
            {disagree && report.stands === true && <Badge tone="good">Used</Badge>}
            {disagree && report.stands === false && <Badge tone="warn">Not used</Badge>}
            <Brought report={report} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

type ReportBehind = Explanation['reports'][number];

const statusOf = (report: ReportBehind): string | null =>
  report.status ? `Status ${report.status.replaceAll('_', ' ')}` : null;

/** What a report names besides its amount. */
function Brought({ report }: { readonly report: ReportBehind }) {
  const named = [
    report.amount && statusOf(report),
    report.payout && `Payout ${formatMinor(report.payout)}`,
    report.clickId && `Click ID ${report.clickId}`,
    report.coupon && `Coupon ${report.coupon}`,
    report.namesCustomer && 'Customer',
    report.unread.length > 0 && `Unreadable: ${report.unread.join(', ').replaceAll('_', ' ')}`,
  ].filter(Boolean);
  return named.length > 0 && <span className="w-full text-[0.8125rem] break-all text-muted">{named.join(' · ')}</span>;
}

function Moved({ event }: { readonly event: Explanation['events'][number] }) {
  const moves = [
    { label: 'pending', money: event.pending },
    { label: 'earned', money: event.earned },
  ].filter(({ money }) => money);
  return (
    <div className="shrink-0 text-right text-[0.8125rem] tabular">
      {moves.map(
        ({ label, money }) =>
          money && (
            <p key={label}>
              {money.amount > 0 ? '+' : '−'}
              {formatMinor({ ...money, amount: Math.abs(money.amount) })} <span className="text-muted">{label}</span>
            </p>
          ),
      )}
    </div>
  );
}

function Decisions({
  conversion,
  website,
  onDecided,
}: {
  readonly conversion: Explanation['conversion'];
  readonly website: Website;
  readonly onDecided: () => void;
}) {
  const scheduled = useScheduled(website.id, onDecided);
  const undo = useCommand(undoDecisions);
  const reversal = useCommand(reverse);
  const [asked, setAsked] = useState<'approve' | 'reject' | 'reverse' | 'similar' | null>(null);
  useFinal([conversion]);
  const names = { approve: 'Approve', reject: 'Reject', reverse: 'Reverse' } as const;
  const close = () => setAsked(null);
  const decide = (decision: Decision) => scheduled.mutate({ decision, which: { ids: [conversion.id] } });
  const { decision } = conversion;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {allowed(conversion).map((kind) => (
        <Button
          key={kind}
          size="sm"
          busy={scheduled.isPending || reversal.isPending}
          {...(kind === 'approve' && conversion.partnerId ? { variant: 'primary' as const } : {})}
          onClick={() =>
            kind === 'approve' && conversion.partnerId
              ? decide({ kind, reason: '', unattributed: false })
              : setAsked(kind)
          }
        >
          {names[kind]}
        </Button>
      ))}
      {decision && (
        <>
          <span className="text-muted">
            {decision.decision === 'approve' ? 'Approving' : 'Rejecting'}, final in a few seconds
          </span>
          <Button size="sm" busy={undo.isPending} onClick={() => undo.mutate([decision.id])}>
            Undo
          </Button>
        </>
      )}
      {isOpenClaim(conversion) && !decision && (
        <Button size="sm" onClick={() => setAsked('similar')}>
          Reject similar…
        </Button>
      )}
      {asked === 'similar' && (
        <RejectSimilar claim={conversion} website={website} onClose={close} onRejected={onDecided} />
      )}
      {(asked === 'approve' || asked === 'reject') && (
        <BulkDialog kind={asked} sum={sumOf([conversion])} onClose={close} onDecide={decide} />
      )}
      {asked === 'reverse' && (
        <ReverseDialog
          conversion={conversion}
          onClose={close}
          onReverse={(reason, amount) => reversal.mutate({ conversion, reason, amount }, { onSettled: onDecided })}
        />
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function Facts({ of }: { readonly of: readonly (readonly [string, string | null | undefined])[] }) {
  return (
    <dl className="mt-3 grid grid-cols-[6rem_1fr] gap-x-4 gap-y-1.5">
      {of.map(([name, value]) =>
        value ? (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
