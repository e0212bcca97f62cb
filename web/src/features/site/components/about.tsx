import { Link } from '@tanstack/react-router';
import { Database, Leaf, MapPin, Mountain, Scale, ShieldCheck, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { Hero, More, PointCard, Section, type Point } from './parts';

const WHY_ICELAND: readonly Point[] = [
  { Icon: Leaf, title: '100% green energy', text: 'Electricity from water and the heat of the earth. A server that counts clicks all night burns nothing for it.' },
  { Icon: Scale, title: 'Privacy as law', text: 'Iceland applies the European rules for personal data, and has stood up for the freedom of information when others did not.' },
  { Icon: Waves, title: 'Cool by nature', text: 'Cold air in place of cooling machines, and the same climate in January and July: hardware that runs evenly lasts.' },
  { Icon: Mountain, title: 'Between two continents', text: 'Sea cables lead to Europe and to North America. Visitors of both are answered without a detour around the world.' },
];

const TEAM_BADGES: readonly string[] = ['Security-focused', '10+ years in security', 'Based in Iceland', 'Open source'];

const TEAM: readonly { readonly name: string; readonly role: string; readonly bio: string; readonly initials: string; readonly colour: string }[] = [
  { name: 'Sigrún Helgadóttir', initials: 'SH', colour: 'bg-chart-1/20', role: 'Founder, security', bio: 'Spent ten years finding out how systems lose data before she built one that does not. Reads every incident report twice.' },
  { name: 'Ari Þorvaldsson', initials: 'AÞ', colour: 'bg-chart-2/20', role: 'Engineering', bio: 'Looks after the log and everything that is worked out from it. Believes that a number without its source is a rumour.' },
  { name: 'Embla Karlsdóttir', initials: 'EK', colour: 'bg-chart-4/20', role: 'Partners and publishers', bio: 'Ran review sites of her own, sold two and kept the spreadsheets. Knows what a late postback costs.' },
];

export function About({ contactAddress }: { readonly contactAddress: ReactNode }) {
  return (
    <>
      <Hero title="About Althing" text="Our mission: every affiliate marketer should see what really happened, at once and to the cent, without handing visitors over to anybody.">
        <span className="inline-flex items-center gap-1.5 rounded-full border border-line bg-surface px-3 py-1 font-medium">
          <MapPin aria-hidden className="size-4 text-brand" />
          Reykjavík, Iceland
        </span>
        {TEAM_BADGES.map((text) => <Badge key={text} tone="brand">{text}</Badge>)}
      </Hero>
      <Section title="Why Iceland" text="Where the oldest parliament met in the open, under the sky, and everybody could hear what was decided.">
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {WHY_ICELAND.map((point) => <PointCard key={point.title} {...point} />)}
        </ul>
      </Section>
      <Section title="The team" tinted>
        <ul className="grid gap-4 md:grid-cols-3">
          {TEAM.map(({ name, role, bio, initials, colour }) => (
            <li key={name} className={cx(surface, 'p-6')}>
              <span aria-hidden className={cx('grid size-14 place-items-center rounded-full text-lg font-semibold', colour)}>{initials}</span>
              <h3 className="mt-4 text-base font-semibold">{name}</h3>
              <p className="font-medium text-brand">{role}</p>
              <p className="mt-2 text-muted">{bio}</p>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="The company and its product" text="The Althing of 930 kept no books: a law was what had been spoken before all. Our product works alike.">
        <div className="grid gap-6 md:grid-cols-2">
          <div className="flex gap-4">
            <Database aria-hidden className="mt-1 size-6 shrink-0 text-brand" />
            <p className="text-base text-muted">
              Everything that happens, a click, a sale, a decision, is written into a log once and never changed. Dashboards, statements and alarms are worked out from it and can be
              worked out again, so that a figure of last year still has its reasons today. The code is open, and you can run all of it on a machine of your own.
            </p>
          </div>
          <div className="flex gap-4">
            <ShieldCheck aria-hidden className="mt-1 size-6 shrink-0 text-brand" />
            <div className="text-base text-muted">
              <p>
                Visitors are counted without being followed: no address is stored, no cookie is set by the measuring script, and personal data of members lies encrypted with a key for
                each person, which is destroyed when they leave.
              </p>
              <p className="mt-3 text-sm"><More to="/privacy">What exactly is kept</More></p>
            </div>
          </div>
        </div>
      </Section>
      <Section id="contact" title="Contact" text="We reply within 24 hours." tinted>
        <div className="flex flex-wrap items-center gap-3">
          <p className="mr-3 text-lg">{contactAddress}</p>
          <Link to="/login" className={buttonClass({ variant: 'primary', size: 'lg' })}>Join the Platform</Link>
        </div>
      </Section>
    </>
  );
}
