import type { ReactNode } from 'react';
import { PagedTable } from '@/components/data/paged-table';
import type { Column } from '@/components/data/table';
import { Card } from '@/components/ui/card';
import { Select } from '@/components/ui/field';
import { SearchField } from '@/components/ui/search-field';
import type { CursorList } from '@/lib/api/cursor-query';
import type { OwnedFilter, OwnedSort } from '@/lib/admin/owned';

interface Props<Row> {
  readonly title: string;
  /** The name of the table. */
  readonly caption: string;
  readonly description: string;
  readonly filter: OwnedFilter;
  readonly onFilter: (filter: OwnedFilter) => void;
  readonly query: CursorList<Row>;
  readonly columns: readonly Column<Row>[];
  /** Without anything; a search that finds nothing says so. */
  readonly none: string;
  readonly children?: ReactNode;
}

/** What all members have of one kind, searched and sorted, for admins. */
export function OwnedList<Row extends { readonly id: string }>({
  title,
  caption,
  description,
  filter,
  onFilter,
  query,
  columns,
  none,
  children,
}: Props<Row>) {
  return (
    <Card
      title={title}
      description={description}
      actions={
        <>
          <SearchField
            label="Search by name or owner"
            value={filter.search}
            onChange={(search) => onFilter({ ...filter, search })}
          />
          <Select
            label="Sort by"
            value={filter.sort}
            onChange={(event) => onFilter({ ...filter, sort: event.target.value as OwnedSort })}
          >
            <option value="created">Newest first</option>
            <option value="name">By name</option>
          </Select>
        </>
      }
    >
      <PagedTable
        caption={caption}
        query={query}
        columns={columns}
        rowKey={(row) => row.id}
        none={filter.search ? 'Nothing matches your search.' : none}
      />
      {children}
    </Card>
  );
}
