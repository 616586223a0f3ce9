/**
 * Whether a page of this origin may open a websocket. Programs send no Origin and are accepted, as in geth and similar
 * nodes.
 */
export function isOriginAllowed(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return true;
  let host: string;
  try {
    host = new URL(origin).hostname;
  } catch {
    return false;
  }
  return allowed.includes(host);
}
