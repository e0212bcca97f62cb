import { Download } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { downloadBlob } from '@/lib/files/download';
import { exportSite, removeSite } from '../api/sites';
import type { OpenDocument } from '../hooks/use-document';
import type { SiteDocument } from '../lib/document';
import type { Site } from '../lib/types';
import { LogoField } from './logo-field';
import type { SiteFaults } from './site-editor';

interface Props {
  readonly site: Site;
  readonly document: SiteDocument;
  readonly faults: SiteFaults;
  readonly change: OpenDocument<SiteDocument>['change'];
  readonly onRemoved: () => void;
}

const FIELDS = [
  ['name', 'Name', 'In the header of each page', 80],
  ['author', 'Author', 'Who writes the reviews. Search engines show it. Blank: the site', 80],
  ['language', 'Language', 'A code, such as en, de or pt-BR', 12],
] as const;

export function SettingsPanel({ site, document, faults, change, onRemoved }: Props) {
  const [removing, setRemoving] = useState(false);
  const remove = useCommand(removeSite, { onSuccess: onRemoved });
  const zip = useCommand(exportSite, { onSuccess: (blob) => downloadBlob(`${site.slug}.zip`, blob) });
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <Card title="Settings">
        <div className="flex flex-col gap-4">
          {FIELDS.map(([field, label, hint, maxLength]) => (
            <TextField
              key={field}
              label={label}
              hint={hint}
              maxLength={maxLength}
              value={document[field]}
              error={faults[field]}
              onChange={(event) =>
                change(`Edit ${label.toLowerCase()}`, (before) => ({ ...before, [field]: event.target.value }), field)
              }
            />
          ))}
          <LogoField
            siteId={site.id}
            value={document.logo ?? null}
            error={faults['logo']}
            onChange={(logo) => change(logo ? 'Set logo' : 'Remove logo', (before) => ({ ...before, logo }), 'logo')}
          />
        </div>
      </Card>
      <Card
        title="Export"
        description="All pages and images as a zip that any static host serves. Tracked links keep counting there. Newsletter forms are included once the site is published."
      >
        <Button className="self-start" busy={zip.isPending} onClick={() => zip.mutate(site.id)}>
          <Download aria-hidden className="size-4" />
          Export zip
        </Button>
      </Card>
      <Card
        title="Remove site"
        description="Removes its pages, versions, releases, images and subscribers. Analytics stay."
      >
        <Button variant="danger" className="self-start" busy={remove.isPending} onClick={() => setRemoving(true)}>
          Remove site
        </Button>
      </Card>
      {removing && (
        <ConfirmDialog
          title={`Remove ${site.name}?`}
          description="Visitors no longer find it, and its content is deleted. This can't be undone."
          action="Remove site"
          onClose={() => setRemoving(false)}
          onConfirm={() => remove.mutate(site.id)}
        />
      )}
    </div>
  );
}
