import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';

interface Props<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** The inside of a card whose content is one answer. */
export function Loaded<T>({ query, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  return query.error ? (
    <ErrorBox error={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Skeleton className="h-24" />
  );
}
