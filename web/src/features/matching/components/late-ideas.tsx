// Ideas and niches, fetched when they are first shown: a page that is about other things does not pay for them.
import { lazy, Suspense, type ComponentProps } from 'react';
import { Boundary } from '@/components/data/boundary';
import { Empty, Loading } from '@/components/data/states';

const Panel = lazy(() => import('./ideas').then((module) => ({ default: module.IdeasPanel })));

export type { ProgramLink } from './ideas';

export function IdeasPanel(props: ComponentProps<typeof Panel>) {
  return (
    <Boundary fallback={<Empty>Ideas could not be loaded. Reload the page.</Empty>}>
      <Suspense fallback={<Loading label="Loading ideas" />}>
        <Panel {...props} />
      </Suspense>
    </Boundary>
  );
}
