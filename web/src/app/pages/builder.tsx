import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { ideasQuery, type Idea } from '@/features/matching/api/ideas';
import { SiteList } from '@/features/publishing/components/site-list';
import { templateOf, type SiteStart } from '@/features/publishing/lib/site-start';
import { channelLinksQuery, channelsQuery } from '@/features/social/api/channels';
import { textOf } from '@/lib/url/search';
import { Page } from './page';

export function BuilderPage() {
  const navigate = useNavigate();
  const start = useStart();
  return (
    <Page
      title="Website builder"
      subtitle="Build, publish and measure your own sites"
      tools={
        <Link to="/help/$slug" params={{ slug: 'build-a-website' }} className="text-brand hover:underline">
          How it works
        </Link>
      }
    >
      <SiteList
        linkTo={(site) => (
          <Link to="/builder/$site" params={{ site: site.id }} className="after:absolute after:inset-0 hover:underline">
            {site.name}
          </Link>
        )}
        connect={
          <Link to="/onboarding" className={buttonClass({ variant: 'primary' })}>
            Connect Website
          </Link>
        }
        start={start}
        onStartClosed={() => void navigate({ to: '/builder', replace: true })}
        onCreated={(site, page) =>
          void (page === null
            ? navigate({ to: '/builder/$site', params: { site } })
            : navigate({ to: '/builder/$site/$page', params: { site, page } }))
        }
      />
    </Page>
  );
}

/** What the address gives the site to begin with; undefined: nothing, or it is on its way. */
function useStart(): SiteStart | undefined {
  const search = useSearch({ from: '/member/builder' });
  const [starter, idea] = [textOf(search['starter']), textOf(search['idea'])];
  const [website, channel] = [textOf(search['website']), textOf(search['channel'])];
  const ofIdea = useIdea(starter, idea);
  const ofChannel = useChannel(website, channel);
  return channel === undefined ? ofIdea : ofChannel;
}

function useIdea(starter: string | undefined, id: string | undefined): SiteStart | undefined {
  const found = useQuery({ ...ideasQuery, enabled: id !== undefined });
  if (starter === undefined && id === undefined) return undefined;
  if (id !== undefined && found.isPending) return undefined;
  const idea = [...(found.data?.saved ?? []), ...(found.data?.ideas ?? [])].find((each) => each.id === id);
  return { name: idea?.name ?? '', niche: templateOf(starter), article: articleOf(idea), links: null };
}

function articleOf(idea: Idea | undefined): SiteStart['article'] {
  const [first] = idea?.plan ?? [];
  return first ? { title: first.title, outline: first.outline } : null;
}

/** A link-in-bio page of a social channel. */
function useChannel(websiteId = '', id = ''): SiteStart | undefined {
  const enabled = websiteId !== '' && id !== '';
  const channels = useQuery({ ...channelsQuery(websiteId), enabled });
  const links = useQuery({ ...channelLinksQuery(websiteId, id), enabled });
  const channel = channels.data?.find((each) => each.id === id);
  if (!channel || !links.data) return undefined;
  const ids = links.data.filter((link) => link.isActive).map((link) => link.id);
  return { name: channel.name, niche: null, article: null, links: ids.length > 0 ? { websiteId, ids } : null };
}
