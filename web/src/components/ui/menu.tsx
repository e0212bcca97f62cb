import { DropdownMenu as Radix } from 'radix-ui';
import { Fragment, type ReactNode } from 'react';
import { OVERLAY, useInDialog } from './overlays';

const item =
  'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-sunken';

interface Props {
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  /** For a menu that is fetched when its button is first pressed. */
  readonly opensAtOnce?: boolean;
}

export function Menu({ trigger, children, align = 'end', opensAtOnce = false }: Props) {
  const inDialog = useInDialog();
  // Without a portal the menu stays inside the landmark of its button; a dialog would cut it off.
  const Place = inDialog ? Radix.Portal : Fragment;
  return (
    <Radix.Root modal={inDialog} defaultOpen={opensAtOnce}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Place>
        <Radix.Content
          {...OVERLAY}
          align={align}
          sideOffset={6}
          className="animate-fade-in z-overlay min-w-52 rounded-xl border border-line bg-raised p-1.5 shadow-pop"
        >
          {children}
        </Radix.Content>
      </Place>
    </Radix.Root>
  );
}

export function MenuItem({ onSelect, children }: { readonly onSelect: () => void; readonly children: ReactNode }) {
  return (
    <Radix.Item className={item} onSelect={onSelect}>
      {children}
    </Radix.Item>
  );
}

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface ChoicesProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly onChoose: (value: T) => void;
}

/** One of several, in one row of the menu. */
export function MenuChoices<T extends string>({ label, value, choices, onChoose }: ChoicesProps<T>) {
  return (
    <Radix.RadioGroup aria-label={label} value={value} className="px-2.5 py-1.5">
      <span aria-hidden className="mb-1.5 block text-[0.8125rem] text-muted">
        {label}
      </span>
      <div role="presentation" className="flex gap-1 rounded-lg bg-sunken p-1">
        {choices.map((choice) => (
          <Radix.RadioItem
            key={choice.value}
            value={choice.value}
            className="flex-1 cursor-pointer rounded-md px-2 py-1 text-center text-[0.8125rem] text-muted outline-none select-none data-highlighted:text-text data-highlighted:ring-2 data-highlighted:ring-brand data-[state=checked]:bg-surface data-[state=checked]:font-medium data-[state=checked]:text-text"
            onSelect={(event) => {
              event.preventDefault(); // the menu stays open: the effect is seen at once
              onChoose(choice.value);
            }}
          >
            {choice.label}
          </Radix.RadioItem>
        ))}
      </div>
    </Radix.RadioGroup>
  );
}

export const MenuSeparator = () => <Radix.Separator className="my-1.5 h-px bg-line" />;
export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="px-2.5 py-1.5 text-[0.8125rem] text-muted">{children}</Radix.Label>
);
