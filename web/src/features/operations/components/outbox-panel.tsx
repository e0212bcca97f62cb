import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import type { Column } from '@/components/data/table';
import { LocalForm } from '@/components/form/local-form';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog } from '@/components/ui/dialog';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import type { OutboxMail } from '@/lib/api/types';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { formatCount } from '@/lib/format';
import { PagedTable } from '@/components/data/paged-table';
import { letterQuery, MAIL_STATES, outboxQuery, type OutboxFilter } from '../api/outbox';

const STATES: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  waiting: { word: 'Waiting', tone: 'warn' },
  sent: { word: 'Sent', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

interface Props {
  readonly filter: OutboxFilter;
  readonly onFilter: (filter: OutboxFilter) => void;
}

export function OutboxPanel({ filter, onFilter }: Props) {
  const outbox = useCursorQuery(outboxQuery(filter));
  // Each view of the list is logged: it is searched when the words are complete, not at each letter.
  const [words, setWords] = useState(filter.search);
  const [open, setOpen] = useState<OutboxMail | null>(null);
  const zone = browserTimezone();
  const columns: Column<OutboxMail>[] = [
    {
      id: 'created',
      header: 'Time',
      cell: (row) => formatZoned(row.createdAt, zone),
      className: 'whitespace-nowrap tabular',
    },
    { id: 'to', header: 'To', cell: (row) => row.to },
    { id: 'subject', header: 'Subject', cell: (row) => row.subject, className: 'font-medium' },
    {
      id: 'state',
      header: 'Status',
      cell: (row) => (
        <>
          <Badge tone={STATES[row.state]?.tone ?? 'neutral'}>{STATES[row.state]?.word ?? row.state}</Badge>
          {row.error && (
            <span className="mt-1 block text-[0.8125rem] text-muted">{`${row.error} (${formatCount(row.attempts)} ${row.attempts === 1 ? 'try' : 'tries'})`}</span>
          )}
        </>
      ),
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end">
          <Button size="sm" aria-label={`Read the email to ${row.to}: ${row.subject}`} onClick={() => setOpen(row)}>
            Read
          </Button>
        </div>
      ),
    },
  ];
  return (
    <Card
      title="Outbox"
      description="Outgoing email. Without a mail server, messages are held here. Views are logged."
      actions={
        <>
          <LocalForm
            role="search"
            className="flex gap-1.5"
            onSubmit={() => onFilter({ ...filter, search: words.trim() })}
          >
            <SearchField label="Search subjects" value={words} onChange={setWords} />
            <Button type="submit" size="sm">
              Search
            </Button>
          </LocalForm>
          <Select
            label="Status"
            value={filter.state}
            onChange={(event) => onFilter({ ...filter, state: event.target.value as OutboxFilter['state'] })}
          >
            <option value="">All statuses</option>
            {MAIL_STATES.map((state) => (
              <option key={state} value={state}>
                {STATES[state]?.word ?? state}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <PagedTable
        caption="Emails"
        query={outbox}
        columns={columns}
        rowKey={(row) => row.id}
        none={filter.search || filter.state ? 'No emails match.' : 'No emails yet'}
      />
      {open && <Letter mail={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function Letter({ mail, onClose }: { readonly mail: OutboxMail; readonly onClose: () => void }) {
  const letter = useQuery(letterQuery(mail.id));
  return (
    <Dialog open onOpenChange={(shown) => !shown && onClose()} title={mail.subject} description={`To ${mail.to}`}>
      {letter.error ? (
        <ErrorBox error={letter.error} onRetry={() => void letter.refetch()} />
      ) : !letter.data ? (
        <Skeleton className="h-40" />
      ) : letter.data.text === null ? (
        <p className="text-muted">The text is not shown: it is sent only to its recipient.</p>
      ) : (
        <CopyField label="Text" value={letter.data.text} multiline />
      )}
    </Dialog>
  );
}
