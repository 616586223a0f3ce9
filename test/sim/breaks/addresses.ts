import type { Break } from './broken.ts';

const MOVED = { scenario: 'addresses-moved', found: ['peers'], isSlow: true } as const;
const LIARS = { scenario: 'address-liars', found: ['peers'], isSlow: true } as const;

/** Breaks of what nodes believe of what peers tell them of others. */
export const ADDRESSES: readonly Break[] = [
  {
    ...LIARS,
    id: 'exchange-without-a-limit',
    file: 'core/p2p/pexMessages.ts',
    from: 'export const PEX_ADDRESSES_MAX = 250;',
    to: 'export const PEX_ADDRESSES_MAX = 2500;',
  },
  {
    ...LIARS,
    id: 'nonsense-forgiven',
    file: 'core/p2p/pex.ts',
    from: '    if (!decoded.ok) return err(decoded.error.message);',
    to: "    if (!decoded.ok) return ok({ kind: 'learned', count: 0 });",
  },
  {
    ...LIARS,
    id: 'port-zero-is-a-port',
    file: 'core/p2p/pex.ts',
    from: '|| port < 1 || port > 65535) {',
    to: '|| port > 65535) {',
    seed: 2,
  },
  {
    ...LIARS,
    id: 'liar-banned-for-a-minute',
    file: 'core/p2p/peers.ts',
    from: 'this.#ban(now, link.peer, answer.error, BAN_MS_MAX, out);',
    to: 'this.#ban(now, link.peer, answer.error, NEEDED_BAN_MS_MAX, out);',
  },
  {
    ...MOVED,
    id: 'proven-address-moved-by-anybody',
    file: 'core/p2p/addressBook.ts',
    from: '!isFirstHand && (known.isOld || known.attempts === 0)',
    to: '!isFirstHand && known.attempts === 0 && !known.isOld',
  },
  {
    ...MOVED,
    id: 'reached-address-not-kept',
    file: 'core/p2p/addressBook.ts',
    from: 'source === address.id || source === self;',
    to: 'source === address.id;',
    seed: 2,
  },
  {
    ...MOVED,
    id: 'inner-addresses-kept',
    file: 'core/p2p/addressBook.ts',
    from: "    if (isStrict && !isRoutable(ip)) return err('cannot be reached from everywhere');\n",
    to: '',
  },
  {
    ...MOVED,
    id: 'shared-network-routable',
    file: 'core/p2p/ip.ts',
    from: '  [0x64400000, 10],\n',
    to: '',
  },
  {
    ...MOVED,
    id: 'one-network-fills-the-book',
    file: 'core/p2p/addressBook.ts',
    from: 'if (inGroup >= GROUP_MAX || ofSource >= SOURCE_MAX) return false;',
    to: '',
  },
  {
    ...MOVED,
    id: 'one-network-called-first',
    file: 'core/p2p/addressBook.ts',
    from: 'const alike = from.filter((one) => one.group === group);',
    to: 'const alike = group === undefined ? [] : from;',
    found: ['eventually'],
    seed: 3,
  },
  {
    ...MOVED,
    id: 'proven-addresses-not-told',
    file: 'core/p2p/addressBook.ts',
    from: 'this.#sorted().filter(({ attempts }) => attempts < ATTEMPTS_MAX);',
    to: 'this.#sorted().filter(({ isOld }) => !isOld);',
  },
  {
    ...MOVED,
    id: 'one-address-told-of-many',
    file: 'core/p2p/pex.ts',
    from: '    talk.askedAt = now;\n    const addresses = this.#book\n      .sample(PEX_ADDRESSES_MAX)',
    to: '    talk.askedAt = now;\n    const addresses = this.#book\n      .sample(1)',
  },
  {
    id: 'address-book-left-on-disk',
    file: 'core/p2p/addressBook.ts',
    from: 'if (this.#known.has(entry.address.id) || !this.add(entry.address, entry.source).ok) return;',
    to: 'return;',
    found: ['liveness', 'eventually'],
    scenario: 'book-outlives-the-seed',
    isSlow: true,
  },
  {
    id: 'address-book-read-as-just-tried',
    file: 'core/p2p/addressBook.ts',
    from: '      lastAttempt: entry.lastAttempt,\n',
    to: '      lastAttempt: Number.MAX_SAFE_INTEGER,\n',
    found: ['liveness', 'eventually'],
    scenario: 'book-outlives-the-seed',
    isSlow: true,
  },
];
