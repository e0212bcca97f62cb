import { ImagePlus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { pictureUrl, setPicture } from '../api/posts';
import { PICTURE_KINDS, pictureFault, type PostRow } from '../lib/posts';

/** The picture of a post: saved as soon as it is chosen. */
export function PostPicture({ post }: { readonly post: PostRow }) {
  const picker = useRef<HTMLInputElement>(null);
  const [hash, setHash] = useState(post.picture);
  const [fault, setFault] = useState<string | null>(null);
  const save = useCommand(setPicture(post.postId), { onSuccess: ({ picture }) => setHash(picture) });
  const choose = (file: File) => {
    const found = pictureFault(file);
    setFault(found);
    save.reset();
    if (!found) save.mutate(file);
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        {hash && (
          <img
            src={pictureUrl(post.postId, hash)}
            alt={post.name}
            className="size-24 rounded-lg border border-line bg-sunken object-cover"
          />
        )}
        <input
          ref={picker}
          type="file"
          accept={PICTURE_KINDS.join(',')}
          className="sr-only"
          aria-label="Picture"
          tabIndex={-1}
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) choose(file);
            event.target.value = '';
          }}
        />
        <Button size="sm" busy={save.isPending} onClick={() => picker.current?.click()}>
          <ImagePlus aria-hidden className="size-3.5" />
          {hash ? 'Replace picture' : 'Add picture'}
        </Button>
        {hash && (
          <Button size="sm" variant="ghost" disabled={save.isPending} onClick={() => save.mutate(null)}>
            <Trash2 aria-hidden className="size-3.5" />
            Remove picture
          </Button>
        )}
      </div>
      {(fault ?? save.error) && <ErrorBox error={fault ? new Error(fault) : save.error} />}
    </div>
  );
}
