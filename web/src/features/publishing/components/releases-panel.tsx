import { useQuery } from '@tanstack/react-query';
import { Empty, ErrorBox, Loading } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { publishRelease, releasesQuery } from '../api/sites';
import type { Site } from '../lib/types';

export function ReleasesPanel({ site }: { readonly site: Site }) {
  const releases = useQuery(releasesQuery(site.id));
  const rollBack = useCommand(publishRelease(site.id));
  return (
    <Card
      title="Releases"
      description="Each time you published, newest first. Publish an earlier release to roll back."
    >
      {releases.error && <ErrorBox error={releases.error} onRetry={() => void releases.refetch()} />}
      {releases.isPending && <Loading label="Loading releases" />}
      {releases.data?.length === 0 && (
        <Empty title="Not published yet">Publish the site to make its first release.</Empty>
      )}
      {releases.data && releases.data.length > 0 && (
        <ul aria-label="Releases" className="flex flex-col divide-y divide-line">
          {releases.data.map(({ number, publishedAt, restoredFrom, isShown, pages }) => (
            <li key={number} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5">
              <span>
                <span className="font-medium">{`Release ${number}`}</span>{' '}
                <span className="text-muted">
                  <When at={publishedAt} />
                  {` · ${pages} ${pages === 1 ? 'page' : 'pages'}`}
                  {restoredFrom !== null && ` · same as release ${restoredFrom}`}
                </span>
              </span>
              {isShown ? (
                <Badge tone="good">Visitors see this</Badge>
              ) : (
                <Button
                  size="sm"
                  aria-label={`Publish again: release ${number}`}
                  busy={rollBack.isPending && rollBack.variables === number}
                  disabled={rollBack.isPending}
                  onClick={() => rollBack.mutate(number)}
                >
                  Publish again
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
