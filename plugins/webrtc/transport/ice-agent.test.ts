import { expect } from 'chai'
import { IceAgent } from './ice-agent.ts'
import { candidatePriority, type RemoteCandidate } from './ice-candidate.ts'
import type { IcePath } from './ice-pair.ts'
import { parseStun, serializeStun } from './stun-message.ts'
import type { IceCredentials } from './transport-description.ts'

const STEP_MS = 50
const LEFT = { usernameFragment: 'left', password: 'the password of the left one' }
const RIGHT = { usernameFragment: 'right', password: 'the password of the right one' }

/** A network without delay: an address is a name, and may be cut off or be another one for those who get its datagrams. */
class Network {
  nowMs = 0
  /** By `FROM TO`. */
  readonly cut = new Set<string>()
  /** What the others see an address as. */
  readonly translated = new Map<string, string>()
  readonly log: { readonly from: string; readonly to: string; readonly bytes: Buffer }[] = []
  readonly #ends = new Map<string, End>()
  #queue: { from: string; to: string; bytes: Buffer }[] = []

  join(end: End, addresses: readonly string[]): void {
    for (const address of addresses) this.#ends.set(address, end)
  }

  send(from: string, to: string, bytes: Buffer): void {
    const seenFrom = this.translated.get(from) ?? from
    this.log.push({ from: seenFrom, to, bytes })
    if (!this.cut.has(`${from} ${to}`) && !this.cut.has(`* ${to}`)) this.#queue.push({ from: seenFrom, to, bytes })
  }

  /** Lets time go by; @returns the answers of the agents' ticks. */
  advance(durationMs: number, ends: readonly End[]): boolean[] {
    let answers = ends.map(() => true)
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += STEP_MS) {
      this.nowMs += STEP_MS
      answers = ends.map((end, index) => end.agent.tick(this.nowMs) && answers[index]!)
      this.deliver()
    }
    return answers
  }

  deliver(): void {
    while (this.#queue.length > 0) {
      const { from, to, bytes } = this.#queue.shift()!
      const real = [...this.translated].find(([, seen]) => seen === to)?.[0] ?? to
      this.#ends.get(real)?.receive(real, from, bytes)
    }
  }
}

class End {
  readonly agent: IceAgent
  readonly selected: string[] = []
  readonly #network: Network
  readonly #addresses: readonly string[]
  readonly #paths = new Map<string, IcePath>()

  constructor(
    network: Network,
    addresses: readonly string[],
    local: IceCredentials,
    controlling: boolean,
    tieBreaker = 1n,
  ) {
    this.#network = network
    this.#addresses = addresses
    network.join(this, addresses)
    this.agent = new IceAgent({
      controlling,
      local,
      tieBreaker,
      random: () => 0.5,
      pathsTo: ({ address }) => this.#addresses.map((own) => this.path(own, address)),
      onSelected: ({ localAddress, remoteAddress }) => void this.selected.push(`${localAddress} ${remoteAddress}`),
    })
  }

