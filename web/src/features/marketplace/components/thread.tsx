import { useEffect } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { cx } from '@/lib/cx';
import { browserTimezone, formatZoned } from '@/lib/dates';
import type { Deal } from '../lib/deal-steps';
import { Writing } from './questions';
import { isOver, messagesQuery, sendMessage } from '../api/deals';
import { formatSum } from '../lib/format';
import type { Message } from '../lib/types';

/** Messages loaded automatically: the latest come last. */
const MAX_READ = 500;

/** The private thread of an offer. */
export function Thread({ deal }: { readonly deal: Deal }) {
  const messages = useCursorQuery(messagesQuery(deal.id, !isOver(deal)));
  const { hasNext, isFetching, laterError, loadNext } = messages;
  const read = messages.rows?.length ?? 0;
  const more = hasNext && !isFetching && !laterError && read < MAX_READ;
  useEffect(() => {
    if (more) loadNext();
  }, [more, read, loadNext]);
  const rows = messages.rows?.toSorted((left, right) => left.number - right.number);
  const write = useCommand(sendMessage(deal.id));
  const mayWrite = deal.side !== 'admin' || deal.escrow?.status === 'disputed';
  return (
    <Card title="Thread" description="Visible only to the two of you, and to an admin in a dispute.">
      {messages.error && (
        <ErrorBox className="mb-4" error={messages.error} prefix="Error loading the thread" onRetry={messages.retry} />
      )}
      {!rows && !messages.error && <Skeleton className="h-32" />}
      {rows?.length === 0 && <Empty className="py-6">No messages yet.</Empty>}
      {rows && rows.length > 0 && (
        <ol aria-label="Messages" className="flex flex-col gap-3">
          {rows.map((message) => (
            <Bubble key={message.number} message={message} />
          ))}
        </ol>
      )}
      <More of={messages} size="sm">
        Show more of the thread
      </More>
      {mayWrite && (
        <Writing
          key={deal.id}
          place={`message-${deal.id}`}
          label="Message"
          action="Send"
          doing={write}
          className="mt-5 border-t border-line pt-4"
        />
      )}
    </Card>
  );
}

const SIDES: Record<Message['by'], string> = { buyer: 'Buyer', seller: 'Seller', admin: 'Admin' };

function Bubble({ message }: { readonly message: Message }) {
  return (
    <li
      className={cx(
        'flex max-w-[85%] flex-col gap-1 rounded-xl px-3.5 py-2.5',
        message.isMine ? 'self-end bg-brand-soft' : 'self-start bg-sunken',
      )}
    >
      <p className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-muted">
        <span className="font-medium text-text">{message.isMine ? 'You' : message.authorName}</span>
        <span>{SIDES[message.by]}</span>
        <time dateTime={message.at}>{formatZoned(message.at, browserTimezone())}</time>
      </p>
      {message.price && (
        <p>
          <Badge tone="brand">{`Offers ${formatSum(message.price)}`}</Badge>
        </p>
      )}
      {message.text && <p className="break-words whitespace-pre-wrap">{message.text}</p>}
    </li>
  );
}
