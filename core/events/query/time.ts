import { parseTime as parseRfc3339 } from '../../codec/timeText.ts';
import type { Timestamp } from '../../types/ids.ts';

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** RFC 3339 with an optional fraction. */
export function parseTime(text: string): Timestamp | undefined {
  const time = parseRfc3339(text);
  return time.ok ? time.value : undefined;
}

/** `YYYY-MM-DD` as midnight UTC. */
export const parseDate = (text: string): Timestamp | undefined =>
  DATE.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
