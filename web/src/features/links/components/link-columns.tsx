import { Link as Anchor } from '@tanstack/react-router';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import type { Link } from '@/lib/api/types';
import { formatCount, formatMinor } from '@/lib/format';
import { epcOf } from '../lib/figures';
import type { LinkRange } from '../lib/search';
import { LinkActions, LinkBadges, type OpenLink } from './link-actions';

interface Options {
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (open: OpenLink) => void;
  readonly onDetails: (link: Link) => void;
  /** Narrows the list to the links of one partner. */
  readonly onPartner: (id: string) => void;
  readonly onDuplicate: (link: Link) => void;
  readonly range: LinkRange;
  readonly partners: readonly { readonly id: string; readonly name: string }[];
}

export function linkColumns(options: Options): readonly Column<Link>[] {
  const { chosen, onToggle, onOpen, onDetails, onPartner, onDuplicate, range, partners } = options;
  return [
    {
      id: 'link',
      header: 'Link',
      cell: (row) => (
        <div className="flex items-start gap-3 sm:max-w-md sm:min-w-64">
          <label className="grid shrink-0 place-items-center pt-1 max-sm:-mr-2 max-sm:-ml-3 max-sm:size-10 max-sm:pt-0">
            <span className="sr-only">{`Select link ${row.slug}`}</span>
            <input
              type="checkbox"
              className="block size-4 accent-brand"
              checked={chosen.has(row.id)}
              onChange={() => onToggle(row.id)}
            />
          </label>
          <div className="min-w-0">
            <Anchor
              to="/links/$id"
              params={{ id: row.id }}
              search={range === '30d' ? {} : { range }}
              className="block max-w-full truncate font-medium text-brand hover:underline max-sm:min-h-10 max-sm:min-w-10"
              title={row.url}
            >
              {row.slug}
            </Anchor>
            <span className="block truncate text-[0.8125rem] text-muted" title={row.destination}>
              <button
                type="button"
                className="hover:text-text hover:underline"
                title="Only links to this partner"
                onClick={() => onPartner(row.partnerId)}
              >
                {row.partnerName ?? partners.find(({ id }) => id === row.partnerId)?.name ?? 'Partner'}
              </button>{' '}
              · {row.destination}
            </span>
            <span className="flex flex-wrap gap-1">
              <LinkBadges link={row} />
              {row.isArchived && <Badge>Archived</Badge>}
              {row.folder && <Badge>{row.folder}</Badge>}
              {row.tags.map((tag) => (
                <Badge key={tag} tone="brand">
                  {tag}
                </Badge>
              ))}
            </span>
          </div>
        </div>
      ),
    },
    {
      id: 'clicks',
      header: 'Clicks',
      cell: (row) => (row.clicks === null ? '–' : formatCount(row.clicks)),
      numeric: true,
    },
    {
      id: 'conversions',
      header: 'Conversions',
      cell: (row) => (row.conversions === null ? '–' : formatCount(row.conversions)),
      numeric: true,
    },
    { id: 'epc', header: 'EPC', cell: (row) => epcOf(row) ?? '–', numeric: true },
    {
      id: 'earnings',
      header: 'Revenue',
      cell: (row) => (row.earnings ? formatMinor(row.earnings) : '–'),
      numeric: true,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end">
          <LinkActions link={row} onOpen={onOpen} onDetails={onDetails} onDuplicate={onDuplicate} />
        </div>
      ),
    },
  ];
}
