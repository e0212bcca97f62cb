import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { cx } from '@/lib/cx';
import { Button } from './button';
import { closeTopOverlay } from './overlays';
import { dismissToast, TOAST_DURATION_MS, useToasts } from '@/stores/toasts';

export function Toaster() {
  const items = useToasts((state) => state.items);
  return (
    <Radix.Provider duration={TOAST_DURATION_MS} swipeDirection="right" swipeThreshold={50}>
      {items.map((item) => (
        <Radix.Root
          key={item.id}
          open={item.open}
          {...(item.durationMs ? { duration: item.durationMs } : {})}
          onOpenChange={(open) => {
            if (!open) dismissToast(item.id);
          }}
          data-toast
          // A toast is the topmost layer: without this, Escape in a dialog would close the toast instead of the dialog.
          onEscapeKeyDown={(event) => {
            const inside = event.target instanceof Element && event.target.closest('[data-toast]');
            if (!inside && closeTopOverlay()) event.preventDefault();
          }}
          className={cx(
            'animate-rise-in relative rounded-xl border py-3.5 pr-11 pl-4 shadow-pop',
            'data-[swipe=move]:translate-x-[var(--radix-toast-swipe-move-x)] data-[swipe=end]:translate-x-full',
            item.tone === 'destructive'
              ? 'border-transparent bg-bad-solid text-white'
              : 'border-line bg-raised text-text',
          )}
        >
          <Radix.Title className="font-semibold">{item.title}</Radix.Title>
          {item.description && <Radix.Description className="mt-0.5">{item.description}</Radix.Description>}
          {item.action && (
            <Radix.Action asChild altText={item.action.label}>
              <Button size="sm" className="mt-2" onClick={item.action.run}>
                {item.action.label}
              </Button>
            </Radix.Action>
          )}
          <Radix.Close aria-label="Dismiss" className="absolute top-2.5 right-2.5 rounded-md p-1.5 hover:bg-black/10">
            <X aria-hidden className="size-4" />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport
        hotkey={['F8']}
        className="fixed right-0 bottom-0 z-toast flex w-full max-w-[420px] flex-col gap-2 p-4 outline-none"
      />
    </Radix.Provider>
  );
}
