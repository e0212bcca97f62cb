import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { Partner } from '@/lib/api/types';
import { countOf } from '@/lib/format';
import { toastError } from '@/stores/toasts';
import { startBulk, type Change } from '../api/bulk';
import type { LinkSelection } from '../lib/selection';
import { LabelDialog, MoveLinks, ReplaceInLinks } from './dialogs';

interface Props {
  readonly websiteId: string;
  readonly selection: LinkSelection;
  /** Of the links that are ticked. */
  readonly count: number;
  /** Whether the list goes on behind the page and all of the page is ticked. */
  readonly hasMore: boolean;
  readonly partners: readonly Partner[];
  readonly labels:
    | { readonly tags: readonly { readonly name: string }[]; readonly folders: readonly { readonly name: string }[] }
    | undefined;
  readonly onSelectAll: () => void;
  readonly onStarted: (id: string) => void;
  readonly onClear: () => void;
}

type Asking = 'move' | 'replace' | 'tag' | 'folder';

/** What may be done with several links: move, replace, tag, put into a folder, archive. */
export function BulkBar(props: Props) {
  const { websiteId, selection, count, hasMore, partners, labels, onSelectAll, onStarted, onClear } = props;
  const [asking, setAsking] = useState<Asking | null>(null);
  const started = (id: string) => {
    setAsking(null);
    onStarted(id);
  };
  const start = useCommand(startBulk(websiteId, selection), {
    onSuccess: ({ id }) => started(id),
    onError: (error) => {
      if (!asking) toastError('Failed to change the links', messageOf(error));
    },
  });
  const arrange = (wanted: Change['arrange'] & object) => start.mutate({ arrange: wanted });
  const isAll = 'filter' in selection;
  const close = () => setAsking(null);
  return (
    <div
      role="group"
      aria-label="Selected links"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-brand-soft px-3 py-2"
    >
      <span className="mr-auto font-medium">
        {isAll ? 'All links that match are selected' : `${countOf(count, 'link')} selected`}
        {hasMore && !isAll && (
          <Button size="sm" variant="ghost" className="ml-1" onClick={onSelectAll}>
            Select all that match
          </Button>
        )}
      </span>
      <Button size="sm" variant="primary" onClick={() => setAsking('move')}>
        Move to partner
      </Button>
      <Button size="sm" onClick={() => setAsking('replace')}>
        Find and replace
      </Button>
      <Button size="sm" onClick={() => setAsking('tag')}>
        Add tag
      </Button>
      <Button size="sm" onClick={() => setAsking('folder')}>
        Move to folder
      </Button>
      <Button size="sm" busy={start.isPending} onClick={() => arrange({ isArchived: true })}>
        Archive
      </Button>
      <Button size="sm" busy={start.isPending} onClick={() => arrange({ isArchived: false })}>
        Restore
      </Button>
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear
      </Button>
      {asking === 'move' && (
        <MoveLinks
          websiteId={websiteId}
          selection={selection}
          partners={partners}
          onStarted={started}
          onClose={close}
        />
      )}
      {asking === 'replace' && (
        <ReplaceInLinks websiteId={websiteId} selection={selection} onStarted={started} onClose={close} />
      )}
      {(asking === 'tag' || asking === 'folder') && (
        <LabelDialog
          title={asking === 'tag' ? 'Add a tag' : 'Move to a folder'}
          label={asking === 'tag' ? 'Tag' : 'Folder'}
          hint={asking === 'tag' ? 'Up to 40 characters.' : 'Leave blank for no folder.'}
          known={(asking === 'tag' ? labels?.tags : labels?.folders)?.map(({ name }) => name) ?? []}
          isEmptyAllowed={asking === 'folder'}
          isBusy={start.isPending}
          error={start.error instanceof ApiError ? (start.error.fields['tags'] ?? start.error.message) : undefined}
          onSave={(text) => arrange(asking === 'tag' ? { addTags: [text] } : { folder: text })}
          onClose={close}
        />
      )}
    </div>
  );
}
