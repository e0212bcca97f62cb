// Multiple countries, chosen by name. A native select: every browser supports type-ahead.
import { X } from 'lucide-react';
import { countryName, UNKNOWN_COUNTRY } from '@/lib/labels/countries';
import { cx } from '@/lib/cx';
import { Select, SelectField } from './field';

// ISO 3166-1 alpha-2 and Kosovo, two letters each.
const CODES =
  'ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCG' +
  'CHCICKCLCMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGL' +
  'GMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLA' +
  'LBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONP' +
  'NRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSV' +
  'SXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSXKYEYTZAZMZW';
const NAMED = (CODES.match(/../g) ?? [])
  .map((code) => ({ code, name: countryName(code) }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'));

interface Choice {
  readonly label: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

interface FieldProps extends Choice {
  readonly hint?: string;
  readonly error?: string | undefined;
  /** Visitors whose country is not known can be chosen, too. */
  readonly withUnknown?: boolean;
}

/** A field of a form. */
export function CountriesField({ label, values, onChange, hint, error, withUnknown = false }: FieldProps) {
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        value=""
        onChange={(event) => onChange([...values, event.target.value])}
        hint={hint}
        error={error}
      >
        <Options first={values.length > 0 ? 'Add another…' : 'Choose…'} taken={values} withUnknown={withUnknown} />
      </SelectField>
      <Chosen label={label} values={values} onChange={onChange} />
    </div>
  );
}

/** A select of a toolbar, with what was chosen beside it. */
export function CountriesSelect({ label, values, onChange, none }: Choice & { readonly none: string }) {
  return (
    <>
      <Select
        label={label}
        value=""
        onChange={(event) => onChange([...values, event.target.value])}
        className="sm:max-w-44"
      >
        <Options first={values.length > 0 ? 'Add a country…' : none} taken={values} withUnknown />
      </Select>
      <Chosen label={label} values={values} onChange={onChange} className="sm:h-9" />
    </>
  );
}

function Options({
  first,
  taken,
  withUnknown,
}: {
  readonly first: string;
  readonly taken: readonly string[];
  readonly withUnknown: boolean;
}) {
  return (
    <>
      <option value="" disabled={taken.length > 0}>
        {first}
      </option>
      {withUnknown && !taken.includes(UNKNOWN_COUNTRY) && (
        <option value={UNKNOWN_COUNTRY}>{countryName(UNKNOWN_COUNTRY)}</option>
      )}
      {NAMED.filter(({ code }) => !taken.includes(code)).map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </>
  );
}

function Chosen({ label, values, onChange, className }: Choice & { readonly className?: string }) {
  if (values.length === 0) return null;
  return (
    <ul aria-label={label} className="col-span-2 flex flex-wrap items-center gap-1.5">
      {values.map((code) => (
        <li
          key={code}
          className={cx(
            'inline-flex h-8 max-w-full items-center gap-1 rounded-lg border border-brand/30 bg-brand-soft pr-1 pl-2.5 text-[0.8125rem]',
            className,
          )}
        >
          <span className="truncate">{countryName(code)}</span>
          <button
            type="button"
            aria-label={`Remove ${countryName(code)}`}
            className="grid size-6 shrink-0 place-items-center rounded-md hover:bg-surface"
            onClick={() => onChange(values.filter((one) => one !== code))}
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  );
}
