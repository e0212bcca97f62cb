import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { cx } from '@/lib/cx';
import { Picture } from './listing-card';

interface Props {
  readonly title: string;
  readonly images: readonly { readonly hash: string; readonly url: string }[];
}

export function Gallery({ title, images }: Props) {
  const [chosen, setChosen] = useState(0);
  const index = Math.min(chosen, Math.max(images.length - 1, 0));
  const image = images[index];
  const step = (by: number) => setChosen((index + by + images.length) % images.length);
  if (!image) return <Picture url={null} className="aspect-[16/9] w-full rounded-xl border border-line" />;
  return (
    <section aria-label="Images" className="flex flex-col gap-2">
      <div
        role="presentation"
        className="relative"
        onKeyDown={(event) => {
          if (images.length > 1 && event.key === 'ArrowLeft') step(-1);
          if (images.length > 1 && event.key === 'ArrowRight') step(1);
        }}
      >
        <img
          src={image.url}
          alt={`${title || 'Listing'}, ${index + 1} of ${images.length}`}
          className="aspect-[16/9] w-full rounded-xl border border-line bg-sunken object-contain"
        />
        {images.length > 1 && (
          <>
            <Button
              size="icon"
              aria-label="Previous image"
              className="absolute top-1/2 left-2 -translate-y-1/2"
              onClick={() => step(-1)}
            >
              <ChevronLeft aria-hidden className="size-4" />
            </Button>
            <Button
              size="icon"
              aria-label="Next image"
              className="absolute top-1/2 right-2 -translate-y-1/2"
              onClick={() => step(1)}
            >
              <ChevronRight aria-hidden className="size-4" />
            </Button>
          </>
        )}
      </div>
      {images.length > 1 && (
        <ul className="flex gap-2 overflow-x-auto p-0.5">
          {images.map((item, place) => (
            <li key={item.hash} className="shrink-0">
              <button
                type="button"
                aria-label={`Show image ${place + 1}`}
                aria-current={place === index || undefined}
                onClick={() => setChosen(place)}
                className={cx(
                  'block overflow-hidden rounded-lg border-2',
                  place === index ? 'border-brand' : 'border-transparent',
                )}
              >
                <Picture url={item.url} className="h-14 w-24" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
