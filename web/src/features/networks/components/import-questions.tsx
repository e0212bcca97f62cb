import type { ReactNode } from 'react';
import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { timezones } from '@/lib/dates';
import { changeMapping, type ImportQuestion, type NetworkImport, type ReportMapping } from '../api/imports';
import { withAnswers, type Answers } from '../lib/mapping';
import { choiceLabel } from '../lib/wording';

/** More choices are a list to pick from. */
const MAX_RADIOS = 5;

interface Props {
  readonly of: NetworkImport;
  /** Beside the button that sends the answers. */
  readonly beside: ReactNode;
}

/** What nobody may guess: the answers become part of how the file is read. */
export function ImportQuestions({ of, beside }: Props) {
  const questions = of.questions ?? [];
  const form = useRequestForm({
    initial: { answers: {} as Answers },
    rules: {
      answers: (answers) =>
        questions.every(({ field }) => answers[field]) ? undefined : 'Please answer every question',
    },
    command: useCommand(changeMapping(of.importId)),
    input: ({ answers }) => withAnswers(of.mapping as ReportMapping, answers),
  });
  const { answers } = form.values;
  const choose = (field: string) => (choice: string) => form.set('answers')({ ...answers, [field]: choice });
  return (
    <Form form={form}>
      {questions.map((question) => (
        <Question
          key={question.field}
          question={question}
          choice={answers[question.field] ?? ''}
          onChoose={choose(question.field)}
        />
      ))}
      {form.fault('answers') && (
        <p role="alert" className="text-[0.8125rem] text-bad">
          {form.fault('answers')}
        </p>
      )}
      <FormError form={form} />
      <div className="flex flex-wrap justify-end gap-2">
        {beside}
        <SubmitButton form={form}>Continue</SubmitButton>
      </div>
    </Form>
  );
}

interface QuestionProps {
  readonly question: ImportQuestion;
  readonly choice: string;
  readonly onChoose: (choice: string) => void;
}

function Question({ question: { field, message, choices }, choice, onChoose }: QuestionProps) {
  if (choices.length === 0 && field !== 'timezone')
    return (
      <TextField
        label={message}
        className="max-w-md"
        value={choice}
        onChange={(event) => onChoose(event.target.value.trim().toUpperCase())}
        maxLength={3}
      />
    );
  if (choices.length === 0 || choices.length > MAX_RADIOS)
    return (
      <SelectField
        label={message}
        className="max-w-md"
        value={choice}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value="">Choose</option>
        {(choices.length === 0 ? timezones() : choices).map((one) => (
          <option key={one} value={one}>
            {choiceLabel(field, one)}
          </option>
        ))}
      </SelectField>
    );
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium wrap-anywhere">{message}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {choices.map((one) => (
          <label key={one} className="flex min-w-0 items-center gap-2 wrap-anywhere">
            <input
              type="radio"
              name={field}
              className="size-4 shrink-0 accent-brand"
              checked={choice === one}
              onChange={() => onChoose(one)}
            />
            {choiceLabel(field, one)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
