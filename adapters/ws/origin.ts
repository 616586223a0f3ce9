/** Whether a page of this Origin may open a websocket. Programs send none and are let in, as geth and its kin do. */
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
