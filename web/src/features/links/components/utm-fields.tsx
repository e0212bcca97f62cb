import { TextField } from '@/components/ui/field';
import { UTM, type Utm } from '../lib/creation';

const LABELS = { source: 'Source', medium: 'Medium', campaign: 'Campaign', term: 'Term', content: 'Content' };
const EXAMPLES = { source: 'newsletter', medium: 'email', campaign: 'spring-sale', term: '', content: '' };

/** UTM parameters of the destination, for the partner's own analytics. */
export function UtmFields({ utm, onChange }: { readonly utm: Utm; readonly onChange: (utm: Utm) => void }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {UTM.map((name) => (
        <TextField
          key={name}
          label={LABELS[name]}
          placeholder={EXAMPLES[name]}
          autoComplete="off"
          value={utm[name]}
          onChange={(event) => onChange({ ...utm, [name]: event.target.value })}
        />
      ))}
    </div>
  );
}
