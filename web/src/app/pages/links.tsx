import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import { LinksPanel } from '@/features/links/components/links-panel';
import { RANGE_NAMES, RANGES, readState, writeState, type LinksState } from '@/features/links/lib/search';
import { NoWebsites } from './no-websites';
import { Page } from './page';

export function LinksPage() {
  const navigate = useNavigate();
  const state = readState(useSearch({ from: '/member/links' }));
  const websites = useQuery(websitesQuery);
  const website = websites.data?.find((item) => item.id === state.website) ?? websites.data?.[0];
  const change = (part: Partial<LinksState>) =>
    void navigate({
      to: '/links',
      search: writeState({ ...state, ...part }),
      resetScroll: false,
      replace: 'search' in part, // not one step back for each letter
    });
  return (
    <Page
      title="Links"
      subtitle="Create, organize and measure tracked links"
      tools={
        website ? (
          <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
            <Link to="/links/channels" className={buttonClass()}>
              Social channels
            </Link>
            <Link to="/links/partners" className={buttonClass()}>
              My partners
            </Link>
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) => change({ website: event.target.value, tag: null, folder: null, partner: null })}
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
            <Select
              label="Range"
              value={state.range}
              onChange={(event) => change({ range: RANGES.find((item) => item === event.target.value) ?? '30d' })}
            >
              {RANGES.map((item) => (
                <option key={item} value={item}>
                  {RANGE_NAMES[item]}
                </option>
              ))}
            </Select>
          </div>
        ) : (
          websites.data && null
        )
      }
    >
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} prefix="Error loading links" onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <LinksPanel
          key={website.id}
          website={website}
          state={state}
          onChange={change}
          onDetails={({ id }) => void navigate({ to: '/links/$id', params: { id }, search: { range: state.range } })}
        />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}
