// Builds the page: node build.mjs OUT. Writes viewer.js, viewer.css, index.html and icon.svg into OUT, and
// viewer_assets.cc, which holds them, compressed, for the program. Fails when the types do not agree.
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

}  // namespace scree
`,
);
