import { Popover as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { useOverlay } from './overlays';

interface Props {
  readonly label: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

export function Popover({ label, open, onOpenChange, trigger, align = 'end', children }: Props) {
  useOverlay(open, () => onOpenChange(false));
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={12}
          className="animate-fade-in z-40 w-[min(20rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-4 shadow-pop"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
