import { lazy, Suspense } from 'react';
import type { ActionProps } from './action-dialog';

const ActionDialog = lazy(() => import('./action-dialog').then((module) => ({ default: module.ActionDialog })));

/** Confirmation of a binding action. Its dialog is loaded on first use. */
export const Ask = (props: ActionProps) => (
  <Suspense>
    <ActionDialog {...props} />
  </Suspense>
);
