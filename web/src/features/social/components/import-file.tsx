import { useState } from 'react';
import { Card } from '@/components/ui/card';
import { TextField } from '@/components/ui/field';
import { useCommand } from '@/lib/api/command';
import { ApiError, messageOf } from '@/lib/api/errors';
import type { SocialChannel } from '@/lib/api/types';
import { importFile } from '../api/posts';
import { NETWORKS } from '../lib/networks';
import { importedText } from '../lib/posts';

/** Views and followers out of the network's own export. Nothing for a network whose files are not read. */
export function ImportFile({ channel }: { readonly channel: SocialChannel }) {
  const [name, setName] = useState('');
  const { label, files } = NETWORKS[channel.network];
  const load = useCommand(importFile(channel.id));
  if (!files) return null;
  const { error } = load;
  return (
    <Card title={`Import from ${label}`} description="Adds views and followers to the report. A file counts once.">
      <TextField
        type="file"
        accept=".csv,text/csv"
        label="CSV file"
        hint={`${files} Language of the export: English.`}
        className="[&_input]:py-1"
        disabled={load.isPending}
        error={error ? (error instanceof ApiError && error.fields['csv']) || messageOf(error) : undefined}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = ''; // the same file again, once it was corrected
          if (!file) return;
          setName(file.name);
          load.mutate(file);
        }}
      />
      <p role="status" className="mt-3 text-[0.8125rem] wrap-anywhere empty:mt-0">
        {load.isPending ? `Importing ${name}…` : load.data ? `${name}: ${importedText(load.data)}` : ''}
      </p>
    </Card>
  );
}
