// Consulting, pricing, contact and careers.
import { Link } from '@tanstack/react-router';
import { Clock, Code, HeartHandshake, LifeBuoy, Mail, MapPin, Microscope, PenLine } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '@/components/ui/button';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { Check, Hero, More, PointCard, Section, type Point } from './parts';
import { ServiceCards } from './service-cards';

const STEPS: readonly { readonly title: string; readonly text: string }[] = [
  { title: 'You contact us', text: 'Name the service and tell us about your websites. We reply within 24 hours.' },
  { title: 'We review', text: 'With your permission, we review your numbers together and recommend the first steps.' },
  { title: 'You decide', text: 'You get a written offer. We start, and charge, only after you accept.' },
];

export function Consulting({ form }: { readonly form: ReactNode }) {
  return (
    <>
      <Hero
        eyebrow="Consulting"
        title="Earn more from the visitors you have"
        text="People who have run affiliate websites review your programs, links and numbers with you."
      />
      <Section title="Services">
        <ServiceCards />
      </Section>
      <Section title="How it works" tinted>
        <ol className="grid gap-6 md:grid-cols-3">
          {STEPS.map(({ title, text }, index) => (
            <li key={title} className="flex gap-4">
              <span
                aria-hidden
                className="grid size-9 shrink-0 place-items-center rounded-full bg-brand font-semibold text-on-brand"
              >
                {index + 1}
              </span>
              <div>
                <h3 className="text-base font-semibold">{title}</h3>
                <p className="mt-1 text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ol>
      </Section>
      <section id="inquiry" className="mx-auto max-w-3xl scroll-mt-14 px-4 py-14 sm:px-6">
        <div className={cx(surface, 'p-6')}>{form}</div>
        <p className="mt-3 text-center text-muted">We reply within 24 hours.</p>
      </section>
    </>
  );
}

const QUESTIONS: readonly { readonly question: string; readonly answer: ReactNode }[] = [
  {
    question: 'What does early access cost?',
    answer: 'Nothing. There are 10 places for beta testers, free. After that, you join a waiting list.',
  },
  {
    question: 'Can I host it myself?',
    answer: (
      <>
        Yes. The code is open (Apache-2.0), and one command starts everything on a machine of your own.{' '}
        <Link to="/help/$slug" params={{ slug: 'getting-started' }} className="text-brand underline">
          Getting started
        </Link>{' '}
        shows how.
      </>
    ),
  },
  {
    question: 'Is there a limit on clicks?',
    answer:
      'The limit is your hardware. Each website has a rate, 5,000 events a second at first, so that one website cannot slow down the others; the operator can change it.',
  },
  { question: 'Do you take a share of my commissions?', answer: 'No. What your partners pay is between them and you.' },
  {
    question: 'Can I export my data?',
    answer: (
      <>
        Yes: every card has a CSV export, SQL results export as Parquet, and the account has a full export.{' '}
        <Link to="/help/$slug" params={{ slug: 'exports' }} className="text-brand underline">
          How exports work
        </Link>
        .
      </>
    ),
  },
];

export function Pricing({ earlyAccess }: { readonly earlyAccess: ReactNode }) {
  return (
    <>
      <Hero
        eyebrow="Pricing"
        title="The platform is free. Our time is not."
        text="Run it yourself, join early access, or work with us."
      />
      <Section title="Platform">
        <div className="grid gap-5 lg:grid-cols-2">
          <div className={cx(surface, 'flex flex-col p-6')}>
            <h3 className="text-lg font-semibold">Your own installation</h3>
            <p className="mt-3 text-3xl font-semibold tracking-tight">$0</p>
            <ul className="mt-5 mb-6 flex flex-1 flex-col gap-2">
              <Check>Everything, without a limit on websites, links or members</Check>
              <Check>One command on one machine, or your own clusters</Check>
              <Check>Open source, Apache-2.0</Check>
            </ul>
            <Link to="/help/$slug" params={{ slug: 'getting-started' }} className={buttonClass({ size: 'lg' })}>
              Read how to start
            </Link>
          </div>
          <div className={cx(surface, 'flex flex-col p-6')}>
            <h3 className="text-lg font-semibold">Early access</h3>
            <p className="mt-3 text-3xl font-semibold tracking-tight">Free</p>
            <p className="mt-2 mb-5 text-muted">For 10 beta testers, on our installation in Iceland.</p>
            <div className="mt-auto">{earlyAccess}</div>
          </div>
        </div>
      </Section>
      <Section title="Consulting" tinted>
        <ServiceCards />
      </Section>
      <Section title="Questions" wide={false}>
        <dl className="flex flex-col gap-6">
          {QUESTIONS.map(({ question, answer }) => (
            <div key={question}>
              <dt className="text-base font-semibold">{question}</dt>
              <dd className="mt-1 text-base text-muted">{answer}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  );
}

export function Contact({ form, contactAddress }: { readonly form: ReactNode; readonly contactAddress: ReactNode }) {
  return (
    <>
      <Hero eyebrow="Contact" title="Write to us" text="We reply within 24 hours, from Reykjavík." />
      <section
        aria-label="Contact"
        className="mx-auto grid max-w-6xl gap-8 px-4 py-14 sm:px-6 lg:grid-cols-[1fr_20rem]"
      >
        <div className={cx(surface, 'p-6')}>{form}</div>
        <ul className="flex flex-col gap-5 lg:pt-2">
          <Aside Icon={Mail} title="E-mail">
            {contactAddress}
          </Aside>
          <Aside Icon={Clock} title="Replies">
            Within 24 hours
          </Aside>
          <Aside Icon={MapPin} title="Where we are">
            Reykjavík, Iceland
          </Aside>
          <Aside Icon={LifeBuoy} title="Self-service help">
            <More to="/help">Help Center</More>
          </Aside>
        </ul>
      </section>
    </>
  );
}

function Aside({
  Icon,
  title,
  children,
}: {
  readonly Icon: typeof Mail;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex gap-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-brand" />
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        <div className="text-muted [overflow-wrap:anywhere]">{children}</div>
      </div>
    </li>
  );
}

const WAYS: readonly Point[] = [
  {
    Icon: Code,
    title: 'Engineers',
    text: 'Python, Postgres, ClickHouse and Kafka behind; TypeScript and React in front. You would start with a small, well-reviewed change.',
  },
  {
    Icon: PenLine,
    title: 'Writers',
    text: 'Guides that publishers understand at first reading, checked against the software.',
  },
  {
    Icon: Microscope,
    title: 'Security testers',
    text: 'Tell us how a click could be lost, a sale counted twice or a visitor re-identified, and you have our full attention.',
  },
  {
    Icon: HeartHandshake,
    title: 'Publishers',
    text: 'Ten beta testers shape what comes next. You bring a website and an honest opinion.',
  },
];

export function Careers() {
  return (
    <>
      <Hero
        eyebrow="Careers"
        title="Careers"
        text="We have no open positions at the moment. We first ask people whose work we know: here is how to get involved."
      >
        <Link to="/contact" className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Introduce yourself
        </Link>
      </Hero>
      <Section title="How to get involved">
        <ul className="grid gap-4 sm:grid-cols-2">
          {WAYS.map((point) => (
            <PointCard key={point.title} {...point} />
          ))}
        </ul>
      </Section>
      <Section title="How we work" tinted>
        <ul className="grid max-w-3xl gap-3 text-base">
          <Check>Decisions are documented, including what was rejected and why.</Check>
          <Check>Nothing is done until a test proves it, with real databases instead of mocks.</Check>
          <Check>We reply within 24 hours, and no one works at night.</Check>
          <Check>Work from Iceland or remotely.</Check>
        </ul>
      </Section>
    </>
  );
}
