import { launch, newPage } from './browser.mjs';
import { startMock } from './mock-api.mjs';
const mock = await startMock(); const b = await launch();
for (const path of process.argv.slice(2)) {
  const { page, context } = await newPage(b, { signedIn: true });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 2e5, uploadThroughput: 9e4 });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => { window.sh = []; new PerformanceObserver((l) => l.getEntries().forEach((e) => window.sh.push([Math.round(e.startTime), e.value.toFixed(4), ...e.sources.map((s) => `${s.node?.nodeName}.${String(s.node?.className?.baseVal ?? s.node?.className).slice(0, 50)} ${s.node?.textContent?.slice(0, 20)} y${Math.round(s.previousRect.y)}->${Math.round(s.currentRect.y)} h${Math.round(s.previousRect.height)}->${Math.round(s.currentRect.height)}`)]))).observe({ type: 'layout-shift', buffered: true }); });
  await page.goto(mock.url + path, { waitUntil: 'commit' });
  await page.waitForTimeout(9000);
  for (const row of await page.evaluate(() => window.sh)) console.log(path, row[0], row[1], '\n    ' + row.slice(2).join('\n    '));
  await context.close();
}
await b.close(); mock.close();
