import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { isMissing } from '@/lib/api/errors';
import { partnersQuery, websitesQuery } from '@/lib/api/shared-queries';
import { linkQuery } from '@/features/links/api/links';
import { CreateLink } from '@/features/links/components/dialogs';
import { LinkActions, LinkDialog, type OpenLink } from '@/features/links/components/link-actions';
import { LinkView } from '@/features/links/components/link-view';
import { RANGE_NAMES, RANGES, readState } from '@/features/links/lib/search';
import { NotFound } from '../not-found';
import { useTitle } from '../use-title';
import { Page } from './page';

/** One tracked link. */
export function LinkPage() {
  const { id } = useParams({ from: '/member/links/$id' });
  const { range } = readState(useSearch({ from: '/member/links/$id' }));
  const navigate = useNavigate();
  const read = useQuery(linkQuery(id));
  const websites = useQuery(websitesQuery);
  const partners = useQuery(partnersQuery);
  const [open, setOpen] = useState<OpenLink | null>(null);
  const [isCopying, setCopying] = useState(false);
  const link = read.data;
  const website = websites.data?.find((item) => item.id === link?.websiteId);
  const missing = isMissing(read.error) || (link !== undefined && websites.data !== undefined && !website);
  useTitle(link?.slug, { missing });
  if (missing) return <NotFound />;
  const error = read.error ?? websites.error;
  return (
    <Page
      title={link?.slug ?? 'Link'}
      {...(link && website ? { subtitle: `${link.partnerName ?? 'Partner'} · ${website.domain}` } : {})}
      tools={
        link &&
        website && (
          <div className="flex flex-wrap items-center gap-2">
            <Link to="/links" search={{ website: website.id }} className={buttonClass()}>
              <ChevronLeft aria-hidden className="size-4" />
              All links
            </Link>
            <Link to="/analytics" search={{ website: website.id, f: `is,link,${link.id}` }} className={buttonClass()}>
              View in Analytics
            </Link>
            <Select
              label="Range"
              value={range}
              onChange={(event) =>
                void navigate({
                  to: '/links/$id',
                  params: { id },
                  search: { range: event.target.value },
                  resetScroll: false,
                })
              }
            >
              {RANGES.map((item) => (
                <option key={item} value={item}>
                  {RANGE_NAMES[item]}
                </option>
              ))}
            </Select>
            <LinkActions link={link} onOpen={setOpen} onDuplicate={() => setCopying(true)} />
          </div>
        )
      }
    >
      {link && website ? (
        <>
          <LinkView website={website} link={link} range={range} />
          {open && (
            <LinkDialog
              open={open}
              onClose={() => setOpen(null)}
              onRemoved={() => void navigate({ to: '/links', search: { website: website.id } })}
            />
          )}
          {isCopying && (
            <CreateLink websites={[website]} partners={partners} like={link} onClose={() => setCopying(false)} />
          )}
        </>
      ) : error ? (
        <ErrorBox error={error} prefix="Error loading the link" onRetry={() => void read.refetch()} />
      ) : (
        <Loading label="Loading link" />
      )}
    </Page>
  );
}
