import { formatCount } from '@/lib/format';
import type { TransferContent } from './types';

export interface Item {
  readonly label: string;
  readonly text: string;
}

/** What moves with the website: what is not there is left out, but for the history. */
export function movesOf(content: TransferContent): readonly Item[] {
  return [
    { label: 'Measured history', text: 'Visits, clicks and reports, and who sees them from now on' },
    ...some(content.conversions, 'Conversions', 'with their commissions and decisions'),
    ...some(content.payouts, 'Recorded payouts', 'without the files attached to them'),
    ...some(
      content.sites,
      'Sites of the builder',
      'as visitors see them, with the draft; earlier versions stay behind',
    ),
    ...some(content.subscribers, 'Newsletter subscribers', 'of these sites; they can unsubscribe as before'),
    ...some(content.links, 'Tracked links', 'they go on redirecting'),
    ...some(content.siteKeys, 'Site keys', 'the script on the pages goes on counting'),
    ...named(content.domains, 'Custom domains', 'links under them go on working'),
    ...named(content.partners, 'Private partners', 'with their terms'),
    ...some(content.channels, 'Social channels', 'with their links and posts'),
  ];
}

/** What the seller has of the website, and the buyer will not get. */
export function endsOf(content: TransferContent): readonly Item[] {
  return [
    ...some(content.secretKeys, 'Secret keys and postback tokens', 'the buyer makes new ones; postbacks need them'),
    ...some(content.connections, 'Connections to networks', 'the buyer connects the channels again'),
    ...some(content.unverifiedDomains, 'Unverified domains', 'removed'),
    ...some(content.files, 'Files of payouts', 'deleted: they can name the seller'),
    ...some(content.views, 'Saved views', 'deleted'),
    ...some(content.reports, 'Reports by email', 'ended'),
    { label: 'Alerts', text: 'The seller’s rules end; the buyer starts with the defaults' },
  ];
}

const some = (number: number, label: string, text: string): readonly Item[] =>
  number === 0 ? [] : [{ label, text: `${formatCount(number)}: ${text}` }];

const named = (names: readonly string[], label: string, text: string): readonly Item[] =>
  names.length === 0 ? [] : [{ label, text: `${names.join(', ')}: ${text}` }];
