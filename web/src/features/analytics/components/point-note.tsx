import type { ReactNode } from 'react';

/** The line under a drawing that names the active point. Its place is reserved, so that nothing moves. */
export function PointNote({ children }: { readonly children: ReactNode }) {
  return (
    <p aria-hidden className="mt-1 h-10 overflow-hidden text-center text-[0.8125rem] text-muted tabular">
      {children}
    </p>
  );
}
