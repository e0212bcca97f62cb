declare module 'virtual:content' {
  const cards: readonly import('./lib/content').Card[];
  export default cards;
}
declare module '*.md' {
  const text: import('./lib/content').Text;
  export default text;
}
