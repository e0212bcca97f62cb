import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ErrorBox, Loading } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import { textOf } from '@/lib/url/search';
import { websitesQuery } from '@/lib/api/shared-queries';
import { ChannelsPanel } from '@/features/social/components/channels-panel';
import { NoWebsites } from './no-websites';
import { Page } from './page';

export function SocialChannelsPage() {
  const navigate = useNavigate();
  const websites = useQuery(websitesQuery);
  const wanted = textOf(useSearch({ from: '/member/links/channels' })['website']);
  const website = websites.data?.find((item) => item.id === wanted) ?? websites.data?.[0];
  return (
    <Page
      title="Social channels"
      subtitle="Links for your social networks, and what they earn"
      tools={
        <div className="flex flex-wrap gap-2">
          {website && (
            <Select
              label="Website"
              className="lg:hidden"
              value={website.id}
              onChange={(event) => void navigate({ to: '/links/channels', search: { website: event.target.value } })}
            >
              {websites.data?.map((item) => (
                <option key={item.id} value={item.id}>
                  {item.domain}
                </option>
              ))}
            </Select>
          )}
          <Link to="/links/channels/report" search={website ? { website: website.id } : {}} className={buttonClass()}>
            Social revenue
          </Link>
          <Link to="/links" className={buttonClass()}>
            All links
          </Link>
        </div>
      }
    >
      {websites.error && !websites.data ? (
        <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />
      ) : !websites.data ? (
        <Loading label="Loading websites" />
      ) : website ? (
        <ChannelsPanel
          website={website}
          posts={(channel) => (
            <Link
              to="/links/channels/posts"
              search={{ website: website.id, channel: channel.id }}
              aria-label={`Posts of ${channel.name}`}
              className={buttonClass({ size: 'sm' })}
            >
              Posts
            </Link>
          )}
          bioPage={(channel) => (
            <Link
              to="/builder"
              search={{ website: website.id, channel: channel.id }}
              aria-label={`Bio page of ${channel.name}`}
              className={buttonClass({ size: 'sm' })}
            >
              Bio page
            </Link>
          )}
        />
      ) : (
        <NoWebsites />
      )}
    </Page>
  );
}
