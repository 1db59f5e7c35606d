// Builds the pages: node build.mjs OUT. Writes viewer.js, viewer.css, index.html and icon.svg, and report.html, which is
// complete in itself, into OUT, and viewer_assets.cc, which holds them, compressed, for the program. Fails when the types do
// not agree.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');
mkdirSync(out, { recursive: true });

if (!process.argv.includes('--no-check')) {
  execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', here], { stdio: 'inherit' });
}
await build({
  entryPoints: { viewer: join(here, 'src/page.ts') },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'inline',
  logLevel: 'warning',
  charset: 'utf8',
});
const report = await build({
  entryPoints: { report: join(here, 'src/report/report.ts') },
  outdir: out,
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  logLevel: 'warning',
  charset: 'utf8',
});
const made = (ending) => report.outputFiles.find(({ path }) => path.endsWith(ending)).text;
const reportPage = readFileSync(join(here, 'src/report/report.html'), 'utf8')
  .replace('<!-- style -->', () => `<style>${made('.css')}</style>`)
  .replace('<!-- script -->', () => `<script>${made('.js')}</script>`);
writeFileSync(join(out, 'report.html'), reportPage);
for (const name of ['index.html', 'icon.svg']) {
  writeFileSync(join(out, name), readFileSync(join(here, 'src', name)));
}

const assets = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/viewer.js', 'viewer.js', 'text/javascript; charset=utf-8'],
  ['/viewer.css', 'viewer.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
];
const arrays = [];
const entries = [];
assets.forEach(([path, name, type], index) => {
  const bytes = gzipSync(readFileSync(join(out, name)), { level: 9 });
  arrays.push(`const unsigned char kAsset${index}[] = {${[...bytes].join(',')}};`);
  entries.push(
    `    {"${path}", "${type}", {reinterpret_cast<const char*>(kAsset${index}), sizeof kAsset${index}}},`,
  );
});
const reportBytes = gzipSync(reportPage, { level: 9 });
arrays.push(`const unsigned char kReport[] = {${[...reportBytes].join(',')}};`);
writeFileSync(
  join(out, 'viewer_assets.cc'),
  `// Made by viewer/build.mjs; not to be changed by hand.
#include "view/assets.h"

namespace scree {
namespace {
${arrays.join('\n')}
}  // namespace

std::span<const Asset> viewer_assets() {
  static const Asset assets[] = {
${entries.join('\n')}
  };
  return assets;
}

std::string_view report_page() { return {reinterpret_cast<const char*>(kReport), sizeof kReport}; }

}  // namespace scree
`,
);
