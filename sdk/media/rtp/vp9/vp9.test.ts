import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit } from '../../access-unit.ts'
import { vp9ConfigFromKeyframe } from '../../codec/vp9/config.ts'
import { parseVp9FrameHeader, type Vp9KeyframeHeader } from '../../codec/vp9/frame-header.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import { loadCapture, loadLines } from '../fixtures/capture.ts'
import { depacketize, fromHex, hexOf, packetOf, packetsOf, sent, trackOf } from '../fixtures/packets.ts'
import { Vp9Depacketizer } from './depacketizer.ts'
import { Vp9Packetizer } from './packetizer.ts'

const KEYFRAME = '824983420013f00b36043824'
const SMALLER = '8249834200098004f6043824'
const INTER = '86004092'
const A = 'aa'.repeat(27)

/** Frames that others are needed for, and their payloads (RFC 9628 4.2 and 4.3) of at most 32 bytes. */
const CASES: readonly { name: string; frame: string; payloads: readonly string[] }[] = [
  { name: 'a frame', frame: INTER, payloads: [`4c ${INTER}`] },
  { name: 'the largest frame of one packet', frame: `${INTER}${A}`, payloads: [`4c ${INTER}${A}`] },
  { name: 'a frame of two packets', frame: `${INTER}${A}bb`, payloads: [`48 ${INTER}${A}`, '44 bb'] },
  {
    name: 'a frame of three packets',
    frame: `${INTER}${A}bbbbbbbb${A}cc`,
    payloads: [`48 ${INTER}${A}`, `40 bbbbbbbb${A}`, '44 cc'],
  },
]

/** Packets with the other fields of payload descriptors, and the frames that they make. */
const STREAMS: readonly { name: string; packets: readonly string[]; frames: readonly string[] }[] = [
  { name: 'a picture id of 7 bits', packets: [`1! cc 7f ${INTER}`], frames: [`1 ${INTER}`] },
  { name: 'a picture id of 15 bits', packets: [`1! cc ffff ${INTER}`], frames: [`1 ${INTER}`] },
  { name: 'layer indices and TL0PICIDX', packets: [`1! 6c 20 05 ${INTER}`], frames: [`1 ${INTER}`] },
  { name: 'layer indices in the flexible mode', packets: [`1! bc 01 20 ${INTER}`], frames: [`1 ${INTER}`] },
  { name: 'one reference in the flexible mode', packets: [`1! dc 01 02 ${INTER}`], frames: [`1 ${INTER}`] },
  { name: 'three references in the flexible mode', packets: [`1! fc 01 20 030504 ${INTER}`], frames: [`1 ${INTER}`] },
  {
    name: 'a scalability structure of two layers and two pictures',
    packets: [`1! 0e 38 0140 00b4 0280 0168 02 00 28 0103 ${INTER}`],
    frames: [`1 ${INTER}`],
  },
  {
    name: 'a scalability structure without sizes and pictures',
    packets: [`1! 0e 20 ${INTER}`],
    frames: [`1 ${INTER}`],
  },
  {
    name: 'spatial layers as one frame',
    packets: [`1 2c 00 05 ${INTER}`, '1 28 02 05 aa', '1 24 02 05 bb', '1! 2c 04 05 cc'],
    frames: [`1 ${INTER}aabbcc`],
  },
  {
    name: 'no frame of layers without the lowest',
    packets: [`1! 2c 02 05 ${INTER}`, `2! 2c 00 05 ${INTER}`],
    frames: [`2 ${INTER}`],
  },
  {
    name: 'ends by time',
    packets: [`1 08 ${INTER}`, '1 04 aa', `2 0c ${INTER}`, `3 08 ${INTER}`],
    frames: [`1 ${INTER}aa`, `2 ${INTER}`],
  },
  { name: 'no frame without end', packets: [`1 08 ${INTER}`, `2! 0c ${INTER}`], frames: [`2 ${INTER}`] },
  { name: 'no frame without begin', packets: ['1! 04 aa', `2! 0c ${INTER}`], frames: [`2 ${INTER}`] },
]

function configOf(keyframe: Buffer) {
  return vp9ConfigFromKeyframe(parseVp9FrameHeader(keyframe) as Vp9KeyframeHeader)
}

describe('Vp9Packetizer', () => {
  for (const { name, frame, payloads } of CASES) {
    it(`writes ${name}`, () => {
      const unit = AccessUnit.fromData(trackOf('vp9'), 0, 0, false, fromHex(frame))
      const packets = new Vp9Packetizer({ maxPayloadBytes: 32 }).packetize(unit)
      const written = packets.map(({ parts }) => Buffer.concat(parts))
      expect(written).to.deep.equal(payloads.map(fromHex))
      expect(packets.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map(({ length }) => length))
      expect(packets.map(({ marker }) => marker)).to.deep.equal(payloads.map((_, at) => at === payloads.length - 1))
    })
  }
})

