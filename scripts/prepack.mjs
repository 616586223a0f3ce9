// npm pack: makes a fresh build, so that the package has no outdated output.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build, install, root } from './setup.mjs';

install();
rmSync(path.join(root, 'dist'), { recursive: true, force: true });
build('adapters');
