import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { useUi, type Theme } from '@/stores/ui';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'System' },
];

export function AppearanceCard() {
  const { theme, setTheme, singleKeys, setSingleKeys } = useUi();
  return (
    <Card title="Appearance and keyboard" description="Saved in this browser">
      <fieldset>
        <legend className="mb-2 font-medium">Theme</legend>
        <div className="flex flex-wrap gap-2">
          {THEMES.map((item) => (
            <label
              key={item.value}
              className="flex cursor-pointer items-center gap-2 rounded-lg border border-line px-3 py-2 has-checked:border-brand has-checked:bg-brand-soft"
            >
              <input
                type="radio"
                name="theme"
                className="accent-brand"
                checked={theme === item.value}
                onChange={() => setTheme(item.value)}
              />
              {item.label}
            </label>
          ))}
        </div>
      </fieldset>
      <Check className="mt-5" label="Single-key shortcuts" checked={singleKeys} onChange={setSingleKeys} />
    </Card>
  );
}