describe('Vp9Depacketizer', () => {
  for (const { name, frame, payloads } of CASES) {
    it(`reads ${name}`, () => {
      const packets = payloads.map((payload, at) => packetOf(fromHex(payload), 1, at === payloads.length - 1))
      expect(depacketize(new Vp9Depacketizer(), packets).flatMap(hexOf)).to.deep.equal([frame])
    })
  }

  for (const { name, packets, frames } of STREAMS) {
    it(`reads ${name}`, () => {
      const read = depacketize(new Vp9Depacketizer(), packetsOf(packets))
      expect(read.map((frame) => `${frame.timestamp} ${hexOf(frame).join(' ')}`)).to.deep.equal(frames)
    })
  }

  it('refuses descriptors and frames that are cut off, and four references', () => {
    const broken = ['8c', '8c80', '2c', '2c00', '5c', '5c03', '0e', '0e10', '0e1001400b', '0e08', '0e0801', '0e080104']
    for (const payload of [...broken, `5c 03050705 ${INTER}`, '0c 42', '0c 82498343']) {
      const depacketizer = new Vp9Depacketizer()
      expect(() => depacketizer.push(packetsOf([`1! ${payload}`])[0]!, true), payload).to.throw(MalformedError)
      expect(depacketize(depacketizer, packetsOf(['1! 04 aa', `2! 0c ${INTER}`])).flatMap(hexOf)).to.deep.equal([INTER])
    }
  })

  it('says which configuration holds from keyframes of another size on', () => {
    const packets = packetsOf([`1! 0c ${KEYFRAME}`, `2! 4c ${INTER}`, `3! 0c ${KEYFRAME}`, `4! 0c ${SMALLER}`])
    const frames = depacketize(new Vp9Depacketizer(), packets)
    expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal([true, false, true, true])
    const expected = [configOf(fromHex(KEYFRAME)), undefined, undefined, configOf(fromHex(SMALLER))]
    expect(frames.map(({ config }) => config)).to.deep.equal(expected)
  })

  for (const peer of ['ffmpeg', 'gstreamer']) {
    describe(`with packets of ${peer}`, () => {
      const packets = loadCapture(`vp9-${peer}`)

      it('gives what was encoded', () => {
        const frames = depacketize(new Vp9Depacketizer(), packets)
        expect(frames.flatMap(hexOf)).to.deep.equal(loadLines('vp9').map((frame) => frame.toString('hex')))
        expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal(Array.from({ length: 8 }, (_, at) => at % 4 === 0))
        expect(frames[0]?.config).to.deep.equal(configOf(loadLines('vp9')[0]!))
      })

      it('makes no frame of what is left when one is lost', () => {
        const whole = depacketize(new Vp9Depacketizer(), packets).flatMap(hexOf)
        for (let lost = 0; lost < packets.length; lost++) {
          const frames = depacketize(new Vp9Depacketizer(), packets, lost).flatMap(hexOf)
          const time = packets[lost]!.timestamp
          const gone = [...new Set(packets.map(({ timestamp }) => timestamp))].indexOf(time)
          expect(frames, `without packet ${lost}`).to.deep.equal(whole.filter((_, at) => at !== gone))
        }
      })
    })
  }

  it('is told of keyframes by the packetizer', () => {
    const unit = AccessUnit.fromData(trackOf('vp9'), 0, 0, true, fromHex(KEYFRAME))
    const [packet] = new Vp9Packetizer({ maxPayloadBytes: 32 }).packetize(unit)
    expect(packet && Buffer.concat([...packet.parts])).to.deep.equal(fromHex(`0c ${KEYFRAME}`))
  })

  it('gives back what a packetizer cut', () => {
    const frame = fc.uint8Array({ minLength: 2, maxLength: 500 }).map((bytes) => Buffer.from([0x86, ...bytes]))
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 200 }), fc.array(frame), (maxPayloadBytes, frames) => {
        const packetizer = new Vp9Packetizer({ maxPayloadBytes })
        const units = frames.map((data) => AccessUnit.fromData(trackOf('vp9'), 0, 0, false, data))
        const packets = units.flatMap((unit, at) => sent(packetizer.packetize(unit), at))
        for (const { payload } of packets) expect(payload.length).to.be.at.most(maxPayloadBytes)
        const hex = frames.map((data) => data.toString('hex'))
        expect(depacketize(new Vp9Depacketizer(), packets).flatMap(hexOf)).to.deep.equal(hex)
      }),
    )
  })

  it('takes any bytes', () => {
    const seeds = [
      ...CASES.flatMap(({ payloads }) => payloads),
      `fc 01 20 030504 ${INTER}`,
      `0e 38 0140 00b4 0280 0168 02 00 28 0103 ${INTER}`,
    ].map(fromHex)
    const depacketizer = new Vp9Depacketizer()
    let count = 0
    fuzz(seeds, (bytes) => {
      count += 1
      for (const frame of depacketizer.push(packetOf(bytes, count >> 2, count % 3 === 0), count % 7 !== 0)) {
        expect(hexOf(frame)).not.to.deep.equal([''])
      }
    })
  })
})
