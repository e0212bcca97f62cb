import type { ReactNode } from 'react';
import type { CursorList } from '@/lib/api/cursor-query';
import { ErrorBox } from './states';
import { Button } from '../ui/button';

interface Props {
  readonly of: CursorList<unknown, unknown>;
  readonly size?: 'sm' | 'md';
  readonly className?: string;
  readonly onLoad?: () => void;
  readonly children?: ReactNode;
}

/** The end of a list that is read page by page: what follows, or what failed. */
export function More({ of, size = 'md', className = 'mt-3', onLoad = of.loadNext, children = 'Show more' }: Props) {
  if (!of.laterError && !of.hasNext) return null;
  return (
    <div className={className}>
      {of.laterError ? (
        <ErrorBox error={of.laterError} onRetry={of.retry} />
      ) : (
        <Button size={size} busy={of.isLoadingNext} onClick={onLoad}>
          {children}
        </Button>
      )}
    </div>
  );
}
