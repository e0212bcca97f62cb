// The postback address to hand to a network, in the names that its preset understands (see `ingest/presets.py`) and
// with the network's own macros for what it fills in, as its public documentation names them.
export interface Preset {
  readonly id: string;
  readonly label: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Its macros were not found in public documentation, or depend on how a network set them up. */
  readonly unsure?: true;
}

export const TOKEN_PLACE = 'YOUR_POSTBACK_TOKEN';

export const PRESETS: readonly Preset[] = [
  {
    id: 'default',
    label: 'Althing’s names',
    parameters: {
      click_id: '{click_id}',
      txid: '{txid}',
      amount: '{amount}',
      currency: '{currency}',
      status: '{status}',
    },
  },
  {
    id: 'affise',
    label: 'Affise',
    parameters: {
      clickid: '{sub1}',
      action_id: '{transactionid}',
      sum: '{sum}',
      currency: '{currency}',
      status: '{status}',
      goal: '{goal}',
    },
  },
  {
    id: 'affonso',
    label: 'Affonso',
    parameters: {
      tracking_id: '{tracking_id}',
      transaction_id: '{transaction_id}',
      sale_amount: '{sale_amount}',
      sale_currency: '{sale_currency}',
      commission_amount: '{commission_amount}',
      event_type: '{event_type}',
    },
    unsure: true,
  },
  {
    id: 'awin',
    label: 'Awin',
    parameters: {
      clickRef: '!!!clickRef!!!',
      transactionId: '!!!transactionId!!!',
      transactionAmount: '!!!transactionAmount!!!',
      commission: '!!!commission!!!',
      transactionCurrency: '!!!transactionCurrency!!!',
    },
  },
  {
    id: 'binom',
    label: 'Binom',
    parameters: { cnv_id: '{externalid}', txid: '{clickid}', payout: '{payout}', cnv_currency: '{cnv_currency}' },
  },
  {
    id: 'everflow',
    label: 'Everflow',
    parameters: {
      transaction_id: '{sub1}',
      order_id: '{order_id}',
      amount: '{sale_amount}',
      payout: '{payout}',
      event_id: '{event_id}',
    },
  },
  {
    id: 'impact',
    label: 'Impact',
    parameters: {
      subId1: '{SubId1}',
      ActionId: '{ActionId}',
      Amount: '{Amount}',
      Payout: '{Payout}',
      Currency: '{Currency}',
      Status: '{Status}',
    },
    unsure: true,
  },
  {
    id: 'keitaro',
    label: 'Keitaro',
    parameters: { subid: '{external_id}', tid: '{tid}', payout: '{revenue}', status: '{status}', currency: 'USD' },
    unsure: true,
  },
  {
    id: 'names',
    label: 'Common names (clickid, tid, sum)',
    parameters: {
      clickid: '{clickid}',
      tid: '{transaction_id}',
      sum: '{sum}',
      currency: '{currency}',
      status: '{status}',
    },
  },
  {
    id: 'pap',
    label: 'Post Affiliate Pro',
    parameters: { visitorId: '{visitorId}', orderid: '{orderid}', t: '{totalcost}', cr: '{currency}', s: '{status}' },
    unsure: true,
  },
  {
    id: 'redtrack',
    label: 'RedTrack',
    parameters: {
      clickid: '{ref_id}',
      sum: '{payout}',
      type: '{type}',
      rdtk_event_id: '{event_id}',
      currency: '{currency}',
    },
    unsure: true,
  },
  {
    id: 'tune',
    label: 'TUNE (HasOffers)',
    parameters: {
      transaction_id: '{aff_sub}',
      adv_sub: '{transaction_id}',
      amount: '{sale_amount}',
      payout: '{payout}',
      currency: '{currency}',
      goal_id: '{goal_id}',
    },
    unsure: true,
  },
  {
    id: 'voluum',
    label: 'Voluum',
    parameters: {
      cid: '{externalid}',
      payout: '{payout}',
      txid: '{transaction.id}',
      currency: '{currency}',
      et: '{conversion.type}',
    },
  },
];

/** The partner's preset, or our own names. */
export function presetOf(presetId: string | null): Preset | undefined {
  return PRESETS.find((item) => item.id === presetId) ?? PRESETS[0];
}

/** `token`: the postback token of the website that earns; without one, a place for it. */
export function postbackUrl(
  trackingUrl: string,
  slug: string,
  presetId: string | null,
  token: string = TOKEN_PLACE,
): string {
  const query = Object.entries(presetOf(presetId)?.parameters ?? {}).map(([name, macro]) => `${name}=${macro}`);
  return `${trackingUrl}/postback?partner=${encodeURIComponent(slug)}&${query.join('&')}&token=${encodeURIComponent(token)}`;
}
