// The postback address to hand to a network, in the names that its preset understands and with the network's own macros
// for what it fills in. `networks.json` is made from `schemas/networks.toml` by `make docs`.
import networks from './networks.json';

/** One of the credentials of a network’s report API, as the network calls it. */
export interface Credential {
  readonly name: string;
  readonly label: string;
  readonly isSecret?: true;
}

export interface Network {
  readonly id: string;
  readonly label: string;
  readonly kind: 'network' | 'tracker' | 'program' | 'generic';
  /** Hosts of its links, subdomains included. */
  readonly hosts?: readonly string[];
  /** The parameter in which its links pass the click ID. */
  readonly clickId?: string;
  /** Of its postback; without them Althing uses its own. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** How sales arrive; by a postback unless it says otherwise. */
  readonly reports?: 'file' | 'json';
  /** What its report API requires; without them its reports are not fetched. */
  readonly credentials?: readonly Credential[];
  readonly note?: string;
  /** Not all of it was found in public documentation, or it depends on how a program set it up. */
  readonly unsure?: true;
}

export const TOKEN_PLACE = 'YOUR_POSTBACK_TOKEN';

/** A program of its own: it sends the parameters that we name. */
export const DIRECT = 'default';
/** Nobody has said which: the names that most networks use. */
export const UNKNOWN = 'names';

/** What a new partner's links pass the click ID in, where no network says it: most programs take a `subid`, and a direct
 *  one sends back whatever it was given. */
const PROPOSED: Readonly<Record<string, string>> = { [DIRECT]: 'click_id', [UNKNOWN]: 'subid' };
export const proposedParameter = (preset: string): string => PROPOSED[preset] ?? '';

const ALL = networks as unknown as readonly Network[];

/** Generic names first, then networks by name. */
export const NETWORKS: readonly Network[] = [
  ...ALL.filter((item) => item.kind === 'generic'),
  ...ALL.filter((item) => item.kind !== 'generic').toSorted((one, other) => one.label.localeCompare(other.label)),
];

/** The partner's network, or our own names. */
export function networkOf(preset: string | null): Network | undefined {
  return ALL.find((item) => item.id === preset) ?? ALL[0];
}

/** The network that links on this host belong to. */
export function networkOfHost(host: string): Network | undefined {
  return ALL.find((item) => item.hosts?.some((known) => host === known || host.endsWith(`.${known}`)));
}

/** A currency code that stands for itself. */
const CODE = /^[A-Z]{3}$/;

/** `token`: the postback token of the website that earns; without one, a place for it. `currency`: the website's, where
 * the network has no placeholder for the sale's. */
export function postbackUrl(
  trackingUrl: string,
  slug: string,
  preset: string | null,
  token: string = TOKEN_PLACE,
  currency?: string,
): string {
  const parameters = networkOf(preset)?.parameters ?? ALL[0]?.parameters ?? {};
  const query = Object.entries(parameters).map(
    ([name, macro]) => `${name}=${currency !== undefined && CODE.test(macro) ? currency : macro}`,
  );
  return `${trackingUrl}/postback?partner=${encodeURIComponent(slug)}&${query.join('&')}&token=${encodeURIComponent(token)}`;
}

/** What to know about the postback of a network, in one or two sentences. */
export function postbackHint(preset: string | null): string {
  const network = networkOf(preset);
  if (network?.reports)
    return network.reports === 'file'
      ? `${network.label} reports sales in its own files and sends no postbacks.`
      : `${network.label} sends nested JSON, which a postback cannot read: send its values to this URL with your own tool.`;
  return [
    'The network replaces the placeholders.',
    network?.note,
    network?.unsure && 'Check these names with your network: not all of them are publicly documented.',
  ]
    .filter(Boolean)
    .join(' ');
}
