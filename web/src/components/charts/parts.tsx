// What all charts share and no drawing library is needed for.
interface TooltipRow {
  readonly color: string;
  readonly name: string;
  readonly value: string;
}

interface TooltipProps {
  readonly title: string;
  readonly rows: readonly TooltipRow[];
  readonly notes?: readonly string[];
}

export function TooltipBox({ title, rows, notes = [] }: TooltipProps) {
  return (
    <div className="rounded-lg border border-line bg-raised px-3 py-2 text-[0.8125rem] shadow-pop">
      <p className="mb-1 font-semibold">{title}</p>
      {rows.map((row) => (
        <p key={row.name} className="flex items-center gap-2">
          <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: row.color }} />
          <span className="text-muted">{row.name}</span>
          <span className="ml-auto pl-4 font-medium tabular">{row.value}</span>
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} className="mt-1 max-w-64 border-t border-line pt-1 whitespace-normal">
          {note}
        </p>
      ))}
    </div>
  );
}
