import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

/** Names an icon button on hover and focus; the button keeps its own accessible name. */
export function Tooltip({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content sideOffset={6} className="animate-fade-in z-50 rounded-md bg-text px-2 py-1 text-xs text-canvas">
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
