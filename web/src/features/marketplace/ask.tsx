import { lazy, Suspense } from 'react';
import type { AskProps } from './ask-dialog';

const AskDialog = lazy(() => import('./ask-dialog').then((module) => ({ default: module.AskDialog })));

/** The question before something that binds. Its frame is fetched when the first one is asked. */
export const Ask = (props: AskProps) => (
  <Suspense>
    <AskDialog {...props} />
  </Suspense>
);
