import { FormDialog } from '@/components/form/form-dialog';
import { useRequestForm, type Field, type RequestForm } from '@/components/form/use-request-form';
import { SelectField, TextField } from '@/components/ui/field';
import { PasswordField } from '@/components/ui/password-field';
import { useCommand } from '@/lib/api/command';
import { ConnectDestination, ReconnectDestination } from '@/lib/api/request-schemas';
import type { Website } from '@/lib/api/types';
import {
  addDestination,
  changeDestination,
  type Destination,
  type DestinationMapping,
  type ReportedValue,
} from '../api/destinations';
import { labelOf, nameFault, platformOf, PLATFORMS, type Credential, type PlatformRules } from '../lib/platforms';

type Values = Readonly<Record<string, string>>;

/** As many characters as the API takes. */
const MAX_NAME = 100;

const [FIRST] = PLATFORMS as readonly [PlatformRules];
const empty = (credentials: readonly Credential[]): Values =>
  Object.fromEntries(credentials.map(({ name }) => [name, '']));
const given = (credentials: readonly Credential[], values: Values): Record<string, string> =>
  Object.fromEntries(credentials.map(({ name }) => [name, values[name] ?? '']));
const mappingOf = ({ sale = '', lead = '', value }: Values): DestinationMapping => ({
  sale,
  lead,
  value: value as ReportedValue,
});
const missing = ({ label }: Credential): string => `Please enter the ${label}`;
/** Credentials are complete, and names are those that the platform knows. */
const rulesOf = (platform: PlatformRules, hasCredentials: boolean, isApi: boolean, values: Values) => ({
  ...(hasCredentials
    ? Object.fromEntries(platform.credentials.map((one) => [one.name, { missing: missing(one) }]))
    : {}),
  sale: (name: string) =>
    name || values['lead'] ? nameFault(platform, isApi, name) : 'Please enter the name of sales or of leads',
  lead: (name: string) => nameFault(platform, isApi, name),
});

interface AddProps {
  readonly website: Pick<Website, 'id' | 'domain'>;
  readonly onClose: () => void;
}

/** Adds an ad platform that gets the website's conversions, by its API or by files. */
export function AddDialog({ website, onClose }: AddProps) {
  const platformIn = (values: Values) => platformOf(values['platform'] ?? '') ?? FIRST;
  const isApiIn = (values: Values) => !platformIn(values).hasFiles || values['way'] === 'api';
  const form = useRequestForm({
    request: ConnectDestination,
    initial: {
      ...{ platform: FIRST.id, way: 'file', sale: '', lead: '', value: 'commission' },
      ...empty(PLATFORMS.flatMap(({ credentials }) => credentials)),
    } as Values,
    rules: (values) => rulesOf(platformIn(values), isApiIn(values), isApiIn(values), values),
    command: useCommand(addDestination, { onSuccess: onClose }),
    input: (values) => ({
      websiteId: website.id,
      platform: platformIn(values).id,
      credentials: isApiIn(values) ? given(platformIn(values).credentials, values) : {},
      mapping: mappingOf(values),
    }),
  });
  const platform = platformIn(form.values);
  const isApi = isApiIn(form.values);
  return (
    <FormDialog
      form={form}
      title="Add an ad platform"
      description={`Conversions of ${website.domain} that you approve from now on are sent. Create the conversion at the platform first.`}
      action="Add"
      onClose={onClose}
    >
      <SelectField label="Platform" {...form.field('platform')}>
        {PLATFORMS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      {platform.hasFiles && (
        <SelectField label="Sent by" {...form.field('way')}>
          <option value="file">Files that you download and upload</option>
          <option value="api">{`The API of ${platform.label}, automatically`}</option>
        </SelectField>
      )}
      {isApi && <CredentialFields of={platform} form={form} />}
      <MappingFields of={platform} isApi={isApi} form={form} />
    </FormDialog>
  );
}

interface ChangeProps {
  readonly destination: Destination;
  readonly onClose: () => void;
}

/** Changes the mapping, the credentials, or both. */
export function ChangeDialog({ destination, onClose }: ChangeProps) {
  const platform = platformOf(destination.platform) ?? FIRST;
  const { isAutomatic, isRefused, mapping } = destination;
  const isEntered = (values: Values) => isRefused || platform.credentials.some(({ name }) => values[name]);
  const isApi = (values: Values) => isAutomatic || isEntered(values);
  const form = useRequestForm({
    request: ReconnectDestination,
    initial: { ...mapping, ...empty(platform.credentials) } as Values,
    rules: (values) => rulesOf(platform, isEntered(values), isApi(values), values),
    command: useCommand(changeDestination(destination.id), { onSuccess: onClose }),
    input: (values) => ({
      mapping: mappingOf(values),
      credentials: isEntered(values) ? given(platform.credentials, values) : null,
    }),
  });
  return (
    <FormDialog
      form={form}
      title={`Change ${labelOf(destination)}`}
      description={
        isRefused
          ? `${platform.label} does not accept the stored credentials. Enter new ones to send what is queued.`
          : isAutomatic
            ? 'Leave the credentials empty to keep them. Names and value apply to what is sent from now on.'
            : 'Enter credentials of its API to send conversions automatically. Without them, conversions stay in files.'
      }
      action="Save"
      onClose={onClose}
    >
      <MappingFields of={platform} isApi={isApi(form.values)} form={form} />
      <CredentialFields of={platform} form={form} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly of: PlatformRules;
  readonly form: RequestForm<Values>;
}

const CredentialFields = ({ of, form }: FieldsProps) =>
  of.credentials.map((one) => <CredentialField key={one.name} of={one} field={form.field(one.name)} />);

/** Saved logins of this product are none of a platform's. */
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

/** What sales and leads are called at the platform, and what they are worth there. */
function MappingFields({ of, isApi, form }: FieldsProps & { readonly isApi: boolean }) {
  const what = isApi && of.nameHint ? `The API needs ${of.nameHint}.` : `As it is called at ${of.label}.`;
  return (
    <>
      <TextField
        label="Name of sales"
        hint={`${what} Blank: sales are not sent.`}
        {...form.field('sale')}
        maxLength={MAX_NAME}
      />
      <TextField label="Name of leads" hint="Blank: leads are not sent." {...form.field('lead')} maxLength={MAX_NAME} />
      <SelectField label="Value" hint="Without what was reversed." {...form.field('value')}>
        <option value="commission">Commission that you earn</option>
        <option value="sale">Amount of the sale</option>
      </SelectField>
    </>
  );
}
