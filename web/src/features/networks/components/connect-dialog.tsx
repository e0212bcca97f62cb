import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm, type Field } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ConnectNetwork, ReconnectNetwork } from '@/lib/api/request-schemas';
import type { Partner, Website } from '@/lib/api/types';
import { networkOf, NETWORKS, type Credential } from '@/lib/networks/postback';
import {
  changeConnection,
  connectNetwork,
  type Credentials,
  type NetworkConnection,
  type PullSchedule,
} from '../api/connections';

type Values = Readonly<Record<string, string>>;

const CONNECTABLE = NETWORKS.filter(({ credentials }) => credentials);
/** Its rows name no currency: they are in that of the account if it is named, else in USD. */
const WITHOUT_CURRENCY = 'cj';

const credentialsOf = (network: string | undefined): readonly Credential[] =>
  networkOf(network ?? null)?.credentials ?? [];
const given = (credentials: readonly Credential[], values: Values): Credentials =>
  Object.fromEntries(credentials.map(({ name }) => [name, values[name] ?? '']));
const empty = (credentials: readonly Credential[]): Values =>
  Object.fromEntries(credentials.map(({ name }) => [name, '']));

interface ConnectProps {
  readonly website: Pick<Website, 'id' | 'domain' | 'currency'>;
  readonly partners: readonly Pick<Partner, 'id' | 'name'>[];
  readonly onClose: () => void;
}

/** Connects a website to the report API of a network. */
export function ConnectDialog({ website, partners, onClose }: ConnectProps) {
  const form = useRequestForm({
    request: ConnectNetwork,
    initial: {
      network: CONNECTABLE[0]?.id ?? '',
      schedule: 'daily',
      currency: website.currency,
      partnerId: '',
      ...empty(CONNECTABLE.flatMap(({ credentials = [] }) => credentials)),
    } as Values,
    rules: (values) =>
      Object.fromEntries(credentialsOf(values['network']).map((one) => [one.name, { missing: missing(one) }])),
    command: useCommand(connectNetwork, { onSuccess: onClose }),
    input: ({ network = '', schedule, currency = '', partnerId, ...values }) => ({
      websiteId: website.id,
      network,
      schedule: schedule as PullSchedule,
      credentials: given(credentialsOf(network), values),
      ...(network === WITHOUT_CURRENCY ? { currency } : {}),
      ...(partnerId ? { partnerId } : {}),
    }),
  });
  const network = form.values['network'];
  return (
    <FormDialog
      form={form}
      title="Connect a network"
      description={`Sales of ${website.domain} are read from the network’s API. The first read covers 90 days.`}
      action="Connect"
      onClose={onClose}
    >
      <SelectField label="Network" {...form.field('network')}>
        {CONNECTABLE.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      {credentialsOf(network).map((one) => (
        <CredentialField key={one.name} of={one} field={form.field(one.name)} />
      ))}
      <ScheduleField field={form.field('schedule')} />
      {network === WITHOUT_CURRENCY && (
        <TextField
          label="Account currency"
          hint="The currency that the network pays you in, such as EUR."
          {...form.field('currency')}
        />
      )}
      <SelectField
        label="Partner (optional)"
        hint="Who pays rows of an unknown advertiser. Without it, they are rejected."
        {...form.field('partnerId')}
      >
        <option value="">Found by the advertiser in each row</option>
        {partners.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

/** Changes the schedule, the credentials, or both. */
export function ReconnectDialog({
  connection,
  onClose,
}: {
  readonly connection: NetworkConnection;
  readonly onClose: () => void;
}) {
  const credentials = credentialsOf(connection.network);
  const isEntered = (values: Values) => connection.isRefused || credentials.some(({ name }) => values[name]);
  const form = useRequestForm({
    request: ReconnectNetwork,
    initial: { schedule: connection.schedule, ...empty(credentials) } as Values,
    rules: (values) =>
      isEntered(values) ? Object.fromEntries(credentials.map((one) => [one.name, { missing: missing(one) }])) : {},
    command: useCommand(changeConnection(connection.id), { onSuccess: onClose }),
    input: ({ schedule, ...values }) => ({
      schedule: schedule as PullSchedule,
      credentials: isEntered(values) ? given(credentials, values) : null,
    }),
  });
  return (
    <FormDialog
      form={form}
      title={`Change the connection to ${networkOf(connection.network)?.label ?? connection.network}`}
      description={
        connection.isRefused
          ? 'The network does not accept the stored credentials. Enter new ones.'
          : 'Leave the credentials empty to keep them. With those of another account, its sales are read from the start.'
      }
      action="Save"
      onClose={onClose}
    >
      <ScheduleField field={form.field('schedule')} />
      {credentials.map((one) => (
        <CredentialField key={one.name} of={one} field={form.field(one.name)} />
      ))}
    </FormDialog>
  );
}

const missing = ({ label }: Credential): string => `Please enter the ${label}`;

/** Saved logins of this product are none of a network's. */
function CredentialField({ of: { label, isSecret }, field }: { readonly of: Credential; readonly field: Field }) {
  return isSecret ? (
    <PasswordField
      label={label}
      what={label}
      autoComplete="new-password"
      hint="Stored encrypted, and never shown again."
      {...field}
    />
  ) : (
    <TextField label={label} autoComplete="off" spellCheck={false} {...field} />
  );
}

const ScheduleField = ({ field }: { readonly field: Field }) => (
  <SelectField label="Read reports" {...field}>
    <option value="daily">Every day</option>
    <option value="hourly">Every hour</option>
  </SelectField>
);
