import { CircleCheck } from 'lucide-react';
import { Empty, ErrorBox } from '@/components/data/states';
import { Button } from '@/components/ui/button';
import { useCommand } from '@/lib/api/command';

interface Props {
  /** Of the mailed link; empty when the link was not whole. */
  readonly code: string;
  readonly question: string;
  readonly action: string;
  readonly busy: string;
  readonly done: string;
  readonly run: (code: string) => Promise<string>;
}

const NOT_WHOLE = new Error('This link is incomplete. Open the full link from your email.');

/** The page of an email link. A button, so that email programs that prefetch links change nothing. */
export function EmailLinkAction({ code, question, action, busy, done, run }: Props) {
  const send = useCommand({ send: run });
  if (!code) return <ErrorBox error={NOT_WHOLE} />;
  return (
    <div role="status">
      {send.isSuccess ? (
        <Empty icon={<CircleCheck aria-hidden className="size-5" />} title={done} className="py-6">
          {send.data}
        </Empty>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-muted">{question}</p>
          {send.error && <ErrorBox error={send.error} />}
          <Button variant="primary" size="lg" busy={send.isPending} onClick={() => send.mutate(code)}>
            {send.isPending ? busy : action}
          </Button>
        </div>
      )}
    </div>
  );
}
