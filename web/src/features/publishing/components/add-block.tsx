// Chooses the kind of a new block. An image block begins with its image.
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { BLOCK_KINDS, newBlock } from '../lib/blocks';
import type { Block } from '../lib/document';
import { UploadImage } from './image-field';

interface Props {
  readonly siteId: string;
  /** Where it will stand, for people. */
  readonly place: string;
  readonly onAdd: (block: Block) => void;
  readonly onClose: () => void;
}

export function AddBlockDialog({ siteId, place, onAdd, onClose }: Props) {
  const [needsImage, setNeedsImage] = useState(false);
  const add = (block: Block) => {
    onClose();
    onAdd(block);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Add block" description={place}>
      {needsImage ? (
        <div className="flex flex-col gap-4">
          <UploadImage
            siteId={siteId}
            action="Choose image"
            onUse={(image) => add(newBlock('image', undefined, image))}
          />
          <Button className="self-start" variant="ghost" onClick={() => setNeedsImage(false)}>
            Other blocks
          </Button>
        </div>
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2">
          {BLOCK_KINDS.map(({ type, label, purpose }) => (
            <li key={type}>
              <button
                type="button"
                className="h-full w-full rounded-lg border border-line px-3 py-2.5 text-left transition-colors hover:bg-sunken"
                onClick={() => (type === 'image' ? setNeedsImage(true) : add(newBlock(type)))}
              >
                <span className="block font-medium">{label}</span>
                <span className="block text-[0.8125rem] text-muted">{purpose}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
