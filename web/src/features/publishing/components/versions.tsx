// Earlier versions of a page or of a site's document. Restoring makes a new version.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ErrorBox, Loading } from '@/components/data/states';
import { When } from '@/components/data/when';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useCommand } from '@/lib/api/command';
import { siteVersionsQuery, versionsQuery } from '../api/sites';
import type { PageVersion } from '../lib/types';

interface Props {
  readonly current: number;
  readonly onRestore: (version: number) => Promise<void>;
  readonly onClose: () => void;
}

export function PageVersions({
  siteId,
  pageId,
  ...rest
}: Props & { readonly siteId: string; readonly pageId: string }) {
  return <VersionsDialog {...rest} what="page" versions={useQuery(versionsQuery(siteId, pageId))} />;
}

export function SiteVersions({ siteId, ...rest }: Props & { readonly siteId: string }) {
  return <VersionsDialog {...rest} what="site" versions={useQuery(siteVersionsQuery(siteId))} />;
}

interface DialogProps extends Props {
  readonly what: string;
  readonly versions: UseQueryResult<readonly PageVersion[]>;
}

function VersionsDialog({ what, versions, current, onRestore, onClose }: DialogProps) {
  const restore = useCommand({ send: onRestore }, { onSuccess: onClose });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Versions"
      description={`Each saved change of this ${what}, newest first. Restoring keeps all versions.`}
    >
      {restore.error && <ErrorBox className="mb-3" error={restore.error} prefix="Failed to restore" />}
      {versions.error && <ErrorBox error={versions.error} onRetry={() => void versions.refetch()} />}
      {versions.isPending && <Loading label="Loading versions" />}
      {versions.data && (
        <ul aria-label="Versions" className="flex flex-col divide-y divide-line">
          {versions.data.map(({ version, savedAt, restoredFrom }) => (
            <li key={version} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
              <span>
                <span className="font-medium">{`Version ${version}`}</span>{' '}
                <span className="text-muted">
                  <When at={savedAt} />
                  {restoredFrom !== null && ` · restored from version ${restoredFrom}`}
                </span>
              </span>
              {version === current ? (
                <Badge tone="brand">Current</Badge>
              ) : (
                <Button
                  size="sm"
                  aria-label={`Restore version ${version}`}
                  busy={restore.isPending && restore.variables === version}
                  disabled={restore.isPending}
                  onClick={() => restore.mutate(version)}
                >
                  Restore
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
