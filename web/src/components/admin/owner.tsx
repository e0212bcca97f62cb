interface Owned {
  readonly ownerName: string;
  readonly ownerEmail: string;
}

/** Whose something is, as a cell of a list. */
export function Owner({ of: { ownerName, ownerEmail } }: { readonly of: Owned }) {
  return (
    <>
      <span className="block">{ownerName || ownerEmail}</span>
      <span className="block text-[0.8125rem] text-muted">{ownerName ? ownerEmail : ''}</span>
    </>
  );
}
