import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { banFileOf, loadBans, saveBans } from '../../../adapters/tcp/banFile.ts';
import { Peers } from '../../../core/p2p/peers.ts';
import type { PeersConfig, PeersOut } from '../../../core/p2p/peersContract.ts';
import { tempDir } from '../tempDir.ts';

const SECOND = 1_000_000;
const NOW = 1_700_000_000 * SECOND;
const [bad, needed] = ['ba'.repeat(20), '0e'.repeat(20)];
const nothing = (): void => {};
const out: PeersOut = {
  dial: nothing,
  close: nothing,
  up: nothing,
  down: nothing,
  sendPex: nothing,
  note: nothing,
};
const config: PeersConfig = {
  self: '00'.repeat(20),
  persistent: [{ id: needed, host: '10.0.0.1', port: 26656 }],
  seeds: [],
  inboundMax: 10,
  outboundMax: 10,
  unconditional: new Set(),
  privateIds: new Set(),
  allowDuplicateIp: true,
  isStrict: false,
  pex: false,
  seedMode: false,
  persistentDialMsMax: 0,
};
const newPeers = (): Peers => new Peers(config, () => 0);
const dialled = (peers: Peers, now: number): string[] => {
  const list: string[] = [];
  peers.onTime(now, { ...out, dial: (_, address) => list.push(address.id) });
  return list;
};

test('bans outlive a restart with reason and end, and one that is over does not come back', () => {
  const file = banFileOf(join(tempDir(), 'addrbook.json'));
  expect(loadBans(file)).toEqual([]);
  const first = newPeers();
  first.standings.ban(NOW, bad, 'sent "garbage"', 600_000);
  saveBans(file, first.bans(NOW));

  const second = newPeers();
  second.restoreBans(NOW + 60 * SECOND, loadBans(file));
  const ban = { peer: bad, reason: 'sent "garbage"', until: NOW + 600 * SECOND, times: 1 };
  expect(second.bans(NOW + 60 * SECOND)).toEqual([ban]);
  expect(second.bans(NOW + 601 * SECOND)).toEqual([]);
  for (let i = 0; i < 3; i++) second.standings.fault(NOW + 700 * SECOND, bad, 'again', 40, 86_400_000);
  expect(second.bans(NOW + 700 * SECOND)).toMatchObject([{ until: NOW + 1900 * SECOND, times: 2 }]);

  const third = newPeers();
  third.restoreBans(NOW + 601 * SECOND, loadBans(file));
  expect(third.bans(NOW + 601 * SECOND)).toEqual([]);
});

test('a peer that the operator needs by now waits a minute at most, and is not dialled before', () => {
  const peers = newPeers();
  peers.restoreBans(NOW, [{ peer: needed, reason: 'odd', until: NOW + 86_000 * SECOND, times: 7 }]);
  expect(dialled(peers, NOW + 59 * SECOND)).toEqual([]);
  expect(dialled(peers, NOW + 60 * SECOND)).toEqual([needed]);
});

test('entries that say nothing are left out, and a file that is not ours is refused with what to do', () => {
  const file = join(tempDir(), 'bans.json');
  const good = { id: bad, reason: 'x', until: '2023-11-14T22:23:20.000Z', times: 2 };
  const entries = [
    good,
    null,
    {},
    { ...good, id: 'short' },
    { ...good, until: 'soon' },
    { ...good, times: -1 },
  ];
  writeFileSync(file, JSON.stringify({ bans: entries }));
  expect(loadBans(file).map(({ peer, times }) => [peer, times])).toEqual([
    [bad, 2],
    [bad, 1],
  ]);
  for (const text of ['{', '[]', '{"bans":1}']) {
    writeFileSync(file, text);
    expect(() => loadBans(file)).toThrow(/bans in .* the file may be deleted/);
  }
});

test('a ban file larger than 1 MiB is refused', () => {
  const file = join(tempDir(), 'bans.json');
  const load = (bytes: number) => {
    writeFileSync(file, '{"bans":[]}'.padEnd(bytes));
    return loadBans(file);
  };
  expect(load(1 << 20)).toEqual([]);
  expect(() => load((1 << 20) + 1)).toThrow(`bans in ${file} are not usable: too long`);
});
