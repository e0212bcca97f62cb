import { useMutation, useQueryClient } from '@tanstack/react-query';
import { SelectField } from '@/components/ui/field';
import { api, body } from '@/lib/api/client';
import { messageOf } from '@/lib/api/errors';
import type { Website } from '@/lib/api/types';
import { websitesQuery } from '@/lib/shared-queries';
import { toast, toastError } from '@/stores/toasts';

type Scope = Website['txidScope'];

/** Within what the transaction IDs of reports without a network preset are unique. */
export function TxidSettings({ website }: { readonly website: Website }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (txidScope: Scope) =>
      body(api.PATCH('/api/platform/websites/{id}', { params: { path: { id: website.id } }, body: { txidScope } })),
    onSuccess: ({ txidScope }) => {
      client.setQueryData(websitesQuery.queryKey, (before) =>
        before?.map((item) => (item.id === website.id ? { ...item, txidScope } : item)),
      );
      toast('Transaction ID setting saved', `It applies to the next sale of ${website.domain}.`);
    },
    onError: (error) => toastError('Failed to save the setting', messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: websitesQuery.queryKey }),
  });
  return (
    <section aria-label={`Transaction IDs of ${website.domain}`}>
      <h3 className="font-medium">Transaction IDs</h3>
      <p className="mt-0.5 mb-3 text-[0.8125rem] text-muted">
        For sales that your server or a tracker reports in Althing’s parameter names. Networks have their own setting.
      </p>
      <SelectField
        label="Each ID is unique"
        value={website.txidScope}
        disabled={save.isPending}
        hint="Choose “for one click” if your tracker counts its transactions from 1 for each click."
        onChange={(event) => save.mutate(event.target.value as Scope)}
      >
        <option value="website">For the whole website</option>
        <option value="click">For one click</option>
      </SelectField>
    </section>
  );
}
