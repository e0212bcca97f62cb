import { useState, type KeyboardEvent } from 'react';
import { ErrorBox } from '@/components/data/states';
import { LocalForm } from '@/components/form/local-form';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { TextArea } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { analyze } from '../api/matching';
import { MIN_IDEA, MAX_IDEA, TOO_SHORT } from '../lib/labels';

interface Props {
  readonly idea: string;
  readonly onChange: (idea: string) => void;
  readonly onAnalyzed: () => Promise<void>;
  /** Leads to ideas for who has none yet. */
  readonly onFind: () => void;
}

export function IdeaForm({ idea, onChange, onAnalyzed, onFind }: Props) {
  const [alert, setAlert] = useState('');
  const analysis = useCommand(analyze, { onSuccess: onAnalyzed });
  const enough = [...idea.trim()].length >= MIN_IDEA;

  function submit(): void {
    if (analysis.isPending) return;
    if (!enough) return setAlert(TOO_SHORT);
    setAlert('');
    analysis.mutate(idea.trim());
  }

  /** Where Enter makes a new line, Ctrl or Cmd and Enter sends. */
  function send(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  }

  return (
    <Card
      title="Describe your business idea"
      description="What will your website be about, who should read it, and what could they buy?"
    >
      <LocalForm onSubmit={submit} className="flex flex-col gap-4">
        <TextArea
          label="Business idea"
          rows={6}
          maxLength={MAX_IDEA}
          value={idea}
          hint="Minimum 10 characters required"
          placeholder="For example: food, toys and training for dogs in the city"
          onKeyDown={send}
          onChange={(event) => {
            onChange(event.target.value);
            setAlert('');
          }}
        />
        {alert && (
          <p role="alert" className="rounded-lg bg-bad-soft px-4 py-3 text-bad">
            {alert}
          </p>
        )}
        {analysis.error && <ErrorBox error={analysis.error} prefix="Analysis failed" />}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" size="lg" disabled={!enough} busy={analysis.isPending}>
            {analysis.isPending ? 'Analyzing...' : 'Analyze Business'}
          </Button>
          <Button size="lg" variant="ghost" onClick={onFind}>
            Find an idea
          </Button>
          <p className="text-[0.8125rem] text-muted">
            Your idea is stored encrypted, visible only to you, and deleted with your account. If an AI provider is
            connected, the idea is sent to it.
          </p>
        </div>
      </LocalForm>
    </Card>
  );
}
