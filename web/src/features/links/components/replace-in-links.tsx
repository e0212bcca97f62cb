import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { countOf } from '@/lib/format';
import { startBulk, type Change } from '../api/bulk';
import type { LinkSelection } from '../lib/selection';
import { PlanPreview, usePlan } from './plan-preview';

interface Props {
  readonly websiteId: string;
  readonly selection: LinkSelection;
  readonly onStarted: (id: string) => void;
  readonly onClose: () => void;
}

/** Replaces a text in the destinations of many links, after a look at each. */
export function ReplaceInLinks({ websiteId, selection, onStarted, onClose }: Props) {
  const start = useCommand(startBulk(websiteId, selection), { onSuccess: ({ id }) => onStarted(id) });
  const form = useRequestForm({
    initial: { find: '', replacement: '' },
    rules: { find: { missing: 'Enter the text to find', maxLength: 500 }, replacement: { maxLength: 500 } },
    command: start,
    input: (values: Values) => changeOf(values) ?? {},
  });
  const change = changeOf(form.values);
  const plan = usePlan(websiteId, selection, change);
  const changed = change && plan.data ? plan.data.changed : 0;
  return (
    <FormDialog
      form={form}
      title="Find and replace in destinations"
      description="Also in rules, splits and fallbacks. Each link stays on its partner’s site."
      action={changed > 0 ? `Change ${countOf(changed, 'link')}` : 'Change links'}
      disabled={changed === 0 || plan.isPlaceholderData}
      onClose={onClose}
    >
      <TextField label="Find" autoComplete="off" spellCheck={false} {...form.field('find')} />
      <TextField label="Replace with" autoComplete="off" spellCheck={false} {...form.field('replacement')} />
      {change && <PlanPreview plan={plan} />}
    </FormDialog>
  );
}

interface Values {
  readonly find: string;
  readonly replacement: string;
}

function changeOf({ find, replacement }: Values): Change | null {
  if (find.trim() === '' || find === replacement) return null;
  return { replace: { find, replacement } };
}
