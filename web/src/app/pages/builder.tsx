import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { ideasQuery, type Idea } from '@/features/matching/api/ideas';
import { SiteList } from '@/features/publishing/components/site-list';
import { templateOf, type IdeaStart } from '@/features/publishing/lib/idea-start';
import { textOf } from '@/lib/search';
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

/** What an idea gives the site to begin with; undefined: nothing, or its texts are on their way. */
function useStart(): IdeaStart | undefined {
  const search = useSearch({ from: '/member/builder' });
  const [starter, id] = [textOf(search['starter']), textOf(search['idea'])];
  const found = useQuery({ ...ideasQuery, enabled: id !== undefined });
  if (starter === undefined && id === undefined) return undefined;
  if (id !== undefined && found.isPending) return undefined;
  const idea = [...(found.data?.saved ?? []), ...(found.data?.ideas ?? [])].find((each) => each.id === id);
  return { name: idea?.name ?? '', niche: templateOf(starter), article: articleOf(idea) };
}

function articleOf(idea: Idea | undefined): IdeaStart['article'] {
  const [first] = idea?.plan ?? [];
  return first ? { title: first.title, outline: first.outline } : null;
}
