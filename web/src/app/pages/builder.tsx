import { Link, useNavigate } from '@tanstack/react-router';
import { buttonClass } from '@/components/ui/button';
import { SiteList } from '@/features/publishing/components/site-list';
import { Page } from './page';

export function BuilderPage() {
  const navigate = useNavigate();
  return (
    <Page title="Website builder" subtitle="Build, publish and measure your own sites">
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
        onCreated={(site) => void navigate({ to: '/builder/$site', params: { site } })}
      />
    </Page>
  );
}
