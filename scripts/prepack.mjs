// npm pack: the package carries a fresh build of what it runs, and nothing else.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build, install, root } from './setup.mjs';

install();
rmSync(path.join(root, 'dist'), { recursive: true, force: true });
build('adapters');
