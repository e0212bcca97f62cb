/** A name in a table that filters the page when picked. */
export function FilterButton({ name, onPick }: { readonly name: string; readonly onPick: () => void }) {
  return (
    <button
      type="button"
      onClick={onPick}
      aria-label={`Filter by ${name}`}
      className="min-h-6 rounded text-left font-medium text-brand hover:underline"
    >
      {name}
    </button>
  );
}
