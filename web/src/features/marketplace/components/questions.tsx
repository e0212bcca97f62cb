import { Link } from '@tanstack/react-router';
import { Flag } from 'lucide-react';
import { useState } from 'react';
import { More } from '@/components/data/more';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { LocalForm } from '@/components/form/local-form';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { useCursorQuery } from '@/lib/api/cursor-query';
import { browserTimezone, formatZoned } from '@/lib/dates';
import { dropDraft, useDraft } from '@/lib/storage/drafts';
import { useSession } from '@/lib/session';
import { FlagDialog } from './dialogs';
import { isOffered } from '../lib/draft';
import { answerQuestion, askSeller, questionsQuery } from '../api/listings';
import type { ListingInFull, Question } from '../lib/types';

const MAX_TEXT = 10_000;

/** Public questions of members with the seller's answers. */
export function Questions({ listing }: { readonly listing: ListingInFull }) {
  const session = useSession();
  const questions = useCursorQuery(questionsQuery(listing.id, session?.user.id));
  const rows = questions.rows;
  const [flagging, setFlagging] = useState<Question | null>(null);
  return (
    <Card title="Questions" description="Questions and answers are public.">
      {questions.error && (
        <ErrorBox className="mb-4" error={questions.error} prefix="Error loading questions" onRetry={questions.retry} />
      )}
      {!rows && !questions.error && <Skeleton className="h-24" />}
      {rows?.length === 0 && <Empty className="py-6">No questions yet.</Empty>}
      {rows && rows.length > 0 && (
        <ul aria-label="Questions" className="flex flex-col divide-y divide-line">
          {rows.map((question) => (
            <QuestionItem
              key={question.id}
              question={question}
              mayAnswer={listing.isMine}
              mayFlag={session !== null && !question.isMine}
              onFlag={() => setFlagging(question)}
            />
          ))}
        </ul>
      )}
      <More of={questions} />
      {!session ? (
        <p className="mt-4 text-muted">
          <Link to="/login" search={{ next: `/marketplace/listing/${listing.id}` }} className="text-brand underline">
            Sign in
          </Link>{' '}
          to ask the seller something.
        </p>
      ) : (
        !listing.isMine && isOffered(listing.status) && <AskSeller listingId={listing.id} />
      )}
      {flagging && <FlagDialog question={flagging} onClose={() => setFlagging(null)} />}
    </Card>
  );
}

function AskSeller({ listingId }: { readonly listingId: string }) {
  const ask = useCommand(askSeller(listingId));
  return (
    <Writing
      key={listingId}
      place={`question-${listingId}`}
      label="Ask the seller"
      action="Ask"
      doing={ask}
      className="mt-4 border-t border-line pt-4"
    />
  );
}

interface ItemProps {
  readonly question: Question;
  readonly mayAnswer: boolean;
  readonly mayFlag: boolean;
  readonly onFlag: () => void;
}

function QuestionItem({ question, mayAnswer, mayFlag, onFlag }: ItemProps) {
  const [answering, setAnswering] = useState(false);
  const answer = useCommand(answerQuestion(question.id), { onSuccess: () => setAnswering(false) });
  const zone = browserTimezone();
  return (
    <li className="py-4 first:pt-0">
      <div className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-muted">
        <span className="font-medium text-text">{question.authorName}</span>
        <time dateTime={question.askedAt}>{formatZoned(question.askedAt, zone)}</time>
        {question.isHidden && <Badge tone="warn">Hidden</Badge>}
        {mayFlag && (
          <Button
            variant="ghost"
            size="sm"
            className="ml-auto"
            aria-label={`Report the question of ${question.authorName}`}
            onClick={onFlag}
          >
            <Flag aria-hidden className="size-3.5" />
            Report
          </Button>
        )}
      </div>
      <p className="mt-1 break-words whitespace-pre-wrap">{question.text}</p>
      {question.answer !== null && (
        <div className="mt-3 rounded-lg bg-sunken/60 p-3">
          <p className="text-[0.8125rem] text-muted">
            <span className="font-medium text-text">Seller</span>{' '}
            {question.answeredAt && (
              <time dateTime={question.answeredAt}>{formatZoned(question.answeredAt, zone)}</time>
            )}
          </p>
          <p className="mt-1 break-words whitespace-pre-wrap">{question.answer}</p>
        </div>
      )}
      {mayAnswer &&
        (answering ? (
          <Writing
            place={`answer-${question.id}`}
            label={`Answer to ${question.authorName}`}
            action="Answer"
            doing={answer}
            begin={question.answer ?? ''}
            className="mt-3"
            onCancel={() => setAnswering(false)}
          />
        ) : (
          <Button
            size="sm"
            className="mt-3"
            aria-label={`${question.answer === null ? 'Answer' : 'Change the answer to'} ${question.authorName}`}
            onClick={() => setAnswering(true)}
          >
            {question.answer === null ? 'Answer' : 'Change the answer'}
          </Button>
        ))}
    </li>
  );
}

interface WritingProps {
  /** The storage key of the draft in this browser. Use a `key` per place, so that each has a form of its own. */
  readonly place: string;
  readonly label: string;
  readonly action: string;
  readonly begin?: string;
  readonly doing: {
    readonly mutateAsync: (text: string) => Promise<unknown>;
    readonly isPending: boolean;
    readonly error: unknown;
  };
  readonly onCancel?: () => void;
  readonly className?: string;
}

/** A text field and a button; the text stays after a failure. */
export function Writing({ place, label, action, begin = '', doing, onCancel, className }: WritingProps) {
  const [draft, change] = useDraft(place);
  const [text, setText] = useState(draft.text || begin);
  const [tried, setTried] = useState(false);
  const wrong = tried && text.trim() === '' ? 'Please enter a text' : undefined;
  const write = (next: string) => {
    setText(next);
    change({ text: next === begin ? '' : next });
  };
  const send = () => {
    setTried(true);
    if (text.trim() === '') return;
    doing.mutateAsync(text.trim()).then(
      () => {
        dropDraft(place); // The form may be unmounted by now.
        write('');
        setTried(false);
      },
      () => undefined, // said by the box below
    );
  };
  const cancel = () => {
    dropDraft(place);
    onCancel?.();
  };
  return (
    <LocalForm noValidate {...(className ? { className } : {})} onSubmit={send}>
      <TextArea
        label={label}
        rows={3}
        maxLength={MAX_TEXT}
        value={text}
        onChange={(event) => write(event.target.value)}
        error={wrong}
      />
      {Boolean(doing.error) && <ErrorBox className="mt-2" error={doing.error} />}
      <div className="mt-2 flex justify-end gap-2">
        {onCancel && <Button onClick={cancel}>Cancel</Button>}
        <Button type="submit" variant="primary" busy={doing.isPending}>
          {action}
        </Button>
      </div>
    </LocalForm>
  );
}
