/** Of answers that the clients of one port have not taken yet. */
export const UNREAD_BYTES_MAX = 256 * 1024 * 1024;

/** Cuts those that leave most unread, until the others together leave no more than `bytesMax`. */
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
