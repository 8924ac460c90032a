import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit } from '../../access-unit.ts'
import { vp8Config } from '../../codec/vp8/config.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import { loadCapture, loadLines } from '../fixtures/capture.ts'
import { depacketize, fromHex, hexOf, packetOf, packetsOf, sent, trackOf } from '../fixtures/packets.ts'
import { Vp8Depacketizer } from './depacketizer.ts'
import { Vp8Packetizer } from './packetizer.ts'

const KEYFRAME = '1062009d012a4001b4000007'
const A = 'aa'.repeat(28)

/** Frames and their payloads (RFC 7741 4.2 and 4.3) of at most 32 bytes. */
const CASES: readonly { name: string; frame: string; payloads: readonly string[] }[] = [
  { name: 'a frame', frame: KEYFRAME, payloads: [`10 ${KEYFRAME}`] },
  { name: 'the largest frame of one packet', frame: `d11a00${A}`, payloads: [`10 d11a00${A}`] },
  { name: 'a frame of two packets', frame: `d11a00${A}bb`, payloads: [`10 d11a00${A}`, '00 bb'] },
  {
    name: 'a frame of three packets',
    frame: `d11a00${A}bbbbbb${A}cc`,
    payloads: [`10 d11a00${A}`, `00 bbbbbb${A}`, '00 cc'],
  },
]

/** Packets with the other fields of payload descriptors, and the frames that they make. */
const STREAMS: readonly { name: string; packets: readonly string[]; frames: readonly string[] }[] = [
  { name: 'a picture id of 7 bits', packets: ['1! 9080 7f d11a00'], frames: ['1 d11a00'] },
  { name: 'a picture id of 15 bits', packets: ['1! 9080 ffff d11a00'], frames: ['1 d11a00'] },
  { name: 'TL0PICIDX', packets: ['1! 9040 01 d11a00'], frames: ['1 d11a00'] },
  { name: 'a temporal layer', packets: ['1! 9020 40 d11a00'], frames: ['1 d11a00'] },
  { name: 'a keyframe index', packets: ['1! 9010 03 d11a00'], frames: ['1 d11a00'] },
  { name: 'all extensions', packets: ['1! b0f0 8123 04 65 d11a00'], frames: ['1 d11a00'] },
  { name: 'further partitions', packets: ['1 10 d11a00', '1 11 aa', '1! 12 bb'], frames: ['1 d11a00aabb'] },
  {
    name: 'ends by time',
    packets: ['1 10 d11a00', '1 00 aa', '2 10 d11a01', '3 10 d11a02'],
    frames: ['1 d11a00aa', '2 d11a01'],
  },
  { name: 'ends by the start of another', packets: ['1 10 d11a00', '1! 10 d11a01'], frames: ['1 d11a00', '1 d11a01'] },
  { name: 'no frame without start', packets: ['1! 00 aa', '2! 11 aa', '3! 10 d11a00'], frames: ['3 d11a00'] },
  { name: 'packets without payload', packets: ['1 10 d11a00', '9', '1! 00 aa'], frames: ['1 d11a00aa'] },
]

describe('Vp8Packetizer', () => {
  for (const { name, frame, payloads } of CASES) {
    it(`writes ${name}`, () => {
      const unit = AccessUnit.fromData(trackOf('vp8'), 0, 0, true, fromHex(frame))
      const packets = new Vp8Packetizer({ maxPayloadBytes: 32 }).packetize(unit)
      const written = packets.map(({ parts }) => Buffer.concat(parts))
      expect(written).to.deep.equal(payloads.map(fromHex))
      expect(packets.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map(({ length }) => length))
      expect(packets.map(({ marker }) => marker)).to.deep.equal(payloads.map((_, at) => at === payloads.length - 1))
    })
  }
})

