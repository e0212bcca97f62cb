import { Image } from 'lucide-react';
import type { SocialRow } from '@/lib/api/types';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { pictureUrl } from '../api/posts';

/** A post with its picture, title and time of publication; the title opens it on its network. */
export function PostName({ row }: { readonly row: SocialRow }) {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      {row.postId && row.picture ? (
        <img
          src={pictureUrl(row.postId, row.picture)}
          alt=""
          loading="lazy"
          className="size-9 shrink-0 rounded-md border border-line bg-sunken object-cover"
        />
      ) : (
        <span className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-muted">
          <Image aria-hidden className="size-4" />
        </span>
      )}
      <span className="min-w-0">
        <a
          href={row.url}
          target="_blank"
          rel="noopener noreferrer"
          className="line-clamp-2 wrap-anywhere text-brand hover:underline"
        >
          {row.name}
        </a>
        {row.publishedAt && (
          <span className="block text-xs text-muted">{formatDateTime(row.publishedAt, browserTimezone())}</span>
        )}
      </span>
    </div>
  );
}
