import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { OVERLAY, useInDialog, useOverlay } from './overlays';

interface Props {
  readonly label: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  /** For two months of a calendar side by side. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Popover({ label, open, onOpenChange, trigger, align = 'end', wide = false, children }: Props) {
  useOverlay(open, () => onOpenChange(false));
  const inDialog = useInDialog();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange} modal={inDialog}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          {...OVERLAY}
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={12}
          className={cx(
            'animate-fade-in z-overlay max-h-(--radix-popover-content-available-height) overflow-y-auto rounded-xl border border-line bg-raised p-4 shadow-pop',
            wide ? 'w-[min(21rem,calc(100vw-1.5rem))] min-[720px]:w-[42rem]' : 'w-[min(20rem,calc(100vw-2rem))]',
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