describe('Vp8Depacketizer', () => {
  for (const { name, frame, payloads } of CASES) {
    it(`reads ${name}`, () => {
      const packets = payloads.map((payload, at) => packetOf(fromHex(payload), 1, at === payloads.length - 1))
      expect(depacketize(new Vp8Depacketizer(), packets).flatMap(hexOf)).to.deep.equal([frame])
    })
  }

  for (const { name, packets, frames } of STREAMS) {
    it(`reads ${name}`, () => {
      const read = depacketize(new Vp8Depacketizer(), packetsOf(packets))
      expect(read.map((frame) => `${frame.timestamp} ${hexOf(frame).join(' ')}`)).to.deep.equal(frames)
    })
  }

  it('refuses descriptors and frames that are cut off', () => {
    for (const payload of ['90', '9080', '908080', '9040', '9020', '9010', '10 d1', '10 1062009d012b4001b40000']) {
      const depacketizer = new Vp8Depacketizer()
      expect(() => depacketizer.push(packetsOf([`1! ${payload}`])[0]!, true), payload).to.throw(MalformedError)
      expect(depacketize(depacketizer, packetsOf(['1! 00 aa', '2! 10 d11a00'])).flatMap(hexOf)).to.deep.equal([
        'd11a00',
      ])
    }
  })

  it('says which configuration holds from keyframes of another size on', () => {
    const smaller = '1062009d012aa000b4000007'
    const packets = packetsOf([`1! 10 ${KEYFRAME}`, '2! 10 d11a00', `3! 10 ${KEYFRAME}`, `4! 10 ${smaller}`])
    const frames = depacketize(new Vp8Depacketizer(), packets)
    expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal([true, false, true, true])
    const [first, , , last] = [{ width: 320, height: 180 }, undefined, undefined, { width: 160, height: 180 }]
    expect(frames.map(({ config }) => config)).to.deep.equal([vp8Config(first), undefined, undefined, vp8Config(last)])
  })

  for (const peer of ['ffmpeg', 'gstreamer']) {
    describe(`with packets of ${peer}`, () => {
      const packets = loadCapture(`vp8-${peer}`)

      it('gives what was encoded', () => {
        const frames = depacketize(new Vp8Depacketizer(), packets)
        expect(frames.flatMap(hexOf)).to.deep.equal(loadLines('vp8').map((frame) => frame.toString('hex')))
        expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal(Array.from({ length: 8 }, (_, at) => at % 4 === 0))
        expect(frames[0]?.config).to.deep.equal(vp8Config({ width: 64, height: 48 }))
      })

      it('makes no frame of what is left when one is lost', () => {
        const whole = depacketize(new Vp8Depacketizer(), packets).flatMap(hexOf)
        for (let lost = 0; lost < packets.length; lost++) {
          const frames = depacketize(new Vp8Depacketizer(), packets, lost).flatMap(hexOf)
          const time = packets[lost]!.timestamp
          const gone = [...new Set(packets.map(({ timestamp }) => timestamp))].indexOf(time)
          expect(frames, `without packet ${lost}`).to.deep.equal(whole.filter((_, at) => at !== gone))
        }
      })
    })
  }

  it('gives back what a packetizer cut', () => {
    const frame = fc.uint8Array({ minLength: 2, maxLength: 500 }).map((bytes) => Buffer.from([0xd1, ...bytes]))
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 200 }), fc.array(frame), (maxPayloadBytes, frames) => {
        const packetizer = new Vp8Packetizer({ maxPayloadBytes })
        const units = frames.map((data) => AccessUnit.fromData(trackOf('vp8'), 0, 0, false, data))
        const packets = units.flatMap((unit, at) => sent(packetizer.packetize(unit), at))
        for (const { payload } of packets) expect(payload.length).to.be.at.most(maxPayloadBytes)
        const hex = frames.map((data) => data.toString('hex'))
        expect(depacketize(new Vp8Depacketizer(), packets).flatMap(hexOf)).to.deep.equal(hex)
      }),
    )
  })

  it('takes any bytes', () => {
    const seeds = [...CASES.flatMap(({ payloads }) => payloads), '90f0 8123 04 65 d11a00'].map(fromHex)
    const depacketizer = new Vp8Depacketizer()
    let count = 0
    fuzz(seeds, (bytes) => {
      count += 1
      for (const frame of depacketizer.push(packetOf(bytes, count >> 2, count % 3 === 0), count % 7 !== 0)) {
        expect(hexOf(frame)).not.to.deep.equal([''])
      }
    })
  })
})
