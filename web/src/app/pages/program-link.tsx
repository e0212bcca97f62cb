import { lazy, Suspense } from 'react';
import { Boundary } from '@/components/data/boundary';
import type { ProgramLink } from '@/features/matching/components/late-ideas';

const ProgramLinkDialog = lazy(() =>
  import('./program-link-dialog').then((module) => ({ default: module.ProgramLinkDialog })),
);

/** The dialog for a tracked link to a program, fetched when it is first opened. */
export const programLink: ProgramLink = (program, onClose) => (
  <Boundary fallback={null}>
    <Suspense fallback={null}>
      <ProgramLinkDialog program={program} onClose={onClose} />
    </Suspense>
  </Boundary>
);
