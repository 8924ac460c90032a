import { expect } from 'chai'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { fuzzDepacketizer, packetOf, pushAll, textOf } from '../fixtures/audio.ts'
import type { RtpPacket } from '../packet.ts'
import { MpaRobustDepacketizer } from './depacketizer.ts'

const create = () =>
  new MpaRobustDepacketizer({
    payloadType: 96,
    encodingName: 'MPA-ROBUST',
    clockRate: 90_000,
    channels: 1,
    parameters: new Map(),
  })

// 24 kHz and one channel: frames of 24 ms, the smallest of 24 bytes.
const SIDE = '000000000000000000'
const ADU_SIZE_BYTES = 15

/** An ADU frame of two bytes of data. The first 11 bits are ones, or the index and the cycle. */
function aduOf(fill: string, index = 0xff, cycle = 7): string {
  const start = ((index << 8) | (cycle << 5) | 0x13).toString(16).padStart(4, '0')
  return `${start}74c0${SIDE}${fill}`
}

function frameOf(fill: string): string {
  return `fff314c0${SIDE}${fill}${'00'.repeat(24 - ADU_SIZE_BYTES)}`
}

function packet(hex: string, timestamp: number): RtpPacket {
  return packetOf(fromHex(hex), timestamp, false)
}

describe('MpaRobustDepacketizer', () => {
  it('makes a frame of each ADU frame, at times that wrap', () => {
    const depacketizer = create()
    const frames = depacketizer.push(packet(`0f ${aduOf('aabb')} 400f ${aduOf('ccdd')}`, 2 ** 32 - 1000), true)
    expect(textOf(frames)).to.eql([`4294966296 ${frameOf('aabb')}`, `1160 ${frameOf('ccdd')}`])
    expect(frames[0]!.config).to.deep.include({ sampleRate: 24_000, channels: 1, codecString: 'mp4a.69' })
    expect(frames[1]!.config).to.equal(undefined)
    expect(depacketizer.config).to.equal(frames[0]!.config)
  })

  const pieces = [packet(`0f ${aduOf('aabb').slice(0, 20)}`, 7), packet(`8f ${aduOf('aabb').slice(20)}`, 7)] as const

  it('puts pieces together', () => {
    expect(textOf(pushAll(create(), pieces))).to.eql([`7 ${frameOf('aabb')}`])
  })

  it('gives up pieces of which one is missing', () => {
    const depacketizer = create()
    expect(depacketizer.push(pieces[1], true)).to.eql([])
    depacketizer.push(pieces[0], true)
    expect(depacketizer.push(pieces[1], false)).to.eql([])
    depacketizer.push(pieces[0], true)
    const next = depacketizer.push(packet(`0f ${aduOf('ccdd')}`, 9), true)
    expect(textOf(next)).to.eql([`9 ${frameOf('ccdd')}`])
    expect(depacketizer.push(pieces[1], true)).to.eql([])
  })

  it('puts interleaved frames in order, when the next cycle or one that is not interleaved begins', () => {
    const adu = (index: number, cycle: number) => `0f ${aduOf(`c${cycle}0${index}`, index, cycle)}`
    const packets = [
      packet(`${adu(0, 0)} ${adu(2, 0)}`, 0),
      packet(`${adu(1, 0)} ${adu(3, 0)}`, 2160),
      packet(adu(3, 0), 2160),
      packet(adu(1, 1), 10_800),
      packet(adu(0, 1), 8640),
      packet(`0f ${aduOf('aabb')}`, 12_960),
    ]
    expect(textOf(pushAll(create(), packets))).to.eql([
      `0 ${frameOf('c000')}`,
      `2160 ${frameOf('c001')}`,
      `4320 ${frameOf('c002')}`,
      `6480 ${frameOf('c003')}`,
      `8640 ${frameOf('c100')}`,
      `10800 ${frameOf('c101')}`,
      `12960 ${frameOf('aabb')}`,
    ])
  })

  it('refuses what is cut off or no ADU frame', () => {
    for (const hex of ['00', '40', '4f', '02aabb', `0f ${'00'.repeat(15)}`, '04fffde4c4']) {
      expect(() => create().push(packet(hex, 0), true), hex).to.throw(MalformedError)
    }
    expect(create().push(packet('', 0), true)).to.eql([])
  })

  it('takes any bytes', () => {
    const seeds = [`0f ${aduOf('aabb')} 400f ${aduOf('ccdd')}`, `0f ${aduOf('aabb', 3, 1)}`, '0f 0102', '8f 0102']
    fuzzDepacketizer(
      seeds.map((hex) => fromHex(hex)),
      create,
    )
  })
})