  receive(own: string, from: string, bytes: Buffer): boolean {
    return this.agent.receive(bytes, this.path(own, from), this.#network.nowMs)
  }

  path(own: string, remote: string): IcePath {
    const key = `${own} ${remote}`
    let path = this.#paths.get(key)
    if (path === undefined) {
      const localPriority = candidatePriority('host', this.#addresses.indexOf(own))
      path = {
        transport: 'udp',
        localAddress: own,
        localPort: 1,
        localPriority,
        remoteAddress: remote,
        remotePort: 1,
        lastHeardMs: -Infinity,
        send: (datagrams) => datagrams.forEach((bytes) => this.#network.send(own, remote, bytes)),
      }
      this.#paths.set(key, path)
    }
    return path
  }
}

function candidate(address: string, rank = 0): RemoteCandidate {
  return { address, port: 1, priority: candidatePriority('host', rank) }
}

describe('IceAgent', () => {
  let network: Network
  let left: End
  let right: End

  beforeEach(() => {
    network = new Network()
    left = new End(network, ['10.0.0.1', '10.0.0.2'], LEFT, true, 2n)
    right = new End(network, ['10.0.9.1'], RIGHT, false, 1n)
  })

  function connect(): void {
    left.agent.addCandidate(candidate('10.0.9.1'))
    right.agent.addCandidate(candidate('10.0.0.1'))
    right.agent.addCandidate(candidate('10.0.0.2', 1))
    left.agent.start(RIGHT)
    right.agent.start(LEFT)
  }

  it('selects the best pair at both ends', () => {
    connect()
    network.advance(1000, [left, right])
    expect(left.selected).to.eql(['10.0.0.1 10.0.9.1'])
    expect(right.selected.at(-1)).to.equal('10.0.9.1 10.0.0.1')
    expect(left.agent.pairs[0]?.description).to.include('10.0.0.1:1 → 10.0.9.1:1: answered, nominated')
  })

  it('selects another pair where the best one gets nowhere, and says of that one that there was no answer', () => {
    network.cut.add('10.0.0.1 10.0.9.1').add('10.0.9.1 10.0.0.1')
    connect()
    network.advance(30_000, [left, right])
    expect(left.selected).to.eql(['10.0.0.2 10.0.9.1'])
    expect(right.selected).to.eql(['10.0.9.1 10.0.0.2'])
    expect(left.agent.pairs.map(({ description }) => description)[0]).to.match(
      /10\.0\.0\.1:1 → 10\.0\.9\.1:1: no answer/,
    )
  })

  it('learns the address of a peer that told of none', () => {
    left.agent.addCandidate(candidate('10.0.9.1'))
    left.agent.start(RIGHT)
    right.agent.start(LEFT)
    network.advance(1000, [left, right])
    expect(right.selected).to.eql(['10.0.9.1 10.0.0.1'])
  })

  it('takes checks that come before it knows the peer', () => {
    left.agent.addCandidate(candidate('10.0.9.1'))
    left.agent.start(RIGHT)
    network.advance(200, [left, right])
    expect(right.selected).to.eql([])
    right.agent.start(LEFT)
    network.advance(1000, [left, right])
    expect(right.selected).to.have.length(1)
  })

  for (const controlling of [true, false]) {
    for (const [leftNumber, rightNumber] of [
      [1n, 2n],
      [2n, 1n],
    ] as const) {
      it(`settles that both are ${controlling ? 'controlling' : 'controlled'}, with the numbers ${leftNumber} and ${rightNumber}`, () => {
        left = new End(network, ['10.0.0.1', '10.0.0.2'], LEFT, controlling, leftNumber)
        right = new End(network, ['10.0.9.1'], RIGHT, controlling, rightNumber)
        connect()
        network.advance(3000, [left, right])
        expect([left.selected.length, right.selected.length]).to.eql([1, 1])
      })
    }
  }

  it('says so when the peer no longer answers for thirty seconds, and not before', () => {
    connect()
    network.advance(1000, [left, right])
    expect(network.advance(60_000, [left, right])).to.eql([true, true])
    network.cut.add('* 10.0.9.1')
    expect(network.advance(23_000, [left])).to.eql([true])
    expect(network.advance(8000, [left])).to.eql([false])
  })

  it('follows a peer whose address is another one for it all at once', () => {
    connect()
    network.advance(1000, [left, right])
    network.translated.set('10.0.0.1', '10.7.7.7')
    network.cut.add('* 10.0.0.1')
    network.advance(10_000, [left, right])
    expect(right.selected.at(-1)).to.not.equal('10.0.9.1 10.0.0.1')
  })

  it('begins anew under other names, and goes on with the pair that it has until then', () => {
    connect()
    network.advance(1000, [left, right])
    const newLeft = { usernameFragment: 'left2', password: 'another password of the left' }
    const newRight = { usernameFragment: 'right2', password: 'another password of the right' }
    right.agent.restart(newRight, newLeft, network.nowMs)
    expect(right.agent.selected?.path.remoteAddress).to.equal('10.0.0.1')
    left.agent.restart(newLeft, newRight, network.nowMs)
    left.agent.addCandidate(candidate('10.0.9.1'))
    network.advance(1000, [left, right])
    expect([left.selected.length, right.selected.length]).to.eql([2, 2])
    expect(network.advance(60_000, [left, right])).to.eql([true, true])
  })

  it('gives a peer that restarts as long as a new one, though it was silent before', () => {
    connect()
    network.advance(1000, [left, right])
    network.cut.add('* 10.0.0.1').add('* 10.0.0.2')
    expect(network.advance(23_000, [right])).to.eql([true])
    right.agent.restart(
      { usernameFragment: 'right2', password: 'another password of the right' },
      { usernameFragment: 'left2', password: 'another password of the left' },
      network.nowMs,
    )
    expect(network.advance(29_000, [right])).to.eql([true])
    expect(network.advance(2000, [right])).to.eql([false])
  })

  it('answers nothing that is not signed by the peer', () => {
    right.agent.start(LEFT)
    const transactionId = Buffer.alloc(12, 1)
    const check = { class: 'request', transactionId, username: 'right:left', priority: 1, useCandidate: true } as const
    const unsigned = serializeStun(check)
    const signedByOther = serializeStun(check, 'another password')
    const toOther = serializeStun({ ...check, username: 'nobody:left' }, RIGHT.password)
    const sentBefore = network.log.length
    for (const bytes of [unsigned, signedByOther, toOther])
      expect(right.receive('10.0.9.1', '10.5.5.5', bytes)).to.equal(false)
    expect(network.log).to.have.length(sentBefore)
    expect(right.agent.pairs).to.have.length(0)
    expect(right.receive('10.0.9.1', '10.5.5.5', serializeStun(check, RIGHT.password))).to.equal(true)
  })

  it('selects no address that only sends what somebody else has signed', () => {
    connect()
    network.advance(1000, [left, right])
    const nominations = network.log.filter(
      ({ to, bytes }) => to === '10.0.9.1' && parseStun(bytes)?.useCandidate === true,
    )
    expect(nominations).to.not.be.empty
    network.nowMs += 5000
    for (const { bytes } of nominations) right.receive('10.0.9.1', '10.6.6.6', bytes)
    network.advance(5000, [left, right])
    expect(right.selected.at(-1)).to.equal('10.0.9.1 10.0.0.1')
  })

  it('takes no answer from another address, and none that is not signed', () => {
    right.agent.addCandidate(candidate('10.0.0.1'))
    right.agent.start(LEFT)
    network.cut.add('10.0.9.1 10.0.0.1')
    network.advance(100, [right])
    const { transactionId } = parseStun(network.log[0]!.bytes)!
    const answer = { class: 'success', transactionId } as const
    expect(right.receive('10.0.9.1', '10.6.6.6', serializeStun(answer, LEFT.password))).to.equal(false)
    expect(right.receive('10.0.9.1', '10.0.0.1', serializeStun(answer))).to.equal(false)
    expect(right.receive('10.0.9.1', '10.0.0.1', serializeStun(answer, RIGHT.password))).to.equal(false)
    expect(right.agent.pairs[0]?.state).to.equal('in-progress')
    expect(right.receive('10.0.9.1', '10.0.0.1', serializeStun(answer, LEFT.password))).to.equal(true)
    expect(right.agent.pairs[0]?.state).to.equal('succeeded')
  })

  it('has room for the addresses that a peer uses, however many it has told of', () => {
    right = new End(network, ['10.0.9.1', '10.0.9.2'], RIGHT, false)
    right.agent.start(LEFT)
    for (let index = 0; index < 32; index += 1) right.agent.addCandidate(candidate(`10.1.0.${index}`))
    expect(right.agent.pairs).to.have.length(48)
    left.agent.addCandidate(candidate('10.0.9.1'))
    left.agent.start(RIGHT)
    network.advance(500, [left, right])
    expect(right.selected).to.eql(['10.0.9.1 10.0.0.1'])
  })

  it('checks the better ones of too many pairs', () => {
    const addresses = Array.from({ length: 8 }, (_, index) => `10.0.8.${index}`)
    right = new End(network, addresses, RIGHT, false)
    right.agent.start(LEFT)
    for (let rank = 20; rank >= 0; rank -= 1) right.agent.addCandidate(candidate(`10.1.0.${rank}`, rank))
    const remotes = right.agent.pairs.map(({ path }) => path.remoteAddress)
    expect(remotes).to.have.length(48)
    expect(remotes).to.include.members(['10.1.0.0', '10.1.0.1', '10.1.0.2', '10.1.0.3', '10.1.0.4'])
  })

  it('checks a bounded number of pairs, whatever the peer tells of', () => {
    for (let index = 0; index < 500; index += 1) left.agent.addCandidate(candidate(`10.1.${index >> 8}.${index & 255}`))
    left.agent.start(RIGHT)
    network.advance(10_000, [left])
    expect(left.agent.pairs.length).to.be.within(32, 48)
    // Three seconds of a check each 50 ms, and each of them seven times at most.
    expect(network.log.length).to.be.below(48 * 7)
  })
})
