import { Form, FormError, SubmitButton } from '@/components/form/form';
import { useRequestForm } from '@/components/form/use-request-form';
import { Card } from '@/components/ui/card';
import { SelectField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Partner } from '@/lib/api/types';
import { changeMapping, type NetworkImport, type ReportMapping } from '../api/imports';
import { withWords, type UnknownWords } from '../lib/mapping';
import { STATUSES } from '../lib/wording';

interface Props {
  readonly of: NetworkImport;
  readonly unknown: UnknownWords;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
}

type Choices = Readonly<Record<string, string>>;
const NONE: Choices = {};

/** Rejected rows that a choice would accept: advertisers and status words that are not known. */
export function RejectedChoices({ of, unknown, partners }: Props) {
  const form = useRequestForm({
    initial: { partners: NONE, statuses: NONE },
    ready: (values) => [values.partners, values.statuses].some((choices) => Object.keys(choices).length > 0),
    command: useCommand(changeMapping(of.importId)),
    input: (values) => withWords(of.mapping as ReportMapping, values.partners, values.statuses),
  });
  const choose = (name: 'partners' | 'statuses', word: string) => (choice: string) => {
    const others = Object.entries(form.values[name]).filter(([held]) => held !== word);
    form.set(name)(Object.fromEntries(choice ? [...others, [word, choice]] : others));
  };
  return (
    <Card title="Rejected rows that a choice accepts" description="The file is read again with your choices.">
      <Form form={form}>
        <div className="grid gap-4 md:grid-cols-2">
          {unknown.partners.map((name) => (
            <SelectField
              key={name}
              label={`Which partner is “${name}”?`}
              hint="A partner of the directory needs a link on this website first."
              value={form.values.partners[name] ?? ''}
              onChange={(event) => choose('partners', name)(event.target.value)}
            >
              <option value="">Leave rejected</option>
              {partners.map((partner) => (
                <option key={partner.id} value={partner.id}>
                  {partner.name}
                </option>
              ))}
            </SelectField>
          ))}
          {unknown.statuses.map((word) => (
            <SelectField
              key={word}
              label={`What does the status “${word}” mean?`}
              value={form.values.statuses[word] ?? ''}
              onChange={(event) => choose('statuses', word)(event.target.value)}
            >
              <option value="">Leave rejected</option>
              {Object.entries(STATUSES).map(([status, label]) => (
                <option key={status} value={status}>
                  {label}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
        <FormError form={form} />
        <div className="flex justify-end">
          <SubmitButton form={form} variant="outline" disabled={!form.isComplete}>
            Read again
          </SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
