import { assert } from '../../core/lib/assert.ts';
import type { LinkId } from '../../core/p2p/links.ts';
import type { Micros, PeerId } from '../../core/types/ids.ts';

/** One end of a socket, as the peer manager of one node knows it. */
export interface End {
  readonly socket: Socket;
  readonly node: number;
  link: LinkId;
  isOpen: boolean;
  /** Both ends keep the connection, and the node above knows of it. */
  isTold: boolean;
  /** When this end decided to keep the connection, whatever the other one does. */
  keptAt: Micros | undefined;
}

/** One simulated TCP connection, from the dial on. */
export class Socket {
  readonly dialler: End;
  readonly acceptor: End;

  /** The id that the dialler expects at the other end. */
  readonly calledAs: PeerId;

  constructor(from: number, to: number, link: LinkId, calledAs: PeerId) {
    this.calledAs = calledAs;
    this.dialler = { socket: this, node: from, link, isOpen: true, isTold: false, keptAt: undefined };
    // The link of the acceptor gets its number when the dial arrives.
    this.acceptor = { socket: this, node: to, link: 0, isOpen: true, isTold: false, keptAt: undefined };
  }
}

export function other(end: End): End {
  const { dialler, acceptor } = end.socket;
  assert(end === dialler || end === acceptor, 'an end belongs to its socket');
  return end === dialler ? acceptor : dialler;
}
