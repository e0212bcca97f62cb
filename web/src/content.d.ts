declare module 'virtual:content' {
  const cards: readonly import('@/lib/content').Card[];
  export default cards;
}
declare module '*.md' {
  const text: import('@/lib/content').Text;
  export default text;
}
declare module 'virtual:world' {
  const world: {
    readonly width: number;
    readonly height: number;
    readonly countries: readonly { readonly code: string; readonly path: string }[];
  };
  export default world;
}
