import { expect } from 'chai'
import { createPacketArena } from 'sluice/sdk'
import { acceptKeys, offerKeys } from './connection-keys.ts'
import { encrypt, write } from './fixtures/crypt.ts'
import { parseKeyMaterial } from './key-material.ts'
import type { ReceivingKeys } from './receiving-keys.ts'
import type { KeyRenewal, SendingKeys } from './sending-keys.ts'

const PASSPHRASE = 'a passphrase nobody knows'
const RENEWAL = { renewAfterPackets: 100, announcePackets: 20 }

let open: { close(): void }[] = []

async function createEnds(renewal?: KeyRenewal): Promise<{ sending: SendingKeys; receiving: ReceivingKeys }> {
  const options = renewal === undefined ? {} : { renewal }
  const caller = await offerKeys({ passphrase: PASSPHRASE, keyBytes: 24, ...options })
  const listener = await acceptKeys(caller.sending.message, PASSPHRASE)
  open = [caller.sending, caller.receiving, listener!.sending, listener!.receiving]
  return { sending: caller.sending, receiving: listener!.receiving }
}

afterEach(() => {
  for (const keys of open.splice(0)) keys.close()
})

function flagsOf(sending: SendingKeys): readonly number[] {
  return parseKeyMaterial(sending.message).flags
}

describe('SRT keys that send', () => {
  it('are announced, come in force when they are confirmed, and the old one goes', async () => {
    const { sending } = await createEnds(RENEWAL)
    const first = parseKeyMaterial(sending.message)
    sending.count(79)
    expect([sending.flag, sending.request, flagsOf(sending)]).to.eql([1, undefined, [1]])
    sending.count(1)
    const request = sending.request!
    expect([sending.flag, sending.message === request, flagsOf(sending)]).to.eql([1, true, [1, 2]])
    expect(parseKeyMaterial(request).salt.equals(first.salt)).to.equal(true)
    sending.confirm(Buffer.alloc(4))
    expect(sending.request).to.equal(request)
    sending.confirm(Buffer.from(request))
    expect(sending.request).to.equal(undefined)
    sending.count(19)
    expect(sending.flag).to.equal(1)
    sending.count(1)
    expect([sending.flag, flagsOf(sending)]).to.eql([2, [1, 2]])
    sending.count(19)
    expect(flagsOf(sending)).to.eql([1, 2])
    sending.count(1)
    expect([sending.flag, sending.request, flagsOf(sending)]).to.eql([2, undefined, [2]])
    sending.count(60)
    expect([sending.flag, flagsOf(sending)]).to.eql([2, [1, 2]])
    expect(sending.request!.equals(request)).to.equal(false)
  })

  it('wait for a peer that does not confirm, but not forever', async () => {
    const { sending } = await createEnds(RENEWAL)
    sending.count(80)
    const { request } = sending
    sending.count(119)
    expect(sending.flag).to.equal(1)
    sending.count(1)
    expect([sending.flag, sending.request]).to.eql([2, request])
    sending.confirm(request!)
    expect(sending.request).to.equal(undefined)
  })

  it('serve 2^24 packets, and the next one is announced 2^12 before', async () => {
    const { sending } = await createEnds()
    sending.count(2 ** 24 - 2 ** 12 - 1)
    expect(sending.request).to.equal(undefined)
    sending.count(1)
    sending.confirm(sending.request!)
    sending.count(2 ** 12 - 1)
    expect(sending.flag).to.equal(1)
    sending.count(1)
    expect(sending.flag).to.equal(2)
    sending.count(2 ** 12 - 1)
    expect(flagsOf(sending)).to.eql([1, 2])
    sending.count(1)
    expect(flagsOf(sending)).to.eql([2])
  })

  it('encrypt again with the key of the first time, as long as it is there', async () => {
    const { sending, receiving } = await createEnds(RENEWAL)
    const first = encrypt(sending, 7, 'text')
    sending.count(80)
    expect(encrypt(sending, 7, 'text', 2).flag, 'only announced').to.equal(1)
    await receiving.take(sending.request!)
    sending.confirm(sending.request!)
    sending.count(20)
    expect(encrypt(sending, 7, 'text', first.flag)).to.eql(first)
    expect(encrypt(sending, 8, 'text').flag).to.equal(2)
    sending.count(20)
    const again = encrypt(sending, 7, 'text', first.flag)
    expect(again.flag).to.equal(2)
    expect(receiving.decrypt(again.flag, 7, again.payload)!.toString()).to.equal('text')
  })

  it('encrypt many packets as each alone, also while the key changes', async () => {
    const { sending, receiving } = await createEnds(RENEWAL)
    const arena = createPacketArena(200 * 128)
    const packets: { readonly at: number; readonly endAt: number; readonly flag: 1 | 2 }[] = []
    // The last packet before the old key goes, number 119, is one that it encrypts.
    for (let sequence = 0; sequence < 128; sequence++) {
      const at = sequence * 200
      const endAt = write(arena, at, `packet ${sequence} `.repeat(1 + (sequence % 14)))
      packets.push({
        at,
        endAt,
        flag: sending.encrypt(arena, sequence, at, endAt, sequence % 3 === 2 ? 1 : sending.flag),
      })
      sending.count(1)
      if (sending.request === undefined) continue
      await receiving.take(sending.request)
      sending.confirm(sending.request)
    }
    sending.finish()
    expect(new Set(packets.map(({ flag }) => flag)).size).to.equal(2)
    for (const [sequence, { at, endAt, flag }] of packets.entries()) {
      const clear = receiving.decrypt(flag, sequence, arena.bytes.subarray(at, endAt))
      expect(clear!.toString()).to.equal(`packet ${sequence} `.repeat(1 + (sequence % 14)))
    }
  })

  it('encrypt nothing once they are closed, however often', async () => {
    const { sending } = await createEnds(RENEWAL)
    sending.count(80)
    sending.close()
    sending.close()
    sending.count(1000)
    sending.finish()
    expect(sending.request).to.equal(undefined)
    expect(() => encrypt(sending, 1, 'text', 1)).to.throw('closed')
  })

  it('are not announced before the last renewal is over', async () => {
    const renewal = { renewAfterPackets: 10, announcePackets: 6 }
    const error = await createEnds(renewal).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(RangeError)
  })
})
