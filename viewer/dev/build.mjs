// The page with an invented simulation, into dev/out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
mkdirSync(join(here, 'out'), { recursive: true });
await build({ entryPoints: { viewer: join(here, 'fake.ts') }, outdir: join(here, 'out'), bundle: true, sourcemap: 'inline', format: 'iife' });
const page = readFileSync(join(here, '../src/index.html'), 'utf8').replace('type="module"', 'defer');
writeFileSync(join(here, 'out/index.html'), page);
