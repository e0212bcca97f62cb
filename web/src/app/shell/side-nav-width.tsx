import type { ReactNode } from 'react';
import { cx } from '@/lib/cx';
import { useMedia } from '@/lib/browser/media';
import { useUi } from '@/stores/ui';

/** Whether the full side navigation is shown, not the rail of icons: as chosen, else where it fits. */
export function useSideNavIsFull(): boolean {
  const roomy = useMedia('(min-width: 1280px)');
  const choice = useUi((state) => state.sideNav);
  return choice === null ? roomy : choice === 'full';
}

/** The place of the side navigation, which keeps its width while that is being loaded. */
export function SideNavPlace({ children }: { readonly children: ReactNode }) {
  return (
    <aside
      aria-label="Side navigation"
      className={cx(
        'sticky top-14 hidden h-[calc(100dvh-3.5rem)] shrink-0 flex-col border-r border-line bg-canvas lg:flex print:hidden',
        useSideNavIsFull() ? 'w-56' : 'w-14',
      )}
    >
      {children}
    </aside>
  );
}
