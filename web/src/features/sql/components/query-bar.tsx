// Above the editor: which saved query is open, and what may be done to it.
import { History, Share2, X } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { SavedQuery } from '../api/queries';

interface Props {
  readonly query: SavedQuery;
  readonly isModified: boolean;
  readonly isBusy: boolean;
  readonly onVersions: () => void;
  readonly onShare: () => void;
  readonly onSaveAs: () => void;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

export function QueryBar({ query, isModified, isBusy, ...on }: Props) {
  return (
    <section
      aria-label="Open query"
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-sunken px-3 py-2"
    >
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-words">{query.title}</span>
          {query.isShared && <Badge tone="brand">Shared</Badge>}
          {isModified && <Badge tone="warn">Modified</Badge>}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {`Version ${query.version}`}
          {!query.isOwn && `, by ${query.authorName || 'another analyst'}`}
        </p>
      </div>
      <div className="flex flex-wrap gap-1.5">
        {isModified && (
          <Button size="sm" variant="ghost" onClick={on.onDiscard}>
            Discard changes
          </Button>
        )}
        <Button size="sm" onClick={on.onVersions}>
          <History aria-hidden className="size-3.5" />
          Versions
        </Button>
        {query.mayChange && (
          <Button size="sm" busy={isBusy} onClick={on.onShare}>
            <Share2 aria-hidden className="size-3.5" />
            {query.isShared ? 'Stop sharing' : 'Share with analysts'}
          </Button>
        )}
        {query.mayChange && (
          <Button size="sm" onClick={on.onSaveAs}>
            Save as
          </Button>
        )}
        <Button size="icon" variant="ghost" aria-label="Close the query" onClick={on.onClose}>
          <X aria-hidden className="size-4" />
        </Button>
      </div>
    </section>
  );
}
