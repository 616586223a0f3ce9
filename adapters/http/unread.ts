/** Maximum bytes of answers that the clients of one port have not read yet. */
export const UNREAD_BYTES_MAX = 256 * 1024 * 1024;

/** Cuts the clients with the most unread bytes, until the others together have no more than `bytesMax`. */
export function cutGreediest<Client>(
  clients: Iterable<Client>,
  bytesOf: (client: Client) => number,
  bytesMax: number,
  cut: (client: Client) => void,
): void {
  const unread = Array.from(clients, (client) => ({ client, bytes: bytesOf(client) }));
  let total = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= bytesMax) return;
  for (const { client, bytes } of unread.sort((a, b) => b.bytes - a.bytes)) {
    cut(client);
    total -= bytes;
    if (total <= bytesMax) return;
  }
}
