import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { websitesQuery } from '@/lib/api/shared-queries';
import { RangeSelect } from '@/features/social/components/range-select';
import { ReportPanel } from '@/features/social/components/report-panel';
import { readReport, writeReport, type ReportState } from '@/features/social/lib/report';
import { NoWebsites } from './no-websites';
import { Page } from './page';

export function SocialReportPage() {
  const navigate = useNavigate();
  const state = readReport(useSearch({ from: '/member/links/channels/report' }));
  const websites = useQuery(websitesQuery);
  const website = websites.data?.find((item) => item.id === state.website) ?? websites.data?.[0];
  const change = (part: Partial<ReportState>) =>
    void navigate({ to: '/links/channels/report', search: writeReport({ ...state, ...part }), resetScroll: false });
  return (
    <Page
      title="Social revenue"
      subtitle="What each channel and post reaches and earns"
      tools={
        <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
          {website && (
            <>
              <Select
                label="Website"
                className="lg:hidden"
                value={website.id}
                onChange={(event) => change({ website: event.target.value })}
              >
                {websites.data?.map((item) => (
                  <option key={item.id} value={item.id}>
                    {item.domain}
                  </option>
                ))}
              </Select>
              <RangeSelect value={state.range} onChange={(range) => change({ range })} />
            </>
          )}
          <Link to="/links/channels" search={website ? { website: website.id } : {}} className={buttonClass()}>
            Social channels
          </Link>
        </div>
      }
    >
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <ReportPanel
          website={website}
          state={state}
          onChange={change}
          posts={(channel) => (
            <Link
              to="/links/channels/posts"
              search={{ website: website.id, channel: channel.channelId }}
              aria-label={`Posts of ${channel.name}`}
              className={buttonClass({ size: 'sm' })}
            >
              Posts
            </Link>
          )}
        />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}
