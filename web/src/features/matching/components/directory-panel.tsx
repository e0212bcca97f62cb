// The program directory as admins maintain it.
import { useState } from 'react';
import { opened } from '@/components/data/opened';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { formatDay } from '@/lib/dates';
import { formatMinor } from '@/lib/format';
import { programsQuery, retireProgram, type ProgramEntry, type ProgramFilter } from '../api/directory';
import { ImportDialog } from './import-dialog';

const ProgramDialog = opened(() => import('./program-dialog').then((module) => module.ProgramDialog));
const ReviewDialog = opened(() => import('./review-dialog').then((module) => module.ReviewDialog));

type Open =
  { readonly what: 'add' | 'import' } | { readonly what: 'edit' | 'review' | 'retire'; readonly program: ProgramEntry };

const paid = (row: ProgramEntry): string =>
  [row.commissionRate ? `${row.commissionRate}%` : '', row.commissionAmount ? formatMinor(row.commissionAmount) : '']
    .filter(Boolean)
    .join(' + ') + (row.recurring ? ', recurring' : '');

export function DirectoryPanel() {
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<ProgramFilter['show']>('active');
  const [open, setOpen] = useState<Open | null>(null);
  const programs = useCursorQuery(programsQuery({ search: search.trim(), show }));
  const retiring = useCommand(retireProgram);
  const columns: Column<ProgramEntry>[] = [
    {
      id: 'name',
      header: 'Program',
      className: 'min-w-44 font-medium',
      cell: (row) => (
        <a
          href={row.url}
          target="_blank"
          rel="noopener noreferrer"
          className="text-brand underline-offset-2 hover:underline"
        >
          {row.companyName}
        </a>
      ),
    },
    { id: 'category', header: 'Category', cell: (row) => row.categoryName },
    { id: 'pays', header: 'Pays', cell: paid, className: 'whitespace-nowrap' },
    { id: 'cookie', header: 'Cookie', numeric: true, cell: (row) => `${row.cookieDays} d` },
    {
      id: 'checked',
      header: 'Checked',
      cell: (row) => (row.checkedOn ? formatDay(row.checkedOn) : <Badge tone="warn">Not verified yet</Badge>),
      className: 'whitespace-nowrap',
    },
    { id: 'review', header: 'Review', cell: (row) => formatDay(row.reviewOn), className: 'whitespace-nowrap' },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      cell: (row) => (
        <div className="flex justify-end gap-1.5">
          <Button
            size="sm"
            aria-label={`Edit ${row.companyName}`}
            onClick={() => setOpen({ what: 'edit', program: row })}
          >
            Edit
          </Button>
          {row.retired ? (
            <Button
              size="sm"
              aria-label={`Restore ${row.companyName}`}
              onClick={() => retiring.mutate({ program: row, retired: false })}
            >
              Restore
            </Button>
          ) : (
            <>
              <Button
                size="sm"
                aria-label={`Review ${row.companyName}`}
                onClick={() => setOpen({ what: 'review', program: row })}
              >
                Review
              </Button>
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Retire ${row.companyName}`}
                onClick={() => setOpen({ what: 'retire', program: row })}
              >
                Retire
              </Button>
            </>
          )}
        </div>
      ),
    },
  ];
  const close = () => setOpen(null);
  return (
    <Card
      title="Program directory"
      description="The programs that matching recommends. Verify each program against its website by its review date."
      actions={
        <>
          <Button onClick={() => setOpen({ what: 'import' })}>Import CSV</Button>
          <Button variant="primary" onClick={() => setOpen({ what: 'add' })}>
            Add program
          </Button>
        </>
      }
    >
      <div className="mb-4 flex flex-wrap gap-2">
        <SearchField label="Search programs" value={search} onChange={setSearch} />
        <Select label="Show" value={show} onChange={(event) => setShow(event.target.value as ProgramFilter['show'])}>
          <option value="active">In the directory</option>
          <option value="due">Review due</option>
          <option value="retired">Retired</option>
        </Select>
      </div>
      <PagedTable
        caption="Programs"
        query={programs}
        columns={columns}
        rowKey={(row) => row.id}
        none={search ? 'No programs match.' : show === 'due' ? 'No review is due.' : 'No programs here.'}
      />
      {open?.what === 'add' && <ProgramDialog program={null} onClose={close} />}
      {open?.what === 'edit' && <ProgramDialog program={open.program} onClose={close} />}
      {open?.what === 'review' && <ReviewDialog program={open.program} onClose={close} />}
      {open?.what === 'import' && <ImportDialog onClose={close} />}
      {open?.what === 'retire' && (
        <ConfirmDialog
          title={`Retire ${open.program.companyName}?`}
          description="It is no longer recommended. Applications to it are kept."
          action="Retire"
          onConfirm={() => retiring.mutate({ program: open.program, retired: true })}
          onClose={close}
        />
      )}
    </Card>
  );
}
