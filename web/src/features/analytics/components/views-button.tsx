import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { lazy, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LatePopover } from '@/components/ui/late-popover';
import type { Website } from '@/lib/api/types';
import { viewsQuery } from '../api/views';
import { useLayout } from '../hooks/use-layout';
import type { AnalyticsState } from '../lib/search';
import { isModified } from '../lib/views';

const ViewsPanel = lazy(() => import('./views-panel').then((module) => ({ default: module.ViewsPanel })));

interface Props {
  readonly website: Website;
  readonly state: AnalyticsState;
  readonly onChange: (state: AnalyticsState) => void;
}

/** Names the view in force, and opens the list of all. */
export function ViewsButton({ website, state, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const views = useQuery({ ...viewsQuery(website.id), enabled: open || state.view !== null });
  const layout = useLayout(website.id);
  const view = views.data?.find(({ id }) => id === state.view);
  return (
    <LatePopover
      label="Saved views"
      align="start"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" variant="outline" className="max-w-64 min-w-0">
          <Bookmark aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">
            <span className={view ? 'sr-only' : undefined}>Views</span>
            {view && ` ${view.name}`}
          </span>{' '}
          {view && isModified(view, state, layout) && <span className="shrink-0 text-muted">modified</span>}
        </Button>
      }
    >
      <ViewsPanel website={website} state={state} layout={layout} onChange={onChange} onDone={() => setOpen(false)} />
    </LatePopover>
  );
}
