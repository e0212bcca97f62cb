import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { App, router } from './app/providers';
import { watchSystemTheme } from './stores/ui';
import './styles.css';

watchSystemTheme();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
const show = () => {
  flushSync(() => createRoot(root).render(<App />));
  delete root.dataset['built'];
};
// A document that comes with its text (scripts/documents.mjs) shows it until everything is there to take its place.
if (root.dataset['built'] === undefined) show();
else void router.load().then(show, show);
