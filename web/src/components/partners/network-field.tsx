import { SelectField } from '@/components/ui/field';
import { DIRECT, NETWORKS, UNKNOWN } from '@/lib/networks/postback';

interface Props {
  /** Slug of the network. */
  readonly value: string;
  readonly onChange: (network: string) => void;
}

/** Which network or software a partner's links and postbacks belong to. */
export function NetworkField({ value, onChange }: Props) {
  return (
    <SelectField
      label="Which network?"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint="Sets the click ID parameter of links and the format of postbacks."
    >
      <option value={UNKNOWN}>I don’t know</option>
      <option value={DIRECT}>Direct program, no network</option>
      <optgroup label="Networks and software">
        {NETWORKS.filter((item) => item.kind !== 'generic').map((item) => (
          <option key={item.id} value={item.id}>
            {item.label}
          </option>
        ))}
      </optgroup>
    </SelectField>
  );
}
