import { expect } from 'chai'
import fc from 'fast-check'
import { Message, classes, methods, parseMessage } from 'werift'
import { hasIntegrity, isStun, MAX_STUN_BYTES, parseStun, serializeStun, type StunMessage } from './stun-message.ts'

const transactionId = Buffer.from('0123456789ab')
const PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt'

const cases: readonly { readonly name: string; readonly message: StunMessage }[] = [
  {
    name: 'a check of a controlling end that nominates',
    message: {
      class: 'request',
      transactionId,
      username: 'evtj:h6vY',
      priority: 0x6e0001ff,
      useCandidate: true,
      role: {
        controlling: true,
        tieBreaker: 10605970187446795062n,
      },
    },
  },
  {
    name: 'a check of a controlled end',
    message: {
      class: 'request',
      transactionId,
      username: 'a:b',
      priority: 1,
      role: { controlling: false, tieBreaker: 1n },
    },
  },
  { name: 'an answer', message: { class: 'success', transactionId } },
  { name: 'an error', message: { class: 'error', transactionId, errorCode: 487 } },
  { name: 'an indication', message: { class: 'indication', transactionId } },
]

/** RFC 5769 2.1: a request with the software "STUN test client", and the password above. */
const SAMPLE_REQUEST = Buffer.from(
  '000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff80290008932ff9b151263b36' +
    '000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf',
  'hex',
)

describe('STUN messages', () => {
  for (const { name, message } of cases) {
    it(`come back as they were written: ${name}`, () => {
      const bytes = serializeStun(message, PASSWORD)
      const parsed = parseStun(bytes)
      expect(parsed).to.eql({ ...message })
      expect(hasIntegrity(bytes, PASSWORD)).to.equal(true)
      expect(hasIntegrity(bytes, `${PASSWORD}x`)).to.equal(false)
    })
  }

  it('are read as the RFC has them', () => {
    expect(parseStun(SAMPLE_REQUEST)).to.deep.include({
      class: 'request',
      username: 'evtj:h6vY',
      priority: 0x6e0001ff,
      role: {
        controlling: false,
        tieBreaker: 10605970187446795062n,
      },
    })
    expect(hasIntegrity(SAMPLE_REQUEST, PASSWORD)).to.equal(true)
  })

  for (const [address, port] of [
    ['192.0.2.1', 32_853],
    ['2001:db8:1234:5678:11:2233:4455:6677', 32_853],
    ['::1', 1],
    ['2001:db8::', 65_535],
  ] as const) {
    it(`tell another implementation its address: ${address}`, () => {
      const bytes = serializeStun({ class: 'success', transactionId, mappedAddress: { address, port } }, PASSWORD)
      const read = parseMessage(bytes, Buffer.from(PASSWORD))!
      const [host, readPort] = read.getAttributeValue('XOR-MAPPED-ADDRESS') as [string, number]
      expect(readPort).to.equal(port)
      expect(new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname).to.include(address)
    })
  }

  it('are read as another implementation writes them', () => {
    const message = new Message(methods.BINDING, classes.REQUEST, transactionId)
    message.setAttribute('USERNAME', 'one:other').setAttribute('PRIORITY', 7).setAttribute('ICE-CONTROLLING', 99n)
    message.setAttribute('USE-CANDIDATE', null).addMessageIntegrity(Buffer.from(PASSWORD)).addFingerprint()
    expect(parseStun(message.bytes)).to.deep.include({ username: 'one:other', priority: 7, useCandidate: true })
    expect(hasIntegrity(message.bytes, PASSWORD)).to.equal(true)
  })

  it('are nothing when they are too long, cut off, or carry what comes after their integrity', () => {
    const bytes = serializeStun(cases[0]!.message, PASSWORD)
    for (let sizeBytes = 0; sizeBytes < bytes.length; sizeBytes += 1)
      expect(parseStun(bytes.subarray(0, sizeBytes))).to.equal(undefined)
    const long = Buffer.concat([bytes, Buffer.alloc(MAX_STUN_BYTES)])
    long.writeUInt16BE(long.length - 20, 2)
    expect(parseStun(long)).to.equal(undefined)
    const unsigned = Buffer.concat([
      serializeStun({ class: 'request', transactionId }, PASSWORD),
      Buffer.from('00250000', 'hex'),
    ])
    unsigned.writeUInt16BE(unsigned.length - 20, 2)
    expect(parseStun(unsigned)?.useCandidate).to.equal(undefined)
  })

  it('may be anything, and do no harm', () => {
    const seeds = cases.map(({ message }) => serializeStun(message, PASSWORD))
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255)).map(([seed, index, value]) => {
        const changed = Buffer.from(seed)
        changed[index % changed.length] = value
        return changed
      }),
    )
    fc.assert(
      fc.property(bytes, (datagram) => {
        const copy = Buffer.from(datagram)
        const message = parseStun(datagram)
        hasIntegrity(datagram, PASSWORD)
        expect(datagram.equals(copy)).to.equal(true)
        if (message !== undefined) expect(isStun(serializeStun(message))).to.equal(true)
      }),
    )
  })
})
