import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Written } from '@/components/text/written';
import { Dialog } from '@/components/ui/dialog';
import { editsQuery } from './queries';
import type { Post } from './types';

/** What a post said before it was edited. */
export function HistoryDialog({ post, onClose }: { readonly post: Post; readonly onClose: () => void }) {
  const edits = useQuery(editsQuery(post.id));
  return (
    <Dialog open onOpenChange={onClose} as="drawer" title="Earlier texts" description="The newest first. Only the author and moderators see them.">
      {edits.error ? (
        <ErrorBox error={edits.error} prefix="Error loading the earlier texts" onRetry={() => void edits.refetch()} />
      ) : !edits.data ? (
        <Loading label="Loading the earlier texts" />
      ) : (
        <ol className="flex flex-col gap-4">
          {edits.data.toSorted((one, other) => other.number - one.number).map((edit) => (
            <li key={edit.number} className="rounded-lg border border-line p-4">
              <p className="mb-2 text-[0.8125rem] text-muted">
                Until {edit.editedBy.name} edited it, <When at={edit.editedAt} />
              </p>
              <Written text={edit.text} />
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
