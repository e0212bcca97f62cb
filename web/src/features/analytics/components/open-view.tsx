import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Loading } from '@/components/data/states';
import { toastError } from '@/stores/toasts';
import { viewsQuery } from '../api/views';
import { applyLayout } from '../hooks/use-layout';
import { DEFAULT_VIEW } from '../lib/open-view';
import type { AnalyticsState } from '../lib/search';
import { layoutOf, withView } from '../lib/views';

interface Props {
  readonly websiteId: string;
  readonly state: AnalyticsState;
  /** The id of a view, or `default`: the website's. */
  readonly opens: string;
  readonly onChange: (state: AnalyticsState, replace: boolean) => void;
}

/** Applies the view that the address opens, and takes it out of the address. */
export function OpenView({ websiteId, state, opens, onChange }: Props) {
  const views = useQuery(viewsQuery(websiteId));
  const isKnown = views.isSuccess || views.isError;
  const opened = useRef(false);
  useEffect(() => {
    if (!isKnown || opened.current) return;
    opened.current = true;
    const view = views.data?.find(({ id, isDefault }) => (opens === DEFAULT_VIEW ? isDefault : id === opens));
    if (view) applyLayout(websiteId, layoutOf(view));
    else if (opens !== DEFAULT_VIEW) toastError('View not found', 'It was deleted, or you have no access to it.');
    onChange(view ? withView(state, view) : state, true);
  });
  return <Loading label="Opening the view" />;
}
