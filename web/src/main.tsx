import './lib/browser/font';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { App, router } from './app/providers';
import { endFirstPage, haveEarlyReadsCome } from './lib/api/early-reads';
import { watchSystemTheme } from './stores/ui';
import './styles.css';

watchSystemTheme();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
const show = () => {
  endFirstPage();
  flushSync(() => createRoot(root).render(<App />));
  delete root.dataset['built'];
};
// A document that comes with its text (scripts/documents.mjs) shows it until everything is there to take its place. One
// whose first reads are here is drawn with them; else the frame of the page comes first.
if (root.dataset['built'] === undefined && !haveEarlyReadsCome()) show();
else void router.load().then(show, show);
