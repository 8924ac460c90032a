import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { ServerNode } from 'sluice/sdk'
import { PeerAway } from './peer-away.ts'
import type { Claim, PeerAnswer, Peers } from './peers.ts'

const TOKEN_KEY_BYTES = 32

/** A server of one process, which has all streams and does all work. */
export class SingleProcess implements Peers {
  readonly node: ServerNode = { id: hostname(), process: 0, processes: 1 }
  readonly tokenKey = randomBytes(TOKEN_KEY_BYTES)
  readonly others: readonly number[] = []

  serve(): void {}

  ask(process: number): Promise<PeerAnswer> {
    return Promise.reject(new PeerAway(process))
  }

  owner(): Promise<number> {
    return Promise.resolve(this.node.process)
  }

  hand(process: number): Promise<void> {
    return Promise.reject(new PeerAway(process))
  }

  claim(): Claim {
    return { isHeld: true, release() {} }
  }
}
