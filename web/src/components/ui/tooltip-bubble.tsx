import { Tooltip as Radix } from 'radix-ui';

/** The tooltip's text next to its element. */
export function TooltipBubble({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <Radix.Provider>
      <Radix.Root
        open
        onOpenChange={(open) => {
          if (!open) onClose();
        }}
      >
        <Radix.Trigger asChild>
          <span aria-hidden className="pointer-events-none absolute inset-0" />
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            className="animate-fade-in z-overlay rounded-md bg-text px-2 py-1 text-xs text-canvas"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
