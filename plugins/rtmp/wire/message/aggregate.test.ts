import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { MAX_AGGREGATED_MESSAGES, parseAggregate, serializeAggregate } from './aggregate.ts'
import type { RawMessage } from './raw-message.ts'

function aggregate(hex: string, timestamp = 5000): RawMessage {
  return { chunkStreamId: 6, typeId: 22, messageStreamId: 1, timestamp, payload: Buffer.from(hex, 'hex') }
}

/** An audio message of two bytes at 1000 ms and a video message of three at 1040 ms, by the layout of RTMP 1.0 §7.1.6. */
const AUDIO = '08000002' + '0003e8' + '00' + '000001' + 'af01' + '0000000d'
const VIDEO = '09000003' + '000410' + '00' + '000001' + '170100' + '0000000e'

const messages: RawMessage[] = [
  { chunkStreamId: 6, typeId: 8, messageStreamId: 1, timestamp: 1000, payload: Buffer.from('af01', 'hex') },
  { chunkStreamId: 6, typeId: 9, messageStreamId: 1, timestamp: 1040, payload: Buffer.from('170100', 'hex') },
]

describe('aggregate', () => {
  it('parses, with times from the aggregate on', () => {
    expect(parseAggregate(aggregate(AUDIO + VIDEO)).messages).to.deep.equal([
      { ...messages[0], timestamp: 5000 },
      { ...messages[1], timestamp: 5040 },
    ])
  })

  it('serializes, and parses to the same when sent at its first time', () => {
    const body = serializeAggregate({ kind: 'aggregate', messages })
    expect(body.typeId).to.equal(22)
    expect(body.payload.toString('hex')).to.equal(AUDIO + VIDEO)
    expect(parseAggregate(aggregate(AUDIO + VIDEO, 1000)).messages).to.deep.equal(messages)
  })

  it('wraps times at 32 bits and reads the high byte', () => {
    const late = VIDEO.replace('00041000', '0000000f')
    const first = AUDIO.replace('0003e800', 'ffffff0e')
    const times = parseAggregate(aggregate(first + late, 0xffffffff)).messages.map((message) => message.timestamp)
    expect(times).to.deep.equal([0xffffffff, 0])
  })

  it('does without the last size', () => {
    expect(parseAggregate(aggregate((AUDIO + VIDEO).slice(0, -8))).messages).to.have.length(2)
  })

  it('gives views', () => {
    const whole = aggregate(AUDIO)
    expect(parseAggregate(whole).messages[0]!.payload.buffer).to.equal(whole.payload.buffer)
  })

  for (const [name, hex] of [
    ['a cut off header', AUDIO + '0900'],
    ['a cut off payload', AUDIO + VIDEO.slice(0, 26)],
    ['an aggregate inside', `16${AUDIO.slice(2)}`],
    ['too many messages', `08000000${'00'.repeat(11)}`.repeat(MAX_AGGREGATED_MESSAGES + 1)],
  ] as const) {
    it(`refuses ${name}`, () => {
      expect(() => parseAggregate(aggregate(hex))).to.throw(MalformedError)
    })
  }

  it('parses or refuses any change of valid bytes, within its bounds', () => {
    const seed = Buffer.from(AUDIO + VIDEO, 'hex')
    fc.assert(
      fc.property(fc.nat(seed.length - 1), fc.nat(255), fc.nat(seed.length), (at, value, end) => {
        const payload = Buffer.from(seed)
        payload[at] = value
        try {
          const parsed = parseAggregate({ ...aggregate(''), payload: payload.subarray(0, end) })
          expect(parsed.messages.reduce((size, message) => size + message.payload.length, 0)).to.be.at.most(end)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { numRuns: rounds(500) },
    )
  })
})
