import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { buttonClass } from './button';
import { InDialog, OVERLAY, useOverlay } from './overlays';
import { useReturnFocus } from './return-focus';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Sheets and drawers come from the right and fill the height: menus on phones, and details beside a list. */
  readonly as?: keyof typeof SHAPES;
  /** What it shows is shown only this once: a click beside it does not close it. */
  readonly once?: boolean;
}

const SHAPES = {
  dialog:
    'animate-rise-in top-[12vh] left-1/2 max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 rounded-2xl',
  sheet: 'animate-slide-in inset-y-0 right-0 w-[min(20rem,calc(100vw-3rem))]',
  /** For tables: as wide as the view allows, the whole of it on a phone. */
  wide: 'animate-rise-in inset-0 sm:inset-y-[5vh] sm:inset-x-auto sm:left-1/2 sm:w-[min(78rem,calc(100vw-3rem))] sm:-translate-x-1/2 sm:rounded-2xl sm:p-6',
  drawer: 'animate-slide-in inset-y-0 right-0 w-[min(42rem,100vw)] sm:p-6',
} as const;

export function Dialog({ open, onOpenChange, title, description, children, as = 'dialog', once = false }: Props) {
  useOverlay(open, () => onOpenChange(false));
  const focus = useReturnFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade-in fixed inset-0 z-overlay bg-black/45 backdrop-blur-[2px]" />
        <Radix.Content
          {...focus}
          {...OVERLAY}
          {...(once ? { onInteractOutside: (event: Event) => event.preventDefault() } : {})}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cx(
            'fixed z-overlay overflow-y-auto border border-line bg-raised p-5 shadow-pop focus:outline-none',
            SHAPES[as],
          )}
        >
          <div className="mb-4 pr-9">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            {description && <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>}
          </div>
          <InDialog value>{children}</InDialog>
          <Radix.Close
            aria-label="Close"
            className={buttonClass({ variant: 'ghost', size: 'icon' }, 'absolute top-3.5 right-3.5')}
          >
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
