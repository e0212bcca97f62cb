import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';
import { toMajor } from '@/lib/format';
import { counterOffer, dealSteps } from '../api/deals';
import { Ask } from './action-confirmation';
import { actionsOf, type Action, type Deal } from '../lib/deal-steps';
import { CloseDialog, DecideDialog, DisputeDialog, OfferDialog } from './dialogs';
import { formatSum } from '../lib/format';

type Asked = keyof typeof dealSteps;

const BUTTONS: Record<Action, string> = {
  accept: 'Accept',
  counter: 'Counter-offer',
  decline: 'Decline',
  withdraw: 'Withdraw offer',
  pay: 'Pay into escrow',
  cancel: 'Cancel the deal',
  deliver: 'I transferred the website',
  'confirm-receipt': 'I received the website',
  'accept-delivery': 'Accept the website',
  dispute: 'Open a dispute',
  decide: 'Decide',
  'confirm-handover': 'Money and website are handed over',
  'cancel-direct': 'Cancel the deal',
  'dispute-direct': 'Open a dispute',
  close: 'Record the end',
};
const QUIET: readonly Action[] = ['decline', 'withdraw', 'cancel', 'dispute', 'cancel-direct', 'dispute-direct'];

/** Possible actions of this side. Binding ones need a confirmation. */
export function DealActions({ deal }: { readonly deal: Deal }) {
  const [doing, setDoing] = useState<Action | null>(null);
  const close = () => setDoing(null);
  const actions = actionsOf(deal);
  const main = actions.find((action) => !QUIET.includes(action));
  if (actions.length === 0) return null;
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      {actions.map((action) =>
        action === 'pay' ? (
          <PayLink key={action} deal={deal} />
        ) : (
          <Button
            key={action}
            variant={action === main ? 'primary' : QUIET.includes(action) ? 'ghost' : 'outline'}
            onClick={() => setDoing(action)}
          >
            {action === 'accept' ? `Accept ${formatSum(deal.price)}` : BUTTONS[action]}
          </Button>
        ),
      )}
      {doing === 'counter' && <Counter deal={deal} onClose={close} />}
      {(doing === 'dispute' || doing === 'dispute-direct') && <DisputeDialog deal={deal} onClose={close} />}
      {doing === 'close' && (
        <CloseDialog offerId={deal.id} buyerName={deal.buyerName} sellerName={deal.sellerName} onClose={close} />
      )}
      {doing === 'decide' && (
        <DecideDialog
          offerId={deal.id}
          price={deal.price}
          buyerName={deal.buyerName}
          sellerName={deal.sellerName}
          onClose={close}
        />
      )}
      {doing && isAsked(doing) && <Confirm key={doing} deal={deal} action={doing} onClose={close} />}
    </div>
  );
}

const isAsked = (action: Action): action is Asked => action in dealSteps;

function PayLink({ deal }: { readonly deal: Deal }) {
  const url = deal.escrow?.paymentUrl ?? '';
  if (!/^https?:\/\//i.test(url)) return null;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClass({ variant: 'primary' })}>
      {`Pay ${formatSum(deal.price)} into escrow`}
      <ExternalLink aria-hidden className="size-4" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  );
}

interface DialogProps {
  readonly deal: Deal;
  readonly onClose: () => void;
}

interface Texts {
  readonly title: string;
  readonly text: string;
  readonly danger?: boolean;
}

function textsOf(action: Asked, deal: Deal): Texts {
  const price = formatSum(deal.price);
  switch (action) {
    case 'accept':
      if (deal.escrowKind === 'direct') {
        return {
          title: `${deal.side === 'buyer' ? 'Buy' : 'Sell'} for ${price} without escrow?`,
          text: 'Your money is not protected. You arrange payment and transfer with the other side; the platform never holds the money and cannot pay it back. The website is reserved, and sold once both of you have confirmed the handover.',
          danger: true,
        };
      }
      return deal.side === 'buyer'
        ? {
            title: `Buy for ${price}?`,
            text: `This is binding. You pay ${price} into escrow within a week. The seller is paid once you accept the website.`,
          }
        : {
            title: `Sell for ${price}?`,
            text: `This is binding. The website is reserved for ${deal.buyerName}, who pays ${price} into escrow. You transfer the site once escrow is funded.`,
          };
    case 'decline':
      return {
        title: 'Decline this offer?',
        text: 'The offer ends. Both of you can still read its thread.',
        danger: true,
      };
    case 'withdraw':
      return {
        title: 'Withdraw your offer?',
        text: 'The offer ends. You can make another one later.',
        danger: true,
      };
    case 'cancel':
      return {
        title: 'Cancel this deal?',
        text: 'Nothing has been paid. The website is for sale again.',
        danger: true,
      };
    case 'confirm-handover':
      return {
        title: 'Is everything handed over?',
        text: `Confirm only if ${price} was paid and the website was transferred. This cannot be undone. Once both of you have confirmed, the website is sold.`,
      };
    case 'cancel-direct':
      return {
        title: 'Cancel this deal?',
        text: 'The website is for sale again. The platform holds no money: settle a payment already made between you.',
        danger: true,
      };
    case 'deliver':
      return {
        title: 'Transferred everything?',
        text: `${deal.buyerName} is notified, confirms receipt, and has three days to inspect the website. Then the money is released.`,
      };
    case 'confirm-receipt':
      return {
        title: 'Received the website?',
        text: 'The inspection starts: you have three days to accept the website or open a dispute. After that it is accepted automatically.',
      };
    case 'accept-delivery':
      return {
        title: 'Accept the website?',
        text: `This cannot be undone. The escrow provider pays ${price} to ${deal.sellerName}.`,
      };
  }
}

function Confirm({ deal, action, onClose }: DialogProps & { readonly action: Asked }) {
  // The deal is refetched meanwhile: the confirmed version is the one that is sent.
  const [asked] = useState(deal);
  const words = textsOf(action, asked);
  const doing = useCommand(dealSteps[action], { onSuccess: onClose });
  return (
    <Ask
      title={words.title}
      description={words.text}
      action={BUTTONS[action]}
      danger={words.danger ?? false}
      doing={doing}
      onConfirm={() => doing.mutate(asked)}
      onClose={onClose}
    />
  );
}

function Counter({ deal, onClose }: DialogProps) {
  const counter = useCommand(counterOffer(deal.id), { onSuccess: onClose });
  return (
    <OfferDialog
      title="Counter-offer"
      action="Send counter-offer"
      suggested={Math.round(toMajor(deal.price))}
      sending={counter}
      onClose={onClose}
      description={`The current offer is ${formatSum(deal.price)}. If the other side accepts, it is binding for both of you.`}
    />
  );
}
