import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import type { Partner } from '@/lib/api/types';
import { countOf } from '@/lib/format';
import { addressFrom } from '@/lib/url/address';
import { startBulk, type Change } from '../api/bulk';
import type { LinkSelection } from '../lib/selection';
import { PartnerChoice } from './partner-choice';
import { PlanPreview, usePlan } from './plan-preview';

interface Props {
  readonly websiteId: string;
  readonly selection: LinkSelection;
  readonly partners: readonly Partner[];
  readonly onStarted: (id: string) => void;
  readonly onClose: () => void;
}

type Where = 'base' | 'page' | 'one';

/** Many links to another partner, under the same addresses, after a look at each new destination. */
export function MoveLinks({ websiteId, selection, partners, onStarted, onClose }: Props) {
  const start = useCommand(startBulk(websiteId, selection), { onSuccess: ({ id }) => onStarted(id) });
  const form = useRequestForm({
    initial: { partnerId: '', where: 'base' as Where, destination: '' },
    rules: { partnerId: { missing: 'Choose a partner' } },
    command: start,
    input: (values: Values) => changeOf(values) ?? {},
  });
  const change = changeOf(form.values);
  const plan = usePlan(websiteId, selection, change);
  const partner = partners.find((item) => item.id === form.values.partnerId);
  const changed = change && plan.data ? plan.data.changed : 0;
  return (
    <FormDialog
      form={form}
      title="Move links to another partner"
      description="The links keep their addresses. Earlier clicks stay with the partner before."
      action={changed > 0 ? `Move ${countOf(changed, 'link')}` : 'Move links'}
      disabled={changed === 0 || plan.isPlaceholderData}
      onClose={onClose}
    >
      <PartnerChoice
        partners={partners.filter((item) => item.isActive)}
        value={form.values.partnerId}
        onChange={form.set('partnerId')}
        error={form.fault('partnerId')}
      />
      <SelectField
        label="New destination"
        value={form.values.where}
        onChange={(event) => form.set('where')(event.target.value as Where)}
        hint="The click ID of the partner’s network is added to each."
      >
        <option value="base">The partner’s address{partner ? `: ${partner.baseUrl}` : ''}</option>
        <option value="page">The same page on the partner’s site</option>
        <option value="one">Another address for all of them</option>
      </SelectField>
      {form.values.where === 'one' && (
        <TextField
          label="Address"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={partner?.baseUrl ?? 'https://'}
          {...form.field('destination')}
        />
      )}
      {change && <PlanPreview plan={plan} />}
    </FormDialog>
  );
}

interface Values {
  readonly partnerId: string;
  readonly where: Where;
  readonly destination: string;
}

function changeOf({ partnerId, where, destination }: Values): Change | null {
  const address = addressFrom(destination);
  if (!partnerId || (where === 'one' && !URL.canParse(address))) return null;
  return {
    move: { partnerId, keepsPath: where === 'page', ...(where === 'one' ? { destination: address } : {}) },
  };
}
