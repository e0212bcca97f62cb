import { useQuery } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { When } from '@/components/data/when';
import { MemberText } from '@/components/text/member-text';
import { Dialog } from '@/components/ui/dialog';
import { editsQuery } from '../api/posts';
import type { Post } from '../lib/types';

/** What a post said before it was edited. */
export function HistoryDialog({ post, onClose }: { readonly post: Post; readonly onClose: () => void }) {
  const edits = useQuery(editsQuery(post.id));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      as="drawer"
      title="Edit history"
      description="Newest first. Visible only to the author and moderators."
    >
      {edits.error ? (
        <ErrorBox error={edits.error} prefix="Error loading the edit history" onRetry={() => void edits.refetch()} />
      ) : !edits.data ? (
        <Loading label="Loading the edit history" />
      ) : (
        <ol className="flex flex-col gap-4">
          {edits.data
            .toSorted((one, other) => other.number - one.number)
            .map((edit) => (
              <li key={edit.number} className="rounded-lg border border-line p-4">
                <p className="mb-2 text-[0.8125rem] text-muted">
                  Until {edit.editedBy.name} edited it, <When at={edit.editedAt} />
                </p>
                <MemberText text={edit.text} />
              </li>
            ))}
        </ol>
      )}
    </Dialog>
  );
}
