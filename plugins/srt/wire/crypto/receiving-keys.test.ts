import { expect } from 'chai'
import fc from 'fast-check'
import { acceptKeys, offerKeys, type ConnectionKeys } from './connection-keys.ts'
import { encrypt } from './fixtures/crypt.ts'
import type { KeyBytes } from './key-material.ts'
import type { ReceivingKeys } from './receiving-keys.ts'
import type { SendingKeys } from './sending-keys.ts'

const PASSPHRASE = 'a passphrase nobody knows'
const RENEWAL = { renewAfterPackets: 100, announcePackets: 20 }

const open: ConnectionKeys[] = []

async function offer(passphrase = PASSPHRASE, keyBytes: KeyBytes = 16): Promise<ConnectionKeys> {
  const keys = await offerKeys({ passphrase, keyBytes, renewal: RENEWAL })
  open.push(keys)
  return keys
}

async function createEnds(): Promise<{ sending: SendingKeys; receiving: ReceivingKeys }> {
  const { sending } = await offer()
  const keys = await acceptKeys(sending.message, PASSPHRASE)
  open.push(keys!)
  return { sending, receiving: keys!.receiving }
}

afterEach(() => {
  for (const { sending, receiving } of open.splice(0)) {
    sending.close()
    receiving.close()
  }
})

function renew(sending: SendingKeys): Buffer {
  sending.count(80)
  const request = sending.request!
  sending.confirm(request)
  sending.count(20)
  return request
}

function expectDecrypts(sending: SendingKeys, receiving: ReceivingKeys): void {
  const { flag, sequence, payload } = encrypt(sending, 99, 'a text')
  expect(receiving.decrypt(flag, sequence, payload)?.toString()).to.equal('a text')
}

describe('SRT keys that receive', () => {
  it('are there before the answer to a request, when its salt is known', async () => {
    const { sending, receiving } = await createEnds()
    const request = renew(sending)
    const answer = receiving.take(request)
    expectDecrypts(sending, receiving)
    expect((await answer)!.equals(request)).to.equal(true)
  })

  it('answer a request again, in bytes of their own', async () => {
    const { sending, receiving } = await createEnds()
    const request = renew(sending)
    const datagram = Buffer.from(request)
    const answers = [await receiving.take(datagram), await receiving.take(datagram)]
    datagram.fill(0)
    for (const answer of answers) expect(answer!.equals(request)).to.equal(true)
    expectDecrypts(sending, receiving)
  })

  it('do not come back by a request of an earlier renewal', async () => {
    const { sending, receiving } = await createEnds()
    const first = sending.message
    const requests = [renew(sending)]
    await receiving.take(requests[0]!)
    for (let count = 0; count < 5; count++) {
      requests.push(renew(sending))
      await receiving.take(requests.at(-1)!)
      for (const late of [first, ...requests].toReversed())
        expect((await receiving.take(late))!.equals(late)).to.equal(true)
      expectDecrypts(sending, receiving)
    }
  })

  it('stay when a request is of another passphrase, or broken', async () => {
    const { sending, receiving } = await createEnds()
    const stranger = await offer('a passphrase of somebody else')
    expect(await receiving.take(stranger.sending.message)).to.equal(undefined)
    const request = renew(sending)
    await receiving.take(request)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 32, max: request.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const broken = Buffer.from(request)
          broken[at]! ^= change
          expect(await receiving.take(broken)).to.equal(undefined)
          expect(await receiving.take(broken.subarray(0, at))).to.equal(undefined)
        },
      ),
    )
    expectDecrypts(sending, receiving)
  })

  it('may come under another salt and in another size, one at a time', async () => {
    const { sending, receiving } = await createEnds()
    const others = [await offer(PASSPHRASE, 32), await offer(PASSPHRASE, 24)]
    const answers = await Promise.all(others.map((other) => receiving.take(other.sending.message)))
    expect(answers.map((answer) => answer !== undefined)).to.eql([true, false])
    expectDecrypts(others[0]!.sending, receiving)
    expect((await receiving.take(others[1]!.sending.message)) !== undefined).to.equal(true)
    expectDecrypts(others[1]!.sending, receiving)
    expect((await receiving.take(renew(sending))) !== undefined).to.equal(true)
    expectDecrypts(sending, receiving)
  })

  it('give bytes of their own', async () => {
    const { sending, receiving } = await createEnds()
    const [one, other] = [encrypt(sending, 1, 'one'), encrypt(sending, 2, 'two')]
    const clear = [one, other].map(({ flag, sequence, payload }) => receiving.decrypt(flag, sequence, payload)!)
    expect(clear.map(String)).to.eql(['one', 'two'])
    expect(receiving.decrypt(1, 3, Buffer.alloc(0))).to.have.length(0)
  })

  it('decrypt and take nothing once they are closed, however often', async () => {
    const { sending, receiving } = await createEnds()
    const other = await offer()
    const { flag, sequence, payload } = encrypt(sending, 1, 'text')
    const pending = receiving.take(other.sending.message)
    receiving.close()
    receiving.close()
    expect(await pending).to.equal(undefined)
    expect(await receiving.take(sending.message)).to.equal(undefined)
    expect(receiving.decrypt(flag, sequence, payload)).to.equal(undefined)
  })
})
