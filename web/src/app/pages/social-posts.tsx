import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { opened } from '@/components/data/opened';
import { Empty, ErrorBox, Loading, Skeleton } from '@/components/data/states';
import { buttonClass } from '@/components/ui/button';
import { Select } from '@/components/ui/field';
import type { Website } from '@/lib/api/types';
import { textOf } from '@/lib/url/search';
import { websitesQuery } from '@/lib/api/shared-queries';
import { channelsQuery } from '@/features/social/api/channels';
import { ImportFile } from '@/features/social/components/import-file';
import { PostsCard } from '@/features/social/components/posts-card';
import { RangeSelect } from '@/features/social/components/range-select';
import { readReport, type ReportRange } from '@/features/social/lib/report';
import { NoWebsites } from './no-websites';
import { Page } from './page';

const AddPost = opened(
  () => import('@/features/social/components/add-post').then((module) => module.AddPost),
  <Skeleton className="h-64" />,
);

/** The posts of one social channel. */
export function SocialPostsPage() {
  const search = useSearch({ from: '/member/links/channels/posts' });
  const websites = useQuery(websitesQuery);
  const website = websites.data?.find((item) => item.id === textOf(search['website'])) ?? websites.data?.[0];
  if (website) return <PostsOf website={website} wanted={textOf(search['channel'])} range={readReport(search).range} />;
  return (
    <Page title="Posts">
      {websites.error ? (
        <ErrorBox error={websites.error} onRetry={() => void websites.refetch()} />
      ) : websites.data ? (
        <NoWebsites />
      ) : (
        <Loading label="Loading websites" />
      )}
    </Page>
  );
}

interface Props {
  readonly website: Website;
  readonly wanted: string | undefined;
  readonly range: ReportRange;
}

function PostsOf({ website, wanted, range }: Props) {
  const navigate = useNavigate();
  const channels = useQuery(channelsQuery(website.id));
  const channel = channels.data?.find((item) => item.id === wanted) ?? channels.data?.[0];
  const show = (part: { channel?: string; range?: string }) =>
    void navigate({
      to: '/links/channels/posts',
      search: { website: website.id, ...(channel ? { channel: channel.id } : {}), range, ...part },
      resetScroll: false,
    });
  return (
    <Page
      title="Posts"
      subtitle={`Posts of your social channels, for ${website.domain}`}
      tools={
        <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
          {channel && (
            <>
              <Select label="Channel" value={channel.id} onChange={(event) => show({ channel: event.target.value })}>
                {channels.data?.map((item) => (
                  <option key={item.id} value={item.id}>
                    {item.name}
                  </option>
                ))}
              </Select>
              <RangeSelect value={range} onChange={(next) => show({ range: next })} />
            </>
          )}
          <Link to="/links/channels/report" search={{ website: website.id }} className={buttonClass()}>
            Social revenue
          </Link>
          <Link to="/links/channels" search={{ website: website.id }} className={buttonClass()}>
            Social channels
          </Link>
        </div>
      }
    >
      {channels.error && !channels.data ? (
        <ErrorBox error={channels.error} prefix="Error loading channels" onRetry={() => void channels.refetch()} />
      ) : !channels.data ? (
        <Loading label="Loading channels" />
      ) : channel ? (
        <div key={channel.id} className="flex flex-col gap-5">
          <PostsCard channel={channel} range={range} />
          <AddPost channel={channel} />
          <ImportFile channel={channel} />
        </div>
      ) : (
        <Empty title="No social channels yet">Add a channel first, then its posts.</Empty>
      )}
    </Page>
  );
}
