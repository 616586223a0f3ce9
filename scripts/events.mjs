// Writes docs/events.md from the event table of the built code.
import { writeFileSync } from 'node:fs';
import { eventsDoc } from '../dist/core/events/eventTable.js';

writeFileSync(new URL('../docs/events.md', import.meta.url), eventsDoc());
