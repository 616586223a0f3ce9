import { isPeerId, type PeerAddress, parsePeerAddress } from '../../core/p2p/peerAddress.ts';
import { type Field, text } from './field.ts';

const itemsOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Comma-separated peer addresses, as CometBFT writes them. */
export const peerList = (comment: string): Field<string> =>
  text(comment, '', (value) =>
    itemsOf(value).every((item) => parsePeerAddress(item).ok)
      ? undefined
      : 'expected addresses such as <40 hex digits>@10.0.0.1:26656, separated by commas',
  );

export const idList = (comment: string): Field<string> =>
  text(comment, '', (value) =>
    itemsOf(value).every((item) => isPeerId(item.toLowerCase()))
      ? undefined
      : 'expected node ids of 40 hex digits, separated by commas',
  );

export const peersOf = (list: string): readonly PeerAddress[] =>
  itemsOf(list).flatMap((item) => {
    const parsed = parsePeerAddress(item);
    return parsed.ok ? [parsed.value] : [];
  });

export const idsOf = (list: string): ReadonlySet<string> =>
  new Set(itemsOf(list).map((item) => item.toLowerCase()));
