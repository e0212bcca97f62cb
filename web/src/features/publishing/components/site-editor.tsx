// One site: its pages and menu, theme, settings, address, releases and subscribers.
import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink, History } from 'lucide-react';
import { lazy, Suspense, useMemo, useState, type MouseEventHandler, type ReactNode } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Tabs } from '@/components/ui/tabs';
import { ApiError } from '@/lib/api/errors';
import { saveSite, siteQuery, siteVersionQuery } from '../api/sites';
import { useDocument } from '../hooks/use-document';
import { useUndoKeys } from '../hooks/use-undo-keys';
import type { SiteDocument, SitePage } from '../lib/document';
import { isSite } from '../lib/shape';
import type { Site } from '../lib/types';
import { PagesPanel } from './pages-panel';
import { PublishButtons } from './publish-buttons';
import { SaveStatus, UndoButtons } from './save-status';
import { SiteBadge } from './site-badge';

const AddressPanel = lazy(() => import('./address-panel').then((module) => ({ default: module.AddressPanel })));
const ReleasesPanel = lazy(() => import('./releases-panel').then((module) => ({ default: module.ReleasesPanel })));
const SettingsPanel = lazy(() => import('./settings-panel').then((module) => ({ default: module.SettingsPanel })));
const SiteConflict = lazy(() => import('./conflict').then((module) => ({ default: module.SiteConflict })));
const SiteVersions = lazy(() => import('./versions').then((module) => ({ default: module.SiteVersions })));
const SubscribersPanel = lazy(() =>
  import('./subscribers-panel').then((module) => ({ default: module.SubscribersPanel })),
);
const ThemePanel = lazy(() => import('./theme-panel').then((module) => ({ default: module.ThemePanel })));

export const SITE_TABS = ['pages', 'theme', 'settings', 'address', 'releases', 'subscribers'] as const;
export type SiteTab = (typeof SITE_TABS)[number];

interface Props {
  readonly site: Site;
  readonly tab: SiteTab;
  /** The page whose title and path are open. */
  readonly editing: string | null;
  readonly onTab: (tab: SiteTab) => void;
  /** `onClick` saves before the page opens: the server knows no page that is not saved. */
  readonly linkTo: (page: SitePage, onClick: MouseEventHandler) => ReactNode;
  readonly onOpen: (page: SitePage) => void;
  readonly onRemoved: () => void;
}

export function SiteEditor({ site, tab, editing, onTab, linkTo, onOpen, onRemoved }: Props) {
  const client = useQueryClient();
  const [versions, setVersions] = useState(false);
  const document = useDocument<SiteDocument>({
    name: `site:${site.id}`,
    version: site.documentVersion,
    value: site.document,
    conflict: 'site_changed',
    isValid: isSite,
    write: async (value, basedOn, restoredFrom) => {
      const made = await saveSite(site.id, {
        document: value,
        basedOn,
        ...(restoredFrom === undefined ? {} : { restoredFrom }),
      });
      return made.documentVersion;
    },
  });
  useUndoKeys(document.undo, document.redo);
  const { value, saved, rejection, change } = document;
  const saveAndOpen =
    (page: SitePage): MouseEventHandler =>
    (event) => {
      if (saved.status === 'saved') return;
      event.preventDefault();
      void document.flush().then((isSaved) => isSaved && onOpen(page));
    };
  const faults = useMemo(() => faultsOfSite(rejection?.error), [rejection]);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <UndoButtons document={document} />
        <Button onClick={() => setVersions(true)}>
          <History aria-hidden className="size-4" />
          Versions
        </Button>
        <SaveStatus saved={saved} onRetry={() => void document.flush()} />
        <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
          <SiteBadge site={site} />
          {site.published !== null && (
            <a className={buttonClass()} href={site.address} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden className="size-4" />
              View site
            </a>
          )}
          <PublishButtons site={site} beforePublish={document.flush} />
        </div>
      </div>
      {saved.status === 'conflict' && (
        <Suspense fallback={null}>
          <SiteConflict
            read={async () => {
              const latest = await client.fetchQuery({ ...siteQuery(site.id), staleTime: 0 });
              return { version: latest.documentVersion, value: latest.document };
            }}
            mine={value}
            onKeepMine={document.keepMine}
            onTakeTheirs={document.takeTheirs}
          />
        </Suspense>
      )}
      {saved.status === 'failed' && <ErrorBox error={saved.error} prefix="Not saved" />}
      <Tabs
        label="Site"
        value={tab}
        onChange={(id) => onTab(id as SiteTab)}
        tabs={[
          {
            id: 'pages',
            label: 'Pages',
            content: (
              <PagesPanel
                document={value}
                faults={faults}
                change={change}
                editing={editing}
                linkTo={(page) => linkTo(page, saveAndOpen(page))}
              />
            ),
          },
          { id: 'theme', label: 'Theme', content: late(<ThemePanel site={site} document={value} change={change} />) },
          {
            id: 'settings',
            label: 'Settings',
            content: late(
              <SettingsPanel site={site} document={value} faults={faults} change={change} onRemoved={onRemoved} />,
            ),
          },
          { id: 'address', label: 'Address', content: late(<AddressPanel site={site} />) },
          { id: 'releases', label: 'Releases', content: late(<ReleasesPanel site={site} />) },
          { id: 'subscribers', label: 'Subscribers', content: late(<SubscribersPanel site={site} />) },
        ]}
      />
      {versions && (
        <Suspense fallback={null}>
          <SiteVersions
            siteId={site.id}
            current={document.version()}
            onClose={() => setVersions(false)}
            onRestore={async (version) => {
              const earlier = await client.fetchQuery(siteVersionQuery(site.id, version));
              document.restore(earlier.document, version);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

const late = (panel: ReactNode) => <Suspense fallback={<Loading label="Loading" />}>{panel}</Suspense>;

/** Messages by place: `pages.2.path`. */
export type SiteFaults = Readonly<Record<string, string>>;

function faultsOfSite(error: unknown): SiteFaults {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.fields).map(([field, message]) => [field.replace(/^document\.?/, ''), message]),
  );
}
