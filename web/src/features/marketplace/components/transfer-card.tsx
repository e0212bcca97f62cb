import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Button, buttonClass } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { transferQuery, transferSteps } from '../api/transfer';
import type { Deal } from '../lib/deal-steps';
import { endsOf, movesOf, type Item } from '../lib/transfer-content';
import type { Transfer, TransferContent } from '../lib/types';
import { Ask } from './action-confirmation';

type Step = keyof typeof transferSteps;

/** After the sale: the website with its measured history moves to the buyer, by consent of both. */
export function TransferCard({ deal }: { readonly deal: Deal }) {
  const transfer = useQuery(transferQuery(deal.id, deal.updatedAt));
  if (transfer.error)
    return (
      <Card title={TITLE}>
        <ErrorBox error={transfer.error} prefix="Error loading this" onRetry={() => void transfer.refetch()} />
      </Card>
    );
  if (!transfer.data)
    return (
      <Card title={TITLE}>
        <Skeleton className="h-40" />
      </Card>
    );
  return <Shown deal={deal} transfer={transfer.data} />;
}

const TITLE = 'Website and its history';

function Shown({ deal, transfer }: { readonly deal: Deal; readonly transfer: Transfer }) {
  const [doing, setDoing] = useState<Step | null>(null);
  const steps = stepsOf(transfer);
  return (
    <Card title={TITLE} description={transfer.domain ?? undefined}>
      <p aria-live="polite">{statusOf(deal, transfer)}</p>
      {transfer.content && <Content content={transfer.content} />}
      {transfer.isMoved && transfer.side === 'buyer' && transfer.websiteId !== null && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Link
            to="/analytics"
            search={{ website: transfer.websiteId }}
            className={buttonClass({ variant: 'primary' })}
          >
            See its history
          </Link>
        </div>
      )}
      {steps.length > 0 && (
        <div className="mt-4 flex flex-wrap gap-2">
          {steps.map((step) => (
            <Button
              key={step}
              variant={step === 'propose' || step === 'accept' ? 'primary' : 'ghost'}
              onClick={() => setDoing(step)}
            >
              {TEXTS[step].button}
            </Button>
          ))}
        </div>
      )}
      {doing && <Confirm key={doing} deal={deal} step={doing} onClose={() => setDoing(null)} />}
    </Card>
  );
}

function stepsOf({ side, status, canPropose }: Transfer): readonly Step[] {
  if (status === 'accepted') return [];
  if (status === 'proposed') return side === 'buyer' ? ['accept', 'decline'] : ['withdraw'];
  return canPropose ? ['propose'] : [];
}

function statusOf({ buyerName, sellerName }: Deal, { side, status, canPropose, isMoved }: Transfer): string {
  const isSeller = side === 'seller';
  switch (status) {
    case 'accepted':
      if (!isMoved) return 'The website is moving. This takes a moment.';
      return isSeller
        ? `The website and its history have moved to ${buyerName}. You no longer see them.`
        : 'The website and its history have moved to your account. Make new secret keys if the site sends sales from a server or by postback.';
    case 'proposed':
      return isSeller
        ? `You offered to move the website. It moves once ${buyerName} accepts.`
        : `${sellerName} offers to move the website to your account. It moves once you accept.`;
    case 'declined':
    case 'withdrawn':
    case null: {
      if (!isSeller) return `${before(status, true)}${sellerName} can offer to move the website here to your account.`;
      return canPropose
        ? `${before(status, false)}You can move the website here to ${buyerName}, with everything that was measured.`
        : 'The listing names no website that you have here, so there is nothing to move.';
    }
  }
}

function before(status: 'declined' | 'withdrawn' | null, isBuyer: boolean): string {
  if (status === 'declined') return isBuyer ? 'You declined. ' : 'The buyer declined. ';
  return status === 'withdrawn' ? 'The website is no longer offered. ' : '';
}

function Content({ content }: { readonly content: TransferContent }) {
  return (
    <div className="mt-4 grid gap-4 sm:grid-cols-2">
      <Items title="Moves to the buyer" items={movesOf(content)} />
      <Items title="Does not move" items={endsOf(content)} />
    </div>
  );
}

function Items({ title, items }: { readonly title: string; readonly items: readonly Item[] }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="font-medium">{title}</h3>
      <dl className="mt-2 flex flex-col gap-2 text-[0.8125rem]">
        {items.map(({ label, text }) => (
          <div key={label}>
            <dt className="font-medium">{label}</dt>
            <dd className="break-words text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface Texts {
  readonly button: string;
  readonly title: string;
  readonly text: string;
  readonly danger?: boolean;
}

const TEXTS: Record<Step, Texts> = {
  propose: {
    button: 'Offer the move',
    title: 'Offer to move the website?',
    text: 'The buyer sees what moves, and accepts or declines. Once they accept, you no longer see the website, its history, links and sales. This cannot be undone then.',
  },
  withdraw: {
    button: 'Withdraw this',
    title: 'No longer offer the move?',
    text: 'The website stays in your account. You can offer it again.',
    danger: true,
  },
  decline: {
    button: 'Decline',
    title: 'Decline the move?',
    text: 'The website and its history stay with the seller, who can offer them again.',
    danger: true,
  },
  accept: {
    button: 'Accept the website',
    title: 'Move the website to your account?',
    text: 'You get everything in the list, and the seller no longer sees it. Sales that are recorded later are yours. This cannot be undone.',
  },
};

interface ConfirmProps {
  readonly deal: Deal;
  readonly step: Step;
  readonly onClose: () => void;
}

function Confirm({ deal, step, onClose }: ConfirmProps) {
  const texts = TEXTS[step];
  const act = useCommand(transferSteps[step], { onSuccess: onClose });
  return (
    <Ask
      title={texts.title}
      description={texts.text}
      action={texts.button}
      danger={texts.danger ?? false}
      doing={act}
      onClose={onClose}
      onConfirm={() => act.mutate(deal.id)}
    />
  );
}
