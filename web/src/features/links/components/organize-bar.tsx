import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import { countOf } from '@/lib/format';
import { toastError } from '@/stores/toasts';
import { organizeLinks, type Organizing } from '../api/links';
import { LabelDialog } from './dialogs';

interface Props {
  readonly ids: readonly string[];
  readonly labels:
    | { readonly tags: readonly { readonly name: string }[]; readonly folders: readonly { readonly name: string }[] }
    | undefined;
  readonly onDone: () => void;
}

/** What may be done with several links: tag, move, archive. */
export function OrganizeBar({ ids, labels, onDone }: Props) {
  const [asking, setAsking] = useState<'tag' | 'folder' | null>(null);
  const organize = useCommand(organizeLinks(ids), {
    onError: (error) => {
      if (!asking) toastError('Failed to change the links', messageOf(error));
    },
  });
  const change = (wanted: Partial<Organizing>) =>
    organize.mutate(wanted, {
      onSuccess: () => {
        setAsking(null);
        onDone();
      },
    });
  return (
    <div
      role="group"
      aria-label="Selected links"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-brand-soft px-3 py-2"
    >
      <span className="mr-auto font-medium">{countOf(ids.length, 'link')} selected</span>
      <Button size="sm" onClick={() => setAsking('tag')}>
        Add tag
      </Button>
      <Button size="sm" onClick={() => setAsking('folder')}>
        Move to folder
      </Button>
      <Button size="sm" busy={organize.isPending} onClick={() => change({ isArchived: true })}>
        Archive
      </Button>
      <Button size="sm" busy={organize.isPending} onClick={() => change({ isArchived: false })}>
        Restore
      </Button>
      <Button size="sm" variant="ghost" onClick={onDone}>
        Clear
      </Button>
      {asking && (
        <LabelDialog
          title={asking === 'tag' ? 'Add a tag' : 'Move to a folder'}
          label={asking === 'tag' ? 'Tag' : 'Folder'}
          hint={asking === 'tag' ? 'Up to 40 characters.' : 'Leave blank for no folder.'}
          known={(asking === 'tag' ? labels?.tags : labels?.folders)?.map(({ name }) => name) ?? []}
          isEmptyAllowed={asking === 'folder'}
          isBusy={organize.isPending}
          error={
            organize.error instanceof ApiError
              ? (organize.error.fields[asking === 'tag' ? 'tags' : 'folder'] ?? organize.error.message)
              : undefined
          }
          onSave={(text) => change(asking === 'tag' ? { addTags: [text] } : { folder: text })}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}
