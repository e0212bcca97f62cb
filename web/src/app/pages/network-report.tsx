import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { buttonClass } from '@/components/ui/button';
import { isMissing } from '@/lib/api/errors';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { browserTimezone, formatDateTime } from '@/lib/dates';
import { sizeText } from '@/components/form/file-drop';
import { networkOf } from '@/lib/networks/postback';
import type { FlatSearch } from '@/lib/url/search';
import { importQuery } from '@/features/networks/api/imports';
import { ImportView } from '@/features/networks/components/import-view';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

/** One report: what it asks, changes and changed. */
export function NetworkReportPage() {
  const navigate = useNavigate();
  const { id } = useParams({ from: '/member/conversions/networks/$id' });
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const found = useQuery(importQuery(id));
  const missing = !found.data && isMissing(found.error);
  useTitle(found.data?.fileName, { missing });
  if (missing) return <NotFound />;
  const website = websites.data?.find((item) => item.id === found.data?.websiteId);
  const search: FlatSearch = website ? { website: website.id } : {};
  const told = found.data && [
    `Report of ${networkOf(found.data.network)?.label ?? found.data.network} for ${website?.domain ?? 'a website'}`,
    sizeText(found.data.fileSize),
    `uploaded ${formatDateTime(found.data.uploadedAt, website?.timezone ?? browserTimezone())}`,
  ];
  return (
    <Page
      title={found.data?.fileName ?? 'Network report'}
      {...(told ? { subtitle: told.join(' · ') } : {})}
      tools={
        <Link to="/conversions/networks" search={search} className={buttonClass()}>
          <ChevronLeft aria-hidden className="size-4" />
          All reports
        </Link>
      }
    >
      <ImportView
        id={id}
        website={website}
        partners={partners.data ?? []}
        onUploadAgain={(network) => void navigate({ to: '/conversions/networks', search: { ...search, network } })}
      />
    </Page>
  );
}
