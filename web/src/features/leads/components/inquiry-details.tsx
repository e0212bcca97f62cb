import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorBox, Skeleton } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Badge, type Tone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Dialog } from '@/components/ui/dialog';
import { SelectField, TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { browserTimezone, formatZoned } from '@/lib/dates';
import {
  adminsQuery,
  answerInquiry,
  assignInquiry,
  eraseInquiry,
  inquiryQuery,
  moveInquiry,
  noteOnInquiry,
  STATUSES,
  type InquiryInFull,
  type InquiryStatus,
  type InquiryStep,
} from '../api/admin';
import { nameOf, StatusBadge, TimeLeft } from './inquiry-reader';

const MAX_TEXT = 20_000;

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** One inquiry: what was written, everything that was done about it, and what can be done. */
export function InquiryDetails({ id, onClose }: Props) {
  const inquiry = useQuery(inquiryQuery(id));
  const found = inquiry.data;
  return (
    <Dialog
      as="drawer"
      open
      onOpenChange={(open) => !open && onClose()}
      title={found ? nameOf(found) : 'Inquiry'}
      description={
        found && (
          <span className="[overflow-wrap:anywhere]">
            {found.serviceInterest ? `${found.email}, about ${found.serviceInterest}` : found.email}
          </span>
        )
      }
    >
      {found ? (
        <InquiryContent inquiry={found} onErased={onClose} />
      ) : inquiry.error ? (
        <ErrorBox error={inquiry.error} onRetry={() => void inquiry.refetch()} />
      ) : (
        <Skeleton className="h-64" />
      )}
    </Dialog>
  );
}

function InquiryContent({ inquiry, onErased }: { readonly inquiry: InquiryInFull; readonly onErased: () => void }) {
  const zone = browserTimezone();
  return (
    <div className="flex flex-col gap-6">
      <p className="flex flex-wrap items-center gap-2 text-muted">
        <StatusBadge status={inquiry.status} />
        {inquiry.answerBy && <TimeLeft answerBy={inquiry.answerBy} />}
        <span className="tabular">Received {formatZoned(inquiry.receivedAt, zone)}</span>
      </p>
      <section aria-label="Message">
        <p className="rounded-lg border border-line bg-sunken px-4 py-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {inquiry.message}
        </p>
      </section>
      <Handling inquiry={inquiry} />
      <Writing id={inquiry.id} what="answer" />
      <Writing id={inquiry.id} what="notes" />
      {inquiry.steps.length > 0 && (
        <section aria-labelledby="inquiry-history">
          <h3 id="inquiry-history" className="mb-3 font-semibold">
            History
          </h3>
          <ol className="flex flex-col gap-3">
            {inquiry.steps.map((step) => (
              <li key={`${step.at} ${step.kind}`} className="border-l-2 border-line pl-3">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
                  <span>{`${describeStep(step)}${step.by ? ` by ${step.by}` : ''}, ${formatZoned(step.at, zone)}`}</span>
                  {step.mail && <Badge tone={MAILS[step.mail].tone}>{MAILS[step.mail].label}</Badge>}
                  {step.mail && step.mail !== 'sent' && (
                    <Link to="/admin/outbox" className="text-brand underline">
                      Outbox
                    </Link>
                  )}
                </p>
                {(step.kind === 'answer' || step.kind === 'note') && (
                  <p className="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{step.text}</p>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <Erasing inquiry={inquiry} onErased={onErased} />
    </div>
  );
}

function Handling({ inquiry }: { readonly inquiry: InquiryInFull }) {
  const admins = useQuery(adminsQuery).data ?? [];
  const move = useCommand(moveInquiry(inquiry.id));
  const assign = useCommand(assignInquiry(inquiry.id));
  const isListed = admins.some((admin) => admin.id === inquiry.assignedTo);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Status"
        value={inquiry.status}
        disabled={move.isPending}
        onChange={(event) => move.mutate(event.target.value as InquiryStatus)}
      >
        {Object.entries(STATUSES).map(([status, label]) => (
          <option key={status} value={status}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Assigned to"
        value={inquiry.assignedTo ?? ''}
        disabled={assign.isPending}
        onChange={(event) => assign.mutate(event.target.value || null)}
      >
        <option value="">Unassigned</option>
        {inquiry.assignedTo && !isListed && (
          <option value={inquiry.assignedTo}>{inquiry.assignedName ?? 'Someone'}</option>
        )}
        {admins.map((admin) => (
          <option key={admin.id} value={admin.id}>
            {admin.name || admin.email}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

const WORDS = {
  answer: {
    label: 'Reply by email',
    action: 'Send reply',
    busy: 'Sending...',
    command: answerInquiry,
    hint: 'Sent to the inquirer, with the inquiry quoted below.',
  },
  notes: {
    label: 'Note',
    action: 'Add note',
    busy: 'Adding...',
    command: noteOnInquiry,
    hint: 'For other admins only.',
  },
} as const;

function Writing({ id, what }: { readonly id: string; readonly what: keyof typeof WORDS }) {
  const words = WORDS[what];
  const form = useRequestForm({
    initial: { text: '' },
    rules: { text: { maxLength: MAX_TEXT } },
    command: useCommand(words.command(id)),
    ready: ({ text }) => text.trim() !== '',
    input: ({ text }) => text,
    onSent: () => form.reset(),
  });
  return (
    <Form form={form} className="flex flex-col gap-3">
      <TextArea label={words.label} rows={what === 'answer' ? 5 : 2} hint={words.hint} {...form.field('text')} />
      <SubmitButton
        form={form}
        variant={what === 'answer' ? 'primary' : 'outline'}
        disabled={!form.isComplete}
        className="self-end"
      >
        {form.isPending ? words.busy : words.action}
      </SubmitButton>
    </Form>
  );
}

function Erasing({ inquiry, onErased }: { readonly inquiry: InquiryInFull; readonly onErased: () => void }) {
  const [asking, setAsking] = useState(false);
  const erase = useCommand(eraseInquiry);
  return (
    <>
      <Button className="self-start text-bad" busy={erase.isPending} onClick={() => setAsking(true)}>
        Erase inquiry
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Erase the inquiry of ${nameOf(inquiry)}?`}
          description="Name, email address, message, replies and notes are permanently deleted."
          action="Erase"
          onClose={() => setAsking(false)}
          onConfirm={() => erase.mutate(inquiry.id, { onSuccess: onErased })}
        />
      )}
    </>
  );
}

/** A reply counts as sent once a mail server accepted it. */
const MAILS: Readonly<Record<NonNullable<InquiryStep['mail']>, { readonly label: string; readonly tone: Tone }>> = {
  waiting: { label: 'Email queued', tone: 'neutral' },
  sent: { label: 'Email sent', tone: 'good' },
  failed: { label: 'Email failed', tone: 'bad' },
};

function describeStep({ kind, text }: InquiryStep): string {
  if (kind === 'answer') return 'Reply';
  if (kind === 'note') return 'Note';
  if (kind === 'status') return `Status set to ${STATUSES[text as InquiryStatus]}`;
  if (kind === 'assigned') return text ? `Assigned to ${text}` : 'Unassigned';
  return 'Erased';
}
