// The blocks of a page, in order: moved by mouse, by touch, and with the keyboard from their handles.
import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { GripVertical } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/lib/cx';
import { labelOf, nameOf, summaryOf } from '../lib/blocks';
import type { Block } from '../lib/document';
import { faultsIn, type Fault } from '../lib/faults';
import type { Names } from '../lib/markdown-names';

interface Props {
  readonly blocks: readonly Block[];
  readonly pages: Names;
  readonly faults: readonly Fault[];
  readonly onMove: (id: string, to: number) => void;
  readonly onOpen: (id: string) => void;
}

const INSTRUCTIONS =
  'To move a block, press Space or Enter. Then use the arrow keys, and press Space or Enter again to drop it. Escape cancels.';

export function BlockList({ blocks, pages, faults, onMove, onOpen }: Props) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    const to = over ? blocks.findIndex(({ id }) => id === over.id) : -1;
    if (to >= 0) onMove(String(active.id), to);
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{
        announcements: announcementsOf(blocks),
        screenReaderInstructions: { draggable: INSTRUCTIONS },
      }}
    >
      <SortableContext items={blocks.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        <ol aria-label="Blocks of the page" className="flex flex-col gap-1.5">
          {blocks.map((block) => (
            <Row
              key={block.id}
              block={block}
              pages={pages}
              faults={faultsIn(faults, block.id).length}
              onOpen={onOpen}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

/** What a screen reader says while a block is moved. */
export function announcementsOf(blocks: readonly Block[]): Announcements {
  const positionOf = (id: string | number) => blocks.findIndex((block) => block.id === id) + 1;
  const named = (id: string | number) => {
    const block = blocks.find((each) => each.id === id);
    return block ? nameOf(block) : 'Block';
  };
  return {
    onDragStart: ({ active }) =>
      `Picked up ${named(active.id)}, position ${positionOf(active.id)} of ${blocks.length}.`,
    onDragOver: ({ active, over }) =>
      over ? `${named(active.id)} is now at position ${positionOf(over.id)} of ${blocks.length}.` : undefined,
    onDragEnd: ({ active, over }) =>
      over
        ? `Dropped ${named(active.id)} at position ${positionOf(over.id)} of ${blocks.length}.`
        : `${named(active.id)} stays where it was.`,
    onDragCancel: ({ active }) => `Canceled. ${named(active.id)} stays at position ${positionOf(active.id)}.`,
  };
}

interface RowProps {
  readonly block: Block;
  readonly pages: Names;
  readonly faults: number;
  readonly onOpen: (id: string) => void;
}

function Row({ block, pages, faults, onOpen }: RowProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: block.id,
  });
  const summary = summaryOf(block, pages);
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      className={cx(
        'relative flex items-stretch rounded-lg border bg-surface',
        isDragging ? 'z-raised border-brand shadow-pop' : 'border-line',
      )}
    >
      <button
        ref={setActivatorNodeRef}
        type="button"
        {...attributes}
        {...listeners}
        aria-label={`Move ${nameOf(block)}`}
        className="grid w-9 shrink-0 cursor-grab touch-none place-items-center rounded-l-lg text-muted hover:bg-sunken hover:text-text"
      >
        <GripVertical aria-hidden className="size-4" />
      </button>
      <button
        type="button"
        data-block={block.id}
        className="flex min-w-0 flex-1 items-center gap-2 rounded-r-lg py-2 pr-3 pl-1.5 text-left hover:bg-sunken"
        onClick={() => onOpen(block.id)}
      >
        <span className="sr-only">Edit</span>{' '}
        <span className="min-w-0 flex-1">
          <span className="block text-[0.8125rem] font-medium">{labelOf(block.type)}</span>{' '}
          {summary && <span className="block truncate text-[0.8125rem] text-muted">{summary}</span>}
        </span>
        {faults > 0 && (
          <>
            {' '}
            <Badge tone="bad">Error</Badge>
          </>
        )}
      </button>
    </li>
  );
}
