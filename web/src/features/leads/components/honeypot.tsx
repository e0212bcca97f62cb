/** A field that people neither see nor reach. Programs fill it in, and what they send is dropped. */
export function Honeypot({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <div aria-hidden className="absolute -left-[9999px] size-px overflow-hidden">
      <label>
        Leave this empty
        <input
          name="website"
          tabIndex={-1}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
    </div>
  );
}
