// The first import of the app: the font travels while the app starts, when nothing else does, and not only once there is
// text. By then the page's own files, which need the line more, are here. The first paint mostly has it.
document.fonts?.load("1em 'Inter Variable'").catch(() => undefined);

export {};
