import { ArrowLeft, ArrowRight, ImagePlus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { cx } from '@/lib/cx';
import type { Saver } from '@/lib/api/saver';
import { orderImages, uploadImage } from '../api/selling';
import { Ask } from './action-confirmation';
import { MAX_IMAGES } from '../lib/draft';
import { Picture } from './listing-card';
import type { ListingFields } from '../lib/types';

interface Props {
  readonly id: string;
  readonly saver: Saver<ListingFields>;
  /** Public: a new image requires a new review. */
  readonly isOnline: boolean;
  /** Hashes, in the order they are shown. */
  readonly images: readonly string[];
  readonly onChange: (images: readonly string[]) => void;
}

const KINDS = ['image/jpeg', 'image/png', 'image/webp'];
const MAX_MB = 5;

export const imageUrl = (hash: string): string => `/api/marketplace/images/${hash}`;

export function ImagesStep({ id, saver, isOnline, images, onChange }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [asked, setAsked] = useState<readonly File[] | null>(null);
  const room = MAX_IMAGES - images.length;

  const perform = async (words: string, task: () => Promise<void>) => {
    setError(null);
    setBusy(words);
    try {
      await task();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy('');
    }
  };
  const send = (files: readonly File[]) =>
    perform('Uploading…', async () => {
      for (const file of files) onChange((await saver.run(() => uploadImage(id, file))).images);
    });
  const add = (files: readonly File[]) => {
    const fault = faultOf(files, room);
    setError(fault ? new Error(fault) : null);
    if (fault) return;
    if (isOnline) setAsked(files);
    else void send(files);
  };
  const order = (next: readonly string[]) =>
    perform('Saving…', async () => {
      const made = await saver.run(() => orderImages(id, next));
      onChange(made.images);
    });
  const move = (from: number, by: number) => {
    const next = [...images];
    const [taken] = next.splice(from, 1);
    if (taken) next.splice(from + by, 0, taken);
    return order(next);
  };

  return (
    <div className="flex flex-col gap-4">
      <div
        role="presentation"
        className={cx(
          'flex flex-col items-center gap-3 rounded-xl border-2 border-dashed px-4 py-8 text-center transition-colors',
          over ? 'border-brand bg-brand-soft' : 'border-line-strong/60',
        )}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!busy) add([...event.dataTransfer.files]);
        }}
      >
        <ImagePlus aria-hidden className="size-6 text-muted" />
        <p className="text-muted">{`Drop images here: at most ${MAX_IMAGES}, each JPEG, PNG or WebP of at most ${MAX_MB} MB. The first image is shown on the card.`}</p>
        <input
          ref={picker}
          type="file"
          accept={KINDS.join(',')}
          multiple
          className="sr-only"
          aria-label="Add images"
          tabIndex={-1}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            event.target.value = '';
            if (files.length > 0) add(files);
          }}
        />
        <Button busy={busy !== ''} disabled={room === 0} onClick={() => picker.current?.click()}>
          {busy || 'Choose images'}
        </Button>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {images.length > 0 && (
        <ol aria-label="Images of the listing" className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
          {images.map((hash, index) => (
            <li key={hash} className="overflow-hidden rounded-lg border border-line">
              <Picture url={imageUrl(hash)} className="aspect-[16/9] w-full" />
              <div className="flex items-center justify-between p-1">
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move image ${index + 1} forward`}
                  disabled={busy !== '' || index === 0}
                  onClick={() => void move(index, -1)}
                >
                  <ArrowLeft aria-hidden className="size-4" />
                </Button>
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Remove image ${index + 1}`}
                  disabled={busy !== ''}
                  onClick={() => void order(images.filter((item) => item !== hash))}
                >
                  <Trash2 aria-hidden className="size-4" />
                </Button>
                <Button
                  variant="ghost"
                  size="icon"
                  aria-label={`Move image ${index + 1} back`}
                  disabled={busy !== '' || index === images.length - 1}
                  onClick={() => void move(index, 1)}
                >
                  <ArrowRight aria-hidden className="size-4" />
                </Button>
              </div>
            </li>
          ))}
        </ol>
      )}
      {asked && (
        <Ask
          title="Add to a listing that is online?"
          action="Add images"
          doing={IDLE}
          onClose={() => setAsked(null)}
          description="A new image takes the listing offline until an admin approves it."
          onConfirm={() => {
            setAsked(null);
            void send(asked);
          }}
        />
      )}
    </div>
  );
}

const IDLE = { isPending: false, error: null } as const;

function faultOf(files: readonly File[], room: number): string | null {
  const wrong = files.find((file) => !KINDS.includes(file.type));
  if (wrong) return `“${wrong.name}” is not a JPEG, PNG or WebP image.`;
  const big = files.find((file) => file.size > MAX_MB * 1024 * 1024);
  if (big) return `“${big.name}” is larger than ${MAX_MB} MB.`;
  return files.length > room ? `A listing has at most ${MAX_IMAGES} images. You can add ${room} more.` : null;
}
