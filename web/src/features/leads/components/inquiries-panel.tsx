import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { inquiriesQuery, STATUSES, totalsQuery, type Inquiry, type InquiryStatus } from '../api/admin';
import { InquiryDetails } from './inquiry-details';
import { nameOf, StatusBadge, TimeLeft } from './inquiry-reader';

interface Props {
  readonly status: InquiryStatus | undefined;
  readonly search: string;
  readonly selected: string | undefined;
  readonly onSearch: (search: string) => void;
  readonly onStatus: (status: InquiryStatus | undefined) => void;
  readonly onSelect: (id: string | undefined) => void;
}

/** What visitors wrote. Replies are promised within 24 hours (spec §9), so each row says how long is left. */
export function InquiriesPanel({ status, search, selected, onSearch, onStatus, onSelect }: Props) {
  const sought = useDeferredValue(search.trim());
  const inquiries = useCursorQuery(inquiriesQuery(status, sought));
  const totals = useQuery(totalsQuery).data?.inquiries;
  const zone = browserTimezone();
  const columns: Column<Inquiry>[] = [
    {
      id: 'from',
      header: 'From',
      className: 'min-w-44 [overflow-wrap:anywhere]',
      cell: (row) => (
        <>
          <button
            type="button"
            className="rounded-md text-left font-medium text-brand underline-offset-4 hover:underline"
            onClick={() => onSelect(row.id)}
          >
            {nameOf(row)}
          </button>
          <span className="block text-[0.8125rem] text-muted">{row.email}</span>
        </>
      ),
    },
    {
      id: 'message',
      header: 'Message',
      className: 'min-w-56 max-w-md',
      cell: (row) => <span className="line-clamp-2 [overflow-wrap:anywhere] text-muted">{row.message}</span>,
    },
    { id: 'service', header: 'Service', cell: (row) => row.serviceInterest ?? '–' },
    { id: 'status', header: 'Status', cell: (row) => <StatusBadge status={row.status} /> },
    { id: 'left', header: 'Reply within', cell: (row) => (row.answerBy ? <TimeLeft answerBy={row.answerBy} /> : '–') },
    { id: 'assigned', header: 'Assigned to', cell: (row) => row.assignedName ?? 'Unassigned' },
    {
      id: 'received',
      header: 'Received',
      cell: (row) => formatZoned(row.receivedAt, zone),
      className: 'whitespace-nowrap tabular',
    },
  ];
  const counted = (of: InquiryStatus): string => (totals ? `${STATUSES[of]} (${totals[of] ?? 0})` : STATUSES[of]);
  return (
    <Card
      title="Inquiries"
      description="Messages from visitors. We promise a reply within 24 hours."
      actions={
        <>
          <SearchField label="Search inquiries" value={search} onChange={onSearch} />
          <Select
            label="Status"
            value={status ?? ''}
            onChange={(event) => onStatus((event.target.value || undefined) as InquiryStatus | undefined)}
          >
            <option value="">All</option>
            {(Object.keys(STATUSES) as InquiryStatus[]).map((of) => (
              <option key={of} value={of}>
                {counted(of)}
              </option>
            ))}
          </Select>
        </>
      }
    >
      <PagedTable
        caption="All inquiries"
        query={inquiries}
        columns={columns}
        rowKey={(row) => row.id}
        none={sought || status ? 'No inquiries match.' : 'No inquiries yet'}
      />
      {selected && <InquiryDetails key={selected} id={selected} onClose={() => onSelect(undefined)} />}
    </Card>
  );
}
