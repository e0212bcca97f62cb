import { Link } from '@tanstack/react-router';
import { Database, Leaf, MapPin, Mountain, Scale, ShieldCheck, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { Hero, More, PointCard, Section, type Point } from './parts';

const WHY_ICELAND: readonly Point[] = [
  {
    Icon: Leaf,
    title: '100% green energy',
    text: 'Electricity from hydropower and geothermal energy. Our servers run without fossil fuels.',
  },
  {
    Icon: Scale,
    title: 'Strong privacy law',
    text: 'Iceland applies the European rules for personal data, and has strong laws for freedom of information.',
  },
  {
    Icon: Waves,
    title: 'Cool by nature',
    text: 'Cold outside air replaces cooling machines, and a steady climate makes hardware last longer.',
  },
  {
    Icon: Mountain,
    title: 'Between two continents',
    text: 'Sea cables lead to Europe and to North America. Low latency for visitors on both sides of the Atlantic.',
  },
];

const TEAM_BADGES: readonly string[] = ['Security-focused', '10+ years in security', 'Based in Iceland', 'Open source'];

const TEAM: readonly {
  readonly name: string;
  readonly role: string;
  readonly bio: string;
  readonly initials: string;
  readonly colour: string;
}[] = [
  {
    name: 'Sigrún Helgadóttir',
    initials: 'SH',
    colour: 'bg-chart-1/20',
    role: 'Founder, security',
    bio: 'Spent ten years investigating how systems lose data, then built one that does not. Reads every incident report twice.',
  },
  {
    name: 'Ari Þorvaldsson',
    initials: 'AÞ',
    colour: 'bg-chart-2/20',
    role: 'Engineering',
    bio: 'Maintains the event log and everything calculated from it. Believes that every number needs a source.',
  },
  {
    name: 'Embla Karlsdóttir',
    initials: 'EK',
    colour: 'bg-chart-4/20',
    role: 'Partners and publishers',
    bio: 'Ran her own review sites and sold two. Knows what a late postback costs.',
  },
];

export function About({ contactAddress }: { readonly contactAddress: ReactNode }) {
  return (
    <>
      <Hero
        title="About Althing"
        text="Our mission: every affiliate marketer should see exact results in real time, without sharing visitor data with third parties."
      >
        <span className="inline-flex items-center gap-1.5 rounded-full border border-line bg-surface px-3 py-1 font-medium">
          <MapPin aria-hidden className="size-4 text-brand" />
          Reykjavík, Iceland
        </span>
        {TEAM_BADGES.map((text) => (
          <Badge key={text} tone="brand">
            {text}
          </Badge>
        ))}
      </Hero>
      <Section title="Why Iceland" text="Green energy, strong privacy law and fast connections to two continents.">
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {WHY_ICELAND.map((point) => (
            <PointCard key={point.title} {...point} />
          ))}
        </ul>
      </Section>
      <Section title="The team" tinted>
        <ul className="grid gap-4 md:grid-cols-3">
          {TEAM.map(({ name, role, bio, initials, colour }) => (
            <li key={name} className={cx(surface, 'p-6')}>
              <span
                aria-hidden
                className={cx('grid size-14 place-items-center rounded-full text-lg font-semibold', colour)}
              >
                {initials}
              </span>
              <h3 className="mt-4 text-base font-semibold">{name}</h3>
              <p className="font-medium text-brand">{role}</p>
              <p className="mt-2 text-muted">{bio}</p>
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title="The company and its product"
        text="Named after Iceland’s parliament of 930, where decisions were made in public. Our product makes every number public to its owner in the same way."
      >
        <div className="grid gap-6 md:grid-cols-2">
          <div className="flex gap-4">
            <Database aria-hidden className="mt-1 size-6 shrink-0 text-brand" />
            <p className="text-base text-muted">
              Every click, sale and decision is written to an event log once and never changed. Dashboards, statements
              and alerts are calculated from it. Every number can be recalculated from the original events. The code is
              open source, and you can run all of it on your own machine.
            </p>
          </div>
          <div className="flex gap-4">
            <ShieldCheck aria-hidden className="mt-1 size-6 shrink-0 text-brand" />
            <div className="text-base text-muted">
              <p>
                Visitors are counted without being tracked across sites: no IP address is stored, the tracking script
                sets no cookies, and members’ personal data is encrypted with a key per person, which is destroyed when
                they leave.
              </p>
              <p className="mt-3 text-sm">
                <More to="/privacy">What exactly we store</More>
              </p>
            </div>
          </div>
        </div>
      </Section>
      <Section id="contact" title="Contact" text="We reply within 24 hours." tinted>
        <div className="flex flex-wrap items-center gap-3">
          <p className="mr-3 text-lg">{contactAddress}</p>
          <Link to="/login" className={buttonClass({ variant: 'primary', size: 'lg' })}>
            Join the Platform
          </Link>
        </div>
      </Section>
    </>
  );
}
