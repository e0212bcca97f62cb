import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { EscrowBadge } from './badges';
import { CloseDialog, DecideDialog, HideDialog } from './dialogs';
import { PagedTable } from '@/components/data/paged-table';
import { disputesQuery, escrowCallsQuery, flaggedQuery, keepQuestion, retryEscrowCall } from '../api/moderation';
import { formatSum } from '../lib/format';
import type { Dispute, EscrowCall, FlaggedQuestion } from '../lib/types';

/** Deals on which the two sides do not agree. */
export function Disputes() {
  const disputes = useCursorQuery(disputesQuery);
  const [deciding, setDeciding] = useState<Dispute | null>(null);
  return (
    <>
      <PagedTable
        caption="Disputes"
        query={disputes}
        rowKey={(row: Dispute) => row.offerId}
        none="No disputes."
        columns={[
          {
            id: 'deal',
            header: 'Deal',
            className: 'min-w-44 [overflow-wrap:anywhere]',
            cell: (row) => (
              <Link
                to="/marketplace/deals/$offerId"
                params={{ offerId: row.offerId }}
                className="font-medium text-brand underline"
              >
                {`${row.buyerName} and ${row.sellerName}`}
              </Link>
            ),
          },
          { id: 'price', header: 'Price', cell: (row) => formatSum(row.price), numeric: true },
          { id: 'by', header: 'Opened by', cell: (row) => (row.disputedBy === 'buyer' ? 'The buyer' : 'The seller') },
          {
            id: 'at',
            header: 'Since',
            cell: (row) => formatZoned(row.disputedAt, browserTimezone()),
            className: 'whitespace-nowrap tabular',
          },
          { id: 'state', header: 'Status', cell: (row) => <EscrowBadge status={row.status} isDirect={row.isDirect} /> },
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) =>
              row.status === 'disputed' && (
                <Button
                  size="sm"
                  aria-label={`Decide between ${row.buyerName} and ${row.sellerName}`}
                  onClick={() => setDeciding(row)}
                >
                  Decide
                </Button>
              ),
          },
        ]}
      />
      {deciding &&
        (deciding.isDirect ? (
          <CloseDialog {...deciding} onClose={() => setDeciding(null)} />
        ) : (
          <DecideDialog {...deciding} onClose={() => setDeciding(null)} />
        ))}
    </>
  );
}

/** Questions that members reported: enough of them hid it, an administrator decides. */
export function FlaggedQuestions() {
  const flagged = useCursorQuery(flaggedQuery);
  const [hiding, setHiding] = useState<FlaggedQuestion | null>(null);
  const keep = useCommand(keepQuestion);
  return (
    <>
      <PagedTable
        caption="Reported questions"
        query={flagged}
        rowKey={(row: FlaggedQuestion) => row.id}
        none="No reported questions."
        columns={[
          {
            id: 'text',
            header: 'Question',
            className: 'min-w-56 [overflow-wrap:anywhere]',
            cell: (row) => (
              <>
                <Link to="/marketplace/listing/$id" params={{ id: row.listingId }} className="text-brand underline">
                  {row.authorName}
                </Link>
                <span className="block whitespace-pre-wrap">{row.text}</span>
                {row.answer !== null && <span className="mt-1 block whitespace-pre-wrap text-muted">{row.answer}</span>}
              </>
            ),
          },
          { id: 'flags', header: 'Reports', cell: (row) => row.flags ?? 0, numeric: true },
          {
            id: 'state',
            header: 'Status',
            cell: (row) => (row.isHidden ? <Badge tone="warn">Hidden</Badge> : <Badge>Shown</Badge>),
          },
          {
            id: 'at',
            header: 'Created',
            cell: (row) => formatZoned(row.askedAt, browserTimezone()),
            className: 'whitespace-nowrap tabular',
          },
          {
            id: 'actions',
            header: <span className="sr-only">Actions</span>,
            cell: (row) => (
              <span className="flex gap-1.5 sm:justify-end">
                <Button size="sm" aria-label={`Hide the question of ${row.authorName}`} onClick={() => setHiding(row)}>
                  Hide
                </Button>
                <Button
                  size="sm"
                  aria-label={`Keep the question of ${row.authorName}`}
                  disabled={keep.isPending}
                  onClick={() => keep.mutate(row.id)}
                >
                  Keep
                </Button>
              </span>
            ),
          },
        ]}
      />
      {hiding && <HideDialog question={hiding} onClose={() => setHiding(null)} />}
    </>
  );
}

const STEPS: Readonly<Record<string, string>> = {
  open: 'Open the transaction',
  settle: 'Pay out',
  cancel: 'Cancel the transaction',
  look: 'Check the payment status',
};

/** What the escrow provider has not heard yet. */
export function EscrowCalls() {
  const calls = useCursorQuery(escrowCallsQuery);
  const retry = useCommand(retryEscrowCall);
  return (
    <PagedTable
      caption="Calls to the escrow provider"
      query={calls}
      rowKey={(row: EscrowCall) => `${row.escrowId} ${row.step}`}
      none="All calls to the escrow provider succeeded."
      columns={[
        { id: 'step', header: 'Call', cell: (row) => STEPS[row.step] ?? row.step },
        {
          id: 'state',
          header: 'Status',
          cell: (row) =>
            row.state === 'failed' ? <Badge tone="bad">Failed</Badge> : <Badge tone="warn">Waiting</Badge>,
        },
        { id: 'attempts', header: 'Attempts', cell: (row) => row.attempts, numeric: true },
        {
          id: 'error',
          header: 'Last error',
          cell: (row) => row.error || '–',
          className: 'min-w-40 [overflow-wrap:anywhere]',
        },
        {
          id: 'next',
          header: 'Next attempt',
          cell: (row) => (row.state === 'waiting' ? formatZoned(row.nextAt, browserTimezone()) : '–'),
          className: 'whitespace-nowrap tabular',
        },
        {
          id: 'actions',
          header: <span className="sr-only">Actions</span>,
          cell: (row) => (
            <Button
              size="sm"
              aria-label={`Try again: ${STEPS[row.step] ?? row.step}`}
              disabled={retry.isPending}
              onClick={() => retry.mutate(row.escrowId)}
            >
              Try again
            </Button>
          ),
        },
      ]}
    />
  );
}
