import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { When } from '@/components/data/when';
import { MemberText } from '@/components/text/member-text';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { MemberName } from './member-name';
import { queueQuery } from '../api/moderation';
import { decideOnPost } from '../api/moderation-commands';
import { reasonLabel } from '../lib/reasons';
import { DeleteDialog, SuspendDialog } from './dialogs';
import type { Post, QueuedPost } from '../lib/types';

/** Posts pending review, oldest first. */
export function ModerationQueue() {
  const query = useCursorQuery(queueQuery);
  const [deleting, setDeleting] = useState<Post | null>(null);
  const [suspending, setSuspending] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const decide = useCommand(decideOnPost);
  if (query.error) return <ErrorBox error={query.error} prefix="Error loading the queue" onRetry={query.retry} />;
  if (query.isPending) return <Skeleton className="h-40" />;
  const rows = query.rows ?? [];
  if (rows.length === 0) {
    return (
      <div className={surface}>
        <Empty icon={<ShieldCheck aria-hidden className="size-5" />}>The moderation queue is empty.</Empty>
      </div>
    );
  }
  const deciding = decide.isPending ? decide.variables.id : null;
  return (
    <>
      <ul aria-label="Posts pending review" className="flex flex-col gap-3">
        {rows.map((row) => (
          <li key={row.post.id}>
            <Waiting row={row}>
              <Button
                size="sm"
                variant="primary"
                busy={deciding === row.post.id}
                onClick={() => decide.mutate({ id: row.post.id, approves: row.waitsFor === 'approval' })}
              >
                {row.waitsFor === 'approval' ? 'Approve' : 'Dismiss reports'}
              </Button>
              <Button size="sm" onClick={() => setDeleting(row.post)}>
                Delete
              </Button>
              {row.post.author.id && (
                <Button
                  size="sm"
                  onClick={() => setSuspending({ id: row.post.author.id ?? '', name: row.post.author.name })}
                >
                  Suspend author
                </Button>
              )}
            </Waiting>
          </li>
        ))}
      </ul>
      <More of={query} />
      {deleting && <DeleteDialog post={deleting} moderating done="Post deleted" onClose={() => setDeleting(null)} />}
      {suspending && <SuspendDialog member={suspending} onClose={() => setSuspending(null)} />}
    </>
  );
}

const MAX_LINES = 12;
const MAX_LENGTH = 800;

/** Whether a post is longer than what the queue shows at first. */
const isLong = (text: string): boolean => text.length > MAX_LENGTH || text.split('\n').length > MAX_LINES;

/** The addresses of other sites in a text, each once: those of a new member are reviewed. */
const linksIn = (text: string): string[] =>
  [...new Set(text.match(/\bhttps?:\/\/[^\s<>()[\]]+/gi) ?? [])].filter(
    (link) => !link.startsWith(`${window.location.origin}/`),
  );

function Waiting({ row, children }: { readonly row: QueuedPost; readonly children: ReactNode }) {
  const { post } = row;
  const [showsAll, setShowAll] = useState(false);
  const isWhole = showsAll || !isLong(post.text);
  const links = linksIn(post.text);
  return (
    <article aria-label={`Post by ${post.author.name} in ${row.threadTitle}`} className={cx(surface, 'p-4 sm:p-5')}>
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
        <Badge tone="warn">
          {row.waitsFor === 'approval'
            ? 'New member'
            : `${row.flags.length} ${row.flags.length === 1 ? 'report' : 'reports'}`}
        </Badge>
        {post.state === 'hidden' && <Badge>Hidden</Badge>}
        <MemberName member={post.author} />
        <span>
          in{' '}
          <Link
            to="/forum/thread/$id"
            params={{ id: post.threadId }}
            search={{ post: post.id }}
            className="rounded font-medium text-brand hover:underline"
          >
            {row.threadTitle}
          </Link>
        </span>
        <span>
          received <When at={row.waitingSince} />
        </span>
      </header>
      {row.waitsFor === 'approval' && links.length > 0 && (
        <div className="mt-3 rounded-lg bg-warn-soft px-3 py-2 text-[0.8125rem] text-warn">
          <p className="font-medium">Held because a new member posted these links:</p>
          <ul aria-label="Links" className="mt-1 list-disc pl-5">
            {links.map((link) => (
              <li key={link}>
                <mark className="bg-transparent font-mono break-all text-inherit">{link}</mark>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={cx('relative mt-3', !isWhole && 'max-h-72 overflow-hidden')} role="group" aria-label="Text">
        <MemberText text={post.text} mentions={post.mentions} />
        {!isWhole && (
          <div
            aria-hidden
            className="pointer-events-none absolute inset-x-0 bottom-0 h-16 bg-linear-to-t from-surface to-transparent"
          />
        )}
      </div>
      {!isWhole && (
        <Button size="sm" className="mt-2" onClick={() => setShowAll(true)}>
          Show all
        </Button>
      )}
      {row.flags.length > 0 && (
        <ul aria-label="Reports" className="mt-3 flex flex-col gap-1 rounded-lg bg-sunken px-3 py-2 text-[0.8125rem]">
          {row.flags.map((flag) => (
            <li key={`${flag.by.id}${flag.at}`} className="break-words">
              <span className="font-medium">{reasonLabel(flag.reason)}</span> by {flag.by.name}, <When at={flag.at} />
              {flag.note && `: ${flag.note}`}
            </li>
          ))}
        </ul>
      )}
      <footer className="mt-4 flex flex-wrap gap-2">{children}</footer>
    </article>
  );
}
