import { Blocks, Bot, Cable, CodeXml, Database, FileSpreadsheet, Globe, KeyRound, Mail, Server } from 'lucide-react';
import { surface } from '@/components/ui/card';
import { cx } from '@/lib/cx';
import { NETWORKS } from '@/lib/networks/postback';
import { Hero, IconTile, More, Section, type Point } from './parts';

interface Integration extends Point {
  readonly to: string;
  readonly says: string;
}

/** Networks and trackers that the postback endpoint and the links know. */
const KNOWN = NETWORKS.filter((network) => network.kind !== 'generic').map((network) => network.label);

const INTEGRATIONS: readonly Integration[] = [
  {
    Icon: CodeXml,
    title: 'Any website',
    text: 'One line of code, also for single-page apps. Or a pixel, without scripts.',
    to: '/help/install-the-script',
    says: 'Install the script',
  },
  {
    Icon: Blocks,
    title: 'WordPress',
    text: 'A snippet for your theme or a code plugin. No plugin to update.',
    to: '/help/wordpress',
    says: 'Add it to WordPress',
  },
  {
    Icon: Server,
    title: 'Your server',
    text: 'Events and sales in JSON over HTTP, with examples for curl, JavaScript, Python and PHP.',
    to: '/docs/api',
    says: 'Read the API',
  },
  {
    Icon: Cable,
    title: 'Partners and networks',
    text: 'Postbacks by GET or POST, with the parameter names each network uses.',
    to: '/help/postbacks',
    says: 'Set up a postback',
  },
  {
    Icon: Globe,
    title: 'Your own domain',
    text: 'Links under go.example.com: two DNS records, and certificates by Caddy or nginx.',
    to: '/help/custom-domain',
    says: 'Connect a domain',
  },
  {
    Icon: Database,
    title: 'ClickHouse clients',
    text: 'Query the data of your websites with SQL, from notebooks and BI tools.',
    to: '/help/sql-access',
    says: 'Connect a client',
  },
  {
    Icon: FileSpreadsheet,
    title: 'Spreadsheets',
    text: 'CSV from every card, protected against formula injection; Parquet for large queries.',
    to: '/help/exports',
    says: 'Export data',
  },
  {
    Icon: KeyRound,
    title: 'Sign-in',
    text: 'Google, GitHub, Microsoft and LinkedIn, with two-factor authentication on top.',
    to: '/help/sign-in-providers',
    says: 'Link a sign-in',
  },
  {
    Icon: Mail,
    title: 'Email',
    text: 'Any SMTP server. Without one, emails are held in an outbox that admins can read.',
    to: '/help/run-it-yourself',
    says: 'Run it yourself',
  },
  {
    Icon: Bot,
    title: 'Language models',
    text: 'Any server that speaks the OpenAI protocol, including local ones. Optional.',
    to: '/help/run-it-yourself',
    says: 'Operator settings',
  },
];

export function Integrations() {
  return (
    <>
      <Hero
        eyebrow="Integrations"
        title="Works with what you have"
        text="Plain HTTP everywhere: any client that sends requests can report clicks and sales, and any tool that reads JSON, CSV or SQL can read the results."
      />
      <Section title="Connect">
        <ul className="grid gap-4 sm:grid-cols-2">
          {INTEGRATIONS.map(({ Icon, title, text, to, says }) => (
            <li key={title} className={cx(surface, 'flex gap-4 p-5')}>
              <IconTile Icon={Icon} />
              <div>
                <h3 className="text-base font-semibold">{title}</h3>
                <p className="mt-0.5 mb-2 text-muted">{text}</p>
                <More to={to}>{says}</More>
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title="Networks and trackers"
        text="Pick your network: links pass the click ID in its parameter, and postbacks are mapped automatically."
        tinted
      >
        <ul className="flex flex-wrap gap-2">
          {KNOWN.map((name) => (
            <li key={name} className="rounded-full border border-line bg-surface px-4 py-2 font-medium">
              {name}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
