// The theme: a ready one with changes of its tokens. Contrast is shown for each pair of text and background.
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Check } from '@/components/ui/check';
import { SelectField, TextField } from '@/components/ui/field';
import { cx } from '@/lib/cx';
import type { OpenDocument } from '../hooks/use-document';
import { isColor, isLow, MIN_CONTRAST, pairsOf } from '../lib/contrast';
import type { Palette, SiteDocument, Theme } from '../lib/document';
import { COLORS, FONTS, READY_THEMES, readyThemeOf, type ReadyTheme } from '../lib/themes';
import type { Site } from '../lib/types';
import { Preview } from './preview';

interface Props {
  readonly site: Site;
  readonly document: SiteDocument;
  readonly change: OpenDocument<SiteDocument>['change'];
}

export function ThemePanel({ site, document, change }: Props) {
  const { theme } = document;
  const ready = readyThemeOf(theme);
  const set = (part: Partial<Theme>, field = '') =>
    change('Change theme', (before) => ({ ...before, theme: { ...before.theme, ...part } }), field && `theme.${field}`);
  const home = document.pages.find(({ path }) => path === '') ?? document.pages[0];
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Theme">
          <div role="group" aria-label="Ready themes" className="grid grid-cols-2 gap-2 sm:grid-cols-3">
            {READY_THEMES.map((item) => (
              <ReadyButton
                key={item.preset}
                theme={item}
                pressed={item.preset === theme.preset}
                onChoose={() => set({ ...RESET, preset: item.preset })}
              />
            ))}
          </div>
        </Card>
        <Card title="Type and spacing">
          <div className="grid gap-3 sm:grid-cols-2">
            <Choice
              label="Text font"
              value={theme.font ?? ready.font}
              choices={FONTS}
              onChoose={(font) => set({ font })}
            />
            <Choice
              label="Heading font"
              value={theme.heading_font ?? ready.heading_font}
              choices={FONTS}
              onChoose={(heading_font) => set({ heading_font })}
            />
            <Choice label="Text size" value={theme.size} choices={SIZES} onChoose={(size) => set({ size })} />
            <Choice
              label="Spacing"
              value={theme.spacing ?? ready.spacing}
              choices={SPACINGS}
              onChoose={(spacing) => set({ spacing })}
            />
            <Choice
              label="Corners"
              value={theme.corner ?? ready.corner}
              choices={CORNERS}
              onChoose={(corner) => set({ corner })}
            />
          </div>
        </Card>
        <Colors
          title="Colors"
          palette={theme.light ?? ready.light}
          isOwn={theme.light !== null}
          onChange={(light) => set({ light }, 'light')}
        />
        <Card title="Dark mode">
          <Check
            label="Follow the visitor’s system"
            checked={theme.dark === 'auto'}
            onChange={(auto) => set({ dark: auto ? 'auto' : 'off' })}
          />
        </Card>
        {theme.dark === 'auto' && (
          <Colors
            title="Dark colors"
            palette={theme.dark_colors ?? ready.dark}
            isOwn={theme.dark_colors !== null}
            onChange={(dark_colors) => set({ dark_colors }, 'dark_colors')}
          />
        )}
      </div>
      {home && (
        <div className="min-w-0 lg:sticky lg:top-20">
          <Preview siteId={site.id} pageId={home.id} page={null} document={document} />
        </div>
      )}
    </div>
  );
}

const RESET = { light: null, dark_colors: null, font: null, heading_font: null, spacing: null, corner: null } as const;
const SIZES = [
  ['small', 'Small'],
  ['normal', 'Normal'],
  ['large', 'Large'],
] as const;
const SPACINGS = [
  ['compact', 'Compact'],
  ['normal', 'Normal'],
  ['airy', 'Airy'],
] as const;
const CORNERS = [
  ['square', 'Square'],
  ['soft', 'Soft'],
  ['round', 'Round'],
] as const;

interface ReadyProps {
  readonly theme: ReadyTheme;
  readonly pressed: boolean;
  readonly onChoose: () => void;
}

function ReadyButton({ theme, pressed, onChoose }: ReadyProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onChoose}
      className={cx('rounded-lg border p-2 text-left', pressed ? 'border-brand ring-2 ring-brand' : 'border-line')}
    >
      <span aria-hidden className="mb-1.5 flex h-8 overflow-hidden rounded border border-line">
        {[theme.light.ground, theme.light.surface, theme.light.accent, theme.light.text].map((color, index) => (
          <span key={index} className="flex-1" style={{ background: color }} />
        ))}
      </span>
      <span className="font-medium">{theme.label}</span>
    </button>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChoose(event.target.value)}>
      {choices.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

interface ColorsProps {
  readonly title: string;
  readonly palette: Palette;
  readonly isOwn: boolean;
  /** Null: as the ready theme has them. */
  readonly onChange: (palette: Palette | null) => void;
}

function Colors({ title, palette, isOwn, onChange }: ColorsProps) {
  const pairs = pairsOf(palette);
  const low = pairs.filter(isLow);
  const names = new Map(COLORS);
  return (
    <Card
      title={title}
      actions={
        isOwn && (
          <Button size="sm" onClick={() => onChange(null)}>
            Reset
          </Button>
        )
      }
    >
      <div className="grid gap-3 sm:grid-cols-2">
        {COLORS.map(([color, label]) => (
          <ColorField
            key={color}
            label={label}
            value={palette[color]}
            onChange={(value) => onChange({ ...palette, [color]: value })}
          />
        ))}
      </div>
      <h3 className="mt-4 mb-1 font-medium">Contrast</h3>
      <ul aria-label={`Contrast of ${title.toLowerCase()}`} className="flex flex-col divide-y divide-line">
        {pairs.map((pair) => (
          <li key={`${pair.text} ${pair.ground}`} className="flex items-center justify-between gap-3 py-1.5">
            <span className="min-w-0 text-[0.8125rem]">{`${names.get(pair.text)} on ${lower(names.get(pair.ground))}`}</span>
            <Badge
              tone={isLow(pair) ? 'bad' : 'good'}
            >{`${pair.ratio.toFixed(1)}:1 ${isLow(pair) ? 'too low' : 'OK'}`}</Badge>
          </li>
        ))}
      </ul>
      {low.length > 0 && (
        <p role="alert" className="mt-2 text-[0.8125rem] text-bad">
          {`Text must have a contrast of at least ${MIN_CONTRAST}:1. Until then, the theme cannot be saved.`}
        </p>
      )}
    </Card>
  );
}

const lower = (text = ''): string => text.charAt(0).toLowerCase() + text.slice(1);

interface ColorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ColorField({ label, value, onChange }: ColorProps) {
  const [typed, setTyped] = useState(value);
  const isCurrent = !isColor(typed) || typed.toLowerCase() === value;
  return (
    <div className="flex items-end gap-2">
      <input
        type="color"
        aria-label={`${label}: picker`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-9 w-10 shrink-0 cursor-pointer rounded-lg border border-line-strong/60 bg-surface p-1"
      />
      <TextField
        label={label}
        className="min-w-0 flex-1"
        value={isCurrent ? typed : value}
        error={isCurrent && !isColor(typed) ? 'Six hexadecimal digits, such as #1f2937' : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          if (isColor(event.target.value)) onChange(event.target.value.toLowerCase());
        }}
      />
    </div>
  );
}
