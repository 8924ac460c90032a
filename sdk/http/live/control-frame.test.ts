import { expect } from 'chai'
import { fuzz } from '../../media/codec/test/fuzz.ts'
import { parseControlFrame } from './control-frame.ts'

const frames = [
  ['636d6401', { name: 'pause' }],
  ['636d6402', { name: 'resume' }],
  ['636d640300000000', { name: 'seek', positionMs: 0 }],
  ['636d640365f0a5c0', { name: 'seek', positionMs: 1_710_269_888_000 }],
  ['636d6403ffffffff', { name: 'seek', positionMs: 4_294_967_295_000 }],
  ['636d6404000000c8', { name: 'setSpeed', speed: 2 }],
  ['636d640400000000', { name: 'setSpeed', speed: 0 }],
  ['636d640500000019', { name: 'setSpeed', speed: 0.25 }],
] as const

const others = [
  ['nothing', ''],
  ['another word', '636d6501'],
  ['the word alone', '636d64'],
  ['an opcode that there is not', '636d6406'],
  ['another with a number', '636d640000000001'],
  ['a pause with a number', '636d640100000001'],
  ['a seek without a position', '636d6403'],
  ['a position cut off', '636d64030000'],
  ['a speed with more behind it', '636d6404000000c800'],
] as const

describe('a control frame', () => {
  for (const [bytes, command] of frames) {
    it(`${bytes} is ${JSON.stringify(command)}`, () => {
      expect(parseControlFrame(Buffer.from(bytes, 'hex'))).to.eql(command)
    })
  }

  for (const [name, bytes] of others) {
    it(`is not ${name}`, () => expect(parseControlFrame(Buffer.from(bytes, 'hex'))).to.equal(undefined))
  }

  it('is found in any bytes, or is not', () => {
    fuzz(
      [...frames.map(([bytes]) => bytes), ...others.map(([, bytes]) => bytes)].map((bytes) =>
        Buffer.from(bytes, 'hex'),
      ),
      (bytes) => {
        const command = parseControlFrame(bytes)
        if (command !== undefined) expect(bytes.subarray(0, 3).toString()).to.equal('cmd')
        if (command?.name === 'seek') expect(command.positionMs).to.equal(bytes.readUInt32BE(4) * 1000)
      },
    )
  })
})
