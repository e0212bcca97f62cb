import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Empty, ErrorBox, Skeleton } from '@/components/data/states';
import { Form, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { messageOf } from '@/lib/api/errors';
import { AddAnnotation } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import { formatDateTime, startOfDay, todayIn, wallClock } from '@/lib/dates';
import { annotationsQuery, removeAnnotation, saveAnnotation, type Annotation } from '../api/annotations';
import type { Period } from '../lib/periods';

const MAX_LENGTH = 280;

interface Props {
  readonly website: Website;
  readonly period: Period;
  readonly onClose: () => void;
}

/** Notes on days of the chart: own ones, which can be changed, and automatic ones. */
export function AnnotationsDialog({ website, period, onClose }: Props) {
  const query = useQuery(annotationsQuery(website.id, period));
  const [edited, setEdited] = useState<Annotation | null>(null);
  const remove = useCommand(removeAnnotation(website.id));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Annotations"
      description="Notes on the chart, seen by everyone with access to this website."
    >
      <AnnotationForm key={edited?.id ?? 'new'} website={website} edited={edited} onDone={() => setEdited(null)} />
      <h3 className="mt-6 mb-2 font-medium">In this period</h3>
      {(query.error ?? remove.error) && <ErrorBox error={query.error ?? remove.error} />}
      {!query.data ? (
        !query.error && <Skeleton className="h-24" />
      ) : query.data.length === 0 ? (
        <Empty>No annotations in this period.</Empty>
      ) : (
        <ul role="list" aria-label="Annotations in this period" className="divide-y divide-line">
          {query.data.map((annotation, place) => (
            <li key={annotation.id ?? `${annotation.kind}${place}`} className="flex items-center gap-3 py-2">
              <span className="min-w-0 flex-1">
                <span className="block break-words">{annotation.text}</span>
                <span className="text-xs text-muted tabular">
                  {formatDateTime(annotation.at, website.timezone)}
                  {annotation.id === null && ' · automatic'}
                </span>
              </span>
              {annotation.id !== null && (
                <>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Edit ${annotation.text}`}
                    onClick={() => setEdited(annotation)}
                  >
                    <Pencil aria-hidden className="size-4" />
                  </Button>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Remove ${annotation.text}`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(annotation.id ?? '')}
                  >
                    <Trash2 aria-hidden className="size-4" />
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly website: Website;
  readonly edited: Annotation | null;
  readonly onDone: () => void;
}

function AnnotationForm({ website, edited, onDone }: FormProps) {
  const { timezone } = website;
  const form = useRequestForm({
    request: AddAnnotation,
    initial: {
      day: edited ? wallClock(edited.at, timezone).slice(0, 10) : todayIn(timezone),
      text: edited?.text ?? '',
    },
    rules: { day: { required: true }, text: { maxLength: MAX_LENGTH } },
    command: useCommand(saveAnnotation(website.id), {
      onSuccess: () => {
        form.reset({ day: form.values.day, text: '' });
        onDone();
      },
    }),
    input: ({ day, text }) => ({ id: edited?.id ?? null, at: startOfDay(day, timezone), text }),
  });
  const text = form.field('text');
  return (
    <Form form={form} native className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[10rem_1fr]">
        <TextField label="Day" type="date" {...form.field('day')} max={todayIn(timezone)} />
        <TextField
          label="Text"
          placeholder="New review page is online"
          {...text}
          error={text.error ?? (form.error ? messageOf(form.error) : undefined)}
        />
      </div>
      <div className="flex justify-end gap-2">
        {edited && (
          <Button variant="ghost" onClick={onDone}>
            Cancel
          </Button>
        )}
        <SubmitButton form={form} disabled={!form.isComplete}>
          {edited ? 'Save' : 'Add annotation'}
        </SubmitButton>
      </div>
    </Form>
  );
}
