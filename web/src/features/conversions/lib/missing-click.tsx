// Why a sale has no click, and what to do about it, in the words of marketers.
import type { ReactNode } from 'react';
import { networkOf } from '@/lib/networks/postback';
import type { MissingClick } from '../api/assignment';

type At = (time: string) => string;

/** One sentence. */
export function causeOf(missing: MissingClick, at: At): string {
  const clicked = missing.clickedAt ? at(missing.clickedAt) : 'an unknown time';
  switch (missing.reason) {
    case 'no_click_id':
      return 'The report contained no click ID, coupon or visitor.';
    case 'placeholder':
      return `The report contained a placeholder instead of a click ID: ${missing.clickId}`;
    case 'unknown_click_id':
      return `The reported click ID is unknown: ${missing.clickId}`;
    case 'click_expired':
      return `The click of ${clicked} was deleted by the website’s data retention.`;
    case 'other_website':
      return `The click happened on another website, ${missing.domain}.`;
    case 'click_after_sale':
      return `The click of ${clicked} happened after the sale.`;
    case 'outside_window':
      return `The click of ${clicked} is outside the ${missing.windowDays}-day cookie window.`;
    case 'bot_click':
      return 'Only the public site key reported this sale, and its click looks automated.';
    case 'no_exchange_rate':
      return `There is no exchange rate from ${(missing.currencies ?? []).join(' and ')} for the day of the sale.`;
    case 'unknown_coupon':
      return `No link had the coupon ${missing.coupon} at the time of the sale.`;
    case 'no_click_of_visitor':
      return `No click by this visitor was found.${missing.searchedUntil ? ` A late click is still matched until ${at(missing.searchedUntil)}.` : ''}`;
  }
}

/** The next steps, the most likely one first; `postback`: whether the partner's postback URL helps. */
export function fixOf(missing: MissingClick): { readonly steps: readonly ReactNode[]; readonly postback: boolean } {
  const partner = missing.partnerName ?? 'the partner';
  switch (missing.reason) {
    case 'no_click_id':
      return { steps: [linkStep(missing), postbackStep(missing)], postback: true };
    case 'placeholder':
      return { steps: [postbackStep(missing)], postback: true };
    case 'unknown_click_id':
      return {
        steps: [
          postbackStep(missing),
          `Check that ${partner} returns the click ID unchanged: 39 letters and digits, upper and lower case.`,
        ],
        postback: true,
      };
    case 'click_expired':
      return { steps: ['Assign it below, to the link that earned it.'], postback: false };
    case 'other_website':
      return {
        steps: [`Each website has its own postback URL. Use the one of ${missing.domain} for this program.`],
        postback: false,
      };
    case 'click_after_sale':
      return { steps: ['Check the reported time of the sale: its date and its time zone.'], postback: false };
    case 'outside_window':
      return { steps: [`Check with ${partner} whether this sale is paid, then assign it below.`], postback: false };
    case 'bot_click':
      return {
        steps: ['Report sales from your server with a secret key, or with the partner’s postback URL.'],
        postback: true,
      };
    case 'no_exchange_rate':
      return {
        steps: ['Ask an admin to add the rate. The sale is then attributed automatically.'],
        postback: false,
      };
    case 'unknown_coupon':
      return {
        steps: [
          `Add the coupon ${missing.coupon} to one of your links. Later sales are then credited to that link.`,
          'Assign this sale to the link below.',
        ],
        postback: false,
      };
    case 'no_click_of_visitor':
      return { steps: ['Report the click ID with the sale: it works across devices and browsers.'], postback: true };
  }
}

function linkStep({ partnerName, clickIdParameter }: MissingClick): ReactNode {
  if (!partnerName) return 'Use tracked links on your pages: they pass a click ID to the partner.';
  if (!clickIdParameter)
    return `Links of ${partnerName} can’t pass a click ID yet. Add {click_id} to the destination of your link.`;
  return (
    <>
      Use a tracked link on your pages: it passes the click ID to {partnerName} as <code>{clickIdParameter}</code>.
    </>
  );
}

function postbackStep({ partnerName, postbackPreset }: MissingClick): ReactNode {
  // The click ID is the first parameter of every network's postback.
  const [parameter] = Object.entries(networkOf(postbackPreset ?? null)?.parameters ?? {});
  const at = partnerName ? `${partnerName}’s network` : 'the partner’s network';
  if (!parameter || !partnerName) return `Check the postback URL at ${at}: it must return the click ID.`;
  return (
    <>
      Check the postback URL at {at}: it must contain{' '}
      <code className="break-all">
        {parameter[0]}={parameter[1]}
      </code>
      .
    </>
  );
}
