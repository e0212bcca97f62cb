import { Badge } from '@/components/ui/badge';
import type { SiteSummary } from '../lib/types';

export function SiteBadge({ site }: { readonly site: Pick<SiteSummary, 'published' | 'hasChanges'> }) {
  if (site.published === null) return <Badge>Not published</Badge>;
  return (
    <>
      <Badge tone="good">Published</Badge>
      {site.hasChanges && <Badge tone="warn">Unpublished changes</Badge>}
    </>
  );
}
